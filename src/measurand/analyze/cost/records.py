"""Records of the cost axis: who is efficient, who leads at which exchange rate, and what of it is shown.

An exchange rate λ is in units of the score per unit of the meter, for one trial: 0.02 per dollar says that a dollar more a
trial is worth 0.02 more of the mean score. On a logarithmic axis it is the score that a doubling of the cost is worth.
"""

from __future__ import annotations

import msgspec

from measurand.analyze.records import Estimate, Finding, MethodNote

__all__ = [
    "CostApart",
    "CostRow",
    "PairExchange",
    "PairRates",
    "Pareto",
    "ParetoPart",
    "RateInterval",
    "RateTest",
]


class RateInterval(msgspec.Struct, frozen=True, kw_only=True):
    """Exchange rates from ``low`` to ``high``."""

    low: float
    high: float | None
    """``None``: without an upper end, also where cost alone counts."""


class CostRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent that has a place on the cost axis."""

    agent: str
    quality: float
    """Mean score over the tasks used."""
    cost: float
    """Mean over the tasks used of the mean cost of a trial there."""
    log2_cost: float | None
    """Mean over tasks of log2 of that cost, on a logarithmic axis: the logarithm of the geometric mean."""
    coverage: float
    """Share of its planned trials whose cost is known."""
    per_success: Estimate
    """Cost of all trials over the successes, over all tasks of the agent."""
    per_success_at_least: bool
    """Whether that is a lower bound, because the cost of some trials is unknown."""
    efficient: bool
    """Whether nobody is at least as good for less, or better for no more."""
    dominated_by: str | None
    """The best of those who are."""
    lead: RateInterval | None
    """Exchange rates at which it leads; ``None`` where it leads nowhere, be it dominated or inside the hull."""
    tested: bool
    may_be_efficient: bool | None
    """Whether the data leave it possible; ``None`` where it was not tested or nothing can be shown."""
    excluded_by: tuple[str, ...]
    """Agents that are shown to dominate it."""
    supported: RateInterval | None
    """Exchange rates at which it is shown to beat every other tested agent; its ends do not belong to it, but 0 does."""
    may_lead: tuple[RateInterval, ...] | None
    """Exchange rates at which no other is shown to beat it; ``None`` where it was not tested or nothing can be shown."""


class CostApart(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that has no place on the cost axis."""

    agent: str
    quality: float | None
    """Mean score over its own tasks."""
    known: int
    """Trials whose cost is known."""
    trials: int
    """Planned trials."""
    at_least: float | None
    """Lower bound of its cost a trial, from the known ones; ``None`` where none is known."""
    reason: str


class PairRates(msgspec.Struct, frozen=True, kw_only=True):
    """Where one agent beats another."""

    agent: str
    rival: str
    rates: RateInterval | None
    """Where its mean score minus λ times its mean cost is the higher one."""
    supported: RateInterval | None
    """Where it is shown to be; its ends do not belong to it, but 0 does."""
    p: float | None
    """Adjusted p of "the agent beats the rival at some exchange rate"; ``None`` where it was not tested."""


class RateTest(msgspec.Struct, frozen=True, kw_only=True):
    """What the shown exchange rates rest on."""

    family: tuple[str, ...]
    """The agents tested, best first."""
    level: float
    """Chance that any statement about any pair and exchange rate is false."""
    critical_value: float | None
    """The |t| that a statement needs."""
    method: str
    n_tasks: int
    n_units: int
    unit: str
    resamples: int
    exact: bool
    seed: int | None
    reason: str | None
    """Why nothing can be shown."""
    caution: str | None
    """Why the level may be exceeded."""


class PairExchange(msgspec.Struct, frozen=True, kw_only=True):
    """Two agents, named beforehand, on the cost axis."""

    a: str
    b: str
    score: str
    meter: str
    unit: str
    log_cost: bool
    n_tasks: int
    """Tasks that both have with a known cost."""
    cost_a: float | None
    """Mean cost of a trial over these tasks."""
    cost_b: float | None
    a_over_b: PairRates | None
    b_over_a: PairRates | None
    test: RateTest | None
    reason: str | None
    """Why they cannot be set against each other."""


class ParetoPart(msgspec.Struct, frozen=True, kw_only=True):
    """Quality against cost."""

    score: str
    meter: str
    unit: str
    log_cost: bool
    """Whether the axis is the logarithm of cost, so that exchange rates are per doubling."""
    coverage: float
    """Share of an agent's trials whose cost must be known for a place."""
    n_tasks: int
    """Tasks of the suite."""
    n_used: int
    """Tasks used: those that every placed agent has, with a known cost."""
    n_fixed: int
    """Placed agents whose cost is one and the same on every task, as a mean over trials would be."""
    agents: tuple[CostRow, ...]
    """Best first."""
    apart: tuple[CostApart, ...]
    pairs: tuple[PairRates, ...]
    """Ordered pairs: of all agents where ten or fewer have a place, else of the efficient ones."""
    test: RateTest | None
    """``None`` where nobody has a place."""
    other_meters: tuple[str, ...]
    """Other meters that some trial has."""
    reason: str | None
    """Why nobody has a place."""


class Pareto(ParetoPart, frozen=True, kw_only=True):
    """What ``measurand pareto`` says."""

    suite: str
    suite_version: str | None
    comparable: bool
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
