"""Average ranks over tasks, Friedman's test, and what a critical-difference diagram draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.infer.arrays import as_level, as_table, join_rounded
from measurand.infer.design.power import critical_value

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["AverageRanks", "average_ranks"]


@dataclass(frozen=True, slots=True, eq=False)
class AverageRanks:
    """Result of `average_ranks`.

    Attributes:
        ranks: (m,) mean rank over the tasks, 1 is best; ties share the middle rank; NaN without tasks.
        n: tasks that every agent has.
        dropped: tasks left out because some agent has no cell there.
        chi2: Friedman's statistic, corrected for ties; ``None`` when undefined.
        critical_difference: Nemenyi's critical difference of two mean ranks; ``None`` when undefined.
        level: of the critical difference.
        reason: why something is ``None``, or ``None``.
    """

    ranks: NDArray[np.float64]
    n: int
    dropped: int
    chi2: float | None
    critical_difference: float | None
    level: float
    reason: str | None

    @property
    def p(self) -> float | None:
        """P of Friedman's statistic, chi-squared with m - 1 degrees of freedom; ``None`` when undefined."""
        if self.chi2 is None:
            return None
        from scipy.special import chdtrc

        return float(chdtrc(len(self.ranks) - 1, self.chi2))


def average_ranks(table: ArrayLike, *, level: float = 0.05) -> AverageRanks:
    """Rank the agents on each task and average the ranks.

    With R the mean ranks over n tasks, Friedman's χ² = (m-1) Σ_a (n R_a - n(m+1)/2)² / (Σ r² - n m (m+1)²/4), and
    Nemenyi's critical difference is c √(m(m+1)/(6n)), with c from `critical_value`: two mean ranks further apart differ
    at the family-wise level.

    Args:
        table: (n_tasks, m_agents) one value a cell, higher is better; NaN = missing: the task is left out.
        level: family-wise level, between 0 and 1.

    Returns:
        The ranks; the test and the critical difference are undefined, with the reason, for fewer than two agents or
        tasks. Mean ranks see order, not size, and depend on which agents take part: which agents differ is for
        `max_t` to say.

    Raises:
        UsageError: a table that is not two-dimensional, or a level outside 0..1.
        InputError: an infinite value.

    Source: Friedman (1937); Nemenyi (1963); Demšar (2006) for the diagram.

    Example:
        >>> average_ranks([[0.9, 0.5, 0.1], [0.8, 0.8, 0.2], [0.3, 0.7, 0.1]]).ranks.round(3).tolist()
        [1.5, 1.5, 3.0]
    """
    values = as_table(table)
    level = as_level(level)
    complete = values[~np.isnan(values).any(axis=1)]
    n, m = complete.shape
    dropped = len(values) - n
    ranks = _ranks(complete)
    mean = ranks.mean(axis=0) if n else np.full(m, np.nan)
    if m < 2 or n < 2:
        reason = f"ranks need 2 agents and 2 tasks that all have; there are {m} and {n}"
        return AverageRanks(mean, n, dropped, None, None, level, reason)
    difference = critical_value(m, level=level) * math.sqrt(m * (m + 1) / (6 * n))
    spread = float((ranks**2).sum()) - n * m * (m + 1) ** 2 / 4
    if spread <= 0:
        reason = "the agents are equal on every task: there is nothing to test"
        return AverageRanks(mean, n, dropped, None, difference, level, reason)
    chi2 = (m - 1) * float(((n * (mean - (m + 1) / 2)) ** 2).sum()) / spread
    return AverageRanks(mean, n, dropped, chi2, difference, level, None)


def _ranks(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank the columns of each row, the highest value first; equal values share the mean of their ranks."""
    joined = join_rounded(table, np.abs(table).max(axis=1, initial=0.0))
    ranks = np.empty_like(joined)
    for row, values in zip(ranks, joined, strict=True):
        _, place, counts = np.unique(-values, return_inverse=True, return_counts=True)
        row[:] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks
