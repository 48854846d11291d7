"""Looking at results before all are in, without inflating the error: spent levels, and evidence valid at any time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level
from measurand.infer.design.power import critical_value, family_wise_level

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "SPENDINGS",
    "Boundaries",
    "Look",
    "SignEvidence",
    "Spending",
    "sign_evidence",
    "spending_boundaries",
    "spent_level",
]

Spending = Literal["obf", "pocock"]

SPENDINGS: Final[tuple[Spending, ...]] = get_args(Spending)
"""O'Brien-Fleming type: hardly anything early; Pocock type: about the same at every look."""

MOST_LOOKS = 50
CLOSEST = 0.002
"""Least share of the tasks between two looks."""

REACH = 9.0
"""Density beyond so many standard deviations is left out."""

HIGHEST = 38.0
"""A |t| beyond which the normal tail is 0 in floating point."""


class Look(NamedTuple):
    """One look of `spending_boundaries`."""

    fraction: float
    """Share of the largest number of tasks."""
    critical: float
    """|t| that stops; infinite where nothing may be spent yet."""
    level: float
    """Family-wise adjusted p that stops: at most this."""
    spent: float
    """Share of the whole error level that is spent up to here."""


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Result of `spending_boundaries`.

    Attributes:
        looks: the looks in order.
        m: agents in the family.
        level: family-wise level over all looks together.
        power: probability of showing the planned difference at one of the looks.
        spending: obf or pocock.
        inflation: largest number of tasks, relative to a plan with one look at the end.
        expected: tasks on average when the planned difference is true, relative to the largest number.
        expected_null: the same when there is no difference.
        method: what was done, for the report.
    """

    looks: tuple[Look, ...]
    m: int
    level: float
    power: float
    spending: Spending
    inflation: float
    expected: float
    expected_null: float
    method: str


@dataclass(frozen=True, slots=True)
class SignEvidence:
    """Result of `sign_evidence`.

    Attributes:
        log_e: natural logarithm of the e-value.
        e: the e-value; infinite beyond the range of floats.
        p: anytime-valid p-value, min(1, pairs/e).
        a: tasks on which only or mainly the one agent was better.
        b: tasks on which the other was.
        pairs: pairs of agents looked at, allowed for in `p`.
    """

    log_e: float
    e: float
    p: float
    a: int
    b: int
    pairs: int


def spent_level(fraction: float, *, level: float = 0.05, spending: Spending = "obf") -> float:
    """Return the two-sided error level that may be spent when a fraction of the tasks is in (Lan and DeMets).

    With a = level/2 on either side and t the fraction,

        obf:    2 · (2 - 2 Φ(z/√t)),  z the normal quantile of 1 - a/2        pocock:  2 · a ln(1 + (e - 1) t).

    Args:
        fraction: share of the largest number of tasks, from 0 to 1.
        level: the whole level, between 0 and 1.
        spending: obf or pocock.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 15, protocol point 5; Lan and DeMets (1983).

    Example:
        >>> [round(spent_level(t, spending=s), 4) for s in ("obf", "pocock") for t in (0.5, 1.0)]
        [0.0031, 0.05, 0.031, 0.05]
    """
    level = as_level(level)
    if spending not in SPENDINGS:
        raise UsageError(f"there is no spending {spending!r}", hint=f"one of: {', '.join(SPENDINGS)}")
    if not 0 <= fraction <= 1:
        raise UsageError(f"fraction is {fraction}", hint="pass a share from 0 to 1")
    if fraction == 0:
        return 0.0
    if spending == "pocock":
        return level * math.log1p((math.e - 1) * fraction)
    z = -NormalDist().inv_cdf(level / 4)
    return 2 * math.erfc(z / math.sqrt(2 * fraction))


def spending_boundaries(
    looks: int | Sequence[float],
    *,
    m: int = 2,
    level: float = 0.05,
    power: float = 0.8,
    spending: Spending = "obf",
) -> Boundaries:
    """Return the bounds at which a comparison may stop early, such that all looks together keep the error level.

    At a look with the fraction t of the tasks the statistic of a pair is S = t_pair √t, a Brownian motion at time t.
    The bounds c_1, c_2, … solve one after the other

        P(|S| < c √t at all earlier looks, |S| ≥ c_k √t_k at this one) = α(t_k) - α(t_{k-1}),

    by integrating the density of S over the region in which the comparison goes on. In a family of m agents α is the
    level at which a single pair is tested by the max-T test (its |t| is :func:`measurand.infer.design.power.critical_value`);
    the level of a look is that of its bound in the family. For m = 2 this is exact; for larger families the error
    over all looks was simulated: at most 0.051 with obf and 0.057 with pocock, for 5 % and up to 100 agents.

    Args:
        looks: number of equally spaced looks, or their fractions of the tasks, increasing and ending with 1.
        m: number of agents in the family, at least 2.
        level: family-wise level, between 0 and 1.
        power: probability of showing the planned difference, between 0 and 1.
        spending: obf or pocock.

    Raises:
        UsageError: an argument outside its range, more than 50 looks, or looks that are too close together.

    Source: SPEC 15, protocol point 5; Armitage, McPherson and Rowe (1969); Lan and DeMets (1983).

    Example:
        >>> bounds = spending_boundaries(3)
        >>> [(round(look.critical, 3), round(look.level, 5)) for look in bounds.looks]
        [(3.71, 0.00021), (2.511, 0.01202), (1.993, 0.04626)]
        >>> round(bounds.inflation, 3), round(bounds.expected, 3)
        (1.013, 0.855)
    """
    times = _times(looks)
    if not 0 < power < 1:
        raise UsageError(f"power is {power}", hint="pass a share strictly between 0 and 1")
    single = critical_value(m, level=level)
    pair = math.erfc(single / math.sqrt(2))
    spent = [spent_level(t, level=pair, spending=spending) / pair for t in times[:-1]] + [1.0]
    solved = _solve(tuple(times), tuple(pair * share for share in spent))
    bounds = [bound for bound, _, _ in solved]
    drift = _drift(times, solved, power)
    stops, null = _stopping(times, solved, drift), _stopping(times, solved, 0.0)
    return Boundaries(
        looks=tuple(
            Look(t, c, family_wise_level(c, m), share)
            for t, c, share in zip(times, bounds, spent, strict=True)
        ),
        m=m,
        level=level,
        power=power,
        spending=spending,
        inflation=(drift / (single + NormalDist().inv_cdf(power))) ** 2,
        expected=_expected(times, stops),
        expected_null=_expected(times, null),
        method=f"{'O’Brien-Fleming' if spending == 'obf' else 'Pocock'}-type spending (Lan and DeMets), two-sided",
    )


def sign_evidence(a: int, b: int, *, pairs: int = 1) -> SignEvidence:
    """Return evidence against "neither agent is better", valid whenever one looks and for whatever reason one stops.

    Of the tasks on which two agents differ, a favour the one and b the other; without a difference each is a fair
    coin. The e-value is the likelihood ratio of a coin whose bias has the Beta(1/2, 1/2) distribution,

        e = B(a + 1/2, b + 1/2)/B(1/2, 1/2) · 2^(a+b).

    Without a difference its mean is 1 after every task, so that it ever reaches 1/α with probability at most α: the
    comparison may stop as soon as p = pairs/e is at most α. It needs no planned number of looks, and takes more
    tasks than planned looks do.

    Args:
        a: tasks on which the one agent is better.
        b: tasks on which the other is.
        pairs: pairs of agents of which any may be picked (Bonferroni), at least 1.

    Raises:
        UsageError: a negative count, or pairs < 1.

    Source: SPEC 15, protocol point 5; Ville (1939); Robbins (1970).

    Example:
        >>> found = sign_evidence(12, 1)
        >>> round(found.e, 2), round(found.p, 4)
        (50.78, 0.0197)
    """
    if a < 0 or b < 0 or pairs < 1:
        raise UsageError(
            f"a is {a}, b is {b}, pairs is {pairs}", hint="pass counts of 0 or more and 1 pair or more"
        )
    log_e = math.lgamma(a + 0.5) + math.lgamma(b + 0.5) - math.lgamma(a + b + 1) - math.log(math.pi)
    log_e = log_e + (a + b) * math.log(2) if a + b else 0.0
    e = math.exp(log_e) if log_e < 700 else math.inf
    return SignEvidence(log_e, e, min(1.0, pairs * math.exp(-log_e)), a, b, pairs)


class _Region(NamedTuple):
    """A bound, and the density of S inside it when there is no difference."""

    bound: float
    nodes: NDArray[np.float64]
    mass: NDArray[np.float64]
    """Density times the weight of the node."""


def _times(looks: int | Sequence[float]) -> list[float]:
    if isinstance(looks, int):
        if not 1 <= looks <= MOST_LOOKS:
            raise UsageError(f"looks is {looks}", hint=f"pass from 1 to {MOST_LOOKS}")
        return [(number + 1) / looks for number in range(looks)]
    times = [float(t) for t in looks]
    steps = np.diff([0.0, *times])
    if not times or len(times) > MOST_LOOKS or times[-1] != 1 or not (steps >= CLOSEST).all():
        raise UsageError(
            f"the looks are at {times}",
            hint=f"pass at most {MOST_LOOKS} increasing shares, at least {CLOSEST} apart, the last of them 1",
        )
    return times


@lru_cache(maxsize=64)
def _solve(times: tuple[float, ...], spent: tuple[float, ...]) -> tuple[_Region, ...]:
    """Find the bounds one after the other, each with the density that goes on from it."""
    found: list[_Region] = []
    shortest = math.sqrt(min(np.diff([0.0, *times])))
    for k, t in enumerate(times):
        increment = spent[k] - (spent[k - 1] if k else 0.0)
        bound = _bisect(partial(_leaves, times, found, k), increment, HIGHEST)
        edge = min(bound, REACH) * math.sqrt(t)
        x, weights = np.polynomial.legendre.leggauss(max(64, math.ceil(12 * edge / shortest)))
        nodes = edge * x
        before = times[k - 1] if k else 0.0
        density = _normal_density(nodes[:, None] - _from(found, k), t - before) @ _mass(found, k)
        found.append(_Region(bound, nodes, density * weights * edge))
    return tuple(found)


def _from(found: Sequence[_Region], k: int) -> NDArray[np.float64]:
    """Where S may be before look k."""
    return found[k - 1].nodes if k else np.zeros(1)


def _mass(found: Sequence[_Region], k: int) -> NDArray[np.float64]:
    return found[k - 1].mass if k else np.ones(1)


def _leaves(times: Sequence[float], found: Sequence[_Region], k: int, bound: float) -> float:
    """Return the probability to go on until look k and to leave there when there is no difference."""
    return sum(_sides(times, found, k, bound, 0.0))


def _sides(
    times: Sequence[float], found: Sequence[_Region], k: int, bound: float, drift: float
) -> tuple[float, float]:
    """Return the probability to go on until look k and to leave there, up and down; a drift by the ratio of densities."""
    from scipy.special import ndtr

    before = times[k - 1] if k else 0.0
    step = times[k] - before
    start, edge, scale = _from(found, k), bound * math.sqrt(times[k]), math.sqrt(step)
    mass = _mass(found, k) * np.exp(drift * start - drift**2 * before / 2)
    up = float(mass @ ndtr((start + drift * step - edge) / scale))
    return up, float(mass @ ndtr((-edge - start - drift * step) / scale))


def _stopping(times: Sequence[float], solved: Sequence[_Region], drift: float) -> list[tuple[float, float]]:
    """Probabilities to stop at each look, at the upper and at the lower bound."""
    return [_sides(times, solved, k, solved[k].bound, drift) for k in range(len(times))]


def _drift(times: Sequence[float], solved: Sequence[_Region], power: float) -> float:
    """Drift at which the upper bound is crossed with the power asked for."""
    highest = solved[-1].bound + REACH
    return _bisect(lambda drift: -sum(up for up, _ in _stopping(times, solved, drift)), -power, highest)


def _expected(times: Sequence[float], stops: Sequence[tuple[float, float]]) -> float:
    early = [up + down for up, down in stops[:-1]]
    return sum(t * p for t, p in zip(times, early, strict=False)) + 1 - sum(early)


def _bisect(falling: Callable[[float], float], target: float, highest: float) -> float:
    """Find where a falling function reaches its target, between 0 and ``highest``; infinite when it never does."""
    if falling(highest) > target or target == 0:
        return math.inf
    low, high = 0.0, highest
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > target else (low, middle)
    return (low + high) / 2


def _normal_density(x: NDArray[np.float64], variance: float) -> NDArray[np.float64]:
    density: NDArray[np.float64] = np.exp(-x * x / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return density
