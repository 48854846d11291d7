"""Source ``metr``: METR's runs behind its time horizons, and its counts of successes where the runs are not public."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.metr.results import (
    BARE,
    counted_tasks,
    horizons,
    is_yaml,
    read_yaml,
    release_dates,
    stated_of_counts,
)
from measurand.sources.metr.runs import Setting, Versions, run_trial, suite_version
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lines import first_object, read_lines
from measurand.sources.reading.loose_values import text

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.stated import Stated
    from measurand.model.trial import Trial

__all__ = ["MetrSource"]

_SUITE: Final = "metr_time_horizons"
_MARKS: Final = {"score_binarized", "human_minutes", "alias"}
_COUNT_MARKS: Final = (b"agent:", b"n_successes:", b"n_runs:", b"human_minutes:")
_RESULT_MARKS: Final = (b"results:", b"horizon_length:")
_BATCH: Final = 10_000


class MetrSource:
    """Reads ``runs.jsonl``, ``task_results_*.yaml`` and, for headline numbers and dates, ``benchmark_results_*.yaml``."""

    name = "metr"
    title = "METR time horizons: runs.jsonl, and task_results and benchmark_results (YAML)"

    def sniff(self, path: Path) -> Match | None:
        """Claim runs, counts of successes, or a folder that holds some (at its top or one folder below)."""
        if any(_is_runs(file) for file in some_files(path, ".jsonl")):
            return Match(95, "runs with score_binarized and human_minutes")
        if any(_holds(file, _COUNT_MARKS) for file in some_files(path, *BARE)):
            return Match(92, "counts of successes by agent and task, with human_minutes")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each run. Heeds suite.

        Raises:
            FormatError: nothing of METR at ``path``, or a file that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        files = _Files(path, log)
        if not (files.runs or files.counts):
            raise FormatError(
                "no runs of METR",
                where=str(path),
                hint="expected JSON Lines with score_binarized and human_minutes, or task_results_*.yaml",
            )
        suite = options.suite or _SUITE
        trials = _Reader(files, suite, log).trials()
        while batch := list(islice(trials, _BATCH)):
            yield trials_frame(batch)

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the horizons and average scores that the files state."""
        log = ImportLog(self.name, str(path))
        files = _Files(path, log)
        names = {
            model: alias
            for file in files.runs
            for line in read_lines(file, file.name)
            if line.value
            and (model := text(line.value.get("model")))
            and (alias := text(line.value.get("alias")))
        }
        for file in files.results:
            yield from horizons(read_yaml(file, name_below(file, path)), name_below(file, path), names)
        for file in files.counts:
            yield from stated_of_counts(read_yaml(file, name_below(file, path)), name_below(file, path))


def _is_runs(file: Path) -> bool:
    return file.name.lower().endswith(".jsonl") and first_object(file).keys() >= _MARKS


def _holds(file: Path, marks: tuple[bytes, ...]) -> bool:
    return is_yaml(file) and all(mark in head(file) for mark in marks)


class _Files:
    """What is to be read, by kind."""

    def __init__(self, path: Path, log: ImportLog) -> None:
        self.path = path
        self.runs: list[Path] = []
        self.counts: list[Path] = []
        self.results: list[Path] = []
        for file in files_below(path, log, ".jsonl", *BARE):
            if _is_runs(file):
                self.runs.append(file)
            elif _holds(file, _COUNT_MARKS):
                self.counts.append(file)
            elif _holds(file, _RESULT_MARKS):
                self.results.append(file)
            elif file != path:
                log.add("note", "file that is nothing of METR: not read", name_below(file, path))


class _Reader:
    """Reads all files of one import."""

    def __init__(self, files: _Files, suite: str, log: ImportLog) -> None:
        self.files = files
        self.suite = suite
        self.log = log
        self.released: dict[str, dt.datetime] = {}
        for file in files.results:
            try:
                self.released |= release_dates(read_yaml(file, self._where(file)))
            except FormatError as error:
                log.add("note", f"results that cannot be read: {error.what}", self._where(file))
        self.agents: set[str] = set()

    def trials(self) -> Iterator[Trial]:
        versions = Versions()
        for file in self.files.runs:
            where = self._where(file)
            setting = Setting(self.suite, suite_version(file), self.released)
            for line in read_lines(file, where):
                self.log.rows_read += 1
                if line.value is None:
                    self.log.add("dropped", f"line {line.why}", line.where)
                    continue
                trial = run_trial(line.value, setting, line.where, self.log)
                if trial is not None:
                    self.agents.add(trial.agent)
                    versions.see(line.value, line.where, self.log)
                    yield trial
        yield from self._counted()

    def _counted(self) -> Iterator[Trial]:
        for file in self.files.counts:
            where = self._where(file)
            try:
                content = read_yaml(file, where)
            except FormatError as error:
                if file == self.files.path:
                    raise
                self.log.rows_read += 1
                self.log.add("dropped", f"counts that cannot be read: {error.what}", where)
                continue
            for agent, tasks in counted_tasks(content, where, self.log):
                if agent in self.agents:
                    self.log.add(
                        "note", "counts of an agent whose runs are here: not read", f"{where}: {agent}"
                    )
                    continue
                for task in tasks:
                    yield from task.trials(self.suite, suite_version(file), self.log)

    def _where(self, file: Path) -> str:
        return name_below(file, self.files.path)
