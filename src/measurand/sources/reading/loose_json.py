"""JSON as other tools write it: with bare NaN and Infinity, halves of surrogate pairs, or bytes that are not UTF-8."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import msgspec

from measurand.errors import FormatError
from measurand.model.digests import without_surrogates

__all__ = ["Loose", "decode", "loads"]


class Loose(NamedTuple):
    """A value read loosely."""

    value: Any
    replaced: bool
    """Whether bytes that are not UTF-8 were replaced."""


def decode(data: bytes, where: str) -> Any:
    """Read one JSON value quickly; what strict JSON does not allow is read by :func:`loads`.

    Raises:
        FormatError: not JSON even so.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return loads(data, where).value


def loads(data: bytes, where: str) -> Loose:
    """Read one JSON value: NaN and Infinity as such, halves of surrogate pairs as escapes, bytes not UTF-8 replaced.

    Raises:
        FormatError: not JSON even so.
    """
    try:
        text, replaced = data.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        text, replaced = data.decode("utf-8-sig", errors="replace"), True
    try:
        value = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            value = without_surrogates(value)
    except RecursionError:
        raise FormatError("nested too deeply", where=where) from None
    except ValueError as error:
        raise FormatError(
            f"not readable JSON: {error}", where=where, hint="the file may be cut; copy it again"
        ) from error
    return Loose(value, replaced)
