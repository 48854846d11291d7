"""METR's YAML files: successes counted by task where the runs are not public, and the horizons it states."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.stated import Stated
from measurand.model.trial import Trial
from measurand.sources.metr.runs import human_time
from measurand.sources.reading.capped_files import read_capped
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = [
    "BARE",
    "Counted",
    "counted_tasks",
    "horizons",
    "is_yaml",
    "read_yaml",
    "release_dates",
    "stated_of_counts",
]

BARE: Final = (".yaml", ".yml")
_MOST: Final = 2**25
_MOST_RUNS: Final = 10_000
"""Runs of an agent on a task: more are no count."""
_LARGEST: Final = 60
"""Binary logarithm of minutes: a horizon that is longer is none."""
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_HEADLINES: Final = {
    "p50_horizon_length": ("50% time horizon", "minutes"),
    "p80_horizon_length": ("80% time horizon", "minutes"),
    "average_score": ("average score", "share"),
}


def is_yaml(file: Path) -> bool:
    """Whether the name says that a file is YAML."""
    return file.name.lower().endswith(BARE)


def read_yaml(file: Path, where: str) -> dict[str, Any]:
    """Read a YAML file of plain values.

    Raises:
        FormatError: not readable, larger than 32 MiB, not YAML, or no mapping.
    """
    data = read_capped(file, where, _MOST)
    try:
        found = yaml.load(data, Loader=_Loader)  # noqa: S506 - a safe loader: plain values only
    except Exception as error:
        raise FormatError(
            f"not readable YAML: {type(error).__name__}",
            where=where,
            hint="the file may be cut; copy it again",
        ) from error
    if not isinstance(found, dict):
        raise FormatError("not a mapping", where=where)
    return found


class Counted(NamedTuple):
    """Successes of an agent on a task."""

    agent: str
    task: str
    family: str | None
    minutes: float | None
    successes: int
    runs: int
    where: str

    def trials(self, suite: str, version: str | None, log: ImportLog) -> Iterator[Trial]:
        """Yield a trial for each run that was counted; which run was which is not known."""
        log.rows_read += self.runs
        for place in range(self.runs):
            yield Trial(
                suite=suite,
                suite_version=version,
                task=self.task,
                family=self.family,
                human_minutes=self.minutes,
                agent=self.agent,
                agent_digest=agent_digest(self.agent),
                trial=str(place + 1),
                outcome=Outcome.COMPLETED,
                verdict=Verdict.PASS if place < self.successes else Verdict.FAIL,
                verdicts={"official": place < self.successes},
                source="metr",
                source_ref=self.where,
            )


def counted_tasks(content: dict[str, Any], where: str, log: ImportLog) -> Iterator[tuple[str, list[Counted]]]:
    """Yield the counts of each agent; one that is no count is dropped."""
    for name, entry in object_of(content.get("agent")).items():
        agent = text(name)
        if agent is None:
            continue
        tasks = []
        for place, task in enumerate(list_of(object_of(entry).get("tasks"))):
            here = f"{where}: {agent}: tasks[{place}]"
            if (counted := _counted(agent, object_of(task), here, log)) is not None:
                tasks.append(counted)
        if tasks:
            log.add(
                "note", "successes counted by task: the order of the runs is not known", f"{where}: {agent}"
            )
        yield agent, tasks


def _counted(agent: str, task: Mapping[str, Any], where: str, log: ImportLog) -> Counted | None:
    name, runs, successes = (
        text(task.get("task_id")),
        whole(task.get("n_runs")),
        whole(task.get("n_successes")),
    )
    if name is None or runs is None or successes is None or not successes <= runs <= _MOST_RUNS:
        log.rows_read += 1
        log.add("dropped", "entry without task_id, n_runs or n_successes that can be counted", where)
        return None
    family = name.partition("/")[0] if "/" in name else None
    return Counted(
        agent, name, family, human_time(task.get("human_minutes"), where, log), successes, runs, where
    )


def stated_of_counts(content: dict[str, Any], where: str) -> Iterator[Stated]:
    """Yield the horizon that the coefficients of an agent's fitted curve state: ``2 ** (-intercept / coefficient)``."""
    for name, entry in object_of(content.get("agent")).items():
        slope, intercept = (number(object_of(entry).get(key)) for key in ("coefficient", "intercept"))
        if text(name) is None or not slope or intercept is None or abs(intercept / slope) > _LARGEST:
            continue
        yield Stated(
            agent=str(text(name)),
            name="50% time horizon",
            value=2.0 ** (-intercept / slope),
            unit="minutes",
            where=f"{where}: agent.{name}: coefficient, intercept",
        )


def horizons(content: dict[str, Any], where: str, names: Mapping[str, str]) -> Iterator[Stated]:
    """Yield the horizons and average scores of ``benchmark_results``; ``names`` gives the agent of each model."""
    for model, entry in object_of(content.get("results")).items():
        metrics = object_of(object_of(entry).get("metrics"))
        for key, (name, unit) in _HEADLINES.items():
            value = number(object_of(metrics.get(key)).get("estimate"))
            if value is not None and text(model) is not None:
                place = f"{where}: results.{model}.metrics.{key}.estimate"
                yield Stated(
                    agent=names.get(str(model), str(text(model))),
                    name=name,
                    value=value,
                    unit=unit,
                    where=place,
                )


def release_dates(content: dict[str, Any]) -> dict[str, dt.datetime]:
    """Model -> when it was released."""
    found = {}
    for model, entry in object_of(content.get("results")).items():
        said = object_of(entry).get("release_date")
        when = time(said.isoformat() if isinstance(said, dt.date) else said)
        if when is not None and isinstance(model, str):
            found[model] = when
    return found
