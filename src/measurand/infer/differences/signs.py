"""The null "signs": one random sign per task, or per family, shared by all pairs of agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.infer.differences.pairs import blocks
from measurand.infer.differences.stepdown import SINGLE_TIE, scalars
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from measurand.infer.differences.pairs import PairStatistics, UnitTable
    from measurand.infer.differences.stepdown import Precision, Row

__all__ = ["SignFlips"]

BATCH = 16_384
"""Resamples a batch: vectors of this length stay in the cache while one pair follows the other, and the usual ten thousand
are one batch."""

BATCH_BYTES = 1 << 27
"""With very many tasks a batch is made smaller, so that its signs take no more than this."""

WORD = 64

MOST_BITS = 24
"""Whole numbers of so many bits are exact in single precision."""


@dataclass(frozen=True, slots=True, eq=False)
class _AgentBatch:
    """Complete table: S of a pair is the difference of two signed column sums.

    Attributes:
        size: number of resamples.
        sums: (m, size) signed sum of each agent's column, in the precision of the null.
        pairs: the observed statistics.
        weights: (P,) 1/(nQ).
    """

    size: int
    sums: Row
    pairs: PairStatistics
    weights: NDArray[np.float64]

    def rows(self, order: NDArray[np.intp]) -> Iterator[Row]:
        row, sums = np.empty(self.size, dtype=self.sums.dtype), list(self.sums)
        weights = scalars(self.weights[order], self.sums.dtype.type)
        first, second = self.pairs.first[order].tolist(), self.pairs.second[order].tolist()
        for i, j, weight in zip(first, second, weights, strict=True):
            np.subtract(sums[i], sums[j], out=row)
            np.multiply(row, row, out=row)
            np.multiply(row, weight, out=row)
            yield row


@dataclass(frozen=True, slots=True, eq=False)
class _PairBatch:
    """Missing cells: each pair has its own tasks, so that S needs the product with its own differences.

    Attributes:
        size: number of resamples.
        heads: (informative units, size) 1 where the sign is plus, 0 where it is minus.
        null: the null it was drawn from.
    """

    size: int
    heads: NDArray[np.float64]
    null: SignFlips

    def rows(self, order: NDArray[np.intp]) -> Iterator[NDArray[np.float64]]:
        null = self.null
        for block in blocks(len(order), max(null.units.columns.shape[1], self.size)):
            chosen = order[block]
            d = null.units.differences(null.pairs.first[chosen], null.pairs.second[chosen])
            d = d[:, null.informative]
            sums = d @ self.heads
            sums *= 2.0
            sums -= d.sum(axis=1)[:, None]
            np.multiply(sums, sums, out=sums)
            sums *= null.weights[chosen][:, None]
            yield from sums


class SignFlips:
    """All sign vectors over the units in which agents differ; in the others a sign changes nothing.

    A flip leaves every Q as it is, so that a resample needs S alone, and S for all pairs comes from one signed
    sum per agent.

    Attributes:
        words: what is permuted, for the report.
        precision: of the resampled values: single where that changes no comparison.
        size: 2^k sign vectors for k informative units.
    """

    words = "one random sign per task, shared by all pairs"

    def __init__(self, units: UnitTable, pairs: PairStatistics) -> None:
        self.units = units
        self.pairs = pairs
        self.informative = units.informative()
        self.size: int | None = 2 ** len(self.informative)
        scale = pairs.n_units * pairs.square
        self.weights = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        self._columns = units.columns[:, self.informative] if units.present is None else None
        self.precision: Precision = np.float32 if single_suffices(units, pairs) else np.float64
        self._batch_size = max(1, min(BATCH, BATCH_BYTES // max(1, 8 * len(self.informative))))

    def least_p(self) -> tuple[float, str]:
        """Return 2^(1-d) for the pair that differs in the most units: all signs or none must be turned."""
        most = int(self.pairs.discordant.max(initial=0))
        unit = plural(
            most, *(("task",) if self.units.n_units == self.units.n_tasks else ("family", "families"))
        )
        p = min(1.0, 2.0 ** (1 - most))
        of = f"2/{2**most} = {p:g}" if most > 1 else "1"
        if most == self.units.n_units:
            return p, f"with {unit} the least attainable p is {of}"
        return p, f"no pair differs in more than {unit}, and so the least attainable p is {of}"

    def enumerate(self) -> Iterator[_AgentBatch | _PairBatch]:
        """Yield all sign vectors, counted in binary; number 0 is the identity up to a common sign."""
        count = 2 ** len(self.informative)
        for start in range(0, count, self._batch_size):
            stop = min(start + self._batch_size, count)
            yield self._batch(np.arange(start, stop, dtype=np.uint64)[:, None])

    def draw(self, count: int, rng: np.random.Generator) -> Iterator[_AgentBatch | _PairBatch]:
        """Yield random sign vectors; each takes the same whole number of 64-bit words from the stream."""
        words = max(1, -(-len(self.informative) // WORD))
        for start in range(0, count, self._batch_size):
            shape = (min(self._batch_size, count - start), words)
            yield self._batch(rng.integers(0, 2**WORD - 1, size=shape, dtype=np.uint64, endpoint=True))

    def _batch(self, words: NDArray[np.uint64]) -> _AgentBatch | _PairBatch:
        octets = words.astype("<u8", copy=False).view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=len(self.informative), bitorder="little")
        heads = bits.astype(np.float64).T
        if self._columns is None:
            return _PairBatch(len(words), heads, self)
        sums = self._columns @ heads
        sums *= 2.0
        sums -= self._columns.sum(axis=1)[:, None]
        rounded: Row = sums.astype(self.precision, copy=False)
        return _AgentBatch(len(words), rounded, self.pairs, self.weights)


def single_suffices(units: UnitTable, pairs: PairStatistics) -> bool:
    """Say whether resampled u in single precision compare with the observed ones as in double precision.

    In a complete table of whole numbers, such as passes and fails, S and Q are whole numbers. Two different values of
    S²/Q near an observed one then differ by no less than a relative 1/(S²Q), and equal ones are equal up to 2e-7.
    """
    if units.present is not None or not len(pairs.u) or not 0 <= units.exponent <= MOST_BITS:
        return False
    whole = np.ldexp(units.columns, units.exponent)
    if not np.array_equal(whole, np.rint(whole)):
        return False
    largest_sum = np.abs(whole).sum(axis=1).max()
    square = float(np.ldexp(pairs.square.max(), 2 * units.exponent))
    reached = pairs.u.max() * units.n_units * square
    return bool(2 * largest_sum < 2**MOST_BITS and reached * square * SINGLE_TIE < 0.5)
