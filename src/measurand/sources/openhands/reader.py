"""Reads all files of OpenHands in a folder: outputs with what lies beside them, and lists of events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.imports import Declaration
from measurand.model.trial import UNNAMED
from measurand.sources.base import ImportLog
from measurand.sources.openhands.output import Attempt, Tried, is_output, read_attempts
from measurand.sources.openhands.results import read_results
from measurand.sources.openhands.trials import Place, trial_of_events, trial_of_output
from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import is_inside, read_capped
from measurand.sources.reading.folder_files import files_below, name_below
from measurand.sources.reading.json_files import head
from measurand.sources.reading.loose_values import list_of, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.model.trial import Trial
    from measurand.sources.base import ReadOptions

__all__ = ["Output", "Reader", "is_events"]

_NAME: Final = re.compile(r"(?P<stem>.+?)(?P<part>\.critic_attempt_\d+)?\.jsonl")
_GRADED: Final = ".swebench_eval.jsonl"
_EVENT: Final = (b'"source"', b'"timestamp"', b'"id"')
_SERVER: Final = re.compile(
    rb'"(action|observation)"\s*:\s*"(system|message|run|recall|think|finish|edit|read)"'
)
_SDK: Final = re.compile(rb'"kind"\s*:\s*"(SystemPromptEvent|MessageEvent|ActionEvent)"')
_MOST: Final = 2**29


def is_events(file: Path) -> bool:
    """Whether a file begins as a list of OpenHands's events."""
    start = head(file)
    if start.lstrip()[:1] != b"[" or not all(mark in start for mark in _EVENT):
        return False
    server = _SERVER.search(start) and (b'"args"' in start or b'"extras"' in start)
    return bool(_SDK.search(start) or server)


class Output(NamedTuple):
    """An output, with the files of its single attempts."""

    file: Path
    parts: tuple[Path, ...]
    """Files of attempts; the output is one of them where it was never put together."""


class Reader:
    """Reads the files of one import.

    Args:
        root: file or folder.
        options: what the user says.
        log: of the import.
    """

    def __init__(self, root: Path, options: ReadOptions, log: ImportLog) -> None:
        self.root = root
        self.options = options
        self.log = log
        self.offsets: dict[Path, list[int]] = {}
        self.suites: set[str] = set()

    def outputs(self) -> list[Output]:
        """Outputs, each with the files of its attempts."""
        whole: dict[tuple[Path, str], Path] = {}
        parts: dict[tuple[Path, str], list[Path]] = {}
        for file in files_below(self.root, self.log, ".jsonl"):
            named = _NAME.fullmatch(file.name)
            if file.name.endswith(_GRADED) or named is None or not is_output(head(file)):
                continue
            key = (file.parent, named["stem"])
            if named["part"]:
                parts.setdefault(key, []).append(file)
            else:
                whole[key] = file
        keys = sorted({*whole, *parts})
        return [Output(whole.get(key) or parts[key][0], tuple(parts.get(key, ()))) for key in keys]

    def trials(self) -> Iterator[Trial]:
        """Yield the trials of outputs, then those of lists of events.

        Raises:
            FormatError: an output that cannot be read.
        """
        outputs = self.outputs()
        for output in outputs:
            yield from self._of_output(output)
        if not outputs or self.root.is_dir():
            yield from self._of_events()

    def attempts(self, file: Path, log: ImportLog) -> Iterator[Attempt]:
        """Yield the lines of a file."""
        yield from read_attempts(file, name_below(file, self.root), self._metadata(file), log)

    def _metadata(self, output: Path) -> dict[str, Any]:
        file = output.parent / "metadata.json"
        if not self.root.is_dir() or not file.is_file() or not is_inside(file, self.root):
            return {}
        where = name_below(file, self.root)
        try:
            return object_of(loose_json.decode(read_capped(file, where, _MOST), where))
        except FormatError as error:
            self.log.add("note", f"metadata that are not read: {error.what}", where)
            return {}

    def _of_output(self, output: Output) -> Iterator[Trial]:
        tried: dict[tuple[str, str], list[Tried]] = {}
        in_parts = output.file in output.parts
        for file in output.parts if in_parts else (output.file,):
            for attempt in self.attempts(file, self.log):
                self._sort_in(attempt, tried)
        if not in_parts:
            self._other_attempts(output, tried)
        results = read_results(output.file, self.root, self.log)
        place = self._place(output.file)
        for one in (copy for copies in tried.values() for copy in copies):
            trial = trial_of_output(one, results.get(one.chosen.task), place, self.offsets)
            self._declare(trial.suite)
            yield trial

    def _sort_in(self, attempt: Attempt, tried: dict[tuple[str, str], list[Tried]]) -> None:
        """Attempts of one instance are one trial; a line that says again what became of one of them is another record."""
        copies = tried.setdefault((attempt.setup.agent_digest, attempt.task), [])
        one = next((copy for copy in copies if not copy.has(attempt.number)), None)
        if one is None:
            copies.append(Tried([attempt], attempt))
            return
        one.add(attempt)
        one.chosen = one.attempts[-1]
        self.log.rows_read -= 1
        self.log.add("note", "several attempts at an instance: one trial", attempt.where)

    def _other_attempts(self, output: Output, tried: dict[tuple[str, str], list[Tried]]) -> None:
        """Read attempts that were not handed in, for what they cost."""
        own = ImportLog(self.log.source, self.log.path)
        for file in output.parts:
            for attempt in self.attempts(file, own):
                for one in tried.get((attempt.setup.agent_digest, attempt.task), []):
                    if not one.has(attempt.number):
                        one.add(attempt)
            self.log.add("note", "other attempts: read for what they used", name_below(file, self.root))

    def _of_events(self) -> Iterator[Trial]:
        for file in files_below(self.root, self.log, ".json"):
            where = name_below(file, self.root)
            if file != self.root and not is_events(file):
                continue
            self.log.rows_read += 1
            try:
                events = list_of(loose_json.decode(read_capped(file, where, _MOST), where))
                trial = trial_of_events(file, events, where, self._place(file))
            except FormatError as error:
                self.log.add("dropped", f"events that cannot be read: {error.what}", where)
                continue
            self._declare(trial.suite)
            yield trial

    def _place(self, file: Path) -> Place:
        return Place(self.options.suite, file.resolve().parent.name or None, self.log)

    def _declare(self, suite: str) -> None:
        if suite not in self.suites:
            self.suites.add(suite)
            self.log.declarations.append(Declaration(suite=suite, trials=1))
            if suite == UNNAMED:
                self.log.add("note", "the data do not say which suite: give it with --suite", "")
