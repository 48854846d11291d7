"""pass@j and pass^j: golden values, all choices of j, and edges."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.repeats.passk import pass_all, pass_at, pass_table

if TYPE_CHECKING:
    from collections.abc import Callable


def test_golden_values(oracle: Callable[[str], Any]) -> None:
    """Exactly those of a count over all choices of k trials."""
    rows = oracle("passk")["rows"]
    assert len(rows) > 20
    for row in rows:
        assert pass_at(row["c"], row["n"], row["k"]) == row["pass_at_k"]
        assert pass_all(row["c"], row["n"], row["k"]) == row["pass_hat_k"]


@given(st.integers(1, 8), st.data())
def test_they_are_the_share_of_choices(n: int, data: st.DataObject) -> None:
    """Of all choices of j trials: those with a passed one, and those of passed ones alone."""
    c, j = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    choices = list(combinations([1] * c + [0] * (n - c), j))
    assert pass_at(c, n, j) == pytest.approx(np.mean([any(choice) for choice in choices]), abs=1e-15)
    assert pass_all(c, n, j) == pytest.approx(np.mean([all(choice) for choice in choices]), abs=1e-15)


@given(st.integers(1, 30), st.data())
def test_one_trial_is_the_rate_and_more_trials_part_them(n: int, data: st.DataObject) -> None:
    """At j = 1 both are the rate; pass@j never falls and pass^j never rises; failing agents mirror passing ones."""
    c = data.draw(st.integers(0, n))
    table = pass_table([c], [n], range(1, n + 1))
    assert table.at[0, 0] == table.all[0, 0] == c / n
    assert (np.diff(table.at[0]) >= 0).all()
    assert (np.diff(table.all[0]) <= 0).all()
    mirrored = pass_table([n - c], [n], range(1, n + 1))
    assert table.at[0] == pytest.approx(1 - mirrored.all[0], abs=1e-15)


def test_unbiased_over_all_outcomes() -> None:
    """The mean over what n trials can give is 1 - (1-p)^j and p^j."""
    from scipy.stats import binom

    n, p = 9, 0.3
    table = pass_table(np.arange(n + 1), np.full(n + 1, n), [2, 4])
    weight = binom.pmf(np.arange(n + 1), n, p)
    assert weight @ table.at == pytest.approx([1 - 0.7**2, 1 - 0.7**4])
    assert weight @ table.all == pytest.approx([0.3**2, 0.3**4])


def test_large_numbers_neither_overflow_nor_lose_digits() -> None:
    """Whole numbers of hundreds of digits give a quotient that is rounded once."""
    assert pass_all(4_999, 5_000, 2_500) == 0.5
    assert pass_at(1, 5_000, 2_500) == 0.5
    assert pass_at(1, 10**6, 1) == 1e-6
    assert pass_all(999, 1_000, 10) == comb(999, 10) / comb(1_000, 10) == 0.99


def test_fewer_trials_than_j_say_nothing() -> None:
    """Undefined, not 0; in a table NaN."""
    assert pass_at(2, 2, 3) is None
    assert pass_all(2, 2, 3) is None
    table = pass_table([2, 3], [2, 3], [1, 3])
    assert np.isnan(table.at).tolist() == [[False, True], [False, False]]


def test_table_agrees_with_single_tasks() -> None:
    """Tasks of the same counts share their values, whatever their order."""
    rng = np.random.default_rng(1)
    trials = rng.integers(0, 9, 200)
    passes = rng.binomial(trials, 0.4)
    table = pass_table(passes, trials, [1, 2, 5])
    for t in range(200):
        for place, j in enumerate((1, 2, 5)):
            one = pass_at(int(passes[t]), int(trials[t]), j), pass_all(int(passes[t]), int(trials[t]), j)
            assert one == (
                (None, None) if np.isnan(table.at[t, place]) else (table.at[t, place], table.all[t, place])
            )


def test_nothing_gives_nothing() -> None:
    assert pass_table([], [], [1, 2]).at.shape == (0, 2)
    assert pass_table([1], [2], []).all.shape == (1, 0)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="j is 0"):
        pass_at(1, 2, 0)
    with pytest.raises(UsageError, match="whole numbers"):
        pass_all(3, 2, 1)
    with pytest.raises(UsageError, match="2 dimensions"):
        pass_table([[1]], [[2]], [1])
    with pytest.raises(UsageError, match="shape"):
        pass_table([1, 2], [2], [1])
    with pytest.raises(UsageError, match="j is -1"):
        pass_table([1], [2], [1, -1])
