"""Quality against cost as they stand: who is dominated, and who leads at which exchange rate. No uncertainty here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from measurand.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LeadInterval", "Number", "dominators", "pareto_set", "upper_envelope"]

Number = float | Fraction


@dataclass(frozen=True, slots=True)
class LeadInterval:
    """Exchange rates λ at which an agent has the highest quality minus λ·cost; both ends belong to it.

    Attributes:
        low: least exchange rate, in units of quality per unit of cost.
        high: greatest one; ``None`` when there is none, so that the agent leads where cost alone counts.
    """

    low: Fraction
    high: Fraction | None


def pareto_set(quality: Sequence[Number | None], cost: Sequence[Number | None]) -> tuple[int, ...]:
    """Return the agents that nobody dominates: the Pareto set.

    An agent is dominated when another has quality ≥ and cost ≤ its own, one of them strictly. Agents equal in both are
    kept side by side.

    Args:
        quality: (m,) mean of each agent; higher is better.
        cost: (m,) cost of each agent; ``None`` or NaN where it is unknown.

    Returns:
        Places of the undominated agents, in the order given. An agent whose quality or cost is unknown is neither in
        the set nor does it dominate anyone: unknown is not free.

    Raises:
        UsageError: not as many costs as qualities.
        InputError: an infinite value.

    Source: SPEC 14, Pareto.

    Example:
        >>> pareto_set([0.9, 0.8, 0.8, 0.7, 0.95], [5.0, 2.0, 2.0, 3.0, None])
        (0, 1, 2)
    """
    return tuple(place for place, by in enumerate(dominators(quality, cost)) if by == ())


def dominators(
    quality: Sequence[Number | None], cost: Sequence[Number | None]
) -> tuple[tuple[int, ...] | None, ...]:
    """Return for each agent the agents that dominate it, the best first; ``None`` where it cannot be placed.

    Args:
        quality: as for :func:`pareto_set`.
        cost: as for :func:`pareto_set`.

    Raises:
        UsageError: not as many costs as qualities.
        InputError: an infinite value.

    Example:
        >>> dominators([0.9, 0.8, 0.7], [5.0, 2.0, None])
        ((), (), None)
    """
    points = _points(quality, cost)
    best_first = sorted(
        ((place, point) for place, point in enumerate(points) if point is not None),
        key=lambda entry: (-entry[1][0], entry[1][1], entry[0]),
    )
    return tuple(
        None if point is None else tuple(rival for rival, other in best_first if _dominates(other, point))
        for point in points
    )


def upper_envelope(
    quality: Sequence[Number | None], cost: Sequence[Number | None]
) -> tuple[LeadInterval | None, ...]:
    """Return the exchange rates at which each agent leads: the upper envelope of m - λ·cost over λ ≥ 0.

    Agent a leads where, for every other agent j,

        cost_j < cost_a:  λ ≤ (m_a - m_j)/(cost_a - cost_j)
        cost_j > cost_a:  λ ≥ (m_j - m_a)/(cost_j - cost_a)
        equal costs:      m_a ≥ m_j

    computed with fractions, so that no rounding decides who leads. Agents may share an end, or everything.

    Args:
        quality: as for :func:`pareto_set`; a fraction stays exact, a float stands for the number it holds.
        cost: as for :func:`pareto_set`.

    Returns:
        (m,) one interval an agent. ``None`` where the agent leads nowhere: it is dominated, or it lies inside the hull
        of the others although nobody dominates it; and where quality or cost is unknown. A dominated agent that has the
        highest quality all the same, at a higher cost than another, leads at λ = 0 alone.

    Raises:
        UsageError: not as many costs as qualities.
        InputError: an infinite value.

    Source: SPEC 14, λ intervals.

    Example:
        >>> [lead and (str(lead.low), str(lead.high)) for lead in upper_envelope([0.75, 0.5, 0.25], [4, 2, 0])]
        [('0', '1/8'), ('1/8', '1/8'), ('1/8', 'None')]
    """
    points = [
        None if point is None else (Fraction(point[0]), Fraction(point[1]))
        for point in _points(quality, cost)
    ]
    rivals = [point for place in pareto_set(quality, cost) if (point := points[place]) is not None]
    return tuple(None if point is None else _lead(point, rivals) for point in points)


_Point = tuple[Number, Number]
"""Quality and cost."""


def _points(quality: Sequence[Number | None], cost: Sequence[Number | None]) -> list[_Point | None]:
    """Pair what is known of each agent; ``None`` where a part is unknown."""
    if len(quality) != len(cost):
        raise UsageError(
            f"there are {len(quality)} qualities and {len(cost)} costs", hint="pass one of each for an agent"
        )
    return [_point(m, spent, place) for place, (m, spent) in enumerate(zip(quality, cost, strict=True))]


def _point(quality: Number | None, cost: Number | None, place: int) -> _Point | None:
    for what, value in (("quality", quality), ("cost", cost)):
        if value is not None and math.isinf(value):
            raise InputError(f"the {what} is infinite", where=f"agent {place}")
    if quality is None or cost is None or math.isnan(quality) or math.isnan(cost):
        return None
    return quality, cost


def _dominates(a: _Point, b: _Point) -> bool:
    return a != b and a[0] >= b[0] and a[1] <= b[1]


def _lead(point: tuple[Fraction, Fraction], rivals: list[tuple[Fraction, Fraction]]) -> LeadInterval | None:
    low, high = Fraction(0), None
    for rival in rivals:
        gain, dearer = point[0] - rival[0], point[1] - rival[1]
        if dearer == 0 and gain < 0:
            return None
        if dearer > 0:
            high = gain / dearer if high is None else min(high, gain / dearer)
        if dearer < 0:
            low = max(low, gain / dearer)
    return None if high is not None and high < low else LeadInterval(low, high)
