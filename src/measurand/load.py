"""Trials from wherever they are: a store, files and folders of any known format, or a data frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from measurand.errors import FormatError, MissingExtraError, UsageError
from measurand.model.merge import merge_trials
from measurand.model.table import SCHEMA, Trials
from measurand.sources import registry
from measurand.sources.base import ImportLog, ReadOptions, Source
from measurand.sources.checks import check_directions, check_rows
from measurand.sources.reading.verdict_counts import verdict_counts
from measurand.sources.table.files import FORMATS, WHERE, read_table
from measurand.sources.table.source import rows_from_frame
from measurand.sources.table.verdicts import join_verdicts
from measurand.store import Store, is_store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measurand.model.imports import ConflictPolicy, ImportReport
    from measurand.model.trace import Draft
    from measurand.model.verdicts import VerdictCounts

__all__ = ["Progress", "add_verdicts", "import_into", "open_store", "read", "read_verdict_counts"]

Progress = Callable[[str, float | None], None]
"""Told what is going on and how much of it is done (0 to 1, or ``None`` when that is not known)."""

_NO_OPTIONS: Final = ReadOptions()


def read(
    data: Any,
    *,
    source: str | None = None,
    options: ReadOptions = _NO_OPTIONS,
    on_conflict: ConflictPolicy | None = None,
    progress: Progress | None = None,
) -> Trials:
    """Read trials.

    Args:
        data: a path or several (a store, or files and folders of known formats), or a data frame of any library that
            narwhals understands, with one row a trial.
        source: name of the source that reads the files; found by looking at them when left out.
        options: what the data do not say themselves.
        on_conflict: what to do with records of one trial that disagree. By default an error; for a store, what its
            imports named.
        progress: told how far the reading is.

    Returns:
        The trials, each counted once, with the reports of their imports.

    Raises:
        InputError: the data cannot be used; the message says what, where and what to do.
        StoreError: the store is of a newer version.
    """
    if not _is_path(data):
        if source not in {None, "table"}:
            raise UsageError(
                f"a data frame is no {source!r}", hint="leave the source out: a frame is a table"
            )
        return _read_frame(data, options, on_conflict or "refuse")
    paths = _paths(data)
    stores = [path for path in paths if is_store(path)]
    if not stores:
        return _read_files(paths, source, options, on_conflict or "refuse", progress)
    if len(paths) > 1:
        raise UsageError(
            "one store at a time", where=str(stores[0]), hint="merge two by copying trials/*.parquet"
        )
    if source is not None or replace(options, suite=None) != _NO_OPTIONS:
        raise UsageError(
            "a store holds trials that were read already: --from, --map, --set, --outcome, --anchors and --task-list "
            "have nothing to do",
            where=str(paths[0]),
            hint="give them to `measurand import`",
        )
    return Store.open(paths[0]).read(on_conflict=on_conflict)


def import_into(
    store: str | Path,
    data: Any,
    *,
    source: str | None = None,
    options: ReadOptions = _NO_OPTIONS,
    on_conflict: ConflictPolicy = "refuse",
    traces: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Read trials and add them to a store (made if there is none): all of them, or none.

    Arguments and errors are those of :func:`read`; a store cannot be imported into another (copy its segments).
    With ``traces`` the traces are kept too, where the source has them.
    """
    if _is_path(data) and any(is_store(path) for path in _paths(data)):
        raise UsageError(
            "a store is merged by copying its trials/*.parquet", where=", ".join(map(str, _paths(data)))
        )
    if traces and _is_path(data):
        keep = Store.open(store, create=True).keep_trace
        trials = _read_files(_paths(data), source, options, on_conflict, progress, keep_trace=keep)
    else:
        trials = read(data, source=source, options=options, on_conflict=on_conflict, progress=progress)
    if trials.frame.is_empty():
        raise FormatError("there are no trials in it", where=", ".join(trials.reports[0].paths))
    report = trials.reports[0]
    Store.open(store, create=True).append(trials, report, on_conflict=on_conflict)
    return report


def add_verdicts(trials: Trials, name: str, data: Any, *, mapping: Mapping[str, str] | None = None) -> Trials:
    """Give trials a further verdict from a table with one row a trial that was judged again.

    Args:
        trials: what :func:`read` gave.
        name: what the verdict is called, such as ``strict``.
        data: a table (CSV, TSV, Parquet, JSON Lines) or a data frame with an agent, a task, a verdict and, where a task has
            several trials, a trial; columns by their usual names. A trial without a row was not judged again.
        mapping: field -> column, where names do not say it.

    Returns:
        The trials with the verdict, and one more import report: it says which rows belong to no trial.

    Raises:
        UsageError: the trials have a verdict of that name.
        InputError: the table cannot be read, or none of its rows belongs to a trial.
    """
    log = ImportLog("verdicts", str(data) if _is_path(data) else "data frame")
    return join_verdicts(trials, name, _rows(data, log), mapping or {}, log)


