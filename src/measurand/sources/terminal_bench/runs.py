"""What the files of a Terminal-Bench run say of all its trials: agent, data set, plan, and the counts it states."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest, task_digest
from measurand.sources.reading.capped_files import read_object
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.sources.base import ImportLog
    from measurand.sources.terminal_bench.tree import Run

__all__ = ["RunFiles", "Who", "read_run"]

SUITE: Final = "terminal-bench"
_MOST: Final = 2**29
_SUBMISSION: Final = re.compile(r"\d{8}_.+")
_DATASET: Final = re.compile(r"(?P<name>terminal-bench[\w-]*?)(@|:|==)(?P<version>\d[\w.]*)")
_DEFAULTS: Final = {"no_rebuild", "model_name"}
"""Arguments that the harness itself passes to every agent."""
_LIMITS: Final = ("global_timeout_multiplier", "global_agent_timeout_sec", "global_test_timeout_sec")


class Who(NamedTuple):
    """The agent of a run."""

    name: str
    digest: str
    model: str | None


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of a run; what is absent or unreadable is empty."""

    folder: Path
    root: Path
    where: str
    """Its file of results, or its folder."""
    results: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    lock: dict[str, Any] = field(default_factory=dict)
    is_trial: bool = False
    """Whether the folder that was given is that of a single trial, so that no folder of a run is known."""

    @property
    def id(self) -> str | None:
        """Id that the run was given."""
        return text(self.metadata.get("run_id"))

    @property
    def harness_version(self) -> str | None:
        """Version of Terminal-Bench's harness."""
        return text(object_of(self.lock.get("harness")).get("version"))

    @property
    def attempts(self) -> int | None:
        """Planned trials of each task."""
        return whole(self.metadata.get("n_attempts"))

    @property
    def planned(self) -> list[str]:
        """Ids of the planned tasks, where the run names them."""
        return [task for one in list_of(self.metadata.get("task_ids")) if (task := text(one))]

    @property
    def environment_digest(self) -> str | None:
        """Digest of time limits that are not the tasks' own."""
        config = object_of(self.lock.get("run_config"))
        said = {name: value for name in _LIMITS if (value := number(config.get(name))) not in {None, 1.0}}
        return task_digest(said) if said else None

    def agent(self) -> Who:
        """The submission that a folder is named after; else model and scaffold; else what the folder is called."""
        locked = object_of(self.lock.get("agent"))
        scaffold = text(self.metadata.get("agent_name")) or text(locked.get("name"))
        model = text(self.metadata.get("model_name")) or text(locked.get("model_name"))
        submission = next((part for part in reversed(self._parts()) if _SUBMISSION.fullmatch(part)), None)
        if submission:
            return Who(submission, agent_digest(submission), model)
        if scaffold is None and model is None:
            name = "agent" if self.is_trial else self._parts()[-1]
            return Who(name, agent_digest(name), None)
        name = f"{model} ({scaffold})" if model and scaffold else model or scaffold or ""
        given = object_of(self.metadata.get("agent_kwargs")) or object_of(locked.get("extra_kwargs"))
        settings = {key: value for key, value in given.items() if key not in _DEFAULTS and value is not None}
        return Who(name, agent_digest(name, settings), model)

    def dataset(self) -> tuple[str | None, str | None]:
        """Name and version of the data set, from the run's files, else from a folder named after both."""
        locked = object_of(self.lock.get("dataset"))
        for said, name, version in (
            (self.metadata, "dataset_name", "dataset_version"),
            (locked, "name", "version"),
        ):
            if found := text(said.get(name)):
                return found, text(said.get(version))
        for part in reversed(self._parts()):
            if match := _DATASET.fullmatch(part):
                return match["name"], match["version"]
        path = text(self.metadata.get("dataset_path"))
        return (path.rstrip("/").rpartition("/")[2] or None, None) if path else (None, None)

    def _parts(self) -> list[str]:
        """Names of the folders from the one given down to that of the run."""
        base = self.root.resolve()
        below = self.folder.relative_to(self.root).parts if self.folder.is_relative_to(self.root) else ()
        return [base.name or SUITE, *below]


def read_run(run: Run, root: Path, log: ImportLog) -> RunFiles:
    """Read the files of a run. Metadata that cannot be read are noted; records that cannot, dropped."""
    parts: dict[str, dict[str, Any]] = {}
    for name, file in (("results", run.results), ("metadata", run.metadata), ("lock", run.lock)):
        parts[name] = {}
        if file is None:
            continue
        where = name_below(file, root)
        try:
            parts[name] = read_object(file, where, root, _MOST)
        except FormatError as error:
            if name == "results":
                log.rows_read += 1
            log.add("dropped" if name == "results" else "note", f"{file.name}: {error.what}", where)
    named = run.results or run.folder
    where = named.name if named == root else name_below(named, root)
    return RunFiles(run.folder, root, where, **parts, is_trial=run.trials == [root])
