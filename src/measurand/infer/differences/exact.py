"""The exact p of each pair of agents by itself, from all its sign flips; for few tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_table, family_codes
from measurand.infer.differences.pairs import blocks, pair_statistics, unit_table
from measurand.infer.differences.stepdown import TIE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["MOST_UNITS", "exact_pair_p"]

MOST_UNITS = 40
"""Units up to which the sums of half of them are few enough to list."""


def exact_pair_p(table: ArrayLike, *, families: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the exact two-sided sign-flip p of every pair of agents, nothing adjusted for the other pairs.

    p = #{ε in {-1, 1}^n: |Σ ε d| ≥ |Σ d|} / 2^n over the units (tasks, or families of tasks) that both agents have;
    sums are equal within a relative 1e-9 of u. For pass/fail cells it is the exact sign test, McNemar's.

    All 2^n sums are counted without being listed: those of one half of the units are sorted, and each sum of the other
    half looks up how many of them reach far enough.

    Args:
        table: (n_tasks, m_agents) one value a cell; NaN = missing.
        families: (n_tasks,) a family id for each task.

    Returns:
        (P,) one p a pair i < j in lexicographic order; 1 for a pair that does not differ.

    Raises:
        UsageError: more than 40 units, or an argument that is no table.
        InputError: an infinite value in the table.

    Source: SPEC 12.1, point 5; Fisher (1935) for the test, Horowitz and Sahni (1974) for the count by halves.

    Example:
        >>> exact_pair_p([[1, 0]] * 7 + [[0, 1]]).tolist()
        [0.0703125]
    """
    values = as_table(table)
    units = unit_table(values, None if families is None else family_codes(families, len(values)))
    if units.n_units > MOST_UNITS:
        raise UsageError(
            f"there are {units.n_units} units, and all their sign flips are too many to count",
            hint=f"at most {MOST_UNITS}; use max_t, which draws them",
        )
    pairs = pair_statistics(units)
    p = np.ones(len(pairs.first))
    for block in blocks(len(p), 2 ** (units.n_units // 2 + 1)):
        d = units.differences(pairs.first[block], pairs.second[block])
        p[block] = [_p(row) for row in d]
    p[pairs.t == 0] = 1.0
    return p


def _p(d: NDArray[np.float64]) -> float:
    """Count by halves; a common sign changes no absolute sum, so that those above the observed one are half of all."""
    some = d[d != 0]
    observed = abs(float(some.sum())) * np.sqrt(1.0 - TIE)
    if not len(some) or observed == 0:
        return 1.0
    half = len(some) // 2
    left, right = _sums(some[:half]), np.sort(_sums(some[half:]))
    reached = len(right) - np.searchsorted(right, observed - left, side="left")
    return float(min(1.0, 2.0 * int(reached.sum()) / 2.0 ** len(some)))


def _sums(d: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for value in d.tolist():
        sums = np.concatenate([sums - value, sums + value])
    return sums
