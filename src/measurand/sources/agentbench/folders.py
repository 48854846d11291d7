"""Finds the folders that AgentBench's assigner wrote, and reads what stands beside the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import is_inside, read_capped
from measurand.sources.reading.folder_files import files_below, folders_above, name_below
from measurand.sources.reading.json_lines import first_object
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["RUNS", "Folder", "Overall", "find_folders", "is_runs", "read_overall"]

RUNS: Final = "runs.jsonl"
_ERRORS: Final = "error.jsonl"
_OVERALL: Final = "overall"
_MARKS: Final = {"index", "error", "output", "time"}
_MOST: Final = 2**28


class Folder(NamedTuple):
    """Files of an agent on a task set."""

    path: Path
    runs: Path | None
    errors: Path | None
    overall: Path | None

    @property
    def agent(self) -> str:
        """Name of the agent, after the folder above."""
        return folders_above(self.path, 2)[0] or self.name

    @property
    def name(self) -> str:
        """Name of the task set."""
        return folders_above(self.path, 1)[0]


class Overall(NamedTuple):
    """What ``overall.json`` says."""

    custom: dict[str, Any]
    total: Any = None

    @property
    def judged(self) -> dict[str, str]:
        """Index of a sample -> its status after grading, where the file lists samples (MedAgentBench)."""
        listed = map(object_of, list_of(self.custom.get("raw_results")))
        pairs = [(text(entry.get("index")), text(entry.get("status"))) for entry in listed]
        return {index: status for index, status in pairs if index and status}


def is_runs(file: Path) -> bool:
    """Whether a file holds runs (or errors) of AgentBench, by its first line."""
    return file.name.endswith(".jsonl") and first_object(file).keys() >= _MARKS


def find_folders(path: Path, log: ImportLog) -> Iterator[Folder]:
    """Yield the folders below ``path`` that hold runs or errors; a file of runs stands for its folder."""
    if path.is_file():
        beside = sorted(
            file for file in path.parent.glob(f"{_OVERALL}*.json") if is_inside(file, path.parent)
        )
        errors = path.parent / _ERRORS
        usable = errors != path and errors.is_file() and is_inside(errors, path.parent) and is_runs(errors)
        yield Folder(path.parent, path, errors if usable else None, next(iter(beside), None))
        return
    found: dict[Path, dict[str, Path]] = {}
    for file in files_below(path, log, ".jsonl", ".json"):
        kind = _kind(file)
        if kind is None:
            log.add("note", "file that is nothing of AgentBench: not read", name_below(file, path))
        else:
            found.setdefault(file.parent, {}).setdefault(kind, file)
    for folder, files in found.items():
        if RUNS in files or _ERRORS in files:
            yield Folder(folder, files.get(RUNS), files.get(_ERRORS), files.get(_OVERALL))


def _kind(file: Path) -> str | None:
    if file.name in {RUNS, _ERRORS}:
        return file.name if is_runs(file) else None
    return _OVERALL if file.name.startswith(_OVERALL) and file.suffix == ".json" else None


def read_overall(file: Path, where: str) -> Overall:
    """Read ``overall.json``.

    Raises:
        FormatError: not readable, or not JSON.
    """
    content = object_of(loose_json.decode(read_capped(file, where, _MOST), where))
    return Overall(object_of(content.get("custom")), content.get("total"))
