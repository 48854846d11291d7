"""What a number of trials can say."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.design.trial_counts import (
    best_of_bias,
    chance_of_unanimity,
    share_half_width,
    trials_for_share,
    trials_to_certify,
    wrong_order,
)
from measurand.infer.means.intervals import wilson

HALF_WIDTHS = (0.30, 0.25, 0.20, 0.15, 0.10, 0.05)


def test_published_trials_for_a_share() -> None:
    """The table of the protocol: trials for six half-widths, by Wilson and by Wald."""
    found = [trials_for_share(h) for h in HALF_WIDTHS]
    assert [row.wilson for row in found] == [7, 12, 21, 39, 93, 381]
    assert [row.wald for row in found] == [11, 16, 25, 43, 97, 385]


@given(st.floats(0.005, 0.45), st.floats(0.5, 0.999))
def test_trials_for_a_share_are_just_enough(half_width: float, level: float) -> None:
    """The worst Wilson interval of so many trials is no wider, that of one fewer is."""
    trials = trials_for_share(half_width, level=level).wilson
    assert share_half_width(trials, level=level) <= half_width * (1 + 1e-9)
    if trials > 1:
        assert share_half_width(trials - 1, level=level) > half_width * (1 - 1e-9)


@given(st.integers(1, 500))
def test_half_width_is_that_of_the_wilson_interval_at_one_half(trials: int) -> None:
    """The formula agrees with the interval itself."""
    found = wilson(trials / 2, trials)
    assert found.low is not None
    assert found.high is not None
    assert share_half_width(trials) == pytest.approx((found.high - found.low) / 2)


def test_published_half_width_of_ten_trials() -> None:
    """Ten trials know one task's rate to 0.26."""
    assert round(share_half_width(10), 2) == 0.26


@given(st.floats(0, 1), st.integers(1, 10))
def test_unanimity_counts_the_two_equal_outcomes(p: float, trials: int) -> None:
    """Summed over all outcomes of the trials by hand."""
    equal = sum(
        math.prod(p if passed else 1 - p for passed in outcome)
        for outcome in product((True, False), repeat=trials)
        if len(set(outcome)) == 1
    )
    assert chance_of_unanimity(p, trials) == pytest.approx(equal, abs=1e-12)


def test_published_chances_to_see_inconsistency() -> None:
    """At p = 0.9 ten trials see it with 65 %, 22 trials with 90 %; three trials look perfect with 73 %."""
    assert [round(1 - chance_of_unanimity(0.9, k), 2) for k in (10, 22)] == [0.65, 0.90]
    assert [round(chance_of_unanimity(0.9, k), 2) for k in (1, 3, 5, 10, 20)] == [1.0, 0.73, 0.59, 0.35, 0.12]


def test_published_trials_to_certify() -> None:
    """Consistency of .75, .90 and .95 takes 11, 29 and 59 equal trials."""
    assert [trials_to_certify(c) for c in (0.75, 0.90, 0.95)] == [11, 29, 59]


@given(st.floats(0.5, 0.999), st.floats(0.001, 0.5))
def test_trials_to_certify_are_just_enough(consistency: float, level: float) -> None:
    """The chance of equal trials is at most the level, and above it with one fewer."""
    trials = trials_to_certify(consistency, level=level)
    assert chance_of_unanimity(consistency, trials) <= level
    assert trials == 1 or chance_of_unanimity(consistency, trials - 1) > level * (1 - 1e-6)


def test_published_chances_of_the_wrong_order() -> None:
    """One point on 500 tasks: 31 % at one trial of each, 6 % at ten."""
    found = [wrong_order(0.01, 2 * 0.10 / (500 * k)) for k in (1, 10)]
    assert [round(p, 2) for p in found] == [0.31, 0.06]


def test_wrong_order_at_the_ends() -> None:
    """Equal agents are a toss; without noise a real difference is never turned."""
    assert (wrong_order(0.0, 1.0), wrong_order(0.0, 0.0), wrong_order(0.1, 0.0)) == (0.5, 0.5, 0.0)


def test_published_bias_of_the_best_of_several() -> None:
    """The best of 2, 3, 5 and 10 runs lies 0.56, 0.85, 1.16 and 1.54 standard deviations too high."""
    assert [round(best_of_bias(r), 2) for r in (2, 3, 5, 10)] == [0.56, 0.85, 1.16, 1.54]
    assert best_of_bias(1) == 0.0
    assert best_of_bias(2) == pytest.approx(1 / math.sqrt(math.pi), rel=1e-10)


def test_bias_of_the_best_is_that_of_drawn_maxima() -> None:
    """A simulation agrees within four standard errors."""
    drawn = np.random.default_rng(1).standard_normal((20_000, 7)).max(axis=1)
    assert abs(drawn.mean() - best_of_bias(7)) < 4 * drawn.std() / math.sqrt(len(drawn))


@pytest.mark.parametrize(
    "call",
    [
        lambda: trials_for_share(0.5),
        lambda: trials_for_share(0),
        lambda: trials_for_share(0.1, level=1),
        lambda: share_half_width(0),
        lambda: share_half_width(2, level=0),
        lambda: chance_of_unanimity(1.1, 3),
        lambda: chance_of_unanimity(0.5, 0),
        lambda: trials_to_certify(0.4),
        lambda: trials_to_certify(1.0),
        lambda: wrong_order(-0.1, 1),
        lambda: wrong_order(0.1, math.nan),
        lambda: best_of_bias(0),
        lambda: best_of_bias(1.5),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_are_refused(call: Any) -> None:
    with pytest.raises(UsageError):
        call()
