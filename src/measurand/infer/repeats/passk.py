"""pass@j and pass^j: the chances that any, or that all, of j fresh trials pass."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from measurand.errors import UsageError
from measurand.infer.repeats.reliability import checked_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["PassTable", "pass_all", "pass_at", "pass_table"]

Floats = NDArray[np.float64]


def pass_at(successes: int, trials: int, j: int) -> float | None:
    """Return pass@j: the unbiased chance that at least one of j trials passes.

        1 - C(n - c, j)/C(n, j),

    the share of all choices of j among the n trials that hold a passed one.

    Args:
        successes: passes c, from 0 to `trials`.
        trials: evaluated trials n.
        j: size of the choice, at least 1.

    Returns:
        The chance, computed in whole numbers and rounded once; ``None`` for n < j.

    Raises:
        UsageError: counts not whole or outside 0..trials, or j < 1.

    Source: SPEC 1 and 20; Chen et al. (2021).

    Example:
        >>> pass_at(1, 5, 3), pass_at(1, 2, 3)
        (0.6, None)
    """
    _check(successes, trials, j)
    return None if trials < j else _chances(successes, trials, j)[0]


def pass_all(successes: int, trials: int, j: int) -> float | None:
    """Return pass^j: the unbiased chance that all of j trials pass, C(c, j)/C(n, j).

    Args:
        successes: passes c, from 0 to `trials`.
        trials: evaluated trials n.
        j: size of the choice, at least 1.

    Returns:
        The chance, computed in whole numbers and rounded once; ``None`` for n < j.

    Raises:
        UsageError: counts not whole or outside 0..trials, or j < 1.

    Source: SPEC 1 and 20; Yao et al. (2024).

    Example:
        >>> pass_all(4, 5, 3)
        0.4
    """
    _check(successes, trials, j)
    return None if trials < j else _chances(successes, trials, j)[1]


class PassTable(NamedTuple):
    """pass@j and pass^j of many tasks, (n_tasks, number of j); NaN where a task has fewer than j trials."""

    at: Floats
    all: Floats


def pass_table(successes: ArrayLike, trials: ArrayLike, sizes: Sequence[int]) -> PassTable:
    """Return pass@j and pass^j of each task for each j of ``sizes``.

    Args:
        successes: (n_tasks,) passes.
        trials: (n_tasks,) evaluated trials.
        sizes: the j, each at least 1.

    Returns:
        The two tables, each value as :func:`pass_at` and :func:`pass_all` give it.

    Raises:
        UsageError: counts not whole, of different shapes or outside 0..trials, or a j < 1.

    Source: SPEC 1 and 20.

    Example:
        >>> pass_table([1, 2], [2, 2], [1, 2]).all.tolist()
        [[0.5, 0.0], [1.0, 1.0]]
    """
    c, n = checked_counts(successes, trials)
    if c.ndim != 1:
        raise UsageError(f"the counts have {c.ndim} dimensions", hint="pass one count a task")
    _check(0, 0, min(sizes, default=1))
    cells = np.column_stack([c, n]).astype(np.int64)
    distinct, places = np.unique(cells, axis=0, return_inverse=True)
    rows = np.array(
        [
            [_chances(passed, tried, j) if j <= tried else (np.nan, np.nan) for j in sizes]
            for passed, tried in distinct.tolist()
        ],
        dtype=np.float64,
    ).reshape(len(distinct), len(sizes), 2)
    found = rows[places.reshape(-1)]
    return PassTable(found[:, :, 0], found[:, :, 1])


@lru_cache(maxsize=1 << 16)
def _chances(successes: int, trials: int, j: int) -> tuple[float, float]:
    """Both chances for n ≥ j. The quotient of two whole numbers is rounded once, however large they are."""
    choices = comb(trials, j)
    return (choices - comb(trials - successes, j)) / choices, comb(successes, j) / choices


def _check(successes: int, trials: int, j: int) -> None:
    checked_counts(successes, trials)
    if j < 1:
        raise UsageError(f"j is {j}", hint="choose at least 1 trial")
