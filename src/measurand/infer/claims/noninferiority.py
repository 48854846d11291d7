"""Not worse by more than a margin: one-sided bounds of a paired difference, and what they allow to say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import ROUNDING, as_level, as_table, family_codes
from measurand.infer.means.clusters import clustered_standard_error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LEAST_DIFFERENT", "NonInferiority", "noninferiority"]

LEAST_DIFFERENT = 15
"""Units on which two agents must differ for the t-bounds to hold their level; found by simulation, in the tests."""

STEPS = 60
"""Halvings after which the end of a score interval is exact to the last digits."""


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """Result of `noninferiority`.

    Attributes:
        not_worse: whether `low` lies above -margin; ``None`` when undefined.
        equivalent: whether, besides, `high` lies below the margin; ``None`` when undefined.
        difference: mean of first minus second over the common tasks; ``None`` without any.
        low: lower bound of the difference, one-sided at the level; ``None`` when undefined.
        high: upper bound, one-sided at the level.
        margin: the margin, in the unit of the values.
        level: one-sided level of each bound.
        method: how the bounds were made.
        n: units that both have: tasks, or families of tasks.
        discordant: units in which the two differ.
        reason: why there is no bound, or ``None``.
    """

    not_worse: bool | None
    equivalent: bool | None
    difference: float | None
    low: float | None
    high: float | None
    margin: float
    level: float
    method: str
    n: int
    discordant: int
    reason: str | None


def noninferiority(
    table: ArrayLike,
    margin: float,
    *,
    families: ArrayLike | None = None,
    level: float = 0.05,
    share: bool = False,
) -> NonInferiority:
    """Say whether the first agent is worse than the second by less than a margin that was declared beforehand.

    With θ the mean paired difference first minus second, the first is not worse by more than the margin when the lower
    bound of θ, one-sided at the level, lies above -margin; the two are equivalent within it when the upper bound lies below
    +margin as well (two one-sided tests). The bounds:

    - every cell is 0 or 1 and tasks stand alone: the score bounds for paired shares (Tango 1998). With b tasks won, c lost
      of n and z the normal quantile of 1 - level, the lower bound is the θ at which

          (b - c - nθ)/sqrt(n(2q + θ(1 - θ))) = z,

      q being the likeliest share of lost tasks at that θ; it needs no spread in the data.
    - else: mean ∓ t se over tasks, se clustered where there are families, with units - 1 degrees of freedom.
    - where fewer than 15 units differ, t-bounds are too narrow. For cells between 0 and 1 (``share``) two tasks are added
      that differ by +1 and -1 (Bonett and Price 2012); other scores get no bound.

    Args:
        table: (n_tasks, 2) cells of the two agents, higher is better; NaN = missing, left out in pairs.
        margin: largest loss that does not matter, above 0, in the unit of the cells (0.02 = 2 points of a share).
        families: (n_tasks,) a family id for each task.
        level: one-sided level of each bound, below 1/2.
        share: whether the cells lie between 0 and 1.

    Returns:
        The bounds and what they allow to say; undefined, with the reason, where the data do not suffice.

    Raises:
        UsageError: a margin of 0 or less, a level of 1/2 or more, not two columns, or cells outside 0..1 with ``share``.
        InputError: an infinite value.

    Source: SPEC 20, non-inferiority; Tango (1998), Bonett and Price (2012), Schuirmann (1987).

    Example:
        >>> table = [[1, 1]] * 80 + [[1, 0]] * 8 + [[0, 1]] * 8 + [[0, 0]] * 4
        >>> found = noninferiority(table, 0.10, share=True)
        >>> found.not_worse, round(found.low, 3)
        (True, -0.069)
    """
    values = as_table(table)
    _check(values, margin, level, share=share)
    codes = np.arange(len(values)) if families is None else family_codes(families, len(values))
    common = ~np.isnan(values).any(axis=1)
    values, codes = values[common], np.unique(codes[common], return_inverse=True)[1]
    d = values[:, 0] - values[:, 1]
    discordant = _discordant(d, codes, np.abs(values).max(initial=0.0))
    if share and families is None and len(d) and np.isin(values, (0.0, 1.0)).all():
        bounds = _score_bounds(int((d > 0).sum()), int((d < 0).sum()), len(d), level)
    else:
        bounds = _t_bounds(d, codes, discordant, level, share=share)
    known = bounds.reason is None
    return NonInferiority(
        not_worse=bounds.low > -margin if known else None,
        equivalent=bounds.low > -margin and bounds.high < margin if known else None,
        difference=float(d.mean()) if len(d) else None,
        low=bounds.low if known else None,
        high=bounds.high if known else None,
        margin=float(margin),
        level=level,
        method=bounds.method,
        n=int(codes.max(initial=-1)) + 1,
        discordant=discordant,
        reason=bounds.reason,
    )


def _check(values: NDArray[np.float64], margin: float, level: float, *, share: bool) -> None:
    if values.shape[1] != 2:
        raise UsageError(f"the table has {values.shape[1]} columns", hint="pass the two agents' cells")
    if not (math.isfinite(margin) and margin > 0):
        raise UsageError(
            f"the margin is {margin}", hint="pass the largest loss that does not matter, above 0"
        )
    if as_level(level) >= 0.5:
        raise UsageError(f"level is {level}", hint="a one-sided bound takes a level below 0.5")
    if not share:
        return
    if margin >= 1:
        raise UsageError(
            f"the margin is {margin:g}, and no two shares differ by more than 1", hint="2 points are 0.02"
        )
    present = values[~np.isnan(values)]
    if ((present < 0) | (present > 1)).any():
        raise UsageError("a cell lies outside 0..1 and is no share", hint="pass share=False")


@dataclass(frozen=True, slots=True)
class _Bounds:
    low: float
    high: float
    method: str
    reason: str | None = None


def _score_bounds(won: int, lost: int, n: int, level: float) -> _Bounds:
    z = NormalDist().inv_cdf(1 - level)
    low, high = _score_end(won, lost, n, z), -_score_end(lost, won, n, z)
    return _Bounds(low, high, "score bounds for paired shares (Tango)")


def _score_end(won: int, lost: int, n: int, z: float) -> float:
    """Lower bound: the score falls as θ rises, so that the place where it is z is found by halving."""
    below, above = -1.0, (won - lost) / n
    for _ in range(STEPS):
        middle = (below + above) / 2
        below, above = (middle, above) if _score(won, lost, n, middle) >= z else (below, middle)
    return below


def _score(won: int, lost: int, n: int, theta: float) -> float:
    """(b - c - nθ) over its standard error, the share of lost tasks taken as likely as it can be at θ."""
    linear = -won - lost + (2 * n - won + lost) * theta
    root = math.sqrt(max(0.0, linear**2 + 8 * n * lost * theta * (1 - theta)))
    share_lost = (root - linear) / (4 * n)
    variance = n * (2 * share_lost + theta * (1 - theta))
    return (won - lost - n * theta) / math.sqrt(variance) if variance > 0 else math.inf


def _discordant(d: NDArray[np.float64], codes: NDArray[np.intp], scale: float) -> int:
    """Count the units whose sum of differences is not 0 but for rounding."""
    sums, tasks = np.bincount(codes, weights=d), np.bincount(codes)
    return int(np.count_nonzero(np.abs(sums) > ROUNDING * scale * tasks))


def _t_bounds(
    d: NDArray[np.float64], codes: NDArray[np.intp], discordant: int, level: float, *, share: bool
) -> _Bounds:
    units = int(codes.max(initial=-1)) + 1
    by_family = units < len(d)
    unit = ("family", "families") if by_family else ("task", "tasks")
    method = "t-bounds, standard error clustered by family" if by_family else "t-bounds over tasks"
    if units < 2:
        return _Bounds(0.0, 0.0, method, f"needs at least 2 {unit[1]} that both have; there {_are(units)}")
    if discordant < LEAST_DIFFERENT:
        if not share:
            reason = f"needs at least {LEAST_DIFFERENT} {unit[1]} in which the two differ; there {_are(discordant)}"
            return _Bounds(0.0, 0.0, method, reason)
        d, codes = np.append(d, (1.0, -1.0)), np.append(codes, (units, units + 1))
        method += ", two tasks added that differ by +1 and -1"
    found = clustered_standard_error(d, codes, level=1 - 2 * level)
    if found.low is None or found.high is None:
        return _Bounds(0.0, 0.0, method, found.reason)
    return _Bounds(found.low, found.high, method)


def _are(number: int) -> str:
    return f"{'is' if number == 1 else 'are'} {number}"
