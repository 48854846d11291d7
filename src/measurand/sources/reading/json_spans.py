"""Where the objects of one long array stand in a large JSON document, found in one pass without holding it in memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import numpy as np

from measurand.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Split", "split_array"]

_CHUNK: Final = 2**17
_LOOK_BACK: Final = 2**10
"""Bytes before an array in which its key stands."""
_QUOTE, _BACKSLASH, _OPEN_ARRAY = (ord(sign) for sign in '"\\[')
_ALIKE, _SAME = 0xD8, 0x58
"""Bits that brackets, braces and the backslash have in common; few other signs have them."""
_STEP: Final = np.zeros(256, np.int8)
_STEP[[ord(sign) for sign in "{["]] = 1
_STEP[[ord(sign) for sign in "}]"]] = -1


class Split(NamedTuple):
    """A document taken apart."""

    rest: bytes
    """The document with the array empty."""
    spans: list[tuple[int, int]]
    """Where each object of the array begins and ends in the file."""
    complete: bool
    """Whether the document ends where it should; if not, ``rest`` is closed so that it can be read where it broke off
    within the array."""


def split_array(file: BinaryIO, key: str, most: int, where: str) -> Split:
    """Find the objects of the array that stands under ``key`` at the top of the JSON object in ``file``.

    Only brackets and quotes are looked at: what is no JSON gives spans that are none either.

    Args:
        file: open at its beginning.
        key: the array's key.
        most: bytes that the rest may have.
        where: how errors name the file.

    Raises:
        FormatError: the rest is larger than ``most``.
    """
    scan = _Scan(re.compile(b'"' + re.escape(key.encode()) + rb'"\s*:\s*\Z'))
    while chunk := file.read(_CHUNK):
        scan.add(chunk)
        if len(scan.rest) > most:
            raise FormatError(f"larger than {most} bytes outside {key!r}", where=where)
    complete = scan.depth == 0 and not scan.in_string
    rest = bytes(scan.rest) + (b"]}" if scan.inside and not complete else b"")
    return Split(rest, scan.spans, complete)


class _Scan:
    """What is known at the end of the bytes seen so far."""

    def __init__(self, key: re.Pattern[bytes]) -> None:
        self.key = key
        self.offset = 0
        self.depth = 0
        self.in_string = False
        self.escaped = False
        """Whether the next byte is escaped by a backslash."""
        self.inside = False
        """Whether the array is open."""
        self.began = 0
        """Where its open object begins."""
        self.before = b""
        self.rest = bytearray()
        self.spans: list[tuple[int, int]] = []

    def add(self, chunk: bytes) -> None:
        data = np.frombuffer(chunk, np.uint8)
        places = np.flatnonzero((data & _ALIKE == _SAME) | (data == _QUOTE))
        signs = data[places]
        quotes = places[signs == _QUOTE]
        quotes = self._unescaped(quotes, places[signs == _BACKSLASH], len(chunk))
        brackets = places[_STEP[signs] != 0]
        outside = (np.searchsorted(quotes, brackets) + self.in_string) % 2 == 0
        brackets = brackets[outside]
        steps = _STEP[data[brackets]]
        depths = self.depth + np.cumsum(steps, dtype=np.int64)
        self._walk(chunk, brackets, steps, depths)
        self.in_string = (self.in_string + len(quotes)) % 2 == 1
        self.depth = int(depths[-1]) if len(depths) else self.depth
        self.before = (self.before + chunk)[-_LOOK_BACK:]
        self.offset += len(chunk)

    def _unescaped(
        self, quotes: NDArray[np.int64], backslashes: NDArray[np.int64], length: int
    ) -> NDArray[np.int64]:
        """Quotes that no backslash escapes: within a run of backslashes every second is itself escaped."""
        carried = self.escaped
        self.escaped = False
        if len(backslashes) == 0:
            return quotes[1:] if carried and len(quotes) and quotes[0] == 0 else quotes
        first = np.flatnonzero(np.diff(backslashes, prepend=-2) != 1)
        number = np.arange(len(backslashes)) - np.repeat(first, np.diff(first, append=len(backslashes)))
        if carried and backslashes[0] == 0:
            run = first[1] if len(first) > 1 else len(backslashes)
            number[:run] += 1
        escaped = backslashes[number % 2 == 0] + 1
        self.escaped = bool(len(escaped) and escaped[-1] == length)
        if carried:
            escaped = np.insert(escaped, 0, 0)
        found = np.searchsorted(escaped, quotes)
        free: NDArray[np.bool_] = np.append(escaped, -1)[found] != quotes
        return quotes[free]

    def _walk(
        self,
        chunk: bytes,
        brackets: NDArray[np.int64],
        steps: NDArray[np.int8],
        depths: NDArray[np.int64],
    ) -> None:
        """Follow the brackets near the top: those that open or close the array, and its objects."""
        near = np.flatnonzero((depths - (steps > 0) <= 2) & (depths <= 3))
        copied = 0
        for place, step, depth in zip(
            brackets[near].tolist(), steps[near].tolist(), depths[near].tolist(), strict=True
        ):
            if not self.inside:
                if step > 0 and depth == 2 and chunk[place] == _OPEN_ARRAY and self._is_key(chunk, place):
                    self.inside = True
                    self.rest += chunk[copied : place + 1]
            elif step > 0 and depth == 3:
                self.began = self.offset + place
            elif step < 0 and depth == 2:
                self.spans.append((self.began, self.offset + place + 1))
            elif step < 0 and depth < 2:
                self.inside = False
                copied = place
        if not self.inside:
            self.rest += chunk[copied:]

    def _is_key(self, chunk: bytes, place: int) -> bool:
        before = (self.before + chunk[max(0, place - _LOOK_BACK) : place])[-_LOOK_BACK:]
        return self.key.search(before) is not None
