"""What can be read, and what a store holds, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Document, Item, Row, Section, Table
from measurand.report.names import name_shown, visible
from measurand.report.numbers import count
from measurand.report.parts import GENERATOR, listed
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.sources.registry import Listing
    from measurand.store import StoreInfo

__all__ = ["sources_document", "store_document"]


def sources_document(listing: Listing) -> Document:
    """List the sources; for a path, only those that claim it, with their reasons."""
    columns = [Column("source", "Source"), Column("reads", "Reads", wraps=True)]
    if listing.path is not None:
        columns.append(Column("claim", "Claim", wraps=True))
    rows = tuple(
        Row(
            tuple(
                Cell(visible(text), text) for text in (row.name, row.title, row.claim or "")[: len(columns)]
            )
        )
        for row in listing.sources
        if listing.path is None or row.claim
    )
    sentences = () if rows else ("No source knows this format.",)
    tables = (Table("sources", "What can be read", tuple(columns), rows),) if rows else ()
    return Document(
        title="Sources",
        subtitle="" if listing.path is None else visible(listing.path),
        sections=(Section(id="sources", title="Sources", sentences=sentences, tables=tables),),
        generator=GENERATOR,
    )


def store_document(info: StoreInfo) -> Document:
    """Say what a store holds and what is wrong with it."""
    held = f"{plural(info.trials, 'trial')} of {plural(info.agents, 'agent')} on {plural(info.tasks, 'task')}"
    sentences = [f"{held}, in {plural(info.segments, 'segment')}."]
    sentences.append(f"Suites: {listed(info.suites, 20)}." if info.suites else "There are no trials yet.")
    if info.duplicates:
        sentences.append(f"{count(info.duplicates)} rows repeat another record and count once.")
    sections = [Section(id="store", title="What it holds", sentences=tuple(sentences), lead=True)]
    if info.imports:
        sections.append(Section(id="imports", title="Imports", tables=(_imports(info),)))
    if troubles := _troubles(info):
        sections.append(Section(id="troubles", title="What to look at", items=troubles))
    return Document(
        title=f"Store {visible(info.path)}",
        subtitle=f"format {info.format}",
        sections=tuple(sections),
        generator=GENERATOR,
    )


def _imports(info: StoreInfo) -> Table:
    columns = (
        Column("source", "Source"),
        Column("path", "Read from", name=True),
        Column("rows_read", "Read", align="right"),
        Column("rows_kept", "Kept", align="right"),
        Column("dropped", "Dropped", align="right"),
        Column("duplicates", "Merged", align="right", importance=1),
    )
    rows = tuple(
        Row(
            (
                Cell(visible(report.source), report.source),
                Cell(name_shown(", ".join(report.paths)), ", ".join(report.paths)),
                *(
                    Cell(count(number), number)
                    for number in (report.rows_read, report.rows_kept, report.dropped, report.duplicates)
                ),
            )
        )
        for report in info.imports
    )
    return Table("imports", "One row a segment", columns, rows)


def _troubles(info: StoreInfo) -> tuple[Item, ...]:
    items = []
    if info.damaged:
        text = f"{plural(len(info.damaged), 'segment')} differ from what was written; copy them again."
        items.append(Item("damaged", text, "problem", info.damaged))
    if info.conflicts:
        text = f"{plural(len(info.conflicts), 'trial')} with records that disagree; a report needs a named policy for them."
        rows = tuple(
            visible(f"{c.agent}, {c.task}, {c.trial}: {' and '.join(c.rows)}") for c in info.conflicts[:20]
        )
        items.append(Item("conflicts", text, "warning", rows))
    if info.unfinished:
        text = "Left by writers that were cut off, or being written now; no reader looks at them."
        items.append(Item("unfinished", text, "muted", info.unfinished))
    return tuple(items)
