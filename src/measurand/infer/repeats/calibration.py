"""Whether an agent knows when it is right: the confidence it states against what came of the trial."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from measurand.errors import InputError, UsageError
from measurand.infer.arrays import ROUNDING, as_level, family_codes
from measurand.infer.means.coverage import CLAIMED_FROM
from measurand.infer.means.shares import Interval
from measurand.infer.randomness import bootstrap_weights, generator_and_seed
from measurand.infer.repeats.calibration_figures import Levels, figures

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Calibration", "Stated", "calibration"]

Floats = NDArray[np.float64]

WORK: Final = 1 << 22
"""Resamples times trials that a bootstrap may take: some tenths of a second."""
LEAST_RESAMPLES: Final = 500

_UNDEFINED: Final = MappingProxyType(
    {
        "brier_skill": "needs trials that passed and trials that failed",
        "auroc": "needs trials that passed and trials that failed",
        "risk_coverage": "needs trials that passed and trials that failed",
        "fail_given_abstain": "no trial states less than the bound",
        "abstain_given_fail": "no trial failed",
        "rate_on_rest": "every trial states less than the bound",
    }
)
"""Figure -> why it is not defined although there are trials."""

_METHOD: Final = "percentile bootstrap over {}, trials weighing so that tasks weigh equally"


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """Trials with a verdict and a stated confidence.

    Attributes:
        confidence: (n,) probability of success that the agent stated, 0 to 1.
        passed: (n,) 1 where the trial passed, else 0.
        tasks: (n,) a task id for each trial.
        families: (n,) a family id for each trial, all trials of a task in one family; ``None`` where tasks stand alone.
    """

    confidence: ArrayLike
    passed: ArrayLike
    tasks: ArrayLike
    families: ArrayLike | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Result of `calibration`; an undefined figure has the estimate ``None`` and a reason.

    Attributes:
        brier: mean of (confidence - passed)², 0 best; 0.25 for always saying one half.
        brier_skill: 1 - Brier/(p(1-p)) with p the rate: 0 for always stating p, 1 best, below 0 worse than that.
        ece: calibration error over ten equal bins; it carries no interval, for it is biased upward in every resample.
        auroc: chance that a passed trial states more than a failed one, ties half; ½ for confidence that says nothing.
        risk_coverage: 1 when all passed trials come before all failed ones by confidence, 0 for a random order.
        abstained: share of trials that state less than `abstain_below`; ``None`` where that is not given, as below.
        fail_given_abstain: share of these that failed.
        abstain_given_fail: share of the failed trials that are among these.
        rate_on_rest: pass rate of the others.
        abstain_below: the bound, or ``None``.
        rate: pass rate of these trials.
        confidence: mean confidence.
        trials: trials with a verdict and a confidence.
        tasks: their tasks.
    """

    brier: Interval
    brier_skill: Interval
    ece: Interval
    auroc: Interval
    risk_coverage: Interval
    abstained: Interval | None
    fail_given_abstain: Interval | None
    abstain_given_fail: Interval | None
    rate_on_rest: Interval | None
    abstain_below: float | None
    rate: float | None
    confidence: float | None
    trials: int
    tasks: int


class _Sample:
    """Trials sorted by confidence, with their levels and weights."""

    def __init__(self, stated: Stated) -> None:
        confidence, passed = _checked(stated)
        n = len(confidence)
        tasks = family_codes(stated.tasks, n)
        self.n_tasks = int(tasks.max(initial=-1)) + 1
        units = tasks if stated.families is None else family_codes(stated.families, n)
        self.n_units = int(units.max(initial=-1)) + 1
        order = np.argsort(confidence, kind="stable")
        weights = 1 / np.bincount(tasks, minlength=self.n_tasks)[tasks]
        self.weights = (weights * (n / max(self.n_tasks, 1)))[order]
        self.confidence, self.passed, self.units = confidence[order], passed[order], units[order]
        self.starts = np.flatnonzero(np.diff(self.confidence, prepend=-1.0))

    def levels(self, drawn: Floats) -> Levels:
        """Weights at each confidence when unit u is drawn ``drawn[b, u]`` times, for each b."""
        weights = drawn[:, self.units] * self.weights
        passed = np.add.reduceat(weights * self.passed, self.starts, axis=1)
        failed = np.add.reduceat(weights * (1 - self.passed), self.starts, axis=1)
        return Levels(self.confidence[self.starts], passed, failed)


