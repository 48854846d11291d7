"""The colours of a report, once: figures are drawn in the light ones, and the page swaps them where it is dark.

A figure names a colour by its light value. `measurand.report.svg` finds the name again and writes it as a class, so that
the style sheet of the page can replace it; the value itself stays in place for a figure that is used alone.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

__all__ = ["DARK", "HEAT", "LIGHT", "TIERS", "figure_rules"]

LIGHT: Final = MappingProxyType(
    {
        "ink": "#1c2630",
        "soft": "#55626f",
        "grid": "#dde3e8",
        "ground": "#ffffff",
        "band": "#f0f4f6",
        "odd": "#0d6470",
        "even": "#8a4b14",
        "untested": "#5f6c79",
        "mark": "#a3243b",
        "heat0": "#e9edf0",
        "heat1": "#c2dfe0",
        "heat2": "#86bfc3",
        "heat3": "#2b7781",
        "heat4": "#0a5560",
        "weak": "#1c2631",
        "bright": "#fffffe",
    }
)
"""Name of a colour -> its value on a light page. Values differ from each other: a figure is read back by them."""

DARK: Final = MappingProxyType(
    {
        "ink": "#e4e9ed",
        "soft": "#a5b1bc",
        "grid": "#323c46",
        "ground": "#12181e",
        "band": "#1a2229",
        "odd": "#5fc4cf",
        "even": "#e5a15f",
        "untested": "#8b98a5",
        "mark": "#ff8d9f",
        "heat0": "#242d36",
        "heat1": "#1f4a50",
        "heat2": "#286a72",
        "heat3": "#4fa9b2",
        "heat4": "#a3e2e6",
        "weak": "#e4e9ee",
        "bright": "#0c1115",
    }
)
"""Name of a colour -> its value on a dark page."""

TIERS: Final = ("odd", "even")
"""Colours of tiers in turn; the tier's number stands beside them, so that nobody needs to tell them apart."""

HEAT: Final = ("heat0", "heat1", "heat2", "heat3", "heat4")
"""From "not shown different" to the largest difference."""


def figure_rules() -> tuple[tuple[str, str], ...]:
    """Classes of a figure and the colours they stand for, as (class, CSS property and variable)."""
    return tuple(
        (f"{prefix}-{name}", f"{prop}:var(--{name})")
        for name in LIGHT
        for prefix, prop in (("f", "fill"), ("s", "stroke"))
    )
