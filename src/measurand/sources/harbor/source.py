"""Source ``harbor``: jobs and trials of Harbor, the harness of Terminal-Bench 2, and trajectories in its format ATIF."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError, UsageError
from measurand.model.imports import Declaration
from measurand.model.stated import Stated
from measurand.model.table import conform, trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.harbor.config import agent_of
from measurand.sources.harbor.documents import document_trials
from measurand.sources.harbor.jobs import Job, eval_parts, groups, read_job
from measurand.sources.harbor.rows import Choices, Rows
from measurand.sources.harbor.tree import Trees, find, recognise
from measurand.sources.harbor.trials import job_trials
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole
from measurand.sources.reading.outcome_words import outcome_words
from measurand.sources.reading.suite_names import name_and_version
from measurand.sources.table.anchors import join_anchors, read_anchors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from measurand.model.trial import Trial

__all__ = ["HarborSource"]

_BATCH: Final = 500
_KEYS: Final = ("verdict", "quantity", "official_score")
"""Fields that a key of the rewards may fill."""
_CONSTANTS: Final = ("unit", "better", "kind")
_METRICS: Final = ("mean", "sum", "min", "max")


class HarborSource:
    """Reads what Harbor writes: folders of jobs and of trials, and ATIF documents of any agent."""

    name = "harbor"
    title = "Harbor (Terminal-Bench 2): folders of jobs and trials; ATIF trajectories"

    def sniff(self, path: Path) -> Match | None:
        """Claim a job, a trial, an ATIF document, or a folder that holds some."""
        what = recognise(path)
        return Match(95, f"Harbor: {what}") if what else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each one recorded, counted or planned, job by job.

        Heeds suite (``NAME`` or ``NAME@VERSION``, where the data do not say), mapping (verdict, quantity and
        official_score to a key of the rewards), constants (unit, better, kind), outcomes (exception to outcome) and
        anchors.

        Raises:
            FormatError: nothing of Harbor at ``path``.
            UsageError: an option that has no use here.
        """
        refuse_options(options, self.name, "tasks")
        choices = _choices(options)
        anchors = read_anchors(options.anchors) if options.anchors else None
        trees = find(path, log)
        if not (trees.jobs or trees.documents):
            raise FormatError(
                "no jobs, trials or trajectories of Harbor",
                where=str(path),
                hint="expected folders with result.json, config.json or lock.json, or ATIF documents (*.json)",
            )
        rows = _trials(trees, choices, log)
        while batch := list(islice(rows, _BATCH)):
            frame = trials_frame(batch)
            yield frame if anchors is None else conform(join_anchors(frame, anchors))

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield what the results of jobs state themselves.

        Harbor's means are over trials with a reward that counts; its ``n_trials`` is their number.
        """
        log = ImportLog(self.name, str(path))
        trees = find(path, log)
        for folder in trees.jobs:
            yield from _stated(read_job(folder, trees.root, log))


def _choices(options: ReadOptions) -> Choices:
    for given, known, flag in (
        (options.mapping, _KEYS, "--map"),
        (options.constants, _CONSTANTS, "--set"),
    ):
        if unknown := sorted(set(given) - set(known)):
            raise UsageError(
                f"{flag} {unknown[0]}: the source 'harbor' has no use for it",
                hint=f"{flag} takes {', '.join(known)}"
                + (" and a key of the rewards" if flag == "--map" else ""),
            )
    suite, version = name_and_version(options.suite)
    return Choices(suite, version, options.mapping, options.constants, outcome_words(options.outcomes))


def _trials(trees: Trees, choices: Choices, log: ImportLog) -> Iterator[Trial]:
    planned: dict[tuple[str, str | None], tuple[set[str], set[int | None]]] = {}
    for group in groups(trees.jobs, trees.root, log):
        rows = Rows(group.job, trees.root, choices, log)
        yield from job_trials(group, rows)
        for versioned, tasks in rows.suites.items():
            known, trials = planned.setdefault(versioned, (set(), set()))
            known |= tasks
            trials.add(whole(group.job.config.get("n_attempts")))
    yield from document_trials(trees.documents, trees.root, choices, log)
    for (suite, version), (tasks, trials) in planned.items():
        log.declarations.append(
            Declaration(
                suite=suite,
                suite_version=version,
                tasks=len(tasks),
                trials=next(iter(trials)) if len(trials) == 1 else None,
            )
        )


def _stated(job: Job) -> Iterator[Stated]:
    where = f"{job.where}/result.json"
    for key, stats in job.evals.items():
        agent = _agent(job, key)
        for name, value, unit in _numbers(stats, plain=not list_of(job.config.get("metrics"))):
            yield Stated(agent=agent, name=name, value=value, unit=unit, where=f"{where}: {key}")
    cost = number(job.stats.get("cost_usd"))
    if cost is not None and len(job.evals) == 1:
        agent = _agent(job, next(iter(job.evals)))
        yield Stated(agent=agent, name="cost", value=cost, unit="USD", where=f"{where}: cost_usd")


def _agent(job: Job, key: str) -> str:
    """Name of the agent that a job counts under ``key``, as its trials have it."""
    scaffold, model, _ = eval_parts(key)
    settings: Mapping[str, object] = next(
        (
            config
            for config in map(object_of, list_of(job.config.get("agents")))
            if model and f"/{text(config.get('model_name'))}".endswith(f"/{model}")
        ),
        {},
    )
    return agent_of({"name": scaffold, "model_info": {"name": model}}, settings).name


def _numbers(stats: dict[str, object], *, plain: bool) -> Iterator[tuple[str, float, str]]:
    """Numbers of one evaluation: name, value, unit. With the plain metrics each named reward has its mean."""
    for metrics in list_of(stats.get("metrics")):
        for name, value in object_of(metrics).items():
            worth = number(value)
            if worth is not None:
                label = f"{name} reward" if name in _METRICS else f"mean {name}" if plain else name
                yield label, worth, ""
    for k, value in object_of(stats.get("pass_at_k")).items():
        worth = number(value)
        if worth is not None:
            yield f"pass@{k}", worth, "share"
    for name, label in (("n_trials", "trials with a reward"), ("n_errors", "trials with an exception")):
        count = number(stats.get(name))
        if count is not None:
            yield label, count, ""
