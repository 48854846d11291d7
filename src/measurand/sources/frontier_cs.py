"""Source ``frontier_cs``: Frontier-CS's results.csv, points of each solution of each problem."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.csv_records import CsvRecord, has_columns, read_csv
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.loose_values import number, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["FrontierCsSource"]

_SUITE: Final = "frontier_cs"
_COLUMNS: Final = ("solution", "problem", "score", "score_unbounded", "status")
_TRACKS: Final = ("algorithmic", "research")
_SENTINEL: Final = -1e9
"""What an evaluator writes for points when the solution did not do what was asked."""
_TOP: Final = 100.0
_HELPERS: Final = re.compile(r"reference(_.*)?|baseline|test_.*")
"""Solutions that no model wrote."""
_NOT_GENERATED: Final = ("Generation failed", "Not generated")
_BATCH: Final = 5_000
_SUMMARY: Final = ("model", "score_at_1", "avg_at_5")
_HEADLINES: Final = {
    "score_at_1": ("score@1", "points"),
    "avg_at_5": ("avg@5", "points"),
    "score_at_5": ("score@5", "points"),
    "pass_at_1": ("pass@1", "share"),
    "pass_at_5": ("pass@5", "share"),
}


class FrontierCsSource:
    """Reads ``results.csv``: points from 0 (baseline) to 100 (reference) and, where not bounded, beyond."""

    name = "frontier_cs"
    title = "Frontier-CS: results.csv, points of each solution (solution, problem, score, score_unbounded)"

    def sniff(self, path: Path) -> Match | None:
        """Claim results, or a folder that holds them (at its top or one folder below)."""
        if any(has_columns(file, *_COLUMNS) for file in some_files(path, ".csv")):
            return Match(95, "CSV with solution, problem and score_unbounded")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each solution. Heeds no option: the data say the track.

        Raises:
            FormatError: no results at ``path``, or not readable.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        for file in files_below(path, log, ".csv"):
            name = name_below(file, path)
            if not has_columns(file, *_COLUMNS):
                log.add("note", "file without the columns of results: not read", name)
                continue
            trials: list[Trial] = []
            for record in read_csv(file, name, log):
                trial = _trial(record, _track_of(file), log)
                if trial is not None:
                    trials.append(trial)
                if len(trials) >= _BATCH:
                    yield trials_frame(trials)
                    trials = []
            yield trials_frame(trials)
        if not log.rows_read:
            raise FormatError(
                "no results of Frontier-CS",
                where=str(path),
                hint=f"expected CSV files with the columns {', '.join(_COLUMNS)}",
            )

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield what ``by_model.csv`` beside the results states of each model."""
        log = ImportLog(self.name, str(path))
        for file in files_below(path, log, ".csv"):
            if has_columns(file, *_SUMMARY):
                for record in read_csv(file, name_below(file, path), log):
                    yield from _headlines(record)


def _headlines(record: CsvRecord) -> Iterator[Stated]:
    agent = text(record.cells.get("model"))
    for column, (name, unit) in _HEADLINES.items():
        value = number(record.cells.get(column))
        if agent and value is not None:
            yield Stated(agent=agent, name=name, value=value, unit=unit, where=f"{record.where}: {column}")


def _track_of(file: Path) -> str | None:
    """Track after the file's name or its folder; ``None`` when neither says it."""
    named = f"{file.parent.name}/{file.name}"
    return next((track for track in _TRACKS if track in named), None)


class _Solution(NamedTuple):
    agent: str
    trial: str


def _solution(path: str, problem: str) -> _Solution | None:
    """Take ``PROBLEM/MODEL_TRIAL.cpp`` apart; the first trial has no number."""
    folder, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0] or file
    found = re.fullmatch(r"(.+?)(?:_(\d+))?", stem)
    return _Solution(found[1], found[2] or "0") if found and folder == problem else None


def _trial(record: CsvRecord, track: str | None, log: ImportLog) -> Trial | None:
    cells, where = record.cells, record.where
    problem = text(cells.get("problem"))
    solution = _solution(text(cells.get("solution")) or "", problem or "")
    if problem is None or solution is None:
        log.add("dropped", "solution that is not PROBLEM/MODEL_TRIAL.ENDING", where)
        return None
    if _HELPERS.fullmatch(solution.agent):
        log.add("dropped", "solution that no model wrote", where)
        return None
    track = track or ("algorithmic" if problem.isdecimal() else "research")
    ended = _ended(record, log)
    version = text(cells.get("problem_hash"))
    return Trial(
        suite=f"{_SUITE}_{track}",
        task=problem,
        task_digest=f"problem_hash:{version}" if version else None,
        family=problem.partition("/")[0] if track == "research" else None,
        agent=solution.agent,
        agent_digest=agent_digest(solution.agent),
        model_requested=solution.agent,
        trial=solution.trial,
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=ended.verdict,
        official_score=ended.official,
        quantity=ended.points,
        unit="points",
        better="higher",
        kind="interval",
        baseline=0.0,
        reference=_TOP,
        harness=_SUITE,
        source=FrontierCsSource.name,
        source_ref=where,
    )


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    official: float | None = 0.0
    """Points as Frontier-CS counts them: a failure is 0, and nothing is worth more than 100."""
    reason: str | None = None
    points: float | None = None


def _ended(record: CsvRecord, log: ImportLog) -> _Ended:
    cells, where = record.cells, record.where
    status = (text(cells.get("status")) or "").lower()
    message = text(cells.get("message")) or ""
    reason = message.splitlines()[0][:200] if message else status
    if status == "timeout":
        return _Ended(Outcome.AGENT_TIMEOUT, Verdict.FAIL, reason=reason)
    if status == "error":
        if any(words in message for words in _NOT_GENERATED):
            return _Ended(Outcome.NO_OUTPUT, Verdict.FAIL, reason=reason)
        failed = Outcome.INVALID_OUTPUT if "compile failed" in message else Outcome.AGENT_ERROR
        return _Ended(failed, Verdict.FAIL, reason=reason)
    bounded, open_ended = number(cells.get("score")), number(cells.get("score_unbounded"))
    if status != "success" or (bounded is None and open_ended is None):
        log.add("unknown", "no success, error or timeout with points: no verdict", where)
        return _Ended(Outcome.GRADER_ERROR, None, None, reason or "no status")
    official = min(bounded if bounded is not None else max(open_ended or 0.0, 0.0), _TOP)
    if open_ended is not None and open_ended <= _SENTINEL:
        log.add("note", "points of minus a billion are a sign, no measurement: failed", where)
        return _Ended(Outcome.INVALID_OUTPUT, Verdict.FAIL, official, f"score_unbounded {open_ended:.0f}")
    if open_ended is None:
        log.add("note", "only bounded points are given: no room above the reference", where)
    return _Ended(
        Outcome.COMPLETED, Verdict.PASS, official, points=bounded if open_ended is None else open_ended
    )
