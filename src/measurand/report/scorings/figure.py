"""The first agents under each scoring, one column a scoring: places, tiers, and how agents move between them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.report.figures import WIDE, Size, base_spec
from measurand.report.names import unique_labels
from measurand.report.palette import LIGHT, TIERS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Head", "heads_spec"]

Spec = dict[str, Any]

STEP: Final = 24
"""Height of a place, pixels."""


class Head(NamedTuple):
    """The tested family under one scoring."""

    label: str
    agents: tuple[str, ...]
    """Best first."""
    tiers: tuple[int, ...]
    """Tier of each agent; empty where the test gives no answer."""


def heads_spec(heads: Sequence[Head], *, size: Size = WIDE) -> Spec:
    """Draw the first agents under each scoring as a column of places, with a line wherever an agent stays in sight.

    Names stand beside the first and the last column; all text is data, never an expression.

    Args:
        heads: the scorings, at least two, each with at least one agent.
        size: how large it is drawn.
    """
    everyone = list(dict.fromkeys(agent for head in heads for agent in head.agents))
    labels = dict(zip(everyone, unique_labels(everyone, size.label), strict=True))
    axis = {"grid": False, "ticks": False, "domain": False, "labels": False, "title": None}
    plain = {"type": "quantitative", "axis": axis}
    most = max(len(head.agents) for head in heads)
    x = {"field": "column", **plain, "scale": {"domain": [-0.15, len(heads) - 0.85], "nice": False}}
    y = {
        "field": "place",
        **plain,
        "scale": {"domain": [0.4, most + 0.6], "reverse": True, "nice": False, "zero": False},
    }
    wide = size.plot >= WIDE.plot
    layers = [
        {
            "data": {"values": _moves(heads)},
            "mark": {"type": "rule", "strokeWidth": 1.5, "color": LIGHT["heat2"]},
            "encoding": {"x": x, "y": y, "x2": {"field": "next"}, "y2": {"field": "to"}},
        },
        *_points(heads, x, y),
        _names(heads[0], labels, y, at={"x": {"value": -8}}, align="right"),
        _names(heads[-1], labels, y, at={"x": {"value": size.plot + 8}}, align="left"),
        {
            "data": {"values": [{"column": n, "label": head.label} for n, head in enumerate(heads)]},
            "mark": {
                "type": "text",
                "fontSize": 12,
                "color": LIGHT["soft"],
                **({"align": "center"} if wide else {"align": "left", "angle": -40}),
            },
            "encoding": {"x": x, "y": {"value": -10}, "text": {"field": "label", "type": "nominal"}},
        },
    ]
    return base_spec(size.plot, STEP * most, layers)


def _moves(heads: Sequence[Head]) -> list[Spec]:
    return [
        {
            "column": column,
            "place": before.agents.index(agent) + 1,
            "next": column + 1,
            "to": after.agents.index(agent) + 1,
        }
        for column, (before, after) in enumerate(pairwise(heads))
        for agent in before.agents
        if agent in after.agents
    ]


def _points(heads: Sequence[Head], x: Spec, y: Spec) -> list[Spec]:
    """A disc a place, with the number of the tier in it: colours alone tell nobody which tier it is."""
    values = [
        {
            "column": column,
            "place": place,
            "tier": str(head.tiers[place - 1]) if head.tiers else "",
            "colour": _colour(head, place),
        }
        for column, head in enumerate(heads)
        for place in range(1, len(head.agents) + 1)
    ]
    colour = {"field": "colour", "type": "nominal", "scale": None}
    return [
        {
            "data": {"values": values},
            "mark": {"type": "point", "filled": True, "size": 260, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": colour},
        },
        {
            "data": {"values": values},
            "mark": {"type": "text", "fontSize": 11, "color": LIGHT["bright"]},
            "encoding": {"x": x, "y": y, "text": {"field": "tier", "type": "nominal"}},
        },
    ]


def _colour(head: Head, place: int) -> str:
    return LIGHT[TIERS[(head.tiers[place - 1] - 1) % len(TIERS)] if head.tiers else "untested"]


def _names(head: Head, labels: dict[str, str], y: Spec, *, at: Spec, align: str) -> Spec:
    values = [{"place": place, "agent": labels[agent]} for place, agent in enumerate(head.agents, 1)]
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": align, "fontSize": 12, "color": LIGHT["ink"]},
        "encoding": {**at, "y": y, "text": {"field": "agent", "type": "nominal"}},
    }
