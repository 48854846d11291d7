"""How well a score resolves agents: the head that is tested, its tiers, and those left at zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from measurand.errors import InputError, UsageError
from measurand.infer.differences.permutation import max_t
from measurand.infer.differences.tiers import tiers
from measurand.infer.headroom.resolution import HeadTest, most_resamples, resolution
from measurand.infer.headroom.saturation import saturation

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE = np.random.default_rng(3).random((60, 12)) + np.linspace(0, 0.8, 12)
EXACT = HeadTest(resamples=5_000)
"""With up to twelve tasks all sign vectors are enumerated."""


def test_head_is_tested_as_by_hand() -> None:
    """The first four by mean, their max-T test and their tiers are those of the parts called one by one."""
    found = resolution(TABLE, test=HeadTest(top=4, resamples=500, most=500), rng=7)
    head = np.argsort(-TABLE.mean(axis=0))[:4]
    by_hand = max_t(TABLE[:, head], resamples=500, max_resamples=500, rng=7)
    shown = tiers(TABLE[:, head].mean(axis=0), by_hand.significant)
    assert found.head == tuple(head.tolist())
    assert found.tier == tuple(shown.tier[i] for i in shown.order)
    assert (found.n_pairs, found.n_significant) == (6, by_hand.n_significant)
    assert (found.seed, found.resamples, found.method) == (7, 500, by_hand.method)
    assert found.saturation == saturation(TABLE)


def test_without_a_size_all_agents_are_tested() -> None:
    """A head of no size is everybody."""
    assert len(resolution(TABLE, test=HeadTest(top=None, resamples=500, most=500), rng=1).head) == 12


def test_agents_at_zero_are_counted() -> None:
    """An agent that is 0 on every task it has counts; one without a cell does not, nor in the denominator."""
    table = np.zeros((8, 4))
    table[:, 0] = 1
    table[3, 1] = 0.5
    table[:, 3] = np.nan
    found = resolution(table, test=HeadTest(top=None, missing_limit=1.0), rng=1)
    assert (found.zeros, found.n_agents, found.zero_share) == (1, 3, 1 / 3)


def test_equal_means_are_ordered_by_the_test_and_not_by_place() -> None:
    """Of two agents with one mean the one that fewer beat stands first, wherever its column stands."""
    strong, steady = np.full(12, 0.9), np.full(12, 0.5)
    uneven = np.array([1.0, 0.0] * 6)
    for order in ([0, 1, 2], [0, 2, 1]):
        columns = [strong, steady, uneven]
        found = resolution(np.column_stack([columns[i] for i in order]), test=EXACT, rng=1)
        named = [order[column] for column in found.head]
        assert named == [0, 2, 1]
        assert found.tier == (1, 1, 2)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (np.zeros((10, 0)), "there is no agent"),
        (np.ones((10, 1)), "there is one agent"),
        (np.zeros((10, 3)), "no two agents differ"),
        (np.eye(5, 3), "least attainable p"),
        (np.zeros((0, 3)), "there is no agent"),
    ],
)
def test_nothing_is_concluded_from_too_little(table: NDArray[np.float64], reason: str) -> None:
    """Tiers are absent with the reason, never one tier by default."""
    found = resolution(table, rng=1)
    assert found.n_tiers is None
    assert found.tier == ()
    assert reason in (found.reason or "")


def test_at_a_generous_level_five_tasks_still_split_nothing() -> None:
    """The rule of few units does not depend on the level."""
    found = resolution(np.column_stack([np.arange(5) + 1.0, np.zeros(5)]), test=HeadTest(level=0.2), rng=1)
    assert found.n_tiers is None
    assert found.reason == "with 5 independent units nothing can be separated"


def test_where_no_result_could_reach_the_level_one_tier_comes_with_the_reason() -> None:
    """Eight tasks of which two agents differ in four: all in one tier, and why, as on a board."""
    table = np.zeros((8, 2))
    table[:4, 0] = 1
    found = resolution(table, rng=1)
    assert found.n_tiers == 1
    assert "no pair differs in more than 4 tasks" in (found.reason or "")


def test_too_many_missing_cells_are_refused() -> None:
    """Above the limit of missing cells in the head there are no tiers; saturation has its own rule."""
    table = TABLE.copy()
    table[:20, 11] = np.nan
    found = resolution(table, test=HeadTest(top=2, resamples=500), rng=1)
    assert found.reason == "16.7% of the cells are missing (limit 10%)"
    assert found.saturation.index is not None
    allowed = resolution(table, test=HeadTest(top=2, resamples=500, missing_limit=0.2), rng=1)
    assert allowed.n_tiers is not None


def test_another_null_is_the_users_choice() -> None:
    """The labels null gives what max_t gives under it, without a rise; on a table with gaps it says that it cannot."""
    found = resolution(TABLE, test=HeadTest(top=3, null="labels", resamples=200), rng=4)
    head = list(found.head)
    by_hand = max_t(TABLE[:, head], null="labels", resamples=200, max_resamples=200, rng=4)
    assert (found.resamples, found.method) == (200, by_hand.method)
    gaps = TABLE.copy()
    gaps[0, 11] = np.nan
    refused = resolution(gaps, test=HeadTest(top=3, null="labels", resamples=200), rng=4)
    assert refused.reason == "the labels null needs a complete table"


def test_families_are_the_units() -> None:
    """Tasks of a family are exchanged together; each task doubled within its family changes no conclusion."""
    table = TABLE[:12, :3]
    one = resolution(table, test=EXACT, rng=1)
    twice = resolution(np.repeat(table, 2, axis=0), test=EXACT, families=np.repeat(np.arange(12), 2), rng=1)
    assert (one.n_units, twice.n_units, twice.n_tasks) == (12, 12, 24)
    assert (one.head, one.tier) == (twice.head, twice.tier)


@settings(max_examples=40, deadline=None)
@given(
    table=arrays(np.float64, (9, 4), elements=st.integers(0, 3).map(float)),
    tasks=st.permutations(range(9)),
    factor=st.sampled_from([0.25, 8.0, 1e6]),
)
def test_order_of_tasks_and_unit_change_nothing(table: Any, tasks: list[int], factor: float) -> None:
    """The resolution belongs to the agents, not to how the table is written down."""
    one = resolution(table, test=EXACT, rng=1)
    for other in (table[tasks], table * factor):
        two = resolution(other, test=EXACT, rng=1)
        assert (two.head, two.tier, two.zero_share, two.reason) == (
            one.head,
            one.tier,
            one.zero_share,
            one.reason,
        )


@settings(max_examples=40, deadline=None)
@given(
    table=arrays(np.float64, (9, 4), elements=st.integers(0, 3).map(float)), agents=st.permutations(range(4))
)
def test_order_of_agents_changes_no_number_of_tiers_without_ties(table: Any, agents: list[int]) -> None:
    """Where no means tie, columns in another order give the same agents in the same tiers."""
    one, two = resolution(table, test=EXACT, rng=1), resolution(table[:, agents], test=EXACT, rng=1)
    assert one.zero_share == two.zero_share
    if len(set(table.sum(axis=0))) == 4:
        assert one.tier == two.tier
        assert [agents[column] for column in two.head] == list(one.head)


def test_resamples_rise_as_far_as_the_work_allows() -> None:
    """Few pairs may be resampled often, many only as often as was asked for."""
    assert most_resamples(2, 10_000) == 1_000_000
    assert most_resamples(2_000, 10_000) == 10_000


def test_a_seed_gives_the_same_answer_and_a_generator_has_none() -> None:
    """A seed is recorded; a generator is the caller's."""
    terms = HeadTest(resamples=300, most=300)
    one, two = (resolution(TABLE, test=terms, rng=5) for _ in range(2))
    assert (one.tier, one.undecided) == (two.tier, two.undecided)
    assert resolution(TABLE, test=terms, rng=np.random.default_rng(5)).seed is None


def test_wrong_arguments_are_refused() -> None:
    """A head of one, a level of none, a broken table."""
    with pytest.raises(UsageError, match="top is 1"):
        resolution(TABLE, test=HeadTest(top=1), rng=1)
    with pytest.raises(UsageError, match="level"):
        resolution(TABLE, test=HeadTest(level=0), rng=1)
    with pytest.raises(InputError, match="infinite"):
        resolution([[np.inf, 0.0]], rng=1)
