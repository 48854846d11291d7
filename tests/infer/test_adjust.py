"""Adjusted p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.differences.adjust import METHODS, adjust

if TYPE_CHECKING:
    from collections.abc import Callable

values = st.lists(st.floats(0, 1), max_size=12)


@pytest.mark.parametrize("method", METHODS)
def test_golden_values(oracle: Callable[[str], Any], method: str) -> None:
    for row in oracle("padjust")["rows"]:
        assert adjust(row["p"], method) == pytest.approx(row[method], rel=1e-12, abs=1e-12)


@given(p=values)
def test_stricter_methods_never_give_less(p: list[float]) -> None:
    by = {method: adjust(p, method) for method in METHODS}
    tiny = 1e-12
    for strict, less in (
        ("bonferroni", "holm"),
        ("holm", "holm_sidak"),
        ("holm", "hochberg"),
        ("hochberg", "hommel"),
        ("hommel", "bh"),
        ("by", "bh"),
    ):
        assert (by[strict] >= by[less] - tiny).all(), (strict, less)


@pytest.mark.parametrize("method", METHODS)
@given(p=values, data=st.data())
def test_order_of_the_input_does_not_matter(method: str, p: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(p))))
    one, two = adjust(p, method), adjust([p[i] for i in order], method)
    assert two.tolist() == [one[i] for i in order]


@pytest.mark.parametrize("method", METHODS)
@given(p=values)
def test_adjusted_values_are_no_smaller_and_keep_their_order(method: str, p: list[float]) -> None:
    adjusted = adjust(p, method)
    assert (adjusted >= np.array(p) * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_value_needs_no_adjustment(method: str) -> None:
    assert adjust([0.03], method).tolist() == pytest.approx([0.03])
    assert adjust([], method).tolist() == []


@pytest.mark.parametrize(
    ("p", "method", "message"),
    [
        ([0.1], "tukey", "choose one of bonferroni, holm"),
        ([1.1], "holm", "between 0 and 1"),
        ([-0.1], "holm", "between 0 and 1"),
        ([np.nan], "holm", "none of them missing"),
        ([[0.1]], "holm", "no list"),
    ],
)
def test_wrong_arguments_are_refused(p: Any, method: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        adjust(p, method)
