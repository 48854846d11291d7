"""Bars and fields of reference results: what else a quantity of a task can be held against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import ValueRangeError
from measurand.sources.reading.side_tables import read_side_table
from measurand.sources.table.columns import ALIASES
from measurand.sources.table.files import WHERE
from measurand.sources.table.values import typed

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.sources.reading.side_tables import SideTable

__all__ = ["read_bars", "read_field"]

_TASK: Final = ("task", *ALIASES["task"])
_VALUE: Final = ("value", "quantity", "score")


def read_bars(path: Path) -> dict[str, dict[str, float]]:
    """Read named bars: columns ``task``, ``bar`` (its name) and ``value`` (in the unit of the task's quantity).

    Returns:
        Name -> task -> value, in the order in which the names first stand in the file; a task whose value is empty has
        no such bar.

    Raises:
        FormatError: no readable table.
        MappingError: a column is missing.
        ValueRangeError: a row without a task or bar, no finite number, or two values of one bar of one task.
    """
    table = read_side_table(path, "bars")
    bar = table.need(("bar", "name"))
    frame = _values(table, pl.col(bar).cast(pl.String).str.strip_chars().alias("bar"))
    _refuse(frame, pl.col("bar").is_null(), "bar is empty")
    _refuse(frame, pl.struct("task", "bar").is_duplicated(), "the task has two values of this bar")
    bars: dict[str, dict[str, float]] = {}
    for task, name, value in frame.drop_nulls("quantity").select("task", "bar", "quantity").iter_rows():
        bars.setdefault(name, {})[task] = value
    return bars


def read_field(path: Path) -> dict[str, tuple[float, ...]]:
    """Read a frozen field: columns ``task`` and ``value``, one row for each member; other columns are not read.

    Returns:
        Task -> results of its field; NaN where the value is empty: a member without a valid result.

    Raises:
        FormatError: no readable table.
        MappingError: a column is missing.
        ValueRangeError: a row without a task, or a value that is no finite number.
    """
    frame = _values(read_side_table(path, "field results"))
    groups = frame.with_columns(pl.col("quantity").fill_null(float("nan"))).group_by(
        "task", maintain_order=True
    )
    return {str(task): tuple(rows["quantity"].to_list()) for (task,), rows in groups}


def _values(table: SideTable, *more: pl.Expr) -> pl.DataFrame:
    task, value = table.need(_TASK), table.need(_VALUE)
    frame = table.frame.select(
        typed(table.frame, "task", task, table.log),
        typed(table.frame, "quantity", value, table.log),
        *more,
        pl.col(WHERE),
    )
    _refuse(frame, pl.col("task").is_null(), "task is empty")
    _refuse(frame, pl.col("quantity").is_finite().not_(), "the value is not finite")
    return frame


def _refuse(frame: pl.DataFrame, bad: pl.Expr, what: str) -> None:
    rows = frame.filter(bad)
    if rows.height:
        raise ValueRangeError(what, where=rows[WHERE][0])
