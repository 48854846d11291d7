"""Which records do not enter a result as they stand, and why: left out, or counted by a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
import polars as pl

from measurand.analyze.scorings.available import passed_unknown
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.analyze.prepare import Prepared
    from measurand.model.imports import ImportReport
    from measurand.model.table import Trials

__all__ = ["ROW", "LeftOut", "counted_otherwise", "not_chosen", "not_read"]

ROW: Final = "_row"
"""Column with the place of a row in the trial table, by which the rows that a selection took are known again."""

_SHOWN: Final = 10


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Records that were left out, or that count by a rule because something of them is unknown."""

    what: str
    count: int
    unit: str
    """What is counted: row, trial or cell."""
    effect: str
    """What becomes of them."""
    examples: tuple[str, ...] = ()


def not_read(reports: tuple[ImportReport, ...]) -> Iterator[LeftOut]:
    """Rows that the imports dropped or merged."""
    for report in reports:
        for note in report.notes:
            if note.kind == "dropped":
                yield LeftOut(
                    what=f"dropped on import: {note.what}",
                    count=note.count,
                    unit="row",
                    effect="left out",
                    examples=note.examples[:_SHOWN],
                )
        if report.duplicates:
            what = "equal to another record of the same trial"
            yield LeftOut(what=what, count=report.duplicates, unit="row", effect="merged with it")
        if report.conflicts:
            policy = {"drop": "left out", "no-verdict": "kept without a verdict"}
            yield LeftOut(
                what="records of the trial disagree",
                count=len(report.conflicts),
                unit="trial",
                effect=policy.get(report.conflict_policy, report.conflict_policy),
                examples=tuple(f"{c.agent}, {c.task}, {c.trial}" for c in report.conflicts[:_SHOWN]),
            )


def not_chosen(trials: Trials, prepared: Prepared, *, common_tasks: bool) -> Iterator[LeftOut]:
    """Rows that the choice of suite, agents and tasks left out.

    Args:
        trials: all that was read, with the column :data:`ROW`.
        prepared: what was chosen of it.
        common_tasks: whether tasks were restricted to those that every agent has.
    """
    kept = trials.frame.join(prepared.scored.select(ROW), on=ROW, how="semi")
    rest = trials.frame.join(prepared.scored.select(ROW), on=ROW, how="anti")
    foreign = rest.filter(pl.col("suite") != prepared.selection.suite)
    yield from _rows("of another suite", foreign, "suite")
    rest = rest.filter(pl.col("suite") == prepared.selection.suite)
    agent = ["agent", "agent_digest"]
    yield from _rows(
        "of agents not asked for", rest.join(kept, on=agent, how="anti", nulls_equal=True), "agent"
    )
    rest = rest.join(kept, on=agent, how="semi", nulls_equal=True)
    what = "of tasks that not every agent has" if common_tasks else "of tasks not asked for"
    yield from _rows(what, rest, "task")


def _rows(what: str, rows: pl.DataFrame, column: str) -> Iterator[LeftOut]:
    if rows.is_empty():
        return
    counts = rows.group_by(column).len().sort("len", column, descending=[True, False])
    yield LeftOut(
        what=what,
        count=rows.height,
        unit="row",
        effect="left out",
        examples=tuple(f"{name}: {plural(n, 'row')}" for name, n in counts.head(_SHOWN).iter_rows()),
    )


def counted_otherwise(prepared: Prepared) -> Iterator[LeftOut]:
    """Trials and cells that count by a rule, because they have no verdict, no quantity, no reference or no record."""
    _, scored, grid, _ = prepared
    unjudged = scored.filter(pl.col("gate").is_null())
    if unjudged.height:
        counts = unjudged.group_by("outcome").len().sort("outcome")
        yield LeftOut(
            what="no verdict",
            count=unjudged.height,
            unit="trial",
            effect="worth 0 under every score; official verdicts and scores stand as they are",
            examples=tuple(f"{outcome}: {n}" for outcome, n in counts.iter_rows()),
        )
    absent = int(grid.planned.sum() - grid.recorded.sum())
    if absent:
        effect = (
            "failed, by the benchmark's own rule" if prepared.selection.declared.absent_is_fail else "worth 0"
        )
        yield LeftOut(what="planned and not recorded", count=absent, unit="trial", effect=effect)
    unknown = passed_unknown(scored, "objective")
    if unknown and scored["quantity"].count():
        yield LeftOut(
            what="passed the gate without a quantity that can be scored",
            count=unknown,
            unit="trial",
            effect="worth 0 under the graded scores, where these are given at all",
        )
    unanchored = (
        pl.col("reference").is_not_null().any().over("task").not_() & pl.col("quantity").is_not_null()
    )
    idle = scored.filter(unanchored)
    if idle.height:
        what = "has a quantity, and its task has no reference"
        yield LeftOut(what=what, count=idle.height, unit="trial", effect="its quantity enters no score")
    yield from _missing_cells(prepared)


def _missing_cells(prepared: Prepared) -> Iterator[LeftOut]:
    grid = prepared.grid
    missing = (grid.planned == 0).sum(axis=0)
    if not missing.any():
        return
    order = np.argsort(-missing, kind="stable")
    yield LeftOut(
        what="the agent never attempted the task",
        count=int(missing.sum()),
        unit="cell",
        effect="the mean of the agent is over the tasks that it has",
        examples=tuple(
            f"{grid.agents[i]}: {missing[i]} of {plural(len(grid.tasks), 'task')}"
            for i in order[:_SHOWN]
            if missing[i]
        ),
    )
