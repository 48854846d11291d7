"""The winner's curse and its correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.claims.selection_bias import selection_bias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def passes(rng: np.random.Generator, n: int, offsets: list[float]) -> Floats:
    """Pass or fail of agents on tasks that are hard for all or easy for all."""
    difficulty = rng.beta(1.2, 0.8, n)
    odds = np.log(difficulty / (1 - difficulty))[:, None] + np.array(offsets)
    return np.asarray(rng.random((n, len(offsets))) < 1 / (1 + np.exp(-odds)), dtype=np.float64)


def naive(table: Floats, resamples: int, seed: int) -> tuple[float, float]:
    """The two levels by plain loops, one resample after the other."""
    rng, (n, _) = np.random.default_rng(seed), table.shape
    means = table.mean(axis=0)
    first, second = [], []

    def winners(values: Floats) -> NDArray[np.intp]:
        return np.flatnonzero(np.isclose(values, values.max(), rtol=1e-12, atol=0))

    for _ in range(resamples):
        drawn, again = rng.integers(0, n, size=(2, n))
        once, twice = table[drawn].mean(axis=0), table[drawn[again]].mean(axis=0)
        w, w1, w2 = winners(means), winners(once), winners(twice)
        first.append(once.max() - means[w1].mean() - (once[w].mean() - means.max()))
        second.append(twice.max() - once[w2].mean() - (twice[w1].mean() - once.max()))
    return float(np.mean(first)), float(np.mean(second))


def test_it_equals_its_naive_twin() -> None:
    """Both levels, with ties, give what plain loops over the same draws give."""
    table = passes(np.random.default_rng(3), 40, [0.0, 0.1, 0.0, -0.2])
    one, two = naive(table, 300, seed=7)
    found = selection_bias(table, resamples=300, rng=7)
    assert found.single == pytest.approx(one)
    assert found.bias == pytest.approx(max(0.0, 2 * one - two))
    assert found.corrected == pytest.approx(table.mean(axis=0).max() - found.bias)


def test_a_clear_winner_is_not_corrected() -> None:
    """Where nobody else ever comes first, nothing is subtracted, exactly, and the interval is the percentile one."""
    table = passes(np.random.default_rng(1), 300, [3.0, -1.0, -1.5, -2.0])
    found = selection_bias(table, rng=1)
    assert (found.bias, found.single, found.first_often) == (0.0, 0.0, (0,))
    alone = selection_bias(table[:, :1], rng=1)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


def test_one_agent_was_not_selected() -> None:
    """The mean of the only agent stands as it is."""
    found = selection_bias([[1.0], [0.0], [1.0]], rng=1)
    assert (found.top, found.bias) == (0, 0.0)
    assert found.corrected == pytest.approx(2 / 3)


def test_equal_columns_are_one_agent_twice() -> None:
    """A copy of the winner adds nothing: the two never differ."""
    table = passes(np.random.default_rng(2), 100, [2.0, -1.0])
    assert selection_bias(table[:, [0, 0, 1]], rng=1).bias == 0.0


@given(st.permutations(range(5)))
def test_the_order_of_the_agents_does_not_matter(order: list[int]) -> None:
    """Columns in another order give the same numbers, of the same agent."""
    table = np.random.default_rng(4).normal(size=(30, 5))
    one, other = (
        selection_bias(table, resamples=200, rng=1),
        selection_bias(table[:, order], resamples=200, rng=1),
    )
    assert one.top == order[other.top or 0]
    assert (other.bias, other.low, other.high) == pytest.approx((one.bias, one.low, one.high))


@given(st.sampled_from([1e-6, 0.5, 3.0, 1e6]), st.floats(-5, 5))
def test_a_change_of_unit_changes_the_numbers_alike(factor: float, shift: float) -> None:
    """Scaled and shifted values give the scaled and shifted answer."""
    table = np.random.default_rng(5).normal(size=(25, 4))
    one = selection_bias(table, resamples=200, rng=1)
    other = selection_bias((table + shift) * factor, resamples=200, rng=1)
    assert one.bias is not None
    assert one.corrected is not None
    assert other.bias == pytest.approx(one.bias * factor)
    assert other.corrected == pytest.approx((one.corrected + shift) * factor, rel=1e-9, abs=1e-9 * factor)


def test_families_are_resampled_whole() -> None:
    """Tasks copied within their family are no more information: the answer is that of one task a family."""
    table = passes(np.random.default_rng(6), 40, [0.0, 0.2, 0.1])
    copied = np.repeat(table, 5, axis=0)
    one = selection_bias(table, resamples=300, rng=1)
    whole = selection_bias(copied, families=np.repeat(np.arange(40), 5), resamples=300, rng=1)
    assert (whole.bias, whole.low) == pytest.approx((one.bias, one.low))
    assert whole.n_units == 40
    alone = selection_bias(copied, resamples=300, rng=1)
    assert alone.bias is not None
    assert whole.bias is not None
    assert alone.bias < whole.bias


def test_missing_cells_and_empty_columns_are_left_out() -> None:
    """Each mean is over the cells there are; a column without any could not have come first."""
    table = passes(np.random.default_rng(8), 60, [0.0, 0.3, 0.1])
    table[::7, 1] = np.nan
    gaps = np.column_stack([np.full(60, np.nan), table])
    one, other = selection_bias(table, resamples=200, rng=1), selection_bias(gaps, resamples=200, rng=1)
    assert one.top is not None
    assert (other.top, other.bias) == (one.top + 1, one.bias)
    assert other.raw == np.nanmax(np.nanmean(table, axis=0))


def test_a_cell_that_a_resample_leaves_out_does_not_come_first() -> None:
    """An agent with one cell of many is missing from some resamples, and nothing breaks."""
    table = np.array([[1.0, np.nan], [0.0, np.nan], [1.0, 1.0], [0.0, np.nan]])
    found = selection_bias(table, resamples=200, rng=1)
    assert (found.top, found.raw, found.reason) == (1, 1.0, "needs at least 2 tasks; there is 1")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (np.zeros((0, 3)), "there are no values"),
        (np.full((3, 2), np.nan), "there are no values"),
        (np.ones((1, 2)), "needs at least 2 tasks"),
        (np.ones((4, 2)), "an interval has no width"),
    ],
)
def test_what_is_undefined_says_why(table: Floats, reason: str) -> None:
    """Nothing is 0 for want of data."""
    found = selection_bias(table, rng=1)
    assert found.reason is not None
    assert reason in found.reason
    assert (found.low, found.high) == (None, None)
    assert (found.corrected is None) == (len(table) < 4)


def test_few_units_are_cautioned() -> None:
    """Below the number from which the bootstrap claims its level, it says so."""
    few = selection_bias(passes(np.random.default_rng(1), 20, [0.0, 0.1]), resamples=200, rng=1)
    assert few.caution is not None
    assert "from 50 tasks on" in few.caution


def test_the_seed_decides() -> None:
    """The same seed gives the same answer, and is recorded; a generator is used as it is."""
    table = passes(np.random.default_rng(9), 50, [0.0, 0.1, 0.0])
    assert selection_bias(table, rng=5) == selection_bias(table, rng=5)
    assert selection_bias(table, rng=5).seed == 5
    assert selection_bias(table, rng=np.random.default_rng(5)).bias == selection_bias(table, rng=5).bias


def test_wrong_arguments_are_refused() -> None:
    """Too few resamples, a level that is none, an infinite value."""
    with pytest.raises(UsageError, match="resamples"):
        selection_bias([[1.0]], resamples=10, rng=1)
    with pytest.raises(UsageError, match="level"):
        selection_bias([[1.0]], level=2, rng=1)
    with pytest.raises(InputError, match="infinite"):
        selection_bias([[np.inf]], rng=1)


@pytest.mark.slow
def test_of_ten_equal_agents_most_of_the_bias_goes() -> None:
    """500 tables of ten equal agents: the correction takes away at least 70 % of what picking the first adds."""
    rng, truth = np.random.default_rng(20), 0.6
    raw, corrected = [], []
    for number in range(500):
        found = selection_bias(passes(rng, 500, [0.0] * 10), resamples=400, rng=number)
        raw.append((found.raw or 0.0) - truth)
        corrected.append((found.corrected or 0.0) - truth)
    assert np.mean(raw) > 0.02
    assert abs(np.mean(corrected)) <= 0.3 * np.mean(raw)


@pytest.mark.slow
@pytest.mark.parametrize("offsets", [[0.0] * 10, [0.0] * 2 + [-3.0] * 8, [1.5] + [0.0] * 9])
def test_the_interval_covers_the_true_mean_of_whoever_is_on_top(offsets: list[float]) -> None:
    """Equal agents, two equal leaders, a clear winner: the interval covers within two points of its level, or more often."""
    rng = np.random.default_rng(11)
    easy = np.random.default_rng(12).beta(1.2, 0.8, 200_000)
    truth = [float((1 / (1 + np.exp(-(np.log(easy / (1 - easy)) + offset)))).mean()) for offset in offsets]
    covered = 0
    for number in range(400):
        found = selection_bias(passes(rng, 150, offsets), resamples=400, rng=number)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth[found.top or 0] <= found.high
    assert covered / 400 >= 0.93
