"""An interval for one number, and the two intervals of a share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from measurand.errors import UsageError
from measurand.infer.arrays import as_level

__all__ = ["Interval", "clopper_pearson", "wilson"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval for one number.

    Attributes:
        low: lower end; ``None`` when undefined.
        high: upper end; ``None`` when undefined.
        estimate: point estimate; ``None`` when undefined.
        level: confidence level, such as 0.95.
        method: how it was made.
        n: sample size: trials, tasks or families, as the method says.
        resamples: resamples drawn; ``None`` when the method draws none.
        seed: their seed; ``None`` without resamples, or when a generator was passed in.
        reason: why an end is ``None``, or ``None``.
        caution: why it may cover with less than its level here, or ``None`` where it claims its level.
    """

    low: float | None
    high: float | None
    estimate: float | None
    level: float
    method: str
    n: int
    resamples: int | None = None
    seed: int | None = None
    reason: str | None = None
    caution: str | None = None


def wilson(successes: float, n: int, *, level: float = 0.95) -> Interval:
    """Return the Wilson score interval of a share.

    With p = successes/n and z the normal quantile of (1 + level)/2, the ends are

        (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).

    Args:
        successes: from 0 to n; fractions are allowed (a mean over trials).
        n: sample size, 0 or more.
        level: confidence level, between 0 and 1.

    Returns:
        The interval, within 0..1; undefined, with the reason, for n = 0.

    Raises:
        UsageError: successes outside 0..n, n < 0, or a level outside 0..1.

    Source: SPEC section 1; Wilson (1927).

    Example:
        >>> result = wilson(1, 1)
        >>> round(result.low, 4), result.high
        (0.2065, 1.0)
    """
    _check_share(successes, n)
    level = as_level(level)
    if n == 0:
        return Interval(None, None, None, level, "Wilson score", 0, reason="there are no trials")
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    p = successes / n
    centre = p + z2 / (2 * n)
    half = math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
    low = (centre - half) / (1 + z2 / n) if successes > 0 else 0.0
    high = (centre + half) / (1 + z2 / n) if successes < n else 1.0
    return Interval(max(0.0, low), min(1.0, high), p, level, "Wilson score", n)


def clopper_pearson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Return the Clopper-Pearson interval of a share, which never covers with less than its level.

    The ends are beta quantiles: B(δ/2; s, n-s+1) and B(1-δ/2; s+1, n-s), with δ = 1 - level.

    Args:
        successes: whole number from 0 to n.
        n: sample size, 0 or more.
        level: confidence level, between 0 and 1.

    Returns:
        The interval, within 0..1; undefined, with the reason, for n = 0.

    Raises:
        UsageError: successes not whole or outside 0..n, n < 0, or a level outside 0..1.

    Source: Clopper and Pearson (1934).

    Example:
        >>> round(clopper_pearson(10, 10).low, 4)
        0.6915
    """
    _check_share(successes, n)
    if successes != int(successes):
        raise UsageError(
            f"successes is {successes}", hint="this interval counts whole trials; wilson takes fractions"
        )
    level = as_level(level)
    if n == 0:
        return Interval(None, None, None, level, "Clopper-Pearson", 0, reason="there are no trials")
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return Interval(low, high, successes / n, level, "Clopper-Pearson", n)


def _check_share(successes: float, n: int) -> None:
    if n < 0 or not 0 <= successes <= n:
        raise UsageError(f"successes is {successes} and n is {n}", hint="pass 0 ≤ successes ≤ n")
