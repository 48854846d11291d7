"""Figures as Vega-Lite specifications with their data inline: plain dictionaries, drawn by `measurand.report.svg`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.report.names import unique_labels
from measurand.report.palette import HEAT, LIGHT, TIERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.records import Estimate

__all__ = [
    "VEGA_LITE",
    "Bar",
    "ForestRow",
    "MatrixCell",
    "Size",
    "base_spec",
    "difference_spec",
    "forest_spec",
    "matrix_spec",
]

VEGA_LITE: Final = "5.20"
"""Version of Vega-Lite that the specifications are written for."""

Spec = dict[str, Any]

INK, SOFT, GRID = LIGHT["ink"], LIGHT["soft"], LIGHT["grid"]


class Size(NamedTuple):
    """How large a figure is drawn: for a page, or for a telephone."""

    plot: int
    """Width of the plot, pixels."""
    label: int
    """Longest label, characters."""
    step: int
    """Height of a row, pixels."""


WIDE: Final = Size(plot=520, label=30, step=22)
NARROW: Final = Size(plot=180, label=15, step=22)


class ForestRow(NamedTuple):
    """An agent in the forest: its mean with interval, and its tier."""

    agent: str
    mean: float
    low: float | None
    high: float | None
    tier: int | None
    tested: bool = True


class Bar(NamedTuple):
    """A length to compare differences with, and how it is written."""

    length: float
    text: str


class MatrixCell(NamedTuple):
    """A pair in the matrix: row and column count from 0 in the order of the family."""

    row: int
    column: int
    difference: float
    p: str
    significant: bool


def base_spec(width: int, height: int | Spec, layers: list[Spec]) -> Spec:
    """Give a figure of some layers the look that all figures share."""
    text = {"labelFont": "sans-serif", "titleFont": "sans-serif", "labelFontSize": 12, "titleFontSize": 12}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": width,
        "height": height,
        "background": None,
        "padding": {"left": 16, "right": 4, "top": 4, "bottom": 4},
        "layer": layers,
        "config": {
            "font": "sans-serif",
            "view": {"stroke": None, "fill": None},
            "axis": {
                **text,
                "labelColor": SOFT,
                "titleColor": SOFT,
                "titleFontWeight": "normal",
                "gridColor": GRID,
                "domainColor": GRID,
                "tickColor": GRID,
                "labelLimit": 0,
                "titleLimit": 0,
            },
            "legend": {**text, "labelColor": SOFT, "titleColor": SOFT, "columnPadding": 36},
            "text": {"font": "sans-serif", "fontSize": 12},
        },
    }


def _colour(row: ForestRow) -> str:
    return LIGHT[TIERS[((row.tier or 1) - 1) % len(TIERS)]] if row.tested else LIGHT["untested"]


def forest_spec(
    rows: Sequence[ForestRow], bar: Bar | None = None, *, title: str, share: bool = False, size: Size = WIDE
) -> Spec:
    """Means with intervals, one row an agent in the order given, banded and coloured by tier.

    Args:
        rows: the agents, best first; at least one.
        bar: the least difference that a pair could show, drawn in the last row; ``None`` for no such row.
        title: name of the axis.
        share: whether the means are shares, written in percent.
        size: how large it is drawn.
    """
    labels = unique_labels((row.agent for row in rows), size.label)
    values = [
        {
            "agent": label,
            "mean": row.mean,
            "low": row.mean if row.low is None else row.low,
            "high": row.mean if row.high is None else row.high,
            "colour": _colour(row),
            "banded": row.tier is not None and row.tier % 2 == 1,
            "tier": _tier_label(rows, index),
        }
        for index, (label, row) in enumerate(zip(labels, rows, strict=True))
    ]
    bars = _detectable_bar(values[0], bar, unique=set(labels))
    order = [*labels, *(entry["agent"] for entry in bars)]
    y = {
        "field": "agent",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": order, "padding": 0},
        "axis": {"title": None, "ticks": False, "domain": False, "labelPadding": 8, "labelColor": INK},
    }
    x_axis = {"title": title, "grid": True, "domain": False, "tickCount": size.plot // 70, "titlePadding": 8}
    if share:
        x_axis["format"] = ".1%" if size.plot >= WIDE.plot else ".0%"
    x = {"field": "mean", "type": "quantitative", "scale": {"zero": False, "nice": True}, "axis": x_axis}
    layers = _forest_layers(values, y, x, size)
    if bars:
        layers += _bar_layers(bars, y)
    return base_spec(size.plot, {"step": size.step}, layers)


def _tier_label(rows: Sequence[ForestRow], index: int) -> str:
    """Name a tier beside its first agent only."""
    row, before = rows[index], rows[index - 1] if index else None
    if before is not None and (before.tier, before.tested) == (row.tier, row.tested):
        return ""
    if row.tier is not None:
        return f"tier {row.tier}"
    return "" if row.tested else "not tested"


def _forest_layers(values: list[Spec], y: Spec, x: Spec, size: Size) -> list[Spec]:
    data = {"values": values}
    colour = {"field": "colour", "type": "nominal", "scale": None}
    low = {**x, "field": "low"}
    return [
        {
            "data": {"values": [value for value in values if value["banded"]]},
            "mark": {"type": "rect", "color": LIGHT["band"], "opacity": 0.7},
            "encoding": {"y": y},
        },
        {
            "data": data,
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"y": y, "x": low, "x2": {"field": "high"}, "color": colour},
        },
        {
            "data": data,
            "mark": {"type": "point", "filled": True, "size": 56, "opacity": 1},
            "encoding": {"y": y, "x": x, "color": colour},
        },
        {
            "data": data,
            "mark": {"type": "text", "align": "left", "fontSize": 11},
            "encoding": {
                "y": y,
                "x": {"value": size.plot + 8},
                "text": {"field": "tier", "type": "nominal"},
                "color": colour,
            },
        },
    ]


def _detectable_bar(first: Spec, bar: Bar | None, unique: set[str]) -> list[Spec]:
    if bar is None or bar.length <= 0:
        return []
    label = "detectable"
    while label in unique:
        label += " "
    best = first["mean"]
    return [{"agent": label, "low": best - bar.length, "high": best, "text": bar.text}]


def _bar_layers(bar: list[Spec], y: Spec) -> list[Spec]:
    """Draw the minimal detectable difference, from the best mean to the left: a measure, not an interval."""
    data = {"values": bar}
    low = {"field": "low", "type": "quantitative"}
    tick = {"type": "tick", "color": LIGHT["mark"], "thickness": 2, "size": 12}
    return [
        {
            "data": data,
            "mark": {"type": "rule", "strokeWidth": 2, "color": LIGHT["mark"]},
            "encoding": {"y": y, "x": low, "x2": {"field": "high"}},
        },
        {"data": data, "mark": tick, "encoding": {"y": y, "x": low}},
        {"data": data, "mark": tick, "encoding": {"y": y, "x": {**low, "field": "high"}}},
        {
            "data": data,
            "mark": {"type": "text", "align": "left", "dx": 8, "fontSize": 11, "color": LIGHT["mark"]},
            "encoding": {"y": y, "x": {**low, "field": "high"}, "text": {"field": "text", "type": "nominal"}},
        },
    ]


def matrix_spec(
    agents: Sequence[str], cells: Sequence[MatrixCell], *, share: bool = False, size: Size = WIDE
) -> Spec:
    """Differences of all pairs: the row's agent minus the column's, both numbered in the order of the family.

    A cell is coloured by its size only when the pair is significant, so that the blocks seen are findings.

    Args:
        agents: the family, best first; at least two.
        cells: its pairs.
        share: whether the differences are of shares, written in percentage points.
        size: how large it is drawn; numbers are written into the cells when they have room.
    """
    names = unique_labels(agents, size.label)
    rows = [f"{_isolated(name)}\N{EM SPACE}{number}" for number, name in enumerate(names, 1)]
    columns = [str(number) for number in range(2, len(agents) + 1)]
    side = max(min(size.plot // len(columns), 56), 8)
    written = side >= 44
    labels, top = _heat_labels(cells, share=share)
    values = [
        {
            "row": rows[cell.row],
            "column": columns[cell.column - 1],
            "heat": labels[_heat(cell, top)],
            "text": _size(cell.difference, share=share) if written else "",
            "p": cell.p.replace(" ", "") if written else "",
            "mark": "•" if cell.significant and not written else "",
            "ink": LIGHT["bright"] if _heat(cell, top) >= 3 else LIGHT["weak"],
        }
        for cell in cells
    ]
    layers = _matrix_layers(values, rows, columns, labels)
    spec = base_spec(side * len(columns), {"step": min(side, 36)}, layers)
    spec["config"]["legend"]["columns"] = 1 if size.plot < WIDE.plot else len(HEAT)
    return spec


def _isolated(name: str) -> str:
    """Keep a name that runs from right to left from turning the number beside it around."""
    return name if name.isascii() else f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def _heat(cell: MatrixCell, top: float) -> int:
    if not cell.significant:
        return 0
    steps = len(HEAT) - 1
    return 1 + min(int(cell.difference / top * steps), steps - 1) if top > 0 else 1


def _size(value: float, *, share: bool) -> str:
    return f"{100 * value:.1f}" if share else f"{value:.3f}"


def _heat_labels(cells: Sequence[MatrixCell], *, share: bool) -> tuple[list[str], float]:
    top = max((cell.difference for cell in cells if cell.significant), default=0.0)
    steps = len(HEAT) - 1
    edges = [_size(top * step / steps, share=share) for step in range(steps + 1)]
    if len(set(edges)) <= steps:
        edges = [f"{(100 if share else 1) * top * step / steps:.2g}" for step in range(steps + 1)]
    unit = " points" if share else ""
    bins = [f"{edges[step]} to {edges[step + 1]}{unit}" for step in range(steps)]
    return ["not shown different", *bins], top


def _matrix_layers(values: list[Spec], rows: list[str], columns: list[str], labels: list[str]) -> list[Spec]:
    axis = {"ticks": False, "domain": False, "grid": False, "labelColor": INK, "labelPadding": 6}
    scale = {"paddingInner": 0.06, "paddingOuter": 0}
    y: Spec = {"field": "row", "type": "nominal", "sort": None, "axis": {**axis, "title": None}}
    x: Spec = {"field": "column", "type": "nominal", "sort": None}
    x["axis"] = {**axis, "title": "worse agent, by its number", "orient": "top", "labelAngle": 0}
    y["scale"], x["scale"] = {**scale, "domain": rows}, {**scale, "domain": columns}
    used = [label for label in labels if any(value["heat"] == label for value in values)]
    colours = [LIGHT[HEAT[labels.index(label)]] for label in used]
    legend = {
        "title": None,
        "orient": "bottom",
        "symbolType": "square",
    }
    heat = {"field": "heat", "type": "nominal", "scale": {"domain": used, "range": colours}}
    heat["legend"] = {**legend, "symbolSize": 140, "symbolStrokeWidth": 0}
    ink = {"field": "ink", "type": "nominal", "scale": None}
    place = {"y": y, "x": x}

    def written(field: str, **mark: Any) -> Spec:
        return {
            "mark": {"type": "text", **mark},
            "encoding": {**place, "text": {"field": field, "type": "nominal"}, "color": ink},
        }

    data = {"values": values}
    squares = {"mark": {"type": "rect"}, "encoding": {**place, "color": heat}}
    texts = [
        written("text", dy=-6, fontSize=11),
        written("p", dy=7, fontSize=9),
        written("mark", fontSize=11),
    ]
    return [{"data": data, **layer} for layer in (squares, *texts)]


def difference_spec(
    value: Estimate, *, title: str, detectable: float | None, share: bool = False, size: Size = WIDE
) -> Spec:
    """One difference with its interval beside zero and, in the row below, the difference that could be detected.

    Args:
        value: the difference, whose value is not ``None``.
        title: name of the axis.
        share: whether it is a difference of shares, written in percent.
        detectable: minimal detectable difference, drawn to both sides of zero; ``None`` for no such row.
        size: how large it is drawn.
    """
    mean = value.value
    row = {"row": "difference", "mean": mean, "zero": 0}
    row |= {
        "low": mean if value.low is None else value.low,
        "high": mean if value.high is None else value.high,
    }
    spans = [] if detectable is None else [{"row": "detectable", "low": -detectable, "high": detectable}]
    order = ["difference", *(span["row"] for span in spans)]
    axis = {"title": None, "ticks": False, "domain": False, "labelPadding": 8, "labelColor": INK}
    y = {"field": "row", "type": "nominal", "sort": None, "scale": {"domain": order}, "axis": axis}
    x_axis = {"title": title, "tickCount": size.plot // 70, "domain": False, "titlePadding": 8}
    if share:
        x_axis["format"] = "+.0%"
    x = {"field": "low", "type": "quantitative", "axis": x_axis}
    ends = {"y": y, "x": x, "x2": {"field": "high"}}
    data, odd, mark = {"values": [row]}, LIGHT["odd"], LIGHT["mark"]
    layers: list[Spec] = [
        {
            "data": {"values": spans},
            "mark": {"type": "rule", "strokeWidth": 6, "color": GRID, "strokeCap": "butt"},
            "encoding": ends,
        },
        {"data": data, "mark": {"type": "rule", "color": mark}, "encoding": {"x": {**x, "field": "zero"}}},
        {"data": data, "mark": {"type": "rule", "strokeWidth": 2, "color": odd}, "encoding": ends},
        {
            "data": data,
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "color": odd},
            "encoding": {"y": y, "x": {**x, "field": "mean"}},
        },
    ]
    return base_spec(size.plot, {"step": 30}, layers)
