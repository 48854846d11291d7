"""Rejection shares and reversals of neighbours."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.means.intervals import wilson
from measurand.infer.verifiers.verdicts import (
    _unequal,
    effective_passes,
    equal_shares,
    neighbour_reversals,
    rejection_share,
)

if TYPE_CHECKING:
    from collections.abc import Callable

boards = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6)


def test_oracle(oracle: Callable[[str], Any]) -> None:
    """Neighbours apart, reversed and tied are those counted elsewhere."""
    for row in oracle("kendall")["rows"]:
        found = neighbour_reversals(row["a"], row["b"])
        assert (found.neighbours, found.reversed, found.tied) == (
            row["adjacent_strict"],
            row["adjacent_reversed"],
            row["adjacent_tied_after"],
        )


@given(boards)
def test_mean_over_ties_is_that_of_all_listings(rows: list[tuple[int, int]]) -> None:
    """The mean over all ways to list equal agents does not depend on how they are listed."""
    found = neighbour_reversals([a for a, _ in rows], [b for _, b in rows])
    listings = [
        neighbour_reversals([a for a, _ in order], [b for _, b in order]).reversed
        for order in permutations(rows)
    ]
    assert found.over_ties == pytest.approx(np.mean(listings))
    assert found.neighbours + found.skipped == len(rows) - 1
    assert found.neighbours == len({a for a, _ in rows}) - 1


@given(boards)
def test_units_do_not_matter(rows: list[tuple[int, int]]) -> None:
    """Counts, shares and percentages have one order."""
    a, b = np.array(rows, dtype=float).T
    assert neighbour_reversals(a, b) == neighbour_reversals(a / 500, 100 * b / 500)


def test_values_apart_by_rounding_alone_are_equal() -> None:
    """Means summed in another order differ in the last digit and still tie."""
    found = neighbour_reversals([0.1 + 0.2, 0.3, 0.1], [0.5, 0.7, 0.1 + 0.2])
    assert (found.neighbours, found.skipped, found.reversed) == (1, 1, 0)
    assert neighbour_reversals([], []).neighbours == 0


def test_two_lists_of_one_length_are_needed() -> None:
    """Lists that do not fit, and agents without a rate, are refused."""
    for a, b in (([1], [1, 2]), ([[1]], [[1]]), ([np.nan, 1], [1, 2])):
        with pytest.raises(UsageError):
            neighbour_reversals(a, b)


def test_share_of_one_trial_a_task_is_wilson() -> None:
    """Passes of different tasks are independent: the plain Wilson interval."""
    assert rejection_share([1, 0, 0, 1, 0], [1, 1, 1, 1, 0]) == wilson(2, 4)


def test_several_passes_of_a_task_count_for_less() -> None:
    """Ten passes that stand and fall together are no more than one."""
    together = rejection_share([10, 0, 0, 10], [10, 10, 10, 10])
    apart = rejection_share([5, 5, 5, 5], [10, 10, 10, 10])
    assert together.estimate == apart.estimate == 0.5
    assert together.low == pytest.approx(wilson(1.5, 3).low)
    assert together.low is not None
    assert apart.low is not None
    assert together.low < apart.low
    assert together.n == 40
    assert effective_passes([10, 0, 0, 10], [10, 10, 10, 10]) == 3
    assert effective_passes([1, 0], [1, 1]) == 2


def test_all_or_none_rejected_counts_tasks() -> None:
    """Without variation the tasks are what there is, not their trials."""
    found = rejection_share([0, 0, 0], [10, 10, 10])
    assert (found.estimate, found.low, found.high) == (0.0, 0.0, wilson(0, 3).high)


def test_families_are_the_unit() -> None:
    """Tasks of one family are no independent passes."""
    ids = ["a", "a", "b", "b", "c", "c"]
    cut, seen = [1, 1, 0, 0, 0, 0], [1] * 6
    alone, clustered = rejection_share(cut, seen), rejection_share(cut, seen, families=ids)
    assert alone.estimate == clustered.estimate
    assert clustered.high is not None
    assert alone.high is not None
    assert clustered.high > alone.high
    assert "family" in clustered.method


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12), st.randoms())
def test_order_of_the_tasks_does_not_matter(rows: list[tuple[int, int]], random: Any) -> None:
    """The interval holds the share, whatever the order of the tasks."""
    rows = [(min(pair), max(pair)) for pair in rows]
    found = rejection_share([c for c, _ in rows], [n for _, n in rows])
    random.shuffle(rows)
    again = rejection_share([c for c, _ in rows], [n for _, n in rows])
    assert (found.estimate, found.n) == (again.estimate, again.n)
    if found.estimate is None:
        assert found.reason == "no pass was re-checked"
        return
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.estimate <= found.high
    assert found.low == pytest.approx(again.low)


def test_equal_shares_are_those_of_chance() -> None:
    """Shares far apart are told from one share; equal ones and small differences are not."""
    quick: dict[str, Any] = {"resamples": 999, "rng": 4}
    assert equal_shares([0.1, 0.4, 0.1], [100, 100, 100], **quick).p == 0.001
    assert equal_shares([0.2, 0.2, 0.2], [100, 100, 100], **quick).p == 1.0
    assert (equal_shares([0.2, 0.22], [50, 50], **quick).p or 0) > 0.5
    assert equal_shares([0.1, 0.4, 0.9], [100, 100, 0], **quick).p == 0.001


def test_equal_shares_know_neither_order_nor_names() -> None:
    """X² is that of the textbook's table of two rows."""
    from scipy.stats import chi2_contingency

    rejected, n = np.array([5, 12, 9]), np.array([40, 50, 30])
    found = _unequal((rejected / n)[None, :], n)[0]
    assert found == pytest.approx(chi2_contingency([rejected, n - rejected], correction=False)[0])
    turned = _unequal((rejected / n)[None, ::-1], n[::-1])[0]
    assert turned == pytest.approx(found)


def test_one_share_or_none_rejected_cannot_be_compared() -> None:
    """Fewer than two agents, or nothing rejected, has no p; wrong arguments are refused."""
    assert "2 agents" in (equal_shares([0.5], [10], rng=1).reason or "")
    assert "none or all" in (equal_shares([0.0, 0.0], [10, 10], rng=1).reason or "")
    for shares, numbers in (([0.1], [1, 2]), ([1.5, 0.1], [1, 2])):
        with pytest.raises(UsageError):
            equal_shares(shares, numbers, rng=1)


@pytest.mark.slow
def test_equal_shares_keep_their_level() -> None:
    """With one chance for all agents p is at most 5 % in 5 % of the cases, at most."""
    rng, reps, hits = np.random.default_rng(14), 1000, 0
    n = np.array([15, 40, 25, 60])
    for seed in range(reps):
        hits += (equal_shares(rng.binomial(n, 0.15) / n, n, resamples=199, rng=seed).p or 1) <= 0.05
    assert hits / reps < 0.065


def test_more_rejected_than_checked_is_refused() -> None:
    """Counts that cannot be, and shapes that do not fit, are named."""
    for cut, seen in (([2], [1]), ([1], [1, 1]), ([-1], [1])):
        with pytest.raises(UsageError):
            rejection_share(cut, seen)
