"""Source ``terminal_bench``: runs of Terminal-Bench's first harness (Terminal-Bench 2 runs in Harbor)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.loose_values import number, object_of
from measurand.sources.reading.outcome_words import outcome_words
from measurand.sources.reading.suite_names import name_and_version
from measurand.sources.terminal_bench.runs import SUITE, RunFiles, read_run
from measurand.sources.terminal_bench.tree import find, recognise
from measurand.sources.terminal_bench.trials import Suite, run_trials

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from measurand.model.outcomes import Outcome
    from measurand.model.trial import Trial

__all__ = ["TerminalBenchSource"]

_BATCH: Final = 2_000
_NUMBERS: Final = (("accuracy", "share"), ("n_resolved", ""), ("n_unresolved", ""))


class TerminalBenchSource:
    """Reads runs: ``results.json`` of a run in its layouts, its metadata and lock, and folders of trials."""

    name = "terminal_bench"
    title = "Terminal-Bench 1: results.json of runs and trials, run_metadata.json, tb.lock, recordings"

    def sniff(self, path: Path) -> Match | None:
        """Claim results of a run or a trial, or a folder that holds some."""
        what = recognise(path)
        return Match(95, f"Terminal-Bench: {what}") if what else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each one recorded, counted or planned, run by run.

        Heeds suite (``NAME`` or ``NAME@VERSION``, where the data do not say) and outcomes (failure mode to outcome).

        Raises:
            FormatError: nothing of Terminal-Bench at ``path``.
        """
        refuse_options(options, self.name, "mapping", "constants", "anchors", "tasks")
        words = outcome_words(options.outcomes)
        rows = _trials(path, options, words, log)
        count = 0
        while batch := list(islice(rows, _BATCH)):
            count += len(batch)
            yield trials_frame(batch)
        if not count:
            raise FormatError(
                "no results of Terminal-Bench",
                where=str(path),
                hint="expected results.json with task_id, is_resolved and failure_mode",
            )

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield what runs state themselves: accuracy over the records of the run, counts, and pass@k."""
        log = ImportLog(self.name, str(path))
        root, runs = find(path, log)
        for run in runs:
            yield from _stated(read_run(run, root, log))


def _trials(
    path: Path, options: ReadOptions, words: Mapping[str, Outcome], log: ImportLog
) -> Iterator[Trial]:
    root, runs = find(path, log)
    planned: dict[tuple[str, str | None], tuple[set[str], set[int | None]]] = {}
    for run in runs:
        files = read_run(run, root, log)
        suite = _suite(files, options, words, log)
        tasks, trials = planned.setdefault((suite.name, suite.version), (set(), set()))
        trials.add(files.attempts)
        for trial in run_trials(files, run.trials, suite, log):
            tasks.add(trial.task)
            yield trial
    for (name, version), (tasks, trials) in planned.items():
        times = next(iter(trials)) if len(trials) == 1 else None
        log.declarations.append(
            Declaration(suite=name, suite_version=version, tasks=len(tasks), trials=times)
        )


def _suite(run: RunFiles, options: ReadOptions, words: Mapping[str, Outcome], log: ImportLog) -> Suite:
    name, version = run.dataset()
    wanted, wanted_version = name_and_version(options.suite)
    if name is None:
        if wanted is None:
            log.add(
                "note", "the data do not say which data set: give it with --suite NAME@VERSION", run.where
            )
        return Suite(wanted or SUITE, wanted_version, words)
    if wanted not in {None, name}:
        log.add("note", f"the data say {name}: --suite {wanted} is not used", run.where)
    return Suite(name, version, words)


def _stated(run: RunFiles) -> Iterator[Stated]:
    agent = run.agent().name
    of_run = run.results or run.metadata
    for name, unit in _NUMBERS:
        value = number(of_run.get(name))
        if value is not None:
            yield Stated(agent=agent, name=name, value=value, unit=unit, where=f"{run.where}: {name}")
    for k, share in object_of(of_run.get("pass_at_k")).items():
        value = number(share)
        if value is not None:
            yield Stated(
                agent=agent, name=f"pass@{k}", value=value, unit="share", where=f"{run.where}: pass_at_k"
            )
