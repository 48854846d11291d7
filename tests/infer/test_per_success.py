"""Cost per success: a ratio of sums, with its bootstrap interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.cost.per_success import cost_per_success


def test_all_attempts_over_the_successes() -> None:
    """Failed attempts cost too, and tasks weigh by what they cost, not equally."""
    found = cost_per_success([[10.0, 1.0], [2.0, 1.0]], [[0, 1], [3, 1]], resamples=50, rng=0)
    assert found.estimate.tolist() == [4.0, 1.0]


def test_interval_is_that_of_a_plain_loop_over_resamples() -> None:
    rng = np.random.default_rng(2)
    cost, passed = rng.lognormal(0, 1, 60), rng.integers(0, 3, 60)
    found = cost_per_success(cost[:, None], passed[:, None], resamples=4_000, rng=1)
    drawn = rng.integers(0, 60, (4_000, 60))
    again = np.quantile(cost[drawn].sum(axis=1) / passed[drawn].sum(axis=1), [0.025, 0.975])
    assert [found.low[0], found.high[0]] == pytest.approx(again, rel=0.04)


@given(st.floats(0.01, 100))
def test_unit_of_cost(unit: float) -> None:
    cost, passed = np.arange(1.0, 9)[:, None], np.tile([0, 1], 4)[:, None]
    one = cost_per_success(cost, passed, resamples=100, rng=3)
    two = cost_per_success(cost * unit, passed, resamples=100, rng=3)
    for before, after in ((one.estimate, two.estimate), (one.low, two.low), (one.high, two.high)):
        assert after == pytest.approx(before * unit)


def test_families_are_drawn_whole() -> None:
    """Two families only: a resample holds one of them twice, or both."""
    found = cost_per_success(
        [[1.0], [1.0], [4.0], [4.0]], [[1], [1], [1], [1]], families=["a", "a", "b", "b"], rng=0
    )
    assert (found.low[0], found.high[0], found.n_units) == (1.0, 4.0, 2)


def test_few_successes_leave_the_upper_end_open() -> None:
    """One success in twelve tasks: more than a third of the resamples hold none."""
    passed = np.zeros((12, 1))
    passed[3] = 1
    found = cost_per_success(np.arange(1.0, 13)[:, None], passed, resamples=500, rng=0)
    assert found.estimate[0] == 78
    assert np.isinf(found.high[0])
    assert found.defined[0]
    assert "12" in (found.cautions[0] or "")


def test_what_is_undefined_says_why() -> None:
    cost = np.array([[1.0, np.nan, 2.0], [1.5, 1.0, 2.0], [4.0, 1.0, 2.0]])
    passed = np.array([[0, 1, 1], [0, 1, 1], [0, 1, 1]])
    found = cost_per_success(cost, passed, resamples=50, rng=0)
    assert found.reasons == (
        "there is no success",
        "the cost of some trials is unknown",
        "the ratio is the same in all units: a bootstrap interval has no width",
    )
    assert np.isnan(found.estimate[:2]).all()
    assert found.estimate[2] == 2.0
    assert np.isnan(found.low).all()
    alone = cost_per_success([[3.0]], [[1]], rng=0)
    assert alone.estimate[0] == 3.0
    assert "one unit" in (alone.reasons[0] or "")


def test_wrong_arguments() -> None:
    with pytest.raises(UsageError, match="cost has the shape"):
        cost_per_success([[1.0]], [[1, 1]], rng=0)
    with pytest.raises(UsageError, match="resamples is 0"):
        cost_per_success([[1.0]], [[1]], resamples=0, rng=0)
    with pytest.raises(InputError, match="negative"):
        cost_per_success([[1.0]], [[-1]], rng=0)
