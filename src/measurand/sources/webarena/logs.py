"""Logs of WebArena's runs (``merge_log.txt``, ``log_files/*.log``): which task began, and how it ended, line by line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.outcomes import Outcome
from measurand.sources.reading.failure_words import short
from measurand.sources.reading.json_files import head

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Ending", "average_score", "is_log", "read_log"]

_RESULT: Final = re.compile(rb"\[Result\] \((PASS|FAIL)\) (?:\S*/)?(\d{1,9})\.json")
_BEGAN: Final = re.compile(rb"\[Config file\]: (?:\S*/)?(\d{1,9})\.json")
_FAILED: Final = re.compile(rb"\[(Unhandled Error|OpenAI Error)\] ?(.*)")
_AVERAGE: Final = re.compile(rb"Average score: ([0-9.]{1,30})")
_LONGEST: Final = 2**20


class Ending(NamedTuple):
    """How a task ended, once."""

    task: str
    outcome: Outcome
    passed: bool | None
    reason: str | None
    line: int
    attempts: int | None = 1
    """Starts of the task; ``None`` where nobody says."""


def is_log(file: Path) -> bool:
    """Whether a file has a result of WebArena in its beginning."""
    return _RESULT.search(head(file)) is not None


def read_log(file: Path, where: str) -> list[Ending]:
    """Read how each task ended, in the order of the log; where a task was run again, the last result holds.

    A task that began and neither ended nor failed was interrupted.

    Raises:
        FormatError: the file cannot be read.
    """
    found: dict[str, Ending] = {}
    for ending in _endings(file, where):
        earlier = found.pop(ending.task, None)
        attempts = 1 + ((earlier.attempts or 0) if earlier else 0)
        keep = (
            earlier
            if earlier is not None and earlier.passed is not None and ending.passed is None
            else ending
        )
        found[ending.task] = keep._replace(attempts=attempts)
    return list(found.values())


def _endings(file: Path, where: str) -> Iterator[Ending]:
    """Each ending of a task. A result without a beginning, as in a log of results alone, is one too."""
    began: tuple[str, int] | None = None
    for number, line in _lines(file, where):
        if match := _BEGAN.search(line):
            if began is not None:
                yield _interrupted(*began)
            began = match[1].decode(), number
        elif match := _RESULT.search(line):
            task, passed = match[2].decode(), match[1] == b"PASS"
            if began is not None and began[0] != task:
                yield _interrupted(*began)
            began = None
            yield Ending(task, Outcome.COMPLETED, passed, None, number)
        elif (match := _FAILED.search(line)) and began is not None:
            reason = short(f"{match[1].decode()}: {match[2].decode('utf-8', errors='replace')}")
            yield Ending(began[0], Outcome.INFRA_ERROR, None, reason, number)
            began = None
    if began is not None:
        yield _interrupted(*began)


def _interrupted(task: str, line: int) -> Ending:
    return Ending(task, Outcome.INTERRUPTED, None, "began, and no result", line)


def average_score(file: Path, where: str) -> tuple[float, int] | None:
    """Last average that a log states, and its line."""
    found = None
    for number, line in _lines(file, where):
        if match := _AVERAGE.search(line):
            try:
                found = float(match[1]), number
            except ValueError:
                continue
    return found


def _lines(file: Path, where: str) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; a very long one comes in parts that bear the same number."""
    try:
        with file.open("rb") as opened:
            yield from _numbered(opened)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=where) from error


def _numbered(opened: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 1
    while line := opened.readline(_LONGEST):
        yield number, line
        number += line.endswith(b"\n")
