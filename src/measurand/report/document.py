"""A report before it has a format: sections with sentences, tables and figures.

The content of a report is decided once, as a `Document`; text, Markdown and HTML only draw it. A cell keeps the raw value
beside the displayed text, so that every table can be had as data.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = [
    "Align",
    "Cell",
    "Column",
    "Document",
    "Figure",
    "Item",
    "Row",
    "Section",
    "Table",
    "Tone",
    "Value",
]

Value = str | int | float | bool | None
"""Raw value of a cell, as CSV and JSON have it."""

Tone = Literal["plain", "strong", "muted", "good", "warning", "problem"]
"""How a text is meant; each renderer finds its own means. Never the only bearer of a meaning: the words say it too."""

Align = Literal["left", "right"]


class Cell(msgspec.Struct, frozen=True):
    """One cell: what is shown, and the value behind it."""

    text: str
    value: Value = None
    tone: Tone = "plain"
    minor: str = ""
    """Shown after the text with less weight, such as an interval."""

    @property
    def full(self) -> str:
        """Text and minor text in one line."""
        return f"{self.text} {self.minor}" if self.minor else self.text


class Column(msgspec.Struct, frozen=True):
    """What the cells under one heading have in common."""

    key: str
    """Name in CSV: lower case, unique in the table."""
    label: str
    """Heading; empty for a column that is data only."""
    align: Align = "left"
    importance: int = 0
    """Columns of the highest number are left out first where space is short; 0 is never left out."""
    shown: bool = True
    """Whether people see it; data formats have every column."""
    name: bool = False
    """Whether cells are names that others chose: they may be long, and may be shortened where space is short."""
    wraps: bool = False
    """Whether cells are prose, which may take several lines."""


class Row(msgspec.Struct, frozen=True):
    """Cells in the order of the table's columns."""

    cells: tuple[Cell, ...]
    band: int | None = None
    """Rows of one band belong together, such as agents of one tier."""


class Table(msgspec.Struct, frozen=True):
    """Rows under named columns."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    """How to read it, and how its numbers were had."""
    band_word: str = ""
    """What a band is called, such as "Tier"; empty when rows have none."""
    detail: bool = False
    """For those who want every number: folded in HTML, left out of text."""

    @property
    def visible(self) -> tuple[int, ...]:
        """Positions of the columns that people see."""
        return tuple(i for i, column in enumerate(self.columns) if column.shown)


class Figure(msgspec.Struct, frozen=True):
    """A picture of numbers, and the numbers."""

    id: str
    title: str
    alt: str
    """What the picture shows, for those who do not see it."""
    spec: dict[str, Any]
    """Vega-Lite, with its data inline."""
    narrow: dict[str, Any] | None = None
    """The same figure drawn for a narrow screen."""
    note: str = ""
    data: Table | None = None
    """The numbers drawn; ``None`` when a table of the section has them already."""


class Item(msgspec.Struct, frozen=True):
    """A labelled paragraph: a finding or a method."""

    label: str
    text: str
    tone: Tone = "plain"
    details: tuple[str, ...] = ()


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a report under one heading. Figures stand before tables, tables before items."""

    id: str
    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    items: tuple[Item, ...] = ()
    lead: bool = False
    """Whether its first sentence is the answer that the reader came for."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A whole report."""

    title: str
    subtitle: str = ""
    banner: str = ""
    """A warning that no reader may miss."""
    sections: tuple[Section, ...]
    command: str = ""
    """The command that reproduces it."""
    generator: str
    """Name and version of what wrote it."""
