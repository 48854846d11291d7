"""Standard errors of a mean over tasks in families."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from measurand.errors import InputError, UsageError
from measurand.infer.means.intervals import clustered_standard_error

if TYPE_CHECKING:
    from collections.abc import Callable


def test_golden_values(oracle: Callable[[str], Any]) -> None:
    for row in oracle("clustered_se")["rows"]:
        result = clustered_standard_error(row["y"], row["cluster"])
        assert result.mean_tasks == pytest.approx(row["mean"], rel=1e-12)
        assert result.naive == pytest.approx(row["se_iid"], rel=1e-12)
        assert result.clustered == pytest.approx(row["se_cluster_miller"], rel=1e-12)
        assert result.small_sample == pytest.approx(row["se_cluster_G_over_G_minus_1"], rel=1e-12)


def test_sixteen_tasks_in_five_families() -> None:
    """Outcomes 4/4, 0/4, 3/4, 1/2 and 2/2."""
    passed = [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1]
    families = [1] * 4 + [2] * 4 + [3] * 4 + [4] * 2 + [5] * 2
    result = clustered_standard_error(passed, families)
    assert result.mean_tasks == 0.625
    assert result.mean_families == pytest.approx(0.65)
    assert result.naive == pytest.approx(0.125, abs=1e-6)
    assert result.clustered == pytest.approx(0.191366, abs=1e-6)
    assert result.corrected == pytest.approx(0.193901, abs=1e-6)
    assert (result.n, result.clusters, result.degrees) == (16, 5, 4)
    assert result.low is not None
    assert result.high is not None
    assert (result.high - result.low) / 2 == pytest.approx(2.776445 * 0.191366 * math.sqrt(5 / 4), abs=1e-5)


def test_families_of_one_task_give_the_usual_t_interval() -> None:
    from scipy.stats import sem, t

    y = np.random.default_rng(1).standard_normal(20)
    result = clustered_standard_error(y, np.arange(20), level=0.9)
    assert result.small_sample == pytest.approx(result.naive)
    assert result.corrected == pytest.approx(result.naive)
    expected = t.interval(0.9, 19, loc=y.mean(), scale=sem(y))
    assert (result.low, result.high) == pytest.approx(expected)


def test_missing_values_are_left_out_with_their_families() -> None:
    with_gap = clustered_standard_error([1, 2, 4, np.nan, 3], ["a", "a", "b", "c", "b"])
    without = clustered_standard_error([1, 2, 4, 3], ["a", "a", "b", "b"])
    assert with_gap == without


def test_too_little_data_gives_a_reason() -> None:
    empty = clustered_standard_error([], [])
    assert (empty.mean_tasks, empty.mean_families, empty.naive) == (None, None, None)
    assert empty.reason == "there are no values"
    one = clustered_standard_error([1.0], [0])
    assert (one.mean_tasks, one.naive, one.clustered) == (1.0, None, None)
    family = clustered_standard_error([1.0, 0.0], [0, 0])
    assert family.naive == pytest.approx(0.5)
    assert (family.clustered, family.low) == (None, None)
    assert one.reason == family.reason
    assert family.reason == "all tasks belong to one family: nothing is known about other families"


def test_equal_values_have_no_error_and_no_interval() -> None:
    """A width of zero would claim certainty."""
    result = clustered_standard_error([1, 1, 1, 1], [0, 0, 1, 1])
    assert (result.naive, result.clustered, result.corrected) == (0, 0, 0)
    assert (result.low, result.high) == (None, None)
    assert result.reason == "the means of all families are equal: a t-interval has no width"


def test_families_of_equal_means_have_no_interval_although_their_tasks_differ() -> None:
    """The naive error is not 0, the clustered one is, and no interval is made of it."""
    result = clustered_standard_error([0, 1, 1, 0, 0, 1], [0, 0, 1, 1, 2, 2])
    assert result.naive == pytest.approx(0.2236, abs=1e-4)
    assert (result.small_sample, result.low, result.high) == (0, None, None)


def test_clustered_errors_agree_with_statsmodels() -> None:
    """Another library gives the same for a regression on a constant, with and without its small-sample factor."""
    linear = pytest.importorskip("statsmodels.regression.linear_model")
    rng = np.random.default_rng(3)
    y, groups = rng.standard_normal(70), rng.integers(0, 17, 70)
    result = clustered_standard_error(y, groups)
    model = linear.OLS(y, np.ones(70))
    for correct, ours in ((False, result.clustered), (True, result.small_sample)):
        fitted = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": correct})
        assert ours == pytest.approx(float(fitted.bse[0]), rel=1e-10)


def test_few_families_are_told() -> None:
    """Thirty equal families are enough; as many of very unequal size count as fewer, and twelve are too few."""
    rng = np.random.default_rng(4)
    assert clustered_standard_error(rng.random(60), np.repeat(np.arange(30), 2)).caution is None
    uneven = clustered_standard_error(rng.random(60), np.r_[np.arange(30), np.zeros(30)])
    assert uneven.caution is not None
    assert "the 30 of unequal size count as 3.6" in uneven.caution
    few = clustered_standard_error(rng.random(12), np.arange(12))
    assert few.caution == "the t-interval claims its level from 30 tasks on; there are 12"


def test_wrong_input_is_refused() -> None:
    with pytest.raises(UsageError):
        clustered_standard_error([1, 2], [1])
    with pytest.raises(UsageError):
        clustered_standard_error([1, 2], [1, 2], level=0)
    with pytest.raises(InputError):
        clustered_standard_error([1, np.inf], [1, 2])


@pytest.mark.slow
def test_interval_covers_with_ten_families_where_the_naive_one_does_not() -> None:
    rng = np.random.default_rng(32)
    families = np.repeat(np.arange(10), 6)
    hits = naive_hits = 0
    for _ in range(1_000):
        y = rng.standard_normal(10)[families] + 0.5 * rng.standard_normal(60)
        result = clustered_standard_error(y, families)
        assert result.low is not None
        assert result.high is not None
        assert result.naive is not None
        assert result.mean_tasks is not None
        hits += result.low <= 0 <= result.high
        naive_hits += abs(result.mean_tasks) <= 1.96 * result.naive
    assert 0.93 <= hits / 1_000 <= 0.97
    assert naive_hits / 1_000 < 0.75
