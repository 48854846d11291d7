"""Simultaneous intervals: their ends, what they leave undefined, and that nothing contradicts anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.differences.permutation import NULLS, max_t
from measurand.infer.differences.simultaneous import simultaneous
from measurand.infer.differences.tiers import tiers

if TYPE_CHECKING:
    from measurand.infer.differences.permutation import MaxT
    from measurand.infer.differences.simultaneous import Simultaneous
    from measurand.infer.differences.tiers import Tiers

Table = np.ndarray[Any, np.dtype[np.float64]]


def spread(n: int, m: int, *, seed: int, step: float = 0.3) -> Table:
    """Agents that are better the later they come."""
    return np.random.default_rng(seed).standard_normal((n, m)) + step * np.arange(m)


@pytest.mark.parametrize("null", NULLS)
def test_ends_are_the_mean_and_the_critical_value_times_the_standard_error(null: str) -> None:
    table = spread(40, 4, seed=1)
    test = max_t(table, null=null, rng=1)
    found = simultaneous(table, test, rng=1)
    assert found.critical_value is not None
    for number, (i, j) in enumerate(test.pairs.tolist()):
        d = table[:, i] - table[:, j]
        half = found.critical_value * d.std(ddof=1) / np.sqrt(40)
        if test.p_adjusted[number] > 0.05 or test.p_single_step[number] <= 0.05:
            assert found.low[number] == pytest.approx(d.mean() - half)
            assert found.high[number] == pytest.approx(d.mean() + half)
    assert found.level == 0.95
    assert (found.resamples, found.seed, found.n_units) == (10_000, 1, 40)
    assert found.reasons == (None,) * 6


def only_by_the_step_down() -> tuple[Table, MaxT]:
    """A table with a pair that the first step does not find and a later one does."""
    for seed in range(100):
        table = spread(20, 5, seed=seed, step=0.4)
        test = max_t(table, resamples=2_000, max_resamples=2_000, rng=1)
        if ((test.p_adjusted <= 0.05) & (test.p_single_step > 0.05)).any():
            return table, test
    raise AssertionError


def test_pairs_found_by_a_later_step_end_at_zero_and_leave_it_out() -> None:
    table, test = only_by_the_step_down()
    found = simultaneous(table, test, rng=1)
    later = (test.p_adjusted <= 0.05) & (test.p_single_step > 0.05)
    nearer = np.where(test.mean_difference > 0, found.low, found.high)
    assert (nearer[later] == 0).all()
    assert found.leaves_out_zero[later].all()
    further = np.abs(test.t) > found.critical_value
    assert further.any()
    assert (nearer[further] != 0).all()


def intervals(table: Any, *, families: Any = None) -> Simultaneous:
    return simultaneous(table, max_t(table, families=families, rng=1), families=families, rng=1)


def test_agents_far_apart_do_not_make_the_intervals_narrower() -> None:
    """Flips of large differences all move together; the test's own critical value is too small for their intervals."""
    table = np.random.default_rng(5).standard_normal((60, 8))
    apart = table + 5.0 * np.arange(8)
    test = max_t(apart, rng=1)
    near, far = intervals(table), simultaneous(apart, test, rng=1)
    assert test.critical_value is not None
    assert near.critical_value is not None
    assert test.critical_value < 0.9 * near.critical_value
    assert far.critical_value == pytest.approx(near.critical_value, rel=0.03)


def test_intervals_are_wider_than_for_one_pair_alone() -> None:
    table = spread(40, 6, seed=3)
    together = intervals(table)
    alone = intervals(table[:, :2])
    assert together.high[0] - together.low[0] > 1.2 * (alone.high[0] - alone.low[0])


def test_families_widen_the_intervals_of_tasks_that_are_alike() -> None:
    families = np.repeat(np.arange(20), 5)
    table = np.random.default_rng(1).standard_normal((20, 3))[families] + 0.1 * spread(100, 3, seed=2)
    by_task, by_family = intervals(table), intervals(table, families=families)
    assert ((by_family.high - by_family.low) > 1.7 * (by_task.high - by_task.low)).all()


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1.0, np.nan], [np.nan, 1.0]] * 4, "the two agents have no task in common"),
        ([[1.0, 0.0]], "needs at least 2 tasks that both have; there is 1"),
        ([[1.0, 1.0]] * 8, "the two agents are equal on every task"),
        ([[1.0, 0.0]] * 8, "every task differs by the same amount"),
        (
            [[1.0, 0.0], [0.0, 1.0], [1.0, 0.5]],
            "with so few tasks that differ no interval of this level is finite",
        ),
    ],
)
def test_no_interval_without_a_reason(table: Any, reason: str) -> None:
    found = intervals(table)
    assert found.reasons == (reason,)
    assert np.isnan([found.low[0], found.high[0]]).all()
    assert not found.leaves_out_zero.any()


def test_one_family_has_no_interval() -> None:
    found = intervals([[1.0, 0.0], [2.0, 0.0]], families=[1, 1])
    assert found.reasons == ("needs at least 2 families of tasks that both have; there is 1",)


