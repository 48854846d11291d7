"""Source ``inspect``: logs of Inspect AI, one or folders of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.inspect_logs.agents import declaration, evaluation
from measurand.sources.inspect_logs.files import open_log
from measurand.sources.inspect_logs.find import find, identify, recognise
from measurand.sources.inspect_logs.outcomes import check_words
from measurand.sources.inspect_logs.retries import Chain, chains
from measurand.sources.inspect_logs.trials import NAME, Read, trials_of
from measurand.sources.reading.folder_files import name_below

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.trial import Trial
    from measurand.sources.inspect_logs.records import Header

__all__ = ["InspectSource"]

_BATCH: Final = 2_000


class InspectSource:
    """Reads what Inspect AI writes: ``.eval`` and ``.json`` logs, whole, broken off, retried or edited."""

    name = NAME
    title = "Inspect AI: logs (.eval, .json) and folders of them"

    def sniff(self, path: Path) -> Match | None:
        """Claim a log, or a folder with logs."""
        try:
            what = recognise(path)
        except OSError:
            return None
        return Match(95, f"Inspect AI: {what}") if what else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each sample and epoch.

        Heeds mapping (verdict, official_score, quantity, baseline, reference, family, confidence from scores and
        metadata), constants (unit, better, kind, baseline, reference) and outcomes. The logs name the suite.

        Raises:
            FormatError: no log at ``path``, or none that can be read.
            MappingError: a score or metadata that is named is in no sample of a log.
            UsageError: an option that means nothing here.
        """
        refuse_options(options, self.name, "anchors", "tasks")
        check_words(options.outcomes)
        yield from _batches(_Reader(path, options, log).trials())

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the metrics that the logs state themselves, finite ones.

        Raises:
            FormatError: no log at ``path``.
        """
        silent = ImportLog(self.name, str(path))
        for file in find(path, silent):
            where = name_below(file, path)
            with open_log(file, where, silent) as opened:
                yield from _stated(opened.header, where)


class _Reader:
    """Reads the logs at one path."""

    def __init__(self, path: Path, options: ReadOptions, log: ImportLog) -> None:
        self.path = path
        self.options = options
        self.log = log
        self.files = find(path, log)
        self.first_error: FormatError | None = None
        self.opened = 0

    def trials(self) -> Iterator[Trial]:
        one = len(self.files) == 1
        groups = [self.files] if one else chains((file, identify(file)) for file in self.files)
        for *earlier, last in groups:
            chain = Chain(self.log)
            for file in earlier:
                chain.add(self._read(file))
            yield from chain.finish(self._read(last))
        if not self.opened and self.first_error is not None:
            raise self.first_error

    def _read(self, file: Path) -> Iterator[Read]:
        """Trials of one log. One that cannot be opened is dropped, unless there is no other."""
        where = name_below(file, self.path)
        try:
            with open_log(file, where, self.log) as opened:
                self.opened += 1
                self._declare(opened.header, where)
                before = self.log.rows_read
                yield from trials_of(opened, self.options, self.log)
                if self.log.rows_read == before:
                    self.log.add("note", "log without samples", where)
        except FormatError as error:
            self.first_error = self.first_error or error
            self.log.rows_read += 1
            self.log.add("dropped", "log that cannot be read", f"{error.where or where}: {error.what}")

    def _declare(self, header: Header, where: str) -> None:
        planned = declaration(header)
        if planned not in self.log.declarations:
            self.log.declarations.append(planned)
        if header.status != "success":
            self.log.add("note", f"the evaluation has the status {header.status!r}", where)
        if self.options.suite not in {None, planned.suite}:
            text = f"the data say {planned.suite}: --suite {self.options.suite} is not used"
            self.log.add("note", text, where)


def _batches(trials: Iterator[Trial]) -> Iterator[pl.DataFrame]:
    batch: list[Trial] = []
    for trial in trials:
        batch.append(trial)
        if len(batch) == _BATCH:
            yield trials_frame(batch)
            batch = []
    if batch:
        yield trials_frame(batch)


def _stated(header: Header, where: str) -> Iterator[Stated]:
    agent = evaluation(header).agent
    for score in header.results.scores if header.results else []:
        reducer = f", {score.reducer}" if score.reducer else ""
        for name, metric in score.metrics.items():
            value = metric.get("value")
            if isinstance(value, (int, float)) and math.isfinite(value):
                yield Stated(
                    agent=agent,
                    name=f"{score.name} {name}{reducer}",
                    value=float(value),
                    unit="share" if name == "accuracy" else "",
                    where=f"{where}: results.scores.{score.name}.{name}",
                )
