"""Two bills of each agent as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Document, Section, Table
from measurand.report.names import visible
from measurand.report.numbers import DASH, UNKNOWN, count, dollars
from measurand.report.parts import (
    GENERATOR,
    Field,
    build_table,
    data_column,
    listed,
    methods_section,
    name_cell,
)
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.cost.bills import AgentBills, Bills, Unpriced

__all__ = ["bills_document"]


def bills_document(record: Bills) -> Document:
    """Report of both bills: each agent's sums, and what has no price."""
    sections = [_answer(record)]
    if record.unpriced:
        sections.append(_unpriced(record))
    return Document(
        title="Two bills",
        subtitle=f"{plural(len(record.agents), 'agent')} · {plural(record.trials, 'trial')} · by {visible(record.table)}",
        sections=(*sections, methods_section(record.methods)),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def _answer(record: Bills) -> Section:
    priced = sum(agent.repriced for agent in record.agents)
    sentences = [f"{visible(record.table)} prices {count(priced)} of {plural(record.trials, 'trial')}."]
    unknown = [agent.agent for agent in record.agents if not agent.repriced]
    if unknown:
        sentences.append(f"No trial is priced of {listed(unknown)}: unknown, not free.")
    return Section(
        id="bills",
        title="What did it cost, by one price table?",
        sentences=tuple(sentences),
        tables=(_agents(record),),
        lead=True,
    )


def _agents(record: Bills) -> Table:
    fields: list[Field[AgentBills]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent)),
        Field(
            Column("reported_usd", "Self-reported", "right"),
            lambda row: _bill(row.reported_usd, row.reported, row.trials),
        ),
        Field(
            Column("repriced_usd", "Repriced", "right"),
            lambda row: _bill(row.repriced_usd, row.repriced, row.trials),
        ),
        Field(Column("difference_usd", "Difference", "right"), _difference),
        Field(Column("trials", "Trials", "right"), lambda row: Cell(count(row.trials), row.trials)),
        data_column("reported", lambda row: row.reported),
        data_column("repriced", lambda row: row.repriced),
        data_column("both", lambda row: row.both),
    ]
    note = "≥: a lower bound, some trials have no bill (known/all). Difference: repriced less self-reported, over trials with both."
    table = Table("bills", "Bills of each agent", (), (), note=note)
    return build_table(fields, record.agents, band=lambda _: None, table=table)


def _bill(usd: float | None, known: int, trials: int) -> Cell:
    if usd is None:
        return Cell(UNKNOWN, None, "muted")
    if known == trials:
        return Cell(dollars(usd), usd)
    return Cell(f"≥ {dollars(usd)}", usd, minor=f"({known:,}/{trials:,})")


def _difference(row: AgentBills) -> Cell:
    if row.difference_usd is None:
        return Cell(DASH, None, "muted")
    shown = round(row.difference_usd, 9) + 0.0  # what floats leave of equal bills is no difference
    sign = "+" if shown > 0 else ""
    minor = "" if row.both == row.trials else f"({row.both:,}/{row.trials:,})"
    return Cell(f"{sign}{dollars(shown)}", row.difference_usd, minor=minor)


def _unpriced(record: Bills) -> Section:
    fields: list[Field[Unpriced]] = [
        Field(
            Column("model", "Model", name=True),
            lambda row: Cell(UNKNOWN, None, "muted") if row.model is None else name_cell(row.model),
        ),
        Field(Column("trials", "Trials", "right"), lambda row: Cell(count(row.trials), row.trials)),
        Field(
            Column("reason", "Why there is no price", wraps=True),
            lambda row: Cell(visible(row.reason), row.reason),
        ),
    ]
    table = Table("unpriced", "Trials without a second bill", (), ())
    return Section(
        id="unpriced",
        title="What has no price?",
        tables=(build_table(fields, record.unpriced, band=lambda _: None, table=table),),
    )
