"""Gain and saving of all pairs of agents, and the largest lead that any exchange rate gives one over the other.

With g the gain in quality and s the saving in cost of one agent over another, a unit a row, an exchange rate λ ≥ 0 asks
after the mean of g + λs. All rates together are the directions (1, λ) between quality alone and cost alone: a cone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from measurand.infer.arrays import ROUNDING
from measurand.infer.differences.pairs import CONSTANT, blocks

if TYPE_CHECKING:
    from measurand.infer.cost.gains import Units

__all__ = ["Floats", "PairCone", "pair_cone"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PairCone:
    """What the data say about each pair i < j, all arrays (P,) in lexicographic order; gain and saving of i over j.

    Attributes:
        first: i.
        second: j.
        n_units: number of units, n.
        gain: mean gain a unit.
        saving: mean saving a unit.
        gain_variance: variance of the gains, ddof 1; 0 for a constant gain and for a single unit.
        saving_variance: variance of the savings.
        covariance: covariance of both.
        skewness: of the savings; 0 for a constant saving.
        gain_weight: 1/sqrt(n Σg²); 0 where the two are equal in quality on every unit.
        saving_weight: 1/sqrt(n Σs²); 0 where they cost the same on every unit.
        cosine: Σgs/sqrt(Σg² Σs²); 0 where either is 0 throughout.
        gap: 1 minus the square of `cosine`; 0 where saving and gain are proportional, or nothing is saved.
        x: Σg gain_weight, between -1 and 1: the lead at λ = 0.
        y: Σs saving_weight: the lead where cost alone counts.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    n_units: int
    gain: Floats
    saving: Floats
    gain_variance: Floats
    saving_variance: Floats
    covariance: Floats
    skewness: Floats
    gain_weight: Floats
    saving_weight: Floats
    cosine: Floats
    gap: Floats
    x: Floats
    y: Floats

    def sup_r(self) -> tuple[Floats, Floats]:
        """Return the largest r = Σ(g + λs)/sqrt(n Σ(g + λs)²) over λ ≥ 0 of i over j, and of j over i.

        r grows with the paired t. In the metric of Σ(g, s)(g, s)' it is the cosine of an angle, and so has one maximum:
        inside the cone sqrt(S'Q⁻¹S/n), else the larger of its two ends.
        """
        across = self.y - self.cosine * self.x
        along = self.gap * self.x - self.cosine * across
        best = np.sqrt(np.minimum(self.x**2 + across**2 * _inverse(self.gap), 1.0))
        x = np.where(self.gain_weight > 0, self.x, self.y)
        y = np.where(self.saving_weight > 0, self.y, self.x)
        some = self.gap > 0
        return (
            np.where(some & (across >= 0) & (along >= 0), best, np.maximum(x, y)),
            np.where(some & (across <= 0) & (along <= 0), best, -np.minimum(x, y)),
        )

    def maxima(self, units: Units, signs: Floats) -> Floats:
        """Return, for every sign vector, the largest r² over all ordered pairs and all exchange rates.

        Args:
            units: what the pairs were made from.
            signs: (units, resamples) of ±1.

        Returns:
            (resamples,) maxima.
        """
        sums_q, sums_s = units.quality @ signs, units.saving @ signs
        largest = np.zeros(signs.shape[1])
        inverse = _inverse(self.gap)
        m, start = units.n_agents, 0
        for i in range(m - 1):
            mine = slice(start, start + m - 1 - i)
            start = mine.stop
            x = (sums_q[i] - sums_q[i + 1 :]) * self.gain_weight[mine, None]
            y = (sums_s[i] - sums_s[i + 1 :]) * self.saving_weight[mine, None]
            cosine, gap = self.cosine[mine, None], self.gap[mine, None]
            square = x * x
            edge = np.maximum(square, y * y)
            y -= cosine * x
            x *= gap
            x -= cosine * y
            x *= y
            square += y * y * inverse[mine, None]
            np.copyto(edge, square, where=x >= 0)
            np.maximum(largest, edge.max(axis=0), out=largest)
        return np.minimum(largest, 1.0)


def pair_cone(units: Units) -> PairCone:
    """Compute the moments of all pairs, a block of pairs at a time."""
    first, second = (index.astype(np.intp) for index in np.triu_indices(units.n_agents, k=1))
    found: dict[str, list[Floats]] = {}
    for block in blocks(len(first), units.n_units) if len(first) else (slice(0),):
        gains = units.quality[first[block]] - units.quality[second[block]]
        savings = units.saving[first[block]] - units.saving[second[block]]
        for name, values in _moments(gains, savings).items():
            found.setdefault(name, []).append(values)
    return PairCone(
        first, second, units.n_units, **{name: np.concatenate(parts) for name, parts in found.items()}
    )


def _moments(gains: Floats, savings: Floats) -> dict[str, Floats]:
    """Moments of some pairs; the arguments are (pairs, units)."""
    n = max(gains.shape[1], 1)
    gain, saving = _Side.of(gains), _Side.of(savings)
    cosine = np.einsum("pn,pn->p", gain.unit, saving.unit)
    rest = saving.unit - cosine[:, None] * gain.unit
    gap = np.einsum("pn,pn->p", rest, rest)
    gap[gap <= CONSTANT] = 0.0
    degrees = max(n - 1, 1)
    return {
        "gain": gain.total / n,
        "saving": saving.total / n,
        "gain_variance": gain.spread / degrees,
        "saving_variance": saving.spread / degrees,
        "covariance": np.einsum("pn,pn->p", gain.away, saving.away) / degrees,
        "skewness": _skewness(saving),
        "gain_weight": gain.weight,
        "saving_weight": saving.weight,
        "cosine": cosine,
        "gap": gap,
        "x": gain.total * gain.weight,
        "y": saving.total * saving.weight,
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Gains, or savings, of some pairs.

    Attributes:
        total: sum over the units.
        weight: 1/sqrt(n Q), with Q the sum of squares; 0 where Q is.
        unit: (pairs, units) values over sqrt(Q).
        away: (pairs, units) deviations from the mean; exactly 0 where the values are constant up to rounding.
        spread: sum of the squares of these.
    """

    total: Floats
    weight: Floats
    unit: Floats
    away: Floats
    spread: Floats

    @classmethod
    def of(cls, d: Floats) -> _Side:
        n = max(d.shape[1], 1)
        total = d.sum(axis=1)
        total[np.abs(total) <= ROUNDING * np.abs(d).sum(axis=1)] = 0.0
        square = np.einsum("pn,pn->p", d, d)
        away = d - total[:, None] / n
        spread = np.einsum("pn,pn->p", away, away)
        constant = spread <= CONSTANT * square
        away[constant], spread[constant] = 0.0, 0.0
        return cls(total, _inverse(np.sqrt(n * square)), d * _inverse(np.sqrt(square))[:, None], away, spread)


def _skewness(side: _Side) -> Floats:
    standard = side.away * _inverse(np.sqrt(side.spread))[:, None]
    third: Floats = np.sqrt(side.away.shape[1]) * (standard**3).sum(axis=1)
    return third


def _inverse(values: Floats) -> Floats:
    """Return 1/values, and 0 for 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
