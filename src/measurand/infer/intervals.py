"""Intervals: of one share, and of the means of all agents by cluster bootstrap.

The interval of one mean with a clustered standard error stands in `clusters`, and can be had from here too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import ROUNDING, as_level, as_table, family_codes
from measurand.infer.clusters import ClusteredError, clustered_standard_error
from measurand.infer.randomness import generator_and_seed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ClusteredError",
    "ColumnIntervals",
    "Interval",
    "clopper_pearson",
    "cluster_bootstrap",
    "clustered_standard_error",
    "wilson",
]

BATCH_BYTES = 1 << 22
"""Bootstrap weights are made so many resamples at a time that they take about this much memory."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval for one number.

    Attributes:
        low: lower end; ``None`` when undefined.
        high: upper end; ``None`` when undefined.
        estimate: point estimate; ``None`` when undefined.
        level: confidence level, such as 0.95.
        method: how it was made.
        n: sample size: trials, tasks or families, as the method says.
        resamples: resamples drawn; ``None`` when the method draws none.
        seed: their seed; ``None`` without resamples, or when a generator was passed in.
        reason: why an end is ``None``, or ``None``.
    """

    low: float | None
    high: float | None
    estimate: float | None
    level: float
    method: str
    n: int
    resamples: int | None = None
    seed: int | None = None
    reason: str | None = None


def wilson(successes: float, n: int, *, level: float = 0.95) -> Interval:
    """Return the Wilson score interval of a share.

    With p = successes/n and z the normal quantile of (1 + level)/2, the ends are

        (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).

    Args:
        successes: from 0 to n; fractions are allowed (a mean over trials).
        n: sample size, 0 or more.
        level: confidence level, between 0 and 1.

    Returns:
        The interval, within 0..1; undefined, with the reason, for n = 0.

    Raises:
        UsageError: successes outside 0..n, n < 0, or a level outside 0..1.

    Source: SPEC section 1; Wilson (1927).

    Example:
        >>> result = wilson(1, 1)
        >>> round(result.low, 4), result.high
        (0.2065, 1.0)
    """
    _check_share(successes, n)
    level = as_level(level)
    if n == 0:
        return Interval(None, None, None, level, "Wilson score", 0, reason="there are no trials")
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    p = successes / n
    centre = p + z2 / (2 * n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
    low = (centre - half) / (1 + z2 / n) if successes > 0 else 0.0
    high = (centre + half) / (1 + z2 / n) if successes < n else 1.0
    return Interval(max(0.0, low), min(1.0, high), p, level, "Wilson score", n)


def clopper_pearson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Return the Clopper-Pearson interval of a share, which never covers with less than its level.

    The ends are beta quantiles: B(δ/2; s, n-s+1) and B(1-δ/2; s+1, n-s), with δ = 1 - level.

    Args:
        successes: whole number from 0 to n.
        n: sample size, 0 or more.
        level: confidence level, between 0 and 1.

    Returns:
        The interval, within 0..1; undefined, with the reason, for n = 0.

    Raises:
        UsageError: successes not whole or outside 0..n, n < 0, or a level outside 0..1.

    Source: Clopper and Pearson (1934).

    Example:
        >>> round(clopper_pearson(10, 10).low, 4)
        0.6915
    """
    _check_share(successes, n)
    if successes != int(successes):
        raise UsageError(
            f"successes is {successes}", hint="this interval counts whole trials; wilson takes fractions"
        )
    level = as_level(level)
    if n == 0:
        return Interval(None, None, None, level, "Clopper-Pearson", 0, reason="there are no trials")
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return Interval(low, high, successes / n, level, "Clopper-Pearson", n)


def _check_share(successes: float, n: int) -> None:
    if n < 0 or not 0 <= successes <= n:
        raise UsageError(f"successes is {successes} and n is {n}", hint="pass 0 ≤ successes ≤ n")


