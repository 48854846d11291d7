"""Checks of the arrays that come in, and the comparison of values that rounding may have parted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["as_level", "as_table", "family_codes", "join_rounded", "row_centre", "scaled"]

ROUNDING = 64 * np.finfo(np.float64).eps
"""Values of one task are one value when they differ by less than this share of the largest.

Means over trials taken in another order differ in the last digits. Without this, such noise would count as a
difference between two agents.
"""


def as_table(table: ArrayLike) -> NDArray[np.float64]:
    """Return ``table`` as a two-dimensional float64 array of tasks by agents.

    Raises:
        UsageError: not two-dimensional, or not numeric.
        InputError: an infinite value. NaN is a missing cell and passes.
    """
    try:
        array = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the table is not numeric: {error}") from error
    if array.ndim != 2:
        raise UsageError(f"the table has {array.ndim} dimensions", hint="pass an array of tasks by agents")
    infinite = np.argwhere(np.isinf(array))
    if len(infinite):
        task, agent = infinite[0]
        raise InputError("the value is infinite", where=f"task {task}, agent {agent}")
    return array


def as_level(level: float) -> float:
    """Return ``level`` when it lies strictly between 0 and 1.

    Raises:
        UsageError: it does not.
    """
    if not 0 < level < 1:
        raise UsageError(f"level is {level!r}", hint="pass a share strictly between 0 and 1")
    return float(level)


def family_codes(families: ArrayLike, n_tasks: int) -> NDArray[np.intp]:
    """Number the families 0..F-1 in sorted order of their ids, one code a task.

    Raises:
        UsageError: not one id a task.
    """
    ids = np.asarray(families)
    if ids.shape != (n_tasks,):
        raise UsageError(
            f"families has the shape {ids.shape}, the table has {n_tasks} tasks",
            hint="pass one family id a task",
        )
    return np.unique(ids, return_inverse=True)[1].astype(np.intp).reshape(n_tasks)


def scaled(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Bring the largest magnitude to between 1/2 and 1, so that squares neither overflow nor vanish.

    Returns:
        The table times 2^-e, which is exact, and e.
    """
    largest = np.abs(np.nan_to_num(table)).max(initial=0.0)
    exponent = int(np.frexp(largest)[1])
    return np.ldexp(table, -exponent), exponent


def join_rounded(rows: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make values of one row equal that differ by no more than rounding.

    Args:
        rows: (n, m); NaN = missing.
        scale: (n,) the magnitude that the rounding error of each row is relative to.

    Returns:
        ``rows`` itself when there is nothing to join, else a copy in which neighbours in size that lie within
        ``ROUNDING * scale`` of each other carry the smaller one's value.
    """
    if rows.size == 0:
        return rows
    order = np.argsort(rows, axis=1, kind="stable")
    ascending = np.take_along_axis(rows, order, axis=1)
    gap = np.diff(ascending, axis=1)
    close = (gap > 0) & (gap <= ROUNDING * scale[:, None])
    if not close.any():
        return rows
    head = np.where(np.pad(close, ((0, 0), (1, 0))), 0, np.arange(rows.shape[1]))
    leader = np.maximum.accumulate(head, axis=1)
    joined = np.empty_like(rows)
    np.put_along_axis(joined, order, np.take_along_axis(ascending, leader, axis=1), axis=1)
    return joined


def row_centre(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row's lower median among the present cells, (n,); 0 for a row without any.

    It is a value of the row, so that subtracting it keeps whole numbers whole, and one outlying agent does not
    move it.
    """
    n, m = rows.shape
    if n == 0 or m == 0:
        return np.zeros(n)
    ascending = np.sort(rows, axis=1)
    present = np.count_nonzero(~np.isnan(rows), axis=1)
    middle = np.take_along_axis(ascending, np.maximum(present - 1, 0)[:, None] // 2, axis=1)[:, 0]
    return np.nan_to_num(middle)
