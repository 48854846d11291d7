"""How many tasks, and how many trials of each, a difference or a half-width takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from measurand.errors import UsageError
from measurand.infer.arrays import as_level
from measurand.infer.design.power import critical_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.infer.design.variance_components import VarianceComponents

__all__ = [
    "Requirement",
    "TrialsNeeded",
    "optimal_trials",
    "power_reached",
    "size_reached",
    "tasks_needed",
    "to_estimate",
    "to_show",
    "trials_needed",
]

MOST = 10**18
"""More tasks than this are no plan."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a plan must reach: a standard error of the mean of at most size/reach.

    Attributes:
        size: the true difference to be shown, or the half-width of the interval.
        reach: standard errors that it must be: critical value plus the normal quantile of the power, or the critical
            value alone.
        critical: critical value.
        least: fewest tasks with which the question has an answer.
        power: probability of showing the difference; ``None`` for a half-width.
    """

    size: float
    reach: float
    critical: float
    least: int
    power: float | None


@dataclass(frozen=True, slots=True)
class TrialsNeeded:
    """Result of `trials_needed`.

    Attributes:
        trials: fewest trials of each agent on each task; ``None`` when no number is enough, or it is not known.
        limit: difference or half-width that these tasks reach when trials are without number; ``None`` when unknown.
        reason: why `trials` is ``None``, or ``None``.
    """

    trials: int | None
    limit: float | None
    reason: str | None


def to_show(difference: float, m: int, *, level: float = 0.05, power: float = 0.8) -> Requirement:
    """Return what it takes to show a true difference between two of m agents, all pairs of which are tested.

    The difference must be (c + z) standard errors, with c from :func:`measurand.infer.design.power.critical_value` and z the
    normal quantile of the power. Fewer tasks than 1 - log2(level) cannot reach the level by flipping signs at all.

    Args:
        difference: true difference, above 0, in the unit of the values.
        m: number of agents in the family, at least 2.
        level: family-wise level, between 0 and 1.
        power: probability of showing the difference, between 0 and 1.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 12.3; 12.1 point 5.

    Example:
        >>> need = to_show(0.014, 10)
        >>> round(need.reach, 3), need.least
        (4.005, 6)
    """
    _positive("difference", difference)
    if not 0 < power < 1:
        raise UsageError(f"power is {power}", hint="pass a share strictly between 0 and 1")
    critical = critical_value(m, level=level)
    reach = critical + NormalDist().inv_cdf(power)
    if reach <= 0:
        raise UsageError(f"power is {power}", hint="that little is reached without any task")
    return Requirement(difference, reach, critical, math.ceil(1 - math.log2(level)), power)


def to_estimate(half_width: float, *, level: float = 0.95) -> Requirement:
    """Return what it takes to know a mean to plus or minus a half-width.

    Args:
        half_width: half the length of the interval, above 0, in the unit of the values.
        level: its confidence level, between 0 and 1.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 15.

    Example:
        >>> round(to_estimate(0.02).reach, 2)
        1.96
    """
    _positive("half_width", half_width)
    z = NormalDist().inv_cdf((1 + as_level(level)) / 2)
    return Requirement(half_width, z, z, 2, None)


def tasks_needed(requirement: Requirement, variance: float, *, step: float = 0.0) -> int:
    """Return the fewest tasks that meet a requirement.

    n - critical²/2 is the root x² of size·x² - reach·sd·x - step = 0, that is (reach sd/size)² without a step. The term
    critical²/2 stands for the t distribution, whose quantiles are larger than the normal ones when tasks are few; the
    step for the p-values of a single pair, which are discrete when a task can only differ by multiples of a step.

    Args:
        requirement: from :func:`to_show` or :func:`to_estimate`.
        variance: variance of one task's value or paired difference at the planned trials, 0 or more.
        step: spacing of a task's possible values: 1/trials for pass or fail and one pair of agents; 0 where p-values
            have no steps to speak of (other values, or many pairs together).

    Raises:
        UsageError: a negative variance or step, or a size so small that the number has no meaning.

    Source: SPEC 12.3 and 15; the correction for t is Guenther's (1981).

    Example:
        >>> tasks_needed(to_show(0.014, 10), 0.124), tasks_needed(to_estimate(0.02), 0.21)
        (10155, 2019)
        >>> tasks_needed(to_show(0.1, 2), 0.3), tasks_needed(to_show(0.1, 2), 0.3, step=1)
        (238, 257)
    """
    _spread(variance, step)
    half = requirement.reach * math.sqrt(variance) / 2
    root = (half + math.sqrt(half * half + requirement.size * step)) / requirement.size
    found = root * root + requirement.critical**2 / 2
    if not found < MOST:
        raise UsageError(f"a size of {requirement.size:g} takes more tasks than can be planned for")
    return max(requirement.least, math.ceil(found - 1e-9 * found))


def size_reached(requirement: Requirement, variance: float, tasks: int, *, step: float = 0.0) -> float | None:
    """Return the difference (or half-width) that so many tasks reach: `tasks_needed` solved for the size.

    Args:
        requirement: its `size` plays no part.
        variance: variance of one task's value or paired difference, 0 or more.
        tasks: number of tasks.
        step: as in :func:`tasks_needed`.

    Returns:
        The size; ``None`` when the tasks are too few for any.

    Raises:
        UsageError: a negative variance or step.

    Source: SPEC 12.3 and 15.

    Example:
        >>> round(size_reached(to_show(1, 10), 0.124, 500), 4)
        0.0634
    """
    _spread(variance, step)
    effective = _effective(requirement, tasks)
    if effective is None:
        return None
    return requirement.reach * math.sqrt(variance / effective) + step / effective


def power_reached(
    requirement: Requirement, variance: float, tasks: int, *, step: float = 0.0
) -> float | None:
    """Return the probability that so many tasks show the difference: `tasks_needed` solved for the power.

    Args:
        requirement: from :func:`to_show`; its power plays no part.
        variance: variance of one task's paired difference, 0 or more.
        tasks: number of tasks.
        step: as in :func:`tasks_needed`.

    Returns:
        The power; 0 when the tasks are too few for any, ``None`` for a half-width.

    Raises:
        UsageError: a negative variance or step.

    Source: SPEC 12.3.

    Example:
        >>> need = to_show(0.05, 2)
        >>> round(power_reached(need, 0.1, tasks_needed(need, 0.1)), 3)
        0.8
    """
    _spread(variance, step)
    if requirement.power is None:
        return None
    effective = _effective(requirement, tasks)
    if effective is None:
        return 0.0
    sure = requirement.size * effective - step
    if variance == 0:
        return 1.0 if sure >= 0 else 0.0
    return NormalDist().cdf(sure / math.sqrt(variance * effective) - requirement.critical)


def trials_needed(
    requirement: Requirement, components: VarianceComponents, tasks: int, *, stepped: bool = False
) -> TrialsNeeded:
    """Return the fewest trials of each agent that meet a requirement on a fixed number of tasks.

    The size reached falls with the trials k, down to the one that the tasks reach by themselves (variance `between`).
    When that is not below the size asked for, no number of trials is enough: the tasks differ too much.

    Args:
        requirement: from :func:`to_show` or :func:`to_estimate`.
        components: of the value or paired difference.
        tasks: number of tasks, at which the size must be reached.
        stepped: whether a task's values are spaced 1/k, as in :func:`tasks_needed`.

    Returns:
        The trials; ``None``, with the reason, when none are enough or the components are not known.

    Source: SPEC 12.3 and 15.

    Example:
        >>> from measurand.infer.design.variance_components import cell_moments, variance_components
        >>> pilot = variance_components(cell_moments([1, 1, 0, 0, 1, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3], 4))
        >>> trials_needed(to_estimate(0.2), pilot, 20).trials
        6
        >>> trials_needed(to_estimate(0.1), pilot, 20).reason
        'however many trials, 20 tasks are too few: it takes 66'
    """
    between, within = components.between, components.within
    if between is None or within is None:
        return TrialsNeeded(None, None, components.reason)
    limit = size_reached(requirement, between, tasks)

    def enough(trials: int) -> bool:
        step = 1 / trials if stepped else 0.0
        reached = size_reached(requirement, between + within / trials, tasks, step=step)
        return reached is not None and reached <= requirement.size * (1 + 1e-9)

    trials = 1
    while trials < MOST and not enough(trials):
        trials *= 2
    if limit is None or trials >= MOST:
        least = max(tasks_needed(requirement, between), tasks + 1)
        reason = f"however many trials, {tasks:,} tasks are too few: it takes {least:,}"
        return TrialsNeeded(None, limit, reason)
    return TrialsNeeded(_first(enough, trials // 2 + 1, trials), limit, None)


def optimal_trials(between: float, within: float, *, cost_task: float, cost_trial: float) -> float:
    """Return the trials of a task at which a given precision is cheapest, when tasks are without number.

    k = sqrt(cost_task/cost_trial · within/between) minimises (cost_task + k cost_trial)(between + within/k).

    Args:
        between: variance between tasks, 0 or more.
        within: variance between trials of one task, 0 or more.
        cost_task: what a further task costs without any trial, 0 or more.
        cost_trial: what a further trial of each agent on a task costs, above 0.

    Returns:
        The number, not rounded; 0 means as few as possible, infinity as many.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 15.

    Example:
        >>> optimal_trials(0.05, 0.2, cost_task=9.0, cost_trial=1.0)
        6.0
    """
    _spread(between)
    _spread(within)
    _positive("cost_trial", cost_trial)
    if not (cost_task >= 0 and math.isfinite(cost_task)):
        raise UsageError(f"cost_task is {cost_task}", hint="pass an amount of 0 or more")
    if cost_task == 0 or within == 0:
        return 0.0
    return math.inf if between == 0 else math.sqrt(cost_task / cost_trial * within / between)


def _effective(requirement: Requirement, tasks: int) -> float | None:
    """Tasks less what the t distribution costs; ``None`` when they are too few."""
    effective = tasks - requirement.critical**2 / 2
    return None if tasks < requirement.least or effective <= 0 else effective


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Find the first number from low to high for which a rule holds that holds for high and, once, for all above."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _positive(name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise UsageError(f"{name} is {value}", hint="pass a finite number above 0")


def _spread(variance: float, step: float = 0.0) -> None:
    for name, value in (("variance", variance), ("step", step)):
        if not (value >= 0 and math.isfinite(value)):
            raise UsageError(f"{name} is {value}", hint="pass a finite number of 0 or more")
