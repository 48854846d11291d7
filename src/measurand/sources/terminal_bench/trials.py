"""Trials of a Terminal-Bench run: those with a record, those that the run only counts, and those it only planned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.trace import Draft
from measurand.model.trial import Trial
from measurand.sources.reading.capped_files import is_file, is_inside, read_object
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.loose_values import list_of, text, time
from measurand.sources.terminal_bench.cast import cast_events, is_cast
from measurand.sources.terminal_bench.records import Judged, job_of, judge, meters, tests_of
from measurand.sources.terminal_bench.tree import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from measurand.sources.base import ImportLog
    from measurand.sources.terminal_bench.runs import RunFiles, Who

__all__ = ["Suite", "run_trials"]

_SOURCE: Final = "terminal_bench"
_HARNESS: Final = "terminal-bench"
_MOST: Final = 2**27
_CAST: Final = "sessions/agent.cast"


class Suite(NamedTuple):
    """The data set, and what the user says of it."""

    name: str
    version: str | None
    words: Mapping[str, Outcome]
    """Failure mode -> outcome."""


class _Record(NamedTuple):
    """A record, and the folder of its trial where it has one."""

    value: dict[str, Any]
    where: str
    folder: Path | None = None


@dataclass(slots=True)
class _Counted:
    """Trials of each task that have rows."""

    resolved: Counter[str] = field(default_factory=Counter)
    unresolved: Counter[str] = field(default_factory=Counter)
    planned: Counter[str] = field(default_factory=Counter)


def run_trials(run: RunFiles, trials: list[Path], suite: Suite, log: ImportLog) -> Iterator[Trial]:
    """Yield the trials of a run. A trial that the run's file and its own folder record alike is one record."""
    rows = _Rows(run, suite, log)
    counted = _Counted()
    of_trials = {_key(record): record for record in _trial_records(run, trials, log)}
    for record in _run_records(run, log):
        own = of_trials.get(_key(record))
        if own is not None and _same(own.value, record.value):
            continue
        yield rows.recorded(record, counted, counts=own is None)
    for record in of_trials.values():
        yield rows.recorded(record, counted, counts=True)
    yield from rows.listed(counted)
    yield from rows.missing(counted)


def _run_records(run: RunFiles, log: ImportLog) -> Iterator[_Record]:
    for place, value in enumerate(list_of(run.results.get("results"))):
        where = f"{run.where}: results[{place}]"
        if isinstance(value, dict) and text(value.get("task_id")):
            yield _Record(value, where)
        else:
            log.rows_read += 1
            log.add("dropped", "record without a task_id", where)


def _trial_records(run: RunFiles, trials: list[Path], log: ImportLog) -> Iterator[_Record]:
    for folder in trials:
        file = folder / RESULTS
        where = name_below(file, run.root)
        try:
            value = read_object(file, where, run.root, _MOST)
        except FormatError as error:
            log.rows_read += 1
            log.add("dropped", error.what, where)
            continue
        if text(value.get("task_id")):
            yield _Record(value, where, folder)
        else:
            log.rows_read += 1
            log.add("dropped", "record without a task_id", where)


