"""Curves of the share of trials that reach a threshold, the first agents in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.report.figures import WIDE, Size, base_spec
from measurand.report.names import unique_labels
from measurand.report.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.profile_records import Curve

__all__ = ["curves_spec"]

COLOURS: Final = ("odd", "even", "mark")
"""Colours of the first agents; the others are grey, for more colours could not be told apart."""


def curves_spec(
    curves: Sequence[Curve], thresholds: Sequence[float], *, title: str, size: Size = WIDE
) -> dict[str, Any]:
    """Draw curves over thresholds; the band of the first is its pointwise interval.

    Args:
        curves: the agents, best first; at least one.
        thresholds: of every curve.
        title: name of the horizontal axis.
        size: how large it is drawn.
    """
    labels = unique_labels((curve.agent for curve in curves), size.label)
    named = labels[: len(COLOURS)]
    others = "others"
    while others in named:
        others += " "
    values = [
        {
            "x": x,
            "share": share,
            "low": low,
            "high": high,
            "line": label,
            "agent": named[i] if i < len(named) else others,
        }
        for i, (label, curve) in enumerate(zip(labels, curves, strict=True))
        for x, share, low, high in zip(thresholds, curve.share, curve.low, curve.high, strict=True)
        if share is not None
    ]
    domain = [*named, *([others] if len(labels) > len(named) else [])]
    colours = [LIGHT[name] for name in COLOURS[: len(named)]] + [LIGHT["untested"]] * (
        len(domain) - len(named)
    )
    x = {"field": "x", "type": "quantitative", "title": title}
    y = {
        "field": "share",
        "type": "quantitative",
        "title": "share of trials that reach it",
        "axis": {"format": ".0%"},
        "scale": {"domain": [0, 1]},
    }
    colour = {
        "field": "agent",
        "type": "nominal",
        "scale": {"domain": domain, "range": colours},
        "legend": {
            "orient": "bottom",
            "title": None,
            "columns": 1,
            "symbolType": "stroke",
            "symbolStrokeWidth": 3,
        },
    }
    band = {
        "data": {"values": [v for v in values if v["line"] == labels[0] and v["low"] is not None]},
        "mark": {"type": "area", "color": LIGHT["band"], "interpolate": "step-before"},
        "encoding": {"x": x, "y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
    }
    lines = {
        "data": {"values": values},
        "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 1.5},
        "encoding": {"x": x, "y": y, "detail": {"field": "line", "type": "nominal"}, "color": colour},
    }
    return base_spec(size.plot, 260, [band, lines])
