"""The mean of labels that only a sample of the trials has, helped by predictions that all of them have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.errors import InputError, UsageError
from measurand.infer.arrays import as_level, as_table, family_codes
from measurand.infer.means.intervals import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Corrected", "prediction_powered_mean", "stratified_mean"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean that was corrected by a labelled sample.

    Attributes:
        interval: the mean with its interval; `n` counts the tasks or families that have a labelled trial.
        power: weight λ given to the predictions; ``None`` where there is none.
        labelled: trials with a label.
        trials: trials in all.
        clipped: whether the mean of shares fell outside 0..1 and was set to the end.
    """

    interval: Interval
    power: float | None
    labelled: int
    trials: int
    clipped: bool = False


def prediction_powered_mean(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    power: float | None = None,
    share: bool = True,
) -> Corrected:
    """Estimate the mean label from a random sample of labelled trials and the predictions of all.

    With L the labelled and U the other trials, the estimate is mean_L(Y) + λ (mean_U(f) - mean_L(f)). λ = 0 is the labelled
    sample alone, λ = 1 trusts the predictions fully; by default λ makes the variance least, which for independent
    trials is λ = cov(Y, f)/((1 + |L|/|U|) var(f)). Tasks weigh equally in both means. The variance sums the influence of
    all trials of a task (or family), so that trials of one task need not be independent; λ makes this variance least.

    Args:
        labels: (n_tasks, k) label of each trial; NaN = not labelled.
        predictions: (n_tasks, k) prediction of each trial, such as the first verdict; NaN = no such trial.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        power: λ; ``None`` tunes it.
        share: whether labels lie between 0 and 1, so that the mean and the ends are cut there.

    Returns:
        The mean with a t-interval, labelled tasks (or families) - 1 degrees of freedom. Undefined, with the reason,
        without a label; without interval where one task alone is labelled or nothing varies.

    Raises:
        UsageError: arrays of different shapes, or an argument outside its range.
        InputError: a label without a prediction, or an infinite value.

    Source: Angelopoulos et al., arXiv 2301.09633 and 2311.01453 (PPI++); clustered over tasks.

    Example:
        >>> labels = [[1], [0], [1], [float("nan")], [float("nan")], [float("nan")]]
        >>> found = prediction_powered_mean(labels, [[1], [0], [1], [1], [0], [1]])
        >>> round(found.interval.estimate, 3), round(found.power, 3)
        (0.667, 0.5)
    """
    y, f = _arrays(labels, predictions)
    level = as_level(level)
    codes = _codes(families, len(f))
    there, labelled = ~np.isnan(f), ~np.isnan(y)
    weight = _weights(there)
    one, rest = weight * labelled, weight * (there & ~labelled)
    method = "prediction-powered mean (PPI++), t-interval clustered by " + _unit(families)
    if not labelled.any():
        nothing = Interval(None, None, None, level, method, 0, reason="no trial is labelled")
        return Corrected(nothing, None, 0, int(there.sum()))
    mean, known = _mean(y, one), _mean(f, one)
    own = _influence(y, one, mean, codes)
    shift, other = -_influence(f, one, known, codes), known
    if rest.any():
        other = _mean(f, rest)
        shift = shift + _influence(f, rest, other, codes)
    squares = float(shift @ shift)
    if not rest.any():
        power = 0.0
    elif power is None:
        power = -float(own @ shift) / squares if squares > 0 else 0.0
    estimate = mean + power * (other - known)
    units = _count(labelled, codes)
    found, clipped = _interval(estimate, own + power * shift, units, level=level, method=method, share=share)
    return Corrected(found, power, int(labelled.sum()), int(there.sum()), clipped)


