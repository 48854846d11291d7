"""The null "bootstrap": tasks, or families of tasks, drawn with replacement; differences centred, t computed anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.infer.arrays import ROUNDING
from measurand.infer.differences.pairs import blocks
from measurand.infer.differences.stepdown import ALMOST_ONE
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from measurand.infer.differences.pairs import PairStatistics, UnitTable
    from measurand.infer.differences.stepdown import Precision

__all__ = ["TaskBootstrap"]

BATCH = 2048
"""Resamples a batch: as many columns as a matrix product needs to be fast."""

BATCH_BYTES = 1 << 26
"""With very many tasks a batch is made smaller, so that its counts take no more than this."""

MOST_UNITS_ENUMERATED = 7
"""8^8 exceeds the highest useful number of resamples."""


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Resamples of the units.

    Attributes:
        size: number of resamples.
        counts: (units, size) how often each unit was drawn.
        null: the null it was drawn from.
    """

    size: int
    counts: NDArray[np.float64]
    null: TaskBootstrap

    def rows(self, order: NDArray[np.intp]) -> Iterator[NDArray[np.float64]]:
        for block in blocks(len(order), max(len(self.counts), self.size)):
            yield from self.null.u(order[block], self.counts)


class TaskBootstrap:
    """All ways to draw n of n units with replacement; a unit brings the values, and the gaps, of all agents along.

    The differences of a pair are centred at their mean, so that the null holds in what is drawn. A constant difference
    has no spread to draw from. It is taken as the limit of a small spread, whose t is infinite too where all n draws are
    the same unit and is finite elsewhere.

    Attributes:
        words: what is resampled, for the report.
        precision: of the resampled values.
        size: n^n resamples; ``None`` when there are far too many to enumerate.
    """

    words = "tasks drawn with replacement, differences centred and studentised anew"
    precision: Precision = np.float64

    def __init__(self, units: UnitTable, pairs: PairStatistics) -> None:
        self.units = units
        self.pairs = pairs
        n = units.n_units
        self.size: int | None = n**n if n <= MOST_UNITS_ENUMERATED else None
        self._batch_size = max(1, min(BATCH, BATCH_BYTES // max(1, 8 * n)))

    def least_p(self) -> tuple[float, str]:
        """Return n^(1-n): whatever the data, t is infinite when all draws are one unit."""
        n = self.units.n_units
        p = float(n) ** (1 - n) if n else 1.0
        unit = plural(n, *(("task",) if n == self.units.n_tasks else ("family", "families")))
        return p, f"with {unit} to draw from the least attainable p is {p:.4g}"

    def enumerate(self) -> Iterator[_Batch]:
        """Yield all resamples, as the digits of 0..n^n-1 in base n."""
        n, count = self.units.n_units, self.size or 0
        place = n ** np.arange(n) if n else np.zeros(0, dtype=np.intp)
        for start in range(0, count, self._batch_size):
            number = np.arange(start, min(start + self._batch_size, count))
            yield self._batch(number[:, None] // place % max(n, 1))

    def draw(self, count: int, rng: np.random.Generator) -> Iterator[_Batch]:
        """Yield random resamples, the draws of one after those of the other."""
        n = self.units.n_units
        for start in range(0, count, self._batch_size):
            yield self._batch(rng.integers(0, n, size=(min(self._batch_size, count - start), n)))

    def _batch(self, drawn: NDArray[np.intp]) -> _Batch:
        size, n = drawn.shape
        places = drawn + n * np.arange(size)[:, None]
        counts = np.bincount(places.ravel(), minlength=size * n).reshape(size, n)
        return _Batch(size, np.ascontiguousarray(counts.T, dtype=np.float64), self)

    def u(self, chosen: NDArray[np.intp], counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return u of some pairs in resamples that draw each unit ``counts`` times, (pairs, resamples)."""
        first, second = self.pairs.first[chosen], self.pairs.second[chosen]
        d = self.units.differences(first, second)
        shared = self.units.shared(first, second)
        self._centre(d, shared, chosen)
        u = d @ counts
        np.multiply(u, u, out=u)
        np.multiply(d, d, out=d)
        square = d @ counts
        drawn = None if shared is None else shared.astype(np.float64) @ counts
        square *= self.units.n_units if drawn is None else drawn
        some = square > 0
        np.divide(u, square, out=u, where=some)
        u[~some] = 0.0
        self._constant(u, shared, chosen, counts)
        if drawn is not None:
            self._as_if_all(u, drawn, chosen)
        return u

    def _centre(
        self, d: NDArray[np.float64], shared: NDArray[np.bool_] | None, chosen: NDArray[np.intp]
    ) -> None:
        """Take each pair's mean from its differences, and leave exact zeros where only rounding would be left."""
        largest = np.abs(d).max(axis=1, initial=0.0)
        d -= (d.sum(axis=1) / np.maximum(self.pairs.n_units[chosen], 1))[:, None]
        d[np.abs(d) <= (ROUNDING * largest)[:, None]] = 0.0
        if shared is not None:
            d *= shared

    def _constant(
        self,
        u: NDArray[np.float64],
        shared: NDArray[np.bool_] | None,
        chosen: NDArray[np.intp],
        counts: NDArray[np.float64],
    ) -> None:
        """Let constant differences be infinite where all draws that the pair shares are of one unit."""
        constant = np.flatnonzero(self.pairs.constant[chosen])
        for row in constant.tolist():
            own = counts if shared is None else counts[shared[row]]
            u[row] = own.max(axis=0) == own.sum(axis=0)

    def _as_if_all(
        self, u: NDArray[np.float64], drawn: NDArray[np.float64], chosen: NDArray[np.intp]
    ) -> None:
        """Turn u of so many shared units drawn into the u that has the same t with as many as the data have."""
        np.minimum(u, ALMOST_ONE, out=u)
        u /= 1.0 - u
        u *= np.maximum(drawn - 1.0, 0.0)
        u /= np.maximum(self.pairs.n_units[chosen] - 1.0, 1.0)[:, None]
        u /= 1.0 + u
