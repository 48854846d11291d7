"""How evenly an agent spends on repeated trials of a task: coefficients of variation of what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from measurand.errors import UsageError
from measurand.infer.arrays import ROUNDING, as_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["coefficients_of_variation", "resource_consistency"]

Floats = NDArray[np.float64]


def coefficients_of_variation(values: ArrayLike, tasks: ArrayLike, n_tasks: int) -> Floats:
    """Return the coefficient of variation of each task: standard deviation (ddof 1) over mean, over its trials.

    Args:
        values: (n,) one amount a trial, 0 or more; NaN = unknown, left out.
        tasks: (n,) the task of each trial, a whole number from 0 to `n_tasks` - 1.
        n_tasks: number of tasks.

    Returns:
        (n_tasks,) the coefficients; NaN for a task with fewer than two known values, or whose mean is not above 0.

    Raises:
        UsageError: shapes that do not fit, or a task outside its range.
        InputError: an infinite value.

    Source: SPEC 20, resource consistency.

    Example:
        >>> coefficients_of_variation([1.0, 3.0, 2.0, 5.0], [0, 0, 1, 2], 3).round(3).tolist()
        [0.707, nan, nan]
    """
    amounts = as_table(np.reshape(np.asarray(values, dtype=np.float64), (-1, 1)))[:, 0]
    codes = np.asarray(tasks)
    if codes.shape != amounts.shape:
        raise UsageError(
            f"tasks has the shape {codes.shape}, values {amounts.shape}", hint="pass one task a value"
        )
    if len(codes) and not (codes.min() >= 0 and codes.max() < n_tasks):
        raise UsageError(f"a task lies outside 0..{n_tasks - 1}", hint="number the tasks from 0 without gaps")
    known = ~np.isnan(amounts)
    amounts, codes = amounts[known], codes[known].astype(np.intp)
    counts = np.bincount(codes, minlength=n_tasks)
    means = np.bincount(codes, weights=amounts, minlength=n_tasks) / np.maximum(counts, 1)
    deviations = amounts - means[codes]
    squares = np.bincount(codes, weights=deviations**2, minlength=n_tasks)
    usable = (counts >= 2) & (means > 0)
    spread = np.sqrt(squares / np.maximum(counts - 1, 1))
    found = np.full(n_tasks, np.nan)
    np.divide(spread, means, out=found, where=usable)
    found[found <= ROUNDING] = 0.0
    return found


def resource_consistency(variations: ArrayLike) -> Floats:
    """Return exp(-mean coefficient of variation) of each task: 1 when every trial costs the same.

    Args:
        variations: (n_tasks, m) coefficients of variation of m meters; NaN = unknown, which stays out of the mean.

    Returns:
        (n_tasks,) from 0 to 1; NaN for a task without any known coefficient.

    Raises:
        UsageError: not two-dimensional.
        InputError: an infinite value.

    Source: SPEC 20, resource consistency; SPEC 3 for one quantity, D3_q.

    Example:
        >>> resource_consistency([[0.0, 0.0], [0.5, np.nan], [np.nan, np.nan]]).round(3).tolist()
        [1.0, 0.607, nan]
    """
    table = as_table(variations)
    known = np.count_nonzero(~np.isnan(table), axis=1)
    means = np.full(len(table), np.nan)
    np.divide(np.nan_to_num(table).sum(axis=1), known, out=means, where=known > 0)
    found: Floats = np.exp(-means)
    return found
