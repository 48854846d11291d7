"""Which tasks carry a lead."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.means.influence import influence


@given(st.integers(0, 10_000))
def test_no_smaller_set_of_tasks_erases_the_lead(seed: int) -> None:
    """The greedy answer is that of trying all sets."""
    table = np.random.default_rng(seed).integers(0, 4, (6, 2)).astype(float)
    found = influence(table)
    d = table[:, 0] - table[:, 1]
    total = d.sum()
    if total == 0:
        assert found.to_erase is None
        return
    sizes = [
        size
        for size in range(1, 7)
        for left_out in combinations(range(6), size)
        if np.sign(total) * np.delete(d, left_out).sum() <= 0
    ]
    assert found.to_erase == min(sizes)
    assert found.flips_alone == sum(np.sign(total) * np.delete(d, t).sum() <= 0 for t in range(6))


@given(st.integers(0, 10_000))
def test_leaving_a_task_out_is_what_it_says(seed: int) -> None:
    """Each difference is that of the table without the task, and the parts sum to 1."""
    table = np.random.default_rng(seed).standard_normal((8, 2))
    table[3, 1] = np.nan
    found = influence(table)
    for task in range(8):
        rest = np.delete(table, task, axis=0)
        d = rest[:, 0] - rest[:, 1]
        if task != 3:
            assert found.without[task] == pytest.approx(np.nanmean(d))
    assert np.nansum(found.share) == pytest.approx(1.0)
    assert found.n == 7
    assert 3 not in found.order


def test_the_agents_exchanged_give_the_same_answer_with_the_other_sign() -> None:
    table = np.array([[1, 0], [1, 0], [0, 1], [0.5, 0.2]])
    one, other = influence(table), influence(table[:, ::-1])
    assert one.difference == pytest.approx(-(other.difference or 0))
    assert (one.to_erase, one.order.tolist()) == (other.to_erase, other.order.tolist())


def test_without_a_lead_the_reason_is_said() -> None:
    assert influence([[1, 0], [0, 1]]).reason == "neither agent leads"
    assert influence(np.full((2, 2), np.nan)).reason == "the two agents have no task in common"
    with pytest.raises(UsageError, match="columns"):
        influence([[1.0], [2.0]])
