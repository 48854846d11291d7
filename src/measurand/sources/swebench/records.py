"""What SWE-bench's files say of an instance: lists of ids, details, reports of the harness, as one kind of record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError, ValueRangeError
from measurand.model.outcomes import Outcome
from measurand.sources.reading.json_files import head, read_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from measurand.sources.base import ImportLog
    from measurand.sources.swebench.agent_runs import AgentRun

__all__ = [
    "NOT_LISTED",
    "Mark",
    "Record",
    "RecordFile",
    "Unit",
    "read_details",
    "read_instance",
    "read_lists",
]


class Mark(NamedTuple):
    """What one word of SWE-bench says of an instance."""

    rank: int
    """Where several marks apply to an instance, the one with the lowest rank holds."""
    reason: str | None
    outcome: Outcome
    passed: bool | None
    """The gate: resolved, not resolved, or no verdict."""
    judged: bool = True
    """Whether SWE-bench's own count has it, be it as not resolved."""


class Record(NamedTuple):
    """An instance in one file."""

    mark: Mark
    file: str
    cost: float | None = None
    steps: int | None = None
    run: AgentRun | None = None


@dataclass(slots=True)
class RecordFile:
    """The records of one file."""

    file: str
    records: dict[str, Record]
    lists_all_resolved: bool = False
    """An instance that the file does not name is not resolved."""
    total: int | None = None
    """Number of instances of the data set, where the file says it."""


@dataclass(slots=True)
class Unit:
    """One submission: an agent in one job on one suite."""

    suite: str
    agent: str
    job: str | None
    padded: bool
    """Instances that only other submissions name count as failed (tree of submissions), or are left out (harness)."""
    models: tuple[str, ...] = ()
    files: list[RecordFile] = field(default_factory=list)
    runs: dict[str, AgentRun] = field(default_factory=dict)
    """Trajectories by instance."""
    folder: Path | None = None
    """Folder of a submission, or of runs without results; nothing in it belongs to another unit."""
    digest: str | None = None
    """Digest of the agent's configuration, where trajectories alone say it."""
    harness: str = "swebench"
    harness_version: str | None = None


_RESOLVED: Final = Mark(0, None, Outcome.COMPLETED, passed=True)
_UNRESOLVED: Final = Mark(50, "not resolved", Outcome.COMPLETED, passed=False)
NOT_LISTED: Final = Mark(90, "not listed as resolved", Outcome.COMPLETED, passed=False)
"""Of an instance that a list of resolved instances leaves out."""


def _marks(words: Mapping[str, Outcome], *, passed: bool | None, first: int) -> dict[str, Mark]:
    return {
        word: Mark(rank, word, outcome, passed)
        for rank, (word, outcome) in enumerate(words.items(), start=first)
    }


_MARKS: Final[dict[str, Mark]] = {
    "resolved": _RESOLVED,
    "resolved_ids": _RESOLVED,
    **_marks(
        {
            "no_generation": Outcome.NO_OUTPUT,
            "empty_patch_ids": Outcome.NO_OUTPUT,
            "no_apply": Outcome.INVALID_OUTPUT,
        },
        passed=False,
        first=10,
    ),
    **_marks(
        {
            "install_fail": Outcome.GRADER_ERROR,
            "reset_failed": Outcome.GRADER_ERROR,
            "test_errored": Outcome.GRADER_ERROR,
            "test_timeout": Outcome.GRADER_ERROR,
            "error_ids": Outcome.GRADER_ERROR,
            "failed_ids": Outcome.GRADER_ERROR,
            "no_logs": Outcome.GRADER_ERROR,
            "pending_ids": Outcome.MISSING,
        },
        passed=None,
        first=20,
    ),
    "unresolved_ids": _UNRESOLVED,
    "incomplete_ids": Mark(60, "not submitted", Outcome.NO_OUTPUT, passed=False),
    "submitted_ids": Mark(80, "submitted, not evaluated", Outcome.MISSING, passed=None),
    "completed_ids": Mark(70, "not listed as resolved", Outcome.COMPLETED, passed=False),
    "generated": NOT_LISTED,
    "with_logs": NOT_LISTED,
    "applied": NOT_LISTED,
}
"""List of ids -> what it says of each."""

_APPLY_FAILED: Final = b"Patch Apply Failed"
"""What the harness logs of a patch that it cannot apply."""

_WEAK: Final = 60
"""Marks from this rank on say nothing against a stronger one (an instance is both submitted and resolved)."""


