"""Source ``hal``: what HAL's harness uploads of a run, one ``*_UPLOAD.json`` each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.hal.runs import Upload, upload_of
from measurand.sources.hal.stated import stated_by
from measurand.sources.hal.trials import trials_of
from measurand.sources.hal.usage import logged_calls
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lists import read_list
from measurand.sources.reading.zip_members import MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.stated import Stated

__all__ = ["HalSource"]

_RESULTS: Final = b'"raw_eval_results"'
_ENDING: Final = "_upload"
_SEALED: Final = b'"encrypted_data"'


class HalSource:
    """Reads ``{config, results, raw_eval_results, raw_logging_results, ...}``."""

    name = "hal"
    title = "HAL (Holistic Agent Leaderboard): *_UPLOAD.json of a run"

    def sniff(self, path: Path) -> Match | None:
        """Claim an upload, or a folder that holds some."""
        found = next((file for file in some_files(path, ".json", ".zip") if _is_upload(file)), None)
        return Match(95, f"raw_eval_results of HAL: {found.name}") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each task of an upload. Heeds ``suite``, where the data name no benchmark.

        Raises:
            FormatError: no upload at ``path``, an encrypted one, or one without results of single tasks.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        refused: list[FormatError] = []
        kept = 0
        for file in files_below(path, log, ".json", ".zip"):
            where = name_below(file, path)
            if file != path and not _is_upload(file):
                log.add("note", "file that is no upload of HAL: not read", where)
                continue
            try:
                upload = _open(file, where, options.suite, log)
            except FormatError as error:
                log.rows_read += 1
                log.add("dropped", f"file that cannot be read: {error.what.partition(':')[0]}", where)
                refused.append(error)
                continue
            trials = list(trials_of(upload, log))
            kept += len(trials)
            if trials:
                yield trials_frame(trials)
                declared = Declaration(suite=upload.suite, trials=1)
                if declared not in log.declarations:
                    log.declarations.append(declared)
        if refused and not kept:
            raise refused[0]
        if not log.rows_read:
            raise FormatError(
                "no results of HAL", where=str(path), hint="expected *_UPLOAD.json with raw_eval_results"
            )

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the numbers that an upload states of itself: accuracy, cost and the like.

        Raises:
            FormatError: an upload that cannot be read.
        """
        log = ImportLog(self.name, str(path))
        for file in files_below(path, log, ".json", ".zip"):
            if _is_upload(file):
                yield from stated_by(_open(file, name_below(file, path), None, log))


def _is_upload(file: Path) -> bool:
    if not file.stem.lower().endswith(_ENDING):
        return _RESULTS in head(file)
    start = head(file)
    return start.startswith(MAGIC) or _SEALED in start or _RESULTS in start or b'"config"' in start


def _open(file: Path, where: str, suite: str | None, log: ImportLog) -> Upload:
    start = head(file)
    if start.startswith(MAGIC) or (_SEALED in start and _RESULTS not in start):
        raise FormatError(
            "encrypted, as HAL publishes uploads", where=where, hint="decrypt it first with `hal-decrypt`"
        )
    found = read_list(file, "raw_logging_results", where)
    if not isinstance(found.rest.get("raw_eval_results"), dict | list):
        raise FormatError("there are no raw_eval_results", where=where, hint="expected an upload of HAL")
    logged = logged_calls(found.rest.get("raw_logging_results"), found.entries, log)
    return upload_of(found.rest, logged, file.stem, suite, where=where)
