"""Quality against cost: who is efficient, who leads at which exchange rate, and what of it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.cost.figure import NARROW_PLANE, WIDE_PLANE, PlanePoint, front_spec
from measurand.report.cost.tables import agents_table, apart_table, leads_table, pairs_table
from measurand.report.cost.words import known_words, meter_words, point_words, unit_words, worth
from measurand.report.document import Document, Figure, Section
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import count, percent
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    findings_section,
    listed,
    methods_section,
    percent_level,
    suite_title,
)
from measurand.report.scores import is_share, score_words
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.cost.records import CostRow, Pareto, ParetoPart, RateTest

__all__ = ["pareto_document", "pareto_section", "pareto_sentences"]

_NAME: Final = 40
_LEADS_NAMED: Final = 5
_APART_NAMED: Final = 3


def pareto_document(record: Pareto) -> Document:
    """Report on quality against cost: the answer first, then agents, leads, pairs, and who has no place."""
    leads, pairs, apart = leads_table(record), pairs_table(record), apart_table(record)
    sections = [
        Section(id="answer", title="Who is worth the cost", sentences=pareto_sentences(record), lead=True),
    ]
    if record.agents:
        sections.append(
            Section(
                id="plane", title="Quality and cost", figures=_figures(record), tables=(agents_table(record),)
            )
        )
    tables = tuple(table for table in (leads, pairs) if table is not None)
    if tables:
        sections.append(Section(id="leads", title="Exchange rates", tables=tables))
    if apart is not None:
        sections.append(Section(id="apart", title="Without a place", tables=(apart,)))
    sections += [findings_section(record.findings), methods_section(record.methods)]
    what = f"log2 {meter_words(record)}" if record.log_cost else meter_words(record)
    return Document(
        title=f"Quality and cost: {suite_title(record.suite, record.suite_version)}",
        subtitle=f"{plural(len(record.agents), 'agent')} with a place · {score_words(record.score)} against {what} of a trial",
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(sections),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def pareto_section(part: ParetoPart | None) -> Section:
    """What a report on a board says of quality against cost; ``None``: no trial has a cost."""
    if part is None or not part.agents:
        sentences = pareto_sentences(part) if part is not None else (_UNKNOWN,)
        return Section(id="pareto", title="Quality and cost", sentences=sentences)
    leads = leads_table(part)
    return Section(
        id="pareto",
        title="Quality and cost",
        sentences=pareto_sentences(part),
        figures=_figures(part),
        tables=() if leads is None else (leads,),
    )


_UNKNOWN: Final = "No trial records its cost, so that quality cannot be set against it: unknown, not zero."


def pareto_sentences(part: ParetoPart) -> tuple[str, ...]:
    """Say the answer in sentences, what is shown after what the means say."""
    if not part.agents:
        return tuple(_nobody(part))
    if len(part.agents) == 1:
        alone = f"{_short(part.agents[0].agent)} alone has a place, and so nothing to be weighed against."
        return (alone, *_apart(part))
    return (
        _efficient(part),
        *_leads(part),
        *_shown(part),
        *_possible(part),
        *_apart(part),
        *_basis(part),
    )


def _short(name: str) -> str:
    return shorten(name_shown(name), _NAME)


def _nobody(part: ParetoPart) -> list[str]:
    if not any(row.known for row in part.apart):
        other = (
            f" Other meters are recorded: {', '.join(part.other_meters)} (--meter)."
            if part.other_meters
            else ""
        )
        return [
            f"No trial records its {meter_words(part)}, so that quality cannot be set against it: unknown, not zero.{other}"
        ]
    first = next(row for row in part.apart if row.known)
    known = max(part.apart, key=lambda row: row.known / max(row.trials, 1))
    return [
        f"No agent has a place: {_short(first.agent)}: {visible(first.reason)}.",
        f"The best known is {_short(known.agent)}, {percent(known.known / max(known.trials, 1))} of its trials.",
        "--coverage gives a place to agents whose cost is known for a share of their trials.",
    ]


def _efficient(part: ParetoPart) -> str:
    efficient = [row.agent for row in part.agents if row.efficient]
    are = "is" if len(efficient) == 1 else "are"
    return (
        f"Of {plural(len(part.agents), 'agent')} whose {known_words(part)}, {count(len(efficient))} {are} efficient, "
        f"for nobody else is at least as good for less: {listed(efficient, 8)}."
    )


def _leads(part: ParetoPart) -> list[str]:
    """Who leads where, by the means: from where quality counts most to where cost does."""
    rows = [(row.lead.low, row) for row in part.agents if row.lead is not None and row.efficient]
    rows.sort(key=lambda entry: entry[0])
    if len(rows) == 1:
        return [f"By the means, {_short(rows[0][1].agent)} leads whatever the score is worth."]
    named = [f"{_short(row.agent)} at {worth(row.lead, part)}" for _, row in rows]
    if len(named) > _LEADS_NAMED:
        beyond = "beyond" if part.log_cost else "below"
        named = [*named[: _LEADS_NAMED - 1], f"{count(len(named) - _LEADS_NAMED + 1)} more {beyond} that"]
    found = [f"Who leads depends on what {_price_words(part)}. By the means: {'; '.join(named)}."]
    inside = [row.agent for row in part.agents if row.efficient and row.lead is None]
    if inside:
        verb = "is efficient and leads" if len(inside) == 1 else "are efficient and lead"
        found.append(f"{listed(inside, 4)} {verb} nowhere: others do better on either side.")
    return found


def _price_words(part: ParetoPart) -> str:
    if part.log_cost:
        return f"a doubling of {meter_words(part)} must bring in {score_words(part.score)}"
    return f"{point_words(part)} is worth, in {unit_words(part)} a trial"


def _shown(part: ParetoPart) -> list[str]:
    test = part.test
    if test is None:
        return []
    if test.reason is not None:
        return [f"Nothing of this is shown: {visible(test.reason)}."]
    pairs = plural(len(test.family) * (len(test.family) - 1), "ordered pair")
    sure = f"at most a {percent_level(test.level)} chance of any false statement over {pairs} and all exchange rates"
    others = (
        "the others"
        if len(test.family) == len(part.agents)
        else f"others of the {count(len(test.family))} tested"
    )
    shown = [row for row in part.agents if row.supported is not None]
    if shown:
        named = "; ".join(
            f"{_short(row.agent)} at {worth(row.supported, part)}" for row in shown[:_LEADS_NAMED]
        )
        found = [f"Shown to beat all {others}, with {sure}: {named}."]
    else:
        found = [f"No agent is shown to beat all {others} at any exchange rate, with {sure}."]
    return [*found, f"Caution: {visible(test.caution)}."] if test.caution else found


def _possible(part: ParetoPart) -> list[str]:
    tested = [row for row in part.agents if row.may_be_efficient is not None]
    if not tested:
        return []
    stay = sum(1 for row in tested if row.may_be_efficient)
    leaders = sum(1 for row in tested if row.may_lead)
    gone = len(tested) - stay
    rest = f"; the other {count(gone)} {'is' if gone == 1 else 'are'} shown to be dominated" if gone else ""
    who = f"{count(stay)} of the {count(len(tested))}" if gone else f"All {count(stay)}"
    text = f"{who} tested may be efficient{rest}"
    return [f"{text}; {count(leaders)} may lead at some exchange rate."]


def _apart(part: ParetoPart) -> list[str]:
    unknown = [row.agent for row in part.apart if not row.known]
    partly = [row for row in part.apart if row.known]
    found = []
    if unknown:
        verb = "has" if len(unknown) == 1 else "have"
        found.append(
            f"{plural(len(unknown), 'agent')} {verb} no recorded {meter_words(part)} and no place: unknown, not zero "
            f"({listed(unknown, _APART_NAMED)})."
        )
    if partly:
        verb = "is" if len(partly) == 1 else "are"
        named = "; ".join(f"{_short(row.agent)}: {visible(row.reason)}" for row in partly[:_APART_NAMED])
        more = f"; and {count(len(partly) - _APART_NAMED)} more" if len(partly) > _APART_NAMED else ""
        found.append(f"{plural(len(partly), 'agent')} {verb} listed apart: {named}{more}.")
    return found


def _basis(part: ParetoPart) -> list[str]:
    found = []
    if part.n_used < part.n_tasks:
        found.append(
            f"All of this is over the {count(part.n_used)} of {plural(part.n_tasks, 'task')} that every placed agent has with "
            f"known {meter_words(part)}, so that means may differ from the standings."
        )
    if part.n_fixed and part.n_used > 1:
        found.append(
            f"The {meter_words(part)} of {plural(part.n_fixed, 'agent')} is the same on every task, as a mean over trials would be: "
            "it is taken as known exactly."
        )
    return found


def _figures(part: ParetoPart) -> tuple[Figure, ...]:
    points = [
        PlanePoint(
            row.agent,
            row.cost if row.log2_cost is None else 2.0**row.log2_cost,
            row.quality,
            _kind(row, part.test),
        )
        for row in part.agents
    ]
    unit = "" if part.unit in part.meter else f" ({part.unit})"
    middle = "geometric mean " if part.log_cost else ""
    x = f"{middle}{meter_words(part)} of a trial{unit}" + (
        ", logarithmic" if min(p.cost for p in points) > 0 else ""
    )
    common = {
        "x_title": x,
        "y_title": score_words(part.score),
        "unit": part.unit,
        "share": is_share(part.score),
    }
    efficient = [row for row in part.agents if row.efficient]
    alt = (
        f"{plural(len(points), 'agent')} by {meter_words(part)} and {score_words(part.score)}. The front runs from "
        f"{_short(efficient[-1].agent)} to {_short(efficient[0].agent)} through {plural(len(efficient), 'efficient agent')}."
    )
    return (
        Figure(
            id="front",
            title="The front",
            alt=alt,
            spec=front_spec(points, **common, size=WIDE_PLANE),  # type: ignore[arg-type]
            narrow=front_spec(points, **common, size=NARROW_PLANE),  # type: ignore[arg-type]
            note="Left and up is better. The line: the best score that so much buys. Names stand where there is room for them.",
        ),
    )


def _kind(row: CostRow, test: RateTest | None) -> str:
    if row.efficient:
        return "efficient"
    if test is None or test.reason is not None or row.may_be_efficient is None:
        return "dominated"
    return "may be efficient" if row.may_be_efficient else "shown to be dominated"
