"""What OpenHands's graders say of an instance: in its own line, in a file of results, in reports of SWE-bench's harness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError, InputError
from measurand.model.outcomes import Outcome
from measurand.sources.reading.capped_files import is_inside
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lines import read_lines
from measurand.sources.reading.loose_values import object_of, text, truth
from measurand.sources.swebench.records import Mark, Record, read_instance, read_lists

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["mark_in", "read_results"]

_RESOLVED: Final = Mark(0, None, Outcome.COMPLETED, passed=True)
_UNRESOLVED: Final = Mark(50, "not resolved", Outcome.COMPLETED, passed=False)
_FLAGS: Final = {
    "empty_generation": Mark(10, "empty_generation", Outcome.NO_OUTPUT, passed=False),
    "failed_apply_patch": Mark(12, "failed_apply_patch", Outcome.INVALID_OUTPUT, passed=False),
    "error_eval": Mark(23, "error_eval", Outcome.GRADER_ERROR, passed=None),
    "test_timeout": Mark(24, "test_timeout", Outcome.GRADER_ERROR, passed=None),
}
"""Flag of a report -> what it says of an instance that is not resolved; the first holds."""


def mark_in(line: dict[str, Any]) -> Mark | None:
    """Say what a line of the output says of its own grade; ``None`` where it was not graded."""
    result = object_of(line.get("test_result"))
    for report in (line.get("report"), result.get("report")):
        if isinstance(report, dict) and truth(report.get("resolved")) is not None:
            return _of_report(report)
    for value in (line.get("resolved"), result.get("resolved"), result.get("score"), result.get("success")):
        passed = truth(value)
        if passed is not None:
            return _RESOLVED if passed else _UNRESOLVED
    return None


def _of_report(report: dict[str, Any]) -> Mark:
    if truth(report.get("resolved")):
        return _RESOLVED
    return next((mark for flag, mark in _FLAGS.items() if truth(report.get(flag))), _UNRESOLVED)


def read_results(output: Path, root: Path, log: ImportLog) -> dict[str, Record]:
    """Read the results that lie beside an output, by instance. The first of several that names an instance holds.

    Args:
        output: the file of outputs.
        root: nothing outside is read.
        log: learns of files that cannot be read.
    """
    found: dict[str, Record] = {}
    if not root.is_dir():
        return found
    for path in _places(output):
        if not path.is_file():
            continue
        where = name_below(path, root)
        if not is_inside(path, root):
            log.add("note", "link that leaves the folder: not followed", where)
            continue
        try:
            records = dict(_records(path, where, log))
        except InputError as error:
            log.add("note", f"results that are not read: {error.what}", where)
            continue
        for instance, record in records.items():
            known = found.setdefault(instance, record)
            if (
                None not in {known.mark.passed, record.mark.passed}
                and known.mark.passed != record.mark.passed
            ):
                log.add("note", f"graded otherwise in {known.file}: that holds", f"{where}: {instance}")
    return found


def _places(output: Path) -> Iterator[Path]:
    """Files of results, those that say most first."""
    folder, stem = output.parent, output.name.removesuffix(".jsonl")
    yield folder / f"{stem}.swebench_eval.jsonl"
    evaluated = folder / "eval_outputs"
    try:
        instances = sorted(evaluated.iterdir()) if evaluated.is_dir() else []
    except OSError:
        instances = []
    yield from (instance / "report.json" for instance in instances)
    yield folder / "report.json"
    yield folder / f"{stem}.report.json"


def _records(path: Path, where: str, log: ImportLog) -> Iterator[tuple[str, Record]]:
    if path.suffix == ".jsonl":
        for line in read_lines(path, where):
            value = line.value or {}
            instance, mark = text(value.get("instance_id")), mark_in(value)
            if instance and mark:
                yield instance, Record(mark, where)
        return
    start = head(path)
    if b'"resolved_ids"' in start:
        yield from read_lists(path, where, log, resolved="resolved_ids").records.items()
    elif b'"resolved"' in start:
        yield from read_instance(path, where).records.items()
    else:
        raise FormatError("no report", where=where)
