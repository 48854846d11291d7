"""Finds the trajectories of agents below a folder, and reads each with what stands beside it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.sources.mini_swe_agent import runs as mini_swe_agent_runs
from measurand.sources.reading.capped_files import is_inside
from measurand.sources.reading.folder_files import name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.sweagent_traj import runs as sweagent_traj_runs
from measurand.sources.swebench.agent_runs import AgentRun, Ended
from measurand.sources.swebench.predictions import (
    Prediction,
    Status,
    find_predictions,
    read_predictions,
    read_statuses,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from measurand.sources.base import ImportLog

__all__ = ["find_trajectories", "is_mini", "is_sweagent", "neighbours", "read_runs", "some_trajectory"]

_DEPTH: Final = 8
_LOOKED_AT: Final = 20
"""Folders that sniffing looks into."""
_ATTEMPT: Final = re.compile(r"attempt_\d+")
_BARE: Final = (b"```mswea_bash_command", b"```bash")


def is_mini(file: Path) -> bool:
    """Whether a file begins as a trajectory of mini-SWE-agent."""
    if not file.name.lower().endswith(".json"):
        return False
    start = head(file)
    if b'"instance_cost"' in start and (b'"mini_version"' in start or b"minisweagent." in start):
        return True
    listed = file.name.endswith(mini_swe_agent_runs.ENDING) and start.lstrip()[:1] == b"["
    return listed and b'"role"' in start and b'"content"' in start and any(mark in start for mark in _BARE)


def is_sweagent(file: Path) -> bool:
    """Whether a file begins as a trajectory of SWE-agent."""
    if not file.name.endswith(sweagent_traj_runs.ENDING):
        return False
    start = head(file)
    return (b'"trajectory"' in start or b'"attempts"' in start) and b'"action"' in start


def some_trajectory(path: Path, ending: str, is_one: Callable[[Path], bool]) -> Path | None:
    """Return ``path``, or a file up to two folders below it, that is a trajectory, looking at few: for sniffing."""
    places = [path, *_folders(path)]
    return next((file for place in places for file in some_files(place, ending) if is_one(file)), None)


def _folders(path: Path) -> list[Path]:
    try:
        entries = islice(path.iterdir(), _LOOKED_AT) if path.is_dir() else iter(())
        return [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
    except OSError:
        return []


def find_trajectories(root: Path, log: ImportLog) -> list[Path]:
    """List the trajectories below ``root``, or ``root`` itself, in the order of their paths.

    Links that leave ``root`` are dropped, and said; linked folders are not followed. What stands in the folder of an
    attempt is part of the trajectory above it.
    """
    if root.is_file():
        return [root] if root.name.endswith(_ENDINGS) or is_mini(root) else []
    return list(_walk(root, log))


_ENDINGS: Final = (mini_swe_agent_runs.ENDING, sweagent_traj_runs.ENDING)


def _walk(root: Path, log: ImportLog) -> Iterator[Path]:
    deepest = len(root.parts) + _DEPTH
    for folder, below, names in os.walk(root):
        here = Path(folder)
        below[:] = (
            sorted(name for name in below if not name.startswith(".")) if len(here.parts) < deepest else []
        )
        for name in sorted(names):
            file = here / name
            if not name.endswith(_ENDINGS) or name.startswith(".") or not file.is_file():
                continue
            where = name_below(file, root)
            if not is_inside(file, root):
                log.rows_read += 1
                log.add("dropped", "link that leaves the tree: not followed", where)
            elif _ATTEMPT.fullmatch(here.name) and (here.parent / name).is_file():
                log.add("note", "attempt of a trajectory above it: not read by itself", where)
            else:
                yield file


def _read(file: Path, where: str, log: ImportLog) -> AgentRun:
    """Read one trajectory, of whichever scaffold.

    Raises:
        FormatError: not readable, not JSON, or no trajectory.
    """
    if file.name.endswith(sweagent_traj_runs.ENDING):
        return sweagent_traj_runs.read_sweagent_run(file, where, log)
    return mini_swe_agent_runs.read_mini_run(file, where, log)


def read_runs(files: list[Path], root: Path, log: ImportLog) -> list[AgentRun]:
    """Read trajectories, and instances of the same runs that have none. A damaged file is dropped, and said."""
    by_folder: dict[Path, list[AgentRun]] = {}
    for file in files:
        where = name_below(file, root)
        try:
            run = _read(file, where, log)
        except FormatError as error:
            log.rows_read += 1
            log.add("dropped", f"trajectory that cannot be read: {error.what}", where)
            continue
        by_folder.setdefault(run.folder, []).append(run)
    found: list[AgentRun] = []
    for folder, runs in by_folder.items():
        beside = root.is_dir() and is_inside(folder, root)
        found += _with_neighbours(runs, folder, root, log) if beside else runs
    return found


def neighbours(files: list[Path]) -> set[Path]:
    """Files with patches and exit statuses beside trajectories."""
    folders = {file.parent for file in files} | {file.parent.parent for file in files}
    return {path for folder in folders for path in find_predictions(folder)}


def _with_neighbours(runs: list[AgentRun], folder: Path, root: Path, log: ImportLog) -> list[AgentRun]:
    patches, statuses = read_predictions(folder, root, log), read_statuses(folder, root, log)
    known = {run.task for run in runs}
    found = [_completed(run, patches.get(run.task), statuses.get(run.task)) for run in runs]
    for task, patch in patches.items():
        if task not in known:
            found.append(_without_trajectory(task, patch, statuses.get(task), runs))
    for task, status in statuses.items():
        if task not in known and task not in patches:
            log.rows_read += 1
            log.add("dropped", "exit status without a trajectory or a patch", f"{status.where}: {task}")
    return found


def _completed(run: AgentRun, patch: Prediction | None, status: Status | None) -> AgentRun:
    """Give a run what stands beside it: another name, and how often it was started."""
    if status is not None and not run.meters.get("attempts"):
        run = replace(run, meters={**run.meters, "attempts": status.starts})
    if patch is None or patch.agent is None:
        return run
    unnamed = run.agent == run.scaffold
    return replace(
        run,
        names=run.names | {patch.agent},
        agent=patch.agent if unnamed else run.agent,
        agent_digest=agent_digest(patch.agent) if unnamed else run.agent_digest,
    )


def _without_trajectory(
    task: str, patch: Prediction, status: Status | None, runs: list[AgentRun]
) -> AgentRun:
    """Take an instance that left a patch, or none, and no trajectory: it did not begin, or the file is lost."""
    like = next((run for run in runs if patch.agent in run.names), runs[0])
    of_mini = like.scaffold == mini_swe_agent_runs.SCAFFOLD
    ended_of = mini_swe_agent_runs.ended_of if of_mini else sweagent_traj_runs.ended_of
    same = patch.agent is None or patch.agent in like.names
    name = like.agent if same or patch.agent is None else patch.agent
    return replace(
        like,
        task=task,
        where=patch.where,
        agent=name,
        agent_digest=like.agent_digest if same else agent_digest(name),
        model=like.model if same else None,
        names=like.names
        if patch.agent is None
        else like.names | {patch.agent}
        if same
        else frozenset({patch.agent}),
        ended=Ended(None) if status is None else ended_of(status.word),
        handed_in=patch.handed_in,
        meters={"attempts": status.starts} if status else {},
        start={},
        events=None,
    )
