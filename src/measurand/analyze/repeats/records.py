"""How reliable agents are over repeated trials, with names: what ``measurand reliability`` shows."""

from __future__ import annotations

import msgspec

from measurand.analyze.records import Estimate, Finding, GateRate, MethodNote

__all__ = [
    "AgentReliability",
    "CellReliability",
    "ConfidenceRow",
    "MeterVariation",
    "PassPoint",
    "Reliability",
    "ReliabilityPart",
    "TaskFlips",
]


class PassPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Chances of j fresh trials of one task, mean over the tasks with at least j trials."""

    j: int
    any_passes: Estimate
    """pass@j: at least one of j trials passes."""
    all_pass: Estimate
    """pass^j: all of j trials pass."""
    n_tasks: int
    any_low: float | None = None
    """pass@j with every trial without a verdict counted as a fail, over the tasks with j planned trials; ``None`` where
    every planned trial has a verdict, like the three below."""
    any_high: float | None = None
    all_low: float | None = None
    all_high: float | None = None


class ConfidenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """How well an agent's stated confidence foretells what comes of its trials."""

    trials: int
    """Trials with a verdict and a confidence."""
    of_trials: int
    """Trials with a verdict."""
    rate: float | None
    """Pass rate of these trials, tasks weighing equally."""
    confidence: float | None
    """Mean confidence."""
    brier: Estimate
    brier_skill: Estimate
    ece: Estimate
    auroc: Estimate
    risk_coverage: Estimate
    abstained: Estimate | None
    """Share of trials that state less than the bound; ``None`` where no bound was given, like the three below."""
    fail_given_abstain: Estimate | None
    abstain_given_fail: Estimate | None
    rate_on_rest: Estimate | None


class MeterVariation(msgspec.Struct, frozen=True, kw_only=True):
    """How much one meter varies between the trials of a task."""

    name: str
    variation: float | None
    """Mean coefficient of variation over the tasks with at least two known values."""
    n_tasks: int
    reason: str | None = None
    """Why it does not count."""


class AgentReliability(msgspec.Struct, frozen=True, kw_only=True):
    """One agent over its repeated trials. Consistency is over tasks with at least two trials with a verdict."""

    agent: str
    gate: GateRate
    """D1, without which D3 must not be read: an agent that always fails is perfectly reproducible."""
    tasks: int
    """Tasks with at least two trials with a verdict."""
    least_trials: int
    """Least number of trials with a verdict of a task that has any."""
    most_trials: int
    no_verdict: int
    """Planned trials without a verdict, left out of every figure but the gate rate."""
    d3: Estimate
    """Mean of (2p - 1)²: the headline."""
    d3_unbiased: Estimate
    """Mean of 1 - 4 k/(k-1) p(1-p): for comparisons across numbers of trials."""
    d3_max: Estimate
    """Mean of max(p, 1 - p)."""
    d3_max_label: str | None
    """The rubric's label of that mean."""
    labels: dict[str, int]
    """Tasks by the label that their own value has."""
    one_minus_variance: Estimate
    """Mean of 1 - p(1 - p)."""
    agreement: Estimate
    """Mean chance that two fresh trials of a task agree."""
    flip_rate: Estimate
    """Share of tasks on which some trials passed and some failed."""
    passes: tuple[PassPoint, ...]
    """pass@j and pass^j for j = 1, 2, ... as far as nine tenths of the agent's tasks have so many trials."""
    resources: Estimate
    """exp(-mean coefficient of variation of cost, time and steps) per task, mean over tasks."""
    meters: tuple[MeterVariation, ...]
    quantity: Estimate | None
    """D3_q: exp(-coefficient of variation) of the quantity over valid trials, mean over tasks; ``None`` without quantities."""
    calibration: ConfidenceRow | None
    """``None`` where the agent states no confidence."""
    flags: tuple[str, ...]
    """k_below_10: a task has fewer than ten trials. uneven_trials: tasks differ in their number of trials."""

    def point(self, j: int) -> PassPoint | None:
        """Return pass@j and pass^j, or ``None`` where too few tasks have j trials."""
        return next((point for point in self.passes if point.j == j), None)


class TaskFlips(msgspec.Struct, frozen=True, kw_only=True):
    """A task on which trials of one agent disagree."""

    task: str
    agents: int
    """Agents with at least two trials of it with a verdict."""
    flipping: int
    """Those of which some trials passed and some failed."""
    rate: float
    """Their mean pass rate."""
    d3: float
    """Their mean D3."""


class CellReliability(msgspec.Struct, frozen=True, kw_only=True):
    """One agent on one task."""

    agent: str
    task: str
    passes: int
    trials: int
    """Trials with a verdict, k."""
    d3: Estimate
    d3_unbiased: float | None
    d3_max: Estimate
    label: str | None
    agreement: float | None


class ReliabilityPart(msgspec.Struct, frozen=True, kw_only=True):
    """How reliable the agents of a suite are."""

    agents: tuple[AgentReliability, ...]
    """By gate rate, best first."""
    size: int | None
    """The j at which pass@j and pass^j are shown: at least half of the agents with repeated trials reach it."""
    level: float
    """Confidence level."""
    n_tasks: int
    n_units: int
    unit: str
    """What is resampled: task, or family (of tasks)."""
    resamples: int
    seed: int
    abstain_below: float | None
    flips: tuple[TaskFlips, ...]
    """Tasks on which the largest share of the agents flip, at most twenty."""
    reason: str | None
    """Why nothing can be said of consistency."""


class Reliability(ReliabilityPart, frozen=True, kw_only=True):
    """What ``measurand reliability`` says."""

    suite: str
    suite_version: str | None
    comparable: bool
    cells: tuple[CellReliability, ...]
    """Every agent on every task of which it has a trial with a verdict."""
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
