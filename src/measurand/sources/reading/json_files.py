"""Whole JSON files of other tools: read strictly, with errors that name the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from measurand.errors import FormatError
from measurand.sources.reading.capped_files import read_capped

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["head", "read_json"]

_HEAD: Final = 2**20
_MOST: Final = 2**29
"""Bytes of a file that is read whole."""


class _RepeatedKeyError(Exception):
    """Carries a key that stands twice in one object."""


def read_json(path: Path, where: str) -> Any:
    """Read one JSON value.

    Args:
        path: the file.
        where: how errors name it.

    Raises:
        FormatError: not readable, not UTF-8, not JSON, or an object that holds a key twice (a parser would keep
            one of the two values in silence).
    """
    data = read_capped(path, where, _MOST)
    return _decode(data.removeprefix(b"\xef\xbb\xbf"), where)


def _decode(data: bytes, where: str) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"not UTF-8: byte 0x{data[error.start]:02x}",
            where=f"{where}:{line}",
            hint="save the file as UTF-8",
        ) from None
    try:
        value = msgspec.json.decode(text)
        json.loads(text, object_pairs_hook=_refuse_repeated)
    except _RepeatedKeyError as error:
        raise FormatError(
            f"the key {error.args[0]!r} stands twice in one object",
            where=where,
            hint="say which of the two holds, and remove the other",
        ) from None
    except RecursionError:
        raise FormatError("nested too deeply", where=where) from None
    except (msgspec.DecodeError, ValueError) as error:
        raise FormatError(
            f"not readable JSON: {error}",
            where=where,
            hint="the file may be cut; copy it again from its source",
        ) from error
    return value


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _RepeatedKeyError(key)
        seen.add(key)


def head(path: Path) -> bytes:
    """Beginning of a file (1 MiB at most), empty if it cannot be read: for sniffing, which never raises."""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""
