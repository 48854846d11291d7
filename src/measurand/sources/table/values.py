"""Cells of a table as values of the trial table: verdicts, directions, numbers, times.

What cannot be read is refused with its row; an empty cell and the usual words for nothing are unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import ValueRangeError
from measurand.model.table import SCHEMA
from measurand.sources.table.columns import EVALUATED, column_parts, is_further_verdict
from measurand.sources.table.files import WHERE

if TYPE_CHECKING:
    from measurand.sources.base import ImportLog

__all__ = ["typed", "verdict"]

_SECONDS: Final = {"wall_s", "waiting_s", "working_s"}
_YEARS: Final = (1950, 2200)
"""Years in which a trial may have been run; a moment outside them is a mistake of units or zones."""

_PASS: Final = ["pass", "passed", "true", "1", "1.0", "yes", "y", "resolved", "success", "correct", "solved"]
_FAIL: Final = [
    "fail",
    "failed",
    "false",
    "0",
    "0.0",
    "no",
    "n",
    "unresolved",
    "failure",
    "incorrect",
    "unsolved",
]
_UNKNOWN: Final = ["null", "none", "na", "n/a", "nan"]
_BETTER: Final = {
    "higher": ["higher", "max", "maximize", "maximise", "up", "higher_is_better"],
    "lower": ["lower", "min", "minimize", "minimise", "down", "lower_is_better"],
}


def typed(batch: pl.DataFrame, field: str, column: str, log: ImportLog) -> pl.Expr:
    """Give the cells of ``column`` as values of ``field``.

    Raises:
        ValueRangeError: a cell that is no such value, with its row.
    """
    for part in column_parts(column, batch.columns):
        _check_type(batch, field, part)
    if field in {"verdict", EVALUATED} or is_further_verdict(field):
        return verdict(batch, column).alias(field)
    if field == "better":
        return _better(batch, column).alias(field)
    dtype = SCHEMA[field]
    if dtype == pl.String:
        parts = [pl.col(part).cast(pl.String) for part in column_parts(column, batch.columns)]
        return pl.concat_str(parts, separator=" + ").alias(field)
    if dtype.is_temporal():
        return _time(batch, column).alias(field)
    number = _number(batch, column)
    return (_whole(batch, column, number, log) if dtype == pl.Int64 else number).alias(field)


def _check_type(batch: pl.DataFrame, field: str, column: str) -> None:
    """Refuse types that hold no plain value, such as lists."""
    dtype = batch.schema[column]
    plain = not dtype.is_nested() and dtype not in {pl.Object, pl.Binary, pl.Time}
    if plain and (dtype != pl.Duration or field in _SECONDS):
        return
    raise ValueRangeError(
        f"column {column!r} is of type {dtype}, which {field!r} cannot hold",
        where=batch[WHERE][0] if batch.height else "",
        hint=f"give text or numbers, or leave the column out with --map {field}=",
    )


def _cells(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).str.strip_chars().str.to_lowercase()


def _first_bad(batch: pl.DataFrame, column: str, bad: pl.Expr, need: str) -> None:
    rows = batch.filter(bad)
    if rows.height:
        value, where = rows[column][0], rows[WHERE][0]
        more = f" (and {rows.height - 1} more rows)" if rows.height > 1 else ""
        raise ValueRangeError(
            f"column {column!r} holds {value!r}, which is not {need}{more}",
            where=where,
            hint="correct the cell, leave it empty if unknown, or map another column with --map",
        )


def verdict(batch: pl.DataFrame, column: str) -> pl.Expr:
    """Give the cells of ``column`` as passes (true), fails (false) and unknown.

    Raises:
        ValueRangeError: a cell that is no verdict, with its row.
    """
    cells = _cells(column)
    known = cells.is_in(_UNKNOWN).not_() & cells.is_not_null()
    _first_bad(
        batch,
        column,
        known & cells.is_in(_PASS + _FAIL).not_(),
        "a verdict (pass or fail, true or false, 1 or 0)",
    )
    return pl.when(known).then(cells.is_in(_PASS))


def _better(batch: pl.DataFrame, column: str) -> pl.Expr:
    cells = _cells(column)
    known = [word for words in _BETTER.values() for word in words]
    _first_bad(batch, column, cells.is_in(known).not_(), "a direction (higher or lower)")
    return (
        pl.when(cells.is_in(_BETTER["higher"]))
        .then(pl.lit("higher"))
        .when(cells.is_not_null())
        .then(pl.lit("lower"))
    )


def _number(batch: pl.DataFrame, column: str) -> pl.Expr:
    """Number or unknown; a duration is its seconds."""
    if batch.schema[column] == pl.Duration:
        return pl.col(column).dt.total_microseconds() / 1e6
    if batch.schema[column].is_numeric():
        return pl.col(column).cast(pl.Float64)
    cells = _cells(column)
    number = pl.when(cells.is_in(_UNKNOWN[:-1]).not_()).then(cells).cast(pl.Float64, strict=False)
    known = cells.is_in(_UNKNOWN).not_() & cells.is_not_null()
    _first_bad(batch, column, known & number.is_null(), "a number")
    return number


def _whole(batch: pl.DataFrame, column: str, number: pl.Expr, log: ImportLog) -> pl.Expr:
    """Counts are whole; a mean of counts is rounded, and the log says so."""
    finite = pl.when(number.is_finite()).then(number)
    whole = finite.round().cast(pl.Int64, strict=False)
    beyond = batch.filter(finite.is_not_null() & whole.is_null())
    log.add_rows("unknown", f"{column} beyond any count", beyond.select(pl.col(WHERE).alias("source_ref")))
    broken = batch.filter(finite != finite.round())
    log.add_rows(
        "note", f"{column} rounded to whole numbers", broken.select(pl.col(WHERE).alias("source_ref"))
    )
    return whole


def _time(batch: pl.DataFrame, column: str) -> pl.Expr:
    """Moment in UTC; one without an offset is taken as UTC.

    Numbers are seconds or milliseconds since 1970; eight digits that read as a day (20260513) are that day.
    """
    target = SCHEMA["started_at"]
    dtype = batch.schema[column]
    cells = pl.col(column)
    if dtype.is_temporal():
        moment = cells.cast(pl.Datetime("us", getattr(dtype, "time_zone", None))).cast(target)
    elif dtype.is_numeric():
        number = cells.cast(pl.Float64)
        day = _iso_moment(number.cast(pl.Int64, strict=False).cast(pl.String))
        moment = pl.coalesce(day, _since_1970(number))
    else:
        cells = cells.cast(pl.String).str.strip_chars()
        moment = pl.coalesce(_iso_moment(cells), _since_1970(cells.cast(pl.Float64, strict=False)))
    likely = moment.dt.year().is_between(*_YEARS)
    _first_bad(
        batch,
        column,
        cells.is_not_null() & likely.fill_null(value=False).not_(),
        "a date and time (such as 2026-05-01T10:00:00Z)",
    )
    return moment


def _since_1970(number: pl.Expr) -> pl.Expr:
    seconds = pl.when(number.abs() > 1e11).then(number / 1000).otherwise(number)
    return (seconds * 1e6).cast(pl.Int64, strict=False).cast(SCHEMA["started_at"])


def _iso_moment(cells: pl.Expr) -> pl.Expr:
    """Read ISO 8601 in all the ways in which one column may write it: each cell is brought to the fullest first."""
    full = (
        cells.str.replace(r" ?UTC$", "Z")
        .str.replace(r"^((?:19|20)\d\d)(0[1-9]|1[0-2])([0-3]\d)$", "${1}-${2}-${3}")
        .str.replace(r"^(\d{4}-\d\d-\d\d)$", "${1}T00:00:00")
        .str.replace(r"^(\d{4}-\d\d-\d\d) +", "${1}T")
        .str.replace(r"(T\d\d:\d\d)(Z|[+-]\d\d:?\d\d)?$", "${1}:00${2}")
        .str.replace(r"(T[\d:.]+)$", "${1}Z")
        .str.replace(r"(T.*[+-]\d\d)(\d\d)$", "${1}:${2}")
    )
    return full.str.to_datetime("%+", time_unit="us", time_zone="UTC", strict=False)
