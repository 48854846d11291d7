"""A report as Markdown (GitHub's dialect), for issues, pull requests and job summaries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from measurand.report.numbers import count
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.report.document import Cell, Column, Document, Item, Section, Table

__all__ = ["escape", "render_markdown"]

SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~$@!&])")
"""What Markdown could read as markup, a mention, a formula or HTML, wherever it stands in a line."""

AT_START: Final = re.compile(r"^()([-+=](?=[\s=-]|$)|\d+[.)](?=\s|$))")
"""What it could read as a list or a heading at the beginning of a line."""

LINK: Final = re.compile(r"(?i)\b(https?|ftp|www|mailto)([:.])")
"""What it could turn into a link by itself."""

MOST_DETAIL: Final = 50
"""Rows of a detail table; the other formats have all."""


def escape(text: str) -> str:
    """Write ``text`` so that Markdown shows it as it is, in one line."""
    line = " ".join(text.split())
    escaped = SPECIAL.sub(r"\\\1", line)
    escaped = LINK.sub(r"\1\\\2", escaped)
    return AT_START.sub(lambda match: f"{match[1]}{match[2][:-1]}\\{match[2][-1]}", escaped)


def render_markdown(document: Document) -> str:
    """Write ``document`` as Markdown. Figures are left out; long tables of detail are cut, and say so."""
    blocks = [f"# {escape(document.title)}"]
    if document.subtitle:
        blocks.append(escape(document.subtitle))
    if document.banner:
        blocks.append(f"> **{escape(document.banner)}**")
    for section in document.sections:
        blocks += _section(section)
    if document.command:
        blocks.append(f"To reproduce:\n\n{_fenced(document.command)}")
    blocks.append(f"*{escape(document.generator)}*")
    return "\n\n".join(blocks) + "\n"


def _fenced(text: str) -> str:
    """Put ``text`` into a code block whose fence does not occur in it."""
    runs = [len(run) for run in re.findall(r"`+", text)]
    fence = "`" * max(3, max(runs, default=0) + 1)
    return f"{fence}\n{text}\n{fence}"


def _section(section: Section) -> list[str]:
    blocks = [f"## {escape(section.title)}"]
    sentences = [escape(sentence) for sentence in section.sentences]
    if section.lead and sentences:
        blocks.append(f"**{sentences[0]}**")
        sentences = sentences[1:]
    if sentences:
        blocks.append("\n".join(f"- {sentence}" for sentence in sentences))
    for table in section.tables:
        blocks += _table(table)
    if section.items:
        blocks.append("\n".join(_item(item) for item in section.items))
    return blocks


def _item(item: Item) -> str:
    text = f"- **{escape(item.label)}**" + (f" {escape(item.text)}" if item.text else "")
    return "\n".join([text, *(f"  - {escape(detail)}" for detail in item.details)])


def _table(table: Table) -> list[str]:
    columns = [table.columns[position] for position in table.visible]
    rows = table.rows[:MOST_DETAIL] if table.detail else table.rows
    lines = [
        _line([escape(column.label) for column in columns]),
        _line([_rule(column) for column in columns]),
        *(_line([_cell(row.cells[position]) for position in table.visible]) for row in rows),
    ]
    blocks = [f"### {escape(table.title)}", "\n".join(lines)]
    if len(rows) < len(table.rows):
        blocks.append(f"The first {count(len(rows))} of {plural(len(table.rows), 'row')}.")
    if table.note:
        blocks.append(escape(table.note))
    return blocks


def _rule(column: Column) -> str:
    return "---:" if column.align == "right" else "---"


def _cell(cell: Cell) -> str:
    text = escape(cell.full)
    return f"**{text}**" if text and cell.tone == "strong" else text


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
