"""Cost per success: the cost of all attempts over the successes, with its interval over tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import InputError, UsageError
from measurand.infer.arrays import ROUNDING, as_level, as_table, family_codes
from measurand.infer.means.coverage import caution
from measurand.infer.means.intervals import ColumnIntervals
from measurand.infer.randomness import bootstrap_weights, generator_and_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["cost_per_success"]


def cost_per_success(
    cost: ArrayLike,
    successes: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> ColumnIntervals:
    """Return Σ cost / Σ successes of each agent, with a percentile bootstrap interval over tasks.

    Tasks, or families of tasks, are drawn with replacement, each with all its trials; failed trials cost too.

    Args:
        cost: (n_tasks, m) cost of all trials of a task together; NaN where any of them is unknown.
        successes: (n_tasks, m) successful trials.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        The ratios and intervals. NaN, with its reason, for an agent without a success and for one with an unknown cost. An
        upper end is infinite where more than (1 - level)/2 of the resamples hold no success.

    Raises:
        UsageError: an argument outside its range, or tables of different shapes.
        InputError: an infinite value, or fewer than 0 successes.

    Source: SPEC 20, cost per success; Efron (1979).

    Example:
        >>> found = cost_per_success([[1.0], [3.0], [2.0], [2.0]], [[1], [0], [1], [2]], resamples=500, rng=1)
        >>> found.estimate.tolist(), (found.low < 2).tolist(), (found.high > 2).tolist()
        ([2.0], [True], [True])
    """
    spent, passed = as_table(cost), as_table(successes)
    if spent.shape != passed.shape:
        raise UsageError(
            f"cost has the shape {spent.shape}, successes {passed.shape}", hint="pass one of each for a cell"
        )
    if (passed < 0).any():
        raise InputError("a number of successes is negative")
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 1")
    generator, seed = generator_and_seed(rng)
    level = as_level(level)
    n = len(spent)
    codes = np.arange(n) if families is None else family_codes(families, n)
    reasons = [_why_undefined(spent[:, i], passed[:, i], codes) for i in range(spent.shape[1])]
    estimate = np.full(spent.shape[1], np.nan)
    known = ~np.isnan(spent).any(axis=0) & (passed.sum(axis=0) > 0)
    estimate[known] = spent[:, known].sum(axis=0) / passed[:, known].sum(axis=0)
    low, high = np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    defined = np.array([reason is None for reason in reasons], dtype=np.bool_)
    units = _sums(spent, codes), _sums(passed, codes)
    if defined.any():
        ratios = _resampled(units[0][:, defined], units[1][:, defined], resamples, generator)
        ratios.sort(axis=0)
        places = np.array([(1 - level) / 2, (1 + level) / 2]) * (resamples - 1)
        low[defined], high[defined] = (
            ratios[np.floor(places[0]).astype(int)],
            ratios[np.ceil(places[1]).astype(int)],
        )
    unit = "tasks" if families is None else "families"
    return ColumnIntervals(
        low=low,
        high=high,
        estimate=estimate,
        defined=defined,
        reasons=tuple(reasons),
        level=level,
        method=f"percentile bootstrap over {'tasks' if families is None else 'families of tasks'}",
        n=n,
        n_units=len(units[0]),
        resamples=resamples,
        seed=seed,
        cautions=tuple(
            _caution(units[0][:, i], units[1][:, i], unit) if there else None
            for i, there in enumerate(defined)
        ),
    )


def _why_undefined(spent: Floats, passed: Floats, codes: NDArray[np.intp]) -> str | None:
    if np.isnan(spent).any():
        return "the cost of some trials is unknown"
    if not passed.sum() > 0:
        return "there is no success"
    if len(np.unique(codes)) < 2:
        return "all values come from one unit: there is nothing to resample"
    rest = spent - passed * (spent.sum() / passed.sum())
    if np.abs(_sums(rest[:, None], codes)).max() <= ROUNDING * np.abs(spent).max():
        return "the ratio is the same in all units: a bootstrap interval has no width"
    return None


def _caution(spent: Floats, passed: Floats, unit: str) -> str | None:
    """Judge the ratio by its linear form, and by the successes where these vary."""
    ones = np.ones(len(passed))
    few = caution("percentile", passed, ones, unit=unit) if np.ptp(passed) > 0 else None
    return few or caution("percentile", spent - passed * (spent.sum() / passed.sum()), ones, unit=unit)


def _sums(table: Floats, codes: NDArray[np.intp]) -> Floats:
    sums = np.zeros((int(codes.max(initial=-1)) + 1, table.shape[1]))
    np.add.at(sums, codes, table)
    return sums


def _resampled(spent: Floats, passed: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return the ratio of each resample, (resamples, m); infinite without a success."""
    parts = []
    for weights in bootstrap_weights(len(spent), resamples, rng):
        cost, success = weights @ spent, weights @ passed
        parts.append(np.divide(cost, success, out=np.full_like(cost, np.inf), where=success > 0))
    return np.concatenate(parts)
