"""Signs of units as plain vectors: all of them, or as many random ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["SignVectors"]

BATCH: Final = 2048
"""Resamples a batch: the vectors of one agent against all others stay in the cache."""

BATCH_BYTES: Final = 1 << 26
"""With very many tasks a batch is made smaller, so that its signs take no more than this."""


@dataclass(frozen=True, slots=True)
class SignVectors:
    """Random signs of some units, one vector a resample; a vector and its opposite count as one.

    Attributes:
        units: number of units that carry a sign.
        total: number of vectors.
        exact: whether these are all there are.
    """

    units: int
    total: int
    exact: bool

    @classmethod
    def at_most(cls, units: int, resamples: int) -> SignVectors:
        """All vectors if there are no more than ``resamples``, else so many random ones."""
        half = 2 ** max(units - 1, 0)
        return cls(units, min(half, resamples), half <= resamples)

    def batches(self, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
        """Yield the vectors as columns of ±1, (units, batch); the last unit keeps its sign when all are listed."""
        size = max(1, min(BATCH, BATCH_BYTES // max(1, 8 * self.units)))
        for start in range(0, self.total, size):
            count = min(size, self.total - start)
            if self.exact:
                numbers = np.arange(start, start + count)
                bits = (numbers >> np.arange(self.units)[:, None]) & 1
            else:
                bits = rng.integers(0, 2, size=(count, self.units)).T
            signs = bits.astype(np.float64)
            signs *= -2.0
            signs += 1.0
            yield signs
