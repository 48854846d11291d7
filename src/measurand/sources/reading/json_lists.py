"""A long list of objects in a JSON file, read one object at a time; the list is the whole file, or stands under a key."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, cast

import msgspec

from measurand.errors import FormatError
from measurand.sources.reading import loose_json
from measurand.sources.reading.json_spans import split_array

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["REPLACED", "Entry", "JsonList", "RecordError", "read_list", "read_object"]

_MOST: Final = 2**29
"""Bytes that an object may have: one that is larger is left out rather than filling the memory."""
REPLACED: Final = "bytes that are not UTF-8: replaced"
_MOST_BESIDE: Final = 2**28
"""Bytes that may stand beside the list."""
_PREFIX: Final = b'{"list":'
_BOM: Final = b"\xef\xbb\xbf"
_BETWEEN: Final = b", \t\r\n"
_MOST_BETWEEN: Final = 2**16


class RecordError(Exception):
    """A record that is no trial; the message says why. It is for a source to catch, and to say."""


class Entry(NamedTuple):
    """An entry of the list."""

    where: str
    value: dict[str, Any] | None
    """The object; ``None`` when there is none to be had."""
    why: str | None = None
    """Why not."""
    replaced: bool = False
    """Whether bytes that are not UTF-8 were replaced."""


class JsonList(NamedTuple):
    """A file taken apart."""

    rest: dict[str, Any]
    """What stands beside the list; empty where the list is the whole file."""
    entries: Iterator[Entry]
    """Its entries, damaged ones too."""
    objects: int
    """Number of objects, as far as brackets tell."""


def read_list(path: Path, key: str | None, where: str, *, most: int = _MOST) -> JsonList:
    """Take a file apart.

    Args:
        path: the file.
        key: where the list stands in the object that the file is; ``None`` where the file is the list.
        where: how errors and entries name it.
        most: bytes that an entry may have.

    Raises:
        FormatError: not readable, not JSON, or too large beside the list.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, io.SEEK_END)
            file.seek(0)
            bom = len(_BOM) if file.read(len(_BOM)) == _BOM else 0
            file.seek(bom)
            shift = bom
            source: BinaryIO = file
            if key is None:
                shift -= len(_PREFIX)
                source = cast("BinaryIO", _Wrapped(file, closed=_ends_the_list(file, size, bom)))
            split = split_array(source, key or "list", _MOST_BESIDE, where)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=where) from error
    rest = loose_json.decode(split.rest, where)
    if not isinstance(rest, dict):
        raise FormatError("not a JSON object", where=where)
    spans = [(start + shift, end + shift) for start, end in split.spans]
    begin = spans[-1][1] if spans else len(split.rest) - len("]}") + shift
    cut = None if split.complete else begin
    entries = _entries(path, spans, cut, where, most)
    return JsonList(rest if key else {}, entries, len(spans))


class _Wrapped:
    """A file that is a list, as the object that holds it under a key."""

    def __init__(self, file: BinaryIO, *, closed: bool) -> None:
        self.parts = [io.BytesIO(_PREFIX), file, *([io.BytesIO(b"}")] if closed else [])]

    def read(self, size: int) -> bytes:
        while self.parts:
            if data := self.parts[0].read(size):
                return data
            self.parts.pop(0)
        return b""


def _ends_the_list(file: BinaryIO, size: int, begin: int) -> bool:
    """Whether the file ends in a closing bracket: then nothing is missing, or an entry will show that it is."""
    file.seek(max(begin, size - _MOST_BETWEEN))
    ends = file.read().rstrip().endswith(b"]")
    file.seek(begin)
    return ends


def _entries(
    path: Path, spans: list[tuple[int, int]], cut: int | None, where: str, most: int
) -> Iterator[Entry]:
    with path.open("rb") as file:
        after = None
        number = 0
        for start, end in spans:
            if after is not None and _something_between(file, after, start):
                number += 1
                yield Entry(f"{where}: record {number}", None, "not an object")
            number += 1
            yield _entry(file, start, end, f"{where}: record {number}", most)
            after = end
        if cut is not None and _something_between(file, cut, None):
            yield Entry(f"{where}: record {number + 1}", None, "cut: the file ends within it")


def _something_between(file: BinaryIO, start: int, end: int | None) -> bool:
    """Whether there is more than commas and white space."""
    file.seek(start)
    size = _MOST_BETWEEN if end is None else min(end - start, _MOST_BETWEEN)
    return bool(file.read(max(size, 0)).strip(_BETWEEN))


def _entry(file: BinaryIO, start: int, end: int, where: str, most: int) -> Entry:
    if end - start > most:
        return Entry(where, None, f"larger than {most} bytes")
    file.seek(start)
    return _object(file.read(end - start), where)


def read_object(path: Path, where: str, *, most: int = _MOST) -> Entry:
    """Read a file that is one object; never raises for what it holds."""
    try:
        if path.stat().st_size > most:
            return Entry(where, None, f"larger than {most} bytes")
        return _object(path.read_bytes(), where)
    except OSError as error:
        return Entry(where, None, f"cannot be read: {error.strerror}")


def _object(data: bytes, where: str) -> Entry:
    try:
        found = loose_json.Loose(msgspec.json.decode(data), replaced=False)
    except (msgspec.MsgspecError, RecursionError):
        try:
            found = loose_json.loads(data, where)
        except FormatError as error:
            return Entry(where, None, error.what.partition(":")[0])
    if not isinstance(found.value, dict):
        return Entry(where, None, "not an object")
    return Entry(where, found.value, replaced=found.replaced)