def read_verdict_counts(
    data: Any, *, mapping: Mapping[str, str] | None = None, tasks: int | None = None
) -> tuple[VerdictCounts, ...]:
    """Read a table with one row an agent: its passes by a first verdict, and those that a second one confirms.

    Args:
        data: a table or a data frame with the columns ``agent``, ``first``, ``second`` and, where known, ``tasks`` and
            ``checked`` (first passes that the second verdict looked at; all of them when left out).
        mapping: field -> column, where names do not say it.
        tasks: tasks (or trials) of each agent, where no column says so.

    Raises:
        InputError: the table cannot be read, or has counts that cannot be.
    """
    log = ImportLog("verdict counts", str(data) if _is_path(data) else "data frame")
    return verdict_counts(_rows(data, log), mapping or {}, log, tasks=tasks)


def _rows(data: Any, log: ImportLog) -> pl.DataFrame:
    """Rows of a table in one file or of a data frame, each with its place."""
    if not _is_path(data):
        frame = _to_polars(data)
        log.rows_read += frame.height
        return frame.with_columns(pl.concat_str(pl.lit("row "), pl.int_range(1, pl.len() + 1)).alias(WHERE))
    path = Path(data)
    if path.suffix.lower() not in FORMATS:
        raise FormatError(f"a table ends in one of: {', '.join(FORMATS)}", where=str(path))
    batches = list(read_table(path, log))
    if not batches:
        raise FormatError("there are no rows in it", where=str(path))
    return pl.concat(batches, how="diagonal")


def open_store(path: str | Path, *, create: bool = False) -> Store:
    """Open the store in folder ``path``, making one there if ``create``.

    Raises:
        StoreError: no store, a foreign folder, or a store of a newer version.
    """
    return Store.open(path, create=create)


def _is_path(data: Any) -> bool:
    if isinstance(data, (str, Path)):
        return True
    return isinstance(data, Sequence) and all(isinstance(item, (str, Path)) for item in data)


def _paths(data: str | Path | Sequence[str | Path]) -> list[Path]:
    return [Path(data)] if isinstance(data, (str, Path)) else [Path(path) for path in data]


def _read_files(
    paths: list[Path],
    source: str | None,
    options: ReadOptions,
    policy: ConflictPolicy,
    progress: Progress | None,
    *,
    keep_trace: Callable[[Iterable[Draft]], str | None] | None = None,
) -> Trials:
    if not paths:
        raise UsageError("nothing to read", hint="name a file, a folder or a store")
    readers: list[Source] = [registry.get(source) if source else registry.detect(path) for path in paths]
    log = ImportLog(
        ", ".join(dict.fromkeys(reader.name for reader in readers)), str(paths[0]), keep_trace=keep_trace
    )
    batches = []
    for number, (path, reader) in enumerate(zip(paths, readers, strict=True)):
        if progress:
            progress(f"reading {path.name}", number / len(paths))
        log.path = str(path)
        log.paths.append(str(path))
        batches += [check_rows(batch, log) for batch in reader.read(path, options, log)]
    return _gather(batches, log, policy)


def _read_frame(data: Any, options: ReadOptions, policy: ConflictPolicy) -> Trials:
    log = ImportLog("table", "data frame")
    return _gather([check_rows(rows_from_frame(_to_polars(data), options, log), log)], log, policy)


def _to_polars(data: Any) -> pl.DataFrame:
    """Take a data frame of any library that narwhals knows."""
    import narwhals as nw

    try:
        known = nw.from_native(data, pass_through=True)
        eager = known.collect() if isinstance(known, nw.LazyFrame) else known
        frame = eager.to_polars() if isinstance(eager, nw.DataFrame) else None
    except ModuleNotFoundError as error:
        raise MissingExtraError.for_package("pyarrow", "arrow") from error
    except Exception as error:  # each library of frames has errors of its own
        raise FormatError(
            f"the data frame cannot be read: {error}", hint="give each column one type and a name of its own"
        ) from error
    if frame is None:
        raise UsageError(
            f"neither a path nor a data frame: {type(data).__name__}",
            hint="pass a path, a list of paths, or a frame of Polars, pandas, pyarrow or another library narwhals knows",
        )
    return frame


def _gather(batches: list[pl.DataFrame], log: ImportLog, policy: ConflictPolicy) -> Trials:
    frame = pl.concat(batches) if batches else pl.DataFrame(schema=SCHEMA)
    check_directions(frame)
    merged = merge_trials(frame, policy)
    report = log.report(
        rows_kept=merged.frame.height, duplicates=merged.duplicates, conflicts=merged.conflicts, policy=policy
    )
    return Trials(merged.frame, (report,), report.declarations, merged.duplicates, merged.conflicts)
