"""Sliding windows: each is judged as if it stood alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from measurand.errors import UsageError
from measurand.infer.headroom.resolution import HeadTest, resolution
from measurand.infer.headroom.windows import sliding_windows

TERMS = HeadTest(resamples=400, most=400)


def test_each_window_is_what_its_columns_give_alone() -> None:
    """Windows share nothing: the same columns tested on their own give the same answer."""
    rng = np.random.default_rng(2)
    table = rng.random((40, 9)) + np.linspace(0, 0.6, 9)
    table[3, 4] = np.nan
    found = sliding_windows(table, width=4, test=TERMS, rng=3)
    assert [(window.start, window.stop) for window in found] == [(i, i + 4) for i in range(6)]
    for window in found:
        alone = resolution(
            table[:, window.start : window.stop],
            test=HeadTest(top=None, resamples=400, most=400),
            rng=3,
        )
        assert window.resolution.tier == alone.tier
        assert window.resolution.saturation == alone.saturation
        assert window.head == tuple(window.start + column for column in alone.head)


def test_all_agents_of_a_window_are_tested() -> None:
    """The size of a board's head does not cut a window."""
    found = sliding_windows(
        np.random.default_rng(1).random((30, 6)), width=5, test=HeadTest(top=2, resamples=200), rng=1
    )
    assert {window.resolution.n_pairs for window in found} == {10}


def test_resamples_stay_as_many_as_asked_for() -> None:
    """Many windows are many tests: none of them raises its resamples by itself."""
    found = sliding_windows(
        np.random.default_rng(1).random((30, 5)), width=3, test=HeadTest(resamples=200), rng=1
    )
    assert {window.resolution.resamples for window in found} == {200}


@pytest.mark.parametrize(("agents", "windows"), [(0, 0), (3, 0), (4, 1), (6, 3)])
def test_fewer_agents_than_a_window_holds_give_none(agents: int, windows: int) -> None:
    """There are m - w + 1 windows, and none of a smaller size."""
    assert len(sliding_windows(np.ones((8, agents)), width=4, test=TERMS, rng=1)) == windows


def test_too_few_tasks_give_windows_with_a_reason() -> None:
    """A window that can conclude nothing says so."""
    (window,) = sliding_windows(np.eye(4, 2), width=2, test=TERMS, rng=1)
    assert window.resolution.n_tiers is None
    assert window.resolution.reason


@settings(max_examples=25, deadline=None)
@given(table=arrays(np.float64, (8, 5), elements=st.integers(0, 2).map(float)))
def test_turning_time_around_turns_the_windows(table: Any) -> None:
    """Windows over the columns in reverse are the same windows from the last to the first."""
    one = sliding_windows(table, width=3, test=TERMS, rng=1)
    two = sliding_windows(table[:, ::-1], width=3, test=TERMS, rng=1)
    for forward, back in zip(one, reversed(two), strict=True):
        assert forward.resolution.n_significant == back.resolution.n_significant
        assert forward.resolution.zero_share == back.resolution.zero_share


def test_a_window_of_one_is_refused() -> None:
    """One agent has nobody to be compared with."""
    with pytest.raises(UsageError, match="width of a window is 1"):
        sliding_windows(np.ones((8, 4)), width=1, rng=1)
