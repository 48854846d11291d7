"""The null "labels": the agents' values permuted within each task, independently from task to task."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.differences.pairs import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from measurand.infer.differences.pairs import PairStatistics, UnitTable
    from measurand.infer.differences.stepdown import Precision

__all__ = ["LabelPermutations"]

TABLE_BYTES = 1 << 21
"""Permuted tables are made so many at a time that they take about this much memory and stay in the cache."""

BATCH_BYTES = 1 << 28
"""Resamples a batch: so many that the statistics of all pairs take at most this much memory."""

LARGEST_BATCH = 4096

MOST_AGENTS_ENUMERATED = 9
"""10! exceeds the highest useful number of resamples already for a single task."""

CANCELLED = 1e-7
"""A squared distance below this share of the squared lengths has lost digits and is computed from the values."""


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Resampled u of all pairs.

    Attributes:
        size: number of resamples.
        u: (P, size).
    """

    size: int
    u: NDArray[np.float64]

    def rows(self, order: NDArray[np.intp]) -> Iterator[NDArray[np.float64]]:
        for pair in order.tolist():
            yield self.u[pair]


class LabelPermutations:
    """All ways to hand out the values of each task to the agents; needs a complete table.

    S of a pair comes from the column sums of a permuted table, Q from the inner products of its columns.

    Attributes:
        words: what is permuted, for the report.
        precision: of the resampled values.
        size: (m!)^k labelings for k informative units; ``None`` when there are far too many to enumerate.
    """

    words = "agent labels permuted within each task"
    precision: Precision = np.float64

    def __init__(self, units: UnitTable, pairs: PairStatistics) -> None:
        if units.present is not None:
            raise UsageError(
                'the null "labels" needs a complete table, and cells are missing',
                hint='use null="signs", or restrict the agents or tasks',
            )
        self.n_units = units.n_units
        self.pairs = pairs
        self.values = np.ascontiguousarray(units.columns[:, units.informative()].T)
        k, m = self.values.shape
        self.size: int | None = None
        if k == 0 or m <= MOST_AGENTS_ENUMERATED:
            self.size = math.factorial(m) ** k if k else 1

    def least_p(self) -> tuple[float, str]:
        """Return (m!)^(1-k): renaming the agents throughout leaves the maximum over all pairs as it is."""
        k, m = self.values.shape
        p = math.exp(min(0.0, (1 - k) * math.lgamma(m + 1)))
        return p, f"agents differ in {k} tasks only, and so the least attainable p is {p:.4g}"

    def enumerate(self) -> Iterator[_Batch]:
        """Yield all labelings, as the digits of 0..size-1 in base m!; number 0 is the identity."""
        k, m = self.values.shape
        orders = np.array(list(itertools.permutations(range(m)))) if k else np.zeros((1, m), dtype=np.intp)
        arranged = self.values[:, orders] if k else np.zeros((0, 1, m))

        def tables(start: int, stop: int) -> NDArray[np.float64]:
            number = np.arange(start, stop)
            made = np.empty((len(number), k, m))
            for task in range(k):
                number, digit = np.divmod(number, len(orders))
                made[:, task] = arranged[task, digit]
            return made

        return self._batches(self.size or 0, tables)

    def draw(self, count: int, rng: np.random.Generator) -> Iterator[_Batch]:
        """Yield random labelings, the rows of one table shuffled after those of the other."""

        def tables(start: int, stop: int) -> NDArray[np.float64]:
            return rng.permuted(np.broadcast_to(self.values, (stop - start, *self.values.shape)), axis=2)

        return self._batches(count, tables)

    def _batches(self, count: int, tables: Callable[[int, int], NDArray[np.float64]]) -> Iterator[_Batch]:
        at_once = max(1, TABLE_BYTES // max(1, 8 * self.values.size))
        size = max(1, min(LARGEST_BATCH, BATCH_BYTES // max(1, 8 * len(self.pairs.first))))
        for start in range(0, count, size):
            stop = min(start + size, count)
            u = np.empty((len(self.pairs.first), stop - start))
            for low in range(start, stop, at_once):
                high = min(low + at_once, stop)
                u[:, low - start : high - start] = self._u(tables(low, high)).T
            yield _Batch(stop - start, u)

    def _u(self, tables: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return u of all pairs for some permuted tables, (tables, P)."""
        first, second = self.pairs.first, self.pairs.second
        sums = tables.sum(axis=1)
        products = np.matmul(tables.transpose(0, 2, 1), tables)
        lengths = np.einsum("bii->bi", products)
        flat = products.reshape(len(tables), -1)
        both = lengths[:, first] + lengths[:, second]
        square = both - 2.0 * flat[:, first * tables.shape[2] + second]
        lost_table, lost_pair = np.nonzero(square <= CANCELLED * both)
        for block in blocks(len(lost_table), tables.shape[1]):
            at, pair = lost_table[block], lost_pair[block]
            d = tables[at, :, first[pair]] - tables[at, :, second[pair]]
            square[at, pair] = np.einsum("pn,pn->p", d, d)
        square *= self.n_units
        total: NDArray[np.float64] = sums[:, first] - sums[:, second]
        total *= total
        np.divide(total, square, out=total, where=square > 0)
        total[square <= 0] = 0.0
        return total
