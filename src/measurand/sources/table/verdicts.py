"""A second verdict that stands in a table of its own: one row a trial that was judged again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import InputError, UsageError, ValueRangeError
from measurand.model.verdicts import verdict_names
from measurand.sources.table.columns import map_columns
from measurand.sources.table.files import WHERE
from measurand.sources.table.values import typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurand.model.table import Trials
    from measurand.sources.base import ImportLog

__all__ = ["join_verdicts"]

_PASSED: Final = "__passed__"
_KEY: Final[tuple[str, ...]] = ("agent", "task", "trial")


def join_verdicts(
    trials: Trials, name: str, rows: pl.DataFrame, mapping: Mapping[str, str], log: ImportLog
) -> Trials:
    """Give trials the second verdicts of a table, by agent, task and, where the table has it, trial.

    Args:
        trials: the trials.
        name: what the verdict is called.
        rows: the table, with the place of each row in the column :data:`measurand.sources.table.files.WHERE`.
        mapping: field (agent, task, trial, verdict) -> column, as for a table of trials.
        log: learns which rows were of no use; its report joins those of the trials.

    Raises:
        UsageError: trials have a verdict of that name already.
        MappingError: no agent, task or verdict among the columns.
        ValueRangeError: a cell that is no verdict, two verdicts on one trial that disagree, or rows that name an agent and
            a task but not which of several trials.
        InputError: no row belongs to any trial.
    """
    if name in {"gate", *verdict_names(trials.frame)}:
        raise UsageError(f"the trials have a verdict {name!r} already", hint="choose another name")
    judged = _read(rows, mapping, log)
    key = [field for field in _KEY if field in judged.columns]
    judged = _one_each(judged, key, name)
    _check_trials(trials.frame, judged, key)
    joined = trials.frame.join(
        judged.select(*key, _PASSED), on=key, how="left", maintain_order="left", nulls_equal=False
    )
    strays = judged.join(trials.frame, on=key, how="anti")
    matched = joined.height - joined[_PASSED].null_count()
    if not matched:
        first, other = judged.row(0, named=True), trials.frame.row(0, named=True)
        raise InputError(
            f"no row belongs to a trial: the first is of agent {first['agent']!r}, task {first['task']!r}; "
            f"the trials begin with agent {other['agent']!r}, task {other['task']!r}",
            where=first[WHERE],
            hint="agents and tasks must be called the same in both",
        )
    log.add_rows(
        "dropped", f"a verdict {name!r} on a trial that is not here", strays.rename({WHERE: "source_ref"})
    )
    entry = pl.struct(pl.lit(name).alias("name"), pl.col(_PASSED).alias("passed"))
    by_name = pl.element().sort_by(pl.element().struct.field("name"))
    added = pl.concat_list(pl.col("verdicts").fill_null([]), entry).list.eval(by_name)
    frame = joined.with_columns(
        pl.when(pl.col(_PASSED).is_null()).then(pl.col("verdicts")).otherwise(added).alias("verdicts")
    )
    report = log.report(rows_kept=matched, policy="refuse")
    return replace(trials, frame=frame.drop(_PASSED), reports=(*trials.reports, report))


def _read(rows: pl.DataFrame, mapping: Mapping[str, str], log: ImportLog) -> pl.DataFrame:
    """Agent, task, trial and verdict of each row that has one."""
    names = [column for column in rows.columns if column != WHERE]
    mapped = map_columns(names, mapping, log, required=("agent", "task", "verdict"))
    wanted = [field for field in (*_KEY, "verdict") if field in mapped]
    frame = rows.select(*(typed(rows, field, mapped[field], log) for field in wanted), pl.col(WHERE))
    frame = frame.rename({"verdict": _PASSED})
    empty = frame.filter(pl.col(_PASSED).is_null())
    log.add_rows("note", "without a second verdict: not re-checked", empty.rename({WHERE: "source_ref"}))
    frame = frame.filter(pl.col(_PASSED).is_not_null())
    if frame.is_empty():
        raise InputError("no row has a verdict", where=log.path)
    return frame


def _one_each(judged: pl.DataFrame, key: list[str], name: str) -> pl.DataFrame:
    uneven = judged.filter(pl.col(_PASSED).n_unique().over(key) > 1)
    if uneven.height:
        row = uneven.row(0, named=True)
        raise ValueRangeError(
            f"two verdicts {name!r} on {', '.join(row[field] for field in key)} disagree",
            where=row[WHERE],
            hint="keep one; rows of several trials need a column trial",
        )
    return judged.unique(subset=key, keep="first", maintain_order=True)


def _check_trials(frame: pl.DataFrame, judged: pl.DataFrame, key: list[str]) -> None:
    """Refuse to guess which of several trials a row means."""
    several = judged.join(frame.filter(pl.struct(key).is_duplicated()), on=key, how="semi")
    if several.height:
        row = several.row(0, named=True)
        more = "" if "trial" in key else "; a column trial says which"
        raise ValueRangeError(
            f"{', '.join(row[field] for field in key)} is the name of several trials{more}", where=row[WHERE]
        )
