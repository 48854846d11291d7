"""Source ``mle_bench``: grading reports of MLE-bench, the table of run groups, and normalised results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.mle_bench.reports import SOURCE, Place, flagged_trial, report_trial
from measurand.sources.reading.capped_files import read_capped
from measurand.sources.reading.csv_records import has_columns, read_csv
from measurand.sources.reading.folder_files import files_below, folders_above, name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lines import first_object, read_lines
from measurand.sources.reading.loose_json import decode
from measurand.sources.reading.loose_values import number, text
from measurand.sources.swebench.rows import read_task_ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.trial import Trial

__all__ = ["MleBenchSource"]

_KEY: Final = "competition_reports"
_RECORD: Final = ("competition_id", "is_lower_better", "any_medal")
_GROUPS: Final = ("experiment_id", "run_group")
_BATCH: Final = 10_000
_MOST: Final = 2**28
_TOTALS: Final = {
    "total_runs": "runs",
    "total_medals": "medals",
    "total_gold_medals": "gold medals",
    "total_above_median": "above median",
    "total_valid_submissions": "valid submissions",
}
"""Key of a report -> what it states."""


class MleBenchSource:
    """Reads ``*grading_report*.json``, ``run_group_experiments.csv`` and normalised JSON Lines."""

    name = SOURCE
    title = "MLE-bench: grading reports of run groups, with run_group_experiments.csv; normalised results"

    def sniff(self, path: Path) -> Match | None:
        """Claim a report, a graded record, normalised results, or a folder that holds some."""
        kinds = {_kind(file) for file in some_files(path, ".json", ".jsonl")} - {None}
        return Match(95, f"MLE-bench: {', '.join(sorted(map(str, kinds)))}") if kinds else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each record of a report. Heeds suite, and tasks (the competitions that count).

        Raises:
            FormatError: nothing of MLE-bench at ``path``, or a file that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors")
        reader = _Reader(path, options, log)
        trials = list(reader.trials())
        if not log.rows_read:
            raise FormatError(
                "no grading report of MLE-bench", where=str(path), hint=f"expected JSON with {_KEY!r}"
            )
        reader.declare()
        for start in range(0, len(trials), _BATCH):
            yield trials_frame(trials[start : start + _BATCH])

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the totals of the reports, those of all run groups of an agent added up."""
        log = ImportLog(self.name, str(path))
        files = _Files(path, log)
        sums: dict[tuple[str, str], list[tuple[float, str]]] = {}
        for report in files.reports:
            content = _load(report, files.where(report))
            for key, name in _TOTALS.items():
                value = number(content.get(key))
                if value is not None and _KEY in content:
                    agent = files.group(report).agent
                    sums.setdefault((agent, name), []).append((value, f"{files.where(report)}: {key}"))
        for (agent, name), parts in sums.items():
            more = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
            yield Stated(
                agent=agent, name=name, value=sum(value for value, _ in parts), where=parts[0][1] + more
            )


def _kind(file: Path) -> str | None:
    if file.name.lower().endswith(".jsonl"):
        first = first_object(file)
        return "normalised results" if first.get("benchmark") == "mlebench" and "task_id" in first else None
    if not file.name.lower().endswith(".json"):
        return None
    start = head(file)
    if f'"{_KEY}"'.encode() in start:
        return "grading report"
    return "graded record" if all(f'"{key}"'.encode() in start for key in _RECORD) else None


def _load(file: Path, where: str) -> dict[str, Any]:
    content = decode(read_capped(file, where, _MOST), where)
    if not isinstance(content, dict):
        raise FormatError("not a JSON object", where=where)
    return content


class _Group(NamedTuple):
    """A run group and the experiment that it is part of."""

    agent: str
    job: str | None
    named: bool
    """Whether the table of run groups names the experiment."""


