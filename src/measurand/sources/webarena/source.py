"""Source ``webarena``: tables of results of WebArena, with its tasks and models, and logs of its runs."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import files_below, folders_above, name_below, some_files
from measurand.sources.reading.loose_values import number, text
from measurand.sources.webarena.logs import Ending, average_score, is_log, read_log
from measurand.sources.webarena.tables import Model, Task, kind_of, read_models, read_results, read_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["WebarenaSource"]

_SOURCE: Final = "webarena"
_ENDINGS: Final = (".json", ".txt", ".log")
_BATCH: Final = 20_000
_FULL_MARK: Final = 1.0
_LOG_FOLDERS: Final = {"log_files", "logs"}
_NO_TASK: Final = Task(None, None)


class WebarenaSource:
    """Reads ``results.json`` with ``tasks.json`` (or ``test.raw.json``) and ``models.json``, and logs of runs."""

    name = _SOURCE
    title = "WebArena: results.json (t, m, s) with tasks and models, merge_log.txt and logs of runs"

    def sniff(self, path: Path) -> Match | None:
        """Claim results, a log with results, or a folder that holds some (at its top or one folder below)."""
        files = some_files(path, *_ENDINGS)
        kinds = {kind_of(file) for file in files}
        if "results" in kinds:
            beside = kinds & {"models", "tasks"}
            return Match(95 if beside else 90, "WebArena: results with t, m and s")
        if any(is_log(file) for file in files if not file.name.endswith(".json")):
            return Match(94, "WebArena: log with [Result] (PASS) or (FAIL)")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each result. Heeds suite.

        Raises:
            FormatError: nothing of WebArena at ``path``, or a file that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        suite = options.suite or _SOURCE
        trials = _Reader(_Files(path, log), suite, log).trials()
        while batch := list(islice(trials, _BATCH)):
            yield trials_frame(batch)
        if not log.rows_read:
            raise FormatError(
                "no results of WebArena",
                where=str(path),
                hint="expected a JSON list of {t, m, s}, or a log with [Result] (PASS) or (FAIL)",
            )
        log.declarations.append(Declaration(suite=suite, trials=1))

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the success rates that the models file states, and the average scores of logs."""
        files = _Files(path, ImportLog(self.name, str(path)))
        for model, (entry, where) in files.models().items():
            if entry.success_rate is not None:
                place = f"{where}: {model}.success_rate"
                yield Stated(
                    agent=entry.name,
                    name="success rate",
                    value=entry.success_rate,
                    unit="percent",
                    where=place,
                )
        for file in files.logs:
            if found := average_score(file, files.where(file)):
                place = f"{files.where(file)}:{found[1]}"
                agent = _agent_of_log(file)
                yield Stated(agent=agent, name="average score", value=found[0], unit="share", where=place)


class _Files:
    """What is to be read, by kind."""

    def __init__(self, path: Path, log: ImportLog) -> None:
        self.path = path
        self.tables: dict[str, list[Path]] = {"results": [], "models": [], "tasks": []}
        self.logs: list[Path] = []
        for file in files_below(path, log, *_ENDINGS):
            kind = kind_of(file)
            if kind is not None:
                self.tables[kind].append(file)
            elif not file.name.lower().endswith(".json") and is_log(file):
                self.logs.append(file)
            elif file != path:
                log.add("note", "file that is nothing of WebArena: not read", self.where(file))

    def where(self, file: Path) -> str:
        return name_below(file, self.path)

    def models(self) -> dict[str, tuple[Model, str]]:
        return {
            model: (entry, self.where(file))
            for file in self.tables["models"]
            for model, entry in read_models(file, self.where(file)).items()
        }

    def tasks(self) -> dict[str, Task]:
        found: dict[str, Task] = {}
        for file in self.tables["tasks"]:
            for task, entry in read_tasks(file, self.where(file)).items():
                known = found.get(task, _NO_TASK)
                found[task] = Task(known.family or entry.family, known.digest or entry.digest)
        return found


def _agent_of_log(file: Path) -> str:
    """A log stands in the folder of its agent's run, at its top or in a folder for logs."""
    above, folder = folders_above(file.parent, 2)
    return (above if folder in _LOG_FOLDERS else folder) or _SOURCE


class _Row(NamedTuple):
    task: str
    agent: str
    ending: Ending
    score: float | None
    where: str


class _Reader:
    """Reads all files of one import."""

    def __init__(self, files: _Files, suite: str, log: ImportLog) -> None:
        self.files = files
        self.suite = suite
        self.log = log
        self.known: dict[str, Task] = {}

    def trials(self) -> Iterator[Trial]:
        self.known = self.files.tasks()
        models = self.files.models()
        names = {model: entry.name for model, (entry, _) in models.items()}
        for file in self.files.tables["results"]:
            yield from self._table(file, names)
        for file in self.files.logs:
            yield from self._log(file)

    def _table(self, file: Path, names: dict[str, str]) -> Iterator[Trial]:
        for entry in read_results(file, self.files.where(file)):
            self.log.rows_read += 1
            record = entry.value or {}
            task, model = text(record.get("t")), text(record.get("m"))
            if task is None or model is None:
                self.log.add("dropped", f"entry {entry.why or 'without task or model'}", entry.where)
                continue
            score = number(record.get("s"))
            ending = Ending(
                task, Outcome.COMPLETED, None if score is None else score >= _FULL_MARK, None, 0, None
            )
            if score is None or not 0 <= score <= _FULL_MARK:
                self.log.add("unknown", "score missing or not between 0 and 1", entry.where)
                ending = Ending(task, Outcome.GRADER_ERROR, None, "no score", 0, None)
                score = None
            yield self._trial(_Row(task, names.get(model, model), ending, score, entry.where))

    def _log(self, file: Path) -> Iterator[Trial]:
        where, agent = self.files.where(file), _agent_of_log(file)
        for ending in read_log(file, where):
            self.log.rows_read += 1
            score = None if ending.passed is None else float(ending.passed)
            yield self._trial(_Row(ending.task, agent, ending, score, f"{where}:{ending.line}"))

    def _trial(self, row: _Row) -> Trial:
        task, ending = self.known.get(row.task, _NO_TASK), row.ending
        verdict = None if ending.passed is None else Verdict.PASS if ending.passed else Verdict.FAIL
        return Trial(
            suite=self.suite,
            task=row.task,
            task_digest=task.digest,
            family=task.family,
            agent=row.agent,
            agent_digest=agent_digest(row.agent),
            trial="1",
            outcome=ending.outcome,
            reason=ending.reason,
            verdict=verdict,
            official_score=row.score,
            attempts=ending.attempts,
            harness=_SOURCE,
            source=_SOURCE,
            source_ref=row.where,
        )
