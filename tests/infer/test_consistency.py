"""Coefficients of variation over the trials of a task, and what is made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.repeats.consistency import coefficients_of_variation, resource_consistency


def test_they_are_those_of_scipy_task_by_task() -> None:
    """Whatever the order of the trials."""
    from scipy.stats import variation

    rng = np.random.default_rng(1)
    tasks = rng.integers(0, 12, 90)
    values = rng.gamma(2, 3, 90)
    found = coefficients_of_variation(values, tasks, 13)
    for task in range(12):
        assert found[task] == pytest.approx(float(variation(values[tasks == task], ddof=1)))
    assert np.isnan(found[12])


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=8), st.floats(1e-6, 1e6))
def test_units_do_not_matter(values: list[float], factor: float) -> None:
    """Dollars or cents, the coefficient is the same."""
    tasks = [0] * len(values)
    one = coefficients_of_variation(values, tasks, 1)
    assert coefficients_of_variation(np.array(values) * factor, tasks, 1) == pytest.approx(one, abs=1e-9)


def test_unknown_stays_out() -> None:
    """It is neither 0 nor a reason to drop the task; with one known value left there is no coefficient."""
    nan = math.nan
    found = coefficients_of_variation([1, nan, 3, nan, 5, 2], [0, 0, 0, 1, 1, 1], 2)
    assert found == pytest.approx([math.sqrt(2) / 2, math.sqrt(4.5) / 3.5])
    assert np.isnan(coefficients_of_variation([1, nan], [0, 0], 1)).all()


def test_nothing_spent_has_no_coefficient() -> None:
    """A mean of 0 measures nothing; equal amounts have 0."""
    found = coefficients_of_variation([0, 0, 0.1, 0.1, 0.1], [0, 0, 1, 1, 1], 2)
    assert np.isnan(found[0])
    assert found[1] == 0


def test_consistency_is_the_mean_of_what_is_known() -> None:
    """exp(-mean) over the meters that have a coefficient; 1 where all trials spend alike."""
    nan = math.nan
    found = resource_consistency([[0.0, 0.0, 0.0], [0.2, nan, 0.4], [nan, nan, nan]])
    assert found[:2] == pytest.approx([1.0, math.exp(-0.3)])
    assert np.isnan(found[2])


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="one task a value"):
        coefficients_of_variation([1.0], [0, 1], 2)
    with pytest.raises(UsageError, match=r"outside 0\.\.1"):
        coefficients_of_variation([1.0], [2], 2)
    with pytest.raises(InputError):
        coefficients_of_variation([np.inf], [0], 1)
    with pytest.raises(UsageError):
        resource_consistency([0.1])


def test_nothing_gives_nothing() -> None:
    assert coefficients_of_variation([], [], 0).shape == (0,)
    assert resource_consistency(np.empty((0, 3))).shape == (0,)
