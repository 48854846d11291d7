"""Source ``agentdojo``: trials of AgentDojo, one file each, and of its relatives that keep an ``evaluation``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.table import trials_frame
from measurand.sources.agentdojo.dialects import official, with_evaluation
from measurand.sources.agentdojo.trials import trial_of
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import files_below, name_below
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lists import REPLACED, RecordError, read_object

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.trial import Trial

__all__ = ["AgentDojoSource"]

_OFFICIAL: Final = (b'"suite_name"', b'"pipeline_name"', b'"user_task_id"', b'"injection_task_id"')
_EVALUATED: Final = (b'"suite_name"', b'"pipeline_name"', b'"task_id"', b'"condition"', b'"user_prompt"')
_BATCH: Final = 500
_FOLDERS_LOOKED_AT: Final = 200
_FILES_LOOKED_AT: Final = 20
"""When sniffing."""

Dialect = Literal["official", "evaluated"]


class AgentDojoSource:
    """Reads ``PIPELINE/SUITE/USER_TASK/ATTACK/INJECTION_TASK.json``, wherever the files stand."""

    name = "agentdojo"
    title = "AgentDojo: one JSON file a trial, with utility and security; and relatives with an evaluation"

    def sniff(self, path: Path) -> Match | None:
        """Claim a trial, or a folder that holds some."""
        found = _some_trial(path)
        return Match(95, f"trial of AgentDojo: {found.name}") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each file. Heeds ``suite`` for relatives, whose data name no benchmark.

        Raises:
            FormatError: no trial of AgentDojo at ``path``.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        batch: list[Trial] = []
        for file in files_below(path, log, ".json"):
            where = name_below(file, path)
            dialect = _dialect(file)
            if dialect is None:
                log.add("note", "JSON file that is no trial of AgentDojo: not read", where)
                continue
            log.rows_read += 1
            trial = _trial(file, dialect, options, log, where=where)
            batch += [trial] if trial else []
            if len(batch) == _BATCH:
                yield trials_frame(batch)
                batch = []
        if not log.rows_read:
            raise FormatError(
                "no trials of AgentDojo",
                where=str(path),
                hint="expected files with user_task_id, utility, security",
            )
        if batch:
            yield trials_frame(batch)


def _dialect(file: Path) -> Dialect | None:
    start = head(file)
    if all(mark in start for mark in _OFFICIAL):
        return "official"
    return "evaluated" if all(mark in start for mark in _EVALUATED) else None


def _some_trial(path: Path) -> Path | None:
    """The first trial of a folder, looking into a bounded number of files and folders below it."""
    if path.is_file():
        return path if path.suffix.lower() == ".json" and _dialect(path) else None
    waiting, files = [path], 0
    for _ in range(_FOLDERS_LOOKED_AT):
        if not waiting or files > _FILES_LOOKED_AT:
            break
        folders = []
        for entry in islice(_entries(waiting.pop()), _FOLDERS_LOOKED_AT):
            if entry.is_dir():
                folders += [] if entry.is_symlink() else [entry]
            elif entry.suffix.lower() == ".json":
                files += 1
                if _dialect(entry):
                    return entry
        waiting += sorted(folders, reverse=True)
    return None


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:
        return


def _trial(file: Path, dialect: Dialect, options: ReadOptions, log: ImportLog, *, where: str) -> Trial | None:
    try:
        record = _record(file, log, where)
        of_file = official(record) if dialect == "official" else with_evaluation(record, options.suite)
        trial = trial_of(of_file, log, where)
    except RecordError as error:
        log.add("dropped", str(error), where)
        return None
    except RecursionError:
        log.add("dropped", "trial nested too deeply", where)
        return None
    if dialect == "official":
        if options.suite not in {None, trial.suite}:
            log.add("note", f"the data name the suite: --suite {options.suite} is not used", where)
        declared = Declaration(suite=trial.suite, suite_version=trial.suite_version, trials=1)
        if declared not in log.declarations:
            log.declarations.append(declared)
    return trial


def _record(file: Path, log: ImportLog, where: str) -> dict[str, Any]:
    entry = read_object(file, where)
    if entry.value is None:
        raise RecordError(f"trial {entry.why or 'damaged'}")
    if entry.replaced:
        log.add("note", REPLACED, where)
    return entry.value
