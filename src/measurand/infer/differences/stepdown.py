"""Step-down maxima: from resampled statistics of all pairs to raw, single-step and adjusted p-values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from measurand.infer.differences.pairs import PairStatistics

    Row = NDArray[np.float64 | np.float32]
    Precision = type[np.float64 | np.float32]

__all__ = ["SINGLE_TIE", "TIE", "Batch", "Null", "Scale", "Tally", "scalars"]

TIE = 1e-9
"""Relative tolerance on u within which a resampled value counts as equal to the observed one."""

SINGLE_TIE = 1e-6
"""The same where values have single precision, which is used only where no two different values lie so near."""

ALMOST_ONE = 1 - 1e-15
"""Where u is cut before it becomes t², so that a constant difference gives a huge number and no division by 0."""


def _tie(precision: Precision) -> float:
    return SINGLE_TIE if precision is np.float32 else TIE


def scalars(values: NDArray[np.float64], precision: Precision) -> list[Row]:
    """Return arrays of no dimension, which numpy combines with a row faster than it does plain numbers."""
    return [np.asarray(value) for value in values.astype(precision)]


class Batch(Protocol):
    """Some resamples of the whole table, drawn together."""

    @property
    def size(self) -> int:
        """Number of resamples."""
        ...

    def rows(self, order: NDArray[np.intp]) -> Iterator[Row]:
        """Yield the resampled u of one pair after the other, (size,); the array may be reused for the next."""
        ...


class Null(Protocol):
    """A null distribution: how a table is resampled when no agent differs from another.

    Attributes:
        words: what is permuted, for the report.
        precision: of the resampled values.
        size: number of equally likely resamples in all; ``None`` when they are not enumerable.
    """

    words: str
    precision: Precision
    size: int | None

    def least_p(self) -> tuple[float, str]:
        """Return the smallest p that any pair can reach with all resamples, and a clause that says why."""
        ...

    def enumerate(self) -> Iterator[Batch]:
        """Yield every resample once, the identity included."""
        ...

    def draw(self, count: int, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield ``count`` random resamples; the stream does not depend on the size of the batches."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The scale on which the statistics of different pairs are compared.

    With the same n for every pair it is u = S²/(nQ), otherwise t² = (n-1)u/(1-u); both grow with |t|.

    Attributes:
        degrees: (P,) n - 1, or ``None`` for u itself.
    """

    degrees: NDArray[np.float64] | None

    @classmethod
    def of(cls, pairs: PairStatistics) -> Scale:
        """Choose the scale for these pairs."""
        n = pairs.n_units
        return cls(None if len(n) == 0 or n.min() == n.max() else np.maximum(n - 1.0, 0.0))

    def from_u(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move the values of all pairs, (P,), to this scale."""
        if self.degrees is None:
            return u
        cut = np.minimum(u, ALMOST_ONE)
        return self.degrees * cut / (1.0 - cut)

    def move(self, row: Row, pair: int) -> None:
        """Move resampled u of one pair to this scale, in place."""
        if self.degrees is not None:
            np.minimum(row, ALMOST_ONE, out=row)
            np.divide(row, 1.0 - row, out=row)
            row *= self.degrees[pair]

    def to_t(self, value: float, n_units: int, tie: float) -> float:
        """Return the |t| that belongs to a value of this scale; infinite at a constant difference."""
        if self.degrees is not None:
            return float(np.sqrt(value)) if value < TIE / (1.0 - ALMOST_ONE) else np.inf
        return float(np.sqrt((n_units - 1) * value / (1.0 - value))) if value < 1.0 - tie else np.inf


@dataclass(slots=True, eq=False)
class Tally:
    """Counts how often resampled values and maxima reach the observed ones.

    Attributes:
        scale: where values are compared.
        order: pairs by observed value, the smallest first.
        thresholds: (P,) observed values, lowered by the tolerance for ties.
        raw: (P,) resamples in which the pair's own value reaches its observed one.
        step: (P,) resamples in which the maximum over this and all smaller pairs does.
        maxima: the maximum over all pairs, one array a batch.
        precision: of the resampled values.
        total: resamples counted.
        exact: whether these are all resamples there are.
    """

    scale: Scale
    order: NDArray[np.intp]
    thresholds: NDArray[np.float64]
    raw: NDArray[np.intp]
    step: NDArray[np.intp]
    maxima: list[Row] = field(default_factory=list)
    precision: Precision = np.float64
    total: int = 0
    exact: bool = False

    @classmethod
    def of(cls, pairs: PairStatistics, precision: Precision = np.float64) -> Tally:
        """Start counting for these pairs, whose resampled values have some precision."""
        scale = Scale.of(pairs)
        count = len(pairs.u)
        order = np.argsort(-scale.from_u(pairs.u), kind="stable")[::-1].copy()
        thresholds = scale.from_u(pairs.u * (1.0 - _tie(precision)))
        raw, step = np.zeros(count, np.intp), np.zeros(count, np.intp)
        return cls(scale, order, thresholds, raw, step, precision=precision)

    def add(self, batch: Batch) -> None:
        """Count one batch of resamples."""
        running = np.zeros(batch.size, dtype=self.precision)
        reached = np.empty(batch.size, dtype=np.bool_)
        raw, step = [], []
        thresholds = scalars(self.thresholds[self.order], self.precision)
        for pair, threshold, row in zip(self.order.tolist(), thresholds, batch.rows(self.order), strict=True):
            self.scale.move(row, pair)
            np.greater_equal(row, threshold, out=reached)
            raw.append(np.count_nonzero(reached))
            np.maximum(running, row, out=running)
            np.greater_equal(running, threshold, out=reached)
            step.append(np.count_nonzero(reached))
        self.raw[self.order] += np.array(raw, dtype=np.intp)
        self.step[self.order] += np.array(step, dtype=np.intp)
        self.maxima.append(running)
        self.total += batch.size

    def p_raw(self) -> NDArray[np.float64]:
        """P(own value ≥ observed) under the null, one a pair."""
        return self._share(self.raw)

    def p_single_step(self) -> NDArray[np.float64]:
        """P(maximum over all pairs ≥ observed), one a pair."""
        ascending = np.sort(np.concatenate([np.zeros(0), *self.maxima]))
        return self._share(self.total - np.searchsorted(ascending, self.thresholds, side="left"))

    def p_adjusted(self) -> NDArray[np.float64]:
        """Step-down p: the maximum runs over this and all smaller pairs; made monotone along the order."""
        p = self._share(self.step)
        descending = self.order[::-1]
        adjusted = np.empty_like(p)
        adjusted[descending] = np.maximum.accumulate(p[descending]) if len(p) else p
        return adjusted

    def standard_error(self) -> NDArray[np.float64]:
        """Monte-Carlo standard error of the adjusted p: sqrt(p(1-p)/B), 0 when exact."""
        p = self.p_adjusted()
        return np.zeros_like(p) if self.exact else np.sqrt(p * (1.0 - p) / self.total)

    def undecided(self, level: float) -> bool:
        """Say whether some adjusted p lies within three standard errors of the level."""
        return bool(np.any(np.abs(self.p_adjusted() - level) < 3.0 * self.standard_error()))

    def critical_value(self, level: float, n_units: int) -> float | None:
        """Return the |t| above which a pair is significant in a single step; ``None`` when no finite one is."""
        if not len(self.raw):
            return None
        allowed = level * self.total if self.exact else level * (self.total + 1) - 1
        rank = int(np.floor(allowed + TIE))
        if not int(self.exact) <= rank < self.total:
            return None
        maxima = np.concatenate(self.maxima)
        at = self.total - 1 - rank
        value = float(np.partition(maxima, at)[at])
        tie = _tie(self.precision)
        if self.exact and value * (1.0 + tie) >= maxima.max():
            return None
        t = self.scale.to_t(value, n_units, tie)
        return t if np.isfinite(t) else None

    def _share(self, counts: NDArray[np.intp]) -> NDArray[np.float64]:
        extra = 0 if self.exact else 1
        return (counts + extra) / (self.total + extra)
