"""Source ``agentbench``: outputs of AgentBench's harness, ``AGENT/TASK_SET/{runs.jsonl, error.jsonl, overall.json}``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.sources.agentbench.folders import RUNS, Folder, find_folders, is_runs, read_overall
from measurand.sources.agentbench.samples import SOURCE, Sample, failed_trial, sample_trial, task_set
from measurand.sources.agentbench.sets import main_metric
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.json_lines import Line, read_lines
from measurand.sources.reading.loose_values import text, whole
from measurand.sources.reading.sniffed_files import some_named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.trial import Trial

__all__ = ["AgentbenchSource"]

_BATCH: Final = 500


class AgentbenchSource:
    """Reads the folders that AgentBench's assigner writes, those of MedAgentBench included."""

    name = SOURCE
    title = "AgentBench: AGENT/TASK_SET/runs.jsonl with overall.json and error.jsonl"

    def sniff(self, path: Path) -> Match | None:
        """Claim ``runs.jsonl``, or a folder that holds one (up to two folders below)."""
        found = next((file for file in some_named(path, RUNS, 2) if is_runs(file)), None)
        return Match(95, f"{found.name} with index, error, output and time") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each sample. Heeds suite.

        Raises:
            FormatError: nothing of AgentBench at ``path``, or runs that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        trials = (
            trial
            for folder in find_folders(path, log)
            for trial in _Reader(folder, options.suite, path, log).trials()
        )
        while batch := list(islice(trials, _BATCH)):
            yield trials_frame(batch)
        if not log.rows_read:
            hint = f"expected AGENT/TASK_SET/{RUNS} with index and output"
            raise FormatError("no runs of AgentBench", where=str(path), hint=hint)

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the main metric of each task set, as ``overall.json`` states it."""
        for folder in find_folders(path, ImportLog(self.name, str(path))):
            if folder.overall is not None:
                where = _where(folder.overall, path)
                found = main_metric(read_overall(folder.overall, where).custom, folder.name)
                if found is not None:
                    name, place = f"{folder.name}: {found[0]}", f"{where}: custom.{found[0]}"
                    yield Stated(agent=folder.agent, name=name, value=found[1], unit="share", where=place)


def _where(file: Path, root: Path) -> str:
    return name_below(file, root) if root.is_dir() else name_below(file, file)


class _Reader:
    """Reads the samples of one agent on one task set."""

    def __init__(self, folder: Folder, suite: str | None, root: Path, log: ImportLog) -> None:
        self.folder = folder
        self.root = root
        self.log = log
        above = _where(folder.path, root).split("/")[:-2] if root.is_dir() else []
        self.of = task_set(folder.agent, folder.name, suite, "/".join(above) or None)
        self.failures: dict[str, list[Line]] = {}
        self.seen: set[str] = set()

    def trials(self) -> Iterator[Trial]:
        judged = self._judged()
        self._read_failures()
        if self.folder.runs is not None:
            for line, index in self._samples(self.folder.runs):
                failed = len(self.failures.pop(index, ()))
                value: dict[str, Any] = line.value or {}
                sample = Sample(value, index, line.where, failed + 1, judged.get(index))
                yield sample_trial(sample, self.of, self.log)
        yield from self._never_finished()
        declared = Declaration(suite=self.of.suite, suite_version=self.of.split, trials=1)
        if declared not in self.log.declarations:
            self.log.declarations.append(declared)

    def _judged(self) -> dict[str, str]:
        file = self.folder.overall
        if file is None:
            return {}
        where = _where(file, self.root)
        try:
            overall = read_overall(file, where)
        except FormatError as error:
            self.log.add("note", f"overall results that cannot be read: {error.what}", where)
            return {}
        total = whole(overall.total)
        if total is not None and overall.judged and total != len(overall.judged):
            self.log.add(
                "note", f"total is {total}, but {len(overall.judged)} samples are listed as graded", where
            )
        return overall.judged

    def _samples(self, file: Path) -> Iterator[tuple[Line, str]]:
        """Lines with an index; where an index stands twice, the first counts, as it does for the harness."""
        for line in read_lines(file, _where(file, self.root)):
            self.log.rows_read += 1
            index = text((line.value or {}).get("index"))
            if line.value is None or index is None:
                self.log.add("dropped", f"line {line.why or 'without index'}", line.where)
            elif index in self.seen:
                self.log.add("dropped", "sample that stands twice: the first holds", line.where)
            else:
                self.seen.add(index)
                yield line, index

    def _read_failures(self) -> None:
        """Starts that failed. The harness tries again, so that they are attempts of the trial that came of it."""
        if self.folder.errors is None:
            return
        for line in read_lines(self.folder.errors, _where(self.folder.errors, self.root)):
            index = text((line.value or {}).get("index"))
            if line.value is None or index is None:
                self.log.rows_read += 1
                self.log.add("dropped", f"line {line.why or 'without index'}", line.where)
            else:
                self.log.add("note", "start that failed: counted as an attempt", line.where)
                self.failures.setdefault(index, []).append(line)

    def _never_finished(self) -> Iterator[Trial]:
        for index, lines in self.failures.items():
            self.log.rows_read += 1
            last = lines[-1]
            yield failed_trial(Sample(last.value or {}, index, last.where, len(lines)), self.of)
