"""Stated confidence against the verdict: naive twins, invariances, edges and coverage."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.repeats import calibration as module
from measurand.infer.repeats.calibration import Calibration, Stated, calibration

FIGURES = ("brier", "brier_skill", "ece", "auroc", "risk_coverage")
ABSTENTION = ("abstained", "fail_given_abstain", "abstain_given_fail", "rate_on_rest")


def judged(x: Any, y: Any, tasks: Any = None, **more: Any) -> Calibration:
    """One trial a task unless told otherwise."""
    tasks = np.arange(len(x)) if tasks is None else tasks
    return calibration(Stated(x, y, tasks, more.pop("families", None)), rng=1, **{"resamples": 60, **more})


def value(found: Calibration, name: str) -> float | None:
    interval = getattr(found, name)
    return None if interval is None else interval.estimate


def naive_auroc(x: Any, y: Any) -> float:
    pairs = [(a > b) + (a == b) / 2 for a in x[y == 1] for b in x[y == 0]]
    return float(np.mean(pairs))


def naive_risk_coverage(x: Any, y: Any) -> float:
    """Mean over all orders that confidence allows, each trial in turn added to those covered."""
    areas = []
    for order in itertools.permutations(range(len(x))):
        if all(x[a] >= x[b] for a, b in itertools.pairwise(order)):
            wrong = np.cumsum([1 - y[i] for i in order])
            areas.append(np.mean(wrong / np.arange(1, len(x) + 1)))
    best = np.mean(np.cumsum(sorted(1 - y)) / np.arange(1, len(x) + 1))
    return float(1 - (np.mean(areas) - best) / ((1 - y).mean() - best))


@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.35, 0.6, 0.95]), st.integers(0, 1)), min_size=2, max_size=6)
)
def test_figures_agree_with_their_definitions(trials: list[tuple[float, int]]) -> None:
    """Brier, skill, error of ten bins, AUROC over all pairs, and risk-coverage over all orders that ties allow."""
    x, y = np.array([t[0] for t in trials]), np.array([t[1] for t in trials])
    found = judged(x, y)
    brier = np.mean((x - y) ** 2)
    assert value(found, "brier") == pytest.approx(brier)
    bins = [np.flatnonzero((x >= b / 10) & ((x < (b + 1) / 10) | (b == 9))) for b in range(10)]
    error = sum(len(b) * abs(x[b].mean() - y[b].mean()) for b in bins if len(b)) / len(x)
    assert value(found, "ece") == pytest.approx(error, abs=1e-12)
    if 0 < y.mean() < 1:
        assert value(found, "brier_skill") == pytest.approx(1 - brier / (y.mean() * (1 - y.mean())))
        assert value(found, "auroc") == pytest.approx(naive_auroc(x, y))
        assert value(found, "risk_coverage") == pytest.approx(naive_risk_coverage(x, y), abs=1e-9)
    else:
        assert [value(found, name) for name in ("brier_skill", "auroc", "risk_coverage")] == [None] * 3
        assert found.auroc.reason == "needs trials that passed and trials that failed"


def test_auroc_is_that_of_the_rank_test() -> None:
    """The Mann-Whitney statistic over the number of pairs."""
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(2)
    x, y = np.round(rng.random(300), 1), rng.integers(0, 2, 300)
    statistic = float(mannwhitneyu(x[y == 1], x[y == 0]).statistic)
    assert value(judged(x, y), "auroc") == pytest.approx(statistic / ((y == 1).sum() * (y == 0).sum()))


def test_perfect_and_random_confidence() -> None:
    """All passes before all fails: 1. One confidence for all: skill 0 at the rate, AUROC one half, risk-coverage 0."""
    y = np.r_[np.ones(7), np.zeros(3)]
    perfect = judged(np.r_[np.full(7, 0.9), np.full(3, 0.2)], y)
    assert [value(perfect, "auroc"), value(perfect, "risk_coverage")] == pytest.approx([1, 1])
    constant = judged(np.full(10, 0.7), y)
    assert value(constant, "brier_skill") == pytest.approx(0)
    assert value(constant, "auroc") == 0.5
    assert value(constant, "risk_coverage") == pytest.approx(0, abs=1e-12)
    assert value(constant, "ece") == pytest.approx(0)
    assert [constant.rate, constant.confidence] == pytest.approx([0.7, 0.7])


def test_tasks_weigh_equally_whatever_their_trials() -> None:
    """A task recorded four times over counts as once."""
    x, y = np.array([0.9, 0.2, 0.6]), np.array([1, 0, 0])
    once = judged(x, y, abstain_below=0.5)
    again = judged(np.r_[x, [0.2] * 3], np.r_[y, [0] * 3], [0, 1, 2, 1, 1, 1], abstain_below=0.5)
    for name in (*FIGURES[:-1], *ABSTENTION):
        assert value(again, name) == pytest.approx(value(once, name))
    assert (again.trials, again.tasks) == (6, 3)


def test_order_of_trials_and_names_of_tasks_do_not_matter() -> None:
    """Shuffled trials and renamed tasks of the same sorted order give the same figures and ends."""
    rng = np.random.default_rng(3)
    x, y, tasks = rng.random(40), rng.integers(0, 2, 40), np.repeat(np.arange(10), 4)
    order = rng.permutation(40)
    one = judged(x, y, tasks, resamples=200)
    other = judged(x[order], y[order], np.array([f"t{t}" for t in tasks[order]]), resamples=200)
    for name in FIGURES:
        assert value(other, name) == pytest.approx(value(one, name))
    assert (other.brier.low, other.auroc.high) == pytest.approx((one.brier.low, one.auroc.high))


def test_abstention() -> None:
    """Below the bound a trial counts as abstained, at it as answered."""
    found = judged([0.1, 0.2, 0.4, 0.5, 0.9], [0, 1, 0, 1, 0], abstain_below=0.5)
    assert [value(found, name) for name in ABSTENTION] == pytest.approx([3 / 5, 2 / 3, 2 / 3, 1 / 2])
    assert judged([0.1], [1]).abstained is None
    everyone = judged([0.1, 0.2], [1, 1], abstain_below=0.5)
    assert [value(everyone, name) for name in ABSTENTION] == [1, 0, None, None]
    assert everyone.abstain_given_fail is not None
    assert everyone.rate_on_rest is not None
    assert everyone.abstain_given_fail.reason == "no trial failed"
    assert everyone.rate_on_rest.reason == "every trial states less than the bound"
    nobody = judged([0.8, 0.9], [1, 0], abstain_below=0.5)
    assert nobody.fail_given_abstain is not None
    assert nobody.fail_given_abstain.reason == "no trial states less than the bound"


def test_no_trials_give_a_reason() -> None:
    """Nothing is known of an agent that states nothing."""
    found = judged([], [], abstain_below=0.5)
    for name in (*FIGURES, *ABSTENTION):
        interval = getattr(found, name)
        assert (interval.estimate, interval.low) == (None, None)
        assert interval.reason == "no trial has both a verdict and a stated confidence"
    assert (found.rate, found.confidence, found.trials, found.tasks) == (None, None, 0, 0)


def test_no_interval_without_spread_and_none_for_the_calibration_error() -> None:
    """One task, or tasks that are all alike, have no interval; the calibration error never has one."""
    for found in (judged([0.3, 0.4], [1, 1], [0, 0]), judged([0.3] * 5, [1] * 5)):
        assert (found.brier.low, found.brier.high) == (None, None)
        assert found.brier.reason == "all units agree: a bootstrap interval has no width"
    many = judged(np.linspace(0, 1, 60), np.arange(60) % 2)
    assert (many.ece.low, many.ece.reason) == (None, "biased upward in every resample")
    assert many.brier.low is not None


def test_intervals_agree_with_plain_resampling() -> None:
    """Brier's interval is that of the mean over tasks from resampled tasks."""
    from measurand.infer.means.intervals import cluster_bootstrap

    rng = np.random.default_rng(4)
    x, y, tasks = rng.random(90), rng.integers(0, 2, 90), np.repeat(np.arange(30), 3)
    found = judged(x, y, tasks, resamples=500)
    means = ((x - y) ** 2).reshape(30, 3).mean(axis=1)
    expected = cluster_bootstrap(means[:, None], resamples=500, rng=1).interval(0)
    assert (found.brier.low, found.brier.high) == pytest.approx((expected.low, expected.high))
    assert (found.brier.n, found.brier.resamples, found.brier.seed, found.brier.level) == (30, 500, 1, 0.95)
    assert found.brier.caution == "the percentile bootstrap claims its level from 50 units on; there are 30"


