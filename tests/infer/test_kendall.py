"""Agreement of two orders."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.verifiers.kendall import kendall, kendall_tau_b

if TYPE_CHECKING:
    from collections.abc import Callable

values = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=25)


def test_oracle(oracle: Callable[[str], Any]) -> None:
    """Coefficient and counts are those computed elsewhere."""
    for row in oracle("kendall")["rows"]:
        found = kendall(row["a"], row["b"])
        assert found.tau_b == pytest.approx(row["tau_b"], rel=1e-12)
        assert (found.concordant, found.discordant) == (row["concordant"], row["discordant"])


@given(values)
def test_counts_are_those_of_every_pair_looked_at(rows: list[tuple[int, int]]) -> None:
    """The fast count equals that of all pairs one by one."""
    found = kendall([a for a, _ in rows], [b for _, b in rows])
    signs = [np.sign(x[0] - y[0]) * np.sign(x[1] - y[1]) for x, y in combinations(rows, 2)]
    assert (found.concordant, found.discordant, found.tied) == tuple(signs.count(s) for s in (1, -1, 0))


@given(values, st.randoms())
def test_order_unit_and_sides_do_not_matter(rows: list[tuple[int, int]], random: Any) -> None:
    """Other units, other orders of the agents and exchanged lists give the same number; a turned list its negative."""
    a, b = [a for a, _ in rows], [b for _, b in rows]
    tau = kendall_tau_b(a, b)
    assert kendall_tau_b(b, a) == tau
    assert kendall_tau_b([7 * x + 1 for x in a], np.exp(b)) == tau
    assert kendall_tau_b([-x for x in a], b) == (None if tau is None else -tau)
    random.shuffle(rows)
    assert kendall_tau_b([a for a, _ in rows], [b for _, b in rows]) == tau


@given(st.lists(st.integers(0, 50), min_size=2, max_size=40).filter(lambda x: len(set(x)) > 1))
def test_equal_orders_give_exactly_one(a: list[int]) -> None:
    """No rounding stands between an order and itself."""
    assert kendall_tau_b(a, a) == 1.0


def test_agents_without_a_value_are_left_out() -> None:
    """NaN in either list takes the agent out of both."""
    found = kendall([1, 2, np.nan, 3], [1, 2, 3, np.nan])
    assert (found.n, found.tau_b) == (2, 1.0)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([], [], "at least 2"),
        ([1], [2], "at least 2"),
        ([1, 1], [1, 2], "no order"),
        ([1, 2], [3, 3], "no order"),
    ],
)
def test_undefined_is_none_with_its_reason(a: list[float], b: list[float], reason: str) -> None:
    """Where there is no order there is no coefficient, and not 0."""
    found = kendall(a, b)
    assert found.tau_b is None
    assert reason in (found.reason or "")


@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([[1, 2]], [[1, 2]]), (["x"], [1])])
def test_other_than_two_lists_of_one_length_is_refused(a: Any, b: Any) -> None:
    """Wrong arguments are named."""
    with pytest.raises(UsageError):
        kendall(a, b)
