"""OTLP traces as JSON: spans from a whole export, or from one export a line, with plain attributes and times in UTC."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lines import first_object, read_lines
from measurand.sources.reading.json_lists import read_list
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Happening", "Span", "Unreadable", "holds_spans", "read_spans"]

_KEY: Final = "resourceSpans"
_ERROR: Final = (2, "2", "STATUS_CODE_ERROR")
_DEPTH: Final = 32
"""Levels of an attribute's value; deeper ones are left out."""
_LONG: Final = 2_000
"""Characters of a text that is kept where contents are not wanted."""
_CONTENTS: Final = (
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.tool.definitions",
    "llm.input_messages.",
    "llm.output_messages.",
    "llm.tools.",
)
"""Attributes, or beginnings of their names, that only a trace needs."""


class Happening(NamedTuple):
    """An event of a span."""

    name: str
    t: dt.datetime | None
    attributes: dict[str, Any]


class Span(NamedTuple):
    """A span."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: dt.datetime | None
    end: dt.datetime | None
    failed: bool
    message: str | None
    """Of its status."""
    attributes: dict[str, Any]
    events: tuple[Happening, ...]
    resource: dict[str, Any]
    """Attributes of what produced it."""
    schema: str | None
    where: str

    def get(self, *names: str) -> Any:
        """Return the first of these attributes that the span has."""
        return next((self.attributes[name] for name in names if name in self.attributes), None)

    @property
    def seconds(self) -> float | None:
        """How long it took; ``None`` when its times are unknown or run backwards."""
        if self.start is None or self.end is None or self.end < self.start:
            return None
        return (self.end - self.start).total_seconds()


class Unreadable(NamedTuple):
    """Something in the place of a span, or of a batch of spans."""

    where: str
    why: str


def holds_spans(path: Path) -> bool:
    """Whether a file begins as an export of spans. Never raises."""
    return f'"{_KEY}"'.encode() in head(path)


def read_spans(path: Path, name: str, *, contents: bool) -> Iterator[Span | Unreadable]:
    """Yield the spans of a file in their order.

    Args:
        path: one export (``{"resourceSpans": [...]}``), or one a line as the collector's file exporter writes them.
        name: how places and errors name it.
        contents: whether messages and long texts are wanted too.

    Raises:
        FormatError: not readable.
    """
    for where, batch in _batches(path, name):
        if isinstance(batch, str):
            yield Unreadable(where, batch)
            continue
        resource = _attributes(object_of(batch.get("resource")).get("attributes"), contents=contents)
        for group in map(object_of, list_of(batch.get("scopeSpans"))):
            schema = text(group.get("schemaUrl")) or text(batch.get("schemaUrl"))
            for place, raw in enumerate(list_of(group.get("spans"))):
                yield _span(object_of(raw), f"{where}, span {place + 1}", resource, schema, contents=contents)


def _batches(path: Path, name: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yield batches of one resource, or why there is none."""
    if path.suffix.lower() in {".jsonl", ".ndjson"} or _KEY in first_object(path):
        for line in read_lines(path, name):
            if line.value is None:
                yield line.where, line.why or "not an object"
                continue
            for batch in list_of(line.value.get(_KEY)):
                yield line.where, object_of(batch)
        return
    for entry in read_list(path, _KEY, name).entries:
        yield entry.where, entry.value if entry.value is not None else entry.why or "not an object"


def _span(
    raw: dict[str, Any], where: str, resource: dict[str, Any], schema: str | None, *, contents: bool
) -> Span | Unreadable:
    trace, id_ = text(raw.get("traceId")), text(raw.get("spanId"))
    if trace is None or id_ is None:
        return Unreadable(where, "span without traceId and spanId")
    status = object_of(raw.get("status"))
    return Span(
        trace=trace,
        id=id_,
        parent=text(raw.get("parentSpanId")),
        name=text(raw.get("name")) or "unnamed",
        start=_time(raw.get("startTimeUnixNano")),
        end=_time(raw.get("endTimeUnixNano")),
        failed=status.get("code") in _ERROR,
        message=text(status.get("message")),
        attributes=_attributes(raw.get("attributes"), contents=contents),
        events=tuple(
            Happening(
                text(event.get("name")) or "unnamed",
                _time(event.get("timeUnixNano")),
                _attributes(event.get("attributes"), contents=contents),
            )
            for event in map(object_of, list_of(raw.get("events")))
        ),
        resource=resource,
        schema=schema,
        where=where,
    )


def _time(value: Any) -> dt.datetime | None:
    """Nanoseconds since 1970, as text or number; 0 is unknown. Digits below the microsecond are lost."""
    found = text(value)
    try:
        nanoseconds = int(found) if found else 0
        return (
            dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(microseconds=nanoseconds // 1000)
            if nanoseconds > 0
            else None
        )
    except (ValueError, OverflowError):
        return None


def _attributes(pairs: Any, *, contents: bool) -> dict[str, Any]:
    found = {}
    for pair in map(object_of, list_of(pairs)):
        name = text(pair.get("key"))
        if name and (contents or not name.startswith(_CONTENTS)):
            value = _value(pair.get("value"), _DEPTH)
            if contents or not (isinstance(value, str) and len(value) > _LONG):
                found[name] = value
    return found


def _value(value: Any, depth: int) -> Any:
    """Return the value of an attribute: integers may be text in OTLP's JSON."""
    if not isinstance(value, dict) or not depth:
        return None
    if "intValue" in value:
        return whole(value["intValue"]) if number(value["intValue"]) != -1 else -1
    if "arrayValue" in value:
        return [_value(entry, depth - 1) for entry in list_of(object_of(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        pairs = map(object_of, list_of(object_of(value["kvlistValue"]).get("values")))
        return {
            name: _value(pair.get("value"), depth - 1) for pair in pairs if (name := text(pair.get("key")))
        }
    if "doubleValue" in value:
        return number(value["doubleValue"])
    return next((value[kind] for kind in ("stringValue", "boolValue", "bytesValue") if kind in value), None)