def test_families_are_resampled_whole() -> None:
    """Tasks of one family alike: the interval over families is wider."""
    rng = np.random.default_rng(5)
    level = np.repeat(rng.random(12), 5)
    y = (rng.random(60) < level).astype(int)
    x = np.full(60, 0.5)
    alone, whole = (
        judged(x, y, resamples=400),
        judged(x, y, resamples=400, families=np.repeat(np.arange(12), 5)),
    )
    assert whole.brier_skill.n == 12
    assert (
        whole.brier_skill.method
        == "percentile bootstrap over families of tasks, trials weighing so that tasks weigh equally"
    )
    assert alone.brier_skill.high is not None
    assert alone.brier_skill.low is not None
    assert whole.brier_skill.low is not None
    assert whole.brier_skill.low < alone.brier_skill.low


def test_many_trials_draw_fewer_resamples_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is bounded; the number drawn is reported, and there is a least one."""
    x, y = np.linspace(0, 1, 40), np.arange(40) % 2
    monkeypatch.setattr(module, "WORK", 40 * 700)
    assert judged(x, y, resamples=10_000).auroc.resamples == 700
    monkeypatch.setattr(module, "WORK", 1)
    assert judged(x, y, resamples=10_000).auroc.resamples == 500
    assert judged(x, y, resamples=100).auroc.resamples == 100


def test_wrong_arguments_are_refused() -> None:
    for wrong in (0, 1.5, -0.1, math.nan):
        with pytest.raises(UsageError, match="abstain_below"):
            judged([0.5], [1], abstain_below=wrong)
    with pytest.raises(UsageError, match="resamples"):
        judged([0.5], [1], resamples=0)
    with pytest.raises(UsageError, match="level"):
        judged([0.5], [1], level=95)
    with pytest.raises(UsageError, match="shape"):
        judged([0.5, 0.6], [1])
    with pytest.raises(UsageError, match="shape"):
        judged([0.5, 0.6], [1, 0], [1])
    for x, y in (([1.1], [1]), ([math.nan], [1]), ([0.5], [0.5])):
        with pytest.raises(InputError):
            judged(x, y)


@pytest.mark.slow
def test_intervals_cover_with_a_hundred_tasks() -> None:
    """Brier, AUROC and risk-coverage of an overconfident agent with three trials a task."""
    rng = np.random.default_rng(6)

    def sample(tasks: int) -> tuple[Any, Any, Any]:
        p = np.repeat(rng.beta(1, 1, tasks), 3)
        x = np.clip(np.repeat(rng.normal(0, 0.2, tasks), 3) + 0.7 * p + 0.2, 0, 1)
        return np.round(x, 2), (rng.random(3 * tasks) < p).astype(int), np.repeat(np.arange(tasks), 3)

    names = ("brier", "auroc", "risk_coverage")
    truth = judged(*sample(60_000), resamples=1)
    hits = dict.fromkeys(names, 0)
    repeats = 600
    for _ in range(repeats):
        found = calibration(Stated(*sample(100)), resamples=500, rng=rng)
        for name in names:
            interval, true = getattr(found, name), value(truth, name)
            assert true is not None
            hits[name] += interval.low <= true <= interval.high
    assert all(0.925 <= count / repeats <= 0.975 for count in hits.values()), hits
