"""The spread of a pilot, split into tasks and trials."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.design.variance_components import (
    CellMoments,
    VarianceComponents,
    cell_moments,
    resampled_variances,
    variance_components,
)
from measurand.infer.means.clusters import standard_error

Trials = list[list[float]]
"""The values of the trials, task by task."""


def cells(trials: Trials) -> CellMoments:
    values = [value for task in trials for value in task]
    tasks = [number for number, task in enumerate(trials) for _ in task]
    return cell_moments(values, np.array(tasks, dtype=np.int64), len(trials))


def naive(*agents: Trials) -> tuple[float, list[float], float]:
    """Between, within of each agent, and total, with Python's own statistics."""
    means = [[statistics.fmean(task) for task in trials] for trials in agents]
    d = means[0] if len(agents) == 1 else [a - b for a, b in zip(*means, strict=True)]
    total = statistics.variance(d)
    within = [
        statistics.fmean([statistics.variance(task) for task in trials if len(task) > 1]) for trials in agents
    ]
    noise = 0.0
    for trials, average in zip(agents, within, strict=True):
        noise += statistics.fmean(
            [(statistics.variance(task) if len(task) > 1 else average) / len(task) for task in trials]
        )
    return total - noise, within, total


trials_of_a_task = st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), min_size=1, max_size=4)
pilots = st.lists(trials_of_a_task, min_size=3, max_size=8).filter(
    lambda trials: sum(len(task) > 1 for task in trials) >= 2
)


def close(a: float | None, b: float | None, *, factor: float = 1.0) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a * factor, b, rel_tol=1e-9, abs_tol=1e-9 * factor)


@given(pilots)
def test_one_agent_equals_its_naive_twin(trials: Trials) -> None:
    """Every part is that of plain sums over tasks, with uneven and single trials."""
    between, within, total = naive(trials)
    found = variance_components(cells(trials))
    assert found.between == pytest.approx(max(between, 0.0), abs=1e-9)
    assert found.within_each == pytest.approx(within)
    assert found.within == pytest.approx(within[0])
    assert found.total == pytest.approx(total, abs=1e-9)
    assert found.truncated == (between < -1e-12 * total)
    assert found.mean == pytest.approx(statistics.fmean(statistics.fmean(task) for task in trials))


@given(st.data())
def test_two_agents_equal_their_naive_twin(data: st.DataObject) -> None:
    """The noise of both agents comes off the variance of the paired difference."""
    a, b = data.draw(pilots), data.draw(pilots)
    size = min(len(a), len(b))
    a, b = a[:size], b[:size]
    if any(sum(len(task) > 1 for task in trials) < 2 for trials in (a, b)):
        return
    between, within, total = naive(a, b)
    found = variance_components(cells(a), cells(b))
    assert found.between == pytest.approx(max(between, 0.0), abs=1e-9)
    assert found.within == pytest.approx(sum(within))
    assert found.total == pytest.approx(total, abs=1e-9)
    other = variance_components(cells(b), cells(a))
    assert close(other.between, found.between)
    assert other.within_each == found.within_each[::-1]
    assert other.mean == pytest.approx(-(found.mean or 0.0), abs=1e-12)


@given(pilots, st.sampled_from([0.01, 3.0, 1e6]), st.randoms())
def test_units_and_order_change_nothing(trials: Trials, unit: float, random: Any) -> None:
    """Variances go with the square of the unit; the order of tasks and of trials is no matter."""
    found = variance_components(cells(trials))
    scaled = variance_components(cells([[unit * value for value in task] for task in trials]))
    assert close(found.between, scaled.between, factor=unit**2)
    assert close(found.within, scaled.within, factor=unit**2)
    shuffled = [random.sample(task, len(task)) for task in random.sample(trials, len(trials))]
    again = variance_components(cells(shuffled))
    assert close(found.between, again.between)
    assert close(found.within, again.within)


def test_families_of_one_task_are_no_families() -> None:
    """With one task a family nothing changes but the design effect, which is 1."""
    trials = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0, 0.0]]
    plain = variance_components(cells(trials))
    grouped = variance_components(cells(trials), families=["d", "a", "c", "b"])
    assert grouped.between == pytest.approx(plain.between)
    assert plain.design_effect is None
    assert grouped.design_effect == pytest.approx(1.0)


@given(st.integers(0, 1_000))
def test_total_with_families_is_the_clustered_standard_error(seed: int) -> None:
    """The total is n times the squared clustered error of the mean: one formula, whichever way it is computed."""
    rng = np.random.default_rng(seed)
    a, b = (cells([list(rng.random(3)) for _ in range(12)]) for _ in range(2))
    families = rng.integers(0, 4, size=12)
    found = variance_components(a, b, families=families)
    error = standard_error(a.means - b.means, families)
    assert error is not None
    assert found.total == pytest.approx(12 * error**2)
    assert found.n_units == len(np.unique(families))


def test_both_parts_are_unbiased_with_uneven_trials() -> None:
    """Over many pilots of pass/fail trials the estimates average to the truth (within four standard errors)."""
    rng = np.random.default_rng(5)
    counts = np.tile([1, 2, 3, 8], 10)
    tasks = np.repeat(np.arange(40), counts)
    between, within = [], []
    for _ in range(2_000):
        p = rng.choice([0.1, 0.9], size=40)
        found = variance_components(cell_moments(rng.random(len(tasks)) < p[tasks], tasks, 40))
        assert not found.truncated
        assert found.between is not None
        assert found.within is not None
        between.append(found.between)
        within.append(found.within)
    for estimates, truth in ((between, 0.16), (within, 0.09)):
        error = statistics.stdev(estimates) / math.sqrt(len(estimates))
        assert abs(statistics.fmean(estimates) - truth) < 4 * error


