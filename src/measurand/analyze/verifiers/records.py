"""What a second verdict does to passes, rates, order and tiers, as records."""

from __future__ import annotations

import msgspec

from measurand.analyze.records import Estimate, Finding, MethodNote, TierRow

__all__ = [
    "CorrectedRate",
    "OrderChange",
    "RemovalBand",
    "SecondVerdict",
    "SecondVerdicts",
    "TierChange",
    "VerdictErrors",
    "VerdictRow",
]


class CorrectedRate(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's rate by the second verdict, estimated from a sample of its trials that was re-checked."""

    rogan_gladen: Estimate
    """With the first verdict's errors taken as the same for all agents."""
    rogan_gladen_clipped: bool
    """Whether the rate fell outside 0..1 and was cut."""
    prediction_powered: Estimate
    """From the agent's own re-checked trials, helped by its first verdicts."""
    prediction_powered_clipped: bool
    power: float | None
    """Weight of the first verdicts; ``None`` where they are strata instead."""
    labelled: int
    """Trials whose second verdict is known; failures among them where they count as failed without a look."""
    trials: int
    notes: tuple[str, ...] = ()
    """Why the prediction-powered interval may cover with less than its level."""


class VerdictRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent under two verdicts."""

    agent: str
    passes: int
    """Trials that pass by the first verdict."""
    checked: int
    """Those of them that the second verdict looked at."""
    rejected: int
    """Those of them that it does not pass."""
    rejected_share: Estimate
    """Rejected over checked passes."""
    first: Estimate
    """Rate by the first verdict."""
    second: Estimate
    """Rate of trials that pass both; a pass that was not re-checked stands. ``None`` where too few were re-checked."""
    second_low: float | None
    """The same with every pass that was not re-checked taken as rejected."""
    rank_first: int | None
    """Among the agents of the order; ``None`` for the others."""
    rank_second: int | None
    tier_first: int | None
    tier_second: int | None
    corrected: CorrectedRate | None
    """``None`` where there is nothing to estimate, or none of the agent's passes was re-checked."""


class RemovalBand(msgspec.Struct, frozen=True, kw_only=True):
    """Reversals that come from removing the same share of everybody's passes at random."""

    share: float
    """Share removed: all rejected over all re-checked passes of the order."""
    mean: float
    low: int
    high: int
    ties_mean: float
    ties_low: int
    ties_high: int
    tau: float | None
    """Mean of Kendall's tau-b after such a removal; ``None`` for more than 200 agents, or without an order."""
    tau_low: float | None
    tau_high: float | None
    expected: float | None
    """Exact mean of the reversals; ``None`` where passes are worth differently."""
    expected_ties: float | None
    level: float
    resamples: int
    seed: int | None


class OrderChange(msgspec.Struct, frozen=True, kw_only=True):
    """What the second verdict does to the order of the agents."""

    n_agents: int
    """Agents of the order: those of whose passes enough were re-checked."""
    left_out: tuple[str, ...]
    """Agents of whose passes too few were."""
    neighbours: int
    """Neighbours in the first order that are apart there."""
    skipped: int
    """Neighbours that tie there."""
    reversed: int
    """Neighbours apart that stand in the opposite order after."""
    tied: int
    """Neighbours apart that tie after."""
    over_ties: float
    """Mean number of reversals over all orders in which agents that tie could be listed."""
    tau_b: float | None
    """Kendall's tau-b between the rates before and after, over all agents of the order."""
    band: RemovalBand | None
    reason: str | None
    """Why a part is missing."""


class TierChange(msgspec.Struct, frozen=True, kw_only=True):
    """Tiers of the same agents under both verdicts."""

    family: tuple[str, ...]
    """The agents tested: the head of the first order."""
    level: float
    n_pairs: int
    significant_first: int
    significant_second: int
    first: tuple[TierRow, ...]
    second: tuple[TierRow, ...]
    method: str
    resamples: int
    seed: int | None
    reason: str | None
    """Why there are no tiers."""


class VerdictErrors(msgspec.Struct, frozen=True, kw_only=True):
    """First against second verdict over all agents, trials counted."""

    passes: int
    passes_checked: int
    passes_rejected: int
    """Wrong accepts of the first verdict, if the second is right."""
    fails: int | None
    """Trials that do not pass by the first verdict; ``None`` when nobody says how many trials there are."""
    fails_checked: int
    fails_accepted: int
    """Wrong rejects of the first verdict, if the second is right. Used only where it judged failures as well."""
    sensitivity: float | None
    """Share of good work that the first verdict passes; estimated, or 1 by assumption."""
    specificity: float | None
    """Share of bad work that it fails."""
    sensitivity_assumed: bool
    failures_used: bool
    """Whether what the second verdict says of failures is used, so that wrong rejects are corrected too."""
    design: str | None
    """How the re-checked trials were taken to have been chosen; ``None`` where no correction was needed."""
    reason: str | None


class SecondVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A second verdict against a first one."""

    first_name: str
    second_name: str
    counts_only: bool
    """Whether only counts of passes were at hand."""
    n_tasks: int | None
    agents: tuple[VerdictRow, ...]
    """By falling first rate, those of the order first."""
    median_share: float | None
    """Median over agents of the rejected share of their passes."""
    lowest_share: float | None
    highest_share: float | None
    n_shares: int
    """Agents that have such a share."""
    shares_p: float | None
    """Chance of shares at least as unequal if one share held for all agents; ``None`` for fewer than two shares, or where
    none or all is rejected."""
    resamples: int
    """Resamples behind ``shares_p``."""
    order: OrderChange
    tiers: TierChange
    errors: VerdictErrors


class SecondVerdicts(SecondVerdict, frozen=True, kw_only=True):
    """What ``measurand verdicts`` says."""

    suite: str
    suite_version: str | None
    comparable: bool
    others: tuple[str, ...]
    """Further verdicts that the data have."""
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
