"""Source ``table``: one row a trial, in CSV, TSV, Parquet or JSON Lines, or in any data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import FormatError, UsageError, ValueRangeError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.table import SCHEMA, conform
from measurand.model.trial import UNNAMED
from measurand.sources.base import ImportLog, Match, ReadOptions
from measurand.sources.table_columns import EVALUATED, column_parts, map_columns, verdict_columns
from measurand.sources.table_files import FORMATS, WHERE, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["TableSource", "rows_from_frame"]

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
_OUTCOMES: Final = {
    "ok": Outcome.COMPLETED,
    "done": Outcome.COMPLETED,
    "finished": Outcome.COMPLETED,
    "complete": Outcome.COMPLETED,
    "success": Outcome.COMPLETED,
    "passed": Outcome.COMPLETED,
    "failed": Outcome.COMPLETED,
    "test_failed": Outcome.COMPLETED,
    "tests_failed": Outcome.COMPLETED,
    "resolved": Outcome.COMPLETED,
    "unresolved": Outcome.COMPLETED,
    "no_submission": Outcome.NO_OUTPUT,
    "not_submitted": Outcome.NO_OUTPUT,
    "no_generation": Outcome.NO_OUTPUT,
    "no_prediction": Outcome.NO_OUTPUT,
    "empty": Outcome.NO_OUTPUT,
    "invalid": Outcome.INVALID_OUTPUT,
    "invalid_submission": Outcome.INVALID_OUTPUT,
    "timeout": Outcome.AGENT_TIMEOUT,
    "timed_out": Outcome.AGENT_TIMEOUT,
    "environment_error": Outcome.INFRA_ERROR,
    "env_error": Outcome.INFRA_ERROR,
    "infrastructure_error": Outcome.INFRA_ERROR,
    "verifier_error": Outcome.GRADER_ERROR,
    "evaluation_error": Outcome.GRADER_ERROR,
    "eval_error": Outcome.GRADER_ERROR,
    "judge_error": Outcome.GRADER_ERROR,
    "verifier_timeout": Outcome.GRADER_ERROR,
    "test_timeout": Outcome.GRADER_ERROR,
    "canceled": Outcome.CANCELLED,
    "not_run": Outcome.MISSING,
}
"""Words of other tools whose meaning is plain. A bare "error" is not: whose error it was decides what it counts as."""

_PASSED: Final = ["passed", "resolved"]
_NOT_PASSED: Final = ["failed", "test_failed", "tests_failed", "unresolved"]
"""Words for how a trial ended that also say what the gate said."""

_ANCHOR_FIELDS: Final = ("task", "better", "kind", "unit", "baseline", "reference", "anchors_id")
_BETTER: Final = {
    "higher": ["higher", "max", "maximize", "maximise", "up", "higher_is_better"],
    "lower": ["lower", "min", "minimize", "minimise", "down", "lower_is_better"],
}


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
        anchors = _read_anchors(options.anchors) if options.anchors else None
        numbered: dict[tuple[str, str], int] = {}
        for batch in read_table(path, log):
            yield _to_trials(batch, options, log, anchors=anchors, numbered=numbered)


def rows_from_frame(frame: pl.DataFrame, options: ReadOptions, log: ImportLog) -> pl.DataFrame:
    """Turn a data frame with one row a trial into rows of the trial table."""
    log.rows_read += frame.height
    anchors = _read_anchors(options.anchors) if options.anchors else None
    placed = frame.with_columns(pl.concat_str(pl.lit("row "), pl.int_range(1, pl.len() + 1)).alias(WHERE))
    return _to_trials(placed, options, log, anchors=anchors, numbered={})


def _to_trials(
    batch: pl.DataFrame,
    options: ReadOptions,
    log: ImportLog,
    *,
    anchors: pl.DataFrame | None,
    numbered: dict[tuple[str, str], int],
) -> pl.DataFrame:
    batch = _with_constants(batch, options.constants)
    names = [name for name in batch.columns if name != WHERE]
    mapped = map_columns(names, options.mapping, log)
    frame = batch.select(
        *(_typed(batch, field, column, log) for field, column in mapped.items()),
        *(
            _verdict(batch, column).alias(f"verdict:{name}")
            for name, column in verdict_columns(names).items()
        ),
        pl.col(WHERE).alias("source_ref"),
    )
    frame = _defaults(frame, options, log, numbered)
    if anchors is not None:
        frame = _join_anchors(frame, anchors)
    frame = _outcomes(frame, options.outcomes, log)
    return conform(_verdict_map(frame))


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


def _typed(batch: pl.DataFrame, field: str, column: str, log: ImportLog) -> pl.Expr:
    if field in {"verdict", EVALUATED}:
        return _verdict(batch, column).alias(field)
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


def _verdict(batch: pl.DataFrame, column: str) -> pl.Expr:
    """Pass, fail or unknown, as a Boolean."""
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
    """Number or unknown."""
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
    """Moment in UTC; one without an offset is taken as UTC. Numbers are seconds or milliseconds since 1970."""
    target = SCHEMA["started_at"]
    dtype = batch.schema[column]
    if dtype.is_temporal():
        return pl.col(column).cast(pl.Datetime("us", getattr(dtype, "time_zone", None))).cast(target)
    if dtype.is_numeric():
        return _since_1970(pl.col(column).cast(pl.Float64))
    cells = pl.col(column).cast(pl.String).str.strip_chars()
    moment = pl.coalesce(_iso_moment(cells), _since_1970(cells.cast(pl.Float64, strict=False)))
    _first_bad(
        batch,
        column,
        cells.is_not_null() & moment.is_null(),
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
        .str.replace(r"^(\d{4}-\d\d-\d\d)$", "${1}T00:00:00")
        .str.replace(r"^(\d{4}-\d\d-\d\d) +", "${1}T")
        .str.replace(r"(T\d\d:\d\d)(Z|[+-]\d\d:?\d\d)?$", "${1}:00${2}")
        .str.replace(r"(T[\d:.]+)$", "${1}Z")
        .str.replace(r"(T.*[+-]\d\d)(\d\d)$", "${1}:${2}")
    )
    return full.str.to_datetime("%+", time_unit="us", time_zone="UTC", strict=False)


def _defaults(
    frame: pl.DataFrame, options: ReadOptions, log: ImportLog, numbered: dict[tuple[str, str], int]
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


def _number_trials(frame: pl.DataFrame, numbered: dict[tuple[str, str], int]) -> pl.DataFrame:
    numbers = []
    for cell in frame.select("agent", "task").iter_rows():
        numbered[cell] = numbered.get(cell, 0) + 1
        numbers.append(str(numbered[cell]))
    return frame.with_columns(pl.Series("trial", numbers, dtype=pl.String))


def _outcomes(frame: pl.DataFrame, words: Mapping[str, str], log: ImportLog) -> pl.DataFrame:
    """Say how each trial ended. Without an outcome column the verdict says it, and failing that the quantity."""
    if "verdict" not in frame.columns:
        frame = frame.with_columns(_implied_verdict(frame, log))
    passed = pl.col("verdict")
    graded = pl.col(EVALUATED).fill_null(value=True) if EVALUATED in frame.columns else pl.lit(value=True)
    known = pl.when(graded).then(passed)
    plain = (
        pl.when(known.is_null())
        .then(pl.lit(Outcome.MISSING.value))
        .otherwise(pl.lit(Outcome.COMPLETED.value))
    )
    outcome = plain
    if "outcome" in frame.columns:
        meant = pl.DataFrame({"outcome": list(words)}, schema={"outcome": pl.String}).select(_plain_word())
        table = {word: o.value for word, o in _OUTCOMES.items()}
        table |= dict(zip(meant["outcome"].to_list(), words.values(), strict=True))
        outcome = pl.coalesce(_plain_word().replace(table), plain)
    ungraded = frame.filter(graded.not_())
    log.add_rows("note", "not evaluated: no verdict", ungraded)
    verdict = (
        pl.when(known).then(pl.lit(Verdict.PASS.value)).when(known.not_()).then(pl.lit(Verdict.FAIL.value))
    )
    return frame.with_columns(
        pl.when(graded).then(outcome).otherwise(pl.lit(Outcome.MISSING.value)).alias("outcome"),
        verdict.alias("verdict"),
    )


def _plain_word() -> pl.Expr:
    return pl.col("outcome").str.strip_chars().str.to_lowercase().str.replace_all(r"[\s-]+", "_")


def _implied_verdict(frame: pl.DataFrame, log: ImportLog) -> pl.Expr:
    """Without a verdict column, the outcome's word may name the verdict; else a recorded quantity is a passed gate."""
    verdict = pl.lit(None, dtype=pl.Boolean)
    if "quantity" in frame.columns:
        log.add(
            "note", "no verdict column: a recorded quantity counts as a passed gate", "", count=frame.height
        )
        verdict = pl.when(pl.col("quantity").is_not_null()).then(pl.lit(value=True))
    if "outcome" in frame.columns:
        word = _plain_word()
        named = frame.filter(word.is_in(_PASSED + _NOT_PASSED))
        log.add_rows("note", "no verdict column: the outcome says passed or failed", named)
        verdict = (
            pl.when(word.is_in(_PASSED))
            .then(pl.lit(value=True))
            .when(word.is_in(_NOT_PASSED))
            .then(pl.lit(value=False))
            .otherwise(verdict)
        )
    return verdict.alias("verdict")