@dataclass(frozen=True, slots=True, eq=False)
class ColumnIntervals:
    """Result of `cluster_bootstrap`; arrays have one entry a column.

    Attributes:
        low: (m,) lower ends; NaN where `defined` is false.
        high: (m,) upper ends; NaN where `defined` is false.
        estimate: (m,) means over the present cells; NaN for a column without any.
        defined: (m,) where the interval exists.
        reasons: (m,) why it does not, or ``None``.
        level: confidence level.
        method: how it was made.
        n: tasks.
        n_units: what is resampled: families if given, else tasks.
        resamples: resamples drawn.
        seed: the seed, or ``None`` when a generator was passed in.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    estimate: NDArray[np.float64]
    defined: NDArray[np.bool_]
    reasons: tuple[str | None, ...]
    level: float
    method: str
    n: int
    n_units: int
    resamples: int
    seed: int | None

    def interval(self, column: int) -> Interval:
        """Return the interval of one column, with ``None`` for what is undefined; `n` counts resampled units."""
        defined, estimate = bool(self.defined[column]), float(self.estimate[column])
        return Interval(
            low=float(self.low[column]) if defined else None,
            high=float(self.high[column]) if defined else None,
            estimate=None if math.isnan(estimate) else estimate,
            level=self.level,
            method=self.method,
            n=self.n_units,
            resamples=self.resamples,
            seed=self.seed,
            reason=self.reasons[column],
        )


def cluster_bootstrap(
    table: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> ColumnIntervals:
    """Return percentile intervals of the column means, resampling tasks (or families of tasks) with all columns.

    A resample draws as many units as there are, with replacement; the mean of a column is the sum of its present
    cells over their number. The ends are the (1-level)/2 and (1+level)/2 quantiles of these means, linearly
    interpolated; resamples in which a column has no cell are left out of its quantiles.

    Args:
        table: (n_tasks, m) one value a cell, the mean over trials; NaN = missing.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        The intervals. A column without cells, with equal means in all units or from a single unit has none: its
        bootstrap would have no width. `reasons` says so; a share can fall back on `wilson`.

    Raises:
        UsageError: an argument outside its range or of a wrong shape.
        InputError: an infinite value in the table.

    Source: SPEC section 1 and section 15 point 8.

    Example:
        >>> result = cluster_bootstrap([[1, 1], [0, 1], [1, 1], [0, 1]], resamples=2_000, rng=1)
        >>> result.estimate.tolist(), result.low.tolist()
        ([0.5, 1.0], [0.0, nan])
        >>> result.interval(1).reason
        'the means of all units are equal: a bootstrap interval has no width'
    """
    values = as_table(table)
    level = as_level(level)
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 1")
    generator, seed = generator_and_seed(rng)
    sums, counts = _unit_sums(values, families)
    n_cells = counts.sum(axis=0)
    estimate = np.full(values.shape[1], np.nan)
    np.divide(sums.sum(axis=0), n_cells, out=estimate, where=n_cells > 0)
    reasons = [_why_undefined(sums[:, c], counts[:, c]) for c in range(values.shape[1])]
    possible = [column for column, reason in enumerate(reasons) if reason is None]
    low, high = np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    if possible:
        weights = _weights(len(sums), resamples, generator)
        low[possible], high[possible] = _percentiles(
            sums[:, possible], counts[:, possible], weights, level=level
        )
    for column in possible:
        if np.isnan(low[column]):
            reasons[column] = f"none of {resamples} resamples holds a value"
    return ColumnIntervals(
        low=low,
        high=high,
        estimate=estimate,
        defined=~np.isnan(low),
        reasons=tuple(reasons),
        level=level,
        method=f"percentile bootstrap over {'tasks' if families is None else 'families of tasks'}",
        n=len(values),
        n_units=len(sums),
        resamples=resamples,
        seed=seed,
    )


def _unit_sums(
    values: NDArray[np.float64], families: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sum and number of the present cells, each (units, m)."""
    counts = (~np.isnan(values)).astype(np.float64)
    sums = np.nan_to_num(values)
    if families is None or not len(values):
        return sums, counts
    codes = family_codes(families, len(values))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
    return np.add.reduceat(sums[order], starts, axis=0), np.add.reduceat(counts[order], starts, axis=0)


def _why_undefined(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> str | None:
    some = counts > 0
    if not some.any():
        return "there are no values"
    if np.count_nonzero(some) == 1:
        return "all values come from one unit: there is nothing to resample"
    means = sums[some] / counts[some]
    if np.ptp(means) <= ROUNDING * np.abs(means).max():
        return "the means of all units are equal: a bootstrap interval has no width"
    return None


def _weights(units: int, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield how often each unit is drawn, (batch, units); the stream does not depend on the batches."""
    step = max(1, BATCH_BYTES // (8 * units))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, units, size=(size, units))
        drawn += np.arange(size)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def _percentiles(
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    weights: Iterator[NDArray[np.float64]],
    *,
    level: float,
) -> NDArray[np.float64]:
    """Return the two quantiles of the resampled means, (2, m)."""
    totals, cells = [], []
    complete = bool((counts == counts[:, :1]).all())
    for weight in weights:
        totals.append(weight @ sums)
        cells.append(weight @ (counts[:, :1] if complete else counts))
    total, cell = np.concatenate(totals), np.concatenate(cells)
    tails = [(1 - level) / 2, (1 + level) / 2]
    if (cell > 0).all():
        whole: NDArray[np.float64] = np.quantile(total / cell, tails, axis=0)
        return whole
    cell = np.broadcast_to(cell, total.shape)
    ends = np.full((2, total.shape[1]), np.nan)
    for column in range(total.shape[1]):
        present = cell[:, column] > 0
        if present.any():
            ends[:, column] = np.quantile(total[present, column] / cell[present, column], tails)
    return ends
