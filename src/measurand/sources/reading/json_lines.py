"""JSON Lines of other tools, one object a line, read one at a time and up to a limit; a damaged line hinders no other."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from measurand.errors import FormatError
from measurand.sources.reading import loose_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Line", "first_object", "read_lines"]

_MOST: Final = 2**28
"""Bytes of a line: a longer one is left out rather than filling the memory."""
_CHUNK: Final = 2**20


class Line(NamedTuple):
    """A line that is not blank."""

    where: str
    value: dict[str, Any] | None
    """The object; ``None`` when there is none to be had."""
    why: str | None = None
    """Why not."""


def read_lines(path: Path, where: str, *, most: int = _MOST, digest: Any | None = None) -> Iterator[Line]:
    """Yield the lines of a file.

    Args:
        path: the file.
        where: how places and errors name it.
        most: bytes that a line may have.
        digest: a hash of :mod:`hashlib`, given all bytes that are read.

    Raises:
        FormatError: the file cannot be read.
    """
    digest = digest or hashlib.sha256()
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(most + 1):
                number += 1
                digest.update(raw)
                place = f"{where}:{number}"
                if len(raw) > most:
                    _skip_line(file, digest)
                    yield Line(place, None, f"longer than {most} bytes")
                elif raw.strip(b"\xef\xbb\xbf \t\r\n"):
                    yield _line(raw, place)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=where) from error


def _skip_line(file: BinaryIO, digest: Any) -> None:
    while raw := file.readline(_CHUNK):
        digest.update(raw)
        if raw.endswith(b"\n"):
            return


def _line(raw: bytes, place: str) -> Line:
    try:
        value = loose_json.decode(raw, place)
    except FormatError as error:
        return Line(place, None, error.what)
    return Line(place, value) if isinstance(value, dict) else Line(place, None, "not an object")


def first_object(path: Path, most: int = _CHUNK) -> dict[str, Any]:
    """Return the object in the first line, for sniffing; empty where there is none, or a longer one. Never raises."""
    try:
        with path.open("rb") as file:
            line = _line(file.readline(most), "")
    except OSError:
        return {}
    return line.value or {}
