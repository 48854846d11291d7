"""Source ``gaia``: answers handed in to GAIA's leaderboard, its scored answers, and result tables."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.gaia.records import SOURCE, Agent, Question, Run, read_questions, trial_of
from measurand.sources.gaia.tables import COLUMNS, read_tables
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lines import first_object, read_lines
from measurand.sources.reading.json_lists import read_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.stated import Stated
    from measurand.model.trial import Trial

__all__ = ["GaiaSource"]

_ENDINGS: Final = (".jsonl", ".json", ".md")
_QUESTION: Final = {"task_id", "Question", "Level"}
_JSON_MARKS: Final = (b'"level"', b'"correct"', b'"expectedAnswer"')
_BATCH: Final = 10_000

_Kind = Literal["questions", "answers", "scored answers", "results", "result tables"]
_CONFIDENCE: Final = {"scored answers": 92, "results": 92, "result tables": 95, "answers": 90}


class GaiaSource:
    """Reads answer files, scored answers, JSON results and Markdown tables; with ``metadata.jsonl`` beside, it grades."""

    name = SOURCE
    title = "GAIA: answer files (task_id, model_answer), scored answers, and result tables"

    def sniff(self, path: Path) -> Match | None:
        """Claim answers, scored answers, result tables, or a folder that holds some."""
        kinds = {
            kind for file in some_files(path, *_ENDINGS) if (kind := _kind(file)) and kind != "questions"
        }
        if not kinds:
            return None
        return Match(max(_CONFIDENCE[kind] for kind in kinds), f"GAIA: {', '.join(sorted(kinds))}")

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each answer. Heeds suite.

        Raises:
            FormatError: nothing of GAIA at ``path``, or a file that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        suite = options.suite or SOURCE
        reader = _Reader(path, suite, log)
        trials = reader.trials()
        while batch := list(islice(trials, _BATCH)):
            yield trials_frame(batch)
        if not log.rows_read:
            raise FormatError(
                "no answers of GAIA",
                where=str(path),
                hint="expected JSON Lines with task_id and model_answer, or a Markdown table with Task ID and Correct",
            )
        known = len(reader.questions) or None
        log.declarations.append(
            Declaration(suite=suite, tasks=known, trials=1, absent_is_fail=known is not None)
        )

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield how many questions each section of a result table says were answered right."""
        for file in files_below(path, ImportLog(self.name, str(path)), ".md"):
            if _kind(file) == "result tables":
                where = name_below(file, path)
                for section in read_tables(file, where):
                    yield from section.stated(_agent_name(file), where)


def _kind(file: Path) -> _Kind | None:
    name = file.name.lower()
    if name.endswith(".jsonl"):
        return _kind_of_lines(first_object(file))
    start = head(file)
    if name.endswith(".md"):
        return "result tables" if _has_table(start) else None
    listed = name.endswith(".json") and start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["
    return "results" if listed and all(mark in start for mark in _JSON_MARKS) else None


def _kind_of_lines(first: dict[str, Any]) -> _Kind | None:
    if first.keys() >= _QUESTION:
        return "questions"
    if "model_answer" not in first:
        return None
    if {"id", "score", "level"} <= first.keys():
        return "scored answers"
    return "answers" if "task_id" in first else None


def _has_table(start: bytes) -> bool:
    """Whether a line names the columns of a result table of GAIA."""
    names = [name.encode() for name in COLUMNS]
    lines = (line for line in start.split(b"\n") if line.lstrip().startswith(b"|"))
    return b"GAIA" in start and any(all(name in line for name in names) for line in lines)


def _agent_name(file: Path) -> str:
    return name_below(file, file).partition(".")[0] or file.suffix


class _Reader:
    """Reads all files of one import."""

    def __init__(self, path: Path, suite: str, log: ImportLog) -> None:
        self.path = path
        self.suite = suite
        self.log = log
        self.questions: dict[str, Question] = {}
        self.files: list[tuple[Path, _Kind]] = []
        for file in files_below(path, log, *_ENDINGS):
            kind = _kind(file)
            if kind == "questions":
                self.questions |= read_questions(file, name_below(file, path))
            elif kind is not None:
                self.files.append((file, kind))
            elif file != path:
                log.add("note", "file that is nothing of GAIA: not read", name_below(file, path))

    def trials(self) -> Iterator[Trial]:
        for file, kind in self.files:
            where = name_below(file, self.path)
            run = Run(self.suite, Agent(_agent_name(file)), official=kind == "scored answers")
            records = (
                self._tables(file, where)
                if kind == "result tables"
                else self._records(file, where, kind, run)
            )
            for record, of, here in records:
                trial = trial_of(record, of, self.questions, here, self.log)
                if trial is not None:
                    yield trial

    def _records(
        self, file: Path, where: str, kind: _Kind, run: Run
    ) -> Iterator[tuple[dict[str, Any], Run, str]]:
        lines = read_list(file, None, where).entries if kind == "results" else read_lines(file, where)
        for line in lines:
            self.log.rows_read += 1
            if line.value is None:
                self.log.add("dropped", f"record {line.why}", line.where)
            else:
                yield line.value, run, line.where

    def _tables(self, file: Path, where: str) -> Iterator[tuple[dict[str, Any], Run, str]]:
        for section in read_tables(file, where):
            run = section.run(self.suite, _agent_name(file))
            for line, row in section.rows:
                self.log.rows_read += 1
                if row:
                    yield row, run, f"{where}:{line}"
                else:
                    self.log.add("dropped", "row of another width than the table", f"{where}:{line}")
