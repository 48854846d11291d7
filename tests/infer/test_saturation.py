"""Saturation index, paired and unpaired."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from measurand.errors import InputError, UsageError
from measurand.infer.headroom.saturation import saturation, saturation_unpaired

if TYPE_CHECKING:
    from collections.abc import Callable


UNPAIRED, PAIRED = 6, 4
"""Rows of the golden values."""


def two_agents(case: Any) -> Any:
    return np.column_stack([case["first"], case["fifth"]])


def test_every_golden_value_is_tried(oracle: Callable[[str], Any]) -> None:
    """The tests below go through all rows that there are."""
    golden = oracle("saturation")
    assert (len(golden["unpaired"]), len(golden["paired"])) == (UNPAIRED, PAIRED)


@pytest.mark.parametrize("row", range(UNPAIRED))
def test_unpaired_golden_values(oracle: Callable[[str], Any], row: int) -> None:
    """Two published shares give the index of the authors' own code."""
    case = oracle("saturation")["unpaired"][row]
    result = saturation_unpaired(case["s1"], case["s5"], case["n"], alpha=case["alpha"])
    assert result.r == pytest.approx(case["R"], rel=1e-12, abs=1e-15)
    assert result.index == pytest.approx(case["S"], rel=1e-12)
    assert result.category == case["category"]
    assert result.reason is None


@pytest.mark.parametrize("row", range(PAIRED))
def test_paired_golden_values(oracle: Callable[[str], Any], row: int) -> None:
    """Two columns give the paired index; at alpha = 1 its R is the paired t."""
    case = oracle("saturation")["paired"][row]
    result = saturation(two_agents(case), k=2, alpha=case["alpha"])
    assert result.first == 0
    assert result.r == pytest.approx(case["R"], rel=1e-12)
    assert result.index == pytest.approx(case["S"], rel=1e-12)
    assert result.t == pytest.approx(case["paired_t"], rel=1e-12)
    assert result.n == case["n"]
    one = saturation(two_agents(case), k=2, alpha=1.0)
    assert one.r == pytest.approx(case["paired_t"], rel=1e-12)


def test_first_and_fifth_by_mean() -> None:
    rng = np.random.default_rng(1)
    table = rng.random((50, 7)) + np.array([0.0, 0.6, 0.1, 0.5, 0.2, 0.4, 0.3]) * 5
    result = saturation(table)
    assert (result.first, result.kth, result.k) == (1, 4, 5)
    only = saturation(table[:, [1, 4]], k=2)
    assert only.index == result.index
    assert result.flags == ()


def test_difference_carried_by_one_task_is_saturated_and_flagged() -> None:
    """Then t = 1, so that S = exp(-1/sqrt(n))."""
    table = np.zeros((430, 2))
    table[7, 0] = 3.0
    result = saturation(table, k=2)
    assert result.t == pytest.approx(1.0)
    assert result.index == pytest.approx(math.exp(-1 / math.sqrt(430)))
    assert result.dominance == 1.0
    assert result.dominated
    assert "one task" in result.flags[0]


def test_agents_tied_at_the_place_give_the_other_value() -> None:
    rng = np.random.default_rng(2)
    low = rng.integers(0, 2, 40).astype(np.float64)
    table = np.column_stack([np.ones(40), low, np.roll(low, 3)[::-1], low])
    table[:5, 0] = 0
    result = saturation(table, k=3)
    assert result.kth == 2
    other = saturation(table[:, [0, 1]], k=2).index
    assert result.value_if_tied == pytest.approx(other)
    assert result.value_if_tied != result.index
    assert saturation(table[:, [0, 1, 3]], k=3).value_if_tied is None


def test_agents_tied_for_the_first_place_give_the_other_value() -> None:
    """Which of two equal leaders comes first must not decide unseen: the other's value is told."""
    lead = np.array([1.0, 1, 1, 0, 1, 0, 1, 0])
    table = np.column_stack([lead, lead[::-1], np.array([1.0, 0, 1, 0, 0, 0, 1, 0])])
    result = saturation(table, k=3)
    assert (result.first, result.kth) == (0, 2)
    turned = saturation(table[:, [1, 0, 2]], k=3)
    assert result.value_if_tied == turned.index
    assert turned.value_if_tied == result.index
    assert result.index != turned.index


