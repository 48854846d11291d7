"""Records of Inspect AI's logs from bytes: quickly where they are as they should be, else field by field.

A field of the wrong type becomes unknown, and nothing else with it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from measurand.errors import FormatError
from measurand.sources.inspect_logs.records import EventHead, Header, Sample, SampleScores, Score
from measurand.sources.reading import loose_json

__all__ = ["Decoded", "decode_header", "decode_heads", "decode_sample", "decode_scores", "decode_summaries"]

T = TypeVar("T", bound=msgspec.Struct)


class Decoded(NamedTuple, Generic[T]):
    """A record, and what had to be done to read it."""

    record: T
    unusable: tuple[str, ...] = ()
    """Fields of the wrong type, read as unknown."""
    replaced: bool = False
    """Whether bytes that are not UTF-8 were replaced."""


_HEADER: Final = msgspec.json.Decoder(Header)
_SAMPLE: Final = msgspec.json.Decoder(Sample)
_HEADS: Final = msgspec.json.Decoder(list[EventHead])
_SCORES: Final = msgspec.json.Decoder(SampleScores)
_SUMMARIES: Final = msgspec.json.Decoder(list[SampleScores])


def decode_header(data: bytes, where: str) -> Decoded[Header]:
    """Read a header.

    Raises:
        FormatError: not JSON, or without a task or a model.
    """
    return _decode(data, _HEADER, Header, where)


def decode_sample(data: bytes, where: str) -> Decoded[Sample]:
    """Read a sample.

    Raises:
        FormatError: not JSON, or without an id or an epoch.
    """
    return _decode(data, _SAMPLE, Sample, where)


def decode_scores(data: bytes, where: str) -> dict[str, Score]:
    """Read the scores of a sample and nothing else.

    Raises:
        FormatError: not JSON.
    """
    return _decode(data, _SCORES, SampleScores, where).record.scores or {}


def decode_summaries(data: bytes, where: str) -> list[dict[str, Score]]:
    """Read the scores of each sample of a list of summaries.

    Raises:
        FormatError: not a list of JSON objects.
    """
    try:
        return [summary.scores or {} for summary in _SUMMARIES.decode(data)]
    except (msgspec.MsgspecError, RecursionError):
        value = loose_json.loads(data, where).value
    if not isinstance(value, list):
        raise FormatError("not a list of summaries", where=where)
    return [_lenient(entry, SampleScores, where).record.scores or {} for entry in value]


def decode_heads(data: bytes, where: str) -> list[EventHead]:
    """Read what each event of a list is. What is no such list gives none.

    Raises:
        FormatError: not JSON.
    """
    try:
        return _HEADS.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        events = loose_json.loads(data, where).value
        entries = events if isinstance(events, list) else []
        return [_lenient(entry, EventHead, where).record for entry in entries if isinstance(entry, dict)]


def _decode(data: bytes, decoder: msgspec.json.Decoder[T], kind: type[T], where: str) -> Decoded[T]:
    try:
        return Decoded(decoder.decode(data))
    except (msgspec.MsgspecError, RecursionError):
        loose = loose_json.loads(data, where)
    return _lenient(loose.value, kind, where)._replace(replaced=loose.replaced)


def _lenient(value: Any, kind: type[T], where: str) -> Decoded[T]:
    """Build a record from what is usable: numbers in quotes are, a text in place of a list is not."""
    if not isinstance(value, dict):
        raise FormatError("not a JSON object", where=where)
    fields: dict[str, Any] = {}
    unusable = []
    known = _fields(kind)
    for field in known:
        given = value.get(field.name)
        if given is None:
            continue
        try:
            fields[field.name] = _converted(given, field.type)
        except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
            unusable.append(field.name)
    lacking = [
        field.name for field in msgspec.structs.fields(kind) if field.required and field.name not in fields
    ]
    if lacking:
        raise FormatError(f"there is no usable {lacking[0]!r}", where=where)
    return Decoded(kind(**fields), tuple(unusable))


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _converted(value: Any, kind: Any) -> Any:
    if kind is msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(value))
    return msgspec.convert(value, kind, strict=False)
