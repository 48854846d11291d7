"""Trajectories join the results of their agents; those without results are trials of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.model.trial import UNNAMED
from measurand.sources.swebench.agent_runs import AgentRun, suite_of
from measurand.sources.swebench.records import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["join_runs"]

_SLASH: Final = "__"
"""What the harness writes for a slash in the name of a model."""


class _Start(NamedTuple):
    """Runs of one agent that were started together."""

    suite: str
    agent: str
    digest: str
    folder: Path

    def names(self, runs: Iterable[AgentRun]) -> set[str]:
        """What results may call the agent."""
        return {_plain(name) for run in runs for name in run.names} | {_plain(self.agent)}


def _plain(name: str) -> str:
    return name.replace("/", _SLASH)


def join_runs(
    units: list[Unit], runs: list[AgentRun], base: Path, suite: str | None, log: ImportLog
) -> list[Unit]:
    """Give each run to the submission or the report that it belongs to.

    That is the submission whose folder holds it, else the results that bear the agent's name, else those that bear the
    name of a folder it lies in, else the only results there are, where all runs are of one agent and start.

    Args:
        units: results.
        runs: trajectories.
        base: folder below which all of them stand.
        suite: name of the suite of runs without results, where their ids do not say.
        log: learns which runs have results, which have none, and which could have several.

    Returns:
        The results with their runs, and runs without results as units of their own.
    """
    starts: dict[_Start, list[AgentRun]] = {}
    for run in runs:
        key = _Start(suite or suite_of(run.task), run.agent, run.agent_digest, run.folder)
        starts.setdefault(key, []).append(run)
    alone: list[Unit] = []
    for start, members in starts.items():
        found = _units_of(start, members, units, base)
        if not found and len(starts) == 1 and len(units) == 1 and units[0].folder is None:
            found = units
        if len(found) == 1:
            _attach(found[0], members, log)
        elif found:
            log.rows_read += len(members)
            what = "trajectory of which several results could be: name their folder after the run"
            log.add("dropped", what, members[0].where, count=len(members))
        else:
            if suite is None and start.suite != UNNAMED:
                log.add("note", "the data do not say which split: give it with --suite", members[0].where)
            alone.append(_own(start, members, base, log))
    _tell_apart(alone, base)
    return units + alone


def _units_of(start: _Start, runs: list[AgentRun], units: list[Unit], base: Path) -> list[Unit]:
    holding = [unit for unit in units if unit.folder and start.folder.is_relative_to(unit.folder)]
    if holding:
        return holding
    reports = [unit for unit in units if unit.folder is None]
    names = start.names(runs)
    above = _folders_of(start.folder, base)
    found = [unit for unit in reports if _plain(unit.agent) in names]
    found = found or [unit for unit in reports if unit.agent in above or unit.job in above]
    called = [unit for unit in found if unit.job in above]
    return called if len(found) > 1 and len(called) == 1 else found


def _folders_of(folder: Path, base: Path) -> set[str]:
    """Names of the folders that hold a run, from ``base`` on."""
    inside = folder.relative_to(base).parts if folder.is_relative_to(base) else ()
    return {*inside, folder.name}


def _attach(unit: Unit, runs: list[AgentRun], log: ImportLog) -> None:
    models = tuple(dict.fromkeys(run.model for run in runs if run.model))
    unit.models = unit.models or models
    for run in runs:
        if run.task in unit.runs:
            log.rows_read += 1
            log.add("dropped", "second trajectory of a trial", run.where)
            continue
        unit.runs[run.task] = run
        graded = any(run.task in file.records for file in unit.files)
        log.rows_read += not graded
        if run.events is not None:
            what = "trajectory joined with its result" if graded else "trajectory without a result of its own"
            log.add("note", what, run.where)


def _own(start: _Start, runs: list[AgentRun], base: Path, log: ImportLog) -> Unit:
    first = runs[0]
    unit = Unit(start.suite, start.agent, start.folder.resolve().name or None, padded=False)
    unit.digest, unit.folder = start.digest, start.folder
    unit.harness, unit.harness_version = first.scaffold, first.version
    for run in runs:
        log.rows_read += 1
        if run.task in unit.runs:
            log.add("dropped", "second trajectory of a trial", run.where)
        else:
            unit.runs[run.task] = run
    unit.models = tuple(dict.fromkeys(run.model for run in runs if run.model))
    what = "trajectories without results: a patch that was handed in has no verdict"
    log.add("note", what, str(start.folder.relative_to(base)) if start.folder.is_relative_to(base) else "")
    return unit


def _tell_apart(units: list[Unit], base: Path) -> None:
    """Call runs of one agent in folders of one name by the paths of these folders."""
    places: dict[tuple[str, str, str | None], list[Unit]] = {}
    for unit in units:
        places.setdefault((unit.suite, unit.digest or "", unit.job), []).append(unit)
    for same in places.values():
        for unit in same if len(same) > 1 else []:
            if unit.folder is not None and unit.folder.is_relative_to(base):
                unit.job = unit.folder.relative_to(base).as_posix()
