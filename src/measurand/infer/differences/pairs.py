"""Paired statistics of all pairs of agents: sums, sums of squares, t, over tasks or families of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.infer.arrays import ROUNDING, join_rounded, row_centre, scaled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["PairStatistics", "UnitTable", "pair_statistics", "unit_table"]

BLOCK_BYTES = 1 << 23
"""Differences of so many pairs are held at a time that they take about this much memory."""

CONSTANT = 1e-18
"""A pair whose sum of squared deviations is no more than this share of its sum of squares differs by a constant."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitTable:
    """A table prepared for paired differences; a unit is a task, or a family of tasks.

    Attributes:
        columns: (m, width) one row an agent, centred in every column, 0 where the cell is missing, times
            2^-exponent. Complete tables have one column a unit; tables with missing cells have one column a task,
            sorted by family.
        present: (m, width) which cells are there; ``None`` when all are.
        starts: first column of each family; ``None`` when a column is a unit.
        n_tasks: number of tasks.
        n_units: number of units.
        exponent: of the power of two that the values were divided by.
    """

    columns: NDArray[np.float64]
    present: NDArray[np.bool_] | None
    starts: NDArray[np.intp] | None
    n_tasks: int
    n_units: int
    exponent: int

    @property
    def n_agents(self) -> int:
        """Number of agents."""
        return len(self.columns)

    def differences(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return first minus second for each pair and unit, (pairs, units); 0 where they share no task."""
        d = self.columns[first] - self.columns[second]
        if self.present is not None:
            d[~(self.present[first] & self.present[second])] = 0.0
        if self.starts is None:
            return d
        sums = np.add.reduceat(d, self.starts, axis=1)
        sums[np.abs(sums) <= ROUNDING * np.add.reduceat(np.abs(d), self.starts, axis=1)] = 0.0
        return sums

    def shared(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_] | None:
        """Say in which units each pair has a task in common, (pairs, units); ``None`` for: in all."""
        if self.present is None:
            return None
        both = self.present[first] & self.present[second]
        return both if self.starts is None else np.logical_or.reduceat(both, self.starts, axis=1)

    def informative(self) -> NDArray[np.intp]:
        """Return the units in which at least two agents differ; the others change no sum of differences."""
        high = np.where(self.present, self.columns, -np.inf) if self.present is not None else self.columns
        low = np.where(self.present, self.columns, np.inf) if self.present is not None else self.columns
        if self.columns.size == 0:
            return np.zeros(0, dtype=np.intp)
        differs = high.max(axis=0) > low.min(axis=0)
        if self.starts is not None:
            differs = np.logical_or.reduceat(differs, self.starts)
        return np.flatnonzero(differs)


def unit_table(table: NDArray[np.float64], families: NDArray[np.intp] | None) -> UnitTable:
    """Prepare a table of tasks by agents; ``families`` numbers the families 0..F-1, one a task."""
    n, m = table.shape
    table, exponent = scaled(table)
    missing = np.isnan(table)
    filled = np.where(missing, 0.0, table)
    joined = join_rounded(table, np.abs(filled).max(axis=1, initial=0.0))
    centred = np.where(missing, 0.0, joined - row_centre(joined)[:, None])
    n_units = n if families is None or n == 0 else int(families.max()) + 1
    if families is None or n == 0:
        present = np.ascontiguousarray(~missing.T) if missing.any() else None
        return UnitTable(np.ascontiguousarray(centred.T), present, None, n, n_units, exponent)
    order = np.argsort(families, kind="stable")
    starts = np.searchsorted(families[order], np.arange(n_units))
    if missing.any():
        columns, present = np.ascontiguousarray(centred[order].T), np.ascontiguousarray(~missing[order].T)
        return UnitTable(columns, present, starts, n, n_units, exponent)
    sums = np.add.reduceat(centred[order], starts, axis=0)
    scale = np.add.reduceat(np.abs(centred[order]).max(axis=1, initial=0.0), starts)
    joined = join_rounded(sums, scale)
    joined = joined - row_centre(joined)[:, None]
    return UnitTable(np.ascontiguousarray(joined.T).reshape(m, n_units), None, None, n, n_units, exponent)


@dataclass(frozen=True, slots=True, eq=False)
class PairStatistics:
    """What the data say about each pair i < j, all arrays (P,) in lexicographic order.

    Attributes:
        first: i.
        second: j.
        n_common: tasks that both have.
        n_units: units in which they have a task in common.
        mean_difference: mean of d over the common tasks; 0 without any.
        square: sum of squared differences of the units.
        u: S²/(n Q), within [0, 1]; 0 when Q = 0 or there is one unit.
        t: signed paired t over the units; ±inf for a constant difference, 0 when Q = 0 or there is one unit.
        error: standard error of the mean difference, what t divides it by; 0 for a constant difference, NaN with fewer
            than two units.
        discordant: units in which the two differ.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    n_common: NDArray[np.intp]
    n_units: NDArray[np.intp]
    mean_difference: NDArray[np.float64]
    square: NDArray[np.float64]
    u: NDArray[np.float64]
    t: NDArray[np.float64]
    error: NDArray[np.float64]
    discordant: NDArray[np.intp]

    @property
    def constant(self) -> NDArray[np.bool_]:
        """(P,) whether the two differ, and by the same amount in every unit."""
        return (self.square > 0) & ~(self.error > 0)


def pair_statistics(units: UnitTable) -> PairStatistics:
    """Compute the statistics of all pairs, a block of pairs at a time."""
    first, second = (index.astype(np.intp) for index in np.triu_indices(units.n_agents, k=1))
    count = len(first)
    total, square, spread = np.zeros(count), np.zeros(count), np.zeros(count)
    discordant = np.zeros(count, dtype=np.intp)
    n_units = np.full(count, units.n_units, dtype=np.intp)
    for block in blocks(count, units.columns.shape[1]):
        d = units.differences(first[block], second[block])
        shared = units.shared(first[block], second[block])
        if shared is not None:
            n_units[block] = np.count_nonzero(shared, axis=1)
        total[block], square[block] = _sums(d), np.einsum("pn,pn->p", d, d)
        discordant[block] = np.count_nonzero(d, axis=1)
        d -= (total[block] / np.maximum(n_units[block], 1))[:, None]
        if shared is not None:
            d *= shared
        spread[block] = np.einsum("pn,pn->p", d, d)
    n_common = _common_tasks(units, first, second)
    spread[spread <= CONSTANT * square] = 0.0
    u, t = _u_and_t(total, square, spread, n_units)
    mean = np.ldexp(total / np.maximum(n_common, 1), units.exponent)
    error = np.ldexp(_error(spread, n_units, n_common), units.exponent)
    return PairStatistics(first, second, n_common, n_units, mean, square, u, t, error, discordant)


def _sums(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the row sums, exactly 0 where nothing but rounding is left: else such a u could not be reached again."""
    total: NDArray[np.float64] = d.sum(axis=1)
    total[np.abs(total) <= ROUNDING * np.abs(d).sum(axis=1)] = 0.0
    return total


def blocks(count: int, width: int) -> Iterator[slice]:
    """Split ``count`` rows of ``width`` float64 into slices of about ``BLOCK_BYTES``."""
    step = max(1, BLOCK_BYTES // max(1, 8 * width))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def _common_tasks(units: UnitTable, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    if units.present is None:
        return np.full(len(first), units.n_tasks, dtype=np.intp)
    present = units.present.astype(np.float64)
    return (present @ present.T)[first, second].astype(np.intp)


def _u_and_t(
    total: NDArray[np.float64],
    square: NDArray[np.float64],
    spread: NDArray[np.float64],
    n: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return u = S²/(nQ) and t = S sqrt((n-1)/(n W)), with W the sum of squared deviations from the mean."""
    u = np.zeros(len(total))
    t = np.zeros(len(total))
    some = square > 0
    constant = some & (spread == 0)
    usual = some & ~constant
    u[usual] = np.minimum(total[usual] ** 2 / (n[usual] * square[usual]), 1.0)
    t[usual] = total[usual] * np.sqrt((n[usual] - 1) / (n[usual] * spread[usual]))
    several = constant & (n > 1)
    u[several] = 1.0
    t[several] = np.copysign(np.inf, total[several])
    return u, t


def _error(
    spread: NDArray[np.float64], n_units: NDArray[np.intp], n_common: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return sqrt(n W/(n-1)) over the number of tasks: the standard error of a sum of units, per task."""
    error = np.full(len(spread), np.nan)
    some = n_units > 1
    error[some] = np.sqrt(n_units[some] * spread[some] / (n_units[some] - 1)) / n_common[some]
    return error
