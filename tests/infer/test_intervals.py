"""Wilson, Clopper-Pearson, cluster bootstrap, and that they cover where they claim to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer import randomness
from measurand.infer.means.intervals import (
    clopper_pearson,
    cluster_bootstrap,
    clustered_standard_error,
    wilson,
)


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


def test_intervals_agree_with_statsmodels() -> None:
    """Wilson and Clopper-Pearson are those of another library."""
    other = pytest.importorskip("statsmodels.stats.proportion")
    for n in (1, 2, 5, 17, 200):
        for successes in range(0, n + 1, max(1, n // 7)):
            for ours, method in ((wilson, "wilson"), (clopper_pearson, "beta")):
                low, high = other.proportion_confint(successes, n, alpha=0.1, method=method)
                expected = (np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0))
                assert ends(ours(successes, n, level=0.9)) == pytest.approx(expected, abs=1e-10)


def covered(method: Any, n: int, p: Any) -> Any:
    """Exact coverage of an interval of a share at each true share: the binomial weight of the counts whose interval holds it."""
    from scipy.stats import binom

    low, high = np.array([ends(method(s, n)) for s in range(n + 1)]).T[:, :, None]
    held = (low <= p) & (p <= high)
    return (binom.pmf(np.arange(n + 1)[:, None], n, p) * held).sum(axis=0)


SHARES = (np.arange(2_000) + 0.5) / 2_000


@pytest.mark.parametrize("n", [2, 5, 10, 20, 50, 100])
def test_clopper_pearson_covers_at_least_with_its_level_for_every_share(n: int) -> None:
    """Exactly, without simulation."""
    assert covered(clopper_pearson, n, SHARES).min() >= 0.95 - 1e-12


@pytest.mark.parametrize("n", [5, 10, 20, 50, 100])
def test_wilson_covers_with_its_level_on_average_over_the_shares(n: int) -> None:
    """Exactly; a single share may be covered less often, which is why the claim is about the average."""
    coverage = covered(wilson, n, SHARES)
    assert 0.95 <= coverage.mean() <= 0.96
    assert coverage.min() < 0.93


def test_clopper_pearson_counts_whole_trials() -> None:
    with pytest.raises(UsageError, match="wilson takes fractions"):
        clopper_pearson(1.5, 3)  # type: ignore[arg-type]
    assert wilson(1.5, 3).estimate == 0.5


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
    monkeypatch.setattr(randomness, "BATCH_BYTES", 2_000)
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


def test_bca_and_percentile_see_the_same_resamples() -> None:
    """With one seed they differ only in the quantiles they take: on symmetric data hardly at all."""
    column = np.r_[np.arange(-20.0, 21.0)][:, None]
    percentile = cluster_bootstrap(column, resamples=4_000, rng=3).interval(0)
    bca = cluster_bootstrap(column, resamples=4_000, method="bca", rng=3).interval(0)
    assert ends(bca) == pytest.approx(ends(percentile), abs=0.3)
    assert (percentile.method, bca.method) == ("percentile bootstrap over tasks", "BCa bootstrap over tasks")


@pytest.mark.parametrize("method", ["percentile", "bca"])
@given(
    seed=st.integers(0, 10_000),
    scale=st.floats(1e-3, 1e3),
    shift=st.floats(-10, 10),
)
def test_intervals_follow_a_change_of_unit(method: Any, seed: int, scale: float, shift: float) -> None:
    """Another unit or origin changes the ends as it changes the values."""
    table = np.random.default_rng(seed).exponential(size=(12, 2)) + 1
    before = cluster_bootstrap(table, method=method, resamples=200, rng=1)
    after = cluster_bootstrap(scale * table + shift, method=method, resamples=200, rng=1)
    assert after.low == pytest.approx(scale * before.low + shift, rel=1e-6, abs=1e-6 * scale)
    assert after.high == pytest.approx(scale * before.high + shift, rel=1e-6, abs=1e-6 * scale)


def test_order_of_tasks_and_names_of_families_matter_to_the_random_numbers_only() -> None:
    """With many resamples the interval is the same for tasks in another order and families of other names."""
    rng = np.random.default_rng(12)
    values, families = rng.random((40, 1)), np.repeat(np.arange(10), 4)
    order = rng.permutation(40)
    one = cluster_bootstrap(values, families=families, method="bca", resamples=20_000, rng=1).interval(0)
    names = np.array([f"f{9 - f}" for f in families[order]])
    other = cluster_bootstrap(values[order], families=names, method="bca", resamples=20_000, rng=2).interval(
        0
    )
    assert ends(other) == pytest.approx(ends(one), abs=0.01)


def test_few_units_are_told(recwarn: Any) -> None:
    """Below the units from which a method claims its level, each interval says so, by column."""
    table = np.zeros((60, 3))
    table[:, 0] = np.arange(60)
    table[:4, 1] = 1
    table[:30, 2] = np.arange(30)
    table[30:, 2] = np.nan
    few = cluster_bootstrap(table, resamples=200, rng=1)
    assert few.cautions == (
        None,
        "the percentile bootstrap claims its level where at least 15 tasks differ from the commonest value; here 4 do",
        "the percentile bootstrap claims its level from 50 tasks on; there are 30",
    )
    assert few.interval(2).caution == few.cautions[2]
    assert not recwarn.list


def test_undefined_bca_says_why() -> None:
    """One resample lies on one side of the mean, and no bias can be told from it."""
    result = cluster_bootstrap([[0.0], [1.0], [5.0]], resamples=1, method="bca", rng=1)
    assert (
        result.interval(0).reason
        == "all resampled means lie on one side of the mean: the bias correction is infinite"
    )
    assert result.interval(0).low is None
    assert result.interval(0).estimate == 2.0


def test_unknown_method_is_refused() -> None:
    with pytest.raises(UsageError, match="no method 'basic'"):
        cluster_bootstrap([[1.0]], method="basic", rng=1)  # type: ignore[arg-type]


def objective(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    """A clipped objective: two fifths at 0, the others skewed to the right."""
    return np.minimum(np.exp(rng.normal(-0.3, 0.8, shape)), 3) * (rng.random(shape) > 0.4)


def five_trials(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    return rng.binomial(5, rng.beta(2, 0.4, shape)) / 5


def paired_binary(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    """Differences of two agents on a pass or fail: 12 % won, 8 % lost."""
    u = rng.random(shape)
    return (u < 0.12) * 1.0 - (u > 0.92) * 1.0


def paired_means(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    """Differences of two agents of five trials each whose chances are alike but for five points."""
    p = rng.beta(0.5, 0.5, shape)
    return (rng.binomial(5, p) - rng.binomial(5, np.clip(p - 0.05, 0, 1))) / 5


SCENARIOS = [objective, five_trials, paired_binary, paired_means]
REPEATS, BLOCKS, RESAMPLES = 400, 6, 1_500


def truth(scenario: Any) -> float:
    return float(scenario(np.random.default_rng(99), (2_000, 1_000)).mean())


def coverage(scenario: Any, tasks: int, method: str, families: Any = None) -> float:
    """Share of data sets whose interval holds the true mean; each block of data sets has resamples of its own."""
    mean, rng, hits = truth(scenario), np.random.default_rng(7), 0
    for _ in range(BLOCKS):
        table = scenario(rng, (tasks, REPEATS))
        if method == "t":
            units = np.arange(tasks) if families is None else families
            found = [clustered_standard_error(column, units) for column in table.T]
            hits += sum(f.low is not None and f.high is not None and f.low <= mean <= f.high for f in found)
        else:
            one = cluster_bootstrap(table, families=families, method=method, resamples=RESAMPLES, rng=rng)  # type: ignore[arg-type]
            hits += int(((one.low <= mean + 1e-9) & (mean - 1e-9 <= one.high)).sum())
    return hits / (BLOCKS * REPEATS)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["percentile", "bca", "t"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_intervals_cover_within_two_points_with_a_hundred_tasks(scenario: Any, method: str) -> None:
    """Means and paired differences of graded scores, of trials and of single passes."""
    assert 0.93 <= coverage(scenario, 100, method) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("method", "least"), [("percentile", 50), ("bca", 50), ("t", 30)])
@pytest.mark.parametrize("scenario", [objective, five_trials])
def test_intervals_cover_from_where_they_claim_it(scenario: Any, method: str, least: int) -> None:
    """At the number of tasks from which the level is claimed; with a third of it the same methods fall short."""
    assert 0.925 <= coverage(scenario, least, method) <= 0.97
    assert coverage(scenario, least // 3, method) < 0.925


def clustered(families: int, each: int) -> Any:
    """Tasks of equal families whose chances are alike within a family."""

    def scenario(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
        groups = shape[0] // each
        base = np.repeat(rng.beta(2, 2, (groups, shape[1])), each, axis=0)
        return (rng.random((groups * each, shape[1])) < base) * 1.0

    return scenario, np.repeat(np.arange(families), each)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "families"), [("percentile", 50), ("bca", 50), ("t", 30)])
def test_intervals_cover_with_families(method: str, families: int) -> None:
    """Whole families resampled, or their standard error clustered; tasks taken as independent would not cover."""
    scenario, codes = clustered(families, 4)
    assert 0.93 <= coverage(scenario, families * 4, method, codes) <= 0.97
    assert coverage(scenario, families * 4, method) < 0.90
