"""Exchange rates at which one agent beats another, with the uncertainty of both quality and cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level
from measurand.infer.cost.cone import pair_cone
from measurand.infer.cost.exchange_intervals import RateIntervals, intervals_of, no_intervals
from measurand.infer.cost.gains import complete_units
from measurand.infer.differences.sign_vectors import SignVectors
from measurand.infer.differences.stepdown import TIE
from measurand.infer.randomness import generator_and_seed
from measurand.wording import plural

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from measurand.infer.cost.cone import Floats, PairCone
    from measurand.infer.cost.gains import Units

__all__ = ["ExchangeRates", "exchange_rates"]

SKEWED: Final = 0.2
"""Skewness of a pair's savings over sqrt(n) beyond which a caution is given: most simulated data sets that exceed the level
lie beyond it."""


@dataclass(frozen=True, slots=True, eq=False)
class ExchangeRates:
    """Result of `exchange_rates`. Arrays marked (m, m) are about the row's agent over the column's.

    Attributes:
        low: (m, m) lower end of the exchange rates at which the row's agent beats the column's; NaN where none.
        high: (m, m) upper end; infinite where there is none.
        p: (m, m) adjusted p of "at some exchange rate better"; 1 on the diagonal.
        sup_r: (m, m) the largest r over all rates, which grows with the largest T; 0 on the diagonal.
        dominates: (m, m) whether the row's agent is shown to be better and cheaper than the column's, or one of them and
            equal in the other on every unit.
        same_cost: (m, m) whether the two cost the same on every unit.
        fixed_cost: (m, m) whether their costs differ by one and the same amount on every unit.
        level: error level of all statements together.
        critical_value: the |t| that a statement needs; ``None`` where no finite one is enough.
        method: the test in words, for the report.
        n_tasks: tasks used.
        n_dropped: tasks left out because a cell is missing.
        n_units: what carries a sign: families if given, else tasks.
        resamples: sign vectors used; a vector and its opposite count as one.
        exact: whether every one was enumerated.
        seed: the seed, or ``None`` when a generator was passed in.
        reason: why nothing can be concluded, or ``None``.
        caution: why false statements may be more frequent than `level`, or ``None``.
    """

    low: Floats
    high: Floats
    p: Floats
    sup_r: Floats
    dominates: NDArray[np.bool_]
    same_cost: NDArray[np.bool_]
    fixed_cost: NDArray[np.bool_]
    level: float
    critical_value: float | None
    method: str
    n_tasks: int
    n_dropped: int
    n_units: int
    resamples: int
    exact: bool
    seed: int | None
    reason: str | None
    caution: str | None

    def leads(self) -> tuple[Floats, Floats]:
        """Return (m,) ends of the rates at which an agent is shown to beat all others; NaN where it is so nowhere."""
        return RateIntervals(self.low, self.high).leads()

    def unbeaten(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Return, for each agent, the rates at which none is shown to beat it: where it may lead; (low, high) in order."""
        return RateIntervals(self.low, self.high).unbeaten()


