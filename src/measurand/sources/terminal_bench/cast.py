"""A terminal recording (asciicast, versions 2 and 3) becomes the trace of a trial: keys are actions, output is observed."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.model.trace import Draft
from measurand.sources.reading import loose_json
from measurand.sources.reading.loose_values import number, object_of, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.model.trace import EventKind

__all__ = ["cast_events", "is_cast"]

_LONGEST: Final = 2**26
"""Bytes of a line; a longer one is told as damaged."""
_VERSIONS: Final = (2, 3)
_TOOL: Final = "terminal"


def is_cast(path: Path) -> bool:
    """Whether a file begins as a recording does. Never raises."""
    try:
        with path.open("rb") as file:
            return _header(file.readline(_LONGEST)) is not None
    except OSError:
        return False


def _header(line: bytes) -> dict[str, Any] | None:
    try:
        header = object_of(loose_json.decode(line, "header"))
    except FormatError:
        return None
    return header if header.get("version") in _VERSIONS else None


def cast_events(path: Path, first: int) -> Iterator[Draft]:
    """Yield the events of a recording, line by line.

    Args:
        path: the file.
        first: number of the next event of the trace.
    """
    with path.open("rb") as file:
        header = _header(file.readline(_LONGEST)) or {}
        began = whole(header.get("timestamp"))
        recording = _Recording(first, began, adds_up=header.get("version") == 3)
        yield recording.note(
            {"what": "recording", "width": header.get("width"), "height": header.get("height")}
        )
        while line := file.readline(_LONGEST):
            if line.strip():
                yield recording.event(line)


class _Recording:
    """Where in the recording we are."""

    def __init__(self, first: int, began: int | None, *, adds_up: bool) -> None:
        self.number = first
        self.began = began
        self.adds_up = adds_up
        """Whether times are since the event before (version 3), not since the beginning."""
        self.seconds = 0.0
        self.acted: int | None = None
        """The last keys that were typed."""

    def note(self, payload: dict[str, Any]) -> Draft:
        """Make a note, without a time."""
        return self._draft("note", payload, None)

    def event(self, line: bytes) -> Draft:
        """Make the event of a line. A line that is none, or cut, is kept as it is."""
        try:
            loose = loose_json.loads(line, "line")
        except FormatError:
            return self._damaged(line)
        entry = loose.value
        if not (isinstance(entry, list) and len(entry) == 3 and isinstance(entry[2], str)):
            return self._damaged(line)
        seconds, code, data = number(entry[0]), entry[1], entry[2]
        at = self._at(seconds)
        marks: dict[str, Any] = {"replaced_bytes": True} if loose.replaced else {}
        if code == "i":
            draft = self._draft("action", {"tool": _TOOL, "arguments": {"keys": data}} | marks, at)
            self.acted = self.number - 1
            return draft
        if code == "o":
            return self._draft("observation", {"text": data} | marks, at, self.acted)
        return self._draft("note", {"what": str(code), "text": data} | marks, at)

    def _damaged(self, line: bytes) -> Draft:
        text = line.decode("utf-8", errors="backslashreplace")
        return self.note({"what": "damaged line", "text": text})

    def _at(self, seconds: float | None) -> float | None:
        if seconds is None or not self.adds_up:
            return seconds
        self.seconds += seconds
        return self.seconds

    def _draft(
        self, kind: EventKind, payload: dict[str, Any], at: float | None, cause: int | None = None
    ) -> Draft:
        self.number += 1
        return Draft(kind, payload, self._time(at), at, cause)

    def _time(self, at: float | None) -> dt.datetime | None:
        if at is None or self.began is None:
            return None
        try:
            return dt.datetime.fromtimestamp(self.began + at, dt.UTC)
        except (ValueError, OverflowError, OSError):
            return None
