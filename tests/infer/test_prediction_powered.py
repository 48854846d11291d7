"""Means of labels that a sample of the trials has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import stdtrit

from measurand.errors import InputError, UsageError
from measurand.infer.verifiers.prediction_powered import prediction_powered_mean, stratified_mean

Floats = NDArray[np.float64]
NAN = math.nan


def sample(
    seed: int, tasks: int = 200, trials: int = 1, chance: float = 0.3
) -> tuple[Floats, Floats, Floats]:
    """Labels of a random sample, first verdicts, and all labels; tasks differ in how hard they are."""
    rng = np.random.default_rng(seed)
    ease = rng.beta(1.5, 1.0, size=(tasks, 1)) if trials > 1 else 0.6
    truth = (rng.random((tasks, trials)) < ease).astype(float)
    first = np.where(truth == 1, rng.random(truth.shape) < 0.97, rng.random(truth.shape) < 0.3).astype(float)
    labels = np.where(rng.random(truth.shape) < chance, truth, np.nan)
    return labels, first, truth


def test_naive_twin_of_independent_trials() -> None:
    """With one trial a task, λ, estimate and interval are those of the paper, each group with its own variance."""
    labels, first, _ = sample(3)
    found = prediction_powered_mean(labels, first)
    seen = ~np.isnan(labels[:, 0])
    y, f, rest = labels[seen, 0], first[seen, 0], first[~seen, 0]
    n, more = len(y), len(rest)
    power = np.cov(y, f, ddof=0)[0, 1] / (f.var() + rest.var() * n / more)
    assert found.power == pytest.approx(power)
    assert found.interval.estimate == pytest.approx(y.mean() + power * (rest.mean() - f.mean()))
    error = math.sqrt((y - power * f).var() / n + power**2 * rest.var() / more)
    half = ((found.interval.high or 0) - (found.interval.low or 0)) / 2
    assert half == pytest.approx(stdtrit(n - 1, 0.975) * math.sqrt(n / (n - 1)) * error)
    assert (found.labelled, found.trials, found.interval.n) == (n, 200, n)


def test_power_is_the_best_one() -> None:
    """No other weight of the predictions gives a shorter interval."""
    labels, first, _ = sample(4)
    best = prediction_powered_mean(labels, first)

    def width(power: float | None) -> float:
        found = prediction_powered_mean(labels, first, power=power).interval
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert best.power is not None
    assert width(None) <= min(width(p) for p in (0.0, 0.5, 1.0, best.power - 0.01, best.power + 0.01))
    assert width(None) < 0.9 * width(0.0)


def test_all_labelled_is_the_plain_mean() -> None:
    """Where nothing is left to predict, predictions have no weight."""
    _, first, truth = sample(5)
    found = prediction_powered_mean(truth, first)
    assert (found.power, found.labelled) == (0.0, 200)
    assert found.interval.estimate == pytest.approx(truth.mean())


def test_strata_and_tuned_predictions_agree_for_a_random_sample() -> None:
    """With a first verdict of yes or no both are the same estimate but for the last decimals."""
    labels, first, _ = sample(6, tasks=1000)
    one, other = prediction_powered_mean(labels, first), stratified_mean(labels, first)
    assert one.interval.estimate == pytest.approx(other.interval.estimate, abs=2e-3)
    assert one.interval.low == pytest.approx(other.interval.low, abs=4e-3)
    assert other.power is None


def test_strata_need_no_common_chance() -> None:
    """Passes looked at far more often than failures do not pull the stratified mean up."""
    rng = np.random.default_rng(70)
    _, first, truth = sample(7, tasks=4000)
    labels = np.where(rng.random(truth.shape) < np.where(first == 1, 0.9, 0.1), truth, np.nan)
    assert stratified_mean(labels, first).interval.estimate == pytest.approx(truth.mean(), abs=0.02)
    assert abs((prediction_powered_mean(labels, first).interval.estimate or 0) - truth.mean()) > 0.04


def test_passes_alone_with_failures_known() -> None:
    """Failures that count as failed without a look: the first rate times the accepted share."""
    labels = [[1], [0], [1], [math.nan], [0], [0], [0], [0]]
    found = stratified_mean(np.array(labels), [[1], [1], [1], [1], [0], [0], [0], [0]])
    assert found.interval.estimate == pytest.approx(0.5 * 2 / 3)


def test_families_widen() -> None:
    """Twenty equal tasks of one family say as much as one of them."""
    labels, first, _ = sample(8, tasks=30)
    ids = np.repeat(np.arange(30), 4)
    many, more = np.repeat(labels, 4, axis=0), np.repeat(first, 4, axis=0)
    for mean in (prediction_powered_mean, stratified_mean):
        one, clustered = mean(labels, first), mean(many, more, families=ids)
        assert clustered.interval.estimate == pytest.approx(one.interval.estimate)
        assert clustered.interval.low == pytest.approx(one.interval.low)
        assert clustered.interval.n == one.interval.n


@given(st.integers(0, 10_000))
def test_order_of_tasks_and_trials_does_not_matter(seed: int) -> None:
    """Any order of tasks, and of the trials in them, gives the same interval within 0..1."""
    labels, first, _ = sample(seed, tasks=12, trials=2)
    rng = np.random.default_rng(seed)
    tasks = rng.permutation(12)
    for mean in (prediction_powered_mean, stratified_mean):
        one, other = (
            mean(labels, first).interval,
            mean(labels[tasks][:, ::-1], first[tasks][:, ::-1]).interval,
        )
        assert one.n == other.n
        assert one.estimate == pytest.approx(other.estimate)
        assert (one.low is None) == (other.low is None)
        if one.low is not None and one.high is not None and one.estimate is not None:
            assert one.low == pytest.approx(other.low)
            assert 0 <= one.low <= one.estimate <= one.high <= 1


def test_a_mean_outside_its_range_is_cut_and_says_so() -> None:
    """Weighted predictions may carry a share below 0: it becomes 0, and is marked."""
    labels = np.array([[0], [0], [1], [NAN]])
    found = prediction_powered_mean(labels, [[1], [1], [1], [0]], power=1.0)
    assert (found.interval.estimate, found.clipped) == (0.0, True)
    free = prediction_powered_mean(labels, [[1], [1], [1], [0]], power=1.0, share=False)
    assert free.interval.estimate == pytest.approx(-2 / 3)
    assert not free.clipped


@pytest.mark.parametrize(
    ("labels", "first", "reason"),
    [
        ([[NAN], [NAN]], [[1], [0]], "labelled"),
        ([[1], [NAN]], [[1], [1]], "one unit alone"),
        ([[1], [1]], [[1], [1]], "no width"),
    ],
)
@pytest.mark.parametrize("mean", [prediction_powered_mean, stratified_mean])
def test_too_little_has_a_reason(mean: Any, labels: Any, first: Any, reason: str) -> None:
    """Without labels there is no mean, without variation no interval, and the reason is said."""
    found = mean(labels, first)
    assert found.interval.low is None
    assert reason in found.interval.reason


def test_a_stratum_without_labels_leaves_nothing() -> None:
    """Failures nobody looked at cannot be estimated; and neither can no trials at all."""
    assert "stratum 0" in (stratified_mean(np.array([[1], [NAN]]), [[1], [0]]).interval.reason or "")
    assert stratified_mean(np.zeros((0, 1)), np.zeros((0, 1))).interval.reason == "there are no trials"


def test_wrong_arguments_are_refused() -> None:
    """Shapes that do not fit, and labels of no trial."""
    for mean in (prediction_powered_mean, stratified_mean):
        with pytest.raises(UsageError):
            mean([[1]], [[1, 0]])
        with pytest.raises(InputError, match="no trial"):
            mean([[1], [1]], np.array([[1], [NAN]]))
        with pytest.raises(UsageError):
            mean([[1]], [[1]], level=2)


def test_few_equal_labels_do_not_look_certain() -> None:
    """None of twenty checked passes rejected: the interval still reaches below, and holds the estimate."""
    labels = np.array([[1.0]] * 20 + [[NAN]] * 60 + [[0.0]] * 20)
    found = stratified_mean(labels, [[1.0]] * 80 + [[0.0]] * 20).interval
    plain = stratified_mean(labels, [[1.0]] * 80 + [[0.0]] * 20, share=False).interval
    assert found.estimate == plain.estimate == pytest.approx(0.8)
    assert found.low is not None
    assert plain.low is not None
    assert found.low < plain.low - 0.01


@pytest.mark.slow
def test_intervals_cover_where_few_passes_are_wrong() -> None:
    """One in thirty passes is wrong and fifty are checked: the stratified interval keeps its level."""
    rng = np.random.default_rng(13)
    reps, hits = 2000, 0
    for _ in range(reps):
        truth = (rng.random((500, 1)) < 0.9).astype(float)
        first = np.where(truth == 1, 1.0, rng.random(truth.shape) < 0.3)
        labels = np.where(first == 0, 0.0, np.where(rng.random(truth.shape) < 0.1, truth, np.nan))
        found = stratified_mean(labels, first).interval
        hits += (found.low or 0) <= 0.9 <= (found.high or 0)
    assert 0.94 <= hits / reps <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("trials", [1, 4])
@pytest.mark.parametrize("mean", [prediction_powered_mean, stratified_mean])
def test_intervals_cover_the_true_rate(mean: Any, trials: int) -> None:
    """95 % intervals of both means cover within two points of their level, with tasks as clusters."""
    rng = np.random.default_rng(11)
    tasks, reps, hits = 150, 2000, 0
    for _ in range(reps):
        labels, first, _ = sample(int(rng.integers(2**31)), tasks=tasks, trials=trials, chance=0.4)
        found = mean(labels, first).interval
        hits += found.low <= 0.6 <= found.high
    assert hits / reps == pytest.approx(0.95, abs=0.02)
