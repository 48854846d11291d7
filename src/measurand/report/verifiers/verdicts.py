"""A second verdict in words, figures and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.document import Cell, Column, Document, Figure, Row, Section, Table
from measurand.report.figures import NARROW, WIDE
from measurand.report.names import visible
from measurand.report.numbers import count, finite, percent
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    findings_section,
    listed,
    methods_section,
    percent_level,
    suite_title,
)
from measurand.report.verifiers.figure import LONGEST, dumbbell_spec
from measurand.report.verifiers.tables import agent_fields, corrected_fields, summary_fields
from measurand.report.verifiers.words import (
    answer,
    both_facts,
    order_sentences,
    shares_sentence,
    tier_sentence,
    verdict_word,
)
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.verifiers.records import CorrectedRate, SecondVerdict, SecondVerdicts, VerdictRow

    RowField = Field[VerdictRow]

__all__ = ["verdicts_document", "verdicts_section"]

LIMITS: Final = (
    "This takes the second verdict for the truth and corrects wrong accepts only: whether the first verdict also rejects good work "
    "shows when failed trials are judged again."
)
BOTH_WAYS: Final = "This takes the second verdict for the truth; the corrected rates allow for wrong accepts and wrong rejects."


def verdicts_document(record: SecondVerdicts) -> Document:
    """Report on a second verdict: what it rejects, what is left of the order, then each agent."""
    sections = (
        _answer(record),
        _agents(record),
        _corrected(record),
        _errors(record),
        findings_section(record.findings),
        methods_section(record.methods),
    )
    parts = [plural(len(record.agents), "agent")]
    if record.n_tasks is not None:
        parts.append(plural(record.n_tasks, "task"))
    if record.counts_only:
        parts.append("counts only")
    return Document(
        title=f"Second verdict: {suite_title(record.suite, record.suite_version)}",
        subtitle=" · ".join(parts),
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def verdicts_section(parts: Sequence[SecondVerdict]) -> Section | None:
    """What a report on a board says of further verdicts, one row each; ``None`` where there is none."""
    if not parts:
        return None
    judged = [part for part in parts if part.median_share is not None]
    sentences = [answer(part) for part in (judged or parts)[:3]]
    sentences.append("The command verdicts has each agent's rates, and how much of this chance would do.")
    note = (
        "Rejected: median over agents of the share of their passes, and its range. Reversed: neighbours apart by the gate that "
        "change places; by chance: mean and band when the same share of everybody's passes is removed at random."
    )
    table = Table("verdicts", "Further verdicts against the gate", (), (), note=note)
    filled = build_table(summary_fields(), parts, band=lambda _: None, table=table)
    return Section(id="verdicts", title="Further verdicts", sentences=tuple(sentences), tables=(filled,))


def _answer(record: SecondVerdicts) -> Section:
    sentences = [answer(record), *shares_sentence(record), *order_sentences(record.order)]
    if record.order.n_agents < 2 and any(row.corrected for row in record.agents):
        sentences.append("Rates corrected from the re-checked sample, with intervals, are given below.")
    if record.order.n_agents >= 2 or record.counts_only:
        sentences += [tier_sentence(record), *both_facts(record)]
    if record.order.left_out and record.order.n_agents >= 2:
        number = len(record.order.left_out)
        sentences.append(
            f"{plural(number, 'agent')} {'is' if number == 1 else 'are'} left out of the order, too few of "
            f"{'its' if number == 1 else 'their'} passes having been re-checked: {listed(record.order.left_out)}."
        )
    sentences.append(BOTH_WAYS if record.errors.failures_used else LIMITS)
    if record.others:
        sentences.append(f"Further verdicts in the data: {listed(record.others)}.")
    return Section(id="answer", title="What can be concluded", sentences=tuple(sentences), lead=True)


def _agents(record: SecondVerdicts) -> Section:
    first, second = verdict_word(record.first_name), verdict_word(record.second_name)
    if record.counts_only:
        first, second = "the first verdict", "the second"
    note = [
        f"By both: passed by {first} and {second}.",
        "Rejected: share of the re-checked passes that the second verdict does not pass.",
        *_levels(record),
    ]
    if any(row.checked < row.passes for row in record.agents):
        note.append(
            "A pass that was not re-checked stands; an agent with too many of them has no rate by both."
        )
    if record.tiers.first:
        note.append("Tiers: of the same agents under both verdicts.")
    table = Table("agents", "Rates before and after", (), (), note=" ".join(note), band_word="")
    fields = agent_fields(record)
    filled = build_table(fields, record.agents, band=lambda _: None, table=table)
    return Section(id="agents", title="Agents", figures=_figure(record, first), tables=(filled,))


def _levels(record: SecondVerdicts) -> list[str]:
    """Level and method of the intervals."""
    known = [one for row in record.agents if (one := row.rejected_share).low is not None]
    if not known:
        return []
    methods = sorted({visible(one.method or "").partition(" at ")[0] for one in known})
    return [f"Brackets: {percent_level(known[0].level or 0)} interval ({'; '.join(methods)})."]


def _figure(record: SecondVerdicts, first: str) -> tuple[Figure, ...]:
    rows = [
        row
        for row in record.agents
        if finite(row.first.value) is not None and finite(row.second.value) is not None
    ]
    if len(rows) < 2:
        return ()
    drawn, words = rows[:LONGEST], (f"by {first}", "by both verdicts")
    note = "From the rate by the first verdict to the rate by both."
    if len(rows) > LONGEST:
        note += f" The first {LONGEST} of {plural(len(rows), 'agent')}."
    return (
        Figure(
            id="verdicts-figure",
            title="From one verdict to both",
            alt=f"Rates of {plural(len(drawn), 'agent')} by the first verdict, and the lower ones by both verdicts.",
            spec=dumbbell_spec(drawn, words, size=WIDE),
            narrow=dumbbell_spec(drawn, words, size=NARROW),
            note=note,
        ),
    )


def _corrected(record: SecondVerdicts) -> Section | None:
    """Rates that a re-checked sample allows, one row an agent."""
    rows = [row for row in record.agents if row.corrected is not None]
    if not rows:
        if record.errors.reason is None:
            return None
        text = f"Corrected rates are not available: {visible(record.errors.reason)}."
        return Section(id="corrected", title="Rates corrected from a sample", sentences=(text,))
    sentences = [_sampled(record)]
    if record.errors.reason is not None:
        sentences.append(f"Rogan-Gladen is not available: {visible(record.errors.reason)}.")
    sentences += _reservations([(row.agent, row.corrected) for row in rows if row.corrected is not None])
    note = (
        "Rogan-Gladen: the first verdict errs alike for all agents. Prediction-powered: from the agent's own re-checked trials, "
        "with the first verdicts of all its trials. Where the two disagree, the first verdict treats agents differently."
    )
    table = Table("corrected", "Rates by the second verdict, estimated", (), (), note=note)
    filled = build_table(corrected_fields(rows), rows, band=lambda _: None, table=table)
    return Section(
        id="corrected", title="Rates corrected from a sample", sentences=tuple(sentences), tables=(filled,)
    )


def _sampled(record: SecondVerdicts) -> str:
    errors = record.errors
    if (errors.passes_checked, errors.fails_checked) == (errors.passes, errors.fails):
        return "Every trial was judged again: these are the rates by the second verdict alone."
    return f"Only a part of the trials was re-checked. If they are {errors.design}, these are the rates by the second verdict."


def _reservations(rates: list[tuple[str, CorrectedRate]]) -> list[str]:
    """Agents whose corrected rates or intervals are to be read with care, and why."""
    kinds = {
        "Too few re-checked trials for a prediction-powered interval to claim its level": [
            agent for agent, rate in rates if rate.notes
        ],
        "A corrected rate fell outside 0 to 100% and was cut": [
            agent for agent, rate in rates if rate.rogan_gladen_clipped or rate.prediction_powered_clipped
        ],
        "No prediction-powered rate, for want of re-checked failures": [
            agent for agent, rate in rates if rate.prediction_powered.value is None
        ],
    }
    return [f"{text}: {listed(agents)}." for text, agents in kinds.items() if agents]


def _errors(record: SecondVerdicts) -> Section:
    """First against second verdict over all trials."""
    errors = record.errors
    unseen = None if errors.fails is None else errors.fails - errors.fails_checked
    rows = (
        (
            "passes",
            errors.passes_checked - errors.passes_rejected,
            errors.passes_rejected,
            errors.passes - errors.passes_checked,
        ),
        ("fails", errors.fails_accepted, errors.fails_checked - errors.fails_accepted, unseen),
    )
    columns = (
        Column("first", "By the first verdict"),
        Column("second_passes", "Second passes", "right"),
        Column("second_fails", "Second fails", "right"),
        Column("not_checked", "Not re-checked", "right"),
    )
    filled = tuple(
        Row((Cell(upper_first(word), word), *(Cell(count(value), value) for value in values)))
        for word, *values in rows
    )
    sentences = []
    if errors.passes_checked:
        share = percent(errors.passes_rejected / errors.passes_checked)
        checked = plural(errors.passes_checked, "re-checked pass", "re-checked passes")
        sentences.append(
            f"Over all agents the second verdict rejects {count(errors.passes_rejected)} of {checked} ({share})."
        )
    if errors.specificity is not None and errors.sensitivity is not None:
        good = "all (by assumption)" if errors.sensitivity_assumed else percent(errors.sensitivity)
        sentences.append(
            f"By the second verdict the first one passes {good} of the good work and fails {percent(errors.specificity)} of the bad."
        )
    table = Table("errors", "Trials by both verdicts", columns, filled)
    return Section(id="errors", title="The two verdicts", sentences=tuple(sentences), tables=(table,))