def _key(record: _Record) -> tuple[str | None, str | None]:
    return text(record.value.get("task_id")), text(record.value.get("trial_name")) or record.where


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two records say the same; a field that only one of them has makes no difference."""
    return all(one[name] == other[name] for name in one.keys() & other.keys())


class _Rows:
    """Builds the rows of one run."""

    def __init__(self, run: RunFiles, suite: Suite, log: ImportLog) -> None:
        self.run = run
        self.suite = suite
        self.log = log
        self.who: Who = run.agent()
        self.job: str | None = run.id
        """Job of trials without a record: the run's id, else that of its first record."""

    def recorded(self, record: _Record, counted: _Counted, *, counts: bool) -> Trial:
        """A trial with a record; a second, differing one of the same trial does not count as another."""
        self.log.rows_read += 1
        value, where = record.value, record.where
        judged = judge(value, self.suite.words)
        passed, tests = tests_of(value)
        if judged.resolved and passed < tests:
            self.log.add("note", "resolved, though a test did not pass; the former holds", where)
        task = text(value.get("task_id")) or ""
        if counts:
            (counted.resolved if judged.resolved else counted.unresolved)[task] += 1
            counted.planned[task] += 1
        trial = text(value.get("trial_name")) or where
        job = job_of(value, self.run.id or self.run.folder.name)
        self.job = self.job or job
        fields = meters(value, self.log, where)
        if record.folder is not None:
            fields["trace_digest"] = self._trace(record, judged, trial)
        return self._build(judged, where, task=task, trial=trial, job=job, **fields)

    def listed(self, counted: _Counted) -> Iterator[Trial]:
        """Trials that the run counts as resolved or not, and has no record of."""
        results = self.run.results
        for name, known, resolved in (
            ("resolved_ids", counted.resolved, True),
            ("unresolved_ids", counted.unresolved, False),
        ):
            ids = Counter(task for one in list_of(results.get(name)) if (task := text(one)))
            for task, times in (ids - known).items():
                verdict = Verdict.PASS if resolved else Verdict.FAIL
                judged = Judged(Outcome.COMPLETED, verdict, f"in {name}, without a record", resolved)
                counted.planned[task] += times
                for number in range(1, times + 1):
                    self.log.rows_read += 1
                    where = f"{self.run.where}: {name}: {task}"
                    self.log.add("note", f"in {name}, without a record", where)
                    trial = f"listed {name} {number}"
                    yield self._build(judged, where, task=task, trial=trial, job=self.job or self.run.where)

    def missing(self, counted: _Counted) -> Iterator[Trial]:
        """Trials that were planned, and of which there is nothing."""
        times = self.run.attempts or 1
        judged = Judged(Outcome.MISSING, None, "planned, and never recorded", resolved=False)
        for task in dict.fromkeys(self.run.planned):
            for number in range(counted.planned[task] + 1, min(times, 10_000) + 1):
                self.log.rows_read += 1
                where = f"{self.run.where}: task_ids: {task}"
                yield self._build(
                    judged, where, task=task, trial=f"planned {number}", job=self.job or self.run.where
                )

    def _build(self, judged: Judged, where: str, **fields: Any) -> Trial:
        """Build the row of a trial from what became of it and ``fields``: task, trial, job and what else is known."""
        return Trial(
            suite=self.suite.name,
            suite_version=self.suite.version,
            agent=self.who.name,
            agent_digest=self.who.digest,
            model_requested=self.who.model,
            outcome=judged.outcome,
            reason=judged.reason,
            verdict=judged.verdict,
            verdicts={"official": judged.resolved},
            official_score=float(judged.resolved),
            harness=_HARNESS,
            harness_version=self.run.harness_version,
            environment_digest=self.run.environment_digest,
            source=_SOURCE,
            source_ref=where,
            **fields,
        )

    def _trace(self, record: _Record, judged: Judged, trial: str) -> str | None:
        folder = record.folder
        cast = None if folder is None else folder / _CAST
        if cast is None or not (is_file(cast) and is_inside(cast, self.run.root) and is_cast(cast)):
            return None
        return self.log.trace(lambda: self._events(cast, record, judged, trial))

    def _events(self, cast: Path, record: _Record, judged: Judged, trial: str) -> Iterator[Draft]:
        value = record.value
        start = {
            "suite": self.suite.name,
            "task": value.get("task_id"),
            "trial": trial,
            "agent": self.who.name,
            "id": value.get("id") or value.get("uuid"),
            "instruction": value.get("instruction"),
        }
        yield Draft("trial_start", start, time(value.get("trial_started_at")))
        yield from cast_events(cast, 1)
        end = {"outcome": judged.outcome.value, "verdict": judged.verdict, "reason": judged.reason}
        end |= {"tests": value.get("parser_results"), "resolved": value.get("is_resolved")}
        yield Draft("trial_end", end, time(value.get("trial_ended_at")))
