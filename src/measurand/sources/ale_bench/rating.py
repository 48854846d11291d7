"""The rating by which ALE-Bench sums up performances: AtCoder's for heuristic contests, version 2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Contest", "rating"]

_SPREAD: Final = 724.4744301
_DECAY: Final = 0.8271973364
_VIRTUAL: Final = 100
_BONUS: Final = 150.0
_LOSS_A_YEAR: Final = 100.0
_DAYS: Final = 365.0
_KNEE: Final = 400.0


class Contest(NamedTuple):
    """A performance in a contest."""

    performance: float
    days: float
    """Days from its end to the end of the last contest that counts."""
    weight: float = 1.0
    """1; ½ for contests of less than a day from 2025 on."""


def rating(contests: Iterable[Contest]) -> float | None:
    """Rate performances: the best count most, and no performance lowers the rating.

    Each performance P becomes ``P + 150 - 100 * days / 365``, and counts a hundred times, lowered by
    ``724.4744301 * ln j`` for j = 1..100. Sorted from the best, the rating is ``sum P_i (R**W_i - R**(W_i + w_i))`` with
    R = 0.8271973364 and W_i the weight before i; below 400 it is ``400 / exp((400 - rating) / 400)``. Source: SPEC 16.

    Returns:
        The rating, not rounded; ``None`` without a contest.

    >>> round(rating([Contest(2000.0, 0.0)]))
    1150
    >>> rating([]) is None
    True
    """
    entries = sorted(
        (
            (one.performance + _BONUS - _LOSS_A_YEAR * one.days / _DAYS - _SPREAD * math.log(j), one.weight)
            for one in contests
            for j in range(1, _VIRTUAL + 1)
        ),
        reverse=True,
    )
    if not entries:
        return None
    total, before = 0.0, 0.0
    for value, weight in entries:
        total += value * (_DECAY**before - _DECAY ** (before + weight))
        before += weight
    return total if total >= _KNEE else _KNEE / math.exp((_KNEE - total) / _KNEE)
