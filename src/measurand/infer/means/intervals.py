"""Intervals of the means of all agents by cluster bootstrap, percentile and BCa.

The intervals of a share stand in `shares`, that of one mean with a clustered standard error in `clusters`; both can be
had from here too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from measurand.errors import UsageError
from measurand.infer.arrays import ROUNDING, as_level, as_table, family_codes
from measurand.infer.means.bca import bca_tails
from measurand.infer.means.clusters import ClusteredError, clustered_standard_error
from measurand.infer.means.coverage import caution
from measurand.infer.means.shares import Interval, clopper_pearson, wilson
from measurand.infer.randomness import bootstrap_weights, generator_and_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike

__all__ = [
    "ClusteredError",
    "ColumnIntervals",
    "Interval",
    "clopper_pearson",
    "cluster_bootstrap",
    "clustered_standard_error",
    "wilson",
]

Floats = NDArray[np.float64]

_NAMES = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap"}


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
        cautions: (m,) why an interval may cover with less than its level, or ``None`` where it claims its level.
    """

    low: Floats
    high: Floats
    estimate: Floats
    defined: NDArray[np.bool_]
    reasons: tuple[str | None, ...]
    level: float
    method: str
    n: int
    n_units: int
    resamples: int
    seed: int | None
    cautions: tuple[str | None, ...] = ()

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
            caution=self.cautions[column] if defined and self.cautions else None,
        )


def cluster_bootstrap(
    table: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    method: Literal["percentile", "bca"] = "percentile",
    rng: int | np.random.Generator,
) -> ColumnIntervals:
    """Return bootstrap intervals of the column means, resampling tasks (or families of tasks) with all columns.

    A resample draws as many units as there are, with replacement; the mean of a column is the sum of its present
    cells over their number. The ends are quantiles of these means, linearly interpolated: (1-level)/2 and (1+level)/2
    for ``percentile``, those of :func:`measurand.infer.means.bca.bca_tails` for ``bca``. Resamples in which a column has no
    cell are left out of its quantiles. For paired differences give the differences as a column.

    Args:
        table: (n_tasks, m) one value a cell, the mean over trials; NaN = missing.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        resamples: resamples to draw, at least 1.
        method: ``percentile`` or ``bca``; both see the same resamples when they are given the same seed.
        rng: seed or generator.

    Returns:
        The intervals. A column without cells, with equal means in all units or from a single unit has none: its
        bootstrap would have no width. `reasons` says so; a share can fall back on `wilson`. `cautions` says where the
        units are too few for the level to be claimed.

    Raises:
        UsageError: an argument outside its range or of a wrong shape.
        InputError: an infinite value in the table.

    Source: SPEC section 1 and section 15 point 8; Efron (1987) for BCa.

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
    if method not in _NAMES:
        raise UsageError(f"there is no method {method!r}", hint=f"one of: {', '.join(_NAMES)}")
    generator, seed = generator_and_seed(rng)
    sums, counts = _unit_sums(values, families)
    n_cells = counts.sum(axis=0)
    estimate = np.full(values.shape[1], np.nan)
    np.divide(sums.sum(axis=0), n_cells, out=estimate, where=n_cells > 0)
    reasons = [_why_undefined(sums[:, c], counts[:, c]) for c in range(values.shape[1])]
    possible = [column for column, reason in enumerate(reasons) if reason is None]
    low, high = np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    if possible:
        means = _resampled(
            sums[:, possible], counts[:, possible], bootstrap_weights(len(sums), resamples, generator)
        )
        found = _percentiles if method == "percentile" else _bca
        ends, why = found(means, sums[:, possible], counts[:, possible], level=level)
        low[possible], high[possible] = ends
        for column, reason in zip(possible, why, strict=True):
            reasons[column] = reason
    unit = "tasks" if families is None else "families"
    return ColumnIntervals(
        low=low,
        high=high,
        estimate=estimate,
        defined=~np.isnan(low),
        reasons=tuple(reasons),
        level=level,
        method=f"{_NAMES[method]} over {'tasks' if families is None else 'families of tasks'}",
        n=len(values),
        n_units=len(sums),
        resamples=resamples,
        seed=seed,
        cautions=tuple(caution(method, sums[:, c], counts[:, c], unit=unit) for c in range(values.shape[1])),
    )


def _unit_sums(values: Floats, families: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return sum and number of the present cells, each (units, m)."""
    counts = (~np.isnan(values)).astype(np.float64)
    sums = np.nan_to_num(values)
    if families is None or not len(values):
        return sums, counts
    codes = family_codes(families, len(values))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
    return np.add.reduceat(sums[order], starts, axis=0), np.add.reduceat(counts[order], starts, axis=0)


def _why_undefined(sums: Floats, counts: Floats) -> str | None:
    some = counts > 0
    if not some.any():
        return "there are no values"
    if np.count_nonzero(some) == 1:
        return "all values come from one unit: there is nothing to resample"
    means = sums[some] / counts[some]
    if np.ptp(means) <= ROUNDING * np.abs(means).max():
        return "the means of all units are equal: a bootstrap interval has no width"
    return None


def _resampled(sums: Floats, counts: Floats, weights: Iterator[Floats]) -> Floats:
    """Return the resampled means, (resamples, m); NaN where a resample holds no cell of a column."""
    complete = bool((counts == counts[:, :1]).all())
    parts = []
    for weight in weights:
        total = weight @ sums
        cells = weight @ (counts[:, :1] if complete else counts)
        if cells.all():
            total /= cells
        else:
            cells = np.broadcast_to(cells, total.shape)
            np.divide(total, cells, out=total, where=cells > 0)
            total[cells == 0] = np.nan
        parts.append(total)
    return np.concatenate(parts)


_Ends = tuple[Floats, list[str | None]]
"""The two ends of each column, (2, m), NaN where there are none, and the reason."""


def _percentiles(
    means: Floats,
    sums: Floats,
    counts: Floats,
    *,
    level: float,
) -> _Ends:
    tails = ((1 - level) / 2, (1 + level) / 2)
    if not np.isnan(means).any():
        return np.quantile(means, tails, axis=0), [None] * means.shape[1]
    return _column_by_column(means, sums, counts, lambda *_: tails)


def _bca(
    means: Floats,
    sums: Floats,
    counts: Floats,
    *,
    level: float,
) -> _Ends:
    return _column_by_column(means, sums, counts, partial(bca_tails, level=level))


def _column_by_column(
    means: Floats,
    sums: Floats,
    counts: Floats,
    tails: Callable[[Floats, Floats, Floats], tuple[float, float] | str],
) -> _Ends:
    ends = np.full((2, means.shape[1]), np.nan)
    reasons: list[str | None] = [None] * means.shape[1]
    for column in range(means.shape[1]):
        present = means[:, column][~np.isnan(means[:, column])]
        if not len(present):
            reasons[column] = f"none of {len(means)} resamples holds a value"
            continue
        asked = tails(present, sums[:, column], counts[:, column])
        if isinstance(asked, str):
            reasons[column] = asked
        else:
            ends[:, column] = np.quantile(present, asked)
    return ends, reasons
