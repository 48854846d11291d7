"""What the files of a Harbor job say beside its trials: what was planned, what was retried, what each trial was worth."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.sources.harbor.config import ADHOC, agent_key, task_key
from measurand.sources.harbor.tree import CONFIG, LOCK, RESULT
from measurand.sources.reading.capped_files import is_file, is_inside, read_capped, read_object
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog
    from measurand.sources.harbor.tree import JobFolder

__all__ = [
    "MOST",
    "Job",
    "JobGroup",
    "Listed",
    "Plan",
    "Planned",
    "eval_parts",
    "groups",
    "listed_trials",
    "read_job",
    "short_name",
]

_LOG: Final = "job.log"
MOST: Final = 2**28
"""Bytes that a JSON file of a job or trial may have."""
_MOST_OF_A_LOG: Final = 2**27
_RETRY: Final = re.compile(rb"^Trial (\S+) failed with exception .*Retrying in ", re.MULTILINE)
_NAME: Final = re.compile(r"(.+)__[0-9A-Za-z]+")
"""A trial is named by the beginning of its task's name and random letters."""
_SHORTENED: Final = 32


@dataclass(frozen=True, slots=True)
class Job:
    """The files of a job; what is absent or unreadable is empty."""

    where: str
    result: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    lock: dict[str, Any] = field(default_factory=dict)
    retries: Counter[str] | None = None
    """Trial -> attempts that were thrown away; ``None`` when the job does not say of which trials."""

    @property
    def id(self) -> str | None:
        """Id of the job; a resumed job keeps it."""
        return text(self.result.get("id"))

    @property
    def name(self) -> str | None:
        """Name of the job."""
        return text(self.config.get("job_name"))

    @property
    def harness_version(self) -> str | None:
        """Version of Harbor that began the job."""
        return text(object_of(self.lock.get("harbor")).get("version"))

    @property
    def stats(self) -> dict[str, Any]:
        """What the job itself counts."""
        return object_of(self.result.get("stats"))

    @property
    def evals(self) -> dict[str, dict[str, Any]]:
        """Statistics of each agent on each dataset, by the job's own key."""
        found = object_of(self.stats.get("evals"))
        return {key: value for key, value in found.items() if isinstance(value, dict)}


@dataclass(slots=True)
class JobGroup:
    """One job, which may stand in several folders: before and after it was resumed, or copied in part."""

    jobs: list[Job]
    trials: list[Path]
    """Folders of trials."""

    @property
    def job(self) -> Job:
        """The job as it was furthest on."""
        return max(self.jobs, key=lambda job: whole(job.stats.get("n_completed_trials")) or 0)


class Planned(NamedTuple):
    """A trial that the lock of a job names."""

    task: dict[str, Any]
    agent: dict[str, Any]
    lock: dict[str, Any]


class Listed(NamedTuple):
    """A trial as the statistics of its job have it."""

    trial: str
    eval: str
    """The job's key of agent, model and dataset."""
    rewards: dict[str, float]
    exceptions: tuple[str, ...]


class Plan:
    """Trials that were planned and have not been found."""

    def __init__(self, job: Job) -> None:
        self._open: dict[tuple[str, bytes], list[Planned]] = {}
        self.digests: dict[str, str] = {}
        """Task -> digest of its content."""
        self.size = 0
        for entry in list_of(job.lock.get("trials")):
            if isinstance(entry, dict):
                one = Planned(object_of(entry.get("task")), object_of(entry.get("agent")), entry)
                self._open.setdefault((task_key(one.task), agent_key(one.agent)), []).append(one)
                self.size += 1
                if digest := text(one.task.get("digest")):
                    self.digests.setdefault(task_key(one.task), digest)

    def take(self, task: dict[str, Any], agent: dict[str, Any]) -> Planned | None:
        """Strike a trial off the plan, one of this task and agent, or else of this task; ``None`` if none is left."""
        wanted = task_key(task)
        keys = [(wanted, agent_key(agent)), *(key for key in self._open if key[0] == wanted)]
        return self._pop(next((key for key in keys if self._open.get(key)), None))

    def take_named(self, trial: str) -> Planned | None:
        """Strike off the trial whose task a trial of this name is of; ``None`` if none or several fit."""
        short = short_name(trial)
        fitting = [key for key, left in self._open.items() if left and _shortened(left[0].task) == short]
        return self._pop(fitting[0] if len({key[0] for key in fitting}) == 1 else None)

    def _pop(self, key: tuple[str, bytes] | None) -> Planned | None:
        return None if key is None else self._open[key].pop()

    def left(self) -> Iterator[Planned]:
        """Yield what is left."""
        for entries in self._open.values():
            yield from entries


