"""Two agents side by side: the conclusion, the difference, the tasks it comes from and the costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from measurand.report.claims.pair_words import (
    discordance_sentences,
    margin_sentences,
    short,
    timing_sentences,
)
from measurand.report.claims.regressions import regressions_section
from measurand.report.cost.exchange_pair import exchange_sentences
from measurand.report.document import Cell, Column, Document, Figure, Row, Section, Table
from measurand.report.figures import NARROW, WIDE, difference_spec
from measurand.report.names import visible
from measurand.report.numbers import (
    UNKNOWN,
    count,
    decimal,
    finite,
    interval,
    p_statement,
    p_value,
    quantity,
)
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    estimate_cell,
    findings_section,
    meter_cell,
    meter_label,
    methods_section,
    name_cell,
    percent_level,
    success_cell,
    suite_title,
    with_power,
)
from measurand.report.scores import difference_form, is_share, score_words, size_form, value_form
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.comparison import Comparison, TaskDifference
    from measurand.analyze.records import Meter

__all__ = ["comparison_document"]

FEW_TASKS = 20
"""Below so many tasks the least attainable p belongs in the answer."""


def comparison_document(comparison: Comparison) -> Document:
    """Report on two agents: the conclusion first, then what it rests on."""
    sections = (
        _answer(comparison),
        _difference(comparison),
        _tasks(comparison),
        regressions_section(comparison.regressions),
        _costs(comparison),
        findings_section(comparison.findings),
        methods_section(comparison.methods),
    )
    a, b = short(comparison.a, 60), short(comparison.b, 60)
    return Document(
        title=f"{a} and {b}",
        subtitle=f"{suite_title(comparison.suite, comparison.suite_version)} · {plural(comparison.n_tasks, 'common task')}"
        f" · by {score_words(comparison.score)}",
        banner="" if comparison.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(comparison.command or ""),
        generator=GENERATOR,
    )


def _answer(comparison: Comparison) -> Section:
    sentences = [visible(comparison.conclusion), *_size(comparison), *_wins(comparison)]
    if comparison.margin is not None:
        sentences += margin_sentences(comparison.margin, comparison.score)
    few = discordance_sentences(comparison.discordance, comparison.level, comparison.unit)
    least = finite(comparison.least_attainable_p)
    if few:
        sentences += few
    elif least is not None and (least > comparison.level or comparison.n_tasks < FEW_TASKS):
        sentences.append(
            f"With these tasks the least p-value that any result could give is {p_value(least)}."
        )
    detectable = finite(comparison.detectable.value)
    if detectable is not None:
        sentences.append(
            f"With {plural(comparison.n_tasks, 'task')} a difference of {size_form(comparison.score)(detectable)} "
            f"would be shown {with_power(comparison.detectable)}."
        )
    sentences += timing_sentences(comparison.timing)
    return Section(id="answer", title="What can be concluded", sentences=tuple(sentences), lead=True)


def _size(comparison: Comparison) -> list[str]:
    value = comparison.difference
    if finite(value.value) is None:
        return [
            f"The difference is not available: {visible(value.reason or 'the agents have no common task.')}"
        ]
    form = difference_form(comparison.score)
    ends = interval(value.low, value.high, form)
    level = f"{percent_level(value.level)} interval " if value.level is not None else ""
    t = "" if finite(comparison.t) is None else f", t = {decimal(comparison.t)}"
    p = p_statement(comparison.p, resamples=comparison.resamples, exact=comparison.exact)
    around = f" ({level}{ends})" if ends else ""
    what = f"{short(comparison.a)} minus {short(comparison.b)} is {form(value.value)}{around}"
    return [f"{what} over {plural(comparison.n_tasks, 'task')}; {p}{t}."]


def _wins(comparison: Comparison) -> list[str]:
    text = (
        f"{short(comparison.a)} is better on {plural(comparison.a_better, 'task')}, {short(comparison.b)} on"
        f" {count(comparison.b_better)}; {count(comparison.equal)} are equal"
    )
    if comparison.p_discordant is not None:
        text += f" (exact McNemar {p_statement(comparison.p_discordant)})"
    return [f"{text}."]


def _difference(comparison: Comparison) -> Section:
    rows = (
        Row(
            (
                name_cell(comparison.a, "strong"),
                estimate_cell(comparison.mean_a, value_form(comparison.score)),
            )
        ),
        Row(
            (
                name_cell(comparison.b, "strong"),
                estimate_cell(comparison.mean_b, value_form(comparison.score)),
            )
        ),
        Row((Cell("Difference"), estimate_cell(comparison.difference, difference_form(comparison.score)))),
    )
    columns = (
        Column("agent", "Agent", name=True),
        Column("mean", f"Mean {score_words(comparison.score)}", "right"),
    )
    draws = (
        f"all {plural(comparison.resamples, 'resample')} enumerated"
        if comparison.exact
        else f"{plural(comparison.resamples, 'random resample')}"
        + (f", seed {comparison.seed}" if comparison.seed is not None else "")
    )
    note = (
        f"{visible(comparison.method)}; level {percent_level(comparison.level)}; {plural(comparison.n_tasks, 'task')}"
        + (
            f", {comparison.n_units:,} exchangeable units ({visible(comparison.unit)})"
            if comparison.n_units != comparison.n_tasks
            else ""
        )
        + f"; {draws}."
    )
    table = Table("means", "Means and paired difference", columns, rows, note=note)
    return Section(id="difference", title="The difference", figures=_figure(comparison), tables=(table,))


def _figure(comparison: Comparison) -> tuple[Figure, ...]:
    value = comparison.difference
    if finite(value.value) is None:
        return ()
    detectable = finite(comparison.detectable.value)
    level = f"{percent_level(value.level)} interval" if value.level is not None else "interval"
    title = f"difference in {score_words(comparison.score)}, with {level}"
    form, share = difference_form(comparison.score), is_share(comparison.score)
    alt = (
        f"The difference {form(value.value)} with its interval {interval(value.low, value.high, form)} beside"
        " the line of no difference."
    )
    note = "Right of zero the first agent is better, left of it the second."
    if detectable is not None:
        note += f" Grey: differences up to {size_form(comparison.score)(detectable)}, which this number of tasks would often miss."
    return (
        Figure(
            id="difference-figure",
            title="Paired difference with interval",
            alt=alt,
            spec=difference_spec(value, title=title, detectable=detectable, share=share, size=WIDE),
            narrow=difference_spec(value, title=title, detectable=detectable, share=share, size=NARROW),
            note=note,
        ),
    )


def _tasks(comparison: Comparison) -> Section | None:
    if not comparison.largest:
        return None
    value, signed = value_form(comparison.score), difference_form(comparison.score)
    fields: list[Field[TaskDifference]] = [
        Field(Column("task", "Task", name=True), lambda task: name_cell(task.task)),
        Field(
            Column("a", short(comparison.a, 16), "right"), lambda task: Cell(value(task.a), finite(task.a))
        ),
        Field(
            Column("b", short(comparison.b, 16), "right"), lambda task: Cell(value(task.b), finite(task.b))
        ),
        Field(
            Column("difference", "Difference", "right"),
            lambda task: Cell(signed(task.a - task.b), finite(task.a - task.b)),
        ),
    ]
    note = f"The {plural(len(comparison.largest), 'task')} with the largest differences, either way."
    table = Table("tasks", "Where they differ most", (), (), note=note)
    filled = build_table(fields, comparison.largest, band=lambda _: None, table=table)
    return Section(id="tasks", title="Tasks", tables=(filled,))


def _costs(comparison: Comparison) -> Section:
    pairs = _paired_meters(comparison)
    if not any(meter is not None and meter.known for pair in pairs for meter in pair[1:]):
        text = "No cost was recorded for either agent: dollars, tokens, steps and time are unknown, not zero."
        return Section(id="costs", title="Costs", sentences=(text,))
    fields: list[Field[_MeterRow]] = [
        Field(
            Column("meter", "Meter"),
            lambda row: Cell(meter_label(row.name), row.name, "strong"),
        ),
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent)),
        Field(Column("total", "Total", "right"), lambda row: meter_cell(row.meter)),
        Field(Column("mean", "Per known trial", "right", importance=2), lambda row: _mean(row.meter)),
        Field(
            Column("per_success", "Per success", "right", importance=1), lambda row: success_cell(row.meter)
        ),
    ]
    rows = [
        _MeterRow(name, agent, meter)
        for name, a, b in pairs
        for agent, meter in ((comparison.a, a), (comparison.b, b))
    ]
    note = "Unknown is not zero; a total with ≥ is a lower bound, followed by the trials whose meter is known and all trials."
    table = Table("costs", "Costs of all trials", (), (), note=note)
    filled = build_table(fields, rows, band=lambda _: None, table=table)
    weighed = () if comparison.exchange is None else exchange_sentences(comparison.exchange)
    return Section(id="costs", title="Costs", sentences=weighed, tables=(filled,))


class _MeterRow(NamedTuple):
    """One meter of one of the two agents."""

    name: str
    agent: str
    meter: Meter | None


def _mean(meter: Meter | None) -> Cell:
    if meter is None or finite(meter.mean_known) is None:
        return Cell(UNKNOWN, None, "muted")
    return Cell(quantity(meter.mean_known, meter.unit), meter.mean_known)


def _paired_meters(comparison: Comparison) -> list[tuple[str, Meter | None, Meter | None]]:
    a = {meter.name: meter for meter in comparison.meters_a}
    b = {meter.name: meter for meter in comparison.meters_b}
    return [(name, a.get(name), b.get(name)) for name in dict.fromkeys((*a, *b))]
