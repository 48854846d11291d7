"""Designs: so many trials, so many tasks, what they cost, and which is cheapest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from measurand.analyze.design.goal import TRIALS
from measurand.analyze.design.outlook import UNTOLD
from measurand.analyze.design.records import Affordable, Design, OnSuite
from measurand.infer.design.planning import (
    Requirement,
    optimal_trials,
    power_reached,
    size_reached,
    tasks_needed,
    trials_needed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.design.goal import Goal
    from measurand.analyze.design.pilot import Pilot
    from measurand.analyze.design.records import Price

__all__ = ["Question", "best_design", "best_trials", "best_within_budget", "designs", "on_suite"]


_MOST_TRIALS = 1_000
"""More trials of a task than this are tried out only if they are asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What must be reached, from which pilot, at which prices."""

    need: Requirement
    pilot: Pilot
    prices: tuple[Price, ...]
    goal: Goal
    max_tasks: int
    level: float
    """Confidence level of the interval of a number of tasks."""
    seed: int
    pass_fail: bool
    """Whether a trial is worth 0 or 1."""
    m: int | None
    """Agents tested together; ``None`` for a half-width."""

    def variance(self, trials: int | None) -> float:
        """Variance of one task's difference (or mean); ``None`` trials are the pilot's."""
        components = self.pilot.components
        found = components.total if trials is None else components.variance(trials)
        return math.nan if found is None else found

    @property
    def stepped(self) -> bool:
        """Whether p-values are discrete: trials pass or fail, and a single pair is tested."""
        return self.pass_fail and self.m == 2

    def step(self, trials: int | None) -> float:
        """Spacing of a task's values; 0 where p-values have no steps to speak of."""
        return self.pilot.step(trials) if self.stepped else 0.0

    def tasks(self, trials: int | None, size: float | None = None) -> int:
        """Tasks that reach the goal, or another size."""
        need = self.need if size is None else replace(self.need, size=size)
        return tasks_needed(need, self.variance(trials), step=self.step(trials))


def designs(question: Question, suite: OnSuite) -> tuple[Design, ...]:
    """One design for each number of trials asked for; only the pilot's own where the pilot cannot tell more.

    Where nobody asked for particular numbers, the one that the tasks that there are need is among them.
    """
    if question.pilot.components.between is None:
        return _designs(question, [None])
    wanted = set(question.goal.trials)
    if question.goal.trials == TRIALS and suite.trials is not None and suite.trials <= _MOST_TRIALS:
        wanted.add(suite.trials)
    return _designs(question, sorted(wanted))


def on_suite(question: Question) -> OnSuite:
    """What the tasks that there are can reach."""
    need, components = question.need, question.pilot.components
    now = size_reached(need, question.variance(None), question.max_tasks, step=question.step(None))
    suite = OnSuite(
        tasks=question.max_tasks, now=now, limit=None, trials=None, least_tasks=None, reason=UNTOLD
    )
    if components.truncated:
        return suite
    found = trials_needed(need, components, question.max_tasks, stepped=question.stepped)
    return msgspec.structs.replace(
        suite,
        limit=found.limit,
        trials=found.trials,
        least_tasks=None if components.between is None else tasks_needed(need, components.between),
        reason=found.reason,
    )


def best_design(tried: Sequence[Design]) -> Design:
    """Choose the cheapest of the designs that there are tasks for, by dollars or, where these are unknown, by trials.

    Where none of them has tasks enough, the cheapest of all.
    """
    candidates = [design for design in tried if design.feasible] or list(tried)
    priced = all(design.cost_usd is not None for design in candidates)
    return min(candidates, key=lambda design: _effort(design, priced=priced))


def best_within_budget(tried: Sequence[Design]) -> Design | None:
    """Choose the design that reaches most for the budget; ``None`` where there is none or no cost."""
    reaching = [design for design in tried if design.within_budget and design.within_budget.size is not None]
    return min(reaching, key=_reached, default=None)


def best_trials(question: Question) -> float | None:
    """Trials at which a precision is cheapest if tasks are without number; ``None`` when unknown or without limit."""
    components = question.pilot.components
    usd = _price(question, 1)[0]
    if components.between is None or components.within is None or not usd:
        return None
    found = optimal_trials(
        components.between, components.within, cost_task=question.goal.price_task, cost_trial=usd
    )
    return found if math.isfinite(found) else None


def _effort(design: Design, *, priced: bool) -> tuple[float, int]:
    return (design.cost_usd or 0.0 if priced else 0.0), design.total_trials


def _reached(design: Design) -> float:
    return math.inf if design.within_budget is None else design.within_budget.size or 0.0


def _designs(question: Question, wanted: Sequence[int] | Sequence[None]) -> tuple[Design, ...]:
    ranges = question.pilot.variance_ranges(wanted, level=question.level, seed=question.seed)
    return tuple(_design(question, trials, around) for trials, around in zip(wanted, ranges, strict=True))


def _design(question: Question, trials: int | None, around: tuple[float, float] | None) -> Design:
    tasks = question.tasks(trials)
    usd, usd_lower = _price(question, trials)
    seconds, seconds_lower = _time(question, trials)
    price_task = question.goal.price_task
    step = question.step(trials)
    low, high = (
        (None, None) if around is None else (tasks_needed(question.need, v, step=step) for v in around)
    )
    return Design(
        trials=trials,
        tasks=tasks,
        tasks_low=low,
        tasks_high=high,
        units=math.ceil(tasks / question.pilot.tasks_per_unit),
        total_trials=math.ceil(tasks * sum(_each(question, trials))),
        cost_usd=None if usd is None else tasks * (usd + price_task),
        cost_lower_bound=usd_lower,
        seconds=None if seconds is None else tasks * seconds,
        seconds_lower_bound=seconds_lower,
        sd=math.sqrt(question.variance(trials)),
        feasible=tasks <= question.max_tasks,
        within_budget=_affordable(question, trials, None if usd is None else usd + price_task),
    )


def _affordable(question: Question, trials: int | None, per_task: float | None) -> Affordable | None:
    budget = question.goal.budget
    if budget is None or per_task is None:
        return None
    tasks = question.max_tasks if per_task == 0 else min(question.max_tasks, int(budget / per_task + 1e-9))
    variance, step = question.variance(trials), question.step(trials)
    return Affordable(
        tasks=tasks,
        power=power_reached(question.need, variance, tasks, step=step),
        size=size_reached(question.need, variance, tasks, step=step),
    )


def _each(question: Question, trials: int | None) -> tuple[float, ...]:
    """Trials of each agent on a task."""
    return question.pilot.trials if trials is None else (float(trials),) * len(question.prices)


def _price(question: Question, trials: int | None) -> tuple[float | None, bool]:
    return _sum([(price.usd, price.usd_lower_bound) for price in question.prices], _each(question, trials))


def _time(question: Question, trials: int | None) -> tuple[float | None, bool]:
    return _sum(
        [(price.seconds, price.seconds_lower_bound) for price in question.prices], _each(question, trials)
    )


def _sum(parts: Sequence[tuple[float | None, bool]], trials: Sequence[float]) -> tuple[float | None, bool]:
    """What a task takes, and whether it is a lower bound because something is unknown; ``None`` when all is."""
    known = [
        (amount * k, lower) for (amount, lower), k in zip(parts, trials, strict=True) if amount is not None
    ]
    if not known:
        return None, False
    return sum(amount for amount, _ in known), len(known) < len(parts) or any(lower for _, lower in known)
