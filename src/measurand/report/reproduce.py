"""Headline numbers, stated and computed, in sentences and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.document import Cell, Column, Document, Item, Section, Table
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import DASH, MINUS, count, finite
from measurand.report.parts import GENERATOR, Field, build_table, data_column, listed, name_cell
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.analyze.reproduce import Reproduced, Reproduction
    from measurand.report.document import Tone

__all__ = ["reproduction_document"]

_NAME: Final = 48
_UNITS: Final = {"share": "", "percent": "%", "minutes": " min", "USD": " USD", "x": "×"}
_TONES: Final[dict[str, Tone]] = {
    "equal": "good",
    "rounding": "good",
    "counts": "good",
    "possible": "warning",
    "unexplained": "problem",
    "not computed": "muted",
    "not stated": "muted",
}


def reproduction_document(record: Reproduction) -> Document:
    """Report on headline numbers: how many agree, then each of them, then how ours are defined."""
    compared = [row for row in record.rows if row.difference is not None]
    other = [row for row in record.rows if row.difference is None]
    sections = [
        Section(
            id="answer",
            title="Do the trials give the stated numbers?",
            sentences=tuple(_sentences(record)),
            tables=(_table("compared", "Stated and computed", compared),) if compared else (),
            items=tuple(_reasons(compared)),
            lead=True,
        )
    ]
    if other:
        table = _table("other", "Stated only, or computed only", other)
        sections.append(Section(id="other", title="Numbers on one side only", tables=(table,)))
    items = tuple(Item(visible(name), visible(text)) for name, text in _definitions(record))
    if items:
        sections.append(Section(id="definitions", title="How ours are defined", items=items))
    return Document(
        title=f"Headline numbers: {shorten(listed(record.suites), 100)}",
        subtitle=f"{plural(record.n_trials, 'trial')} · {plural(record.n_stated, 'stated number')} · source {record.source}",
        sections=tuple(sections),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def _sentences(record: Reproduction) -> Iterator[str]:
    compared = [row for row in record.rows if row.difference is not None]
    if not record.n_stated:
        yield "The files state no headline number; ours stand below."
    elif not compared:
        yield f"None of the {plural(record.n_stated, 'stated number')} can be set beside trials."
    else:
        agree = record.agreeing("equal", "rounding")
        verb = "agrees" if agree == 1 else "agree"
        yield f"{agree:,} of {plural(len(compared), 'stated number')} that the trials define {verb} with them, to the digits stated."
        yield from _differing(record)
    alone = sum(row.stated is not None and row.difference is None for row in record.rows)
    if alone and compared:
        yield f"{plural(alone, 'further stated number')} cannot be computed from the trials at hand."
    if record.n_dropped:
        yield f"The import dropped {plural(record.n_dropped, 'record')}: `measurand import` says why."
    if not record.own_definition:
        yield "The benchmark's own definition is not known here: ours is the rate of the gate."


def _differing(record: Reproduction) -> Iterator[str]:
    exact, possible, rest = (record.agreeing(kind) for kind in ("counts", "possible", "unexplained"))
    if exact:
        yield f"{plural(exact, 'difference')} {_is(exact)} explained exactly by which trials and tasks are counted."
    if possible:
        yield f"{plural(possible, 'difference')} can be made up by trials without a verdict."
    if rest:
        yield f"{plural(rest, 'difference')} {_is(rest)} not explained."


def _reasons(rows: list[Reproduced]) -> Iterator[Item]:
    """Why numbers differ: in full, since a narrow table leaves its explanations out."""
    for row in rows:
        if row.agreement != "equal":
            name = f"{shorten(name_shown(row.agent), _NAME)}: {visible(row.name)}"
            yield Item(name, visible(row.explanation), _TONES[row.agreement])


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _table(name: str, title: str, rows: list[Reproduced]) -> Table:
    fields: list[Field[Reproduced]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        Field(Column("name", "Number"), lambda row: Cell(visible(row.name), row.name)),
        Field(Column("stated", "Stated", "right"), lambda row: _value(row.stated, row.unit)),
        Field(Column("ours", "Ours", "right"), lambda row: _value(row.ours, row.unit)),
        Field(Column("difference", "Difference", "right", importance=3), _difference),
        Field(
            Column("n", "n", "right", importance=4), lambda row: Cell(count(row.n) if row.n else DASH, row.n)
        ),
        Field(
            Column("explanation", "Explanation", wraps=True, importance=1),
            lambda row: Cell(visible(row.explanation), row.explanation, _TONES[row.agreement]),
        ),
        data_column("unit", lambda row: row.unit),
        data_column("agreement", lambda row: row.agreement),
        data_column("where", lambda row: row.where),
    ]
    return build_table(fields, rows, band=lambda _: None, table=Table(name, title, (), ()))


def _value(value: float | None, unit: str) -> Cell:
    value = finite(value)
    if value is None:
        return Cell(DASH, None, "muted")
    return Cell(f"{value:.6g}{_UNITS.get(unit, '')}".replace("-", MINUS), value)


def _difference(row: Reproduced) -> Cell:
    value = finite(row.difference)
    if value is None:
        return Cell(DASH, None, "muted")
    if row.agreement == "equal":
        return Cell("0", value)
    return Cell(f"{value:+.3g}".replace("-", MINUS), value)


def _definitions(record: Reproduction) -> list[tuple[str, str]]:
    """Each number's definition once; those that differ from agent to agent with the agents that they hold for."""
    known: dict[tuple[str, str], list[str]] = {}
    for row in record.rows:
        if row.definition:
            known.setdefault((row.name, row.definition), []).append(row.agent)
    names = [name for name, _ in known]
    return [
        (name, text if names.count(name) == 1 else f"{listed(list(dict.fromkeys(agents)))}: {text}")
        for (name, text), agents in known.items()
    ]
