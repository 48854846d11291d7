"""Kendall's tau-b: how far two orders of the same agents agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Kendall", "kendall", "kendall_tau_b"]


@dataclass(frozen=True, slots=True)
class Kendall:
    """Result of `kendall`.

    Attributes:
        tau_b: between -1 and 1; ``None`` when undefined.
        concordant: pairs in the same order in both.
        discordant: pairs in opposite orders.
        tied: pairs equal in at least one of the two.
        n: agents that have a value in both.
        reason: why tau-b is ``None``, or ``None``.
    """

    tau_b: float | None
    concordant: int
    discordant: int
    tied: int
    n: int
    reason: str | None = None


def kendall_tau_b(a: ArrayLike, b: ArrayLike) -> float | None:
    """Return `kendall(a, b).tau_b` alone.

    Example:
        >>> kendall_tau_b([1, 2, 3], [30, 20, 10])
        -1.0
    """
    return kendall(a, b).tau_b


def kendall(a: ArrayLike, b: ArrayLike) -> Kendall:
    """Compare the orders that two lists of values give the same agents.

    τ_b = (C - D)/√((P - T_a)(P - T_b)), with C concordant and D discordant pairs, P all pairs, and T_a and T_b the pairs
    equal in a and in b. Pairs are counted in whole numbers, so that equal orders give exactly 1.

    Args:
        a: (n,) values; equal values are ties, so join those that differ by rounding alone beforehand. NaN: the agent
            is left out.
        b: (n,) other values of the same agents.

    Returns:
        The coefficient. Undefined, with the reason, for fewer than two agents, or where all are equal in a or in b.

    Raises:
        UsageError: not two lists of numbers of one length.

    Source: SPEC 13c; M. G. Kendall (1945); counted as W. R. Knight (1966) does.

    Example:
        >>> kendall([5, 4, 4, 2, 1], [3, 4, 4, 1, 1]).discordant
        2
    """
    x, y = _values(a), _values(b)
    if x.shape != y.shape:
        raise UsageError(f"{len(x)} values and {len(y)} values", hint="pass one value an agent in both lists")
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    pairs = len(x) * (len(x) - 1) // 2
    tied_a, tied_b = _tied_pairs(x), _tied_pairs(y)
    both = _tied_pairs(np.column_stack((x, y)))
    discordant = _inversions(y)
    tied = tied_a + tied_b - both
    concordant = pairs - tied - discordant
    if pairs == 0:
        reason = f"an order needs at least 2 agents; there are {len(x)}"
    elif pairs in {tied_a, tied_b}:
        reason = "all values are equal in one of the two lists: it has no order"
    else:
        tau = (concordant - discordant) / math.sqrt((pairs - tied_a) * (pairs - tied_b))
        return Kendall(tau, concordant, discordant, tied, len(x))
    return Kendall(None, concordant, discordant, tied, len(x), reason)


def _values(values: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the values are not numeric: {error}") from error
    if array.ndim != 1:
        raise UsageError(f"the values have {array.ndim} dimensions", hint="pass one value an agent")
    return array


def _tied_pairs(values: NDArray[np.float64]) -> int:
    """Pairs of equal values, or of equal rows."""
    counts = np.unique(values, axis=0, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _inversions(values: NDArray[np.float64]) -> int:
    """Pairs that stand in strictly falling order, counted while halves are merged."""
    if len(values) < 2:
        return 0
    left, right = values[: len(values) // 2], values[len(values) // 2 :]
    above = len(left) - np.searchsorted(np.sort(left), right, side="right")
    return _inversions(left) + _inversions(right) + int(above.sum())