def test_a_table_of_another_size_is_refused() -> None:
    with pytest.raises(UsageError, match="pass the table that was tested"):
        simultaneous(np.zeros((3, 2)), max_t(np.zeros((4, 2)), rng=1), rng=1)


def test_no_agents_have_no_intervals() -> None:
    found = intervals(np.zeros((3, 0)))
    assert (found.low.tolist(), found.reasons) == ([], ())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), factor=st.sampled_from([1e-6, 3.0, -1.0, 1e9]))
def test_unit_and_direction_of_the_values(seed: int, factor: float) -> None:
    table = spread(12, 3, seed=seed)
    one, two = intervals(table), intervals(table * factor)
    low, high = (one.low, one.high) if factor > 0 else (one.high, one.low)
    assert two.low == pytest.approx(low * factor)
    assert two.high == pytest.approx(high * factor)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, list[int] | None]:
    """Tables of all kinds: ties, gaps, families, agents that differ by a constant, agents that are equal."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    n, m = draw(st.integers(2, 24)), draw(st.integers(2, 6))
    step = draw(st.sampled_from([0.0, 0.2, 0.6]))
    noise = rng.standard_normal((n, m)) * draw(st.sampled_from([0.1, 1.0]))
    table = noise + step * rng.permutation(m)
    match draw(st.sampled_from(["binary", "thirds", "continuous", "clipped"])):
        case "binary":
            table = (table > 0.3).astype(np.float64)
        case "thirds":
            table = np.round(3 * table) / 3
        case "clipped":
            table = np.clip(table, 0.0, 1.0)
        case _:
            pass
    if draw(st.booleans()):
        table = np.column_stack([table, table[:, 0] + draw(st.sampled_from([0.0, 0.25]))])
    families = rng.integers(0, 12, n).tolist() if draw(st.booleans()) else None
    if draw(st.booleans()):
        table = np.where(rng.random(table.shape) < 0.1, np.nan, table)
    return table, families


def assert_intervals_agree(test: MaxT, found: Simultaneous) -> None:
    """An interval leaves out 0 exactly when the adjusted p is at most the level."""
    significant = test.p_adjusted <= test.level
    given = np.array([reason is None for reason in found.reasons], dtype=np.bool_)
    assert (np.isfinite(found.low) == given).all()
    assert (np.isfinite(found.high) == given).all()
    assert (found.leaves_out_zero == (significant & given)).all()
    low, high = found.low[given], found.high[given]
    assert (low <= high).all()
    found_here, mean = significant[given], test.mean_difference[given]
    assert ((low <= 0) & (high >= 0))[~found_here].all()
    assert (low[found_here & (mean > 0)] >= 0).all()
    assert (high[found_here & (mean < 0)] <= 0).all()
    assert not (significant & (test.critical_value is None) & np.isfinite(test.t)).any()


def assert_tiers_agree(test: MaxT, shown: Tiers) -> None:
    """Letters, tiers and rank intervals say what the significant pairs say."""
    significant = test.significant
    found = {tuple(pair) for pair in test.pairs[test.p_adjusted <= test.level].tolist()}
    assert {tuple(pair) for pair in np.argwhere(np.triu(significant)).tolist()} == found
    assert shown.letters is not None
    for i, j in test.pairs.tolist():
        assert (not set(shown.letters[i]) & set(shown.letters[j])) == ((i, j) in found)
    for agent in range(test.n_agents):
        assert shown.rank_low[agent] == 1 + int((significant[:, agent] == 1).sum())
        assert shown.rank_high[agent] == test.n_agents - int((significant[agent] == 1).sum())
        assert (agent in shown.possible_best) == (shown.rank_low[agent] == 1)
    leaders = {shown.tier[agent]: agent for agent in reversed(shown.order)}
    for number in range(2, shown.n_tiers + 1):
        assert significant[leaders[number - 1], leaders[number]] == 1
    for agent in range(test.n_agents):
        assert significant[leaders[shown.tier[agent]], agent] != 1


@pytest.mark.parametrize("null", NULLS)
@settings(max_examples=150, deadline=None)
@given(case=tables())
def test_nothing_contradicts_anything(null: str, case: tuple[Table, list[int] | None]) -> None:
    """Intervals, letters, tiers, rank intervals and adjusted p-values say one thing about every pair."""
    table, families = case
    if null == "labels":
        table = np.nan_to_num(table)
    table = table[:, ~np.isnan(table).all(axis=0)]
    test = max_t(table, null=null, families=families, resamples=500, max_resamples=500, rng=1)
    means = np.nanmean(table, axis=0)
    shown = tiers(means, test.significant)
    found = simultaneous(table, test, families=families, resamples=500, rng=1)
    assert_intervals_agree(test, found)
    assert_tiers_agree(test, shown)
    if not np.isnan(table).any():
        for agent in range(test.n_agents):
            assert shown.rank_low[agent] <= shown.rank[agent] <= shown.rank_high[agent]
