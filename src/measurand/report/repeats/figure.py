"""pass@j and pass^j over j as curves: how far apart any trial and all trials are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.report.figures import WIDE, Size, base_spec
from measurand.report.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.records import Estimate
    from measurand.analyze.repeats.records import PassPoint

__all__ = ["pass_spec"]

ANY, ALL = "pass@j: any of j passes", "pass^j: all of j pass"


def pass_spec(points: Sequence[PassPoint], *, size: Size = WIDE) -> dict[str, Any]:
    """Draw both curves of one agent with their intervals.

    Args:
        points: at least two, by rising j.
        size: how large it is drawn.
    """
    values = [
        _value(point.j, line, estimate)
        for point in points
        for line, estimate in ((ANY, point.any_passes), (ALL, point.all_pass))
        if estimate.value is not None
    ]
    most = max(point.j for point in points)
    x = {
        "field": "j",
        "type": "quantitative",
        "title": "j, trials of a task",
        "scale": {"domain": [1, most], "nice": False, "padding": 12},
        "axis": {"format": "d", "tickCount": min(most, size.plot // 60), "tickMinStep": 1, "grid": False},
    }
    y = {
        "field": "share",
        "type": "quantitative",
        "title": "share of tasks",
        "axis": {"format": ".0%"},
        "scale": {"domain": [0, 1]},
    }
    colour = {
        "field": "line",
        "type": "nominal",
        "scale": {"domain": [ANY, ALL], "range": [LIGHT["odd"], LIGHT["even"]]},
        "legend": {
            "orient": "bottom",
            "title": None,
            "columns": 2 if size.plot >= WIDE.plot else 1,
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
        },
    }
    data = {"values": values}
    layers = [
        {
            "data": data,
            "mark": {"type": "rule", "strokeWidth": 1.5},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {
            "data": data,
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "color": colour},
        },
        {
            "data": data,
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": colour},
        },
    ]
    return base_spec(size.plot, 260, layers)


def _value(j: int, line: str, estimate: Estimate) -> dict[str, Any]:
    share = estimate.value
    low = share if estimate.low is None else estimate.low
    return {
        "j": j,
        "line": line,
        "share": share,
        "low": low,
        "high": share if estimate.high is None else estimate.high,
    }
