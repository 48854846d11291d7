"""Performance profile, interquartile mean and probability of improvement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from measurand.errors import InputError, UsageError
from measurand.infer.means.profiles import interquartile_mean, performance_profile, probability_of_improvement


def _cube(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 6, size=shape) / 5


def test_the_profile_is_the_share_of_trials_in_a_task_and_then_the_mean_over_tasks() -> None:
    """A task with one trial weighs as much as a task with four."""
    cube = np.full((2, 4), np.nan)
    cube[0] = [0.0, 0.5, 1.0, 1.0]
    cube[1, 0] = 0.5
    found = performance_profile(cube, [0.0, 0.5, 0.75, 1.0], resamples=50, rng=1)
    assert found.estimate.tolist() == [1.0, (0.75 + 1) / 2, 0.25, 0.25]


@given(st.integers(0, 10_000))
def test_the_profile_never_rises(seed: int) -> None:
    """A higher bar is never reached more often."""
    shares = performance_profile(_cube(seed, (7, 3)), np.linspace(-0.1, 1.1, 13), resamples=20, rng=1)
    assert (np.diff(shares.estimate) <= 1e-12).all()
    assert shares.estimate[0] == 1.0
    assert shares.estimate[-1] == 0.0


def test_profile_and_mean_agree() -> None:
    """The area under the profile from 0 is the mean."""
    cube = _cube(3, (40, 4))
    bars = (np.arange(1000) + 0.5) / 1000
    shares = performance_profile(cube, bars, resamples=20, rng=1).estimate
    assert shares.mean() == pytest.approx(cube.mean(), abs=1e-9)


def test_interquartile_mean_is_the_trimmed_mean_of_scipy() -> None:
    """For numbers of tasks that four does not divide, too."""
    rng = np.random.default_rng(5)
    for n in (1, 3, 4, 5, 22, 154):
        table = rng.standard_normal((n, 3))
        found = interquartile_mean(table, resamples=20, rng=1)
        assert found.estimate == pytest.approx(stats.trim_mean(table, 0.25, axis=0), abs=1e-12)


def test_interquartile_mean_leaves_out_missing_cells_column_by_column() -> None:
    """A missing cell of one agent changes nothing for the other."""
    table = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0], [10.0, 9.0]])
    found = interquartile_mean(table, resamples=20, rng=1)
    assert found.estimate.tolist() == [2.5, 7.0]


def test_resampled_interquartile_mean_is_that_of_the_resampled_column() -> None:
    """The interval is the quantiles of what a plain loop over resamples gives."""
    rng = np.random.default_rng(11)
    column = rng.standard_normal(30)
    found = interquartile_mean(column[:, None], resamples=4_000, rng=2)
    again = np.array([stats.trim_mean(rng.choice(column, 30), 0.25) for _ in range(4_000)])
    assert (found.low[0], found.high[0]) == pytest.approx(np.quantile(again, [0.025, 0.975]), abs=0.04)


def test_families_are_drawn_whole() -> None:
    """With one family for all tasks nothing varies, and the interval is undefined with its reason."""
    table = np.arange(8.0)[:, None]
    found = interquartile_mean(table, families=[0] * 8, resamples=30, rng=1)
    assert not found.defined[0]
    assert "no width" in (found.reasons[0] or "")
    assert found.n_units == 1


def test_a_column_without_cells_has_no_mean() -> None:
    found = interquartile_mean(np.full((3, 1), np.nan), resamples=20, rng=1)
    assert found.interval(0).estimate is None
    assert "no cells" in (found.reasons[0] or "")


def test_probability_of_improvement_is_mann_whitney_on_each_task() -> None:
    """The task's part is U over the number of pairs of trials."""
    cube = np.stack([_cube(1, (9, 4)), _cube(2, (9, 4))], axis=1)
    found = probability_of_improvement(cube, [[0, 1]], resamples=20, rng=1)
    parts = [stats.mannwhitneyu(task[0], task[1]).statistic / 16 for task in cube]
    assert found.estimate[0] == pytest.approx(np.mean(parts), abs=1e-12)


@given(st.integers(0, 10_000))
def test_the_two_directions_add_up_to_one(seed: int) -> None:
    """Ties count half for either side, whatever the numbers of trials."""
    cube = _cube(seed, (5, 2, 3))
    cube[np.random.default_rng(seed).random(cube.shape) < 0.2] = np.nan
    found = probability_of_improvement(cube, [[0, 1], [1, 0]], resamples=20, rng=1)
    if not np.isnan(found.estimate).any():
        assert found.estimate.sum() == pytest.approx(1.0, abs=1e-12)


def test_rliable_agrees() -> None:
    """Interquartile mean (one trial a task) and probability of improvement, on shared inputs."""
    metrics = pytest.importorskip("rliable.metrics", reason="rliable is not installed")
    rng = np.random.default_rng(8)
    x, y = rng.integers(0, 9, (2, 5, 24)) / 8
    ours = interquartile_mean(x[0][:, None], resamples=20, rng=1).estimate[0]
    assert ours == pytest.approx(metrics.aggregate_iqm(x[:1]), abs=1e-12)
    cube = np.stack([x.T, y.T], axis=1)
    found = probability_of_improvement(cube, [[0, 1]], resamples=20, rng=1).estimate[0]
    assert found == pytest.approx(metrics.probability_of_improvement(x, y), abs=1e-12)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="dimensions"):
        probability_of_improvement(np.zeros((2, 2)), [[0, 1]], rng=1)
    with pytest.raises(UsageError, match="not there"):
        probability_of_improvement(np.zeros((2, 2, 1)), [[0, 2]], rng=1)
    with pytest.raises(InputError, match="infinite"):
        probability_of_improvement(np.full((2, 2, 1), np.inf), [[0, 1]], rng=1)
    with pytest.raises(UsageError, match="thresholds"):
        performance_profile(np.zeros((2, 1)), [[0.0]], rng=1)