def stratified_mean(
    labels: ArrayLike,
    strata: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    share: bool = True,
) -> Corrected:
    """Estimate the mean label where the labelled trials are a random sample within each stratum.

    Σ_s (W_s/W) mean_s(Y): the labelled mean of each stratum, weighted with the stratum's share of all trials, tasks weighing
    equally. With the first verdict as stratum this needs no common chance of being labelled: passes may be looked at more
    often than failures, or failures not at all when their label is known (0). Predictions that are constant within the
    strata add nothing to it. The variance sums the influence of all trials of a task (or family); half a trial of either
    label is added to the variance of each stratum that was sampled, and to the centre of the interval, so that few or equal
    labels do not look certain.

    Args:
        labels: (n_tasks, k) label of each trial; NaN = not labelled.
        strata: (n_tasks, k) stratum of each trial, as a number; NaN = no such trial.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        share: whether labels lie between 0 and 1, so that the ends are cut there.

    Returns:
        As `prediction_powered_mean`, without λ. Undefined, with the reason, where a stratum has no labelled trial.

    Raises:
        UsageError: arrays of different shapes, or an argument outside its range.
        InputError: a label without a stratum, or an infinite value.

    Source: Cochran (1977) for double sampling with stratification; Fisch et al., arXiv 2406.04291, for prediction-powered strata.

    Example:
        >>> labels = [[1], [0], [float("nan")], [float("nan")], [0], [0]]
        >>> round(stratified_mean(labels, [[1], [1], [1], [1], [0], [0]]).interval.estimate, 3)
        0.333
    """
    y, s = _arrays(labels, strata)
    level = as_level(level)
    codes = _codes(families, len(s))
    there, labelled = ~np.isnan(s), ~np.isnan(y)
    weight = _weights(there)
    method = "stratified mean, t-interval clustered by " + _unit(families)
    counts = (int(labelled.sum()), int(there.sum()))
    estimate, parts = 0.0, []
    influence, few = np.zeros(len(s)), _Few(0.0, 0.0)
    for stratum in np.unique(s[there]).tolist():
        inside = s == stratum
        seen = weight * (inside & labelled)
        if not seen.any():
            reason = f"no trial of the stratum {stratum:g} is labelled"
            return Corrected(Interval(None, None, None, level, method, 0, reason=reason), None, *counts)
        part, mean = float((weight * inside).sum() / weight.sum()), _mean(y, seen)
        estimate += part * mean
        parts.append((mean, weight * inside / weight.sum()))
        if share and (inside & ~labelled).any():
            few = few.with_stratum(part, mean, _count(inside & labelled, codes))
        influence += part * _influence(y, seen, mean, codes)
    if not parts:
        reason = "there are no trials"
        return Corrected(Interval(None, None, None, level, method, 0, reason=reason), None, *counts)
    for mean, belongs in parts:
        influence += _by_unit((mean - estimate) * belongs, codes)
    units = _count(labelled, codes)
    found, clipped = _interval(estimate, influence, units, level=level, method=method, share=share, few=few)
    return Corrected(found, None, *counts, clipped)


class _Few(NamedTuple):
    """What is added to an interval for labels that are few or nearly all alike: half a trial of either label."""

    shift: float
    """Of the centre of the interval."""
    variance: float

    def with_stratum(self, part: float, mean: float, n: int) -> _Few:
        """Add a stratum that was sampled; n counts its tasks or families with a labelled trial."""
        centre = (mean * n + 0.5) / (n + 1)
        more = centre * (1 - centre) / (n + 1) - mean * (1 - mean) / n
        return _Few(self.shift + part * (centre - mean), self.variance + part**2 * max(more, 0.0))


def _arrays(labels: ArrayLike, others: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    y, f = as_table(labels), as_table(others)
    if y.shape != f.shape:
        raise UsageError(
            f"the labels have the shape {y.shape}, the others {f.shape}", hint="pass both for each trial"
        )
    alone = np.argwhere(~np.isnan(y) & np.isnan(f))
    if len(alone):
        raise InputError(
            "a label stands where there is no trial", where=f"task {alone[0][0]}, trial {alone[0][1]}"
        )
    return y, f


def _codes(families: ArrayLike | None, tasks: int) -> NDArray[np.intp]:
    return np.arange(tasks) if families is None else family_codes(families, tasks)


def _count(chosen: NDArray[np.bool_], codes: NDArray[np.intp]) -> int:
    """Units that have one of the trials."""
    return len(np.unique(codes[chosen.any(axis=1)]))


def _unit(families: ArrayLike | None) -> str:
    return "task" if families is None else "family of tasks"


def _weights(there: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weight of each trial: 1 over the number of its task's trials."""
    weight: NDArray[np.float64] = there / np.maximum(there.sum(axis=1, keepdims=True), 1)
    return weight


def _mean(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    return float((np.nan_to_num(values) * weight).sum() / weight.sum())


def _by_unit(values: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.bincount(codes, weights=values.sum(axis=1), minlength=len(codes)).astype(np.float64)


def _influence(
    values: NDArray[np.float64], weight: NDArray[np.float64], mean: float, codes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Sum of each unit's deviations from a weighted mean, so that their squares sum to its variance."""
    return _by_unit((np.nan_to_num(values) - mean) * weight / weight.sum(), codes)


def _interval(
    estimate: float,
    influence: NDArray[np.float64],
    units: int,
    *,
    level: float,
    method: str,
    share: bool,
    few: _Few | None = None,
) -> tuple[Interval, bool]:
    """t-interval from the influence of the units, and whether the estimate had to be cut to 0..1."""
    cut = min(max(estimate, 0.0), 1.0) if share else estimate
    clipped = abs(cut - estimate) > 1e-12
    if units < 2:
        reason = "one unit alone is labelled: nothing is known of how others vary"
        return Interval(None, None, cut, level, method, units, reason=reason), clipped
    few = few or _Few(0.0, 0.0)
    error = math.sqrt(float(influence @ influence) * units / (units - 1) + few.variance)
    if error <= 1e-12:
        reason = "nothing varies between the labelled trials: the interval has no width"
        return Interval(None, None, cut, level, method, units, reason=reason), clipped
    from scipy.special import stdtrit

    half = float(stdtrit(units - 1, (1 + level) / 2)) * error
    low, high = estimate + few.shift - half, estimate + few.shift + half
    if share:
        low, high = max(low, 0.0), min(high, 1.0)
    return Interval(min(low, cut), max(high, cut), cut, level, method, units), clipped
