"""Which tasks carry a lead: what becomes of it when single tasks are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import ROUNDING, as_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Influence", "influence"]


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """Result of `influence`.

    Attributes:
        difference: mean of first minus second over the common tasks; ``None`` without any.
        n: tasks that both have.
        without: (n_tasks,) the difference when the task is left out; NaN where it is not common, or the only one.
        share: (n_tasks,) the task's part of the sum of differences; the parts sum to 1. NaN where the task is not
            common or the sum is 0.
        order: tasks by how far leaving them out moves the difference against its sign, the farthest first.
        to_erase: least number of tasks whose removal takes the lead away (to a tie or beyond); ``None`` without a lead.
        flips_alone: tasks each of which alone carries the lead: without it, it is gone.
        reason: why something is ``None``, or ``None``.
    """

    difference: float | None
    n: int
    without: NDArray[np.float64]
    share: NDArray[np.float64]
    order: NDArray[np.intp]
    to_erase: int | None
    flips_alone: int
    reason: str | None


def influence(table: ArrayLike) -> Influence:
    """Leave out one task at a time, and count how few tasks make up a lead.

    With d the differences over n common tasks and S their sum, the difference without task t is (S - d_t)/(n - 1). The
    lead is erased by leaving out the tasks of the largest d until what remains is 0 or less: no smaller set does it.

    Args:
        table: (n_tasks, 2) cells of the two agents, higher is better; NaN = missing.

    Returns:
        The influences. Without a common task, or when the sum is 0, there is no lead: `reason` says so.

    Raises:
        UsageError: not two columns.
        InputError: an infinite value.

    Source: own; leave-one-out influence as in Cook (1977).

    Example:
        >>> result = influence([[1, 0], [1, 0], [1, 0], [0, 1], [1, 1]])
        >>> result.difference, result.to_erase, result.without.tolist()
        (0.4, 2, [0.25, 0.25, 0.25, 0.75, 0.5])
    """
    values = as_table(table)
    if values.shape[1] != 2:
        raise UsageError(f"the table has {values.shape[1]} columns", hint="pass the cells of two agents")
    d = values[:, 0] - values[:, 1]
    common = np.flatnonzero(~np.isnan(d))
    n = len(common)
    total = float(d[common].sum())
    if abs(total) <= ROUNDING * float(np.abs(values[common]).sum()):
        total = 0.0
    without = np.full(len(d), np.nan)
    if n > 1:
        without[common] = (total - d[common]) / (n - 1)
    order = common[np.argsort(-np.copysign(1.0, total) * d[common], kind="stable")]
    if not total:
        nothing = "the two agents have no task in common" if n == 0 else "neither agent leads"
        share = np.full(len(d), np.nan)
        return Influence(0.0 if n else None, n, without, share, order, None, 0, nothing)
    slack = ROUNDING * float(np.abs(d[common]).sum())
    left = abs(total) - np.cumsum(np.sign(total) * d[order])
    alone = np.count_nonzero(abs(total) - np.sign(total) * d[common] <= slack)
    return Influence(
        difference=total / n,
        n=n,
        without=without,
        share=d / total,
        order=order,
        to_erase=int(np.argmax(left <= slack)) + 1,
        flips_alone=int(alone),
        reason=None,
    )
