"""Were the trials of two agents run at the same time? If not, drift cannot be told from the agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["HARDLY", "Interleaving", "interleaving"]

HARDLY = 0.05
"""Below this share of trials within the other's span two agents were hardly run at the same time."""


@dataclass(frozen=True, slots=True)
class Interleaving:
    """Result of `interleaving`. Shares are ``None`` when an agent has no time.

    Attributes:
        first_within: share of the first agent's trials that started while the second was being run.
        second_within: share of the second agent's trials that started while the first was being run.
        apart: whether the two spans do not meet at all.
        hardly: whether they are apart, or the smaller share is below 5 %.
        gap: seconds between the two spans; 0 when they meet.
        reason: why nothing can be said, or ``None``.
    """

    first_within: float | None
    second_within: float | None
    apart: bool | None
    hardly: bool | None
    gap: float | None
    reason: str | None


def interleaving(
    first: ArrayLike,
    second: ArrayLike,
    *,
    first_ends: ArrayLike | None = None,
    second_ends: ArrayLike | None = None,
) -> Interleaving:
    """Compare when the trials of two agents were run.

    The span of an agent goes from its first start to its last end (its last start where ends are unknown). Two agents whose
    spans do not meet were compared under whatever the provider and the machine were like at two different times. A single
    late trial stretches a span; hence the shares, of which the smaller one tells.

    Args:
        first: starts of the first agent's trials, seconds from any origin; NaN = unknown, left out.
        second: those of the second agent.
        first_ends: ends of the first agent's trials; NaN = unknown.
        second_ends: those of the second agent.

    Returns:
        The shares of trials that started within the other agent's span; undefined, with the reason, without times.

    Raises:
        UsageError: times that are not one-dimensional.

    Source: SPEC 15, point 3, and SPEC 20, interleaving guard.

    Example:
        >>> interleaving([0, 10, 20], [15, 25]).first_within, interleaving([0, 10], [20, 30]).apart
        (0.3333333333333333, True)
    """
    a, b = _known(first), _known(second)
    if not len(a) or not len(b):
        lacking = (
            "neither agent has trials with times"
            if not len(a) and not len(b)
            else "one agent's trials carry no times"
        )
        return Interleaving(None, None, None, None, None, lacking)
    a_low, a_high = _span(a, first_ends)
    b_low, b_high = _span(b, second_ends)
    gap = max(0.0, a_low - b_high, b_low - a_high)
    a_within, b_within = (
        float(((a >= b_low) & (a <= b_high)).mean()),
        float(((b >= a_low) & (b <= a_high)).mean()),
    )
    return Interleaving(
        first_within=a_within,
        second_within=b_within,
        apart=gap > 0,
        hardly=gap > 0 or min(a_within, b_within) < HARDLY,
        gap=gap,
        reason=None,
    )


def _known(times: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(times, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(f"the times have {array.ndim} dimensions", hint="pass one time a trial")
    return array[~np.isnan(array)]


def _span(starts: NDArray[np.float64], ends: ArrayLike | None) -> tuple[float, float]:
    late = starts if ends is None else np.concatenate([starts, _known(ends)])
    return float(starts.min()), float(late.max())
