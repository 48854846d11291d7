"""Stated confidences against verdicts, agent by agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Section, Table
from measurand.report.names import name_shown, shorten
from measurand.report.numbers import count, percent, plain
from measurand.report.parts import Field, build_table, estimate_cell, name_cell, percent_level
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.repeats.records import ConfidenceRow, ReliabilityPart

__all__ = ["calibration_section"]


def calibration_section(part: ReliabilityPart) -> Section:
    """Whether stated confidences foretell what comes of the trials, or what that would need."""
    rows = [(row.agent, row.calibration) for row in part.agents if row.calibration is not None]
    if not rows:
        text = (
            "No trial with a verdict states a confidence, so that calibration and abstention cannot be judged: they need the "
            "column `confidence`, the probability of success that the agent states, from 0 to 1."
        )
        return Section(id="calibration", title="Calibration", sentences=(text,))
    tables = (_calibration_table(part, rows), _abstention_table(part, rows))
    return Section(
        id="calibration",
        title="Calibration",
        sentences=tuple(_confidence(part, rows)),
        tables=tuple(table for table in tables if table is not None),
    )


Stating = tuple[str, "ConfidenceRow"]
"""An agent and the calibration of its confidences."""


def _confidence(part: ReliabilityPart, rows: list[Stating]) -> list[str]:
    agent, first = rows[0]
    text = (
        f"{shorten(name_shown(agent), 40)} states {percent(first.confidence)} on average and passes {percent(first.rate)}, over "
        f"{plural(first.trials, 'trial')} with both a verdict and a confidence."
    )
    sentences = [text]
    partly = [row for _, row in rows if row.trials < row.of_trials]
    if partly:
        sentences.append(
            f"{plural(len(partly), 'agent')} left the confidence of some trials out; these do not count here."
        )
    if part.abstain_below is None:
        sentences.append(
            "Abstention needs a bound: with --abstain-below X a trial of lesser confidence counts as abstained."
        )
    return sentences


def _calibration_table(part: ReliabilityPart, rows: list[Stating]) -> Table:
    fields: list[Field[Stating]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row[0], "strong")),
        Field(Column("brier", "Brier", "right"), lambda row: estimate_cell(row[1].brier)),
        Field(
            Column("brier_skill", "Skill", "right", importance=2),
            lambda row: estimate_cell(row[1].brier_skill),
        ),
        Field(Column("ece", "ECE", "right", importance=1), lambda row: estimate_cell(row[1].ece)),
        Field(Column("auroc", "AUROC", "right"), lambda row: estimate_cell(row[1].auroc)),
        Field(
            Column("risk_coverage", "Risk-coverage", "right", importance=4),
            lambda row: estimate_cell(row[1].risk_coverage),
        ),
        Field(
            Column("trials", "Trials", "right", importance=3),
            lambda row: Cell(count(row[1].trials), row[1].trials),
        ),
    ]
    note = (
        f"Brier: 0 best. Skill: 1 best, 0 no better than stating the pass rate every time. AUROC: ½ tells nothing. Risk-coverage: "
        f"1 best order, 0 random. Brackets: {percent_level(part.level)} intervals over {'tasks' if part.unit == 'task' else 'families'}."
    )
    table = Table("calibration", "Stated confidence against the verdict", (), (), note=note)
    return build_table(fields, rows, band=lambda _: None, table=table)


def _abstention_table(part: ReliabilityPart, rows: list[Stating]) -> Table | None:
    if part.abstain_below is None:
        return None
    fields: list[Field[Stating]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row[0], "strong")),
        Field(
            Column("abstained", "Abstained", "right"), lambda row: estimate_cell(row[1].abstained, percent)
        ),
        Field(
            Column("fail_given_abstain", "Fails among them", "right"),
            lambda row: estimate_cell(row[1].fail_given_abstain, percent),
        ),
        Field(
            Column("abstain_given_fail", "Of all fails", "right", importance=1),
            lambda row: estimate_cell(row[1].abstain_given_fail, percent),
        ),
        Field(
            Column("rate_on_rest", "Rate on the rest", "right"),
            lambda row: estimate_cell(row[1].rate_on_rest, percent),
        ),
    ]
    note = (
        f"Abstained: the stated confidence is less than {plain(part.abstain_below)}. Fails among them: P(fail | abstained). Of all "
        f"fails: P(abstained | fail). Rate on the rest: share passed of the other trials. Brackets: {percent_level(part.level)} "
        "intervals."
    )
    table = Table("abstention", "Abstention by stated confidence", (), (), note=note)
    return build_table(fields, rows, band=lambda _: None, table=table)