def _verdict_map(frame: pl.DataFrame) -> pl.DataFrame:
    """Gather the columns ``verdict:NAME`` into the map of further verdicts."""
    names = sorted(verdict_columns(frame.columns))
    if not names:
        return frame
    entries = [
        pl.when(pl.col(f"verdict:{name}").is_not_null()).then(
            pl.struct(pl.lit(name).alias("name"), pl.col(f"verdict:{name}").alias("passed"))
        )
        for name in names
    ]
    return frame.with_columns(pl.concat_list(entries).list.drop_nulls().alias("verdicts"))


def _read_anchors(path: Path) -> pl.DataFrame:
    """Read a table of anchors: one row a task."""
    if path.suffix.lower() not in FORMATS or not path.is_file():
        raise FormatError(
            f"no table of anchors: a file that ends in one of {', '.join(FORMATS)}", where=str(path)
        )
    log = ImportLog("table", str(path))
    batches = list(read_table(path, log))
    batch = pl.concat(batches) if batches else pl.DataFrame()
    columns = map_columns([n for n in batch.columns if n != WHERE], {}, log, required=("task", "reference"))
    wanted = [field for field in columns if field in _ANCHOR_FIELDS]
    frame = batch.select(*(_typed(batch, field, columns[field], log) for field in wanted), pl.col(WHERE))
    repeated = frame.filter(pl.col("task").is_duplicated())
    if repeated.height:
        raise ValueRangeError(
            f"task {repeated['task'][0]!r} has two rows of anchors", where=repeated[WHERE][1]
        )
    return frame.drop(WHERE)


def _join_anchors(frame: pl.DataFrame, anchors: pl.DataFrame) -> pl.DataFrame:
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
