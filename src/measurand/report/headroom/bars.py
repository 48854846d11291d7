"""What a harder bar would have done: the answer, a table of bars and graded scores, the tuned bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from measurand.report.board.saturation import index_form, tiers_cell
from measurand.report.document import Cell, Column, Document, Section, Table
from measurand.report.headroom.bar_words import answer_sentences, found_words, short
from measurand.report.names import visible
from measurand.report.numbers import DASH, count, decimal, finite, percent
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    data_column,
    findings_section,
    methods_section,
    suite_title,
)
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.headroom.bar_records import BarRow, Bars, BarsPart, CohortResult

__all__ = ["bars_document"]

_NAME: Final = 40


def bars_document(record: Bars) -> Document:
    """Report on bars: what a harder one would have done first, then every bar and score."""
    agents = sum(len(cohort.agents) for cohort in record.cohorts)
    cut = f" · cut at {record.cut}" if record.cut else ""
    sections = (
        _answer(record),
        _tuned(record),
        _windows(record),
        findings_section(record.findings),
        methods_section(record.methods),
    )
    return Document(
        title=f"Harder bars: {suite_title(record.suite, record.suite_version)}",
        subtitle=f"{plural(agents, 'agent')}{cut}",
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def _answer(part: BarsPart) -> Section:
    return Section(
        id="answer",
        title="What a harder bar would have done",
        sentences=answer_sentences(part),
        tables=(_table(part),),
        lead=True,
    )


def _table(part: BarsPart) -> Table:
    fields: list[Field[BarRow]] = [
        Field(
            Column("name", "Bar or score", name=True), lambda row: Cell(short(row.name), row.name, "strong")
        ),
        Field(
            Column("kind", "Kind", importance=4),
            lambda row: Cell("graded" if row.graded else "bar", "graded" if row.graded else "bar"),
        ),
        data_column("multiplier", lambda row: row.multiplier),
        Field(
            Column("tasks", "Tasks", "right", importance=5),
            lambda row: Cell(count(row.cohorts[0].n_tasks), row.cohorts[0].n_tasks),
        ),
    ]
    for number, cohort in enumerate(part.cohorts):
        fields += _cohort_fields(cohort.name, number)
    note = (
        "Tiers of the first agents of each cohort by the row's own score, and how many agents each tier has; S near 1: within "
        "noise; at zero: share of agents whose mean is 0. λ: the bar at λ times the reference's improvement over the baseline."
    )
    return build_table(
        fields,
        part.rows,
        band=lambda _: None,
        table=Table("bars", "Bars and graded scores", (), (), note=note),
    )


def _cohort_fields(name: str, number: int) -> list[Field[BarRow]]:
    def result(row: BarRow) -> CohortResult:
        return row.cohorts[number]

    def label(text: str) -> str:
        if name == "all":
            return text
        return f"{upper_first(name)}: {text if len(text) == 1 else text.lower()}"

    return [
        Field(
            Column(f"{name}_tiers", label("Tiers"), "right"),
            lambda row: msgspec.structs.replace(tiers_cell(result(row).tiers), minor=""),
        ),
        Field(
            Column(f"{name}_sizes", label("Sizes"), importance=1),
            lambda row: _sizes(result(row).tiers),
        ),
        Field(
            Column(f"{name}_s", label("S"), "right"),
            lambda row: Cell(
                index_form(result(row).index),
                finite(result(row).index),
                "muted" if result(row).index is None else "plain",
            ),
        ),
        Field(
            Column(f"{name}_t", label("t"), "right", importance=3),
            lambda row: Cell(decimal(result(row).t), finite(result(row).t)),
        ),
        Field(
            Column(f"{name}_zero", label("At zero"), "right"),
            lambda row: Cell(percent(result(row).zero_share), finite(result(row).zero_share)),
        ),
    ]


def _sizes(tiers: Sequence[int]) -> Cell:
    """Agents of each tier, the best first."""
    text = tiers_cell(tiers).minor.strip("()")
    return Cell(text or DASH, text or None, "plain" if text else "muted")


def _tuned(part: BarsPart) -> Section:
    tuned = part.tuned
    title = "A bar tuned on the early agents"
    if tuned.bar is None:
        text = f"Not available: {visible(tuned.reason or 'there is none')}."
        return Section(id="tuned", title=title, sentences=(text,))
    zero = None if tuned.late is None else tuned.late.zero_share
    told = (
        f"Tuned on the early cohort, the bar {short(tuned.bar)} gives its first agents {found_words(tuned.early)}, in sample; out "
        f"of sample the late ones get {found_words(tuned.late)}, with {percent(zero)} of the late cohort at zero."
    )
    flattered = "The early result flatters the bar, for it was chosen by it; only the late one says what tuning is worth."
    sentences = [told, flattered]
    if tuned.hindsight is not None and tuned.hindsight != tuned.bar:
        sentences.append(
            f"With hindsight the same rule would have chosen {short(tuned.hindsight)} for the late cohort: "
            f"{found_words(tuned.hindsight_late)}."
        )
    graded = [
        row for row in part.rows if row.graded and (found := row.of("late")) is not None and found.n_tiers
    ]
    if graded:
        untuned = "; ".join(f"{short(row.name)} {found_words(row.of('late'))}" for row in graded)
        sentences.append(f"Untuned, on the late cohort: {untuned}.")
    return Section(id="tuned", title=title, sentences=tuple(sentences))


def _windows(part: BarsPart) -> Section | None:
    if part.window is None:
        return None
    if part.window_reason is not None:
        text = f"Windows are not available: {visible(part.window_reason)}."
        return Section(id="windows", title="Over time", sentences=(text,))
    rows = [row for row in part.rows if row.windows is not None]
    number = rows[0].windows.windows if rows and rows[0].windows is not None else 0
    fields: list[Field[BarRow]] = [
        Field(
            Column("name", "Bar or score", name=True), lambda row: Cell(short(row.name), row.name, "strong")
        ),
        Field(Column("one_tier", "One tier", "right"), lambda row: _window_count(row, "one_tier")),
        Field(Column("no_answer", "No answer", "right"), lambda row: _window_count(row, "no_answer")),
        Field(
            Column("median_tiers", "Median tiers", "right"),
            lambda row: _window_value(row, "median_tiers"),
        ),
        Field(Column("median_s", "Median S", "right"), lambda row: _window_value(row, "median_index")),
    ]
    note = f"Of {plural(number, 'window')} of {count(part.window)} agents that follow each other by release."
    table = Table("bar-windows", "Bars over time", (), (), note=note)
    text = (
        "Each window is tested on its own; the windows overlap and are not controlled together. A bar that ties the agents of "
        "most windows resolves a band of ability only."
    )
    filled = build_table(fields, rows, band=lambda _: None, table=table)
    return Section(id="windows", title="Over time", sentences=(text,), tables=(filled,))


def _window_count(row: BarRow, name: str) -> Cell:
    value = None if row.windows is None else getattr(row.windows, name)
    return Cell(count(value), value)


def _window_value(row: BarRow, name: str) -> Cell:
    value = None if row.windows is None else getattr(row.windows, name)
    form = index_form if name == "median_index" else (lambda number: decimal(number, 1))
    return Cell(DASH if value is None else form(value), value)
