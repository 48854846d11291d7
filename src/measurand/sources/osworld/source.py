"""Source ``osworld``: result folders of OSWorld, ``SPACE/OBSERVATION/MODEL/DOMAIN/TASK/{result.txt, traj.jsonl}``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.osworld.steps import Steps, events, read_steps
from measurand.sources.reading.capped_files import is_inside, read_capped
from measurand.sources.reading.failure_words import short
from measurand.sources.reading.folder_files import files_below, folders_above, name_below
from measurand.sources.reading.json_lines import first_object
from measurand.sources.reading.loose_values import number
from measurand.sources.reading.sniffed_files import some_named
from measurand.sources.swebench.rows import read_task_ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["OsworldSource"]

_SOURCE: Final = "osworld"
_RESULT: Final = "result.txt"
_STEPS: Final = "traj.jsonl"
_STEP_MARKS: Final = {"step_num", "action_timestamp", "action"}
_LEVELS: Final = 5
_BATCH: Final = 1000
_MOST_OF_A_RESULT: Final = 2**16
_TIME_LIMIT: Final = "time limit exceeded"
_FULL_MARK: Final = 1.0
_WORDS: Final = {"True": 1.0, "False": 0.0}


class OsworldSource:
    """Reads the folders that OSWorld's runners write, one a task."""

    name = _SOURCE
    title = "OSWorld: SPACE/OBSERVATION/MODEL/DOMAIN/TASK/ with result.txt and traj.jsonl"

    def sniff(self, path: Path) -> Match | None:
        """Claim a tree of results, at any level from the top to the folder of a task."""
        found = next((file for file in some_named(path, _STEPS, _LEVELS + 1) if _is_steps(file)), None)
        return Match(93, f"OSWorld: {_STEPS} with step_num and action_timestamp") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each folder of a task. Heeds suite, and tasks (the ids that count).

        Raises:
            FormatError: nothing of OSWorld at ``path``.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors")
        suite = options.suite or _SOURCE
        only = read_task_ids(options.tasks) if options.tasks else None
        trials = _trials(path, suite, only, log)
        while batch := list(islice(trials, _BATCH)):
            yield trials_frame(batch)
        if not log.rows_read:
            raise FormatError(
                "no results of OSWorld",
                where=str(path),
                hint=f"expected SPACE/OBSERVATION/MODEL/DOMAIN/TASK/{_RESULT} or {_STEPS}",
            )
        log.declarations.append(
            Declaration(
                suite=suite, tasks=len(only) if only else None, trials=1, absent_is_fail=only is not None
            )
        )


def _is_steps(file: Path) -> bool:
    """Whether a file has steps of OSWorld, or an error and the result beside it."""
    first = first_object(file) if file.name == _STEPS else {}
    broken = first.keys() == {"Error"} and (file.parent / _RESULT).is_file()
    return first.keys() >= _STEP_MARKS or broken


class _Folder(NamedTuple):
    """Folder of a trial."""

    path: Path
    where: str
    result: Path | None
    steps: Path | None

    @property
    def names(self) -> list[str]:
        """Action space, observation, model, domain and task, as far as there are folders above."""
        return folders_above(self.path, _LEVELS)

    @property
    def job(self) -> str | None:
        """Folders above these five, as far as they are below what is read."""
        return "/".join(self.where.split("/")[:-_LEVELS]) or None


def _folders(path: Path, log: ImportLog) -> Iterator[_Folder]:
    """Folders of trials; a file of one stands for its folder."""
    if path.name in {_RESULT, _STEPS} and path.is_file():
        files = {name: path.parent / name for name in (_RESULT, _STEPS)}
        usable = {n: file for n, file in files.items() if file.is_file() and is_inside(file, path.parent)}
        where = folders_above(path.parent, 1)[0]
        yield _Folder(path.parent, where, usable.get(_RESULT), usable.get(_STEPS))
        return
    found: dict[Path, dict[str, Path]] = {}
    for file in files_below(path, log, _RESULT, _STEPS):
        if file.name in {_RESULT, _STEPS}:
            found.setdefault(file.parent, {})[file.name] = file
    for folder, files in found.items():
        where = name_below(folder, path)
        yield _Folder(folder, where, files.get(_RESULT), files.get(_STEPS))


