"""Tasks that a goal takes against the trials of each: how far more trials help, and where they stop helping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.report.figures import WIDE, Size, base_spec
from measurand.report.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.design.records import Design

__all__ = ["tasks_spec"]

THERE: Final = "tasks that there are"
LEAST: Final = "needed however many trials"


def tasks_spec(
    designs: Sequence[Design], *, least: int | None, there: int, size: Size = WIDE
) -> dict[str, Any]:
    """Draw the tasks that each number of trials takes, with their range.

    Args:
        designs: with known trials; at least one.
        least: tasks that it takes with trials without number, drawn as a line; ``None`` for no line.
        there: tasks that there are, drawn as a line.
        size: how large it is drawn.
    """
    values = [
        {
            "trials": design.trials,
            "tasks": design.tasks,
            "low": design.tasks if design.tasks_low is None else design.tasks_low,
            "high": design.tasks if design.tasks_high is None else design.tasks_high,
        }
        for design in designs
    ]
    ticks = [design.trials for design in designs]
    lines = [{"level": there, "line": THERE}]
    if least is not None:
        lines.append({"level": least, "line": LEAST})
    x = {
        "field": "trials",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False},
        "axis": {"title": "trials of each agent on each task", "values": ticks, "grid": False, "format": "d"},
    }
    y = {
        "field": "tasks",
        "type": "quantitative",
        "scale": {"zero": True, "nice": True},
        "axis": {"title": "tasks needed", "tickCount": 5, "domain": False, "format": ",d"},
    }
    return base_spec(size.plot, 220, [_lines(lines, y, size), *_curve(values, x, y)])


def _lines(lines: list[dict[str, Any]], y: dict[str, Any], size: Size) -> dict[str, Any]:
    """Dashed lines across the figure, named in a legend, for words beside them would meet the curve."""
    legend = {
        "orient": "bottom",
        "title": None,
        "columns": 1 if size.plot < WIDE.plot else 2,
        "symbolType": "stroke",
        "symbolStrokeWidth": 3,
        "labelLimit": 0,
    }
    scale = {"domain": [THERE, LEAST][: len(lines)], "range": [LIGHT["mark"], LIGHT["even"]][: len(lines)]}
    return {
        "data": {"values": lines},
        "mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5},
        "encoding": {
            "y": {**y, "field": "level"},
            "color": {"field": "line", "type": "nominal", "scale": scale, "legend": legend},
        },
    }


def _curve(values: list[dict[str, Any]], x: dict[str, Any], y: dict[str, Any]) -> list[dict[str, Any]]:
    data, colour = {"values": values}, LIGHT["odd"]
    return [
        {
            "data": data,
            "mark": {"type": "area", "color": colour, "opacity": 0.12},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {"data": data, "mark": {"type": "line", "color": colour}, "encoding": {"x": x, "y": y}},
        {
            "data": data,
            "mark": {"type": "point", "filled": True, "size": 56, "opacity": 1, "color": colour},
            "encoding": {"x": x, "y": y},
        },
    ]
