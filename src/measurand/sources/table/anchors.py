"""Anchors that stand in a table of their own: one row a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import FormatError, ValueRangeError
from measurand.sources.base import ImportLog
from measurand.sources.table.columns import map_columns
from measurand.sources.table.files import FORMATS, WHERE, read_table
from measurand.sources.table.values import typed

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["join_anchors", "read_anchors"]

_ANCHOR_FIELDS: Final = ("task", "better", "kind", "unit", "baseline", "reference", "anchors_id")


def read_anchors(path: Path) -> pl.DataFrame:
    """Read a table of anchors: one row a task.

    Raises:
        FormatError: no readable table.
        MappingError: no task or no reference column.
        ValueRangeError: a cell that cannot be read, or two rows of one task.
    """
    if path.suffix.lower() not in FORMATS or not path.is_file():
        raise FormatError(
            f"no table of anchors: a file that ends in one of {', '.join(FORMATS)}", where=str(path)
        )
    log = ImportLog("table", str(path))
    batches = list(read_table(path, log))
    batch = pl.concat(batches) if batches else pl.DataFrame()
    columns = map_columns([n for n in batch.columns if n != WHERE], {}, log, required=("task", "reference"))
    wanted = [field for field in columns if field in _ANCHOR_FIELDS]
    frame = batch.select(*(typed(batch, field, columns[field], log) for field in wanted), pl.col(WHERE))
    repeated = frame.filter(pl.col("task").is_duplicated())
    if repeated.height:
        raise ValueRangeError(
            f"task {repeated['task'][0]!r} has two rows of anchors", where=repeated[WHERE][1]
        )
    return frame.drop(WHERE)


def join_anchors(frame: pl.DataFrame, anchors: pl.DataFrame) -> pl.DataFrame:
    """Give each trial the anchors of its task; they replace columns of the trials.

    Raises:
        ValueRangeError: a task without anchors.
    """
    own = [name for name in anchors.columns if name != "task" and name in frame.columns]
    joined = frame.drop(own).join(anchors, on="task", how="left", maintain_order="left")
    lacking = joined.filter(pl.col("reference").is_null())
    if lacking.height:
        raise ValueRangeError(
            f"task {lacking['task'][0]!r} has no anchors",
            where=lacking["source_ref"][0],
            hint="give every task of the table a row in the table of anchors",
        )
    return joined
