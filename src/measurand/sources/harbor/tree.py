"""Finds Harbor's job folders, trial folders and ATIF documents on disk, and recognises them by their beginnings."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from measurand.sources.atif.source import is_atif
from measurand.sources.reading.capped_files import is_file, is_folder, is_inside, is_link
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.json_files import head

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["JobFolder", "Trees", "find", "recognise"]

RESULT, CONFIG, LOCK = "result.json", "config.json", "lock.json"
_TASK: Final = "task.toml"
_DEPTH: Final = 8
_LOOKED_AT: Final = 40
"""Entries of a folder that sniffing looks at."""

Kind = Literal["trial", "job", "atif"]


@dataclass(slots=True)
class JobFolder:
    """A job, or trials that stand in a folder without the files of a job."""

    folder: Path
    is_job: bool
    trials: list[Path] = field(default_factory=list)
    """Folders of trials, in the order of their names."""


@dataclass(slots=True)
class Trees:
    """What is to be read."""

    root: Path
    """Folder that nothing read lies outside of."""
    jobs: list[JobFolder] = field(default_factory=list)
    documents: list[Path] = field(default_factory=list)
    """ATIF documents that belong to no trial folder."""


def recognise(path: Path) -> str | None:
    """Say what of Harbor ``path`` is, looking at few files and at their beginnings only."""
    words = {"trial": "a trial", "job": "a job", "atif": "an ATIF trajectory"}
    if is_file(path):
        kind = _kind_of_file(path)
        return words[kind] if kind else None
    layer = [path]
    for depth in range(4):
        for folder in layer:
            kind = _kind_of_folder(folder) or ("atif" if _documents(folder) else None)
            if kind:
                return words[kind] if depth == 0 else "jobs, trials or trajectories"
        layer = [deeper for folder in layer for deeper in _folders(folder)][: _LOOKED_AT * 4]
    return None


def _kind_of_file(path: Path) -> Kind | None:
    if path.suffix.lower() != ".json":
        return None
    start = head(path)
    if is_atif(start):
        return "atif"
    return _kind_of_result(start) if path.name == RESULT else None


def _kind_of_result(start: bytes) -> Kind | None:
    if b'"trial_name"' in start and b'"task_checksum"' in start:
        return "trial"
    return "job" if b'"n_total_trials"' in start and b'"stats"' in start else None


def _kind_of_folder(folder: Path) -> Kind | None:
    kind = _kind_of_result(_start(folder / RESULT))
    if kind:
        return kind
    config = _start(folder / CONFIG)
    if b'"trial_name"' in config and b'"agent"' in config and b'"task"' in config:
        return "trial"
    if b'"jobs_dir"' in config and b'"n_attempts"' in config:
        return "job"
    lock = _start(folder / LOCK)
    return "job" if b'"harbor"' in lock and b'"trials"' in lock else None


def _start(file: Path) -> bytes:
    """Beginning of an ordinary file; of a pipe, say, nothing."""
    return head(file) if is_file(file) else b""


def _folders(folder: Path) -> list[Path]:
    return [
        entry
        for entry in islice(_entries(folder), _LOOKED_AT)
        if is_folder(entry) and not is_link(entry) and not entry.name.startswith(".")
    ]


def _documents(folder: Path) -> list[Path]:
    files = islice(_entries(folder), _LOOKED_AT)
    return [file for file in files if is_file(file) and _kind_of_file(file) == "atif"]


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:
        return


def find(path: Path, log: ImportLog) -> Trees:
    """List what is to be read below ``path``, in the order of the paths.

    Folders of trials and of tasks are not searched. A link that leaves ``path`` counts as a record that was dropped;
    one that stays within is read where it stands.
    """
    if is_folder(path):
        trees = Trees(path)
        _Search(trees, log).folder(path, None, _DEPTH)
        return trees
    trees = Trees(path.parent)
    kind = _kind_of_file(path)
    if kind == "atif":
        trees.documents.append(path)
    elif kind:
        _Search(trees, log).folder(path.parent, None, _DEPTH)
    return trees


class _Search:
    def __init__(self, trees: Trees, log: ImportLog) -> None:
        self.trees = trees
        self.log = log

    def folder(self, folder: Path, job: JobFolder | None, depth: int) -> None:
        kind = _kind_of_folder(folder)
        if kind == "trial":
            self._job(folder if folder == self.trees.root else folder.parent, job).trials.append(folder)
            return
        if kind == "job":
            job = JobFolder(folder, is_job=True)
            self.trees.jobs.append(job)
        elif is_file(folder / _TASK):
            return
        if depth == 0:
            self.log.add("note", "folder too deep: not read", name_below(folder, self.trees.root))
            return
        for entry in sorted(_entries(folder), key=lambda entry: entry.name):
            if entry.name.startswith(".") or not self._is_own(entry):
                continue
            if is_folder(entry):
                self.folder(entry, job, depth - 1)
            elif job is None and is_file(entry) and _kind_of_file(entry) == "atif":
                self.trees.documents.append(entry)

    def _job(self, folder: Path, job: JobFolder | None) -> JobFolder:
        if job is not None:
            return job
        known = next((one for one in self.trees.jobs if one.folder == folder and not one.is_job), None)
        if known is None:
            known = JobFolder(folder, is_job=False)
            self.trees.jobs.append(known)
        return known

    def _is_own(self, entry: Path) -> bool:
        if not is_link(entry):
            return True
        where = name_below(entry, self.trees.root)
        if is_inside(entry, self.trees.root):
            self.log.add("note", "link within the folder: read where it points to", where)
        else:
            self.log.rows_read += 1
            self.log.add("dropped", "link that leaves the folder: not followed", where)
        return False
