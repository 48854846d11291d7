"""Percentiles in a frozen field, against counting by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.headroom.percentiles import FORMS, percentile

values = st.integers(-5, 5).map(float)
fields = st.lists(values | st.just(math.nan), min_size=1, max_size=12)


def counted(quantity: float, field: list[float], *, lower: bool) -> tuple[int, int, int]:
    """Members that are better, equal and worse; one without a valid result is worse."""
    better = sum(member < quantity if lower else member > quantity for member in field)
    equal = sum(member == quantity for member in field)
    return better, equal, len(field) - better - equal


@settings(max_examples=200, deadline=None)
@given(quantity=values, field=fields, lower=st.booleans())
def test_forms_are_as_defined(quantity: float, field: list[float], *, lower: bool) -> None:
    """Plain and Hazen from the counts; ALE-Bench's three from the mid-rank, taken from 1."""
    better, equal, worse = counted(quantity, field, lower=lower)
    n, rank = len(field), 1 + better + equal / 2
    expected = {
        "plain": (worse + equal / 2) / n,
        "hazen": (worse + equal / 2 + 0.5) / (n + 1),
        "ale-weibull": 1 - rank / (n + 2),
        "ale-hazen": 1 - (rank - 0.5) / (n + 1),
        "ale-original": max(1 - rank / n, 0.0),
    }
    assert set(expected) == set(FORMS)
    for form, share in expected.items():
        found = percentile(quantity, field, lower_is_better=lower, form=form).item()
        assert found == pytest.approx(share, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(quantity=values, field=fields, form=st.sampled_from(sorted(FORMS)))
def test_shares_stay_in_range_and_turn_with_the_direction(
    quantity: float, field: list[float], form: str
) -> None:
    """From 0 to 1 in every form; mirrored quantities with the other direction give the same share."""
    found = percentile(quantity, field, form=form).item()
    assert 0 <= found <= 1
    mirrored = percentile(-quantity, [-member for member in field], lower_is_better=True, form=form).item()
    assert found == mirrored


@pytest.mark.parametrize("form", FORMS)
def test_there_is_no_room_above_the_best_of_the_field(form: str) -> None:
    """Twice as good as the best is worth no more than a little better."""
    a, b = percentile([11.0, 20.0], [1.0, 5.0, 10.0], form=form).tolist()
    assert a == b


def test_hazen_is_never_0_or_1() -> None:
    """The form that leaves room at both ends."""
    low, high = percentile([-9.0, 99.0], [1.0, 2.0, 3.0]).tolist()
    assert (low, high) == (0.125, 0.875)


def test_unknown_stays_unknown_and_an_empty_field_says_nothing() -> None:
    """No percentile is made up."""
    assert np.isnan(percentile([1.0, np.nan], [])).all()
    assert np.isnan(percentile(np.nan, [1.0])).all()
    assert percentile(np.zeros((2, 0)), [1.0]).shape == (2, 0)


def test_wrong_arguments_are_refused() -> None:
    """A form that is none, a field of two tasks, an infinite member."""
    with pytest.raises(UsageError, match="no form 'best'"):
        percentile(1.0, [1.0], form="best")
    with pytest.raises(UsageError, match="dimensions"):
        percentile(1.0, [[1.0]])
    with pytest.raises(InputError, match="infinite"):
        percentile(1.0, [1.0, np.inf])
