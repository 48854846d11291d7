"""Tables in a fixed width: columns that do not fit are left out by importance and named, or rows become blocks of lines."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.report.names import cell_width, pad, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.report.document import Column, Row, Table, Tone

__all__ = ["Line", "Span", "table_lines", "wrap"]

GAP: Final = 2
"""Spaces between columns."""

LEAST_NAME: Final = 22
"""Columns that a name keeps before other columns are left out for it."""

MOST_NAME: Final = 44
LEAST_PROSE: Final = 24


class Span(NamedTuple):
    """A part of a line in one tone."""

    text: str
    tone: Tone = "plain"


Line = list[Span]


def wrap(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Break ``text`` into lines of at most ``width`` columns; words longer than a line are broken."""
    lines = textwrap.wrap(
        text, max(width, 1), initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
    return lines or [first.rstrip()]


class _Plan(NamedTuple):
    """Positions of the columns kept with their widths, and the headings left out."""

    kept: list[int]
    widths: dict[int, int]
    dropped: list[str]
    fits: bool


def table_lines(table: Table, width: int) -> list[Line]:
    """Lay out ``table`` in ``width`` columns, its notes excluded."""
    if not table.rows:
        return [[Span("(no rows)", "muted")]]
    plan = _plan(table, width)
    if not plan.fits:
        return _blocks(table, width)
    lines = _head(table, plan)
    band = table.rows[0].band
    for row in table.rows:
        if table.band_word and row.band != band:
            lines.append([])
            band = row.band
        lines += _row(table, row, plan)
    if plan.dropped:
        left_out = wrap(f"Left out for want of width: {', '.join(plan.dropped)}.", width)
        lines += [[Span(text, "muted")] for text in left_out]
    return lines


def _plan(table: Table, width: int) -> _Plan:
    """Choose columns: shorten names first, then leave out the least important column, until all fit."""
    kept = list(table.visible)
    natural = {position: _natural(table, position) for position in kept}
    dropped: list[int] = []
    while True:
        widths = {position: natural[position] for position in kept}
        excess = sum(widths.values()) + GAP * (len(kept) - 1) - width
        if excess <= 0:
            break
        if _shrink(table.columns, widths, excess):
            break
        optional = [position for position in kept if table.columns[position].importance]
        if not optional:
            return _Plan(kept, widths, [], fits=False)
        least = max(optional, key=lambda position: (table.columns[position].importance, position))
        kept.remove(least)
        dropped.append(least)
    return _Plan(kept, widths, [table.columns[position].label for position in sorted(dropped)], fits=True)


def _natural(table: Table, position: int) -> int:
    """Width that a column would like: its widest cell, or the longest word of its heading."""
    column = table.columns[position]
    widest = max(cell_width(row.cells[position].full) for row in table.rows)
    if column.name:
        widest = min(widest, MOST_NAME)
    return max(widest, *(cell_width(word) for word in column.label.split(" ")))


def _shrink(columns: Sequence[Column], widths: dict[int, int], excess: int) -> bool:
    """Take ``excess`` columns from names and prose, the widest first; False, and nothing usable, when they cannot give it."""
    least = {
        position: LEAST_PROSE if columns[position].wraps else LEAST_NAME
        for position in widths
        if columns[position].name or columns[position].wraps
    }
    if sum(max(widths[position] - floor, 0) for position, floor in least.items()) < excess:
        return False
    for _ in range(excess):
        widest = max(
            (position for position in least if widths[position] > least[position]), key=widths.__getitem__
        )
        widths[widest] -= 1
    return True


def _head(table: Table, plan: _Plan) -> list[Line]:
    headings = {
        position: wrap(table.columns[position].label, plan.widths[position]) for position in plan.kept
    }
    height = max(len(lines) for lines in headings.values())
    lines = []
    for level in range(height):
        cells = []
        for position in plan.kept:
            text = ["", *headings[position]][max(len(headings[position]) - height + level + 1, 0)]
            cells.append(pad(text, plan.widths[position], right=table.columns[position].align == "right"))
        lines.append([Span((" " * GAP).join(cells).rstrip(), "strong")])
    rule = (" " * GAP).join("-" * plan.widths[position] for position in plan.kept)
    return [*lines, [Span(rule, "muted")]]


def _row(table: Table, row: Row, plan: _Plan) -> list[Line]:
    texts = {position: _cell(table, row, position, plan.widths[position]) for position in plan.kept}
    lines: list[Line] = []
    for level in range(max(len(parts) for parts in texts.values())):
        line: Line = []
        for position in plan.kept:
            column, parts = table.columns[position], texts[position]
            text = pad(
                parts[level] if level < len(parts) else "",
                plan.widths[position],
                right=column.align == "right",
            )
            line.append(Span(text, row.cells[position].tone))
            line.append(Span(" " * GAP))
        lines.append(_stripped(line[:-1]))
    return lines


def _stripped(line: Line) -> Line:
    """Take spaces off the end of a line."""
    while line and not line[-1].text.strip():
        line = line[:-1]
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip())] if line else line


def _cell(table: Table, row: Row, position: int, width: int) -> list[str]:
    text = row.cells[position].full
    if table.columns[position].wraps:
        return wrap(text, width)
    return [shorten(text, width)]


def _blocks(table: Table, width: int) -> list[Line]:
    """Each row as lines of "heading: value", for a width in which no table stands."""
    lines: list[Line] = []
    for row in table.rows:
        if lines:
            lines.append([])
        for position in table.visible:
            cell = row.cells[position]
            text = f"{table.columns[position].label}: {cell.full}"
            lines += [[Span(part, cell.tone)] for part in wrap(text, width, rest="  ")]
    return lines
