"""Places for the labels of points in a figure, so that no label covers another label or a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.report.names import cell_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Box", "LabelPlace", "Spot", "label_places"]

CHARACTER: Final = 6.4
"""Width of a character of a label, pixels; rather too wide than too narrow."""

HEIGHT: Final = 13.0
RADIUS: Final = 5.0
"""Half the width of a point, with a little space."""


class Spot(NamedTuple):
    """A point in pixels from the left upper corner, and the label it would like; empty for none."""

    x: float
    y: float
    label: str


class LabelPlace(NamedTuple):
    """Where a label goes: shifted from its point, and aligned there."""

    dx: float
    dy: float
    align: str


class Box(NamedTuple):
    """A part of the figure, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


PLACES: Final = (
    LabelPlace(-8, 4, "right"),
    LabelPlace(-6, -7, "right"),
    LabelPlace(8, 4, "left"),
    LabelPlace(6, -7, "left"),
    LabelPlace(6, 14, "left"),
    LabelPlace(-6, 14, "right"),
    LabelPlace(0, -9, "center"),
    LabelPlace(0, 18, "center"),
    LabelPlace(10, -18, "left"),
    LabelPlace(-10, -18, "right"),
    LabelPlace(10, 26, "left"),
    LabelPlace(-10, 26, "right"),
)
"""Places that are tried, the best first; shifts are of the left, right or middle end of the label's base line."""


def label_places(
    spots: Sequence[Spot], width: float, height: float, *, lines: Sequence[Box] = ()
) -> list[LabelPlace | None]:
    """Give each label the first place where it covers nothing and stays inside; ``None`` where there is none.

    Args:
        spots: the points, those whose labels matter most first.
        width: of the plot, pixels.
        height: of the plot.
        lines: what is drawn besides, and is not to be covered either.
    """
    taken = [Box(s.x - RADIUS, s.y - RADIUS, s.x + RADIUS, s.y + RADIUS) for s in spots]
    found: list[LabelPlace | None] = []
    for index, spot in enumerate(spots):
        others = [*lines, *taken[:index], *taken[index + 1 :]]
        place = _first_free(spot, others, width, height) if spot.label else None
        found.append(place)
        if place is not None:
            taken.append(_box(spot, place))
    return found


def _first_free(spot: Spot, taken: list[Box], width: float, height: float) -> LabelPlace | None:
    for place in PLACES:
        box = _box(spot, place)
        inside = box.left >= 0 and box.right <= width and box.top >= 0 and box.bottom <= height
        if inside and not any(box.meets(other) for other in taken):
            return place
    return None


def _box(spot: Spot, place: LabelPlace) -> Box:
    size = CHARACTER * cell_width(spot.label)
    x, base = spot.x + place.dx, spot.y + place.dy
    left = {"left": x, "right": x - size, "center": x - size / 2}[place.align]
    return Box(left, base - HEIGHT + 3, left + size, base + 3)
