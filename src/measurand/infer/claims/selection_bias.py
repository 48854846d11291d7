"""The winner's curse: how much of the top score comes from having picked the agent for its score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import ROUNDING, as_level, as_table, family_codes
from measurand.infer.means.coverage import caution
from measurand.infer.randomness import generator_and_seed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = ["SelectionBias", "selection_bias"]

BATCH_BYTES = 1 << 22
"""Resamples are drawn so many at a time that their weights take about this much memory and stay in the cache."""


@dataclass(frozen=True, slots=True)
class SelectionBias:
    """Result of `selection_bias`.

    Attributes:
        top: column with the largest mean, the first of equal ones; ``None`` when undefined.
        raw: its mean.
        bias: what the selection is estimated to have added to it, 0 or more.
        single: the same by one bootstrap alone, without the second level.
        corrected: `raw` less `bias`.
        low: lower end of the interval for the true mean of this agent, selection allowed for.
        high: upper end.
        level: confidence level.
        first_often: columns that come first in at least one resample.
        method: what was done, for the report.
        n_units: what is resampled: tasks, or families of tasks.
        resamples: resamples drawn at each of the two levels.
        seed: the seed, or ``None`` when a generator was passed in.
        reason: why something is ``None``, or ``None``.
        caution: why the interval may cover with less than its level, or ``None``.
    """

    top: int | None
    raw: float | None
    bias: float | None
    single: float | None
    corrected: float | None
    low: float | None
    high: float | None
    level: float
    first_often: tuple[int, ...]
    method: str
    n_units: int
    resamples: int
    seed: int | None
    reason: str | None
    caution: str | None = None


def selection_bias(
    table: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    rng: int | np.random.Generator,
) -> SelectionBias:
    """Estimate how much the largest of several means exceeds the true mean of its agent, and subtract it.

    Tasks (or families of tasks) are resampled, with all agents, and from each resample another. With m the means, m* those
    of a resample, m** those of a resample of it, and w, w*, w** the agents that come first in each,

        b1 = E[(m*_{w*} - m_{w*}) - (m*_w - m_w)],    b2 = E[(m**_{w**} - m*_{w**}) - (m**_{w*} - m*_{w*})].

    b1 is what picking the first adds in the resamples; the terms of w have the expectation 0 and take noise out, so that b1
    and b2 are never negative and are 0 for a clear winner. One bootstrap sees agents that are spread by noise already and
    finds too little: about 70 % of the bias of ten equal agents. What it misses is estimated by the next level, b1 - b2,
    so that the bias is 2 b1 - b2 (the iterated bootstrap), at least 0.

    The interval is for the true mean of the agent on top. Its upper end is the percentile of m*_w. Its lower end goes down
    by the quantile of the largest (m_a - m*_a)/se_a over the agents that come first in some resample: with a clear winner
    this is the percentile interval, with many equal agents it allows for any of them having been picked.

    Args:
        table: (n_tasks, m) one value a cell, the mean over trials, of all agents that could have come first; NaN = missing.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        resamples: resamples at each level, at least 100.
        rng: seed or generator.

    Returns:
        The estimate. With one agent nothing was selected: the bias is 0. Without a value, or with fewer than two units,
        it is undefined, and `reason` says so; without spread there is no interval. Columns without a cell are left out.

    Raises:
        UsageError: an argument outside its range or of a wrong shape.
        InputError: an infinite value in the table.

    Source: SPEC 20, selection-corrected top score; Hall and Martin (1988) for the iterated bootstrap; Fuentes, Casella and
    Wells (2018) for an interval that goes further down than up.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> found = selection_bias(rng.random((200, 8)) < 0.5, rng=1)
        >>> found.raw, round(found.bias, 2), round(found.corrected, 2)
        (0.54, 0.05, 0.49)
    """
    values = as_table(table)
    level = as_level(level)
    if resamples < 100:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 100")
    generator, seed = generator_and_seed(rng)
    codes = np.arange(len(values)) if families is None else family_codes(families, len(values))
    units = _unit_sums(values, codes)
    there = np.flatnonzero(units.counts.sum(axis=0) > 0)
    unit = "tasks" if families is None else "families"
    nothing = SelectionBias(
        top=None,
        raw=None,
        bias=None,
        single=None,
        corrected=None,
        low=None,
        high=None,
        level=level,
        first_often=(),
        method="iterated bootstrap over tasks" + ("" if families is None else ", families drawn whole"),
        n_units=len(units.sums),
        resamples=resamples,
        seed=seed,
        reason="there are no values",
    )
    return _estimate(nothing, units, there, generator, unit=unit) if len(there) else nothing


class _Units(NamedTuple):
    """What is resampled: sum and number of the present cells of each unit, (units, m)."""

    sums: NDArray[np.float64]
    counts: NDArray[np.float64]

    def means(self) -> NDArray[np.float64]:
        return np.asarray(self.sums.sum(axis=0) / self.counts.sum(axis=0))


def _unit_sums(values: NDArray[np.float64], codes: NDArray[np.intp]) -> _Units:
    number = int(codes.max(initial=-1)) + 1
    sums, counts = (np.zeros((number, values.shape[1])) for _ in range(2))
    np.add.at(sums, codes, np.nan_to_num(values))
    np.add.at(counts, codes, ~np.isnan(values))
    return _Units(sums, counts)


def _estimate(
    nothing: SelectionBias,
    units: _Units,
    there: NDArray[np.intp],
    rng: np.random.Generator,
    *,
    unit: str,
) -> SelectionBias:
    units = _Units(units.sums[:, there], units.counts[:, there])
    means = units.means()
    first = _first(means[None, :])[0]
    top = int(np.flatnonzero(first)[0])
    raw = float(means[top])
    known = replace(nothing, top=int(there[top]), raw=raw)
    if np.count_nonzero(units.counts[:, top]) < 2:
        return replace(known, reason=f"needs at least 2 {unit}; there is 1")
    once, twice = _resampled(units, nothing.resamples, rng)
    single, second = _optimism(np.broadcast_to(means, once.shape), once), _optimism(once, twice)
    bias = max(0.0, 2 * single - second)
    often = np.union1d(np.flatnonzero(_first(once).any(axis=0)), [top])
    low, high = _ends(means, once, top, often, level=nothing.level)
    flat = high - low <= ROUNDING * abs(raw)
    why = f"the agent has the same mean on all {unit}: an interval has no width" if flat else None
    return replace(
        known,
        bias=bias,
        single=single,
        corrected=raw - bias,
        low=None if flat else min(low, raw - bias),
        high=None if flat else high,
        first_often=tuple(there[often].tolist()),
        reason=why,
        caution=None if flat else caution("percentile", units.sums[:, top], units.counts[:, top], unit=unit),
    )


def _first(means: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say who comes first in each row, (rows, m); agents whose means differ by rounding alone share the place."""
    highest = means.max(axis=1, keepdims=True)
    return np.asarray(means >= highest - ROUNDING * np.abs(highest))


