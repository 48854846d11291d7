"""Intervals of means by every method, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Document, Section, Table
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import DASH, count, finite, interval
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    data_column,
    findings_section,
    methods_section,
    name_cell,
    percent_level,
    suite_title,
)
from measurand.report.scores import difference_form, score_words, size_form, value_form
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.interval_records import (
        DifferenceRow,
        IntervalRow,
        Intervals,
        IntervalsPart,
        MethodInterval,
    )

    Form = Callable[[float | None], str]

__all__ = ["intervals_document", "intervals_section"]

_HEADINGS = {"wilson": "Wilson", "percentile": "Percentile", "bca": "BCa", "t": "t"}
_CAUTIOUS = "*"
"""Behind an interval that does not claim its level here."""


def intervals_document(record: Intervals) -> Document:
    """Report on intervals: which one the standings show, all of them side by side, differences where asked for."""
    sections = (
        _answer(record),
        _differences(record),
        findings_section(record.findings),
        methods_section(record.methods),
    )
    units = "" if record.unit == "task" else f" in {plural(record.n_units, 'family', 'families')}"
    return Document(
        title=f"Intervals: {suite_title(record.suite, record.suite_version)}",
        subtitle=f"{plural(len(record.agents), 'agent')} · {plural(record.n_tasks, 'task')}{units} · by "
        f"{score_words(record.score)}",
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def intervals_section(part: IntervalsPart) -> Section | None:
    """What a report on a board says of intervals; ``None`` without agents."""
    if not part.agents:
        return None
    return Section(
        id="intervals", title="Intervals by every method", sentences=_sentences(part), tables=(_table(part),)
    )


def _answer(part: IntervalsPart) -> Section:
    return Section(
        id="answer",
        title="How sure the means are",
        sentences=_sentences(part),
        tables=(_table(part),),
        lead=True,
    )


def _sentences(part: IntervalsPart) -> tuple[str, ...]:
    sentences = [*_first(part), visible(part.why), *_apart(part)]
    methods = [row.methods for row in part.agents] + [row.methods for row in part.differences]
    cautions = dict.fromkeys(one.caution for row in methods for one in row if one.caution)
    if cautions:
        few = list(cautions)[:3]
        more = f" and {plural(len(cautions) - 3, 'more reason')}" if len(cautions) > 3 else ""
        sentences.append(f"{_CAUTIOUS} may cover with less than its level: {visible('; '.join(few))}{more}.")
    return tuple(sentences)


def _first(part: IntervalsPart) -> list[str]:
    """The first agent's mean with the interval of the standings."""
    if not part.agents:
        return []
    row, form = part.agents[0], value_form(part.score)
    shown = next((one for one in row.methods if one.standing), None)
    name = shorten(name_shown(row.agent), 40)
    if shown is None:
        return [
            f"{name}'s mean {score_words(part.score)} is {form(row.mean)}, without interval in the standings."
        ]
    ends = interval(shown.interval.low, shown.interval.high, form)
    return [
        f"{name}'s mean {score_words(part.score)} is {form(row.mean)}, {percent_level(part.level)} interval {ends}."
    ]


def _apart(part: IntervalsPart) -> list[str]:
    """How far the ends of the methods lie apart at most: whether the choice matters."""
    widest, where = 0.0, ""
    for row in part.agents:
        ends = [(one.interval.low, one.interval.high) for one in row.methods if one.interval.low is not None]
        for side in zip(*ends, strict=True):
            known = [end for end in side if end is not None]
            if known and max(known) - min(known) > widest:
                widest, where = max(known) - min(known), row.agent
    if not where:
        return []
    size = size_form(part.score)(widest)
    return [f"The ends by different methods lie at most {size} apart ({shorten(name_shown(where), 40)})."]


