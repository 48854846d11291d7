"""Rates before and after a second verdict: one row an agent, a point for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.report.figures import WIDE, Size, base_spec
from measurand.report.names import unique_labels
from measurand.report.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.verifiers.records import VerdictRow

__all__ = ["LONGEST", "dumbbell_spec"]

LONGEST: Final = 40
"""Agents that are drawn; more rows could not be read."""


def dumbbell_spec(rows: Sequence[VerdictRow], words: tuple[str, str], *, size: Size = WIDE) -> dict[str, Any]:
    """Draw both rates of each agent, in the order given.

    Args:
        rows: agents with both rates; at least one.
        words: what the rates before and after are called.
        size: how large it is drawn.
    """
    labels = unique_labels((row.agent for row in rows), size.label)
    bars = [
        {"agent": label, "before": row.first.value, "after": row.second.value}
        for label, row in zip(labels, rows, strict=True)
    ]
    points = [
        {"agent": bar["agent"], "rate": bar[key], "verdict": word}
        for bar in bars
        for key, word in zip(("before", "after"), words, strict=True)
    ]
    y = {
        "field": "agent",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": labels},
        "axis": {
            "title": None,
            "ticks": False,
            "domain": False,
            "labelPadding": 8,
            "labelColor": LIGHT["ink"],
        },
    }
    axis = {"format": ".0%", "domain": False, "titlePadding": 8, "tickCount": size.plot // 70}
    x = {"type": "quantitative", "scale": {"zero": False}, "title": "rate", "axis": axis}
    colour = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": list(words), "range": [LIGHT["untested"], LIGHT["odd"]]},
        "legend": {
            "title": None,
            "orient": "bottom",
            "symbolType": "circle",
            "columns": 1 if size.plot < WIDE.plot else 2,
        },
    }
    rule = {
        "data": {"values": bars},
        "mark": {"type": "rule", "color": LIGHT["grid"], "strokeWidth": 3},
        "encoding": {"y": y, "x": {**x, "field": "after"}, "x2": {"field": "before"}},
    }
    dots = {
        "data": {"values": points},
        "mark": {"type": "point", "filled": True, "size": 64, "opacity": 1},
        "encoding": {"y": y, "x": {**x, "field": "rate"}, "color": colour},
    }
    return base_spec(size.plot, {"step": size.step}, [rule, dots])