def calibration(
    stated: Stated,
    *,
    abstain_below: float | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> Calibration:
    """Return how well stated confidences foretell what comes of the trials.

    Trials of a task weigh 1/k each, with k their number, so that tasks weigh equally. With x the confidence and y the
    verdict: Brier = mean (x - y)²; skill = 1 - Brier/(p(1-p)); ECE = Σ_b w_b |mean x - mean y| over ten equal bins;
    AUROC = P(x of a pass > x of a fail) + ½ P(equal); risk-coverage = 1 - (AuRC - best)/(error - best) with AuRC the mean
    over i of the share of failures among the i most confident trials, trials of equal confidence in random order.
    With a bound for abstention: P(fail | x below it), P(x below it | fail), and the pass rate of the rest.

    Args:
        stated: the trials.
        abstain_below: confidence below which a trial counts as abstained, between 0 and 1; ``None`` for no such figures.
        level: confidence level of the intervals, between 0 and 1.
        resamples: resamples of tasks or families to draw, at least 1; fewer are drawn where trials are very many, and the
            result says how many.
        rng: seed or generator.

    Returns:
        The figures with percentile intervals over tasks, or over families. Undefined with the reason: everything without
        trials; skill, AUROC and risk-coverage unless some trials passed and some failed; an interval with fewer than two
        units, or where all resamples agree.

    Raises:
        UsageError: shapes that do not fit, or an argument outside its range.
        InputError: a confidence outside 0..1 or unknown, or a verdict other than 0 and 1.

    Source: SPEC 20, calibration and abstention; arXiv 2602.16666.

    Example:
        >>> result = calibration(Stated([0.9, 0.8, 0.3, 0.4], [1, 1, 0, 1], [1, 2, 3, 4]), resamples=200, rng=1)
        >>> round(result.brier.estimate, 4), result.auroc.estimate, result.risk_coverage.estimate
        (0.125, 1.0, 1.0)
    """
    level = as_level(level)
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 1")
    if abstain_below is not None and not 0 < abstain_below <= 1:
        raise UsageError(f"abstain_below is {abstain_below}", hint="pass a confidence above 0, up to 1")
    generator, seed = generator_and_seed(rng)
    sample = _Sample(stated)
    n = len(sample.confidence)
    drawn = min(resamples, max(LEAST_RESAMPLES, WORK // max(n, 1)))
    whole = figures(sample.levels(np.ones((1, sample.n_units))), abstain_below=abstain_below) if n else {}
    again = _resampled(sample, drawn, generator, abstain_below) if sample.n_units > 1 else {}
    template = Interval(
        low=None,
        high=None,
        estimate=None,
        level=level,
        method=_METHOD.format("tasks" if stated.families is None else "families of tasks"),
        n=sample.n_units,
        resamples=drawn,
        seed=seed,
    )

    def figure(name: str) -> Interval:
        return _interval(name, whole, again, template)

    def of_abstention(name: str) -> Interval | None:
        return None if abstain_below is None else figure(name)

    return Calibration(
        brier=figure("brier"),
        brier_skill=figure("brier_skill"),
        ece=figure("ece"),
        auroc=figure("auroc"),
        risk_coverage=figure("risk_coverage"),
        abstained=of_abstention("abstained"),
        fail_given_abstain=of_abstention("fail_given_abstain"),
        abstain_given_fail=of_abstention("abstain_given_fail"),
        rate_on_rest=of_abstention("rate_on_rest"),
        abstain_below=abstain_below,
        rate=float(sample.weights @ sample.passed) / n if n else None,
        confidence=float(sample.weights @ sample.confidence) / n if n else None,
        trials=n,
        tasks=sample.n_tasks,
    )


def _checked(stated: Stated) -> tuple[Floats, Floats]:
    confidence = np.asarray(stated.confidence, dtype=np.float64)
    passed = np.asarray(stated.passed, dtype=np.float64)
    if confidence.ndim != 1 or confidence.shape != passed.shape:
        raise UsageError(
            f"confidence has the shape {confidence.shape}, passed {passed.shape}",
            hint="pass one of each for a trial",
        )
    if not ((confidence >= 0) & (confidence <= 1)).all():
        raise InputError("a confidence does not lie between 0 and 1", hint="leave trials without one out")
    if not ((passed == 0) | (passed == 1)).all():
        raise InputError("a verdict is neither 0 nor 1", hint="leave trials without one out")
    return confidence, passed


def _resampled(
    sample: _Sample, resamples: int, rng: np.random.Generator, abstain_below: float | None
) -> dict[str, Floats]:
    parts: dict[str, list[Floats]] = {}
    for weights in bootstrap_weights(sample.n_units, resamples, rng):
        for name, values in figures(sample.levels(weights), abstain_below=abstain_below).items():
            parts.setdefault(name, []).append(values)
    return {name: np.concatenate(values) for name, values in parts.items()}


def _interval(name: str, whole: dict[str, Floats], again: dict[str, Floats], template: Interval) -> Interval:
    if not whole:
        return replace(template, reason="no trial has both a verdict and a stated confidence")
    estimate = float(whole[name][0])
    if math.isnan(estimate):
        return replace(template, reason=_UNDEFINED[name])
    known = replace(template, estimate=estimate)
    if name == "ece":
        return replace(
            known,
            method="ten equal bins",
            resamples=None,
            seed=None,
            reason="biased upward in every resample",
        )
    values = again.get(name, np.empty(0))
    values = values[~np.isnan(values)]
    if not len(values) or np.ptp(values) <= ROUNDING:
        return replace(known, reason="all units agree: a bootstrap interval has no width")
    tails = (1 - template.level) / 2, (1 + template.level) / 2
    low, high = np.quantile(values, tails).tolist()
    return replace(known, low=low, high=high, caution=_caution(template.n))


def _caution(units: int) -> str | None:
    least = CLAIMED_FROM["percentile"]
    if units >= least:
        return None
    return f"the percentile bootstrap claims its level from {least} units on; there are {units}"
