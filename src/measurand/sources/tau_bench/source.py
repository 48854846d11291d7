"""Source ``tau_bench``: result files of tau-bench, each a list of trials with their messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lists import REPLACED, RecordError, read_list
from measurand.sources.reading.loose_values import number, object_of
from measurand.sources.tau_bench.names import domain_of_policy, named
from measurand.sources.tau_bench.trials import Run, trial_of
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.trial import Trial

__all__ = ["TauBenchSource"]

_MARKS: Final = (b'"task_id"', b'"reward"', b'"info"', b'"traj"')
_BATCH: Final = 5000
_FIRST_FEW: Final = 50
"""Records that are looked at for the policy, which names the domain."""


class TauBenchSource:
    """Reads what ``run.py`` of tau-bench writes: ``[{task_id, reward, info, traj, trial}, ...]``."""

    name = "tau_bench"
    title = "tau-bench: result files of run.py (list of task_id, reward, info, traj, trial)"

    def sniff(self, path: Path) -> Match | None:
        """Claim a result file, or a folder that holds some."""
        found = next((file for file in some_files(path, ".json") if _is_results(file)), None)
        return Match(95, f"list with task_id, reward, info and traj: {found.name}") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each record. Heeds ``suite``, where neither file name nor policy name the domain.

        Raises:
            FormatError: no result file at ``path``, or none that holds a record.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        trials: list[Trial] = []
        for file in files_below(path, log, ".json"):
            where = name_below(file, path)
            if file != path and not _is_results(file):
                log.add("note", "JSON file that is no result of tau-bench: not read", where)
                continue
            trials += _File(file, where, options, log).trials()
        if not log.rows_read or (not trials and path.is_file() and not _is_results(path)):
            raise FormatError(
                "no results of tau-bench",
                where=str(path),
                hint="expected a list of {task_id, reward, info, traj}",
            )
        trials = _with_task_digests(trials)
        for start in range(0, len(trials), _BATCH):
            yield trials_frame(trials[start : start + _BATCH])


def _is_results(file: Path) -> bool:
    start = head(file)
    listed = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    return listed and all(mark in start for mark in _MARKS)


class _File:
    """Reads one file."""

    def __init__(self, file: Path, where: str, options: ReadOptions, log: ImportLog) -> None:
        self.file = file
        self.where = where
        self.log = log
        self.named = named(file.stem)
        self.suite = self._suite(options.suite)
        self.user_cost = 0.0
        self.user_costs = 0

    def trials(self) -> list[Trial]:
        run = Run(self.suite, self.named, self.where)
        trials = []
        for entry in read_list(self.file, None, self.where).entries:
            self.log.rows_read += 1
            if entry.value is None:
                self.log.add("dropped", f"record {entry.why or 'damaged'}", entry.where)
                continue
            if entry.replaced:
                self.log.add("note", REPLACED, entry.where)
            try:
                trials.append(trial_of(entry.value, run, self.log, entry.where))
            except RecordError as error:
                self.log.add("dropped", str(error), entry.where)
                continue
            self._meter_user(entry.value)
        self._tell(trials)
        return trials

    def _suite(self, wanted: str | None) -> str:
        domain = self.named.domain or self._domain_of_policy()
        if domain is None:
            if wanted is None:
                self.log.add("note", "the data do not say which domain: give it with --suite", self.where)
            return wanted or "tau_bench"
        said = f"tau_bench_{domain}"
        if wanted not in {None, said}:
            self.log.add("note", f"the data say {said}: --suite {wanted} is not used", self.where)
        return said

    def _domain_of_policy(self) -> str | None:
        for place, entry in enumerate(read_list(self.file, None, self.where).entries):
            found = domain_of_policy(entry.value or {})
            if found or place == _FIRST_FEW:
                return found
        return None

    def _meter_user(self, record: dict[str, object]) -> None:
        cost = number(object_of(record.get("info")).get("user_cost"))
        if cost:
            self.user_cost += cost
            self.user_costs += 1

    def _tell(self, trials: list[Trial]) -> None:
        if self.user_costs:
            what = (
                f"the simulated users of {plural(self.user_costs, 'trial')} cost {self.user_cost:.6f} USD together: "
                "in the traces, not in cost_usd"
            )
            self.log.add("note", what, self.where)
        if planned := len({trial.trial for trial in trials}):
            declared = Declaration(suite=self.suite, trials=planned)
            if declared not in self.log.declarations:
                self.log.declarations.append(declared)


def _with_task_digests(trials: list[Trial]) -> list[Trial]:
    """Trials that broke off with an error hold no task: others of the same task say what it was."""
    known: dict[tuple[str, str], set[str]] = {}
    for trial in trials:
        if trial.task_digest:
            known.setdefault((trial.suite, trial.task), set()).add(trial.task_digest)
    return [
        msgspec.structs.replace(trial, task_digest=next(iter(digests)))
        if trial.task_digest is None and len(digests := known.get((trial.suite, trial.task), set())) == 1
        else trial
        for trial in trials
    ]
