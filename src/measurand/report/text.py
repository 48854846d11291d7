"""A report as text: plain in a fixed width for files and pipes, in colour on a terminal that wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.text_table import Line, Span, table_lines, wrap
from measurand.wording import plural

if TYPE_CHECKING:
    from rich.console import Console

    from measurand.report.document import Document, Item, Section, Table, Tone

__all__ = ["render_text"]

DEFAULT_WIDTH: Final = 80
LEAST_WIDTH: Final = 24

STYLES: Final[dict[Tone, str]] = {
    "plain": "",
    "strong": "bold",
    "muted": "dim",
    "good": "green",
    "warning": "yellow",
    "problem": "bold red",
}


def render_text(document: Document, *, width: int = DEFAULT_WIDTH, console: Console | None = None) -> str:
    """Write ``document`` for a terminal or a plain text file. Figures are left out.

    Args:
        document: the report.
        width: columns of a line; with a ``console`` its own width is used.
        console: a console of rich to style the text for. One that is no terminal, or for which colour is off
            (``NO_COLOR``), gets the same lines without colour.

    Returns:
        Lines that end in a line feed, with the terminal's control sequences only for a ``console`` that takes them.
        Control characters in names are escapes.
    """
    width = max(console.width if console is not None else width, LEAST_WIDTH)
    lines = _document(document, width)
    if console is not None and console.is_terminal:
        return _styled(lines, console)
    return "\n".join("".join(span.text for span in line) for line in lines) + "\n"


def _styled(lines: list[Line], console: Console) -> str:
    from rich.text import Text

    with console.capture() as capture:
        for line in lines:
            text = Text.assemble(*((span.text, STYLES[span.tone]) for span in line))
            console.print(text, soft_wrap=True, highlight=False)
    return capture.get()


def _document(document: Document, width: int) -> list[Line]:
    lines = [[Span(text, "strong")] for text in wrap(document.title, width)]
    if document.subtitle:
        lines += [[Span(text, "muted")] for text in wrap(document.subtitle, width)]
    if document.banner:
        lines.append([])
        lines += [[Span(text, "problem")] for text in wrap(document.banner, width, first="! ", rest="! ")]
    for section in document.sections:
        lines += _section(section, width)
    if document.command:
        lines += [[], *([Span(text)] for text in wrap(f"To reproduce: {document.command}", width, rest="  "))]
    return [*lines, [], [Span(document.generator, "muted")]]


def _section(section: Section, width: int) -> list[Line]:
    title = wrap(section.title, width)
    rule = "=" * max(len(text) for text in title)
    lines: list[Line] = [[], *([Span(text, "strong")] for text in title), [Span(rule, "muted")]]
    for position, sentence in enumerate(section.sentences):
        first = section.lead and position == 0
        wrapped = wrap(sentence, width) if first else wrap(sentence, width, first="- ", rest="  ")
        lines += [[Span(text, "strong" if first else "plain")] for text in wrapped]
    for table in section.tables:
        lines += _table(table, width)
    for item in section.items:
        lines += _item(item, width)
    return lines


def _table(table: Table, width: int) -> list[Line]:
    if table.detail:
        text = f"{table.title}: {plural(len(table.rows), 'row')}, in the other formats."
        return [[], *([Span(part, "muted")] for part in wrap(text, width))]
    note = [[Span(text, "muted")] for text in wrap(table.note, width)] if table.note else []
    return [
        [],
        *([Span(text, "strong")] for text in wrap(table.title, width)),
        *table_lines(table, width),
        *note,
    ]


def _item(item: Item, width: int) -> list[Line]:
    tone: Tone = item.tone if item.tone != "plain" else "strong"
    lines = [[Span(text, tone)] for text in wrap(item.label, width)]
    if item.text:
        lines += [[Span(text)] for text in wrap(item.text, width, first="  ", rest="  ")]
    for detail in item.details:
        lines += [[Span(text, "muted")] for text in wrap(detail, width, first="  - ", rest="    ")]
    return lines
