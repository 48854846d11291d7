"""Quality over cost: every placed agent a point, the efficient ones named and joined by the front."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.report.cost.label_places import Box, Spot, label_places
from measurand.report.figures import base_spec
from measurand.report.names import unique_labels
from measurand.report.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NARROW_PLANE", "WIDE_PLANE", "Plane", "PlanePoint", "front_spec"]

Spec = dict[str, Any]


class Plane(NamedTuple):
    """How large the figure is drawn."""

    width: int
    """Of the plot, pixels."""
    height: int
    label: int
    """Longest label, characters."""
    ticks: int
    """Most ticks along the cost."""


WIDE_PLANE: Final = Plane(width=660, height=380, label=34, ticks=7)
NARROW_PLANE: Final = Plane(width=262, height=300, label=18, ticks=3)


class PlanePoint(NamedTuple):
    """An agent in the plane."""

    agent: str
    cost: float
    quality: float
    kind: str
    """One of the keys of KINDS."""


KINDS: Final = {
    "efficient": ("odd", 80, 1.0),
    "may be efficient": ("heat2", 50, 1.0),
    "shown to be dominated": ("untested", 30, 0.7),
    "dominated": ("untested", 30, 0.7),
}
"""Kind of a point -> colour, size, opacity."""


class _Scale(NamedTuple):
    """A scale whose ends are known, so that labels can be placed in pixels."""

    low: float
    high: float
    length: float
    log: bool = False
    turned: bool = False

    def pixel(self, value: float) -> float:
        share = (self._of(value) - self._of(self.low)) / (self._of(self.high) - self._of(self.low))
        return self.length * (1 - share if self.turned else share)

    def value(self, pixel: float) -> float:
        share = 1 - pixel / self.length if self.turned else pixel / self.length
        at = self._of(self.low) + share * (self._of(self.high) - self._of(self.low))
        return math.exp(at) if self.log else at

    def _of(self, value: float) -> float:
        return math.log(value) if self.log else value


def front_spec(
    points: Sequence[PlanePoint],
    *,
    x_title: str,
    y_title: str,
    unit: str,
    share: bool,
    size: Plane = WIDE_PLANE,
) -> Spec:
    """Draw agents in the plane of cost and quality.

    Args:
        points: the agents; at least one. The cost is drawn on a logarithmic axis unless one of them is free.
        x_title: name of the cost axis.
        y_title: name of the quality axis.
        unit: unit of the cost.
        share: whether the quality is a share, written in percent.
        size: how large it is drawn.
    """
    x, y = _x_scale(points, size), _y_scale(points, size)
    drawn = sorted(points, key=lambda point: (point.kind != "efficient", -point.quality, point.cost))
    steps = _steps(drawn, x)
    kinds = [kind for kind in KINDS if any(point.kind == kind for point in drawn)]
    x_axis = {"title": x_title, "values": _ticks(x, size.ticks), "format": _format(unit), "titlePadding": 8}
    y_axis = {"title": y_title, "tickCount": 6, "titlePadding": 8} | ({"format": ".0%"} if share else {})
    at: Spec = {
        "x": _channel("cost", x, x_axis),
        "y": _channel("quality", y, y_axis),
    }
    layers = [
        _front(steps, at),
        *(_kind_layer(kind, kinds, drawn, at, size) for kind in reversed(kinds)),
        *_label_layers(drawn, at, (x, y), size, _lines(steps, x, y)),
    ]
    return base_spec(size.width, size.height, layers)


def _channel(field: str, scale: _Scale, axis: Spec) -> Spec:
    kind = {"type": "log"} if scale.log else {}
    return {
        "field": field,
        "type": "quantitative",
        "axis": {**axis, "grid": True, "domain": False},
        "scale": {**kind, "domain": [scale.low, scale.high], "nice": False, "zero": False},
    }


def _x_scale(points: Sequence[PlanePoint], size: Plane) -> _Scale:
    least, most = min(p.cost for p in points), max(p.cost for p in points)
    if least <= 0:
        return _Scale(0.0, most * 1.08 or 1.0, size.width)
    room = max((most / least) ** 0.06, 1.15)
    return _Scale(least / room, most * room, size.width, log=True)


def _y_scale(points: Sequence[PlanePoint], size: Plane) -> _Scale:
    least, most = min(p.quality for p in points), max(p.quality for p in points)
    room = 0.12 * (most - least) or 0.05
    return _Scale(least - room, most + room, size.height, turned=True)


def _ticks(scale: _Scale, most: int) -> list[float]:
    """Round costs between the ends, no more than ``most``: first 1, 2 and 5 of each decade, then fewer."""
    if not scale.log:
        step = 10 ** math.floor(math.log10(scale.high))
        step = next(
            (step * part for part in (0.1, 0.2, 0.5, 1, 2) if scale.high / (step * part) <= most), step
        )
        return [round(step * i, 12) for i in range(int(scale.high / step) + 1)]
    decades = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [float(f"{digit}e{decade}") for decade, digit in product(decades, digits)]
        found = [tick for tick in found if scale.low <= tick <= scale.high]
        if len(found) <= most:
            return found
    return found[:: -(-len(found) // most)]


def _format(unit: str) -> str:
    return "$.2~r" if unit == "USD" else ".2~s"


def _steps(points: Sequence[PlanePoint], x: _Scale) -> list[Spec]:
    """Corners of the staircase through the efficient agents, from the cheapest to the right end."""
    steps = [{"cost": p.cost, "quality": p.quality} for p in points if p.kind == "efficient"]
    steps.sort(key=lambda step: step["cost"])
    return [*steps, {"cost": x.high, "quality": steps[-1]["quality"]}]


def _front(steps: list[Spec], at: Spec) -> Spec:
    """The best quality that so much buys."""
    return {
        "data": {"values": steps},
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 1.5, "color": LIGHT["odd"]},
        "encoding": at,
    }


def _lines(steps: list[Spec], x: _Scale, y: _Scale) -> list[Box]:
    """The staircase as boxes that no label may cover: a flat one and an upright one a step."""
    corners = [(x.pixel(step["cost"]), y.pixel(step["quality"])) for step in steps]
    boxes = []
    for (left, low), (right, high) in pairwise(corners):
        boxes += [
            Box(left, low - 1, right, low + 1),
            Box(right - 1, min(low, high), right + 1, max(low, high)),
        ]
    return boxes


def _kind_layer(kind: str, kinds: list[str], points: Sequence[PlanePoint], at: Spec, size: Plane) -> Spec:
    _, area, opacity = KINDS[kind]
    colour = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": kinds, "range": [LIGHT[KINDS[name][0]] for name in kinds]},
        "legend": {
            "orient": "bottom",
            "title": None,
            "symbolType": "circle",
            "symbolSize": 80,
            "symbolOpacity": 1,
            "rowPadding": 6,
            "columns": len(kinds) if size.width >= WIDE_PLANE.width else 1,
        },
    }
    values = [
        {"cost": p.cost, "quality": p.quality, "kind": p.kind, "agent": p.agent}
        for p in points
        if p.kind == kind
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": area, "opacity": opacity},
        "encoding": {**at, "color": colour},
    }


def _label_layers(
    points: Sequence[PlanePoint], at: Spec, scales: tuple[_Scale, _Scale], size: Plane, lines: list[Box]
) -> list[Spec]:
    """Names of the efficient agents where they cover nothing; one layer an alignment."""
    x, y = scales
    names = iter(unique_labels((p.agent for p in points if p.kind == "efficient"), size.label))
    spots = [
        Spot(x.pixel(p.cost), y.pixel(p.quality), next(names) if p.kind == "efficient" else "")
        for p in points
    ]
    placed = [
        (spot, place)
        for spot, place in zip(spots, label_places(spots, size.width, size.height, lines=lines), strict=True)
        if place is not None
    ]
    return [
        {
            "data": {
                "values": [
                    {"cost": x.value(s.x + p.dx), "quality": y.value(s.y + p.dy), "label": s.label}
                    for s, p in placed
                    if p.align == align
                ]
            },
            "mark": {
                "type": "text",
                "align": align,
                "baseline": "alphabetic",
                "fontSize": 11,
                "color": LIGHT["ink"],
            },
            "encoding": {**at, "text": {"field": "label", "type": "nominal"}},
        }
        for align in ("left", "right", "center")
        if any(p.align == align for _, p in placed)
    ]
