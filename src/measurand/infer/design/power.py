"""Power: how large a difference must be, and how many discordant tasks it takes, to be found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DetectableDifference",
    "critical_value",
    "exact_sign_p",
    "family_wise_level",
    "minimal_detectable_difference",
]

POINTS = 601
"""Points of the trapezoidal rule, which converges exponentially here: smooth, and 0 with all derivatives at the ends."""

REACH = 12.0
"""The normal density beyond so many standard deviations is left out."""

PRECISION = 1e-13
"""Relative width at which the bisection ends."""


@dataclass(frozen=True, slots=True)
class DetectableDifference:
    """Result of `minimal_detectable_difference`.

    Attributes:
        difference: the detectable difference with the standard deviation held fixed; ``None`` when undefined.
        difference_var_corrected: the same when `sd` is the root mean square of the paired differences, of which
            the difference itself takes a part; ``None`` when undefined.
        critical_value: |t| that a pair must exceed.
        sd: standard deviation of the paired differences.
        n: tasks.
        m: agents in the family.
        level: family-wise level.
        power: probability of finding a difference of this size.
        reason: why the difference is ``None``, or ``None``.
    """

    difference: float | None
    difference_var_corrected: float | None
    critical_value: float
    sd: float
    n: int
    m: int
    level: float
    power: float
    reason: str | None


def critical_value(m: int, *, level: float = 0.05) -> float:
    """Return the |t| that a pair must exceed when all pairs of m agents are tested at once, n large.

    c = q/√2, where q is the upper ``level`` quantile of the range of m independent standard normal variables
    (studentized range with infinite degrees of freedom):

        P(range ≤ q) = m ∫ φ(z) (Φ(z) - Φ(z - q))^(m-1) dz.

    Exact when the agents' values are equally correlated, and then a little above the step-down critical values.

    Args:
        m: number of agents, at least 2.
        level: family-wise level, between 0 and 1.

    Raises:
        UsageError: m < 2, or a level outside 0..1.

    Source: SPEC 12.3.

    Example:
        >>> [round(critical_value(m), 3) for m in (2, 10, 145)]
        [1.96, 3.164, 4.461]
    """
    if m < 2:
        raise UsageError(f"m is {m}", hint="a comparison takes at least 2 agents")
    return _range_quantile(int(m), as_level(level)) / math.sqrt(2)


def family_wise_level(critical: float, m: int) -> float:
    """Return the family-wise level of a |t| when all pairs of m agents are tested at once, n large.

    It is the inverse of :func:`critical_value`: P(range of m standard normal variables > √2 critical).

    Args:
        critical: |t| that a pair must exceed, 0 or more.
        m: number of agents, at least 2.

    Returns:
        The level, off by less than 1e-13.

    Raises:
        UsageError: m < 2, or a critical value below 0.

    Source: SPEC 12.3.

    Example:
        >>> [round(family_wise_level(t, m), 3) for t, m in ((1.96, 2), (3.164, 10), (1.96, 10))]
        [0.05, 0.05, 0.627]
    """
    if m < 2:
        raise UsageError(f"m is {m}", hint="a comparison takes at least 2 agents")
    if not critical >= 0:
        raise UsageError(f"the critical value is {critical}", hint="pass a |t| of 0 or more")
    return min(1.0, max(0.0, _range_tail(math.sqrt(2) * critical, int(m))))


def minimal_detectable_difference(
    sd: float, n: int, m: int, *, level: float = 0.05, power: float = 0.8
) -> DetectableDifference:
    """Return the true difference between two of m agents that n tasks find with the given power.

    MDD = (c + z) sd/√n, with c from `critical_value` and z the normal quantile of the power. When sd is the root
    mean square of the paired differences d (for pass/fail data: the square root of the share of discordant tasks),
    then sd² = Var d + MDD², and the corrected value is MDD = (c + z) sd/√(n + (c + z)²).

    Args:
        sd: standard deviation of the paired differences per task, in the unit of the values; 0 or more.
        n: number of tasks.
        m: number of agents in the family, at least 2.
        level: family-wise level, between 0 and 1.
        power: probability of finding the difference, between 0 and 1.

    Returns:
        Both variants; undefined, with the reason, when n < 1.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 12.3.

    Example:
        >>> result = minimal_detectable_difference(0.1237**0.5, 500, 10)
        >>> round(result.difference, 4), round(result.difference_var_corrected, 4)
        (0.063, 0.062)
    """
    critical = critical_value(m, level=level)
    if not (math.isfinite(sd) and sd >= 0):
        raise UsageError(f"sd is {sd}", hint="pass a finite standard deviation of 0 or more")
    if not 0 < power < 1:
        raise UsageError(f"power is {power}", hint="pass a share strictly between 0 and 1")
    if n < 1:
        return DetectableDifference(None, None, critical, sd, n, m, level, power, "there are no tasks")
    reach = max(0.0, critical + NormalDist().inv_cdf(power))
    plain, corrected = reach * sd / math.sqrt(n), reach * sd / math.sqrt(n + reach**2)
    return DetectableDifference(plain, corrected, critical, sd, n, m, level, power, None)


def exact_sign_p(discordant_a: int, discordant_b: int) -> float:
    """Return the exact two-sided p of the sign test (McNemar's test) from the two kinds of discordant tasks.

    p = min(1, 2 P(X ≤ min(a, b))), X ~ Binomial(a + b, 1/2); 1 without discordant tasks.

    Args:
        discordant_a: tasks that only the one agent passes.
        discordant_b: tasks that only the other passes.

    Raises:
        UsageError: a negative count.

    Source: SPEC 12.1 point 5 and section 20, least attainable p.

    Example:
        >>> exact_sign_p(6, 0), exact_sign_p(0, 0)
        (0.03125, 1.0)
    """
    if discordant_a < 0 or discordant_b < 0:
        raise UsageError(f"the counts are {discordant_a} and {discordant_b}", hint="pass counts of 0 or more")
    n, smaller = discordant_a + discordant_b, min(discordant_a, discordant_b)
    term = cumulated = 1
    for successes in range(smaller):
        term = term * (n - successes) // (successes + 1)
        cumulated += term
    return min(1.0, float(2 * cumulated / 2**n))


@lru_cache(maxsize=1024)
def _range_quantile(m: int, level: float) -> float:
    """Bisect the distribution function of the range of m standard normal variables."""
    low, high = 0.0, 2 * REACH
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _range_tail(middle, m) > level else (low, middle)
    return (low + high) / 2


def _range_tail(q: float, m: int) -> float:
    """Return P(range of m standard normal variables > q)."""
    z = np.linspace(-REACH, REACH, POINTS)
    weights = m * (z[1] - z[0]) * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return 1.0 - float(np.sum(weights * (_normal_cdf(z) - _normal_cdf(z - q)) ** (m - 1)))


def _normal_cdf(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Φ(z); some hundred values, for which importing scipy would take far longer than computing."""
    return np.array([math.erfc(-value / math.sqrt(2)) / 2 for value in z.tolist()])
