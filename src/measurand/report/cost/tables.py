"""Tables of the cost axis: agents, who leads at which exchange rate, pairs, and agents without a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.cost.words import (
    axis_words,
    meter_words,
    point_words,
    rate_text,
    rate_unit,
    worth,
    worth_of_several,
)
from measurand.report.document import Cell, Column, Table
from measurand.report.names import visible
from measurand.report.numbers import DASH, UNKNOWN, count, interval, p_value, percent, quantity
from measurand.report.parts import Field, build_table, data_column, meter_label, name_cell, percent_level
from measurand.report.scores import score_words, value_form
from measurand.wording import upper_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.cost.records import CostApart, CostRow, PairRates, ParetoPart, RateInterval
    from measurand.report.document import Tone

__all__ = ["agents_table", "apart_table", "leads_table", "pairs_table"]


def agents_table(part: ParetoPart) -> Table:
    """One row a placed agent."""
    form, label = value_form(part.score), meter_label(part.meter)
    fields: list[Field[CostRow]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent)),
        Field(
            Column("quality", upper_first(score_words(part.score)), "right"),
            lambda row: Cell(form(row.quality), row.quality),
        ),
        Field(Column("cost", f"{label} per trial", "right"), lambda row: _cost_cell(row, part)),
        Field(
            Column("geometric", "Geometric mean", "right", shown=part.log_cost),
            lambda row: _geometric_cell(row, part),
        ),
        Field(
            Column("per_success", f"{label} per success", "right", importance=4),
            lambda row: _success(row, part),
        ),
        Field(Column("efficient", "Efficient", importance=0), _efficient_cell),
        Field(Column("may_be_efficient", "May be", importance=2), _may_be_cell),
        Field(
            Column("lead", f"Leads where {_lower(axis_words(part))}", importance=1),
            lambda row: Cell(
                worth(row.lead, part), worth(row.lead, part) if row.lead else None, _tone(row.lead)
            ),
        ),
        Field(
            Column("supported", "Shown to lead", importance=3),
            lambda row: Cell(
                worth(row.supported, part),
                worth(row.supported, part) if row.supported else None,
                _tone(row.supported),
            ),
        ),
        data_column("dominated_by", lambda row: row.dominated_by),
        data_column("excluded_by", lambda row: ", ".join(row.excluded_by) or None),
        data_column("coverage", lambda row: row.coverage),
        *_ends("lead", lambda row: row.lead),
        *_ends("supported", lambda row: row.supported),
    ]
    table = Table("cost-agents", "Agents", (), (), note=_agents_note(part))
    return build_table(fields, part.agents, band=lambda _: None, table=table)


def _agents_note(part: ParetoPart) -> str:
    parts = [
        "Efficient: nobody is at least as good for less, or better for no more.",
        "May be: whether the data leave it possible that the agent is efficient.",
    ]
    if any(row.per_success.low is not None for row in part.agents):
        level = next(row.per_success.level for row in part.agents if row.per_success.level is not None)
        parts.append(f"Brackets: {percent_level(level)} interval over tasks.")
    if part.log_cost:
        parts.append("Efficient and leads are by the geometric mean over tasks.")
    return " ".join(parts)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _tone(interval: RateInterval | None) -> Tone:
    return "plain" if interval else "muted"


def _cost_cell(row: CostRow, part: ParetoPart) -> Cell:
    partly = f"({percent(row.coverage)} known)" if row.coverage < 1 else ""
    return Cell(quantity(row.cost, part.unit), row.cost, minor=partly)


def _geometric_cell(row: CostRow, part: ParetoPart) -> Cell:
    if row.log2_cost is None:
        return Cell(DASH, None, "muted")
    value = 2.0**row.log2_cost
    return Cell(quantity(value, part.unit), value)


def _success(row: CostRow, part: ParetoPart) -> Cell:
    found = row.per_success
    if found.value is None:
        return Cell("no success", None, "muted")

    def form(value: float | None) -> str:
        return quantity(value, part.unit)

    text = form(found.value)
    if row.per_success_at_least:
        return Cell(f"≥ {text}", found.value)
    ends = interval(found.low, found.high, form).replace("$", "")
    if found.low is not None and found.high is None:
        ends = f"[{form(found.low).replace('$', '')}, no end)"
    return Cell(text, found.value, minor=ends)


def _efficient_cell(row: CostRow) -> Cell:
    if row.efficient:
        return Cell("yes", value=True, tone="strong")
    return Cell("no", value=False, tone="muted")


def _may_be_cell(row: CostRow) -> Cell:
    if row.may_be_efficient is None:
        return Cell(DASH, None, "muted")
    return Cell(
        "yes" if row.may_be_efficient else "no",
        row.may_be_efficient,
        "plain" if row.may_be_efficient else "muted",
    )


def _ends(key: str, of: Callable[[CostRow], RateInterval | None]) -> tuple[Field[CostRow], ...]:
    return (
        data_column(f"{key}_low", lambda row: None if (found := of(row)) is None else found.low),
        data_column(f"{key}_high", lambda row: None if (found := of(row)) is None else found.high),
    )


def leads_table(part: ParetoPart) -> Table | None:
    """Agents that lead somewhere, by the means or as shown, the one for whom cost counts least first; with exchange rates."""
    rows = [row for row in part.agents if row.lead or row.supported]
    if not rows or len(part.agents) < 2:
        return None
    rows.sort(key=lambda row: (row.lead or row.supported).low)  # type: ignore[union-attr]
    tested = part.test is not None and part.test.reason is None
    fields: list[Field[CostRow]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent)),
        Field(Column("rates", "Leads at λ", "right"), lambda row: _rate_cell(row.lead)),
        Field(Column("worth", axis_words(part), "right"), lambda row: Cell(worth(row.lead, part), None)),
        Field(
            Column("shown", "Shown at λ", "right", importance=1, shown=tested),
            lambda row: _rate_cell(row.supported, shown=True),
        ),
        Field(
            Column(
                "possible", f"May lead where {_lower(axis_words(part))}", "right", importance=2, shown=tested
            ),
            lambda row: Cell(worth_of_several(row.may_lead, part), None),
        ),
    ]
    note = (
        f"λ: exchange rate, {rate_unit(part)}. "
        + (
            f"A doubling must bring: so much more {score_words(part.score)} for twice the {meter_words(part)}. "
            if part.log_cost
            else f"{upper_first(point_words(part))} is worth: the {meter_words(part)} of a trial that one pays for it, 0.01/λ. "
        )
        + (
            "Shown: against every other tested agent. May lead: where nobody is shown to beat it."
            if tested
            else ""
        )
    )
    table = Table("cost-leads", "Who leads at which exchange rate", (), (), note=note.strip())
    return build_table(fields, rows, band=lambda _: None, table=table)


def _rate_cell(found: RateInterval | None, *, shown: bool = False) -> Cell:
    text = rate_text(found, shown=shown)
    return Cell(text, None if found is None else text, _tone(found))


def pairs_table(part: ParetoPart) -> Table | None:
    """Ordered pairs that have an exchange rate at which the one beats the other."""
    rows = [pair for pair in part.pairs if pair.rates is not None or pair.supported is not None]
    if not rows or part.test is None:
        return None
    exact, resamples = part.test.exact, part.test.resamples
    fields: list[Field[PairRates]] = [
        Field(Column("agent", "Agent", name=True), lambda pair: name_cell(pair.agent)),
        Field(Column("rival", "over", name=True), lambda pair: name_cell(pair.rival)),
        Field(Column("rates", "at λ", "right"), lambda pair: _rate_cell(pair.rates)),
        Field(
            Column("worth", axis_words(part), "right", importance=1),
            lambda pair: Cell(worth(pair.rates, part), None),
        ),
        Field(
            Column("supported", "shown at λ", "right"), lambda pair: _rate_cell(pair.supported, shown=True)
        ),
        Field(
            Column("p", "p", "right", importance=2),
            lambda pair: Cell(p_value(pair.p, resamples=resamples, exact=exact), pair.p),
        ),
    ]
    note = f"λ: {rate_unit(part)}. p: adjusted, that the agent beats the rival at some exchange rate."
    if len(part.agents) > len({pair.agent for pair in part.pairs}):
        note += " Pairs of efficient agents only."
    table = Table("cost-pairs", "Pairs", (), (), note=note, detail=len(rows) > 30)
    return build_table(fields, rows, band=lambda _: None, table=table)


def apart_table(part: ParetoPart) -> Table | None:
    """Agents without a place, and why."""
    if not part.apart:
        return None
    form = value_form(part.score)
    fields: list[Field[CostApart]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent)),
        Field(
            Column("quality", upper_first(score_words(part.score)), "right"),
            lambda row: Cell(form(row.quality), row.quality, "plain" if row.quality is not None else "muted"),
        ),
        Field(
            Column("cost", f"{meter_label(part.meter)} per trial", "right"),
            lambda row: (
                Cell(UNKNOWN, None, "muted")
                if row.at_least is None
                else Cell(f"≥ {quantity(row.at_least, part.unit)}", row.at_least)
            ),
        ),
        Field(
            Column("known", "Known trials", "right"),
            lambda row: Cell(f"{count(row.known)}/{count(row.trials)}", row.known),
        ),
        Field(
            Column("reason", "Why", wraps=True, importance=1),
            lambda row: Cell(visible(row.reason), row.reason),
        ),
    ]
    note = "Unknown is not zero. A cost with ≥ is the known part over all trials."
    table = Table("cost-apart", "Agents without a place", (), (), note=note, detail=len(part.apart) > 12)
    return build_table(fields, part.apart, band=lambda _: None, table=table)
