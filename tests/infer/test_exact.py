"""The exact p of a pair by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.design.power import exact_sign_p
from measurand.infer.differences.exact import exact_pair_p
from measurand.infer.differences.permutation import max_t

if TYPE_CHECKING:
    from collections.abc import Callable


def test_golden_counts(oracle: Callable[[str], Any]) -> None:
    for case in oracle("maxt_exact")["cases"]:
        counts = case["nulls"]["signs"]
        assert exact_pair_p(case["X"]) == pytest.approx(counts["p_raw"], rel=1e-12), case["id"]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 12), kind=st.integers(0, 3))
def test_it_is_the_raw_p_of_the_enumerated_test(seed: int, n: int, kind: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (n, 4)).astype(np.float64) if kind < 2 else rng.standard_normal((n, 4))
    table = np.where(rng.random(table.shape) < 0.15 * (kind % 2), np.nan, table)
    families = rng.integers(0, 5, n) if kind == 3 else None
    every = max_t(table, families=families, rng=1)
    assert every.exact
    assert exact_pair_p(table, families=families) == pytest.approx(every.p_raw, rel=1e-12)


@pytest.mark.parametrize(("wins", "losses"), [(7, 1), (12, 4), (19, 0), (0, 3), (5, 5)])
def test_pass_and_fail_give_the_exact_sign_test(wins: int, losses: int) -> None:
    table = [[1, 0]] * wins + [[0, 1]] * losses + [[1, 1]] * 3
    assert exact_pair_p(table) == pytest.approx([exact_sign_p(wins, losses)])


def test_forty_tasks_are_counted_without_listing_them() -> None:
    table = [[1, 0]] * 26 + [[0, 1]] * 14
    assert exact_pair_p(table) == pytest.approx([exact_sign_p(26, 14)])


def test_agents_that_do_not_differ_have_p_one() -> None:
    assert exact_pair_p([[1.0, 1.0, 0.0]] * 3).tolist() == [1.0, 0.25, 0.25]
    assert exact_pair_p(np.zeros((0, 2))).tolist() == [1.0]
    assert exact_pair_p(np.zeros((3, 1))).tolist() == []


def test_too_many_tasks_are_refused() -> None:
    with pytest.raises(UsageError, match="41 units"):
        exact_pair_p(np.zeros((41, 2)))


def test_infinite_values_are_refused() -> None:
    with pytest.raises(InputError, match="infinite"):
        exact_pair_p([[np.inf, 0.0]])
