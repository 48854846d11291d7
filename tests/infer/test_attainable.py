"""The least p that a pair can reach."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.differences.attainable import attainable
from measurand.infer.differences.permutation import max_t


@pytest.mark.parametrize(("level", "needed"), [(0.05, 6), (0.01, 8), (0.0625, 5), (0.5, 2), (1e-6, 21)])
def test_needed_is_the_first_number_that_reaches_the_level(level: float, needed: int) -> None:
    """Six differing tasks at 5 %, eight at 1 %; a p equal to the level is enough."""
    assert attainable(0, level=level).needed == needed
    assert attainable(needed, level=level).p <= level < attainable(needed - 1, level=level).p


@given(st.integers(0, 40))
def test_missing_and_needed_agree(units: int) -> None:
    """What is missing is what is needed less what there is, and nothing is missing exactly where a finding is possible."""
    found = attainable(units)
    assert found.missing == max(0, 6 - units)
    assert (found.missing == 0) == (found.p <= 0.05)


@pytest.mark.parametrize("units", [0, 1, 5, 6, 10])
def test_the_test_itself_reaches_it(units: int) -> None:
    """All differing tasks won: the sign-flip test gives just this p."""
    table = np.zeros((14, 2))
    table[:units, 0] = 1
    assert max_t(table, resamples=20_000, rng=1).p_adjusted[0] == attainable(units).p


def test_wrong_arguments_are_refused() -> None:
    """A negative number, or a level that is none."""
    with pytest.raises(UsageError, match="discordant"):
        attainable(-1)
    with pytest.raises(UsageError, match="level"):
        attainable(3, level=1.0)
