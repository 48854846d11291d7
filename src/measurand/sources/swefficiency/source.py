"""Source ``swefficiency``: SWE-fficiency's evaluation reports, one CSV an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.csv_records import CsvRecord, has_columns, read_csv
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.loose_values import number, text
from measurand.sources.swefficiency.names import SIZES, SUITE, Named, is_gold, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["SwefficiencySource"]

_TASK, _OWN, _EXPERT, _RATIO, _PASSED = _COLUMNS = (
    "instance_id",
    "raw_pred_speedup_ratio",
    "gold_speedup_ratio",
    "human_speedup_ratio",
    "correctness",
)
"""Id, speed-up over the unpatched code as measured, the same of the expert's patch, credited speed-up over the
expert's, and 1 where all tests pass."""
_SHARE: Final = "correctness_pct"
_NO_TESTS: Final = "no test output"
_BATCH: Final = 5_000


class SwefficiencySource:
    """Reads ``eval_report_*.csv``: speed-ups of a patch against the unpatched code and the expert's patch."""

    name = "swefficiency"
    title = "SWE-fficiency: eval_report_*.csv, one file an agent, speed-ups against the expert's patch"

    def sniff(self, path: Path) -> Match | None:
        """Claim a report, or a folder that holds reports (at its top or one folder below)."""
        if any(has_columns(file, *_COLUMNS) for file in some_files(path, ".csv")):
            return Match(95, f"CSV with {_EXPERT} and {_RATIO}")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each report and instance. Heeds no option: folders and names say the suite.

        Raises:
            FormatError: no report at ``path``, or one that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        reader = _Reader(log)
        for report in _reports(path, log):
            yield from reader.read(report)
        if not reader.suites:
            raise FormatError(
                "no report of SWE-fficiency",
                where=str(path),
                hint=f"expected CSV files with the columns {', '.join(_COLUMNS)}",
            )
        reader.declare()


class _Report(NamedTuple):
    path: Path
    name: str


def _reports(path: Path, log: ImportLog) -> Iterator[_Report]:
    for file in files_below(path, log, ".csv"):
        name = name_below(file, path)
        if not has_columns(file, *_COLUMNS):
            log.add("note", "file without the columns of a report: not read", name)
        elif is_gold(file) and file != path:
            log.add("note", "the experts' own patches are the reference, no agent: not read", name)
        else:
            yield _Report(file, name)


class _Reader:
    """Reads reports and remembers what each suite holds."""

    def __init__(self, log: ImportLog) -> None:
        self.log = log
        self.suites: dict[str, set[str]] = {}
        """Ending of the suite's name -> its instances."""
        self.runs: dict[tuple[str, str], set[str]] = {}

    def read(self, report: _Report) -> Iterator[pl.DataFrame]:
        named = names_of(report.path)
        ending = "_lite" if named.lite else ""
        tasks = self.suites.setdefault(ending, set())
        self.runs.setdefault((ending, named.agent), set()).add(named.run)
        trials: list[Trial] = []
        for record in read_csv(report.path, report.name, self.log):
            trial = _trial(record, named, SUITE + ending, self.log)
            if trial is None:
                continue
            tasks.add(trial.task)
            trials.append(trial)
            if len(trials) >= _BATCH:
                yield trials_frame(trials)
                trials = []
        yield trials_frame(trials)

    def declare(self) -> None:
        for ending, tasks in self.suites.items():
            size = SIZES[ending]
            if len(tasks) > size:
                self.log.add("note", f"more tasks than the {size} of SWE-fficiency", SUITE + ending)
            self.log.declarations.append(
                Declaration(
                    suite=SUITE + ending,
                    tasks=max(size, len(tasks)),
                    trials=max(len(runs) for (of, _), runs in self.runs.items() if of == ending),
                    absent_is_fail=True,
                )
            )


def _trial(record: CsvRecord, named: Named, suite: str, log: ImportLog) -> Trial | None:
    where, cells = record
    task = text(cells.get(_TASK))
    if task is None:
        log.add("dropped", f"no {_TASK}", where)
        return None
    ended = _ended(record, log)
    anchors = _anchors(record, log)
    return Trial(
        suite=suite,
        task=task,
        agent=named.agent,
        agent_digest=agent_digest(named.agent, named.settings),
        model_requested=named.model,
        trial=named.run,
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=ended.verdict,
        official_score=_official(record, log),
        quantity=_positive(record, _OWN, log),
        unit="x",
        better="higher",
        kind="ratio",
        baseline=anchors.baseline,
        reference=anchors.reference,
        harness=SUITE,
        source=SwefficiencySource.name,
        source_ref=where,
    )


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None


def _ended(record: CsvRecord, log: ImportLog) -> _Ended:
    """Say how the trial ended. Without test output the report cannot tell a missing patch from a failed evaluation."""
    passed = number(record.cells.get(_PASSED))
    if passed == 1:
        if record.cells.get(_OWN) is None:
            log.add(
                "note", "the tests pass and there is no speed-up: the workload was not measured", record.where
            )
        return _Ended(Outcome.COMPLETED, Verdict.PASS)
    if passed is None:
        log.add("unknown", f"no {_PASSED}: no verdict", record.where)
        return _Ended(Outcome.GRADER_ERROR, None, f"no {_PASSED}")
    if record.cells.get(_OWN) is None:
        log.add(
            "note",
            "no test output (no patch, or one that could not be run): failed, as officially",
            record.where,
        )
        return _Ended(Outcome.NO_OUTPUT, Verdict.FAIL, _NO_TESTS)
    share = record.cells.get(_SHARE)
    return _Ended(Outcome.COMPLETED, Verdict.FAIL, f"{_SHARE} {share}" if share else f"{_PASSED} {passed:g}")


class _Anchors(NamedTuple):
    baseline: float | None
    reference: float | None


def _anchors(record: CsvRecord, log: ImportLog) -> _Anchors:
    """The unpatched code is 1; an expert's patch that is slower than it is a reference without a baseline."""
    expert = _positive(record, _EXPERT, log)
    if expert is None:
        return _Anchors(None, None)
    if expert < 1:
        log.add("note", "the expert's patch is slower than the unpatched code: no baseline", record.where)
        return _Anchors(None, expert)
    return _Anchors(1.0, expert)


def _official(record: CsvRecord, log: ImportLog) -> float | None:
    """Give the trial's part in the official score, the harmonic mean of speed-ups over the expert's.

    The harmonic mean is -1/m of the mean m of these parts, so that both order agents alike.
    """
    ratio = _positive(record, _RATIO, log)
    return None if ratio is None else -1.0 / ratio


def _positive(record: CsvRecord, column: str, log: ImportLog) -> float | None:
    cell = record.cells.get(column)
    value = number(cell)
    if value is not None and value > 0:
        return value
    if cell is not None:
        log.add("unknown", f"{column} is no positive number", record.where)
    return None
