"""What must not change the max-T test: order of agents and tasks, units, shifts of a task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from measurand.infer.differences.permutation import MaxT, max_t

NULLS = ["signs", "labels", "bootstrap"]


@st.composite
def tables(draw: st.DrawFn, *, n: int = 6) -> np.ndarray[Any, np.dtype[np.float64]]:
    m = draw(st.integers(2, 3))
    cells = draw(st.sampled_from([st.integers(0, 1), st.integers(-8, 8).map(lambda x: x / 4)]))
    table: np.ndarray[Any, np.dtype[np.float64]] = draw(arrays(np.float64, (n, m), elements=cells))
    return table


def run(table: Any, null: str) -> MaxT:
    """Enumerate every resample, so that no drawn number can hide a difference."""
    result = max_t(table, null=null, resamples=50_000, rng=1)
    assert result.exact
    return result


def p_matrix(result: MaxT) -> np.ndarray[Any, np.dtype[np.float64]]:
    matrix = np.ones((result.n_agents, result.n_agents))
    matrix[result.pairs[:, 0], result.pairs[:, 1]] = result.p_adjusted
    matrix[result.pairs[:, 1], result.pairs[:, 0]] = result.p_adjusted
    return matrix


@pytest.mark.parametrize("null", NULLS)
@settings(max_examples=30, deadline=None)
@given(table=tables(), data=st.data())
def test_order_of_agents(null: str, table: Any, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(table.shape[1])))
    one, two = run(table, null), run(table[:, order], null)
    assert p_matrix(two) == pytest.approx(p_matrix(one)[np.ix_(order, order)])
    assert (two.significant == one.significant[np.ix_(order, order)]).all()


@pytest.mark.parametrize("null", NULLS)
@settings(max_examples=30, deadline=None)
@given(table=tables(), data=st.data())
def test_order_of_tasks(null: str, table: Any, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(table))))
    one, two = run(table, null), run(table[order], null)
    assert two.p_adjusted == pytest.approx(one.p_adjusted)
    assert two.t == pytest.approx(one.t)


@pytest.mark.parametrize("null", NULLS)
@settings(max_examples=30, deadline=None)
@given(table=tables(), factor=st.sampled_from([1e-6, 0.1, 3.0, 1e9]))
def test_unit_of_the_values(null: str, table: Any, factor: float) -> None:
    one, two = run(table, null), run(table * factor, null)
    assert two.p_adjusted == pytest.approx(one.p_adjusted)
    assert two.t == pytest.approx(one.t)
    assert two.mean_difference == pytest.approx(one.mean_difference * factor)


@pytest.mark.parametrize("null", NULLS)
@settings(max_examples=30, deadline=None)
@given(table=tables(), data=st.data())
def test_a_constant_added_to_a_task(null: str, table: Any, data: st.DataObject) -> None:
    shift = data.draw(st.lists(st.floats(-5, 5), min_size=len(table), max_size=len(table)))
    one, two = run(table, null), run(table + np.array(shift)[:, None], null)
    assert two.p_adjusted == pytest.approx(one.p_adjusted)
    assert two.discordant.tolist() == one.discordant.tolist()


@pytest.mark.parametrize("null", NULLS)
@settings(max_examples=30, deadline=None)
@given(table=tables())
def test_direction_of_the_values(null: str, table: Any) -> None:
    one, two = run(table, null), run(-table, null)
    assert two.p_adjusted.tolist() == one.p_adjusted.tolist()
    assert (two.significant == -one.significant).all()


@pytest.mark.parametrize("null", ["signs", "bootstrap"])
@settings(max_examples=30, deadline=None)
@given(table=tables())
def test_a_copied_agent_changes_no_other_pair(null: str, table: Any) -> None:
    """The copy's differences are the original's, so that every maximum stays."""
    one, two = run(table, null), run(np.column_stack([table, table[:, -1]]), null)
    m = table.shape[1]
    assert p_matrix(two)[:m, :m] == pytest.approx(p_matrix(one))
    assert p_matrix(two)[m - 1, m] == 1


@settings(max_examples=30, deadline=None)
@given(table=tables(n=9), data=st.data())
def test_p_values_are_ordered_and_never_below_the_least_attainable(table: Any, data: st.DataObject) -> None:
    gaps = data.draw(arrays(np.bool_, table.shape))
    result = max_t(np.where(gaps, np.nan, table), rng=1)
    assert (result.p_raw <= result.p_adjusted + 1e-12).all()
    assert (result.p_adjusted <= result.p_single_step + 1e-12).all()
    assert (result.p_raw >= result.least_attainable_p - 1e-12).all()
    assert (result.p_single_step <= 1).all()
