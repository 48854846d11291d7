"""Where an interval claims its level, and where it says that it does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.infer.means.coverage import CLAIMED_FROM, LEAST_DIFFERENT, caution, effective_units


@pytest.mark.parametrize("method", CLAIMED_FROM)
def test_enough_units_that_differ_are_no_cause_for_caution(method: str) -> None:
    """At the number claimed there is no caution; one unit less, or one less that differs, is one."""
    units, different = CLAIMED_FROM[method], LEAST_DIFFERENT[method]
    values = np.r_[np.ones(different), np.zeros(units - different)]
    assert caution(method, values, np.ones(units)) is None
    fewer = caution(method, values[:-1], np.ones(units - 1))
    assert fewer is not None
    assert f"from {units} tasks on; there are {units - 1}" in fewer
    alike = caution(method, np.r_[0.0, values[1:]], np.ones(units), unit="families")
    assert alike is not None
    assert f"at least {different} families differ from the commonest value; here {different - 1} do" in alike


def test_one_unit_that_differs_is_one() -> None:
    """The words agree with the number."""
    text = caution("t", np.r_[1.0, np.zeros(99)], np.ones(100))
    assert text is not None
    assert text.endswith("here 1 does")


def test_values_apart_by_rounding_are_one_value() -> None:
    """A third taken three ways is not three values."""
    values = np.array([1 / 3, 0.1 / 0.3, 1 - 2 / 3] * 20)
    text = caution("percentile", values, np.ones(60))
    assert text is not None
    assert text.endswith("here 0 do")


def test_all_zeros_differ_nowhere() -> None:
    """No unit differs from the commonest value when all are 0."""
    text = caution("bca", np.zeros(60), np.ones(60))
    assert text is not None
    assert "here 0 do" in text


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 5))
def test_effective_units(counts: list[int], factor: int) -> None:
    """They are no more than the units, all of them when sizes are equal, and do not depend on the scale of the sizes."""
    sizes = np.array(counts, dtype=np.float64)
    found = effective_units(sizes)
    assert 0 <= found <= np.count_nonzero(sizes) + 1e-9
    assert effective_units(sizes * factor) == pytest.approx(found)
    if len(set(counts) - {0}) == 1:
        assert found == pytest.approx(np.count_nonzero(sizes))


def test_units_of_unequal_size_count_as_fewer() -> None:
    """One family of half the tasks makes fifty families count as four."""
    sizes = np.r_[50.0, np.ones(50)]
    text = caution("bca", np.arange(51.0) * sizes, sizes, unit="families")
    assert text is not None
    assert "the 51 of unequal size count as 3.9" in text