def test_variance_falls_to_that_between_tasks() -> None:
    """More trials take away the noise and nothing else."""
    found = variance_components(cells([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]))
    assert found.between is not None
    assert found.within is not None
    assert found.variance(1) == pytest.approx(found.between + found.within)
    assert found.variance(math.inf) == found.between
    with pytest.raises(UsageError):
        found.variance(0)


def test_noise_larger_than_the_spread_is_flagged() -> None:
    """Where the trials of a task differ more than the tasks do, the part of the tasks is 0, and says so."""
    found = variance_components(cells([[1.0, 0.0]] * 6))
    assert (found.between, found.within, found.truncated) == (0.0, 0.5, True)


def test_one_trial_of_each_task_gives_only_the_sum() -> None:
    """Without repeated trials the parts are unknown, not 0, and the reason says what is needed."""
    found = variance_components(cells([[1.0], [0.0], [1.0]]), cells([[0.0, 1.0], [0.0], [1.0, 1.0]]))
    assert (found.between, found.within, found.within_each) == (None, None, (None, None))
    assert found.total is not None
    assert found.variance(3) is None
    assert (
        found.reason
        == "needs at least 2 trials of a task, on 2 tasks or more by each agent; 0 tasks have them"
    )


@pytest.mark.parametrize(
    ("trials", "reason"),
    [
        ([], "there are no tasks"),
        ([[]], "there are no tasks"),
        ([[1.0, 0.0]], "needs at least 2 tasks; there is 1"),
    ],
)
def test_too_little_data_gives_a_reason(trials: Trials, reason: str) -> None:
    """No task or one task: nothing is known, and no number says otherwise."""
    found = variance_components(cells(trials))
    assert (found.between, found.total, found.reason) == (None, None, reason)


def test_only_tasks_of_both_count() -> None:
    """A task that one agent never attempted is in no sum."""
    a, b = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [1.0, 0.0], [], [1.0, 1.0]]
    found = variance_components(cells(a), cells(b))
    short = variance_components(cells([a[0], a[1], a[3]]), cells([b[0], b[1], b[3]]))
    assert found == short
    assert variance_components(cells([[1.0], []]), cells([[], [1.0]])).reason == (
        "the two agents have no task in common"
    )


def test_one_family_tells_nothing_of_others() -> None:
    """All tasks in one family: there is a mean and no variance."""
    found = variance_components(cells([[1.0, 0.0], [0.0, 0.0]]), families=[1, 1])
    assert (found.mean, found.total) == (0.25, None)
    assert found.reason == "needs at least 2 families of tasks; there is 1"


def test_resampled_variances_spread_around_the_estimate() -> None:
    """Resamples of a large pilot lie around its estimate; NaN asks for the pilot's own trials, infinity for the tasks."""
    rng = np.random.default_rng(3)
    a = cells([list((rng.random(4) < p).astype(float)) for p in rng.random(200)])
    found = variance_components(a)
    drawn = resampled_variances(a, trials=[1, math.inf, math.nan], resamples=500, rng=1)
    assert drawn.shape == (500, 3)
    expected = [found.variance(1), found.between, found.total]
    assert drawn.mean(axis=0) == pytest.approx(expected, rel=0.03)
    assert (drawn[:, 0] >= drawn[:, 1]).all()


def test_resampled_variances_are_seeded() -> None:
    """One seed gives one answer, a generator goes on."""
    a = cells([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    one, same, other = (resampled_variances(a, trials=[2], resamples=50, rng=seed) for seed in (1, 1, 2))
    assert np.array_equal(one, same, equal_nan=True)
    assert not np.array_equal(one, other, equal_nan=True)
    assert np.isnan(resampled_variances(cells([[1.0, 0.0]]), trials=[2], resamples=5, rng=1)).all()


def test_resampling_one_estimates_it_again() -> None:
    """A resample that holds every task once has the variance of the pilot."""
    a, b = cells([[1.0, 0.0], [0.0, 0.0]]), cells([[0.0, 0.0], [0.0, 1.0]])
    found = variance_components(a, b)
    drawn = resampled_variances(a, b, trials=[1, 4], resamples=400, rng=1)
    expected = [found.variance(1), found.variance(4)]
    assert any(row == pytest.approx(expected) for row in drawn)


@pytest.mark.parametrize(
    ("values", "tasks", "n"),
    [([1.0], [0, 1], 2), ([1.0], [2], 2), ([1.0], [-1], 2), ([1.0], [0.5], 2), ([[1.0]], [[0]], 1)],
)
def test_cells_refuse_tasks_that_do_not_fit(values: Any, tasks: Any, n: int) -> None:
    with pytest.raises(UsageError):
        cell_moments(values, tasks, n)


def test_cells_refuse_what_is_not_finite() -> None:
    with pytest.raises(InputError, match="trial 1"):
        cell_moments([1.0, math.nan], [0, 0], 1)


def test_wrong_arguments_are_refused() -> None:
    """Agents on different tasks, families that do not fit, no resamples."""
    a, b = cells([[1.0, 0.0], [1.0, 1.0]]), cells([[1.0, 0.0]])
    with pytest.raises(UsageError):
        variance_components(a, b)
    with pytest.raises(UsageError):
        variance_components(a, families=[1])
    with pytest.raises(UsageError):
        resampled_variances(a, trials=[1], resamples=0, rng=1)


def test_components_are_a_plain_record() -> None:
    """The result can be compared and shown."""
    found = variance_components(cells([[1.0, 0.0], [0.0, 1.0]]))
    assert isinstance(found, VarianceComponents)
    assert found.method == "unweighted analysis of variance"
    assert (found.n, found.n_units, found.replicated) == (2, 2, 2)
