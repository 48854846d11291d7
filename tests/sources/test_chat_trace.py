"""Messages of a chat become events."""

from __future__ import annotations

from typing import Any

import pytest

from measurand.sources.reading.chat_trace import Call, Said, chat_events, content_text, openai_message
from measurand.sources.reading.failure_words import outcome_of_failure, short


def test_answers_find_their_calls() -> None:
    """The latest open call of an id is answered first, since ids repeat; without ids calls are answered in their order."""
    said = [
        Said("assistant", calls=(Call("a", "x"), Call("a", "y"))),
        Said("tool", "of y", answers="a"),
        Said("tool", "of x", answers="a"),
        Said("assistant", calls=(Call(None, "p"), Call(None, "q"))),
        Said("tool", "of p"),
        Said("tool", "of q"),
        Said("tool", "of nothing"),
        Said("tool", "of nothing", answers="zzz"),
    ]
    events = list(chat_events(said, first=0))
    answers = [(event.payload["text"], event.cause) for event in events if event.kind == "observation"]
    tools = {"of y": "y", "of x": "x", "of p": "p", "of q": "q"}
    for words, cause in answers:
        assert cause is None if words == "of nothing" else events[cause or 0].payload["tool"] == tools[words]


def test_numbering_starts_where_it_is_told() -> None:
    """Causes count from the first event of the trace."""
    said = [
        Said("assistant", "hello", calls=(Call("a", "x", {}),)),
        Said("user", "bye"),
        Said("moderator", "stop"),
    ]
    events = list(chat_events(said, first=5))
    assert [(event.kind, event.cause) for event in events] == [
        ("model_call", None),
        ("decision", 5),
        ("action", 5),
        ("observation", 6),
        ("note", None),
    ]
    assert events[2].payload == {"id": "a", "tool": "x", "arguments": {}}
    assert events[4].payload == {"what": "moderator", "text": "stop"}


def test_texts_of_messages() -> None:
    """Text parts are joined; thoughts and pictures are no text; what is no text is none."""
    parts = [
        {"type": "text", "text": "a"},
        {"type": "thinking", "text": "b"},
        {"type": "image_url"},
        {"content": "c"},
        7,
    ]
    assert content_text(parts) == "a\nc"
    others: list[Any] = ["a", "", None, 7, [], {}]
    assert [content_text(value) for value in others] == [
        "a",
        None,
        None,
        None,
        None,
        None,
    ]
    assert openai_message({}) == Said("unknown")
    odd = {"role": "assistant", "content": None, "tool_calls": [None, {"id": 3, "function": "x"}]}
    assert openai_message(odd).calls == (Call(None, None), Call("3", None))


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("openai.RateLimitError: Error code: 429", "infra_error"),
        ("status code 502", "infra_error"),
        ("litellm.Timeout: Request timed out", "infra_error"),
        ("APIConnectionError: Connection error.", "infra_error"),
        ("the task number 500 is odd", "agent_error"),
        ("agent timed out after 5 s", "agent_timeout"),
        ("prompt is too long: 250000 tokens", "limit"),
        ("Error code: 400 - maximum context length is 8192", "limit"),
        ("list index out of range", "agent_error"),
        ("", "agent_error"),
    ],
)
def test_messages_of_errors(message: str, outcome: str) -> None:
    """Faults of the provider, overflows and time-outs are told apart; the rest is laid on the agent."""
    assert outcome_of_failure(message) == outcome


def test_long_messages_are_cut() -> None:
    """A message becomes one line of bounded length; an empty one none."""
    assert short("a\n\tb  c") == "a b c"
    assert len(short("x" * 5000) or "") == 300
    assert short("") is short(None) is None
