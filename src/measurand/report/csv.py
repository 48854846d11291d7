"""Tables as CSV (RFC 4180): raw values, one header line, an empty field for what is not defined."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from measurand.report.board.standings import tidy_table
from measurand.report.board.tests import pairs_table
from measurand.report.parts import data_rows

if TYPE_CHECKING:
    from measurand.analyze.board import Board
    from measurand.report.document import Table, Value

__all__ = ["render_csv", "render_pairs_csv", "table_csv"]

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Beginnings of a text that a spreadsheet would execute as a formula."""


def render_csv(board: Board) -> str:
    """Write the standings, one row an agent and one column a number.

    Columns: rank, agent, the place (tested, rank_low, rank_high, tier, letters, possible_best), coverage (tasks, trials),
    the gate (passes, trials_planned, trials_evaluated, gate_*), then ``score_<name>*`` for each score and
    ``<meter>_*`` for each meter. An agent's name that a spreadsheet would execute gets a leading apostrophe; JSON has it
    unchanged.
    """
    return table_csv(tidy_table(board))


def render_pairs_csv(board: Board) -> str:
    """Write all pairs of all tests, one row a pair under a score: score, better, worse, difference, t, p-values."""
    return table_csv(pairs_table(board.tests))


def table_csv(table: Table) -> str:
    """Write the raw values of ``table``, the columns that people do not see included."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    for row in data_rows(table):
        writer.writerow([_field(value) for value in row])
    return buffer.getvalue()


def _field(value: Value) -> str | int | float:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{value}" if value.startswith(FORMULA) else value
        case _:
            return value
