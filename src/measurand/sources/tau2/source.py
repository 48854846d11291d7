"""Source ``tau2``: results of tau2-bench, in one file, as a bare list, or with a file for each simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_lists import REPLACED, Entry, RecordError
from measurand.sources.reading.loose_values import number
from measurand.sources.tau2.files import Results, kind_of, open_results
from measurand.sources.tau2.runs import Run, run_of
from measurand.sources.tau2.stated import stated_by
from measurand.sources.tau2.trials import trial_of
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.stated import Stated
    from measurand.model.trial import Trial

__all__ = ["Tau2Source"]

_BATCH: Final = 500


class Tau2Source:
    """Reads what tau2 saves: a header with ``info`` and ``tasks``, and simulations beside it."""

    name = "tau2"
    title = "tau2-bench: results in one file, as a list, or one file a simulation; submission.json for stated numbers"

    def sniff(self, path: Path) -> Match | None:
        """Claim results, a folder that holds some, or a submission."""
        kinds = {kind_of(file): file for file in reversed(some_files(path, ".json"))}
        for kind in ("results", "list", "submission"):
            if kind in kinds:
                return Match(95, f"{_SAID[kind]}: {kinds[kind].name}")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each simulation. Heeds ``suite``, where the data name no domain.

        Raises:
            FormatError: nothing of tau2 at ``path``, no simulations, or a header that cannot be read.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        refused: list[FormatError] = []
        kept = 0
        for file in files_below(path, log, ".json"):
            try:
                opened = self._open(file, path, options, log)
            except FormatError as error:
                log.rows_read += 1
                log.add(
                    "dropped",
                    f"file that cannot be read: {error.what.partition(':')[0]}",
                    name_below(file, path),
                )
                refused.append(error)
                continue
            for batch in opened.batches() if opened else ():
                kept += batch.height
                yield batch
        if refused and not kept:
            raise refused[0]
        if not log.rows_read:
            raise FormatError(
                "no simulations of tau2",
                where=str(path),
                hint="expected {info, tasks, simulations}, or results.json with the folder simulations beside it; "
                "what submission.json states is for `measurand reproduce`",
            )

    def _open(self, file: Path, path: Path, options: ReadOptions, log: ImportLog) -> _File | None:
        where = name_below(file, path)
        if file.parent.name == "simulations" and kind_of(file.parent.parent / "results.json") == "results":
            return None
        kind = kind_of(file) or ("results" if file == path else None)
        if kind == "submission":
            what = "numbers of a submission, not trials: `measurand reproduce` compares them"
            log.add("note", what, where)
            return None
        if kind is None:
            log.add("note", "JSON file that is no result of tau2: not read", where)
            return None
        links = log if file == path else ImportLog(self.name, where)
        return _File(open_results(file, kind, where, log, links), options, log)

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield pass^k and cost, as ``submission.json`` states them for each domain.

        Raises:
            FormatError: a submission that is not JSON.
        """
        log = ImportLog(self.name, str(path))
        for file in files_below(path, log, ".json"):
            if kind_of(file) == "submission":
                yield from stated_by(file, name_below(file, path))


_SAID: Final = {
    "results": "header with agent_info, user_info and environment_info",
    "list": "list of simulations with reward_info",
    "submission": "submission with pass_1",
}


class _File:
    """Reads the simulations of one header."""

    def __init__(self, results: Results, options: ReadOptions, log: ImportLog) -> None:
        self.results = results
        self.options = options
        self.log = log
        self.user_cost = 0.0
        self.user_costs = 0
        self.of_task: dict[str, int] = {}
        """Task -> number of its simulations so far."""
        try:
            self.run = run_of(results.header, results.stem, options.suite, results.where)
        except RecursionError:
            raise FormatError("nested too deeply", where=results.where) from None

    def batches(self) -> Iterator[pl.DataFrame]:
        results, run = self.results, self.run
        self._tell_of_names(run)
        batch: list[Trial] = []
        read = 0
        for entry in results.entries:
            read += 1
            trial = self._trial(entry, run)
            batch += [trial] if trial else []
            if len(batch) == _BATCH:
                yield trials_frame(batch)
                batch = []
        if batch:
            yield trials_frame(batch)
        if not read:
            self.log.add("note", "results without simulations", results.where)
        self._tell_of_all(run)

    def _trial(self, entry: Entry, run: Run) -> Trial | None:
        self.log.rows_read += 1
        if entry.value is None:
            self.log.add("dropped", f"simulation {entry.why or 'damaged'}", entry.where)
            return None
        if entry.replaced:
            self.log.add("note", REPLACED, entry.where)
        key = str(entry.value.get("task_id"))
        self.of_task[key] = self.of_task.get(key, -1) + 1
        try:
            trial = trial_of(entry.value, run, self.log, position=self.of_task[key])
        except RecordError as error:
            self.log.add("dropped", str(error), entry.where)
            return None
        except RecursionError:
            self.log.add("dropped", "simulation nested too deeply", entry.where)
            return None
        if cost := number(entry.value.get("user_cost")):
            self.user_cost += cost
            self.user_costs += 1
        return trial

    def _tell_of_names(self, run: Run) -> None:
        where = self.results.where
        if run.suite == "tau2":
            self.log.add("note", "the data do not say which domain: give it with --suite", where)
        if self.options.suite not in {None, run.suite}:
            self.log.add("note", f"the data say {run.suite}: --suite {self.options.suite} is not used", where)
        if run.misnamed:
            what = f"the file is named after {run.misnamed}, the data say {run.model}: the data hold"
            self.log.add("note", what, where)

    def _tell_of_all(self, run: Run) -> None:
        if self.user_costs:
            what = (
                f"the simulated users of {plural(self.user_costs, 'trial')} cost {self.user_cost:.6f} USD together: "
                "in the traces, not in cost_usd"
            )
            self.log.add("note", what, self.results.where)
        declared = Declaration(suite=run.suite, tasks=len(run.tasks) or None, trials=run.trials)
        if self.of_task and declared not in self.log.declarations:
            self.log.declarations.append(declared)
