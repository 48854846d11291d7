"""The objective: 0 at the baseline, 1 at the reference, blind to units and directions."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.score.objective import (
    clipped,
    improvement,
    interval_score,
    linear_score,
    log_ratio_score,
    reference_only_score,
)

if TYPE_CHECKING:
    from pathlib import Path

positive = st.floats(1e-6, 1e6)
ratios = st.floats(1.01, 1e3)


def naive(quantity: float, baseline: float, reference: float) -> float:
    """The formula of the definition, for one trial."""
    return math.log(quantity / baseline) / math.log(reference / baseline)


def test_published_values(shared: Path) -> None:
    """The score is that of values computed outside this project."""
    rows = json.loads((shared / "oracles" / "log_ratio.json").read_text(encoding="utf-8"))["rows"]
    x, b, r = (np.array([row[name] for row in rows]) for name in ("x", "baseline", "reference"))
    raw = log_ratio_score(x, b, r)
    assert raw == pytest.approx([row["raw"] for row in rows], abs=1e-12)
    assert clipped(raw) == pytest.approx([row["clip_0_3"] for row in rows], abs=1e-12)
    assert clipped(raw, 1.0) == pytest.approx([row["capped1"] for row in rows], abs=1e-12)


@settings(deadline=None)
@given(positive, positive, ratios, st.booleans())
def test_equals_its_naive_twin(quantity: float, baseline: float, ratio: float, lower: bool) -> None:  # noqa: FBT001
    """On arrays the score is that of the formula, trial by trial."""
    reference = baseline / ratio if lower else baseline * ratio
    found = float(log_ratio_score(quantity, baseline, reference))
    assert found == pytest.approx(naive(quantity, baseline, reference), rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(positive, ratios)
def test_fixed_points(baseline: float, ratio: float) -> None:
    """0 at the baseline, 1 at the reference, 2 when its improvement is repeated, -1 the other way."""
    points = baseline * np.array([1.0, ratio, ratio**2, 1 / ratio])
    assert log_ratio_score(points, baseline, baseline * ratio) == pytest.approx([0, 1, 2, -1], abs=1e-9)


@settings(deadline=None)
@given(positive, positive, ratios, st.floats(1e-3, 1e3))
def test_unit_does_not_matter(quantity: float, baseline: float, ratio: float, factor: float) -> None:
    """Milliseconds and hours give one score, under both forms."""
    reference = baseline * ratio
    own = log_ratio_score(quantity, baseline, reference)
    assert log_ratio_score(quantity * factor, baseline * factor, reference * factor) == pytest.approx(
        own, abs=1e-8
    )
    own = reference_only_score(quantity, reference, lower_is_better=False)
    scaled = reference_only_score(quantity * factor, reference * factor, lower_is_better=False)
    assert scaled == pytest.approx(own, abs=1e-8)


@settings(deadline=None)
@given(positive, positive, ratios)
def test_runtime_and_speed_give_one_score(quantity: float, baseline: float, ratio: float) -> None:
    """Turning q into 1/q, with its anchors and its direction, changes nothing."""
    reference = baseline * ratio
    own = log_ratio_score(quantity, baseline, reference)
    assert log_ratio_score(1 / quantity, 1 / baseline, 1 / reference) == pytest.approx(own, abs=1e-8)
    higher = reference_only_score(quantity, reference, lower_is_better=False)
    lower = reference_only_score(1 / quantity, 1 / reference, lower_is_better=True)
    assert lower == pytest.approx(higher, abs=1e-8)


@settings(deadline=None)
@given(positive, ratios, ratios)
def test_improvements_add_up(baseline: float, ratio: float, other: float) -> None:
    """Two improvements one after the other score the sum of both."""
    reference = baseline * 2
    both = log_ratio_score(baseline * ratio * other, baseline, reference)
    one, two = (log_ratio_score(baseline * factor, baseline, reference) for factor in (ratio, other))
    assert both == pytest.approx(one + two, abs=1e-8)


@settings(deadline=None)
@given(positive, ratios)
def test_reference_only_is_a_baseline_one_e_fold_below(reference: float, ratio: float) -> None:
    """Without a baseline the score is that against a virtual one, one e-fold worse than the reference."""
    quantity = reference * ratio
    virtual = log_ratio_score(quantity, reference / math.e, reference)
    assert reference_only_score(quantity, reference, lower_is_better=False) == pytest.approx(
        virtual, abs=1e-9
    )


@pytest.mark.parametrize("broken", [0.0, -1.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_unusable_values_have_no_score(broken: float, place: int) -> None:
    """A zero, negative or non-finite quantity or anchor of ratio kind gives no score, and no warning."""
    values = [2.0, 1.0, 4.0]
    values[place] = broken
    assert math.isnan(log_ratio_score(*values))
    if place != 1:
        assert math.isnan(reference_only_score(values[0], values[2], lower_is_better=True))


def test_equal_anchors_have_no_ratio() -> None:
    """Where the reference is the baseline, neither form of ratio is defined."""
    assert math.isnan(log_ratio_score(2.0, 3.0, 3.0))
    assert math.isnan(interval_score(2.0, 3.0, 3.0))


def test_far_apart_values_stay_finite() -> None:
    """Values at the ends of the floating range have the score of their logarithms."""
    assert log_ratio_score(1e-300, 1e300, 1e-300) == pytest.approx(1.0)
    assert log_ratio_score(1e300, 1e-300, 1e0) == pytest.approx(2.0)


@settings(deadline=None)
@given(
    st.floats(-1e3, 1e3),
    st.floats(-1e3, 1e3),
    st.floats(0.1, 1e3),
    st.floats(-1e3, 1e3),
    st.floats(0.01, 100),
)
def test_interval_score_is_affine(
    quantity: float, baseline: float, step: float, shift: float, factor: float
) -> None:
    """An interval quantity may be shifted and scaled, and may be negative."""
    own = float(interval_score(quantity, baseline, baseline + step))
    moved = [factor * value + shift for value in (quantity, baseline, baseline + step)]
    assert float(interval_score(*moved)) == pytest.approx(own, rel=1e-6, abs=1e-6)


def test_interval_score_has_the_same_fixed_points() -> None:
    """For an interval quantity too: 0 at the baseline, 1 at the reference; lower may be better."""
    assert interval_score([-0.5, 0.5, 1.5], -0.5, 0.5).tolist() == [0, 1, 2]
    assert interval_score([3.0, 1.0, -1.0], 3.0, 1.0).tolist() == [0, 1, 2]


def test_linear_score_is_a_share_or_a_ratio() -> None:
    """The linear form is the share of the reference's improvement; without a baseline the ratio to the reference."""
    assert linear_score([1.0, 2.0, 3.0], 1.0, 3.0, lower_is_better=False).tolist() == [0, 0.5, 1]
    assert linear_score([5.0, 20.0], math.nan, 10.0, lower_is_better=True).tolist() == [2, 0.5]


@settings(deadline=None)
@given(positive, positive)
def test_improvement_turns_with_the_direction(quantity: float, reference: float) -> None:
    """What is an improvement when higher is better is its inverse when lower is better."""
    up, down = (float(improvement(quantity, reference, lower_is_better=lower)) for lower in (False, True))
    assert up * down == pytest.approx(1.0)


def test_clip_keeps_unknown_unknown() -> None:
    """The clip moves scores to its ends and leaves the unknown."""
    assert clipped([-1.0, 0.5, 7.0]).tolist() == [0, 0.5, 3]
    assert math.isnan(clipped(math.nan))
