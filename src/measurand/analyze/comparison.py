"""The record of two agents side by side."""

from __future__ import annotations

import msgspec

from measurand.analyze.claims.pair_records import Discordance, MarginAnswer, Regressions, Timing
from measurand.analyze.cost.records import PairExchange
from measurand.analyze.records import Estimate, Finding, Meter, MethodNote

__all__ = ["Comparison", "TaskDifference"]


class TaskDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One task on which two agents differ."""

    task: str
    a: float
    b: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two agents side by side: the paired difference and what it allows to say."""

    suite: str
    suite_version: str | None
    score: str
    a: str
    b: str
    comparable: bool
    mean_a: Estimate
    mean_b: Estimate
    difference: Estimate
    """Mean paired difference a minus b."""
    t: float | None
    p: float | None
    method: str
    level: float
    resamples: int
    exact: bool
    seed: int | None
    n_tasks: int
    n_units: int
    unit: str
    a_better: int
    """Tasks on which a is better."""
    b_better: int
    equal: int
    p_discordant: float | None
    """Exact McNemar p from discordant tasks; ``None`` unless every cell is 0 or 1."""
    least_attainable_p: float | None
    detectable: Estimate
    conclusion: str
    largest: tuple[TaskDifference, ...]
    """Tasks with the largest differences, either way."""
    meters_a: tuple[Meter, ...]
    meters_b: tuple[Meter, ...]
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
    discordance: Discordance | None = None
    margin: MarginAnswer | None = None
    """``None`` unless a margin was declared."""
    regressions: Regressions | None = None
    """Single tasks on which a is worse than b, its baseline."""
    timing: Timing | None = None
    exchange: PairExchange | None = None
    """Which of the two is worth its price, at which exchange rates."""
