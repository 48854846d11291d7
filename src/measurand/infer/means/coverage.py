"""From how many units on an interval of a mean claims to cover with its level; below, it says so."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLAIMED_FROM", "LEAST_DIFFERENT", "caution", "effective_units"]

CLAIMED_FROM: Final = MappingProxyType({"percentile": 50, "bca": 50, "t": 30})
"""Effective units from which a method claims its level; found by simulation, see docs/formulas/intervals.md."""

LEAST_DIFFERENT: Final = MappingProxyType({"percentile": 15, "bca": 15, "t": 10})
"""Units whose value is not the commonest one, needed as well: 99 passes and 1 fail say little about the share."""

_NAMES: Final = MappingProxyType(
    {"percentile": "the percentile bootstrap", "bca": "BCa", "t": "the t-interval"}
)


def effective_units(counts: NDArray[np.float64]) -> float:
    """Return how many units of equal size carry as much as these: (Σc)²/Σc² over the numbers c of their cells.

    Source: Kish (1965).

    Example:
        >>> effective_units(np.array([1.0, 1.0, 1.0])), round(effective_units(np.array([8.0, 1.0, 1.0])), 2)
        (3.0, 1.52)
    """
    squares = float(counts @ counts)
    return float(counts.sum()) ** 2 / squares if squares else 0.0


def caution(
    method: str, sums: NDArray[np.float64], counts: NDArray[np.float64], *, unit: str = "tasks"
) -> str | None:
    """Say why an interval of a mean may cover with less than its level, or ``None`` where it claims its level.

    Args:
        method: ``percentile``, ``bca`` or ``t``.
        sums: (units,) sum of the cells of each unit.
        counts: (units,) number of its cells, 0 or more.
        unit: what a unit is called, in the plural.

    Source: own simulations, seeded, in the tests.

    Example:
        >>> caution("t", np.arange(12.0), np.ones(12))
        'the t-interval claims its level from 30 tasks on; there are 12'
    """
    there = counts > 0
    units, effective = int(there.sum()), effective_units(counts)
    least, name = CLAIMED_FROM[method], _NAMES[method]
    if units < least:
        return f"{name} claims its level from {least} {unit} on; there are {units}"
    if effective < least:
        equal = f"{units} of unequal size count as {effective:.1f}"
        return f"{name} claims its level from {least} {unit} of equal size on; the {equal}"
    different, needed = _different(sums[there] / counts[there]), LEAST_DIFFERENT[method]
    if different < needed:
        return (
            f"{name} claims its level where at least {needed} {unit} differ from the commonest value; "
            f"here {different} {'does' if different == 1 else 'do'}"
        )
    return None


def _different(means: NDArray[np.float64]) -> int:
    """Count the values that are not the commonest one, values apart by rounding alone taken as one."""
    scale = np.abs(means).max(initial=0.0)
    if not scale:
        return 0
    return len(means) - int(np.unique(np.round(means / scale, 12), return_counts=True)[1].max())