def short_name(trial: str) -> str:
    """Beginning of the task's name, from the name of a trial."""
    found = _NAME.fullmatch(trial)
    return found[1] if found else trial


def _shortened(task: dict[str, Any]) -> str:
    name = (text(task.get("name")) or task_key(task)).rpartition("/")[2]
    return name[:_SHORTENED].rstrip("_-")


def read_job(folder: JobFolder, root: Path, log: ImportLog) -> Job:
    """Read the files of a job. What cannot be read is noted: the trials have what matters most."""
    where = name_below(folder.folder, root) if folder.folder != root else folder.folder.name
    if not folder.is_job:
        return Job(where)
    parts: dict[str, dict[str, Any]] = {}
    for name in (RESULT, CONFIG, LOCK):
        file = folder.folder / name
        place = name_below(file, root)
        try:
            parts[name] = read_object(file, place, root, MOST) if is_file(file) else {}
        except FormatError as error:
            log.add("note", f"{name} of the job: {error.what}", place)
            parts[name] = {}
    retried = whole(object_of(parts[RESULT].get("stats")).get("n_retries"))
    return Job(where, parts[RESULT], parts[CONFIG], parts[LOCK], _retries(folder.folder, root, retried))


def groups(folders: Iterable[JobFolder], root: Path, log: ImportLog) -> list[JobGroup]:
    """Read the files of all jobs, and put together what is one job by its id."""
    found: dict[str, JobGroup] = {}
    for place, folder in enumerate(folders):
        job = read_job(folder, root, log)
        group = found.setdefault(job.id or f"#{place}", JobGroup([], []))
        group.jobs.append(job)
        group.trials += folder.trials
    return list(found.values())


def _retries(folder: Path, root: Path, retried: int | None) -> Counter[str] | None:
    """Count the retries of each trial by the log of the job, where they come to as many as the job counts."""
    if not retried:
        return None if retried is None else Counter()
    file = folder / _LOG
    if not (is_file(file) and is_inside(file, root)):
        return None
    try:
        lines = read_capped(file, _LOG, _MOST_OF_A_LOG)
    except FormatError:
        return None
    counts = Counter(name.decode("utf-8", errors="replace") for name in _RETRY.findall(lines))
    return counts if counts.total() == retried else None


def listed_trials(job: Job) -> list[Listed]:
    """Trials that the statistics of the job name, with their rewards and exceptions, in the order of their names."""
    found: dict[str, Listed] = {}
    for key, stats in job.evals.items():
        for reward, by_value in object_of(stats.get("reward_stats")).items():
            for value, names in object_of(by_value).items():
                worth = number(value)
                for name in filter(None, map(text, list_of(names))):
                    one = found.setdefault(name, Listed(name, key, {}, ()))
                    if worth is not None:
                        one.rewards[reward] = worth
        for exception, names in object_of(stats.get("exception_stats")).items():
            for name in filter(None, map(text, list_of(names))):
                one = found.setdefault(name, Listed(name, key, {}, ()))
                found[name] = one._replace(exceptions=(*one.exceptions, exception))
    return [found[name] for name in sorted(found)]


def eval_parts(key: str) -> tuple[str, str | None, str | None]:
    """Scaffold, model and dataset of a job's key of an evaluation; tasks without a dataset have none."""
    scaffold, *middle = key.split("__")
    dataset = middle.pop() if middle else None
    return scaffold, "__".join(middle) or None, None if dataset in {None, ADHOC} else dataset