def _table(part: IntervalsPart) -> Table:
    form = value_form(part.score)
    given = [
        name for name in _HEADINGS if any(row.method(name).interval.low is not None for row in part.agents)
    ]
    even = len({row.n_tasks for row in part.agents}) == 1
    fields: list[Field[IntervalRow]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        Field(Column("mean", "Mean", "right"), lambda row: Cell(form(row.mean), finite(row.mean))),
        *(_field(name, form, shown=name in given) for name in _HEADINGS),
        Field(
            Column("n", "Tasks", "right", importance=2, shown=not even),
            lambda row: Cell(count(row.n_tasks), row.n_tasks),
        ),
    ]
    for name in _HEADINGS:
        fields += _ends(name)
    return build_table(
        fields,
        part.agents,
        band=lambda _: None,
        table=Table("intervals", f"Mean {score_words(part.score)}", (), (), note=_note(part)),
    )


def _note(part: IntervalsPart) -> str:
    units = (
        plural(part.n_units, "task")
        if part.unit == "task"
        else plural(part.n_units, "family of tasks", "families of tasks")
    )
    return (
        f"{percent_level(part.level)} intervals over {units}; bootstraps: {count(part.resamples)} resamples, seed "
        f"{part.seed}. {DASH}: does not apply, or has no width."
    )


def _field(name: str, form: Form, *, shown: bool) -> Field[IntervalRow]:
    column = Column(name, _HEADINGS[name], "right", importance=int(name == "bca"), shown=shown)
    return Field(column, lambda row: _cell(row.method(name), form))


def _cell(one: MethodInterval, form: Form) -> Cell:
    ends = interval(one.interval.low, one.interval.high, form)
    if not ends:
        return Cell(DASH, None, "muted")
    text = ends + (_CAUTIOUS if one.caution else "")
    return Cell(text, ends, "strong" if one.standing else "plain")


def _ends(name: str) -> list[Field[IntervalRow]]:
    """Ends, and why there are none or what is to be minded, for data formats."""
    return [
        data_column(f"{name}_low", lambda row: row.method(name).interval.low),
        data_column(f"{name}_high", lambda row: row.method(name).interval.high),
        data_column(f"{name}_reason", lambda row: row.method(name).interval.reason),
        data_column(f"{name}_caution", lambda row: row.method(name).caution),
        data_column(f"{name}_standing", lambda row: row.method(name).standing),
    ]


def _differences(part: IntervalsPart) -> Section | None:
    if not part.differences:
        return None
    form = difference_form(part.score)

    def column(name: str) -> Field[DifferenceRow]:
        place = Column(name, _HEADINGS[name], "right", importance=int(name == "bca"))
        return Field(place, lambda row: _cell(row.method(name), form))

    even = len({row.n_tasks for row in part.differences}) == 1
    fields: list[Field[DifferenceRow]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        Field(
            Column("difference", "Difference", "right"),
            lambda row: Cell(form(row.difference), finite(row.difference)),
        ),
        *(column(name) for name in ("percentile", "bca", "t")),
        Field(
            Column("n", "Tasks", "right", importance=2, shown=not even),
            lambda row: Cell(count(row.n_tasks), row.n_tasks),
        ),
    ]
    base = shorten(name_shown(part.differences[0].against), 40)
    for name in ("percentile", "bca", "t"):
        fields += _difference_ends(name)
    text = (
        f"Paired differences from {base}, each for one pair named beforehand: several looked at together are not covered at "
        f"{percent_level(part.level)}, and tiers and `measurand compare` rest on the sign-flip test instead."
    )
    table = Table(
        "differences",
        f"Difference from {base}",
        (),
        (),
        note=_note(part),
    )
    filled = build_table(fields, part.differences, band=lambda _: None, table=table)
    return Section(id="differences", title="Differences", sentences=(text,), tables=(filled,))


def _difference_ends(name: str) -> list[Field[DifferenceRow]]:
    return [
        data_column(f"{name}_low", lambda row: row.method(name).interval.low),
        data_column(f"{name}_high", lambda row: row.method(name).interval.high),
        data_column(f"{name}_reason", lambda row: row.method(name).interval.reason),
        data_column(f"{name}_caution", lambda row: row.method(name).caution),
    ]
