"""What became of the rows of an import, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Document, Item, Row, Section, Table
from measurand.report.names import name_shown, visible
from measurand.report.numbers import count
from measurand.report.parts import GENERATOR, listed
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.model.imports import Conflict, Declaration, ImportReport, NoteGroup
    from measurand.report.document import Tone

__all__ = ["import_document"]

KINDS: dict[str, tuple[str, Tone]] = {
    "dropped": ("not kept", "problem"),
    "unknown": ("became unknown", "warning"),
    "note": ("note", "muted"),
}
"""Kind of a note -> its words and tone; the gravest first."""

MOST_CONFLICTS = 20


def import_document(report: ImportReport) -> Document:
    """Report on one import: what was kept first, then what was lost and what the source said beyond its rows."""
    sections = (
        Section(id="rows", title="Rows", sentences=tuple(_sentences(report)), lead=True),
        _notes(report),
        _conflicts(report),
        _columns(report),
    )
    return Document(
        title=f"Import from {visible(report.source)}",
        subtitle=listed(report.paths, 3),
        sections=tuple(section for section in sections if section is not None),
        generator=GENERATOR,
    )


def _sentences(report: ImportReport) -> list[str]:
    verb = "was" if report.rows_kept == 1 else "were"
    kept = f"{count(report.rows_kept)} of {plural(report.rows_read, 'row')} {verb} kept."
    sentences = [kept if report.rows_read else "No rows were found."]
    if report.duplicates:
        verb = "repeats" if report.duplicates == 1 else "repeat"
        word = "was" if report.duplicates == 1 else "were"
        sentences.append(
            f"{plural(report.duplicates, 'row')} {verb} another record of the same trial and {word} merged with it."
        )
    if not report.partial and report.rows_read:
        sentences.append("Nothing was lost.")
    return [*sentences, *(_declared(declaration) for declaration in report.declarations)]


def _declared(declaration: Declaration) -> str:
    parts = []
    if declaration.tasks is not None:
        parts.append(plural(declaration.tasks, "task"))
    if declaration.trials is not None:
        parts.append(f"{plural(declaration.trials, 'trial')} of each agent on each")
    name = name_shown(declaration.suite) + (
        f" {visible(declaration.suite_version)}" if declaration.suite_version else ""
    )
    says = f"declares {', '.join(parts)}" if parts else "is declared"
    absent = "; a task without a record counts as failed" if declaration.absent_is_fail else ""
    return f"The suite {name} {says}{absent}."


def _notes(report: ImportReport) -> Section | None:
    if not report.notes:
        return None
    order = list(KINDS)
    items = tuple(_note(note) for note in sorted(report.notes, key=lambda note: order.index(note.kind)))
    return Section(id="notes", title="What the import found", items=items)


def _note(note: NoteGroup) -> Item:
    words, tone = KINDS[note.kind]
    examples = [visible(example) for example in note.examples]
    more = note.count - len(examples)
    if examples and more > 0:
        examples.append(f"and {count(more)} more")
    return Item(words, f"{plural(note.count, 'row')}: {visible(note.what)}", tone, tuple(examples))


def _conflicts(report: ImportReport) -> Section | None:
    if not report.conflicts:
        return None
    done = {
        "refuse": "The import was refused.",
        "no-verdict": "Fields that differ became unknown, and these trials have no verdict.",
        "drop": "These trials were left out.",
    }[report.conflict_policy]
    number = len(report.conflicts)
    verb = "has" if number == 1 else "have"
    sentences = [f"{plural(number, 'trial')} {verb} records that disagree. {done}"]
    items = tuple(_conflict(conflict) for conflict in report.conflicts[:MOST_CONFLICTS])
    if number > MOST_CONFLICTS:
        sentences.append(f"The first {MOST_CONFLICTS} are listed.")
    return Section(id="conflicts", title="Records that disagree", sentences=tuple(sentences), items=items)


def _conflict(conflict: Conflict) -> Item:
    trial = " · ".join(name_shown(part) for part in (conflict.agent, conflict.task, conflict.trial))
    fields = ", ".join(visible(field) for field in conflict.fields)
    return Item(trial, f"differ in {fields}", "warning", tuple(visible(row) for row in conflict.rows))


def _columns(report: ImportReport) -> Section | None:
    if not report.mapped and not report.ignored:
        return None
    renamed = {field: column for field, column in report.mapped.items() if field != column}
    rows = tuple(
        Row((Cell(field, field), Cell(name_shown(column), column))) for field, column in renamed.items()
    )
    same = [field for field in report.mapped if field not in renamed]
    columns = (Column("field", "Field"), Column("column", "Column of the source", name=True))
    tables = (Table("columns", "Columns read as another field", columns, rows),) if rows else ()
    sentences = [f"Used as they are named: {listed(same, len(same))}."] if same else []
    if report.ignored:
        sentences.append(f"Not used: {listed(report.ignored, 30)}.")
    return Section(id="columns", title="Columns", sentences=tuple(sentences), tables=tables)