class _Files:
    """What is to be read, by kind; reports in the order of their run groups, as MLE-bench takes them."""

    def __init__(self, path: Path, log: ImportLog) -> None:
        self.path = path
        self.reports: list[Path] = []
        self.flags: list[Path] = []
        self.experiments: dict[str, str] = {}
        for file in files_below(path, log, ".json", ".jsonl", ".csv"):
            self._sort(file, log)

    def _sort(self, file: Path, log: ImportLog) -> None:
        name = file.name.lower()
        if name.endswith(".csv"):
            if has_columns(file, *_GROUPS):
                self._read_groups(file)
        elif (kind := _kind(file)) is None:
            if file != self.path:
                log.add("note", "JSON file that is nothing of MLE-bench: not read", self.where(file))
        else:
            (self.flags if kind == "normalised results" else self.reports).append(file)

    def _read_groups(self, file: Path) -> None:
        for record in read_csv(file, self.where(file), ImportLog(SOURCE, str(file))):
            experiment, group = (text(record.cells.get(name)) for name in _GROUPS)
            if experiment and group:
                self.experiments[group] = experiment

    def where(self, file: Path) -> str:
        return name_below(file, self.path)

    def group(self, report: Path) -> _Group:
        group = folders_above(report.parent, 1)[0]
        experiment = self.experiments.get(group)
        return _Group(experiment or group or SOURCE, group or None, named=experiment is not None)


class _Reader:
    """Reads all files of one import."""

    def __init__(self, path: Path, options: ReadOptions, log: ImportLog) -> None:
        self.files = _Files(path, log)
        self.suite = options.suite or SOURCE
        self.only = read_task_ids(options.tasks) if options.tasks else None
        self.log = log
        self.seeds: dict[tuple[str, str], int] = {}

    def trials(self) -> Iterator[Trial]:
        for report in self.files.reports:
            try:
                content = _load(report, self.files.where(report))
            except FormatError as error:
                if report == self.files.path:
                    raise
                self.log.rows_read += 1
                self.log.add("dropped", f"report that cannot be read: {error.what}", self.files.where(report))
                continue
            yield from filter(None, self._report(report, content))
        for file in self.files.flags:
            yield from filter(None, self._flags(file))

    def _report(self, report: Path, content: dict[str, Any]) -> Iterator[Trial | None]:
        where, group = self.files.where(report), self.files.group(report)
        if not group.named:
            self.log.add("note", "no table names the experiment: the run group stands for the agent", where)
        listed = content.get(_KEY, content)
        records = [content] if listed is content else listed
        if not isinstance(records, list):
            raise FormatError(f"{_KEY!r} is not a list", where=where)
        total = number(content.get("total_runs"))
        if total is not None and total != len(records):
            self.log.add("note", f"total_runs is {total:g}, but {len(records)} records are listed", where)
        for place, record in enumerate(records):
            yield self._record(record, group, where if listed is content else f"{where}: {_KEY}[{place}]")

    def _record(self, record: Any, group: _Group, where: str) -> Trial | None:
        self.log.rows_read += 1
        task = text(record.get("competition_id")) if isinstance(record, dict) else None
        if task is None:
            self.log.add("dropped", "record without competition_id", where)
            return None
        if self._is_foreign(task, where):
            return None
        key = (group.agent, task)
        self.seeds[key] = seed = self.seeds.get(key, 0) + 1
        place = Place(self.suite, group.agent, str(seed), group.job, where)
        return report_trial(record, place, self.log)

    def _flags(self, file: Path) -> Iterator[Trial | None]:
        for line in read_lines(file, self.files.where(file)):
            self.log.rows_read += 1
            if line.value is None:
                self.log.add("dropped", f"line {line.why}", line.where)
            elif not self._is_foreign(text(line.value.get("task_id")), line.where):
                yield flagged_trial(line.value, self.suite, line.where, self.log)

    def _is_foreign(self, task: str | None, where: str) -> bool:
        if self.only is None or task is None or task in self.only:
            return False
        self.log.add("dropped", "competition that is not in the list of tasks", where)
        return True

    def declare(self) -> None:
        """Say how many seeds were planned: as many as any competition of an agent has."""
        seeds = max(self.seeds.values(), default=1)
        by_agent: dict[str, list[int]] = {}
        for (agent, _), last in self.seeds.items():
            by_agent.setdefault(agent, []).append(last)
        for agent, numbers in by_agent.items():
            if len(set(numbers)) > 1:
                what = f"{min(numbers)} to {max(numbers)} seeds a competition: all are kept, MLE-bench takes the last {min(numbers)} or pads"
                self.log.add("note", what, agent)
        self.log.declarations.append(
            Declaration(
                suite=self.suite,
                tasks=len(self.only) if self.only else None,
                trials=seeds,
                absent_is_fail=self.only is not None,
            )
        )
