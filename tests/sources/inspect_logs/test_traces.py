"""Events of samples become traces."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from measurand.model.trace import flaw

if TYPE_CHECKING:
    from tests.sources.conftest import Read
    from tests.sources.inspect_logs.conftest import Traces, WriteLog

    from measurand.model.trace import Event

START = "2026-01-05T09:00:00.5+00:00"
END = "2026-01-05T09:00:01+00:00"


def model(*calls: str, text: str = "", **more: Any) -> dict[str, Any]:
    asked = [{"id": call, "function": "shell", "arguments": {}} for call in calls]
    message = {"id": "m1", "role": "assistant", "content": text, "tool_calls": asked}
    output = {"model": "kite-2026", "choices": [{"message": message, "stop_reason": "stop"}]}
    return {"event": "model", "uuid": "e1", "model": "lab/kite", "timestamp": START, "output": output} | more


def tool(call: str, **more: Any) -> dict[str, Any]:
    known = {
        "event": "tool",
        "id": call,
        "function": "shell",
        "arguments": {"command": "ls"},
        "span_id": "loop",
    }
    return known | {"timestamp": START, "completed": END, "result": f"out of {call}"} | more


def tool_span(name: str) -> list[dict[str, Any]]:
    begin = {"event": "span_begin", "id": name, "type": "tool", "name": "shell", "parent_id": "loop"}
    return [begin, {"event": "span_end", "id": name}]


def approval(call: str, decision: str, decider: str = "guard", **more: Any) -> dict[str, Any]:
    asked = {"id": call, "function": "shell", "arguments": {"command": "rm"}}
    known = {
        "event": "approval",
        "call": asked,
        "decision": decision,
        "approver": decider,
        "timestamp": START,
    }
    return known | more


@pytest.fixture
def trace(write_log: WriteLog, sample: Any, traces: Traces) -> Any:
    def of(*events: dict[str, Any], **changes: Any) -> list[Event]:
        (found,) = traces(write_log("log.eval", sample(events=list(events), **changes)))
        assert flaw(found) is None
        return found

    return of


def told(events: list[Event], *fields: str) -> list[tuple[Any, ...]]:
    return [(e.kind, e.cause, *(e.payload.get(field) for field in fields)) for e in events]


def test_start_and_end(trace: Any) -> None:
    """A trace says what was tried and how it ended, with the state that was left behind."""
    start, snapshot, end = trace(store={"steps": 1}, invalidation={"reason": "no network"})
    assert start.payload == {
        "suite": "repairs",
        "task": "a",
        "trial": "1",
        "uuid": "sample-1",
        "agent": "lab/kite",
        "model": "lab/kite",
        "input": "Repair it.",
    }
    assert start.t == dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC)
    assert snapshot.payload["digest"].startswith("sha256:")
    assert (end.kind, end.payload) == (
        "trial_end",
        {"outcome": "cancelled", "reason": "invalidated: no network"},
    )


def test_calls_of_models(trace: Any) -> None:
    """A call has its tokens by class, cost, time and tools; what the model said is a decision that follows from it."""
    usage = {"input_tokens": 3, "output_tokens": 2, "input_tokens_cache_read": 4, "total_cost": 0.25}
    event = model("c1", text="I look.", working_time=0.5, input_refs=[[0, 2], [4, 5], "x"], retries=1)
    event["output"]["usage"] = usage
    event |= {"tools": [{"name": "shell"}, 3], "config": {"temperature": 0.5, "seed": None}, "completed": END}
    _, call, decision, _ = trace(event)
    assert call.payload == {
        "id": "e1",
        "model": "lab/kite",
        "served": "kite-2026",
        "input_tokens": 3,
        "cached_tokens": 4,
        "output_tokens": 2,
        "cost_usd": 0.25,
        "seconds": 0.5,
        "stop_reason": "stop",
        "input_messages": 3,
        "calls": ["c1"],
        "tools": ["shell"],
        "settings": {"temperature": 0.5},
        "retries": 1,
    }
    assert (decision.payload, decision.cause) == ({"text": "I look.", "message_id": "m1"}, call.seq)
    assert decision.t == dt.datetime(2026, 1, 5, 9, 0, 1, tzinfo=dt.UTC)


def test_reasoning_is_kept_apart(trace: Any) -> None:
    """Content in parts gives its text and its reasoning; images say nothing."""
    event = model()
    event["output"]["choices"][0]["message"]["content"] = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "Yes"},
        {"type": "image", "image": "data:image/png;base64,AA"},
    ]
    _, _, decision, _ = trace(event)
    assert decision.payload == {"text": "Yes", "reasoning": "hm", "message_id": "m1"}


def test_parallel_calls_of_tools(trace: Any) -> None:
    """Each observation comes where its call's span ends, after what happened within, and follows from its action."""
    one, one_end = tool_span("s1")
    two, two_end = tool_span("s2")
    sandbox = {"event": "sandbox", "span_id": "s1", "action": "exec", "cmd": "ls"}
    events = trace(model("c1", "c2"), one, tool("c1"), two, tool("c2"), sandbox, two_end, one_end)
    kinds = [(e.kind, e.cause, e.payload.get("id"), e.payload.get("action")) for e in events[1:-1]]
    assert kinds == [
        ("model_call", None, "e1", None),
        ("note", None, "s1", None),
        ("action", 1, "c1", None),
        ("note", None, "s2", None),
        ("action", 1, "c2", None),
        ("note", 3, None, "exec"),
        ("observation", 5, None, "c2"),
        ("note", None, "s2", None),
        ("observation", 3, None, "c1"),
        ("note", None, "s1", None),
    ]
    assert events[7].payload["text"] == "out of c2"


