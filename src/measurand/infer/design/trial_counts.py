"""What a number of trials can say: of one task, of the order of two agents, and of the best of several."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level

__all__ = [
    "TrialsForShare",
    "best_of_bias",
    "chance_of_unanimity",
    "share_half_width",
    "trials_for_share",
    "trials_to_certify",
    "wrong_order",
]

REACH = 12.0
"""The normal density beyond so many standard deviations is left out."""

POINTS = 2_401
"""Points of the trapezoidal rule on that range."""


@dataclass(frozen=True, slots=True)
class TrialsForShare:
    """Result of `trials_for_share`.

    Attributes:
        wilson: trials by the Wilson interval, the one that is reported.
        wald: trials by the textbook formula z²/(4h²).
        half_width: the half-width asked for.
        level: confidence level.
    """

    wilson: int
    wald: int
    half_width: float
    level: float


def trials_for_share(half_width: float, *, level: float = 0.95) -> TrialsForShare:
    """Return the trials of one task that give its pass rate to plus or minus a half-width, whatever the rate is.

    At the worst case p = 1/2 the Wilson interval has the half-width z/(2 sqrt(k + z²)), so that

        k = z²/(4h²) - z²  (Wilson)          k = z²/(4h²)  (Wald), both rounded up.

    Args:
        half_width: half the length of the interval, between 0 and 1/2.
        level: its confidence level, between 0 and 1.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 15.

    Example:
        >>> found = trials_for_share(0.1)
        >>> found.wilson, found.wald
        (93, 97)
    """
    if not 0 < half_width < 0.5:
        raise UsageError(f"half_width is {half_width}", hint="pass a share between 0 and 1/2")
    z2 = _quantile(level) ** 2
    wald = z2 / (4 * half_width**2)
    return TrialsForShare(max(1, math.ceil(wald - z2)), max(1, math.ceil(wald)), half_width, level)


def share_half_width(trials: int, *, level: float = 0.95) -> float:
    """Return the half-width of the Wilson interval of one task's pass rate after so many trials, at the worst case p = 1/2.

    Args:
        trials: trials of the task, at least 1.
        level: confidence level, between 0 and 1.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 15.

    Example:
        >>> round(share_half_width(10), 2)
        0.26
    """
    _at_least(1, trials)
    z = _quantile(level)
    return z / (2 * math.sqrt(trials + z * z))


def chance_of_unanimity(p: float, trials: int) -> float:
    """Return the chance that all trials of a task end alike, so that an inconsistent agent looks consistent: p^k + (1-p)^k.

    Args:
        p: true pass rate, from 0 to 1.
        trials: trials of the task, k, at least 1.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 15 and the table of SPEC 3.

    Example:
        >>> [round(chance_of_unanimity(0.9, k), 2) for k in (1, 3, 10, 22)]
        [1.0, 0.73, 0.35, 0.1]
    """
    _at_least(1, trials)
    if not 0 <= p <= 1:
        raise UsageError(f"p is {p}", hint="pass a share from 0 to 1")
    return p**trials + (1 - p) ** trials


def trials_to_certify(consistency: float, *, level: float = 0.05) -> int:
    """Return how many trials must all end alike before max(p, 1-p) is shown to be at least so large.

    It is the fewest k at which a task of just that consistency ends alike in every trial with a chance of at most the
    level: p^k + (1-p)^k ≤ level.

    Args:
        consistency: max(p, 1-p) to be shown, from 1/2 up to below 1.
        level: error level, between 0 and 1.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 3.

    Example:
        >>> [trials_to_certify(c) for c in (0.75, 0.90, 0.95)]
        [11, 29, 59]
    """
    if not 0.5 <= consistency < 1:
        raise UsageError(f"consistency is {consistency}", hint="pass a share from 1/2 to below 1")
    level = as_level(level)
    trials = max(1, math.ceil(math.log(level) / math.log(consistency) - 1e-9))
    while chance_of_unanimity(consistency, trials) > level:
        trials += 1
    return trials


def wrong_order(difference: float, variance: float) -> float:
    """Return the chance that chance between trials alone puts the worse of two agents first.

    P = Φ(-difference/sqrt(V)), with V the variance of the difference of the two suite means that comes from trials:
    (v_1 + v_2)/(n k) for n tasks of k trials and trial variances v.

    Args:
        difference: true difference of the two means, 0 or more.
        variance: V, 0 or more.

    Returns:
        From 0 to 1/2; without any variance 0, or 1/2 for agents that do not differ.

    Raises:
        UsageError: an argument outside its range.

    Source: SPEC 15.

    Example:
        >>> [round(wrong_order(0.01, 2 * 0.10 / (500 * k)), 2) for k in (1, 10)]
        [0.31, 0.06]
    """
    for name, value in (("difference", difference), ("variance", variance)):
        if not (value >= 0 and math.isfinite(value)):
            raise UsageError(f"{name} is {value}", hint="pass a finite number of 0 or more")
    if variance == 0:
        return 0.0 if difference > 0 else 0.5
    return NormalDist().cdf(-difference / math.sqrt(variance))


def best_of_bias(repeats: int) -> float:
    """Return how far the best of several runs of the suite lies above the truth on average, in standard deviations.

    It is the expected maximum of r independent standard normal variables, r ∫ z φ(z) Φ(z)^(r-1) dz.

    Args:
        repeats: runs of the whole suite of which the best is reported, at least 1.

    Raises:
        UsageError: repeats < 1.

    Source: SPEC 15.

    Example:
        >>> [round(best_of_bias(r), 2) for r in (1, 2, 3, 5, 10)]
        [0.0, 0.56, 0.85, 1.16, 1.54]
    """
    _at_least(1, repeats)
    return _expected_maximum(int(repeats))


@lru_cache(maxsize=256)
def _expected_maximum(repeats: int) -> float:
    if repeats == 1:
        return 0.0
    z = np.linspace(-REACH, REACH, POINTS)
    below = np.array([math.erfc(-value / math.sqrt(2)) / 2 for value in z.tolist()])
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return float(repeats * (z[1] - z[0]) * np.sum(z * density * below ** (repeats - 1)))


def _quantile(level: float) -> float:
    return NormalDist().inv_cdf((1 + as_level(level)) / 2)


def _at_least(least: int, trials: int) -> None:
    if not (trials >= least and trials == int(trials)):
        raise UsageError(f"the number is {trials}", hint=f"pass a whole number of at least {least}")
