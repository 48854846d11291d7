"""Tasks on which a new version is worse than its baseline: Fisher's exact test of each, with Tarone's correction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Regressions", "fisher_worse", "regressions", "trials_needed"]

TIE = 1 + 1e-9
"""A p counts as at most a bound within this factor, so that 1/20 is at most 5 %."""


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """Result of `regressions`; arrays have one entry a task, in the order of the input.

    Attributes:
        p: (n,) one-sided p that the new version is worse; 1 where a version has no trial of the task.
        least_p: (n,) least p that the number of passes of both together allows.
        p_adjusted: (n,) p times `factor`; 1 where the task is not testable.
        worse: (n,) whether the task is found to have become worse.
        testable: tasks whose least p is at most level/factor.
        factor: Tarone's K; 0 without a testable task.
        n: tasks in the denominator, those without a trial of a version included.
        level: chance of any false finding.
        least_trials_needed: trials of a task, of each version, with which a single task could be found.
        reason: why no task can be found, or ``None``.
    """

    p: NDArray[np.float64]
    least_p: NDArray[np.float64]
    p_adjusted: NDArray[np.float64]
    worse: NDArray[np.bool_]
    testable: int
    factor: int
    n: int
    level: float
    least_trials_needed: int
    reason: str | None


def regressions(
    passes: ArrayLike,
    trials: ArrayLike,
    baseline_passes: ArrayLike,
    baseline_trials: ArrayLike,
    *,
    level: float = 0.05,
) -> Regressions:
    """Find the tasks on which a new version passes less often than its baseline.

    Per task p is the one-sided p of Fisher's exact test. Given how often both together pass, some tasks could not reach a
    small p whatever the result. With p*_i the least p that task i could have had, and m(k) the number of tasks with
    p*_i ≤ level/k, Tarone's K is the least k with m(k) ≤ k; tasks with p_i ≤ level/K have become worse. The chance of even
    one false finding is at most the level, for any dependence of the tasks.

    Args:
        passes: (n,) passed trials of the new version, whole numbers.
        trials: (n,) its trials; 0 where it has none, such as for a task deleted since.
        baseline_passes: (n,) those of the baseline.
        baseline_trials: (n,) its trials.
        level: chance of any false finding, between 0 and 1.

    Returns:
        The p-values and findings. `reason` says when no task of the suite can be found worse, with the trials it takes.

    Raises:
        UsageError: lengths that differ, numbers that are not whole, or passes outside 0..trials.

    Source: SPEC 20, per-task regressions; Fisher (1935), Tarone (1990).

    Example:
        >>> found = regressions([0, 5, 4], [5, 5, 5], [5, 5, 5], [5, 5, 5])
        >>> found.worse.tolist(), found.factor, round(float(found.p_adjusted[0]), 4)
        ([True, False, False], 1, 0.004)
    """
    level = as_level(level)
    table = _counts(passes, trials, baseline_passes, baseline_trials)
    pairs = [(fisher_worse(*row), _least(*row)) for row in table.tolist()]
    p, least = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    factor = _tarone(least, level)
    bound = level / factor * TIE if factor else 0.0
    testable = least <= bound
    return Regressions(
        p=p,
        least_p=least,
        p_adjusted=np.where(testable, np.minimum(1.0, p * max(factor, 1)), 1.0),
        worse=testable & (p <= bound),
        testable=int(testable.sum()),
        factor=factor,
        n=len(table),
        level=level,
        least_trials_needed=trials_needed(level),
        reason=None if testable.any() else _why_not(table, level),
    )


@lru_cache(maxsize=4096)
def fisher_worse(passes: int, trials: int, baseline_passes: int, baseline_trials: int) -> float:
    """Return the one-sided p of Fisher's exact test that the new version passes less often.

    p = P(X ≤ passes), X hypergeometric: how many of the passes of both together fall to the new version's trials.

    Args:
        passes: passed trials of the new version.
        trials: its trials.
        baseline_passes: passed trials of the baseline.
        baseline_trials: its trials.

    Source: Fisher (1935).

    Example:
        >>> fisher_worse(0, 3, 3, 3)
        0.05
    """
    together = passes + baseline_passes
    least = max(0, together - baseline_trials)
    ways = sum(
        math.comb(trials, x) * math.comb(baseline_trials, together - x) for x in range(least, passes + 1)
    )
    return ways / math.comb(trials + baseline_trials, together)


@lru_cache(maxsize=64)
def trials_needed(level: float) -> int:
    """Return how many trials each version needs so that one task alone can be found worse.

    The least p with k trials of each is 1/C(2k, k): all pass before, none after.

    Example:
        >>> trials_needed(0.05), trials_needed(0.001)
        (3, 7)
    """
    k = 1
    while 1 / math.comb(2 * k, k) > level * TIE:
        k += 1
    return k


def _least(passes: int, trials: int, baseline_passes: int, baseline_trials: int) -> float:
    least = max(0, passes + baseline_passes - baseline_trials)
    return fisher_worse(least, trials, passes + baseline_passes - least, baseline_trials)


def _counts(*columns: ArrayLike) -> NDArray[np.int64]:
    given = [np.asarray(column) for column in columns]
    if len({column.shape for column in given}) > 1 or given[0].ndim != 1:
        raise UsageError("the counts differ in length", hint="pass one number a task in each")
    table = np.column_stack(given)
    whole = table.astype(np.int64)
    if (whole != table).any() or (whole < 0).any():
        raise UsageError("some counts are no whole numbers of 0 or more", hint="pass counts of trials")
    if (whole[:, 0] > whole[:, 1]).any() or (whole[:, 2] > whole[:, 3]).any():
        raise UsageError("some tasks have more passes than trials", hint="pass passes, then trials")
    return whole


def _tarone(least: NDArray[np.float64], level: float) -> int:
    """Least k with at most k tasks that could reach level/k; 0 when none could reach it."""
    ascending = np.sort(least)
    for k in range(1, len(least) + 1):
        could = int(np.searchsorted(ascending, level / k * TIE, side="right"))
        if could <= k:
            return k if could else 0
    return 0


def _why_not(table: NDArray[np.int64], level: float) -> str:
    both = table[(table[:, 1] > 0) & (table[:, 3] > 0)]
    if not len(both):
        return "the two have no task with trials in common"
    best = min(1 / math.comb(int(new + old), int(new)) for new, old in both[:, [1, 3]].tolist())
    if best > level * TIE:
        most = both[:, [1, 3]].min(axis=1).max()
        return (
            f"needs at least {trials_needed(level)} trials of a task by each; there {'is' if most == 1 else 'are'} {most}, and so the "
            f"least attainable p of a task is {best:.3g}"
        )
    return "given how often the two pass together, no result could have been a finding on any task"