def test_calls_that_are_not_answered(trace: Any) -> None:
    """A pending call has no observation; one whose span never ends has it at the end; one without a span at once."""
    begin, _ = tool_span("s1")
    events = trace(tool("c0"), begin, tool("c1"), tool("c2", pending=True), {"event": "info", "data": 1})
    assert [(e.kind, e.payload.get("action")) for e in events[1:-1] if e.kind != "note"] == [
        ("action", None),
        ("observation", "c0"),
        ("action", None),
        ("action", None),
        ("observation", "c1"),
    ]


@pytest.mark.parametrize(("word", "made"), [("reject", "deny"), ("terminate", "deny")])
def test_refused_calls_are_no_actions(word: str, made: str, trace: Any) -> None:
    """What an approver refuses was never done: the refusal is what the agent observes."""
    refused = tool("c1", error={"type": "approval", "message": "no"}, result="")
    events = trace(model("c1"), approval("c1", word, explanation="no"), refused)
    assert told(events[1:-1], "action", "decision", "word", "decider") == [
        ("model_call", None, None, None, None, None),
        ("approval_request", 1, "c1", None, None, None),
        ("approval", 2, "c1", made, word, "guard"),
        ("observation", 3, "c1", None, None, None),
    ]


def test_escalation_and_changed_calls(trace: Any) -> None:
    """Each approver's word follows from one request; the action is what was approved, in the changed form."""
    changed = {"id": "c1", "function": "shell", "arguments": {"command": "ls"}}
    events = trace(
        model("c1"),
        approval("c1", "escalate"),
        approval("c1", "modify", "ann", modified=changed),
        tool("c1"),
    )
    assert told(events[2:6], "decision", "decider", "arguments") == [
        ("approval_request", 1, None, None, {"command": "rm"}),
        ("approval", 2, "escalate", "guard", None),
        ("approval", 2, "approve", "ann", {"command": "ls"}),
        ("action", 4, None, None, {"command": "ls"}),
    ]


