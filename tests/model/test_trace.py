"""The hash chain of a trace."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import FormatError
from measurand.model.trace import START, Draft, Event, chain, decode_trace, encode_trace, flaw

WORDS = st.text(max_size=8)
PAYLOADS = st.dictionaries(
    WORDS, WORDS | st.integers(-5, 5) | st.none() | st.lists(WORDS, max_size=2), max_size=3
)


def _events(*payloads: dict[str, Any]) -> list[Event]:
    return list(chain(Draft("note", payload) for payload in payloads))


def test_each_event_names_the_one_before() -> None:
    first, second = _events({"text": "a"}, {"text": "b"})
    assert (first.prev, second.prev) == (START, first.hash)


@given(st.lists(PAYLOADS, max_size=5))
def test_a_trace_reads_back_as_it_was_written(payloads: list[dict[str, Any]]) -> None:
    """Whatever the texts are, the chain still holds after a round trip."""
    again = decode_trace(encode_trace(_events(*payloads)), "t")
    assert flaw(again) is None
    assert [event.hash for event in again] == [event.hash for event in _events(*payloads)]


@given(st.lists(PAYLOADS, min_size=2, max_size=5), st.data())
def test_any_change_is_found(payloads: list[dict[str, Any]], data: st.DataObject) -> None:
    """A payload, a time or a cause that changed, an event taken out, two that changed places."""
    events = _events(*payloads)
    at = data.draw(st.integers(0, len(events) - 1))
    moment = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    for change in ({"payload": {"text": "forged", "x": [1]}}, {"t": moment}, {"cause": 0}, {"kind": "error"}):
        forged = [*events]
        forged[at] = msgspec.structs.replace(events[at], **change)
        assert flaw(forged) is not None
    if at < len(events) - 1:
        assert flaw(events[:at] + events[at + 1 :]) is not None
        assert flaw([*events[:at], events[at + 1], events[at], *events[at + 2 :]]) is not None


def test_half_a_surrogate_pair_is_kept_as_an_escape() -> None:
    """Agents print anything; UTF-8 cannot hold this, and the trace must."""
    (event,) = decode_trace(encode_trace(_events({"text": "a\ud800b"})), "t")
    assert event.payload == {"text": "a\\ud800b"}
    assert flaw([event]) is None


def test_what_is_no_event_is_refused_with_its_line() -> None:
    with pytest.raises(FormatError, match="not an event") as error:
        decode_trace(encode_trace(_events({})) + b'{"seq": 1}\n', "t.jsonl")
    assert error.value.where == "t.jsonl:2"