def _trials(path: Path, suite: str, only: frozenset[str] | None, log: ImportLog) -> Iterator[Trial]:
    counted: dict[str, int] = {}
    for folder in _folders(path, log):
        log.rows_read += 1
        task = folder.names[-1]
        if only is not None and task not in only:
            log.add("dropped", "task that is not in the list of tasks", folder.where)
            continue
        trial = _trial(folder, suite, log)
        counted[trial.agent] = counted.get(trial.agent, 0) + 1
        yield trial
    if len(set(counted.values())) > 1:
        sizes = ", ".join(f"{agent}: {number_}" for agent, number_ in sorted(counted.items()))
        log.add("note", "agents with different numbers of tasks: compare them on tasks that all tried", sizes)


def _trial(folder: _Folder, suite: str, log: ImportLog) -> Trial:
    space, observation, model, domain, task = folder.names
    agent = f"{model} ({space}, {observation})"
    steps = _steps(folder, log)
    score = _score(folder, log)
    ended = _ended(folder, score, steps)
    start = {"task": task, "domain": domain, "agent": agent}
    end = {"outcome": ended.outcome, "verdict": ended.verdict, "reason": ended.reason, "score": score}
    kept = folder.steps
    return Trial(
        suite=suite,
        task=task,
        family=domain or None,
        agent=agent,
        agent_digest=agent_digest(agent, {"model": model, "action_space": space, "observation": observation}),
        model_requested=model or None,
        trial="1",
        job=folder.job,
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=ended.verdict,
        official_score=score,
        quantity=score,
        unit="score",
        better="higher",
        kind="interval",
        baseline=0.0,
        reference=_FULL_MARK,
        steps=steps.steps if folder.steps else None,
        tool_calls=steps.actions if folder.steps else None,
        started_at=steps.first,
        finished_at=steps.last,
        harness=_SOURCE,
        source=_SOURCE,
        source_ref=folder.where,
        trace_digest=None if kept is None else log.trace(lambda: events(kept, folder.where, start, end)),
    )


def _steps(folder: _Folder, log: ImportLog) -> Steps:
    if folder.steps is None:
        log.add("note", f"no {_STEPS}: steps and times are unknown", folder.where)
        return Steps()
    steps = read_steps(folder.steps, folder.where)
    if steps.damaged:
        log.add("note", f"lines of {_STEPS} that cannot be read", folder.where, count=steps.damaged)
    if steps.first and steps.last and steps.last < steps.first:
        log.add("unknown", "the last action is earlier than the first", folder.where)
        return steps._replace(first=None, last=None)
    return steps


def _score(folder: _Folder, log: ImportLog) -> float | None:
    """Score that the evaluation gave, from 0 to 1; earlier versions write a truth value."""
    if folder.result is None:
        return None
    try:
        said = read_capped(folder.result, folder.where, _MOST_OF_A_RESULT).decode("utf-8", errors="replace")
    except FormatError as error:
        log.add("unknown", f"result that cannot be read: {error.what}", folder.where)
        return None
    score = _WORDS.get(said.strip(), number(said))
    if score is None or not 0 <= score <= _FULL_MARK:
        log.add("unknown", "result is no number from 0 to 1", folder.where)
        return None
    return score


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None


def _ended(folder: _Folder, score: float | None, steps: Steps) -> _Ended:
    """Say how a trial ended: by the error that the harness wrote, else by its result and its last step."""
    gate = None if score is None else Verdict.PASS if score >= _FULL_MARK else Verdict.FAIL
    if steps.error is not None:
        if _TIME_LIMIT in steps.error.lower():
            return _Ended(Outcome.AGENT_TIMEOUT, gate or Verdict.FAIL, short(steps.error))
        return _Ended(Outcome.INFRA_ERROR, None, short(steps.error))
    if gate is None:
        if folder.result is not None:
            return _Ended(Outcome.GRADER_ERROR, None, f"{_RESULT} holds no score")
        return _Ended(Outcome.INTERRUPTED, None, f"no {_RESULT}")
    if steps.done is False:
        return _Ended(Outcome.LIMIT, gate, "not ended by the agent: the limit of steps")
    return _Ended(Outcome.COMPLETED, gate)
