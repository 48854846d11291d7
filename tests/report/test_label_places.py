"""Places of labels in a figure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from measurand.report.cost.label_places import Box, LabelPlace, Spot, label_places

spots = st.lists(
    st.builds(Spot, st.floats(0, 400), st.floats(0, 300), st.sampled_from(["", "ada", "a-rather-long-name"])),
    max_size=12,
)


@given(spots)
def test_labels_cover_nothing(found: list[Spot]) -> None:
    """No label leaves the plot, or meets another label or another point."""
    line = Box(0, 148, 400, 152)
    boxes: list[Box] = []
    for index, (spot, place) in enumerate(
        zip(found, label_places(found, 400, 300, lines=[line]), strict=True)
    ):
        if place is None:
            continue
        size = 6.4 * len(spot.label)
        left = spot.x + place.dx - {"left": 0.0, "right": size, "center": size / 2}[place.align]
        box = Box(left, spot.y + place.dy - 10, left + size, spot.y + place.dy + 3)
        assert box.left >= 0
        assert box.right <= 400
        assert box.top >= 0
        assert box.bottom <= 300
        assert not box.meets(line)
        others = [s for other, s in enumerate(found) if other != index]
        assert not any(box.meets(Box(s.x - 5, s.y - 5, s.x + 5, s.y + 5)) for s in others)
        assert not any(box.meets(other) for other in boxes)
        boxes.append(box)


def test_first_place_is_left_of_a_lonely_point() -> None:
    assert label_places([Spot(200, 100, "ada")], 400, 300) == [LabelPlace(-8, 4, "right")]
    assert label_places([Spot(5, 100, "ada")], 400, 300) == [LabelPlace(8, 4, "left")]


def test_what_has_no_room_has_no_place() -> None:
    assert label_places([Spot(20, 20, "a name too long for it")], 40, 40) == [None]
    assert label_places([Spot(20, 20, "")], 400, 300) == [None]
