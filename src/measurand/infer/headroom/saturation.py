"""Saturation index: is the gap between the first and the k-th agent within the noise of the benchmark?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_table, join_rounded, scaled
from measurand.wording import plural

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Saturation", "saturation", "saturation_unpaired"]

CLASSES = ((0.01, "very_low"), (0.3, "low"), (0.7, "moderate"), (0.9, "high"))
"""Upper ends of the classes; from the last one on the class is "very_high"."""

DOMINATED = 0.5
"""Share of the absolute differences above which one task dominates the index."""

CONSTANT = 1e-18
"""Differences whose squared deviations sum to no more than this share of their squares are constant."""

SAME = 1e-12
"""Values of the index closer than this, relative to the larger one, are the same."""


@dataclass(frozen=True, slots=True)
class Saturation:
    """Result of `saturation` and `saturation_unpaired`.

    Attributes:
        variant: "paired" or "unpaired".
        index: S = exp(-R²), from 0 (separated) to 1 (within the noise); ``None`` when undefined.
        r: R, the gap in units of its noise; ±inf for a constant difference; ``None`` when undefined.
        t: paired t of first against k-th; ±inf for a constant difference; ``None`` for the unpaired variant.
        n: tasks used.
        k: place compared with the first.
        alpha: exponent of the effective number of tasks, n^alpha.
        category: "very_low", "low", "moderate", "high", "very_high"; ``None`` when undefined.
        dominance: largest absolute difference of a task over the sum of all; ``None`` when all are 0.
        dominated: whether `dominance` exceeds one half.
        first: column of the best agent.
        kth: column of the k-th agent.
        value_if_tied: the index with other agents that tie for the first place or for place k, the value farthest
            from `index`; ``None`` when none of them gives another.
        flags: remarks on the data that a reader should see.
        reason: why the index is ``None``, or ``None``.
    """

    variant: str
    index: float | None
    r: float | None
    t: float | None
    n: int
    k: int
    alpha: float
    category: str | None
    dominance: float | None
    dominated: bool
    first: int | None
    kth: int | None
    value_if_tied: float | None
    flags: tuple[str, ...]
    reason: str | None


def saturation(table: ArrayLike, *, k: int = 5, alpha: float = 0.5) -> Saturation:
    """Compare the first agent with the k-th, task by task.

    With d the difference of the two agents over the tasks that both have,

        R = (mean d / sd d) n^(alpha/2),   S = exp(-R²),   t = R n^((1-alpha)/2).

    The agents are ordered by their mean over the tasks they have; ties keep the order of the columns. A constant
    difference has sd 0: S is 1 when it is 0, else 0.

    Args:
        table: (n_tasks, m_agents) one value a cell, higher is better; NaN = missing.
        k: place to compare with, at least 2; with fewer agents the last one, and a flag says so.
        alpha: exponent between 0 and 1.

    Returns:
        The index; undefined, with the reason, for fewer than two agents that have a value or fewer than two common
        tasks. S is no p-value; read it together with t and the tiers.

    Raises:
        UsageError: k < 2, alpha outside 0..1, or a table that is not two-dimensional.
        InputError: an infinite value in the table.

    Source: SPEC 13.

    Example:
        >>> result = saturation([[1, 0], [1, 1], [0, 0], [1, 0]])
        >>> round(result.index, 4), result.category, round(result.t, 4)
        (0.2231, 'low', 1.7321)
    """
    values = as_table(table)
    if k < 2:
        raise UsageError(f"k is {k}", hint="pass a place from 2 on")
    _check_alpha(alpha)
    values, _ = scaled(values)
    values = join_rounded(values, np.abs(np.nan_to_num(values)).max(axis=1, initial=0.0))
    means = _column_means(values)
    ranked = sorted(means, key=lambda agent: -means[agent])
    place = min(k, len(ranked))
    flags = (f"fewer than {k} agents: compared with place {place}",) if 2 <= place < k else ()
    if place < 2:
        reason = f"the index compares two agents, and {'one' if ranked else 'none'} has a value"
        return _undefined("paired", n=len(values), k=k, alpha=alpha, flags=flags, reason=reason)
    first, kth = ranked[0], ranked[place - 1]
    result = _paired(values, first, kth, k=place, alpha=alpha)
    others = [
        _paired(values, one, other, k=place, alpha=alpha).index
        for one in _distinct(values, [agent for agent in ranked if means[agent] == means[first]])
        for other in _distinct(values, [agent for agent in ranked if means[agent] == means[kth]])
        if one != other
    ]
    return replace(result, value_if_tied=_farthest(result.index, others), flags=flags + result.flags)


def saturation_unpaired(first: float, kth: float, n: int, *, alpha: float = 0.5) -> Saturation:
    """Compare two published shares when values per task are not at hand.

    R = (s_1 - s_k)/sqrt((s_1(1-s_1) + s_k(1-s_k))/n^alpha) and S = exp(-R²); a standard error of 0 gives S = 1, as
    the authors' code has it, with a flag when the shares differ.

    Args:
        first: share of the best agent, from 0 to 1.
        kth: share of the k-th agent, from 0 to 1.
        n: number of tasks.
        alpha: exponent between 0 and 1.

    Returns:
        The index; undefined, with the reason, when n < 1. `k` is 0: which place it was is not known here.

    Raises:
        UsageError: a share or alpha outside 0..1.

    Source: SPEC 13, prior work (arXiv 2602.16763).

    Example:
        >>> round(saturation_unpaired(0.9, 0.88, 1000).index, 4)
        0.9374
    """
    _check_alpha(alpha)
    if not (0 <= first <= 1 and 0 <= kth <= 1):
        raise UsageError(f"the shares are {first} and {kth}", hint="pass shares from 0 to 1")
    if n < 1:
        return _undefined("unpaired", n=n, k=0, alpha=alpha, flags=(), reason="there are no tasks")
    error = math.sqrt((first * (1 - first) + kth * (1 - kth)) / n**alpha)
    r = (first - kth) / error if error > 0 else 0.0
    flags = ("the standard error is 0 although the shares differ",) if error == 0 and first != kth else ()
    index = math.exp(-r * r)
    return replace(
        _undefined("unpaired", n=n, k=0, alpha=alpha, flags=flags, reason=None),
        index=index,
        r=r,
        category=_category(index),
    )


def _check_alpha(alpha: float) -> None:
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha}", hint="pass an exponent from 0 to 1")


def _column_means(values: NDArray[np.float64]) -> dict[int, float]:
    """Mean of each column that has a value; means that differ by rounding alone are equal."""
    columns = {agent: column[~np.isnan(column)] for agent, column in enumerate(values.T)}
    columns = {agent: column for agent, column in columns.items() if len(column)}
    means = np.array([[column.mean() for column in columns.values()]]).reshape(1, -1)
    scale = max((float(np.abs(column).mean()) for column in columns.values()), default=0.0)
    return dict(zip(columns, join_rounded(means, np.array([scale]))[0].tolist(), strict=True))


def _farthest(index: float | None, others: list[float | None]) -> float | None:
    if index is None:
        return None
    different = [v for v in others if v is not None and not math.isclose(v, index, rel_tol=SAME)]
    return max(different, key=lambda value: abs(value - index), default=None)


def _distinct(values: NDArray[np.float64], agents: list[int]) -> list[int]:
    """Keep one of the agents that are equal on every task: the first, and the second for a pair of equals."""
    columns = [values[:, agent].tobytes() for agent in agents]
    return [agent for place, agent in enumerate(agents) if columns[:place].count(columns[place]) < 2]


def _category(index: float) -> str:
    return next((name for end, name in CLASSES if index < end), "very_high")


def _paired(values: NDArray[np.float64], first: int, kth: int, *, k: int, alpha: float) -> Saturation:
    d = values[:, first] - values[:, kth]
    d = d[~np.isnan(d)]
    n = len(d)
    known = replace(_undefined("paired", n=n, k=k, alpha=alpha, flags=(), reason=None), first=first, kth=kth)
    if n < 2:
        return replace(
            known, reason=f"the two agents have {plural(n, 'task')} in common, and the index needs 2"
        )
    r, t, flags = _ratio(d, alpha)
    index = math.exp(-r * r)
    total = float(np.abs(d).sum())
    dominance = float(np.abs(d).max()) / total if total > 0 else None
    dominated = dominance is not None and dominance > DOMINATED
    if dominance is not None and dominated:
        flags = (
            *flags,
            f"one task makes up {dominance:.1%} of the absolute differences: the score rests on it",
        )
    return replace(
        known,
        index=index,
        r=r,
        t=t,
        category=_category(index),
        dominance=dominance,
        dominated=dominated,
        flags=flags,
    )


def _ratio(d: NDArray[np.float64], alpha: float) -> tuple[float, float, tuple[str, ...]]:
    """Return R, t and flags for n ≥ 2 differences."""
    n, mean = len(d), float(d.mean())
    squares = float(((d - mean) ** 2).sum())
    if squares <= CONSTANT * float((d**2).sum()):
        if mean == 0:
            return 0.0, 0.0, ("the two agents are equal on every task",)
        infinite = math.copysign(math.inf, mean)
        return infinite, infinite, ("the two agents differ by the same amount on every task",)
    effect = mean / math.sqrt(squares / (n - 1))
    return effect * n ** (alpha / 2), effect * math.sqrt(n), ()


def _undefined(
    variant: str, *, n: int, k: int, alpha: float, flags: tuple[str, ...], reason: str | None
) -> Saturation:
    return Saturation(
        variant=variant,
        index=None,
        r=None,
        t=None,
        n=n,
        k=k,
        alpha=alpha,
        category=None,
        dominance=None,
        dominated=False,
        first=None,
        kth=None,
        value_if_tied=None,
        flags=flags,
        reason=reason,
    )