def test_errors_and_attempts(trace: Any) -> None:
    """Errors of earlier attempts come first, the last one where it happened, each with its class."""
    first = {"message": "OSError('disk')", "traceback": "t1"}
    last = {
        "event": "error",
        "uuid": "e9",
        "error": {"message": "odd", "traceback": "Traceback\nValueError: odd"},
    }
    events = trace(last, error_retries=[first])
    assert [e.payload for e in events if e.kind == "error"] == [
        {"attempt": 1, "class": "OSError", "message": "OSError('disk')", "traceback": "t1"},
        {"class": "ValueError", "message": "odd", "traceback": "Traceback\nValueError: odd", "uuid": "e9"},
    ]


def test_other_events_are_notes(trace: Any) -> None:
    """Limits, score edits, store changes and kinds that are not known are kept; a change of the state only by its place."""
    changes = [{"op": "add", "path": "/messages/1", "value": "long"}]
    events = trace(
        {"event": "sample_limit", "type": "token", "limit": 5.0},
        {"event": "score_edit", "score_name": "tests", "edit": {"value": "I"}},
        {"event": "store", "changes": changes},
        {"event": "state", "changes": changes},
        {"event": "score", "score": {"value": 1}, "model_usage": {"m": {"input_tokens": 9}}},
        {"event": "tomorrow", "timestamp": START, "working_start": 3.0, "more": [1]},
        {"event": 7},
        {},
    )
    assert [e.payload for e in events[1:-1]] == [
        {"what": "sample_limit", "type": "token", "limit": 5.0},
        {"what": "score_edit", "score_name": "tests", "edit": {"value": "I"}},
        {"what": "store", "changes": changes},
        {"what": "state", "changes": [["add", "/messages/1"]]},
        {"what": "score", "score": {"value": 1}},
        {"what": "tomorrow", "more": [1]},
        {"what": 7},
        {},
    ]


def test_long_texts_are_put_back(trace: Any) -> None:
    """Texts that the log keeps apart stand where they belong; images and what is lost stay references."""
    attachments = {"a1": "a long text", "a2": "data:image/png;base64,AA"}
    events = trace(
        tool("c1", result="attachment://a1", arguments={"list": ["attachment://a1", 3]}),
        {"event": "info", "data": {"image": "attachment://a2", "lost": "attachment://a3"}},
        attachments=attachments,
    )
    assert events[1].payload["arguments"] == {"list": ["a long text", 3]}
    assert events[2].payload["text"] == "a long text"
    assert events[3].payload["data"] == {"image": "attachment://a2", "lost": "attachment://a3"}


def test_events_within_events(trace: Any) -> None:
    """Older logs hold what happened within a tool in its event: it comes between action and observation."""
    events = trace(
        tool("c1", events=[model(text="sub")]), {"event": "subtask", "name": "s", "events": [model()]}
    )
    assert [e.kind for e in events[1:-1]] == [
        "action",
        "model_call",
        "decision",
        "observation",
        "note",
        "model_call",
    ]


@pytest.mark.parametrize(
    "events",
    [
        {},
        "none",
        [3, None, "x", []],
        [{"event": "model", "output": [], "config": 3, "tools": {}, "input_refs": [[1], [2, "3"], [5, 1]]}],
        [{"event": "tool", "id": [1], "function": {}, "arguments": "x", "error": "bad", "span_id": 3}],
        [{"event": "approval", "call": 3, "decision": ["no"], "modified": "x"}],
        [{"event": "span_begin", "type": "tool", "id": 3}, {"event": "span_end", "id": None}],
        [{"event": "error", "error": "x"}, {"event": "state", "changes": 3}],
        [{"event": "info", "timestamp": 12, "completed": "yesterday", "data": 10**30}],
    ],
)
def test_events_of_odd_types(events: Any, write_log: WriteLog, sample: Any, traces: Traces) -> None:
    """Whatever stands in place of events, a trace comes of it and the trial stays."""
    (found,) = traces(write_log("log.eval", sample(events=events)))
    assert found[0].kind == "trial_start"
    assert found[-1].kind == "trial_end"
    assert flaw(found) is None


def test_traces_are_made_only_when_wanted(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Without a place to keep traces there are none, and no digest."""
    table = read_inspect(write_log("log.eval", sample(events=[model()])))
    assert table.frame["trace_digest"].to_list() == [None]
