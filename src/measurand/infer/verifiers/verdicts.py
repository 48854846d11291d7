"""Two verdicts on the same work: how many passes the second rejects, and what that does to an order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level, family_codes, join_rounded
from measurand.infer.means.intervals import Interval, wilson
from measurand.infer.randomness import generator_and_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "EqualShares",
    "Reversals",
    "effective_passes",
    "equal_shares",
    "neighbour_reversals",
    "rejection_share",
]


def rejection_share(
    rejected: ArrayLike, checked: ArrayLike, *, families: ArrayLike | None = None, level: float = 0.95
) -> Interval:
    """Return the share of an agent's re-checked passes that the second verdict rejects.

    f = Σ_t rejected_t / Σ_t checked_t with a Wilson interval. Where a task (or family) has several passes they are not
    independent: then the interval is Wilson's at the effective number n* = f(1-f)/V of passes, where V is the variance of
    the ratio with its residuals summed within tasks, and n* lies between 1 and the number of passes. Where all are rejected
    or none is, n* is the number of tasks or families.

    Args:
        rejected: (n_tasks,) passes that the second verdict rejects.
        checked: (n_tasks,) passes that it looked at.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.

    Returns:
        The share with its interval; `n` counts the passes. Undefined, with the reason, where none was re-checked.

    Raises:
        UsageError: arrays of different shapes, or more rejected than checked.

    Source: SPEC 13c; Korn and Graubard (1998) for the effective number.

    Example:
        >>> found = rejection_share([1, 0, 0, 0], [1, 1, 1, 1])
        >>> found.estimate, round(found.high, 3)
        (0.25, 0.699)
    """
    level = as_level(level)
    lost, total = _by_unit(rejected, checked, families)
    n = round(float(total.sum()))
    if n == 0:
        return Interval(None, None, None, level, "Wilson score", 0, reason="no pass was re-checked")
    share, effective = float(lost.sum()) / n, _effective(lost, total)
    if effective == n:
        return wilson(float(lost.sum()), n, level=level)
    found = wilson(share * effective, effective, level=level)
    unit = "task" if families is None else "family"
    method = f"Wilson score at {effective} effective passes, several of one {unit} not being independent"
    return Interval(found.low, found.high, share, level, method, n)


def effective_passes(rejected: ArrayLike, checked: ArrayLike, *, families: ArrayLike | None = None) -> int:
    """Return the number of independent passes that say as much as these: n* of :func:`rejection_share`, with its arguments.

    Example:
        >>> effective_passes([10, 0, 0, 10], [10, 10, 10, 10])
        3
    """
    return _effective(*_by_unit(rejected, checked, families))


def _by_unit(
    rejected: ArrayLike, checked: ArrayLike, families: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rejected and checked passes of each task, or family."""
    cut, seen = np.asarray(rejected, dtype=np.float64), np.asarray(checked, dtype=np.float64)
    if cut.ndim != 1 or cut.shape != seen.shape:
        raise UsageError(
            f"rejected has the shape {cut.shape}, checked {seen.shape}", hint="pass one number a task in both"
        )
    if not ((cut >= 0) & (cut <= seen)).all():
        raise UsageError("a task has more rejected than re-checked passes")
    codes = np.arange(len(cut)) if families is None else family_codes(families, len(cut))
    units = int(codes.max(initial=-1)) + 1
    lost = np.bincount(codes, cut, minlength=units).astype(np.float64)
    return lost, np.bincount(codes, seen, minlength=units).astype(np.float64)


def _effective(lost: NDArray[np.float64], total: NDArray[np.float64]) -> int:
    n, units = float(total.sum()), int(np.count_nonzero(total))
    if total.max(initial=0.0) <= 1:
        return round(n)
    share = float(lost.sum()) / n
    residual = lost - share * total
    variance = float(residual @ residual) / n**2 * (units / max(units - 1, 1))
    if variance <= 0:
        return units
    return int(min(max(np.floor(share * (1 - share) / variance), 1), n))


@dataclass(frozen=True, slots=True)
class EqualShares:
    """Result of `equal_shares`.

    Attributes:
        p: chance of shares at least as unequal, if passes of all agents are rejected with one chance; ``None`` when
            undefined.
        resamples: resamples drawn.
        seed: their seed; ``None`` when a generator was passed in.
        reason: why p is ``None``, or ``None``.
    """

    p: float | None
    resamples: int
    seed: int | None
    reason: str | None = None


