"""Source ``table``: one row a trial, in CSV, TSV, Parquet or JSON Lines, or in any data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measurand.errors import FormatError, UsageError, ValueRangeError
from measurand.model.digests import agent_digest
from measurand.model.table import SCHEMA, conform
from measurand.model.trial import UNNAMED
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.table.anchors import join_anchors, read_anchors
from measurand.sources.table.columns import NOT, is_further_verdict, map_columns
from measurand.sources.table.files import FORMATS, WHERE, read_table
from measurand.sources.table.outcomes import gather_verdicts, say_outcomes
from measurand.sources.table.values import typed, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["TableSource", "rows_from_frame"]


class TableSource:
    """Reads tables with one row a trial, columns found by obvious names or by the user's word."""

    name = "table"
    title = "one row a trial: CSV, TSV, Parquet, JSON Lines (columns by name or --map)"

    def sniff(self, path: Path) -> Match | None:
        """Claim files whose ending is that of a table."""
        kind = FORMATS.get(path.suffix.lower())
        return Match(50, f"{kind} file") if kind and path.is_file() else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield the table's rows as trials. Heeds suite, mapping, outcomes and anchors."""
        if path.suffix.lower() not in FORMATS:
            raise FormatError(f"a table ends in one of: {', '.join(FORMATS)}", where=str(path))
        anchors = read_anchors(options.anchors) if options.anchors else None
        numbered: list[pl.DataFrame] = []
        for batch in read_table(path, log):
            yield _to_trials(batch, options, log, anchors=anchors, numbered=numbered)


def rows_from_frame(frame: pl.DataFrame, options: ReadOptions, log: ImportLog) -> pl.DataFrame:
    """Turn a data frame with one row a trial into rows of the trial table."""
    log.rows_read += frame.height
    anchors = read_anchors(options.anchors) if options.anchors else None
    placed = frame.with_columns(pl.concat_str(pl.lit("row "), pl.int_range(1, pl.len() + 1)).alias(WHERE))
    return _to_trials(placed, options, log, anchors=anchors, numbered=[])


def _to_trials(
    batch: pl.DataFrame,
    options: ReadOptions,
    log: ImportLog,
    *,
    anchors: pl.DataFrame | None,
    numbered: list[pl.DataFrame],
) -> pl.DataFrame:
    refuse_options(options, "table", "tasks")
    batch = _with_inverted(_with_constants(batch, options.constants), options.mapping)
    names = [name for name in batch.columns if name != WHERE]
    mapped = map_columns(names, options.mapping, log)
    frame = batch.select(
        *(typed(batch, field, column, log) for field, column in mapped.items()),
        pl.col(WHERE).alias("source_ref"),
    )
    frame = _defaults(frame, options, log, numbered)
    if anchors is not None:
        frame = join_anchors(frame, anchors)
    frame = say_outcomes(frame, options.outcomes, log)
    return conform(gather_verdicts(frame))


def _with_constants(batch: pl.DataFrame, constants: Mapping[str, str]) -> pl.DataFrame:
    """Add a column for each field that the user gives one value; the data's own column wins no silent fight."""
    for field in constants:
        if field not in SCHEMA:
            raise UsageError(f"there is no field {field!r}", hint=f"one of: {', '.join(SCHEMA)}")
        if field in batch.columns:
            raise UsageError(f"the table has a column {field!r} already", hint="leave --set out for it")
    return batch.with_columns(
        pl.lit(value, dtype=pl.String).alias(field) for field, value in constants.items()
    )


def _with_inverted(batch: pl.DataFrame, mapping: Mapping[str, str]) -> pl.DataFrame:
    """Add a column for each verdict that the user takes from ``not COLUMN``, such as a flag of cheating."""
    turned = {
        column: column.removeprefix(NOT).strip()
        for field, column in mapping.items()
        if field == "verdict" or is_further_verdict(field)
        if column.startswith(NOT) and column not in batch.columns
    }
    return batch.with_columns(
        verdict(batch, plain).not_().alias(column)
        for column, plain in turned.items()
        if plain in batch.columns
    )


def _defaults(
    frame: pl.DataFrame, options: ReadOptions, log: ImportLog, numbered: list[pl.DataFrame]
) -> pl.DataFrame:
    """Fill in what a table may leave out: suite, trial numbers, agent digests."""
    for field in ("agent", "task"):
        _first_missing(frame, field)
    if "suite" not in frame.columns:
        frame = frame.with_columns(pl.lit(options.suite or UNNAMED).alias("suite"))
        if options.suite is None:
            log.add("note", "the data name no suite; --suite NAME gives it one", "", count=frame.height)
    if "trial" not in frame.columns:
        frame = _number_trials(frame, numbered)
        log.add(
            "note", "no trial column: trials are numbered in the order of the rows", "", count=frame.height
        )
    _first_missing(frame, "trial")
    if "agent_digest" not in frame.columns:
        digests = {agent: agent_digest(agent) for agent in frame["agent"].unique()}
        frame = frame.with_columns(
            pl.col("agent").replace_strict(digests, return_dtype=pl.String).alias("agent_digest")
        )
    return frame.with_columns(pl.lit("table").alias("source"))


def _first_missing(frame: pl.DataFrame, field: str) -> None:
    rows = frame.filter(pl.col(field).is_null())
    if rows.height:
        raise ValueRangeError(
            f"{field} is empty",
            where=rows["source_ref"][0],
            hint=f"every row names its {field}; complete or remove it",
        )


def _number_trials(frame: pl.DataFrame, numbered: list[pl.DataFrame]) -> pl.DataFrame:
    """Number the rows of each agent and task, going on from what earlier batches had, which ``numbered`` counts."""
    cell = ["agent", "task"]
    place = pl.int_range(1, pl.len() + 1).over(cell)
    if numbered:
        before = pl.concat(numbered).group_by(cell).agg(pl.col("rows").sum().alias("before"))
        frame = frame.join(before, on=cell, how="left", maintain_order="left")
        place = place + pl.col("before").fill_null(0)
    numbered.append(frame.group_by(cell).agg(pl.len().alias("rows")))
    return frame.with_columns(place.cast(pl.String).alias("trial")).drop("before", strict=False)
