"""Trials of a Harbor job: those with a result, each in its folder, and after them those without."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.sources.harbor.config import environment_digest, task_key
from measurand.sources.harbor.jobs import MOST, Plan, listed_trials
from measurand.sources.harbor.meters import meters
from measurand.sources.harbor.outcomes import ending
from measurand.sources.harbor.rewards import Rewards, reward_file, rewards_of
from measurand.sources.harbor.traces import record_trial, trial_events
from measurand.sources.harbor.tree import LOCK, RESULT
from measurand.sources.harbor.unrecorded import Unrecorded
from measurand.sources.reading.capped_files import is_file, read_object
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.loose_values import object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from measurand.model.trial import Trial
    from measurand.sources.harbor.jobs import Job, JobGroup, Listed
    from measurand.sources.harbor.rows import Rows

__all__ = ["job_trials"]

_CHECKSUM: Final = re.compile(r"[0-9a-f]{64}")


def job_trials(group: JobGroup, rows: Rows) -> Iterator[Trial]:
    """Yield the trials of a job: recorded ones first, since they say how agents and tasks are called."""
    plan = Plan(group.job)
    rest = Unrecorded(rows, plan)
    found: set[str] = set()
    unfinished = []
    for folder in group.trials:
        if not is_file(folder / RESULT):
            unfinished.append(folder)
        elif (trial := _finished(folder, rows, plan, found)) is not None:
            found.add(trial.trial)
            yield trial
    for job, listed in _listed(group.jobs, found):
        yield rest.listed(listed, job)
    for folder in unfinished:
        if (trial := rest.unfinished(folder)) is not None:
            yield trial
    for number, planned in enumerate(plan.left(), 1):
        yield rest.missing(planned, number)
    if not plan.size:
        _note_nameless(rows, len(found) + len(unfinished))


def _listed(jobs: Iterable[Job], found: set[str]) -> Iterator[tuple[Job, Listed]]:
    """Trials that a job counts and that have no folder, each once."""
    for job in jobs:
        for listed in listed_trials(job):
            if listed.trial not in found:
                found.add(listed.trial)
                yield job, listed


def _note_nameless(rows: Rows, known: int) -> None:
    """Without a lock only the number of planned trials is known."""
    nameless = (whole(rows.job.result.get("n_total_trials")) or 0) - known
    if nameless > 0:
        what = "planned trials without a record, which nothing names"
        rows.log.add("note", what, rows.job.where, count=nameless)


def _finished(folder: Path, rows: Rows, plan: Plan, found: set[str]) -> Trial | None:
    log, root = rows.log, rows.root
    where = name_below(folder / RESULT, root)
    log.rows_read += 1
    try:
        result = _read_result(folder / RESULT, where, root)
    except FormatError as error:
        log.add("dropped", error.what, where)
        return None
    config = object_of(result.get("config"))
    agent = rows.learn(result)
    rewards = _rewards(folder, result, rows, where)
    ended = ending(result, rewards, rows.choices.keys.get("verdict"), rows.choices.words)
    recording = record_trial(folder, result, root, log)
    suite, version = rows.suite(text(result.get("source")), where)
    name, task = text(result.get("trial_name")) or folder.name, text(result.get("task_name")) or ""
    if name not in found:
        plan.take(object_of(config.get("task")), object_of(config.get("agent")))
    start = {"suite": suite, "task": task, "trial": name, "agent": agent.name, "model": agent.model}
    start |= {"id": text(result.get("id")), "settings": config.get("agent")}
    fields: dict[str, Any] = {
        "suite": suite,
        "suite_version": version,
        "task": task,
        "task_digest": _digest(folder, plan, result, rows),
        "trial": name,
        "job": rows.job.id or text(config.get("job_id")) or rows.job.name,
        "environment_digest": environment_digest(config),
        **meters(result, recording.used, rows.attempts(name, where), log, where),
    }
    if recording.parts:
        fields["trace_digest"] = log.trace(lambda: trial_events(recording, start, result, ended, root))
    return rows.build(agent, ended, rewards, where, fields)


def _read_result(file: Path, where: str, root: Path) -> dict[str, Any]:
    result = read_object(file, where, root, MOST)
    if not text(result.get("task_name")):
        raise FormatError("there is no task_name", where=where)
    return result


def _rewards(folder: Path, result: dict[str, Any], rows: Rows, where: str) -> Rewards:
    """Rewards of a result. The file that the verifier itself wrote should say the same."""
    rewards = rewards_of(result)
    for key in rewards.unusable:
        rows.log.add("unknown", "reward that is no finite number", f"{where}: {key}")
    if more := sorted(set(rewards.values) - {rewards.key, *rows.choices.keys.values()}):
        note = f"rewards not used: {', '.join(more)} (--map quantity=KEY names one)"
        rows.log.add("note", note, where)
    if rewards.values and not result.get("step_results"):
        said = reward_file(folder, rows.root)
        if said is not None and said.values != rewards.values:
            rows.log.add("note", "the verifier's file and the result differ; the result holds", where)
    return rewards


def _digest(folder: Path, plan: Plan, result: dict[str, Any], rows: Rows) -> str | None:
    """Digest of the task: as the lock of the trial or of the job has it, else the checksum of older results."""
    own: dict[str, Any] = {}
    file = folder / LOCK
    if is_file(file):
        try:
            own = read_object(file, name_below(file, rows.root), rows.root, MOST)
        except FormatError as error:
            rows.log.add("note", f"{LOCK} of a trial: {error.what}", error.where)
    key = task_key(object_of(object_of(result.get("config")).get("task")))
    if digest := text(object_of(own.get("task")).get("digest")) or plan.digests.get(key):
        return digest
    checksum = text(result.get("task_checksum"))
    return f"sha256:{checksum}" if checksum and _CHECKSUM.fullmatch(checksum) else checksum
