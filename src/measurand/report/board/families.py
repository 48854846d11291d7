"""Standard errors where tasks come in families: naive and clustered side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Section, Table
from measurand.report.numbers import DASH, count, decimal, finite, interval, plain
from measurand.report.parts import Field, build_table, name_cell, percent_level
from measurand.report.scores import ranking_mean, score_words, value_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.board import Board
    from measurand.analyze.records import AgentRow, FamilyErrors
    from measurand.report.document import Value

    ErrorField = Field[AgentRow]

__all__ = ["families_section"]

NOTE = (
    "Naive: every task on its own, too small where the tasks of a family are alike. Clustered: by family. Corrected: clustered, "
    "its naive part times n/(n − 1). The mean over families answers another question: each family counts once."
)


def families_section(board: Board) -> Section | None:
    """Means and standard errors by family of tasks; ``None`` where the data name no families."""
    rows = [row for row in board.standings if row.family_errors is not None]
    if not rows:
        return None
    first = rows[0].family_errors
    level = percent_level(first.level) if first else ""
    form = value_form(board.score)
    fields: list[ErrorField] = [
        Field(Column("rank", "Rank", "right"), lambda row: Cell(count(row.rank), row.rank)),
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        _field("mean_tasks", "Mean over tasks", lambda e: e.mean_tasks, form),
        _field("mean_families", "Mean over families", lambda e: e.mean_families, form),
        _field("naive", "Naive error", lambda e: e.naive, _error),
        _field("clustered", "Clustered", lambda e: e.clustered, _error),
        _field("corrected", "Corrected", lambda e: e.corrected, _error, importance=2),
        Field(Column("interval", f"{level} t-interval", "right", importance=1), _t_interval(board.score)),
        _field("families", "Families", lambda e: e.families, lambda n: plain(n) if n is not None else DASH),
    ]
    table = Table("families", f"Standard errors of the mean {score_words(board.score)}", (), (), note=NOTE)
    return Section(
        id="families",
        title="Families of tasks",
        tables=(build_table(fields, rows, band=lambda _: None, table=table),),
    )


def _field(
    key: str,
    label: str,
    value: Callable[[FamilyErrors], float | None],
    form: Callable[[float | None], str],
    *,
    importance: int = 0,
) -> ErrorField:
    def cell(row: AgentRow) -> Cell:
        found: Value = None if row.family_errors is None else finite(value(row.family_errors))
        return Cell(form(found) if isinstance(found, (int, float)) else DASH, found)

    return Field(Column(key, label, "right", importance=importance), cell)


def _error(value: float | None) -> str:
    return decimal(value, 4)


def _t_interval(score: str) -> Callable[[AgentRow], Cell]:
    def cell(row: AgentRow) -> Cell:
        errors, mean = row.family_errors, ranking_mean(row, score)
        if errors is None or errors.low is None or mean is None:
            return Cell(DASH, None, "muted")
        return Cell(interval(errors.low, errors.high, value_form(score)), errors.low)

    return cell