def equal_shares(
    shares: ArrayLike, numbers: ArrayLike, *, resamples: int = 10_000, rng: int | np.random.Generator
) -> EqualShares:
    """Test whether the second verdict rejects the same share of every agent's passes.

    X² = Σ_a n_a (f_a - f)²/(f(1-f)) with the pooled share f = Σ n_a f_a / Σ n_a, against Binomial(n_a, f) draws of all agents:
    p = (1 + #{X²_b ≥ X²})/(B + 1), each draw with its own pooled share. Where agents fail on the same tasks the draws vary
    more than the shares do, so that p is too large rather than too small.

    Args:
        shares: (m,) rejected share of each agent, from 0 to 1.
        numbers: (m,) passes that the share is of, effective ones where several are of one task; 0 leaves an agent out.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        The p-value. Undefined, with the reason, for fewer than two agents, or where none or all is rejected.

    Raises:
        UsageError: an argument of a wrong shape or outside its range.

    Source: Pearson's chi-squared for equal shares, its null by parametric resampling.

    Example:
        >>> equal_shares([0.1, 0.5], [100, 100], resamples=999, rng=1).p
        0.001
    """
    f, n = np.asarray(shares, dtype=np.float64), np.asarray(numbers, dtype=np.float64)
    if f.ndim != 1 or f.shape != n.shape or resamples < 1:
        raise UsageError("shares and numbers are no two lists of one length, or resamples is below 1")
    f, n = f[n > 0], np.round(n[n > 0])
    if not ((f >= 0) & (f <= 1)).all():
        raise UsageError("a share lies outside 0..1")
    generator, seed = generator_and_seed(rng)
    if len(f) < 2:
        return EqualShares(None, resamples, seed, f"shares of 2 agents are needed; there are {len(f)}")
    pooled = float(f @ n / n.sum())
    if pooled in {0.0, 1.0}:
        return EqualShares(None, resamples, seed, "none or all of the passes are rejected")
    drawn = generator.binomial(n.astype(np.int64), pooled, (resamples, len(n))) / n
    seen = _unequal(f[None, :], n)
    more = int((_unequal(drawn, n) >= seen * (1 - 1e-9)).sum())
    return EqualShares((1 + more) / (resamples + 1), resamples, seed)


def _unequal(shares: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's X² of each row of shares; 0 where none or all is rejected."""
    pooled = shares @ n / n.sum()
    spread = ((shares - pooled[:, None]) ** 2) @ n
    room = pooled * (1 - pooled)
    found = np.zeros(len(shares))
    np.divide(spread, room, out=found, where=room > 0)
    return found


@dataclass(frozen=True, slots=True)
class Reversals:
    """Result of `neighbour_reversals`.

    Attributes:
        neighbours: neighbours in the first order that are apart there.
        skipped: neighbours that are equal there.
        reversed: neighbours apart that are in the opposite order by the second values.
        tied: neighbours apart that are equal by the second values.
        over_ties: mean number of reversals over all orders in which agents of equal first values could be listed.
    """

    neighbours: int
    skipped: int
    reversed: int
    tied: int
    over_ties: float


def neighbour_reversals(first: ArrayLike, second: ArrayLike) -> Reversals:
    """Count the neighbours of a first order that a second verdict puts in the opposite order.

    Agents stand by falling first value, those of equal value as they are listed. Only neighbours that are strictly apart count:
    reversed where the lower one has the higher second value, tied where both have the same.

    Args:
        first: (m,) rate of each agent by the first verdict.
        second: (m,) its rate by the second one. Values that differ by rounding alone are taken as equal.

    Returns:
        The counts; all 0 for fewer than two agents. Where agents tie by the first verdict, who is whose neighbour is
        a matter of listing: `over_ties` does not depend on it.

    Raises:
        UsageError: not two lists of numbers of one length.

    Source: SPEC 13c.

    Example:
        >>> found = neighbour_reversals([5, 4, 4, 2, 1], [3, 4, 4, 1, 1])
        >>> found.neighbours, found.reversed, found.tied
        (3, 1, 1)
    """
    a, b = (_joined(values) for values in (first, second))
    if len(a) != len(b):
        raise UsageError(f"{len(a)} values and {len(b)} values", hint="pass one value an agent in both lists")
    order = np.argsort(-a, kind="stable")
    a, b = a[order], b[order]
    apart = a[:-1] > a[1:]
    return Reversals(
        neighbours=int(apart.sum()),
        skipped=int((~apart).sum()) if len(a) else 0,
        reversed=int((apart & (b[:-1] < b[1:])).sum()),
        tied=int((apart & (b[:-1] == b[1:])).sum()),
        over_ties=_over_ties(np.split(b, np.flatnonzero(apart) + 1)),
    )


def _over_ties(groups: list[NDArray[np.float64]]) -> float:
    """Sum over neighbouring groups of the share of their pairs that are reversed."""
    return float(sum((above[:, None] < below[None, :]).mean() for above, below in pairwise(groups)))


def _joined(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or np.isnan(array).any():
        raise UsageError("the values are no list of numbers", hint="pass one number an agent")
    joined: NDArray[np.float64] = join_rounded(array[None, :], np.abs(array).max(initial=0.0, keepdims=True))[
        0
    ]
    return joined
