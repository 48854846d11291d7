"""Tasks and trials that a difference or a half-width takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.design.planning import (
    optimal_trials,
    power_reached,
    size_reached,
    tasks_needed,
    to_estimate,
    to_show,
    trials_needed,
)
from measurand.infer.design.power import minimal_detectable_difference
from measurand.infer.design.variance_components import VarianceComponents
from measurand.infer.differences.permutation import max_t


def components(between: float | None, within: float | None, n: int = 50) -> VarianceComponents:
    return VarianceComponents(
        mean=0.1,
        between=between,
        within=within,
        within_each=(within,),
        total=0.3,
        design_effect=None,
        n=n,
        n_units=n,
        replicated=n,
        truncated=False,
        method="",
        reason="needs at least 2 trials of a task",
    )


def test_published_number_of_tasks() -> None:
    """Ten agents, 12.4 % discordant tasks: 1.4 points take about 10,000 tasks, 6.3 points take 500."""
    assert tasks_needed(to_show(0.014, 10), 0.124) == pytest.approx(10_000, rel=0.02)
    assert tasks_needed(to_show(0.063, 10), 0.124) == pytest.approx(500, rel=0.02)


needs = st.builds(
    to_show,
    st.floats(0.001, 2),
    st.integers(2, 40),
    level=st.floats(0.001, 0.3),
    power=st.floats(0.5, 0.99),
) | st.builds(to_estimate, st.floats(0.001, 2), level=st.floats(0.5, 0.999))
variances = st.floats(0.001, 4)


@given(needs, variances)
def test_tasks_are_just_enough(need: Any, variance: float) -> None:
    """So many tasks reach the size, and one fewer does not, unless fewer could not answer at all."""
    tasks = tasks_needed(need, variance)
    reached = size_reached(need, variance, tasks)
    assert reached is not None
    assert reached <= need.size * (1 + 1e-6)
    if tasks > need.least:
        fewer = size_reached(need, variance, tasks - 1)
        assert fewer is None or fewer > need.size * (1 - 1e-6)


@given(needs, variances, st.floats(0.01, 100))
def test_units_change_nothing(need: Any, variance: float, unit: float) -> None:
    """In another unit of the score the number of tasks is the same."""
    other = type(need)(need.size * unit, need.reach, need.critical, need.least, need.power)
    assert abs(tasks_needed(other, variance * unit**2) - tasks_needed(need, variance)) <= 1


@given(st.floats(0.01, 1), st.integers(2, 30), variances)
def test_detectable_difference_is_reached_but_for_the_small_sample_term(
    difference: float, m: int, variance: float
) -> None:
    """The difference that n tasks detect takes n tasks and half the squared critical value more."""
    need = to_show(difference, m)
    detected = minimal_detectable_difference(math.sqrt(variance), 10_000, m).difference
    assert detected is not None
    extra = tasks_needed(to_show(detected, m), variance) - 10_000
    assert extra == math.ceil(need.critical**2 / 2 - 1e-5)


@given(st.floats(0.01, 1), st.integers(2, 30), variances, st.floats(0.3, 0.99))
def test_power_of_the_plan_is_the_power_planned(
    difference: float, m: int, variance: float, power: float
) -> None:
    """The number of tasks is had back as its power, at least the one planned."""
    need = to_show(difference, m, power=power)
    tasks = tasks_needed(need, variance)
    reached = power_reached(need, variance, tasks)
    assert reached is not None
    assert reached >= power - 1e-6
    if tasks > 1_000:
        assert reached == pytest.approx(power, abs=0.01)


def test_power_at_the_ends() -> None:
    """Too few tasks have no power, no spread has full power, and a half-width has none to speak of."""
    need = to_show(0.1, 2)
    assert need.least == 6
    assert power_reached(need, 0.2, 5) == 0.0
    assert power_reached(need, 0.0, 6) == 1.0
    assert power_reached(to_estimate(0.1), 0.2, 50) is None
    assert size_reached(need, 0.2, 5) is None
    assert tasks_needed(need, 0.0) == 6


@given(needs, st.floats(0.0, 1), st.floats(0.0, 1), st.integers(6, 2_000))
def test_trials_are_just_enough(need: Any, between: float, within: float, tasks: int) -> None:
    """So many trials reach the size on these tasks, and one fewer does not; where none do, infinitely many do not."""
    found = trials_needed(need, components(between, within), tasks)
    if found.trials is None:
        assert found.reason is not None
        reached = size_reached(need, between, tasks)
        assert reached is None or reached >= need.size * (1 - 1e-6)
        return
    assert found.limit is not None
    assert found.limit <= need.size * (1 + 1e-6)
    assert tasks_needed(need, between + within / found.trials) <= tasks
    if found.trials > 1:
        assume(found.trials < 10**8)
        assert trials_needed(need, components(between, within), tasks, stepped=True).trials != 1
        assert tasks_needed(need, (between + within / (found.trials - 1)) * (1 + 1e-6)) > tasks


def test_no_number_of_trials_is_enough() -> None:
    """Where the tasks differ too much, the reason says how many tasks it takes."""
    found = trials_needed(to_show(0.01, 10), components(0.05, 0.2), 100)
    assert found.trials is None
    least = tasks_needed(to_show(0.01, 10), 0.05)
    assert found.reason == f"however many trials, 100 tasks are too few: it takes {least:,}"
    assert found.limit == pytest.approx(size_reached(to_show(0.01, 10), 0.05, 100))


def test_unknown_parts_give_the_pilots_reason() -> None:
    """Without repeated trials the number is not known, and the reason is handed on."""
    found = trials_needed(to_show(0.01, 10), components(None, None), 100)
    assert (found.trials, found.limit, found.reason) == (None, None, "needs at least 2 trials of a task")


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.1, 20), st.floats(0.1, 5))
def test_optimal_trials_are_cheapest(between: float, within: float, task: float, trial: float) -> None:
    """No other number of trials gives the same variance of the mean for less."""
    best = optimal_trials(between, within, cost_task=task, cost_trial=trial)

    def cost(k: float) -> float:
        return (task + k * trial) * (between + within / k)

    assert all(cost(best) <= cost(best * factor) * (1 + 1e-9) for factor in (0.5, 0.9, 1.1, 2.0))


def test_optimal_trials_at_the_ends() -> None:
    """Free tasks ask for as few trials as possible, equal tasks for as many."""
    assert optimal_trials(0.1, 0.2, cost_task=0, cost_trial=1) == 0.0
    assert optimal_trials(0.1, 0.0, cost_task=1, cost_trial=1) == 0.0
    assert optimal_trials(0.0, 0.2, cost_task=1, cost_trial=1) == math.inf


@pytest.mark.parametrize(
    "call",
    [
        lambda: to_show(0, 2),
        lambda: to_show(math.nan, 2),
        lambda: to_show(0.1, 1),
        lambda: to_show(0.1, 2, power=1),
        lambda: to_show(0.1, 2, power=0.001),
        lambda: to_show(0.1, 2, level=0),
        lambda: to_estimate(-1),
        lambda: to_estimate(0.1, level=1),
        lambda: tasks_needed(to_show(0.1, 2), -1),
        lambda: tasks_needed(to_show(1e-12, 2), 1),
        lambda: tasks_needed(to_show(0.1, 2), 1, step=-1),
        lambda: size_reached(to_show(0.1, 2), math.nan, 10),
        lambda: power_reached(to_show(0.1, 2), math.inf, 10),
        lambda: optimal_trials(-1, 1, cost_task=1, cost_trial=1),
        lambda: optimal_trials(1, 1, cost_task=1, cost_trial=0),
        lambda: optimal_trials(1, 1, cost_task=-1, cost_trial=1),
    ],
)
def test_wrong_arguments_are_refused(call: Any) -> None:
    with pytest.raises(UsageError):
        call()


def exact_power(tasks: int, discordant: float, difference: float) -> float:
    """Power of the exact sign test when a task favours the one agent, the other or neither, summed over all outcomes."""
    from scipy.stats import binom

    counts = np.arange(tasks + 1)
    least = binom.isf(0.025, counts, 0.5) + 1
    found = binom.sf(least - 1, counts, (discordant + difference) / 2 / discordant)
    return float(binom.pmf(counts, tasks, discordant) @ found)


@pytest.mark.parametrize("discordant", [0.12, 0.3, 0.6])
@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.6])
def test_exact_power_of_pass_or_fail_is_the_power_planned(discordant: float, ratio: float) -> None:
    """One pair at one trial: counted out in full, the sign test has 80 % power, and less if its steps are forgotten."""
    difference = ratio * discordant
    need, variance = to_show(difference, 2), discordant - difference**2
    tasks = tasks_needed(need, variance, step=1)
    assert exact_power(tasks, discordant, difference) == pytest.approx(0.80, abs=0.025)
    assert exact_power(tasks_needed(need, variance), discordant, difference) < 0.79
    reached = power_reached(need, variance, tasks, step=1)
    assert reached == pytest.approx(0.80, abs=0.01)


@given(st.floats(0.01, 1), variances, st.floats(0, 1), st.integers(6, 3_000))
def test_size_and_power_undo_the_tasks_with_steps(
    difference: float, variance: float, step: float, tasks: int
) -> None:
    """The size that so many tasks reach takes so many tasks, and has the power planned."""
    size = size_reached(to_show(difference, 2), variance, tasks, step=step)
    assert size is not None
    need = to_show(size, 2)
    assert tasks_needed(need, variance, step=step) in {tasks, tasks + 1}
    assert power_reached(need, variance, tasks, step=step) == pytest.approx(0.8, abs=1e-6)


def _found(rng: np.random.Generator, *, tasks: int, trials: int, agents: int, gap: float) -> bool:
    """Run one planned evaluation of pass/fail trials; the first agent is better than all others by the gap."""
    easy = rng.choice([0.2, 0.5, 0.8], size=(tasks, 1))
    own = rng.choice([-0.1, 0.1], size=(tasks, agents))
    chances = easy + own
    chances[:, 0] += gap
    table = rng.binomial(trials, chances) / trials
    result = max_t(table, resamples=1_000, max_resamples=1_000, rng=rng)
    return bool(result.significant[0, 1] > 0)


@pytest.mark.slow
@pytest.mark.parametrize(("agents", "trials", "sets"), [(2, 1, 2_000), (2, 4, 2_000), (10, 2, 400)])
def test_planned_evaluations_show_the_difference_as_often_as_planned(
    agents: int, trials: int, sets: int
) -> None:
    """With the true variances, the real test finds the difference in 80 % of evaluations, give or take three points.

    For ten agents the step-down test and unequal correlations make it somewhat more.
    """
    gap = 0.1
    between = 2 * 0.1**2
    chances = np.array([easy + own for easy in (0.2, 0.5, 0.8) for own in (-0.1, 0.1)])
    better = chances + gap
    within = float((chances * (1 - chances)).mean() + (better * (1 - better)).mean())
    step = 1 / trials if agents == 2 else 0.0
    tasks = tasks_needed(to_show(gap, agents), between + within / trials, step=step)
    rng = np.random.default_rng(8)
    found = sum(_found(rng, tasks=tasks, trials=trials, agents=agents, gap=gap) for _ in range(sets))
    assert found / sets > 0.77
    assert found / sets < (0.83 if agents == 2 else 0.90)
