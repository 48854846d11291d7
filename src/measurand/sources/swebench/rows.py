"""Submissions become rows: one for each instance that any submission of the suite names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError, ValueRangeError
from measurand.model.imports import Declaration
from measurand.model.trial import UNNAMED
from measurand.sources.swebench.agent_runs import joined_mark, suite_of
from measurand.sources.swebench.frames import Batch
from measurand.sources.swebench.names import SIZES
from measurand.sources.swebench.records import NOT_LISTED, Record, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from measurand.sources.base import ImportLog
    from measurand.sources.swebench.agent_runs import AgentRun

__all__ = ["declare", "instances", "read_task_ids", "rows"]

_BATCH: Final = 50_000
_SHOWN: Final = 3


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
        for instance in {name for file in unit.files for name in file.records} | unit.runs.keys():
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
    units: Iterable[Unit],
    ids: Mapping[str, list[str]],
    only: frozenset[str] | None,
    source: str,
    log: ImportLog,
) -> Iterator[pl.DataFrame]:
    """Yield rows of the trial table in batches."""
    batch = Batch(source, log)
    for unit in units:
        absent = unit.padded or only is not None
        batch.append(
            unit,
            [
                (instance, record)
                for instance in ids[unit.suite]
                for record in _records(unit, instance, log, absent=absent)
            ],
        )
        if len(batch) >= _BATCH:
            yield batch.frame()
            batch = Batch(source, log)
    if len(batch):
        yield batch.frame()


def _records(unit: Unit, instance: str, log: ImportLog, *, absent: bool) -> list[Record]:
    """Records of an instance, with what its trajectory says."""
    said = _said(unit, instance, absent=absent)
    run = unit.runs.get(instance)
    if run is None:
        return said
    return [_joined(record, run, log) for record in said] or [_joined(None, run, log)]


def _joined(record: Record | None, run: AgentRun, log: ImportLog) -> Record:
    foreign = suite_of(run.task) == UNNAMED  # a task that may ask for something else than a patch
    handed_in = run.handed_in or foreign
    mark = joined_mark(run.ended, record.mark if record else None, handed_in=handed_in)
    cost, steps = run.meters.get("cost_usd"), run.meters.get("steps")
    if record is None:
        return Record(mark, run.where, cost, steps, run)
    for name, said, own in (("cost_usd", record.cost, cost), ("steps", record.steps, steps)):
        if None not in {said, own} and said != own:
            log.add("note", f"{name} of the trajectory differs: that of the results holds", run.where)
    return record._replace(
        mark=mark,
        cost=cost if record.cost is None else record.cost,
        steps=steps if record.steps is None else record.steps,
        run=run,
    )


def _said(unit: Unit, instance: str, *, absent: bool) -> list[Record]:
    """One record of an instance; several where files contradict each other, for the conflict policy to decide.

    A file that lists all resolved instances says of every other that it is not resolved.
    """
    said = [file.records[instance] for file in unit.files if instance in file.records]
    if len(said) == len(unit.files) == 1:
        return said
    if not said:
        return [Record(NOT_LISTED, unit.files[0].file)] if absent and unit.files else []
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
