"""The exchange rates at which a paired t exceeds a critical value: one interval for each ordered pair of agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.cost.cone import pair_cone
from measurand.infer.cost.gains import complete_units

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from measurand.infer.cost.cone import Floats, PairCone

__all__ = ["RateIntervals", "intervals_of", "no_intervals", "rate_intervals"]


@dataclass(frozen=True, slots=True, eq=False)
class RateIntervals:
    """Exchange rates λ at which T exceeds a critical value, for ordered pairs: the row's agent over the column's.

    Attributes:
        low: (m, m) lower ends; NaN where there is no such rate.
        high: (m, m) upper ends; infinite where there is none, NaN where there is no such rate.
    """

    low: Floats
    high: Floats

    def leads(self) -> tuple[Floats, Floats]:
        """Return (m,) ends of the rates at which an agent beats all others; NaN where it does so nowhere."""
        m = len(self.low)
        if m == 0:
            return np.zeros(0), np.zeros(0)
        others = ~np.eye(m, dtype=np.bool_)
        low = np.max(self.low, axis=1, where=others, initial=0.0)
        high = np.min(self.high, axis=1, where=others, initial=np.inf)
        nowhere = np.isnan(low) | np.isnan(high) | (low >= high)
        return np.where(nowhere, np.nan, low), np.where(nowhere, np.nan, high)

    def unbeaten(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return, for each agent, the rates at which no other beats it, as intervals in ascending order, ends included."""
        return tuple(_gaps(self.low[:, agent], self.high[:, agent]) for agent in range(len(self.low)))


def _gaps(low: Floats, high: Floats) -> tuple[tuple[float, float], ...]:
    """Return what some intervals leave of [0, ∞), single points left aside."""
    found, reached = [], 0.0
    there = ~np.isnan(low)
    for start, stop in sorted(zip(low[there].tolist(), high[there].tolist(), strict=True)):
        if start > reached:
            found.append((reached, start))
        reached = max(reached, stop)
    if reached < np.inf:
        found.append((reached, np.inf))
    return tuple(found)


def rate_intervals(
    quality: ArrayLike, cost: ArrayLike, critical_value: float, *, families: ArrayLike | None = None
) -> RateIntervals:
    """Return {λ ≥ 0: T(λ) > critical_value} of every ordered pair of agents.

    With Δ the means, V the variances (ddof 1) and covariance of the gain g in quality and the saving s in cost over n
    units, and k = c²/n, the ends are roots of (Δg² - kV_g) + 2λ(ΔgΔs - kV_gs) + λ²(Δs² - kV_s), or 0, or there is none.

    Args:
        quality: (n_tasks, m_agents) as for :func:`exchange_rates`.
        cost: (n_tasks, m_agents).
        critical_value: c ≥ 0. At 0 the intervals are those of the means.
        families: (n_tasks,) a family id for each task.

    Returns:
        One interval an ordered pair, NaN where it is empty.

    Raises:
        UsageError: a critical value that is negative or not finite, or tables of different shapes.
        InputError: an infinite value.

    Source: SPEC 14; Fieller (1954).

    Example:
        >>> found = rate_intervals([[1, 0], [3, 0], [2, 0]], [[4, 0], [4, 0], [4, 0]], 0.0)
        >>> found.high[0, 1], found.low[1, 0]
        (np.float64(0.5), np.float64(0.5))
    """
    if not 0 <= critical_value < np.inf:
        raise UsageError(f"critical_value is {critical_value}", hint="pass a finite number from 0 on")
    units, _ = complete_units(quality, cost, families)
    return intervals_of(pair_cone(units), critical_value, units.n_agents, exponent=units.exponent)


def no_intervals(m: int) -> RateIntervals:
    """Return empty intervals for m agents."""
    return RateIntervals(np.full((m, m), np.nan), np.full((m, m), np.nan))


def intervals_of(pairs: PairCone, c: float, m: int, *, exponent: int) -> RateIntervals:
    """Cut the rates at the roots; T - c keeps its sign between them."""
    n = pairs.n_units
    cuts = _roots(pairs, c * c / n)
    middles = np.stack(
        [cuts[0] / 2, (cuts[0] + cuts[1]) / 2, np.where(cuts[1] > 0, 2 * cuts[1], _scale(pairs))]
    )
    spread = pairs.gain_variance + middles * (2 * pairs.covariance + middles * pairs.saving_variance)
    error = c * np.sqrt(np.maximum(spread, 0.0) / n)
    mean = pairs.gain + middles * pairs.saving
    proper = np.stack([cuts[0] > 0, cuts[1] > cuts[0], np.ones(len(pairs.first), dtype=np.bool_)])
    starts = np.stack([np.zeros_like(cuts[0]), cuts[0], cuts[1]])
    stops = np.stack([cuts[0], cuts[1], np.full_like(cuts[0], np.inf)])
    found = no_intervals(m)
    for sign, rows, columns in ((1.0, pairs.first, pairs.second), (-1.0, pairs.second, pairs.first)):
        there = proper & (sign * mean > error)
        some = there.any(axis=0)
        low = np.min(starts, axis=0, where=there, initial=np.inf)
        high = np.max(stops, axis=0, where=there, initial=0.0)
        found.low[rows, columns] = np.where(some, np.ldexp(low, exponent), np.nan)
        found.high[rows, columns] = np.where(some, np.ldexp(high, exponent), np.nan)
    return found


def _roots(pairs: PairCone, k: float) -> Floats:
    """Return the roots of A + 2Bλ + Cλ² in ascending order, (2, P); 0 in place of one that is negative or is not there."""
    a = pairs.gain**2 - k * pairs.gain_variance
    b = pairs.gain * pairs.saving - k * pairs.covariance
    c = pairs.saving**2 - k * pairs.saving_variance
    q = -(b + np.copysign(np.sqrt(np.maximum(b * b - a * c, 0.0)), b))
    roots = np.zeros((2, len(a)))
    np.divide(q, c, out=roots[0], where=c != 0)
    np.divide(a, q, out=roots[1], where=q != 0)
    roots[~(np.isfinite(roots) & (roots > 0))] = 0.0
    return np.sort(roots, axis=0)


def _scale(pairs: PairCone) -> Floats:
    """Return a rate of the size of gain over saving, at which neither is negligible."""
    size = np.divide(
        pairs.saving_weight, pairs.gain_weight, out=np.ones_like(pairs.gain), where=pairs.gain_weight > 0
    )
    return np.where(size > 0, size, 1.0)