def _optimism(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Mean gain of those who come first after resampling, less that of those who came first before."""
    now, then = _first(after), _first(before)
    gained = after.max(axis=1) - _mean_of(before, now)
    expected = _mean_of(after, then) - before.max(axis=1)
    return float((gained - expected).mean())


def _mean_of(means: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.asarray((means * chosen).sum(axis=1) / chosen.sum(axis=1))


def _ends(
    means: NDArray[np.float64],
    once: NDArray[np.float64],
    top: int,
    often: NDArray[np.intp],
    *,
    level: float,
) -> tuple[float, float]:
    spread = once.std(axis=0)
    fall = np.divide(means - once, spread, out=np.zeros_like(once), where=spread > 0)[:, often].max(axis=1)
    low = means[top] - float(np.quantile(fall, (1 + level) / 2)) * spread[top]
    return float(low), float(np.quantile(once[:, top], (1 + level) / 2))


def _resampled(
    units: _Units, resamples: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means of resamples and of one resample of each, both (resamples, m)."""
    parts = [
        (_weighted(units, weights), _weighted(units, again))
        for weights, again in _weights(len(units.sums), resamples, rng)
    ]
    once, twice = (np.concatenate(side) for side in zip(*parts, strict=True))
    return once, twice


def _weights(
    number: int, resamples: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield how often each unit is drawn, at both levels; the stream does not depend on the size of the batches."""
    step = max(1, BATCH_BYTES // (8 * number))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, number, size=(size, 2, number))
        row = np.arange(size)[:, None] * number
        once = drawn[:, 0] + row
        twice = once.ravel()[drawn[:, 1] + row]
        yield _counted(once, number), _counted(twice, number)


def _counted(places: NDArray[np.int64], number: int) -> NDArray[np.float64]:
    counts = np.bincount(places.ravel(), minlength=places.size)
    return counts.reshape(len(places), number).astype(np.float64)


def _weighted(units: _Units, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column; where a resample holds no cell of it, below all others so that it is not first."""
    total, cells = weights @ units.sums, weights @ units.counts
    lowest = float(
        np.divide(units.sums, units.counts, out=np.zeros_like(units.sums), where=units.counts > 0).min()
    )
    return np.divide(total, cells, out=np.full_like(total, lowest), where=cells > 0)
