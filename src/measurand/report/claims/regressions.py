"""Single tasks on which a new version is worse than its baseline, in words and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.claims.pair_words import short
from measurand.report.document import Cell, Column, Section, Table
from measurand.report.names import visible
from measurand.report.numbers import count, finite, p_value
from measurand.report.parts import Field, build_table, listed, name_cell, percent_level
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.claims.pair_records import Regressions, TaskRegression

__all__ = ["regressions_section"]


def regressions_section(found: Regressions | None) -> Section | None:
    """Which single tasks became worse; ``None`` where each has one trial and the tasks are the same."""
    if found is None or not found.tasks:
        return None
    moved = [*_gone(found), *_new(found)]
    if found.most_trials < 2 and not moved:
        return None
    table = () if found.reason or not found.rows else (_table(found),)
    return Section(
        id="regressions", title="Single tasks", sentences=(*_sentences(found), *moved), tables=table
    )


def _sentences(found: Regressions) -> list[str]:
    new = short(found.new)
    tasks = f"the {plural(found.tasks, 'task')} of its baseline {short(found.baseline)}"
    moves = []
    if found.lower or found.higher:
        counted = f"lower on {count(found.lower)} and higher on {count(found.higher)}"
        moves = [f"Its share of passed trials is {counted}, by whatever amount, chance included."]
    if found.reason:
        why = visible(found.reason).rstrip(".")
        return [f"Whether {new} became worse on single tasks cannot be said of {tasks}: {why}.", *moves]
    if found.found:
        names = listed([row.task for row in found.rows if row.found])
        chance = f"any false finding has probability at most {percent_level(found.level)}"
        first = f"{new} is worse on {count(found.found)} of {tasks}: {names} ({chance})."
    else:
        first = (
            f"{new} was shown to be worse on none of {tasks}; a finding was possible on {count(found.testable)} of them. "
            "That is no evidence that nothing broke."
        )
    lost = (
        [
            f"{plural(found.unjudged, 'task')} could not be judged: one of the two has no trial with a verdict there."
        ]
        if found.unjudged
        else []
    )
    return [first, *moves, *lost]


def _gone(found: Regressions) -> list[str]:
    if not found.deleted:
        return []
    are = "is" if len(found.deleted) == 1 else "are"
    return [
        f"{plural(len(found.deleted), 'task')} of the baseline {are} gone or changed, and still counted in the denominator: {listed(found.deleted)}."
    ]


def _new(found: Regressions) -> list[str]:
    if not found.added:
        return []
    are = "is" if len(found.added) == 1 else "are"
    return [
        f"{plural(len(found.added), 'task')} {are} new or changed, and not counted: {listed(found.added)}."
    ]


def _table(found: Regressions) -> Table:
    def verdict(row: TaskRegression) -> Cell:
        return Cell("yes" if row.found else "not shown", row.found, "strong" if row.found else "muted")

    fields: list[Field[TaskRegression]] = [
        Field(Column("task", "Task", name=True), lambda row: name_cell(row.task)),
        Field(
            Column("new", short(found.new, 16), "right"),
            lambda row: Cell(f"{row.passes}/{row.trials}", row.passes / row.trials),
        ),
        Field(
            Column("baseline", short(found.baseline, 16), "right"),
            lambda row: Cell(
                f"{row.baseline_passes}/{row.baseline_trials}", row.baseline_passes / row.baseline_trials
            ),
        ),
        Field(Column("p", "p", "right", importance=1), lambda row: Cell(p_value(row.p), finite(row.p))),
        Field(
            Column("p_adjusted", "Adjusted p", "right"),
            lambda row: Cell(p_value(row.p_adjusted), finite(row.p_adjusted)),
        ),
        Field(Column("worse", "Worse"), verdict),
    ]
    note = (
        f"Passed trials of those with a verdict; one-sided exact p of each task, adjusted by Tarone's factor of {count(found.factor)}. "
        f"Shown: {'the' if len(found.rows) < found.lower else 'all'} {plural(len(found.rows), 'task')} of {count(found.lower)} with a "
        "lower share, the least p first."
    )
    table = Table("regressions", "Tasks with a lower share of passed trials", (), (), note=note)
    return build_table(fields, found.rows, band=lambda _: None, table=table)