def read_lists(path: Path, where: str, log: ImportLog, *, resolved: str) -> RecordFile:
    """Read lists of ids: the ``results.json`` of a submission, or a report of the harness.

    Args:
        path: the file.
        where: how notes and errors name it.
        log: learns of ids listed twice or in lists that contradict each other.
        resolved: the list that must be there.

    Raises:
        FormatError: not JSON, no object, no list ``resolved``, or a list that holds something else than ids.
    """
    content = read_json(path, where)
    if not isinstance(content, dict):
        raise FormatError(
            "not a JSON object", where=where, hint=f"expected lists of instance ids, {resolved!r} first"
        )
    if resolved not in content:
        raise FormatError(
            f"there is no list {resolved!r}", where=where, hint="the file may be of another format"
        )
    records: dict[str, Record] = {}
    for word, mark in sorted(_MARKS.items(), key=lambda item: item[1].rank):
        for instance in _ids(content, word, where, log):
            known = records.setdefault(instance, Record(mark, where))
            if known.mark is not mark and mark.rank < _WEAK:
                log.add(
                    "note",
                    f"listed as {_word(known.mark)} and as {word}; the former holds",
                    f"{where}: {instance}",
                )
    total = content.get("total_instances")
    return RecordFile(
        where, records, lists_all_resolved=True, total=total if isinstance(total, int) else None
    )


def _word(mark: Mark) -> str:
    return "resolved" if mark.passed else mark.reason or ""


def _ids(content: dict[str, Any], word: str, where: str, log: ImportLog) -> Iterator[str]:
    listed = content.get(word)
    if word not in content:
        return
    if not isinstance(listed, list):
        raise FormatError(f"{word!r} is not a list of instance ids", where=where)
    seen: set[str] = set()
    for position, instance in enumerate(listed, start=1):
        if not isinstance(instance, str) or not instance.strip():
            raise FormatError(
                f"entry {position} of {word!r} is {instance!r}, not an instance id", where=where
            )
        if instance in seen:
            log.add("note", f"listed twice in {word}, counted once", f"{where}: {instance}")
            continue
        seen.add(instance)
        yield instance


def read_details(path: Path, where: str) -> RecordFile:
    """Read ``per_instance_details.json``: instance -> ``{resolved, cost, api_calls}``.

    Raises:
        FormatError: not JSON, or no object of objects.
        ValueRangeError: a value of the wrong type.
    """
    content = read_json(path, where)
    if not isinstance(content, dict):
        raise FormatError(
            "not a JSON object", where=where, hint="expected instance -> {resolved, cost, api_calls}"
        )
    return RecordFile(where, {name: _detail(name, entry, where) for name, entry in content.items()})


def _detail(instance: str, entry: Any, where: str) -> Record:
    place = f"{where}: {instance}"
    if not isinstance(entry, dict) or "resolved" not in entry:
        raise ValueRangeError(
            "there is no 'resolved'", where=place, hint="expected {resolved, cost, api_calls}"
        )
    resolved = entry["resolved"]
    if resolved is None:
        mark = Mark(30, "resolved is null", Outcome.GRADER_ERROR, passed=None)
    else:
        mark = _RESOLVED if _flag(entry, "resolved", place) else _UNRESOLVED
    cost, steps = _amount(entry, "cost", place), _amount(entry, "api_calls", place)
    if steps is not None and not steps.is_integer():
        raise ValueRangeError(f"'api_calls' is {steps}, not a whole number", where=place)
    return Record(mark, where, cost, None if steps is None else int(steps))


def _flag(entry: dict[str, Any], key: str, place: str) -> bool:
    value = entry.get(key)
    if not isinstance(value, bool):
        raise ValueRangeError(f"{key!r} is {value!r}, not true or false", where=place)
    return value


def _amount(entry: dict[str, Any], key: str, place: str) -> float | None:
    value = entry.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueRangeError(f"{key!r} is {value!r}, not a number", where=place)
    return float(value)


def read_instance(path: Path, where: str) -> RecordFile:
    """Read the harness's ``report.json`` of one instance.

    Raises:
        FormatError: not JSON, or no object of objects.
        ValueRangeError: a value of the wrong type.
    """
    content = read_json(path, where)
    if not isinstance(content, dict) or not all(isinstance(entry, dict) for entry in content.values()):
        raise FormatError(
            "not a report of an instance", where=where, hint="expected instance -> {resolved, ...}"
        )
    return RecordFile(
        where,
        {name: Record(_instance_mark(entry, f"{where}: {name}"), where) for name, entry in content.items()},
    )


def read_log(path: Path, where: str) -> RecordFile:
    """Say of an instance whose folder has a log of the harness but no report that it was not graded.

    A patch that cannot be applied is the agent's fault, and the log says so; all else is the harness's.
    """
    if _APPLY_FAILED in head(path):
        mark = Mark(13, "patch apply failed", Outcome.INVALID_OUTPUT, passed=False)
    else:
        mark = Mark(35, "no report.json", Outcome.GRADER_ERROR, passed=None)
    return RecordFile(where, {path.parent.name: Record(mark, where)})


def _instance_mark(entry: dict[str, Any], place: str) -> Mark:
    if _flag(entry, "resolved", place):
        return _RESOLVED
    if entry.get("patch_is_None") is True:
        return Mark(10, "patch_is_None", Outcome.NO_OUTPUT, passed=False)
    if entry.get("patch_exists") is False:
        return Mark(11, "no patch_exists", Outcome.NO_OUTPUT, passed=False)
    if entry.get("patch_successfully_applied") is False:
        return Mark(12, "no patch_successfully_applied", Outcome.INVALID_OUTPUT, passed=False)
    return _UNRESOLVED
