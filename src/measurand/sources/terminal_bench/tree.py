"""Finds runs of Terminal-Bench on disk: the results of a run, its metadata and lock, and the folders of its trials."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from measurand.sources.reading.capped_files import is_file, is_folder, is_inside, is_link
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.json_files import head

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["LOCK", "METADATA", "RESULTS", "Run", "find", "recognise"]

RESULTS, METADATA, LOCK = "results.json", "run_metadata.json", "tb.lock"
_DEPTH: Final = 8
_LOOKED_AT: Final = 40
"""Entries of a folder that sniffing looks at."""
_LAYERS: Final = 5

Kind = Literal["run", "trial"]


@dataclass(slots=True)
class Run:
    """A run, as far as it stands in one folder."""

    folder: Path
    results: Path | None = None
    """File with the records of all its trials."""
    metadata: Path | None = None
    lock: Path | None = None
    trials: list[Path] = field(default_factory=list)
    """Folders of trials."""


def recognise(path: Path) -> str | None:
    """Say what of Terminal-Bench ``path`` is, looking at few files and at their beginnings only."""
    if is_file(path):
        kind = _kind_of_file(path)
        return f"results of a {kind}" if kind else None
    layer = [path]
    for _ in range(_LAYERS):
        for folder in layer:
            if any(_kind_of_file(file) for file in islice(_entries(folder), _LOOKED_AT)):
                return "results of runs or trials"
        layer = [deeper for folder in layer for deeper in _folders(folder)][: _LOOKED_AT * 4]
    return None


def _kind_of_file(path: Path) -> Kind | None:
    if path.suffix.lower() != ".json" or not is_file(path):
        return None
    start = head(path)
    if not all(mark in start for mark in (b'"is_resolved"', b'"failure_mode"', b'"task_id"')):
        return None
    return "run" if b'"results"' in start[: start.index(b'"task_id"')] else "trial"


def _folders(folder: Path) -> list[Path]:
    return [
        entry
        for entry in islice(_entries(folder), _LOOKED_AT)
        if is_folder(entry) and not is_link(entry) and not entry.name.startswith(".")
    ]


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:
        return


def find(path: Path, log: ImportLog) -> tuple[Path, list[Run]]:
    """List the runs at ``path``, in the order of the paths, with the folder that nothing read lies outside of.

    Folders of trials are not searched. A link that leaves ``path`` counts as a record that was dropped; one that stays
    within is read where it stands.
    """
    if is_folder(path):
        search = _Search(path, log)
        search.folder(path, None, _DEPTH)
        return path, [run for run in search.runs if run.results or run.trials]
    kind = _kind_of_file(path)
    run = Run(path.parent)
    if kind == "trial":
        run.trials.append(path.parent)
    elif kind:
        run.results = path
        run.metadata, run.lock = (_own(path.parent / name, path.parent) for name in (METADATA, LOCK))
    return path.parent, [run] if kind else []


def _own(file: Path, root: Path) -> Path | None:
    return file if is_file(file) and is_inside(file, root) else None


class _Search:
    def __init__(self, root: Path, log: ImportLog) -> None:
        self.root = root
        self.log = log
        self.runs: list[Run] = []
        self._loose: dict[Path, Run] = {}

    def folder(self, folder: Path, run: Run | None, depth: int) -> None:
        if is_file(folder / RESULTS) and _kind_of_file(folder / RESULTS) == "trial":
            if self._is_own(folder / RESULTS):
                (self._around(folder) if run is None else run).trials.append(folder)
            return
        if depth == 0:
            self.log.add("note", "folder too deep: not read", name_below(folder, self.root))
            return
        entries = [
            entry for entry in sorted(_entries(folder), key=lambda entry: entry.name) if self._is_own(entry)
        ]
        run = self._run(folder, [entry for entry in entries if _kind_of_file(entry) == "run"]) or run
        for entry in entries:
            if is_folder(entry) and not entry.name.startswith("."):
                self.folder(entry, run, depth - 1)

    def _run(self, folder: Path, results: list[Path]) -> Run | None:
        """The run whose folder this is. Of several files of results each is a run of its own."""
        metadata, lock = (_own(folder / name, self.root) for name in (METADATA, LOCK))
        if metadata or lock or any(file.name == RESULTS for file in results) or len(results) == 1:
            own = next((file for file in results if file.name == RESULTS), next(iter(results), None))
            run = Run(folder, own, metadata, lock)
            self.runs += [run, *(Run(folder, file) for file in results if file != own)]
            return run
        self.runs += [Run(folder, file) for file in results]
        return None

    def _around(self, trial: Path) -> Run:
        """Run of a trial without the files of a run: the folder above that of its task, or else above its own."""
        task = trial.parent
        above = task.parent if trial.name.startswith(f"{task.name}.") else task
        folder = above if trial != self.root and above.is_relative_to(self.root) else self.root
        if folder not in self._loose:
            self._loose[folder] = Run(folder)
            self.runs.append(self._loose[folder])
        return self._loose[folder]

    def _is_own(self, entry: Path) -> bool:
        if not is_link(entry):
            return True
        where = name_below(entry, self.root)
        if is_inside(entry, self.root):
            self.log.add("note", "link within the folder: read where it points to", where)
        else:
            self.log.rows_read += 1
            self.log.add("dropped", "link that leaves the folder: not followed", where)
        return False
