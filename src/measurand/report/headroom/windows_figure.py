"""Saturation and number of tiers over time, one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.report.figures import WIDE, Size, base_spec
from measurand.report.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.headroom.windows import WindowRow

__all__ = ["windows_spec"]


def windows_spec(windows: Sequence[WindowRow], *, size: Size = WIDE) -> dict[str, Any]:
    """Draw the saturation index and the number of tiers of each window at the day of its newest agent.

    Args:
        windows: the windows, the oldest first; at least one.
        size: how large it is drawn.
    """
    values = [
        {"number": number, "day": window.last_release, "s": window.index, "tiers": window.n_tiers}
        for number, window in enumerate(windows, 1)
    ]
    most = max((window.n_tiers or 1 for window in windows), default=1)
    index = _panel(values, "s", "S", colour="odd", scale={"domain": [0, 1]}, size=size)
    tiers = _panel(values, "tiers", "tiers", colour="even", scale={"domain": [0, most + 1]}, size=size)
    tiers["layer"][0]["encoding"]["x"]["axis"] |= {"title": "release of the window's newest agent"}
    tiers["layer"][0]["encoding"]["y"]["axis"] |= {"tickMinStep": 1, "format": "d"}
    look = base_spec(size.plot, 0, [])
    frame = {key: value for key, value in look.items() if key not in {"width", "height", "layer"}}
    return {**frame, "vconcat": [index, tiers], "spacing": 12}


def _panel(
    values: list[dict[str, Any]], field: str, title: str, *, colour: str, scale: dict[str, Any], size: Size
) -> dict[str, Any]:
    """Points in the order of the windows, joined; a window without a value leaves a gap."""
    axis = {
        "title": None,
        "format": "%Y-%m",
        "tickCount": size.plot // 90,
        "labelOverlap": True,
        "grid": False,
    }
    x = {"field": "day", "type": "temporal", "scale": {"type": "utc"}, "axis": axis}
    y = {
        "field": field,
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": title, "tickCount": 5, "domain": False},
    }
    known = [value for value in values if value[field] is not None]
    line = {
        "data": {"values": values},
        "mark": {
            "type": "line",
            "color": LIGHT[colour],
            "strokeWidth": 1,
            "opacity": 0.5,
            "invalid": "break-paths-filter-domains",
        },
        "encoding": {"x": x, "y": y, "order": {"field": "number", "type": "quantitative"}},
    }
    points = {
        "data": {"values": known},
        "mark": {"type": "point", "filled": True, "size": 18, "opacity": 1, "color": LIGHT[colour]},
        "encoding": {"x": x, "y": y},
    }
    return {"width": size.plot, "height": 130, "layer": [line, points]}
