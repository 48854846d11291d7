"""Wilson, Clopper-Pearson, cluster bootstrap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer import intervals
from measurand.infer.intervals import clopper_pearson, cluster_bootstrap, wilson


def ends(interval: Any) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def test_wilson_one_success() -> None:
    assert ends(wilson(1, 1)) == pytest.approx((0.2065, 1.0), abs=1e-4)


@pytest.mark.parametrize(
    ("half", "k"), [(0.30, 7), (0.25, 12), (0.20, 21), (0.15, 39), (0.10, 93), (0.05, 381)]
)
def test_wilson_half_width_needs_the_published_number_of_trials(half: float, k: int) -> None:
    def width(n: int) -> float:
        low, high = ends(wilson(n / 2, n))
        return (high - low) / 2

    assert width(k) <= half < width(k - 1)


def test_intervals_agree_with_scipy() -> None:
    from scipy.stats import binomtest

    for successes, n, level in [(0, 5, 0.95), (3, 7, 0.9), (50, 60, 0.99), (7, 7, 0.95)]:
        other = binomtest(successes, n)
        for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
            reference = other.proportion_ci(level, method=method)  # type: ignore[arg-type]
            assert ends(ours(successes, n, level=level)) == pytest.approx(tuple(reference), abs=1e-10)


@given(n=st.integers(1, 200), data=st.data())
def test_shares_lie_in_their_intervals_and_mirror(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    for method in (wilson, clopper_pearson):
        low, high = ends(method(successes, n))
        assert 0 <= low <= successes / n <= high <= 1
        mirrored = ends(method(n - successes, n))
        assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-9)


@pytest.mark.parametrize("method", [wilson, clopper_pearson])
def test_no_trials_give_a_reason(method: Any) -> None:
    result = method(0, 0)
    assert (result.low, result.high, result.estimate) == (None, None, None)
    assert result.reason == "there are no trials"


@pytest.mark.parametrize("method", [wilson, clopper_pearson])
@pytest.mark.parametrize(
    ("successes", "n", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (0, -1, 0.95), (1, 2, 1.0)]
)
def test_wrong_arguments_are_refused(method: Any, successes: int, n: int, level: float) -> None:
    with pytest.raises(UsageError):
        method(successes, n, level=level)


def test_clopper_pearson_counts_whole_trials() -> None:
    with pytest.raises(UsageError, match="wilson takes fractions"):
        clopper_pearson(1.5, 3)  # type: ignore[arg-type]
    assert wilson(1.5, 3).estimate == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
def test_wilson_covers(p: float) -> None:
    successes = np.random.default_rng(30).binomial(40, p, size=4_000)
    low, high = np.array([ends(wilson(int(s), 40)) for s in successes]).T
    assert 0.93 <= np.mean((low <= p) & (p <= high)) <= 0.975


def naive_bootstrap(table: Any, families: Any, *, resamples: int, seed: int, level: float) -> Any:
    """Draw the same units, gather their cells one by one, and take the quantiles of the means."""
    ids = sorted(set(families))
    drawn = np.random.default_rng(seed).integers(0, len(ids), size=(resamples, len(ids)))
    rows = {unit: [r for r, f in enumerate(families) if f == unit] for unit in ids}
    result = []
    for column in np.asarray(table).T.tolist():
        means = []
        for choice in drawn.tolist():
            cells = [column[r] for unit in choice for r in rows[ids[unit]]]
            cells = [x for x in cells if not math.isnan(x)]
            if cells:
                means.append(math.fsum(cells) / len(cells))
        result.append(np.quantile(means or [math.nan], [(1 - level) / 2, (1 + level) / 2]))
    return np.array(result)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
def test_bootstrap_agrees_with_plain_loops(*, gaps: bool, grouped: bool) -> None:
    rng = np.random.default_rng(6)
    table = rng.random((15, 3))
    if gaps:
        table[rng.random(table.shape) < 0.4] = np.nan
        table[3:, 2] = np.nan
        table[:3, 2] = [0.0, 0.3, 1.0]
    families = (np.arange(15) * 7 % 6).tolist() if grouped else list(range(15))
    result = cluster_bootstrap(table, families=families if grouped else None, level=0.9, resamples=300, rng=4)
    expected = naive_bootstrap(table, families, resamples=300, seed=4, level=0.9)
    for column in np.flatnonzero(result.defined):
        assert (result.low[column], result.high[column]) == pytest.approx(tuple(expected[column]))
    assert result.estimate == pytest.approx(np.nanmean(table, axis=0))
    assert result.n == 15
    assert result.n_units == len(set(families))
    assert (result.resamples, result.seed, result.level) == (300, 4, 0.9)


def test_bootstrap_does_not_depend_on_the_size_of_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(7).random((31, 4))
    usual = cluster_bootstrap(table, resamples=500, rng=2)
    monkeypatch.setattr(intervals, "BATCH_BYTES", 2_000)
    small = cluster_bootstrap(table, resamples=500, rng=2)
    assert small.low == pytest.approx(usual.low, rel=1e-12)
    assert small.high == pytest.approx(usual.high, rel=1e-12)


def test_bootstrap_column_is_the_same_alone_and_among_others() -> None:
    table = np.random.default_rng(8).random((31, 4))
    together = cluster_bootstrap(table, resamples=500, rng=2)
    alone = cluster_bootstrap(table[:, [2]], resamples=500, rng=2)
    assert alone.interval(0).low == pytest.approx(together.interval(2).low)


def test_columns_without_width_are_undefined_with_a_reason() -> None:
    table = np.full((6, 4), np.nan)
    table[:, 0] = 0.1
    table[:, 1] = np.arange(6)
    table[3, 2] = 1.0
    result = cluster_bootstrap(table, resamples=100, rng=1)
    assert result.defined.tolist() == [False, True, False, False]
    assert result.reasons == (
        "the means of all units are equal: a bootstrap interval has no width",
        None,
        "all values come from one unit: there is nothing to resample",
        "there are no values",
    )
    assert result.interval(0).estimate == pytest.approx(0.1)
    assert (result.interval(0).low, result.interval(3).estimate) == (None, None)
    assert result.interval(1).reason is None


def test_sparse_column_that_no_resample_meets_is_undefined() -> None:
    table = np.full((400, 2), np.nan)
    table[:, 0] = np.arange(400)
    table[:2, 1] = [0, 1]
    results = [cluster_bootstrap(table, resamples=1, rng=seed).interval(1) for seed in range(40)]
    missed = [result for result in results if result.low is None]
    assert missed
    assert {result.reason for result in missed} == {"none of 1 resamples holds a value"}
    assert {result.estimate for result in missed} == {0.5}


@pytest.mark.parametrize("shape", [(0, 2), (0, 0), (3, 0), (1, 2)])
def test_bootstrap_of_nothing(shape: tuple[int, int]) -> None:
    result = cluster_bootstrap(np.ones(shape), families=np.zeros(shape[0]), resamples=10, rng=1)
    assert not result.defined.any()
    assert all(result.reasons)


def test_bootstrap_refuses_wrong_arguments() -> None:
    with pytest.raises(UsageError):
        cluster_bootstrap([[1.0]], resamples=0, rng=1)
    with pytest.raises(UsageError):
        cluster_bootstrap([[1.0]], level=95, rng=1)
    with pytest.raises(UsageError):
        cluster_bootstrap([1.0], rng=1)
    with pytest.raises(InputError):
        cluster_bootstrap([[-np.inf]], rng=1)


@pytest.mark.slow
def test_bootstrap_covers_with_forty_tasks() -> None:
    rng = np.random.default_rng(31)
    hits = 0
    for _ in range(20):
        result = cluster_bootstrap(rng.standard_normal((40, 50)), resamples=1_000, rng=rng)
        hits += int(((result.low <= 0) & (result.high >= 0)).sum())
    assert 0.92 <= hits / 1_000 <= 0.97