def exchange_rates(
    quality: ArrayLike,
    cost: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.05,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> ExchangeRates:
    """Find for every ordered pair of agents the exchange rates λ ≥ 0 at which the first beats the second.

    U(λ) = quality - λ·cost. For a pair, T(λ) is the paired t of the differences in U over tasks; i is said to beat j
    where T(λ) > c. These rates are one interval, for mean - c·se is concave in λ. c is the (1 - level) quantile, over random
    signs of the tasks shared by all pairs and by quality and cost, of the largest T over all ordered pairs and all λ: so
    the chance that any statement "i beats j at λ" is false is ``level``, whatever pairs and rates are looked at.

    i is shown to dominate j where it beats j at λ = 0 and where cost alone counts, and so at every rate between. Being
    equal on every task counts as not worse.

    All sign vectors are enumerated when there are at most ``resamples`` that differ in more than a common sign.

    Args:
        quality: (n_tasks, m_agents) one value a cell, the mean over trials; NaN = missing.
        cost: (n_tasks, m_agents) cost of the cell, or its logarithm; NaN = missing.
        families: (n_tasks,) a family id for each task; a sign then belongs to a family.
        level: chance of any false statement, between 0 and 1.
        resamples: resamples drawn, at least 1.
        rng: seed or generator.

    Returns:
        The intervals. Tasks on which any cell is missing are left out and counted. With fewer than two agents, or where no
        data could reach the level, `reason` says so and all intervals are empty.

    Raises:
        UsageError: an argument outside its range, or tables of different shapes.
        InputError: an infinite value.

    Source: SPEC 14, λ intervals with uncertainty; Westfall and Young (1993) for the maximum, Fieller (1954) for the roots.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> quality = np.column_stack([rng.normal(0.8, 0.1, 40), rng.normal(0.5, 0.1, 40)])
        >>> cost = np.column_stack([rng.normal(3, 0.5, 40), rng.normal(1, 0.2, 40)])
        >>> found = exchange_rates(quality, cost, rng=0)
        >>> found.high[0, 1].round(2), found.low[1, 0].round(2)  # truly 0.15
        (np.float64(0.13), np.float64(0.18))
        >>> [ends.round(2).tolist() for ends in found.leads()]
        [[0.0, 0.18], [0.13, inf]]
    """
    level = as_level(level)
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 1")
    generator, seed = generator_and_seed(rng)
    units, dropped = complete_units(quality, cost, families)
    pairs, m = pair_cone(units), units.n_agents
    signs = SignVectors.at_most(len(units.informative), resamples)
    maxima = _maxima(units, pairs, signs, generator)
    critical = _critical(maxima, level, exact=signs.exact)
    sup_r = _by_agents(pairs, m, *pairs.sup_r())
    p = _p_values(maxima, sup_r, exact=signs.exact)
    unit = ("task",) if families is None else ("family", "families")
    reason = _reason(units, signs, critical, level=level, unit=unit)
    c, found, dominates = None, no_intervals(m), np.zeros((m, m))
    if critical is not None and reason is None:
        c = float(np.sqrt((units.n_units - 1) * critical / (1.0 - critical)))
        found = intervals_of(pairs, c, m, exponent=units.exponent)
        dominates = _by_agents(pairs, m, *_dominance(pairs, critical))
    return ExchangeRates(
        low=np.where(p > level, np.nan, found.low),
        high=np.where(p > level, np.nan, found.high),
        p=p,
        sup_r=sup_r,
        dominates=dominates.astype(np.bool_),
        same_cost=_either_way(pairs, m, pairs.saving_weight == 0),
        fixed_cost=_either_way(pairs, m, pairs.saving_variance == 0),
        level=level,
        critical_value=c,
        method=_words(signs, unit[0]),
        n_tasks=units.n_tasks,
        n_dropped=dropped,
        n_units=units.n_units,
        resamples=signs.total,
        exact=signs.exact,
        seed=seed,
        reason=reason,
        caution=None if reason else _caution(pairs, unit),
    )


def _maxima(units: Units, pairs: PairCone, signs: SignVectors, rng: np.random.Generator) -> Floats:
    """Return the sorted maxima of all resamples."""
    part = units.only(units.informative)
    found = [pairs.maxima(part, batch) for batch in signs.batches(rng)]
    return np.sort(np.concatenate([np.zeros(0), *found]))


def _critical(maxima: Floats, level: float, *, exact: bool) -> float | None:
    """Return the least r² of which no more maxima than the level allows are larger; ``None`` where there is none."""
    total = len(maxima)
    allowed = int(np.floor((level * total if exact else level * (total + 1) - 1) + TIE))
    if not 0 <= allowed < total:
        return None
    value = float(maxima[total - 1 - allowed])
    return value if value < 1.0 - TIE else None


def _p_values(maxima: Floats, sup_r: Floats, *, exact: bool) -> Floats:
    reached = len(maxima) - np.searchsorted(maxima, sup_r**2 * (1.0 - TIE), side="left")
    extra = 0 if exact else 1
    p: Floats = np.where(sup_r > 0, (reached + extra) / (len(maxima) + extra), 1.0)
    return p


def _reason(
    units: Units, signs: SignVectors, critical: float | None, *, level: float, unit: tuple[str, ...]
) -> str | None:
    if units.n_agents < 2:
        return f"there is {'one agent' if units.n_agents else 'no agent'}, and so no pair to compare"
    if units.n_units == 0:
        return "there is no task of which every cell is known"
    if not signs.units:
        return "no two agents differ in quality or cost on any task"
    nothing = f"nothing can be shown at {100 * level:g} %"
    least = 1 / (signs.total + (0 if signs.exact else 1))
    if least > level:
        what = plural(signs.units, *unit) if signs.exact else plural(signs.total, "resample")
        return f"with {what} the least attainable p is {least:.3g}: {nothing}"
    if critical is None:
        return f"random signs give leads as constant as any too often: {nothing}"
    return None


def _words(signs: SignVectors, unit: str) -> str:
    how = "all enumerated" if signs.exact else "drawn at random"
    return (
        "paired t against its maximum over all ordered pairs and all exchange rates; null: one random sign per "
        f"{'family of tasks' if unit == 'family' else unit}, shared by all pairs and by quality and cost; {how}"
    )


def _caution(pairs: PairCone, unit: tuple[str, ...]) -> str | None:
    skewness = float(np.abs(pairs.skewness).max(initial=0.0))
    if skewness <= SKEWED * np.sqrt(pairs.n_units):
        return None
    return (
        f"the costs of two agents differ with a skewness of {skewness:.1f} over {plural(pairs.n_units, *unit)}: where they cost "
        "nearly the same, false statements may be more frequent than the level says; logarithms of costs are less skewed"
    )


def _by_agents(
    pairs: PairCone, m: int, forward: NDArray[np.generic], backward: NDArray[np.generic]
) -> Floats:
    """Lay out values of the ordered pairs as (m, m), 0 on the diagonal."""
    table = np.zeros((m, m))
    table[pairs.first, pairs.second] = forward
    table[pairs.second, pairs.first] = backward
    return table


def _either_way(pairs: PairCone, m: int, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return _by_agents(pairs, m, found, found).astype(np.bool_) | np.eye(m, dtype=np.bool_)


def _dominance(pairs: PairCone, critical: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Say whether i is shown to dominate j, and j to dominate i: ahead at both ends of the cone, and so all over it."""
    same_quality, same_cost = pairs.gain_weight == 0, pairs.saving_weight == 0
    strict = ~(same_quality & same_cost)
    bound = np.sqrt(critical * (1.0 + TIE))
    better, cheaper = pairs.x > bound, pairs.y > bound
    worse, dearer = -pairs.x > bound, -pairs.y > bound
    return (
        strict & (better | same_quality) & (cheaper | same_cost),
        strict & (worse | same_quality) & (dearer | same_cost),
    )
