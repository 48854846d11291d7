"""Records as JSON in a versioned envelope, for programs."""

from __future__ import annotations

from typing import Final

import msgspec

from measurand._version import __version__
from measurand.model.digests import without_surrogates

__all__ = ["SCHEMA", "to_json"]

SCHEMA: Final = 1
"""Version of the form of the data; it rises when a field changes its meaning or goes away."""


class _Envelope(msgspec.Struct, frozen=True):
    """What stands around every result."""

    measurand: str
    """Version of the package that wrote it."""
    kind: str
    schema: int
    data: msgspec.Struct


def to_json(record: msgspec.Struct, kind: str) -> str:
    """Write ``record`` as one JSON object: measurand (version), kind, schema and data.

    Names stand unchanged. Numbers that are not finite become null, for JSON has none.

    Args:
        record: a result, such as a board.
        kind: what it is: report, compare, import.

    Returns:
        Indented JSON that ends in a line feed.
    """
    try:
        encoded = msgspec.json.encode(_Envelope(__version__, kind, SCHEMA, record))
    except UnicodeEncodeError:  # half of a surrogate pair in a name, which UTF-8 cannot hold
        encoded = msgspec.json.encode(
            without_surrogates(msgspec.to_builtins(_Envelope(__version__, kind, SCHEMA, record)))
        )
    return msgspec.json.format(encoded, indent=2).decode("utf-8") + "\n"