def test_many_equal_agents_are_one_value() -> None:
    """Agents equal on every task tie everywhere, and give no other value."""
    result = saturation(np.ones((20, 60)))
    assert result.index == 1.0
    assert result.value_if_tied is None


def test_fewer_agents_than_k_compare_with_the_last_and_say_so() -> None:
    table = np.random.default_rng(3).random((20, 3))
    result = saturation(table)
    assert result.k == 3
    assert result.flags == ("fewer than 5 agents: compared with place 3",)
    assert result.index == saturation(table, k=3).index


def test_missing_cells_use_the_tasks_both_have() -> None:
    table = np.random.default_rng(4).random((30, 2)) + np.array([0.5, 0.0])
    table[:4, 0] = np.nan
    table[2:9, 1] = np.nan
    result = saturation(table, k=2)
    assert result.n == 21
    assert result.index == saturation(table[9:], k=2).index


def test_agent_without_values_is_left_out() -> None:
    table = np.random.default_rng(4).random((30, 3))
    table[:, 1] = np.nan
    result = saturation(table, k=2)
    assert {result.first, result.kth} == {0, 2}


@pytest.mark.parametrize(
    ("gap", "index", "r"), [(0.0, 1.0, 0.0), (0.3, 0.0, math.inf)], ids=["identical", "constant"]
)
def test_constant_difference(gap: float, index: float, r: float) -> None:
    base = np.random.default_rng(5).random(25)
    result = saturation(np.column_stack([base + gap, base]), k=2)
    assert result.index == index
    assert result.r == r
    assert result.t == r
    assert "on every task" in result.flags[0]
    assert result.dominance is None or gap > 0


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (5, 0), (5, 1), (1, 4)])
def test_too_few_agents_or_tasks_give_a_reason(shape: tuple[int, int]) -> None:
    result = saturation(np.ones(shape))
    assert result.index is None
    assert result.category is None
    assert result.reason


def test_no_common_tasks_give_a_reason() -> None:
    result = saturation([[1, np.nan], [np.nan, 0]], k=2)
    assert result.reason == "the two agents have 0 tasks in common, and the index needs 2"
    assert (result.first, result.kth) == (0, 1)


def test_unpaired_edges() -> None:
    assert saturation_unpaired(0.5, 0.5, 0).reason == "there are no tasks"
    apart = saturation_unpaired(1.0, 0.0, 10)
    assert apart.index == 1.0
    assert apart.flags == ("the standard error is 0 although the shares differ",)


@settings(max_examples=50, deadline=None)
@given(
    table=arrays(np.float64, (9, 3), elements=st.integers(-8, 8).map(float)),
    factor=st.sampled_from([1e-200, 0.1, 7.0, 1e200]),
    data=st.data(),
)
def test_unit_shift_and_order_of_tasks_change_nothing(table: Any, factor: float, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(9)))
    shift = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=9, max_size=9)))[:, None]
    one = saturation(table, k=3)
    for other in (table * factor, table[order], table + shift):
        two = saturation(other, k=3)
        assert two.index == pytest.approx(one.index, rel=1e-9)
        assert two.t == pytest.approx(one.t, rel=1e-9, abs=1e-12)
        assert two.kth == one.kth


@pytest.mark.parametrize("arguments", [{"k": 1}, {"alpha": -0.1}, {"alpha": 1.1}])
def test_wrong_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        saturation(np.ones((4, 4)), **arguments)


def test_wrong_shares_and_values_are_refused() -> None:
    with pytest.raises(UsageError, match=r"shares are 1\.2"):
        saturation_unpaired(1.2, 0.5, 10)
    with pytest.raises(UsageError):
        saturation_unpaired(0.9, 0.5, 10, alpha=2)
    with pytest.raises(InputError):
        saturation([[np.inf, 1.0]])
