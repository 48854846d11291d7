"""Submissions become rows: one for each instance that any submission of the suite names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

from measurand.errors import FormatError, ValueRangeError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Verdict
from measurand.model.table import conform
from measurand.sources.swebench_names import SIZES
from measurand.sources.swebench_records import NOT_LISTED, Record, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["declare", "instances", "read_task_ids", "rows"]

_BATCH: Final = 50_000
_SHOWN: Final = 3
_SCHEMA: Final = {
    "suite": pl.String,
    "task": pl.String,
    "agent": pl.String,
    "agent_digest": pl.String,
    "model_requested": pl.String,
    "job": pl.String,
    "outcome": pl.String,
    "reason": pl.String,
    "passed": pl.Boolean,
    "cost_usd": pl.Float64,
    "steps": pl.Int64,
    "source_ref": pl.String,
}


def read_task_ids(path: Path) -> frozenset[str]:
    """Read ids of instances, one a line; blank lines count for nothing.

    Raises:
        FormatError: not readable, not UTF-8, or without any id.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(
            f"no list of tasks: {error}", where=str(path), hint="give a UTF-8 file, one id a line"
        ) from error
    ids = frozenset(line.strip() for line in lines if line.strip())
    if not ids:
        raise FormatError("the list of tasks is empty", where=str(path), hint="write one id a line")
    return ids


def instances(units: Iterable[Unit], only: frozenset[str] | None, log: ImportLog) -> dict[str, list[str]]:
    """Ids of each suite, sorted: all that its submissions name, or the user's list.

    Raises:
        ValueRangeError: more ids than the suite has tasks, or none of them in the user's list.
    """
    named: dict[str, dict[str, int]] = {}
    for unit in units:
        counts = named.setdefault(unit.suite, {})
        for instance in {name for file in unit.files for name in file.records}:
            counts[instance] = counts.get(instance, 0) + 1
    if only is None:
        for suite, counts in named.items():
            _check_size(suite, counts)
        return {suite: sorted(counts) for suite, counts in named.items()}
    foreign = [(name, n) for counts in named.values() for name, n in counts.items() if name not in only]
    for name, count in foreign:
        log.add("dropped", "instance that is not in the list of tasks", name, count=count)
    if len(foreign) == sum(map(len, named.values())):
        raise ValueRangeError(
            "no instance of the data is in the list of tasks",
            where=log.path,
            hint="correct the file given with --task-list",
        )
    return {suite: sorted(only) for suite in named}


def _check_size(suite: str, counts: Mapping[str, int]) -> None:
    size = SIZES.get(suite)
    if size is None or len(counts) <= size:
        return
    rare = sorted(counts, key=lambda name: (counts[name], name))[:_SHOWN]
    raise ValueRangeError(
        f"{suite} has {size} tasks, but {len(counts)} instances are named; rarest: {', '.join(rare)}",
        hint="correct the ids, give those that hold with --task-list FILE, or name the suite with --suite",
    )


def declare(units: Iterable[Unit], only: frozenset[str] | None, log: ImportLog) -> None:
    """Tell the log the size of each suite, and that SWE-bench counts absence as failure."""
    by_suite: dict[str, list[Unit]] = {}
    for unit in units:
        by_suite.setdefault(unit.suite, []).append(unit)
    for suite, members in by_suite.items():
        size = len(only) if only is not None else _size(suite, members, log)
        whole = any(file.lists_all_resolved or unit.padded for unit in members for file in unit.files)
        log.declarations.append(Declaration(suite=suite, tasks=size, trials=1, absent_is_fail=whole))


def _size(suite: str, members: list[Unit], log: ImportLog) -> int | None:
    if any(unit.padded for unit in members):
        return SIZES.get(suite)
    totals = {file.total for unit in members for file in unit.files if file.total is not None}
    if len(totals) > 1:
        log.add("note", "reports of different total_instances in one suite", f"{suite}: {sorted(totals)}")
    return totals.pop() if len(totals) == 1 else None


def rows(
    units: Iterable[Unit], ids: Mapping[str, list[str]], only: frozenset[str] | None, source: str
) -> Iterator[pl.DataFrame]:
    """Yield rows of the trial table in batches."""
    columns: dict[str, list[Any]] = {name: [] for name in _SCHEMA}
    for unit in units:
        _append(columns, unit, ids[unit.suite], only)
        if len(columns["task"]) >= _BATCH:
            yield _frame(columns, source)
            columns = {name: [] for name in _SCHEMA}
    if columns["task"]:
        yield _frame(columns, source)


def _append(columns: dict[str, list[Any]], unit: Unit, ids: list[str], only: frozenset[str] | None) -> None:
    before = len(columns["task"])
    for instance in ids:
        for record in _records(unit, instance, absent=unit.padded or only is not None):
            columns["task"].append(instance)
            columns["outcome"].append(record.mark.outcome.value)
            columns["reason"].append(record.mark.reason)
            columns["passed"].append(record.mark.passed)
            columns["cost_usd"].append(record.cost)
            columns["steps"].append(record.steps)
            columns["source_ref"].append(f"{record.file}: {instance}")
    count = len(columns["task"]) - before
    same = {
        "suite": unit.suite,
        "agent": unit.agent,
        "agent_digest": agent_digest(unit.agent),
        "model_requested": ", ".join(unit.models) or None,
        "job": unit.job,
    }
    for name, value in same.items():
        columns[name].extend([value] * count)


def _records(unit: Unit, instance: str, *, absent: bool) -> list[Record]:
    """One record of an instance; several where files contradict each other, for the conflict policy to decide.

    A file that lists all resolved instances says of every other that it is not resolved.
    """
    said = [file.records[instance] for file in unit.files if instance in file.records]
    if len(said) == len(unit.files) == 1:
        return said
    if not said:
        return [Record(NOT_LISTED, unit.files[0].file)] if absent else []
    silent = [
        Record(NOT_LISTED, file.file)
        for file in unit.files
        if file.lists_all_resolved and instance not in file.records
    ]
    return _united(said + silent)


def _united(said: list[Record]) -> list[Record]:
    costs = {record.cost for record in said} - {None}
    steps = {record.steps for record in said} - {None}
    if len({record.mark.passed is True for record in said}) > 1 or len(costs) > 1 or len(steps) > 1:
        return said
    first = min(said, key=lambda record: record.mark.rank)
    return [first._replace(cost=next(iter(costs), None), steps=next(iter(steps), None))]


def _frame(columns: dict[str, list[Any]], source: str) -> pl.DataFrame:
    passed = pl.col("passed")
    official = pl.struct(pl.lit("official").alias("name"), passed.fill_null(value=False).alias("passed"))
    return conform(
        pl.DataFrame(columns, schema=_SCHEMA).with_columns(
            pl.lit("1").alias("trial"),
            pl.lit("swebench").alias("harness"),
            pl.lit(source).alias("source"),
            pl.when(passed)
            .then(pl.lit(Verdict.PASS.value))
            .when(passed.not_())
            .then(pl.lit(Verdict.FAIL.value))
            .alias("verdict"),
            pl.concat_list(official).alias("verdicts"),
        )
    )
