"""Profiles of agents in words, figures and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from measurand.report.document import Cell, Column, Document, Figure, Section, Table
from measurand.report.figures import NARROW, WIDE
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import DASH, count, decimal, finite, interval, p_statement, percent
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    Field,
    build_table,
    estimate_cell,
    findings_section,
    listed,
    methods_section,
    name_cell,
    suite_title,
)
from measurand.report.profile_figure import curves_spec
from measurand.report.scores import difference_form, score_words, value_form
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.profile_records import Curve, Lead, PairChance, Profile, ProfilePart, ProfileRow

__all__ = ["profile_document", "profile_section"]

_NAME: Final = 32


def profile_document(record: Profile) -> Document:
    """Report on the profiles: who keeps a lead when tasks are left out, then means, curves and pairs."""
    sections = (
        _leads(record, lead=True),
        msgspec.structs.replace(_agents(record), sentences=_ranks(record)),
        _curves(record),
        _chances(record),
        findings_section(record.findings),
        methods_section(record.methods),
    )
    return Document(
        title=f"Profiles: {suite_title(record.suite, record.suite_version)}",
        subtitle=f"{plural(len(record.family), 'agent')} · by {score_words(record.score)}",
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def profile_section(part: ProfilePart) -> Section | None:
    """What a report on a board says of profiles; ``None`` where there is one agent only."""
    leads = _leads(part, lead=False)
    if leads is None:
        return None
    agents, curves = _agents(part), _curves(part)
    return Section(
        id="profiles",
        title="Beyond the mean",
        sentences=leads.sentences,
        figures=() if curves is None else curves.figures,
        tables=(*agents.tables, *leads.tables),
    )


def _short(name: str) -> str:
    return shorten(name_shown(name), _NAME)


def _leads(part: ProfilePart, *, lead: bool) -> Section | None:
    if not part.leads:
        text = "There is one agent only, and so no lead to look into."
        return (
            Section(id="leads", title="What the lead rests on", sentences=(text,), lead=True)
            if lead
            else None
        )
    return Section(
        id="leads",
        title="What the lead rests on",
        sentences=(_closest(part.leads), *_carriers(part.leads[0])),
        tables=(_leads_table(part),),
        lead=lead,
    )


def _closest(leads: Sequence[Lead]) -> str:
    """The lead that rests on the fewest tasks."""
    real = [lead for lead in leads if lead.to_erase is not None]
    if not real:
        return f"{_short(leads[0].leader)} leads nobody: {visible(leads[0].reason or 'the means are equal')}."
    first = min(real, key=lambda lead: lead.to_erase or 0)
    tasks = plural(first.to_erase or 0, "task")
    return (
        f"{_short(first.leader)}'s lead over {_short(first.rival)} is gone when {tasks} of {count(first.n_tasks)} "
        f"{'is' if first.to_erase == 1 else 'are'} left out, the fewest of all its rivals tested."
    )


def _carriers(lead: Lead) -> list[str]:
    if len({round(part.share, 9) for part in lead.carried_by}) < 2:
        return []
    names = listed([part.task for part in lead.carried_by[:3]])
    share = sum(part.share for part in lead.carried_by[:3])
    return [
        f"Over {_short(lead.rival)} the lead comes most from {names}: {percent(share)} of the sum of differences "
        "(more than all of it where other tasks point the other way)."
        if share > 1
        else f"Over {_short(lead.rival)} the lead comes most from {names}: {percent(share)} of the sum of differences."
    ]


def _told_apart(part: ProfilePart) -> bool:
    """Whether some task carries more of a lead than another; passes and fails all weigh the same."""
    return any(len({round(task.share, 9) for task in lead.carried_by}) > 1 for lead in part.leads)


def _leads_table(part: ProfilePart) -> Table:
    signed = difference_form(part.score)

    def carried(lead: Lead) -> Cell:
        text = ", ".join(
            f"{shorten(name_shown(t.task), 24)} ({percent(t.share)})" for t in lead.carried_by[:3]
        )
        return Cell(text or DASH, text or None, "plain" if text else "muted")

    fields: list[Field[Lead]] = [
        Field(Column("rival", "Over", name=True), lambda lead: name_cell(lead.rival)),
        Field(
            Column("difference", "Lead", "right"),
            lambda lead: Cell(signed(lead.difference), finite(lead.difference)),
        ),
        Field(
            Column("to_erase", "Tasks to erase it", "right"),
            lambda lead: Cell(DASH if lead.to_erase is None else count(lead.to_erase), lead.to_erase),
        ),
        Field(
            Column("n_tasks", "of", "right", importance=1),
            lambda lead: Cell(count(lead.n_tasks), lead.n_tasks),
        ),
        Field(
            Column("flips_alone", "Each alone", "right", importance=3),
            lambda lead: Cell(count(lead.flips_alone), lead.flips_alone),
        ),
        Field(Column("carried_by", "Most from", wraps=True, importance=2, shown=_told_apart(part)), carried),
    ]
    note = (
        f"Leads of {_short(part.family[0])}. Tasks to erase it: the fewest whose removal leaves no lead. Each alone: tasks "
        "any of which carries it."
        + (" Most from: share of the sum of differences." if _told_apart(part) else "")
    )
    return build_table(
        fields, part.leads, band=lambda _: None, table=Table("leads", "Leads", (), (), note=note)
    )


def _agents(part: ProfilePart) -> Section:
    form = value_form(part.score)
    given = any(row.middle.value is not None for row in part.agents)
    fields: list[Field[ProfileRow]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent)),
        Field(Column("mean", "Mean", "right"), lambda row: Cell(form(row.mean), finite(row.mean))),
        Field(
            Column("middle", "Interquartile mean", "right", shown=given),
            lambda row: estimate_cell(row.middle, form),
        ),
        Field(
            Column("mean_rank", "Mean rank", "right", importance=1),
            lambda row: Cell(decimal(row.mean_rank), finite(row.mean_rank)),
        ),
    ]
    reasons = {row.middle.reason for row in part.agents if row.middle.reason and row.middle.value is None}
    note = (
        "Interquartile mean: over the middle half of the tasks, so that no quarter of them carries it."
        if given
        else "".join(f"No interquartile mean: {visible(reason)}. " for reason in sorted(reasons)).strip()
    )
    table = Table("profile", "Means, middle means and ranks", (), (), note=note)
    filled = build_table(fields, part.agents, band=lambda _: None, table=table)
    return Section(id="agents", title="Agents", tables=(filled,))


def _ranks(record: Profile) -> tuple[str, ...]:
    """What ranks alone say, by the usual test."""
    ranks = record.ranks
    if ranks.p is not None and ranks.critical_difference is not None:
        text = (
            f"Mean ranks over {plural(ranks.n_tasks, 'task')} that all have: Friedman's test of no difference gives "
            f"{p_statement(ranks.p)}; Nemenyi's critical difference is {decimal(ranks.critical_difference)} ranks."
        )
        return (text,)
    return (f"Friedman's test is not available: {visible(ranks.reason)}.",) if ranks.reason else ()


def _curves(part: ProfilePart) -> Section | None:
    figures = []
    if part.curves:
        title = f"threshold of the {score_words(part.score)}"
        figures.append(_figure("performance", "Performance profile", part.curves, part.thresholds, title))
    if part.improvement:
        title = "p: share of the reference's performance"
        figures.append(_figure("opt-p", "Opt_p", part.improvement, part.improvement_thresholds, title))
    if not figures:
        return None
    text = "Each curve gives the share of trials that reach a threshold: a curve above another everywhere is better by any average."
    return Section(id="curves", title="Curves", sentences=(text,), figures=tuple(figures))


def _figure(
    key: str, title: str, curves: tuple[Curve, ...], thresholds: tuple[float, ...], axis: str
) -> Figure:
    middle = len(thresholds) // 2
    at = "; ".join(f"{_short(c.agent)} {percent(c.share[middle])}" for c in curves[:5])
    return Figure(
        id=key,
        title=title,
        alt=f"Falling curves of {plural(len(curves), 'agent')}; at {decimal(thresholds[middle])}: {at}.",
        spec=curves_spec(curves, thresholds, title=axis, size=WIDE),
        narrow=curves_spec(curves, thresholds, title=axis, size=NARROW),
        note="Shaded: pointwise interval of the first agent.",
        data=_curve_table(key, title, curves, thresholds),
    )


def _curve_table(key: str, title: str, curves: tuple[Curve, ...], thresholds: tuple[float, ...]) -> Table:
    fields: list[Field[tuple[Curve, int]]] = [
        Field(Column("agent", "Agent", name=True), lambda at: name_cell(at[0].agent)),
        Field(
            Column("threshold", "Threshold", "right"),
            lambda at: Cell(decimal(thresholds[at[1]], 3), thresholds[at[1]]),
        ),
        Field(
            Column("share", "Share", "right"),
            lambda at: Cell(
                percent(at[0].share[at[1]]),
                at[0].share[at[1]],
                minor=interval(at[0].low[at[1]], at[0].high[at[1]], percent),
            ),
        ),
    ]
    points = [(curve, place) for curve in curves for place in range(len(thresholds))]
    table = Table(f"{key}-data", title, (), (), detail=True)
    return build_table(fields, points, band=lambda _: None, table=table)


def _chances(part: Profile) -> Section | None:
    if not part.chances:
        return None
    fields: list[Field[PairChance]] = [
        Field(Column("better", "Agent", name=True), lambda pair: name_cell(pair.better)),
        Field(Column("worse", "against", name=True), lambda pair: name_cell(pair.worse)),
        Field(Column("chance", "Wins", "right"), lambda pair: estimate_cell(pair.chance, percent)),
    ]
    first = part.chances[0]
    text = (
        f"A trial of {_short(first.better)} beats one of {_short(first.worse)} on the same task with probability "
        f"{percent(first.chance.value)} {interval(first.chance.low, first.chance.high, percent)}; ties count half."
    )
    note = "A probability is no size: an agent that wins every task by a hair has 100%."
    table = Table("chances", "Probability of improvement", (), (), note=note, detail=len(part.chances) > 15)
    filled = build_table(fields, part.chances, band=lambda _: None, table=table)
    return Section(id="chances", title="Probability of improvement", sentences=(text,), tables=(filled,))
