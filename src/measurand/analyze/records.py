"""Results with names: what a report shows, and what ``--json`` prints.

Undefined is ``None``, with a ``reason`` beside it where one is not plain from the context. Shares and scores are
plain numbers (0.794, not 79.4); costs are US dollars; times are seconds.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

from measurand.errors import UsageError

__all__ = [
    "FEW_UNITS",
    "SEVERITIES",
    "AgentRow",
    "Estimate",
    "FamilyErrors",
    "Finding",
    "GateRate",
    "Meter",
    "MethodNote",
    "NullRow",
    "PairRow",
    "SaturationRow",
    "ScoreSummary",
    "Severity",
    "TierMove",
    "TierRow",
    "TierTest",
]

Severity = Literal["problem", "warning", "info"]

FEW_UNITS: Final = 20
"""With fewer units than that the exact p of each pair alone stands beside the adjusted one (SPEC 12.1, point 5)."""

SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""The gravest first."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A number with its interval and how it was had."""

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    """Confidence level of the interval, such as 0.95."""
    method: str | None = None
    n: int = 0
    """Number of independent units (tasks, or families of tasks)."""
    reason: str | None = None
    """Why a part of it is undefined."""


class GateRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often the gate was passed, in three forms (SPEC 20). Tasks weigh equally; trials are averaged in a task."""

    planned: Estimate
    """Over planned trials: no verdict counts as not passed. The headline."""
    evaluated: float | None
    """Over evaluated trials only."""
    low: float | None
    """Every trial without a verdict counted as a fail."""
    high: float | None
    """Every trial without a verdict counted as a pass."""
    passes: int
    trials_evaluated: int
    trials_planned: int


class ScoreSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's mean under one score, over the tasks it has a cell for."""

    score: str
    mean: Estimate
    given_pass: float | None = None
    """Mean over valid trials only; shown, never ranked."""
    clipped: int = 0
    """Valid trials whose objective was clipped from above."""
    below_baseline: int = 0
    """Valid trials that were worse than the baseline (their objective is 0)."""
    valid: int = 0
    """Trials that passed the gate and have a quantity."""


class Meter(msgspec.Struct, frozen=True, kw_only=True):
    """One cost of an agent, never blended into quality."""

    name: str
    unit: str
    known: int
    """Trials whose meter is known."""
    trials: int
    total: float | None
    """Sum over known trials; a lower bound when ``lower_bound``."""
    lower_bound: bool
    mean_known: float | None
    """Mean over the trials whose meter is known."""
    median_known: float | None
    per_success: float | None
    """Total over successes; ``None`` without a success or without a known trial. A lower bound when ``lower_bound``."""


class FamilyErrors(msgspec.Struct, frozen=True, kw_only=True):
    """Standard errors of an agent's mean under the ranking score, where tasks come in families (SPEC 20)."""

    mean_tasks: float | None
    """Mean over tasks: what the standings show."""
    mean_families: float | None
    """Mean of the families' means: another question."""
    naive: float | None
    """Standard error with every task independent; too small where tasks of a family are alike."""
    clustered: float | None
    """Clustered by family."""
    corrected: float | None
    """Clustered, its naive part corrected by n/(n-1)."""
    low: float | None
    """Lower end of the t-interval of the mean over tasks, families - 1 degrees of freedom."""
    high: float | None
    level: float
    families: int
    reason: str | None = None


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the standings."""

    agent: str
    rank: int
    """By the ranking score; equal means share a rank."""
    tested: bool
    """Whether the agent belongs to the tested family. If not, or where the test gives no answer, rank interval, tier
    and letters are ``None``."""
    rank_low: int | None
    rank_high: int | None
    tier: int | None
    letters: str | None
    """Agents that share a letter were not shown to differ."""
    possible_best: bool | None
    gate: GateRate
    scores: tuple[ScoreSummary, ...]
    family_errors: FamilyErrors | None
    """``None`` where the data name no families of tasks."""
    meters: tuple[Meter, ...]
    tasks: int
    """Tasks of which the agent has a cell."""
    trials: int
    """Recorded trials."""
    outcomes: dict[str, int]
    """Recorded trials by outcome."""

    def score(self, name: str) -> ScoreSummary:
        """Return the summary under the score ``name``.

        Raises:
            UsageError: the board does not have that score.
        """
        for summary in self.scores:
            if summary.score == name:
                return summary
        raise UsageError(
            f"the board has no score {name!r}", hint=f"one of: {', '.join(s.score for s in self.scores)}"
        )


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
    """Two agents of the tested family, the better one first."""

    better: str
    worse: str
    difference: float
    """Mean over common tasks of the better one's cell minus the worse one's."""
    t: float | None
    """Paired t; ``None`` when it is infinite (every task differs by the same amount)."""
    p_raw: float
    p_adjusted: float
    """Step-down max-T, family-wise."""
    n_tasks: int
    """Tasks that both have."""
    significant: bool
    low: float | None = None
    """Lower end of the simultaneous interval; 0 where only a later step of the test decides, and 0 does not belong to
    it then. It leaves out 0 exactly when the pair is significant."""
    high: float | None = None
    reason: str | None = None
    """Why there is no interval."""
    p_exact: float | None = None
    """Exact sign-flip p of this pair alone, where there are fewer than 20 units."""


class TierMove(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that another null puts into another tier."""

    agent: str
    tier: int
    """By the test shown."""
    other: int
    """By the other null."""


class NullRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the test finds under one null distribution."""

    null: str
    method: str
    n_significant: int
    n_tiers: int
    tiers: tuple[int, ...]
    """Tier of each agent of the tested family, best first; empty when the test was not run."""
    moves: tuple[TierMove, ...]
    """Agents in another tier than by the test shown."""
    resamples: int
    exact: bool
    seed: int | None
    max_standard_error: float
    """Largest Monte-Carlo standard error of an adjusted p-value."""
    undecided: int
    """Adjusted p-values within three such errors of the level."""
    reason: str | None = None
    """Why it was not run."""


class TierRow(msgspec.Struct, frozen=True, kw_only=True):
    """Agents not separated from their tier's leader."""

    tier: int
    agents: tuple[str, ...]
    fully_supported: bool | None
    """Whether every pair across the boundary above this tier is significant; ``None`` for the first tier."""


class TierTest(msgspec.Struct, frozen=True, kw_only=True):
    """Which agents of a family really differ under one score."""

    score: str
    family: tuple[str, ...]
    """The agents tested, best first."""
    null: str
    method: str
    level: float
    n_tasks: int
    n_units: int
    unit: str
    """What is exchanged by the null: task, or family of tasks."""
    n_pairs: int
    n_significant: int
    resamples: int
    exact: bool
    seed: int | None
    max_standard_error: float
    """Largest Monte-Carlo standard error of an adjusted p-value."""
    missing_cells: int
    spread: float | None
    """First mean minus last mean of the family."""
    largest_gap: float | None
    """Largest difference between neighbours in the order."""
    detectable: Estimate
    """Minimal detectable difference of one pair, from the median spread of the pairs; its ``level`` is the power."""
    pairs: tuple[PairRow, ...]
    tiers: tuple[TierRow, ...]
    notes: tuple[str, ...]
    """Agreement with the other null and with evaluated trials only, and other sentences a reader needs."""
    reason: str | None
    """Why nothing can be concluded. Tiers are empty then, unless there are more than five tasks to speak of."""
    agreement: tuple[NullRow, ...] = ()
    """The null shown first, then each that was run beside it; empty where there are no tiers."""
    interval_level: float | None = None
    """Confidence level that the intervals of all pairs hold together."""
    critical_value: float | None = None
    """Half the width of these intervals in standard errors; ``None`` without a finite one."""


class SaturationRow(msgspec.Struct, frozen=True, kw_only=True):
    """How far the head of the board is within noise, under one score."""

    score: str
    variant: str
    """paired or unpaired."""
    index: float | None
    category: str | None
    r: float | None
    t: float | None
    """Paired t; ``None`` also when it is infinite (every task differs by the same amount)."""
    n: int
    k: int
    alpha: float
    first: str | None
    kth: str | None
    dominance: float | None
    """Share of the whole difference carried by one task."""
    tiers: tuple[int, ...]
    """Tier of each agent of the tested family under this score, best first; empty when not available."""
    notes: tuple[str, ...] = ()
    reason: str | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something about the data that a reader must know before believing a number."""

    severity: Severity
    subject: str
    """What it is about: coverage, verdicts, cost, anchors, comparability, import."""
    text: str
    examples: tuple[str, ...] = ()


class MethodNote(msgspec.Struct, frozen=True, kw_only=True):
    """How a kind of number in the report was had."""

    topic: str
    text: str
