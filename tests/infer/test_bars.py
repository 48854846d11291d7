"""Bars at other heights: where they lie, who reaches them, and which is chosen."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.headroom.bars import MULTIPLIERS, Candidate, choose_bar, multiplicative_bar, reaches
from measurand.score.objective import interval_score, log_ratio_score, reference_only_score

positive = st.floats(1e-6, 1e6)
multipliers = st.sampled_from(MULTIPLIERS)


def apart(one: float, other: float) -> bool:
    """Far enough from each other that rounding decides nothing."""
    return abs(math.log(one / other)) > 1e-6


@settings(max_examples=200, deadline=None)
@given(quantity=positive, baseline=positive, reference=positive, multiplier=multipliers)
def test_a_bar_is_reached_where_the_objective_is_at_least_lambda(
    quantity: float, baseline: float, reference: float, multiplier: float
) -> None:
    """In either direction: the bar in the task's unit says what the unclipped score says."""
    if not apart(baseline, reference):
        return
    lower = reference < baseline
    bar = multiplicative_bar(baseline, reference, multiplier).item()
    score = log_ratio_score(quantity, baseline, reference).item()
    if apart(quantity, bar):
        assert reaches(quantity, bar, lower_is_better=lower).item() == float(score >= multiplier)


@settings(max_examples=100, deadline=None)
@given(quantity=positive, reference=positive, multiplier=multipliers, lower=st.booleans())
def test_without_a_baseline_the_bar_is_an_e_fold_apart(
    quantity: float, reference: float, multiplier: float, *, lower: bool
) -> None:
    """The bar of the reference-only form: s = 1 + ln x is at least λ."""
    for baseline in (math.nan, reference):
        bar = multiplicative_bar(baseline, reference, multiplier, lower_is_better=lower).item()
        score = reference_only_score(quantity, reference, lower_is_better=lower).item()
        if apart(quantity, bar):
            assert reaches(quantity, bar, lower_is_better=lower).item() == float(score >= multiplier)


@settings(max_examples=100, deadline=None)
@given(
    quantity=st.integers(-50, 50),
    baseline=st.integers(-20, 20),
    gain=st.integers(1, 9),
    multiplier=multipliers,
    lower=st.booleans(),
)
def test_interval_quantities_have_a_straight_scale(
    quantity: int, baseline: int, gain: int, multiplier: float, *, lower: bool
) -> None:
    """The bar is b + λ(ρ - b), negative values and zero included."""
    reference = baseline - gain if lower else baseline + gain
    bar = multiplicative_bar(baseline, reference, multiplier, lower_is_better=lower, interval=True)
    score = interval_score(quantity, baseline, reference).item()
    assert reaches(quantity, bar, lower_is_better=lower).item() == float(score >= multiplier - 1e-12)


@settings(max_examples=60, deadline=None)
@given(
    baseline=positive, reference=positive, multiplier=multipliers, factor=st.sampled_from([0.001, 60.0, 1e4])
)
def test_a_change_of_unit_moves_the_bar_along(
    baseline: float, reference: float, multiplier: float, factor: float
) -> None:
    """Seconds or minutes: the same trials reach the bar."""
    bar = multiplicative_bar(baseline, reference, multiplier)
    other = multiplicative_bar(baseline * factor, reference * factor, multiplier)
    assert other.item() == pytest.approx(bar.item() * factor, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(positive, min_size=1, max_size=20), positive, positive)
def test_a_higher_bar_is_reached_by_no_more(
    quantities: list[float], baseline: float, reference: float
) -> None:
    """Raising λ never lets anybody in."""
    lower = reference < baseline
    reached = [
        reaches(quantities, multiplicative_bar(baseline, reference, m), lower_is_better=lower, computed=True)
        for m in MULTIPLIERS
    ]
    if apart(baseline, reference):
        assert all((one >= other).all() for one, other in pairwise(reached))


@pytest.mark.parametrize(
    ("baseline", "reference", "interval"),
    [(-1.0, 2.0, False), (1.0, 0.0, False), (0.0, 2.0, False), (1.0, math.nan, False), (math.nan, 2.0, True)],
)
def test_no_bar_without_usable_anchors(baseline: float, reference: float, interval: bool) -> None:  # noqa: FBT001 - a case
    """What gives no objective gives no bar either, at the reference least of all."""
    for multiplier in MULTIPLIERS:
        assert np.isnan(multiplicative_bar(baseline, reference, multiplier, interval=interval)).all()


def test_the_reference_is_its_own_bar_to_the_last_digit() -> None:
    """λ = 1 computes nothing, so that the answer key is met exactly."""
    reference = np.array([0.1, 0.3, 1 / 3, 1e-300])
    assert (multiplicative_bar(0.7, reference, 1.0, lower_is_better=True) == reference).all()


def test_rounding_does_not_keep_a_quantity_from_a_computed_bar() -> None:
    """10 × 0.7² = 4.9 is reached by 4.9; a bar that was given is taken at its word."""
    bar = multiplicative_bar(10.0, 7.0, 2.0).item()
    below, above = (np.nextafter(4.9, toward) for toward in (0, 10))
    for quantity in (below, 4.9, above):
        assert reaches(quantity, bar, lower_is_better=True, computed=True).item() == 1.0
    assert reaches(above, 4.9, lower_is_better=True).item() == 0.0
    assert reaches(below, 4.9).item() == 0.0


def test_what_is_unknown_reaches_nothing_known() -> None:
    """Neither a quantity nor a bar is made up."""
    assert np.isnan(reaches([np.nan, 1.0], [1.0, np.nan])).all()


@pytest.mark.parametrize("multiplier", [0.0, -1.0, math.inf, math.nan])
def test_a_multiplier_is_a_positive_number(multiplier: float) -> None:
    """Below zero lies what the baseline already reaches."""
    with pytest.raises(UsageError, match="multiplier"):
        multiplicative_bar(1.0, 2.0, multiplier)


@pytest.mark.parametrize(
    ("candidates", "chosen"),
    [
        ([(1.0, 2, 0.5), (2.0, 3, 0.9)], 1),
        ([(1.0, 3, 0.5), (2.0, 3, 0.4)], 1),
        ([(2.0, 3, 0.4), (1.0, 3, 0.4)], 1),
        ([(1.0, 3, None), (2.0, 3, 0.99)], 1),
        ([(1.0, None, 0.0), (2.0, 1, 1.0)], 1),
        ([(1.0, None, 0.1)], None),
        ([], None),
    ],
)
def test_the_choice_takes_tiers_then_saturation_then_the_lower_bar(
    candidates: list[tuple[float, int | None, float | None]], chosen: int | None
) -> None:
    """What cannot be told counts as the worst; where nothing can be told nothing is chosen."""
    assert choose_bar([Candidate(*candidate) for candidate in candidates]) == chosen
