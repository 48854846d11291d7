"""OpenTelemetry traces of agents: OTLP JSON by the GenAI conventions and OpenInference."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.otlp.source import OtlpSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives, TracesOf

SOURCE = OtlpSource()
START = 1_770_000_000_000_000_000
SECOND = 1_000_000_000


def value(content: Any) -> dict[str, Any]:
    match content:
        case bool():
            return {"boolValue": content}
        case int():
            return {"intValue": str(content)}
        case float():
            return {"doubleValue": content}
        case list():
            return {"arrayValue": {"values": [value(entry) for entry in content]}}
        case dict():
            return {
                "kvlistValue": {
                    "values": [{"key": key, "value": value(entry)} for key, entry in content.items()]
                }
            }
        case _:
            return {"stringValue": content}


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(content)} for key, content in attributes.items()]


def span(
    id_: str, parent: str = "", name: str = "chat", *, at: tuple[float, float] = (0, 1), **fields: Any
) -> dict[str, Any]:
    events = [
        {"name": event, "timeUnixNano": str(START + SECOND), "attributes": pairs(said)}
        for event, said in fields.pop("events", [])
    ]
    return {
        "traceId": fields.pop("trace", "t1"),
        "spanId": id_,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(START + int(at[0] * SECOND)),
        "endTimeUnixNano": str(START + int(at[1] * SECOND)),
        "attributes": pairs(fields.pop("attributes", {})),
        "events": events,
        "status": fields.pop("status", {}),
    } | fields


def export(
    *spans: dict[str, Any], resource: dict[str, Any] | None = None, schema: str = ""
) -> dict[str, Any]:
    batch = {
        "resource": {"attributes": pairs(resource or {"service.name": "nest", "service.version": "3"})},
        "scopeSpans": [{"scope": {"name": "sky"}, "spans": list(spans), "schemaUrl": schema}],
    }
    return {"resourceSpans": [batch]}


def write(path: Path, *exports: dict[str, Any] | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, bytes) else msgspec.json.encode(line) for line in exports]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


Said = dict[str, Any]


def chat(
    id_: str,
    parent: str = "agent",
    said: Said | None = None,
    *,
    trace: str = "t1",
    tokens: tuple[int, int] = (100, 10),
) -> dict[str, Any]:
    usage = {"gen_ai.usage.input_tokens": tokens[0], "gen_ai.usage.output_tokens": tokens[1]}
    model = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "kite-2",
        "gen_ai.response.model": "kite-2-0601",
    }
    return span(id_, parent, "chat kite-2", trace=trace, attributes=model | usage | (said or {}))


def tool(id_: str, parent: str = "agent", said: Said | None = None, *, name: str = "bash") -> dict[str, Any]:
    called = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": f"call {id_}",
    }
    return span(id_, parent, f"execute_tool {name}", attributes=called | (said or {}))


def agent(said: Said | None = None, name: str = "invoke_agent Nest", **fields: Any) -> dict[str, Any]:
    named = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "Nest",
        "test.suite.name": "birds",
        "test.case.name": "fly",
    }
    return span("agent", "", name, at=(0, 9), attributes=named | (said or {}), **fields)


def openinference(id_: str, kind: str, parent: str = "", said: Said | None = None) -> dict[str, Any]:
    return span(id_, parent, kind.lower(), attributes={"openinference.span.kind": kind} | (said or {}))


def test_fields_of_a_trace(tmp_path: Path, read_source: ReadSource) -> None:
    """A trace is a trial: tokens by class, calls, tools, models, times in UTC, and what the root says of task and suite."""
    cache = {
        "gen_ai.usage.cache_read.input_tokens": 30,
        "gen_ai.usage.cache_creation.input_tokens": 20,
        "gen_ai.usage.reasoning.output_tokens": 4,
    }
    path = write(tmp_path / "t.json", export(chat("a", said=cache), tool("b"), chat("c"), agent()))
    row = read_source(SOURCE, path).frame.row(0, named=True)
    start = dt.datetime.fromtimestamp(START // SECOND, dt.UTC)
    wanted = {
        "suite": "birds",
        "task": "fly",
        "agent": "kite-2 (Nest)",
        "model_requested": "kite-2",
        "model_served": "kite-2-0601",
        "trial": "t1",
        "outcome": "completed",
        "verdict": None,
        "input_tokens": 150,
        "cached_tokens": 30,
        "cache_write_tokens": 20,
        "output_tokens": 20,
        "reasoning_tokens": 4,
        "total_tokens": None,
        "cost_usd": None,
        "steps": 2,
        "tool_calls": 1,
        "wall_s": 9.0,
        "started_at": start,
        "finished_at": start + dt.timedelta(seconds=9),
        "source_ref": "t.json:1, span 1: trace t1",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_no_token_counts_twice(tmp_path: Path, read_source: ReadSource) -> None:
    """What an agent's span or an outer call states again is not added: only spans below which none states anything count."""
    total = {"gen_ai.usage.input_tokens": 200, "gen_ai.usage.output_tokens": 20}
    wrapped = [
        openinference(
            "w", "LLM", "agent", said={"llm.token_count.prompt": 100, "llm.token_count.completion": 10}
        ),
        chat("a", "w"),
    ]
    table = read_source(SOURCE, write(tmp_path / "t.json", export(*wrapped, chat("c"), agent(total))))
    assert table.rows("input_tokens", "output_tokens", "steps") == [(200, 20, 2)]
    assert table.notes() == {}


def test_agent_that_alone_states_usage(tmp_path: Path, read_source: ReadSource) -> None:
    """Where no call states its tokens, those of the agent count; where the agent states more than its calls, the calls do."""
    total = {"gen_ai.usage.input_tokens": 500, "gen_ai.usage.output_tokens": 50}
    silent = span("a", "agent", attributes={"gen_ai.operation.name": "chat"})
    assert read_source(SOURCE, write(tmp_path / "t.json", export(silent, agent(total)))).rows(
        "input_tokens", "steps"
    ) == [(500, 1)]
    table = read_source(SOURCE, write(tmp_path / "t.json", export(chat("a"), agent(total))))
    assert table.frame["input_tokens"].to_list() == [100]
    assert table.notes() == {"a span states more tokens than the calls below it: the calls count": 1}


def test_openinference(tmp_path: Path, read_source: ReadSource) -> None:
    """Its kinds, its names for tokens, and the cost that it states."""
    llm = {
        "llm.model_name": "kite-2",
        "llm.token_count.prompt": 100,
        "llm.token_count.completion": 10,
        "llm.token_count.prompt_details.cache_read": 40,
        "llm.token_count.completion_details.reasoning": 3,
        "llm.cost.total": 0.25,
    }
    spans = [
        openinference("root", "CHAIN"),
        openinference("agent", "AGENT", "root", said={"agent.name": "Nest"}),
        openinference("a", "LLM", "agent", said=llm),
        openinference("b", "TOOL", "agent", said={"tool.name": "bash"}),
        openinference("c", "RETRIEVER", "agent"),
        openinference("d", "EMBEDDING", "c", said={"embedding.model_name": "e", "llm.token_count.total": 7}),
        openinference("judge", "EVALUATOR", "root"),
        openinference("e", "LLM", "judge", said=llm),
    ]
    table = read_source(SOURCE, write(tmp_path / "t.json", export(*spans)))
    assert table.rows("agent", "input_tokens", "cached_tokens", "output_tokens", "steps", "tool_calls") == [
        ("kite-2 (Nest)", 60, 40, 10, 1, 1)
    ]
    assert table.rows("cost_usd", "price_table", "total_tokens") == [(None, None, None)]
    table = read_source(SOURCE, write(tmp_path / "t.json", export(*spans[:3])))
    assert table.rows("cost_usd", "price_table") == [(0.25, "self-reported by otlp")]


def test_total_alone(tmp_path: Path, read_source: ReadSource) -> None:
    """A span that knows only the sum of its tokens gives the sum; a cost of 0 with tokens is unknown."""
    llm = openinference("a", "LLM", said={"llm.token_count.total": 70})
    assert read_source(SOURCE, write(tmp_path / "t.json", export(llm))).rows(
        "input_tokens", "total_tokens"
    ) == [(None, 70)]
    free = chat("a", "", said={"gen_ai.usage.cost": 0.0})
    table = read_source(SOURCE, write(tmp_path / "t.json", export(free)))
    assert table.frame["cost_usd"].to_list() == [None]
    assert table.notes("unknown") == {"cost is 0 with tokens used: unknown": 1}


def test_older_names_and_input_without_cache(tmp_path: Path, read_source: ReadSource) -> None:
    """Older names of tokens are read; an input smaller than its cached part left that part out itself."""
    old = {
        "gen_ai.request.model": "kite-1",
        "gen_ai.usage.prompt_tokens": 5,
        "gen_ai.usage.completion_tokens": 10,
        "gen_ai.usage.cache_read_input_tokens": 40,
    }
    table = read_source(SOURCE, write(tmp_path / "t.json", export(span("a", attributes=old))))
    assert table.rows("model_requested", "input_tokens", "cached_tokens", "output_tokens", "steps") == [
        ("kite-1", 5, 40, 10, 1)
    ]


def test_tools_within_tools(tmp_path: Path, read_source: ReadSource) -> None:
    """The same call seen by two instruments counts once; what a sub-agent that is a tool calls counts too."""
    spans = [
        agent(),
        tool("a"),
        tool("b", "a"),
        tool("c", name="helper"),
        agent() | {"spanId": "sub", "parentSpanId": "c"},
        tool("d", "sub"),
    ]
    assert read_source(SOURCE, write(tmp_path / "t.json", export(*spans))).frame["tool_calls"].to_list() == [
        3
    ]


def test_model_that_changed_under_the_name(tmp_path: Path, read_source: ReadSource) -> None:
    """A call that another model served is told: requested and served models are both kept."""
    other = chat("b", said={"gen_ai.response.model": "sparrow-1"})
    table = read_source(SOURCE, write(tmp_path / "t.json", export(chat("a"), chat("c"), other, agent())))
    assert table.rows("model_requested", "model_served") == [("kite-2", "kite-2-0601, sparrow-1")]
    assert table.notes() == {"calls served by several models": 1}


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, ("completed", None, None)),
        ({"said": {"test.case.result.status": "pass"}}, ("completed", "pass", None)),
        ({"said": {"test.case.result.status": "fail"}}, ("completed", "fail", None)),
        ({"status": {"code": 2, "message": "boom"}}, ("agent_error", "fail", "boom")),
        (
            {"status": {"code": "STATUS_CODE_ERROR"}, "said": {"error.type": "TimeoutError"}},
            ("agent_timeout", "fail", "TimeoutError"),
        ),
        (
            {
                "status": {"code": 2, "message": "Error code: 503"},
                "said": {"test.case.result.status": "fail"},
            },
            ("infra_error", None, "Error code: 503"),
        ),
        (
            {"status": {"code": 2, "message": "boom"}, "said": {"test.case.result.status": "pass"}},
            ("agent_error", "pass", "boom"),
        ),
        (
            {
                "status": {"code": 2},
                "events": [("exception", {"exception.message": "context length exceeded"})],
            },
            ("limit", "fail", "context length exceeded"),
        ),
        ({"status": {"code": 2}}, ("agent_error", "fail", "error")),
    ],
)
def test_outcomes(
    tmp_path: Path, read_source: ReadSource, fields: dict[str, Any], wanted: tuple[str | None, ...]
) -> None:
    """The status of the agent's span says how it ended; errors below it that it survived do not."""
    failed = chat("a") | {"status": {"code": 2, "message": "retried"}}
    table = read_source(SOURCE, write(tmp_path / "t.json", export(failed, agent(**fields))))
    assert table.rows("outcome", "verdict", "reason") == [wanted]


def evaluated(name: str, **said: Any) -> tuple[str, dict[str, Any]]:
    return "gen_ai.evaluation.result", {"gen_ai.evaluation.name": name} | {
        f"gen_ai.evaluation.{key.replace('_', '.')}": content for key, content in said.items()
    }


def test_only_evaluator_is_the_verdict(tmp_path: Path, read_source: ReadSource) -> None:
    """Its label decides, else its score of 0 or 1; the score is kept."""
    path = write(
        tmp_path / "t.json",
        export(agent(events=[evaluated("Right", score_label="incorrect", score_value=0.25)])),
    )
    assert read_source(SOURCE, path).rows("verdict", "official_score", "verdicts") == [("fail", 0.25, None)]
    path = write(tmp_path / "t.json", export(agent(events=[evaluated("Right", score_value=1.0)])))
    assert read_source(SOURCE, path).rows("verdict", "official_score") == [("pass", 1.0)]
    path = write(
        tmp_path / "t.json", export(agent(events=[evaluated("Tone", score_label="warm", score_value=4.0)]))
    )
    assert read_source(SOURCE, path).rows("verdict", "official_score") == [(None, 4.0)]


def test_several_evaluators(tmp_path: Path, read_source: ReadSource) -> None:
    """Without a word which of them judges there is no verdict; the others stay as further verdicts."""
    said = [
        evaluated("Right", score_label="pass"),
        evaluated("Safe", score_label="fail"),
        evaluated("Odd", score_value=0.5),
    ]
    path = write(tmp_path / "t.json", export(agent(events=said)))
    table = read_source(SOURCE, path)
    assert table.rows("verdict", "verdicts") == [
        (None, [{"name": "Right", "passed": True}, {"name": "Safe", "passed": False}])
    ]
    assert table.notes() == {"several evaluators (Odd, Right, Safe): no verdict; --map verdict=NAME": 1}
    chosen = read_source(SOURCE, path, mapping={"verdict": "Safe"})
    assert chosen.rows("verdict", "verdicts") == [("fail", [{"name": "Right", "passed": True}])]
    twice = [evaluated("Right", score_label="pass"), evaluated("Right", score_label="fail")]
    table = read_source(SOURCE, write(path, export(agent(events=twice))))
    assert table.rows("verdict") == [(None,)]
    assert list(table.notes()) == ["Right judged more than once, and not alike: no verdict"]


def test_annotations_of_openinference(tmp_path: Path, read_source: ReadSource) -> None:
    """Flattened annotations and evaluations, of spans and of traces, are judgements."""
    said = {
        "annotations.0.annotation.name": "right",
        "annotations.0.annotation.label": "correct",
        "trace.evaluations.0.evaluation.name": "safe",
        "trace.evaluations.0.evaluation.score": 0,
    }
    path = write(tmp_path / "t.json", export(openinference("a", "AGENT", said=said)))
    row = read_source(SOURCE, path, mapping={"verdict": "right"}).frame.row(0, named=True)
    assert (row["verdict"], row["verdicts"]) == ("pass", [{"name": "safe", "passed": False}])


def test_mapping_names_attributes(tmp_path: Path, read_source: ReadSource) -> None:
    """Fields come from the attributes that the user names: on the root, its resource, or any span."""
    root = agent({"my.task": 7, "ok": True})
    resource = {"service.name": "nest", "run": "r1"}
    path = write(tmp_path / "t.json", export(root, chat("a", said={"who": "me"}), resource=resource))
    mapping = {"task": "my.task", "job": "run", "agent": "who", "verdict": "ok", "trial": "absent"}
    assert read_source(SOURCE, path, mapping=mapping).rows("task", "job", "agent", "verdict", "trial") == [
        ("7", "r1", "me", "pass", "t1")
    ]
    with pytest.raises(UsageError, match="no attribute of a span can give quantity"):
        read_source(SOURCE, path, mapping={"quantity": "x"})
    with pytest.raises(UsageError, match="--anchors"):
        read_source(SOURCE, path, anchors=path)


def test_task_and_suite_that_nothing_names(tmp_path: Path, read_source: ReadSource) -> None:
    """The name of the root is the task, the service the agent, and both are noted; --suite names the suite."""
    path = write(
        tmp_path / "t.json", export(span("a", name="flight", attributes={"gen_ai.operation.name": "chat"}))
    )
    table = read_source(SOURCE, path)
    assert table.rows("suite", "task", "agent") == [("unnamed", "flight", "nest")]
    assert len(table.notes("note")) == 2
    assert read_source(SOURCE, path, suite="birds").frame["suite"].to_list() == ["birds"]


def test_spans_scattered_over_files(tmp_path: Path, read_source: ReadSource) -> None:
    """Spans of a trace are gathered from lines and files; one exported twice counts once; other traces stay apart."""
    write(tmp_path / "a.jsonl", export(chat("a")), export(chat("b")))
    write(tmp_path / "b.json", export(chat("a"), agent(), agent() | {"traceId": "t2", "spanId": "other"}))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("trial", "input_tokens", "steps") == [("t1", 200, 2), ("t2", None, 0)]
    assert table.notes() == {"span that was exported twice: counted once": 1}
    assert table.log.rows_read == 2


def test_pretty_printed_export(tmp_path: Path, read_source: ReadSource) -> None:
    """An export over many lines is read as well as one a line."""
    path = write(
        tmp_path / "t.json", msgspec.json.format(msgspec.json.encode(export(chat("a"), agent())), indent=2)
    )
    assert read_source(SOURCE, path).rows("task", "steps") == [("fly", 1)]


def test_traces_that_are_not_whole(tmp_path: Path, read_source: ReadSource) -> None:
    """A missing root, spans that are each other's parents, clocks that jump and newer conventions are noted."""
    newer = "https://opentelemetry.io/schemas/gen-ai/9.0.0"
    loop = [
        chat("a", "b"),
        chat("b", "a"),
        span("c", "c", at=(5, 1), attributes={"gen_ai.operation.name": "chat"}),
    ]
    table = read_source(SOURCE, write(tmp_path / "t.json", export(*loop, schema=newer)))
    assert table.rows("steps", "wall_s") == [(2, 1.0)]
    assert set(table.notes()) >= {
        "the root span is not in the data",
        "written by a newer version of the GenAI conventions than 1.42.0",
        "a span ends before it starts: its time is not counted",
    }


def test_what_is_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """Traces of other things, spans without ids and lines that are cut are dropped, and the rest is read."""
    other = export(span("a", trace="web", name="GET"), {"name": "no ids"})
    path = write(tmp_path / "t.jsonl", export(agent()), other, b'{"resourceSpans": [', b"[1]", b"")
    table = read_source(SOURCE, path)
    assert table.frame["trial"].to_list() == ["t1"]
    assert table.log.rows_read == 5
    assert {what.partition(":")[0]: count for what, count in table.notes("dropped").items()} == {
        "span without traceId and spanId": 1,
        "not readable JSON": 1,
        "not an object": 1,
        "trace without a span of GenAI or OpenInference": 1,
    }


def test_dirty_bytes_and_long_lines(
    tmp_path: Path, read_source: ReadSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that are not UTF-8, halves of surrogate pairs and escapes are read; a line beyond the limit is dropped."""
    dirty = msgspec.json.encode(export(chat("a"), agent(name="X"))).replace(
        b'"X"', b'"\xff \\ud800 \\u001b[2J \\u0000"'
    )
    long = export(chat("z", trace="t9", said={"gen_ai.output.messages": "x" * 20_000}))
    path = write(tmp_path / "t.jsonl", dirty, long, export(chat("b")))
    assert read_source(SOURCE, path).frame["steps"].to_list() == [2, 1]
    monkeypatch.setattr(
        "measurand.sources.reading.json_lines.read_lines.__kwdefaults__", {"most": 10_000, "digest": None}
    )
    table = read_source(SOURCE, path)
    assert table.frame["steps"].to_list() == [2]
    assert table.notes("dropped") == {"longer than 10000 bytes": 1}


def test_trace_of_spans(tmp_path: Path, traces_of: TracesOf) -> None:
    """Parents before children: calls of models, actions and their observations, each following from the span above."""
    answer = msgspec.json.encode(
        [{"role": "assistant", "parts": [{"type": "text", "content": "I fly"}]}]
    ).decode()
    first = chat(
        "a", said={"gen_ai.output.messages": answer, "gen_ai.response.finish_reasons": ["tool_call"]}
    )
    acted = tool(
        "b", said={"gen_ai.tool.call.arguments": '{"cmd": "fly"}', "gen_ai.tool.call.result": "flew"}
    )
    failed = tool("c", said={"error.type": "OSError"}) | {"status": {"code": 2}}
    root = agent(events=[evaluated("Right", score_label="pass")], status={"code": 2, "message": "boom"})
    (events,) = traces_of(SOURCE, write(tmp_path / "t.json", export(first, acted, failed, root)))
    assert [(event.kind, event.cause) for event in events] == [
        ("trial_start", None),
        ("note", 0),
        ("error", 1),
        ("note", 1),
        ("model_call", 1),
        ("decision", 4),
        ("action", 1),
        ("observation", 6),
        ("action", 1),
        ("observation", 8),
        ("trial_end", 0),
    ]
    call, decision, action, observation = (events[place].payload for place in (4, 5, 6, 7))
    assert call == {
        "span": "a",
        "model": "kite-2",
        "model_served": "kite-2-0601",
        "input_tokens": 100,
        "output_tokens": 10,
        "seconds": 1.0,
        "stop_reason": "tool_call",
    }
    assert decision == {"text": "I fly"}
    assert action == {"id": "call b", "span": "b", "tool": "bash", "arguments": {"cmd": "fly"}}
    assert observation == {"action": "call b", "text": "flew", "seconds": 1.0}
    assert events[9].payload["error"] == "OSError"
    assert events[3].payload["gen_ai.evaluation.name"] == "Right"
    assert events[4].t == dt.datetime.fromtimestamp(START // SECOND, dt.UTC)
    assert events[-1].payload == {"outcome": "agent_error", "verdict": "pass"}


def test_trace_of_openinference(tmp_path: Path, traces_of: TracesOf) -> None:
    """What a model answered is taken from flattened messages, and what a tool was asked from its input."""
    spans = [
        openinference(
            "a", "LLM", said={"llm.output_messages.0.message.content": "hi", "llm.model_name": "kite-2"}
        ),
        openinference("b", "TOOL", "a", said={"tool.name": "bash", "input.value": "ls", "output.value": "x"}),
    ]
    (events,) = traces_of(SOURCE, write(tmp_path / "t.json", export(*spans)))
    assert [event.kind for event in events] == [
        "trial_start",
        "model_call",
        "decision",
        "action",
        "observation",
        "trial_end",
    ]
    assert (events[2].payload, events[3].payload["arguments"], events[4].payload["text"]) == (
        {"text": "hi"},
        "ls",
        "x",
    )


def test_nested_attributes(tmp_path: Path, traces_of: TracesOf) -> None:
    """Arguments may be structured; levels beyond the thirty-second are left out, not fatal."""
    deep: Any = "end"
    for _ in range(60):
        deep = [deep]
    asked = {"a": {"b": [1, 2.5, True, None]}, "deep": deep}
    (events,) = traces_of(
        SOURCE, write(tmp_path / "t.json", export(tool("b", "", said={"gen_ai.tool.call.arguments": asked})))
    )
    assert events[1].payload["arguments"]["a"] == {"b": [1, 2.5, True, None]}


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Exports with GenAI or OpenInference spans are claimed, other exports with less confidence, other JSON not."""
    path = write(tmp_path / "x/t.json", export(agent()))
    for one in (path, path.parent, tmp_path):
        match = SOURCE.sniff(one)
        assert match is not None
        assert match.confidence >= 90
    web = SOURCE.sniff(write(tmp_path / "y/t.json", export(span("a"))))
    assert web is not None
    assert web.confidence < 90
    other = write(tmp_path / "z/t.json", {"spans": []})
    assert SOURCE.sniff(other) is None
    with pytest.raises(FormatError, match="no spans of OpenTelemetry"):
        read_source(SOURCE, other)


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = list((shared / "samples").iterdir())
    assert [folder.name for folder in folders if SOURCE.sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    judged = agent(events=[evaluated("Right", score_value=1.0)], status={"code": 2})
    files = {
        "t/a.jsonl": b"\n".join(map(msgspec.json.encode, [export(chat("a"), tool("b")), export(judged)])),
        "t/b.json": msgspec.json.format(
            msgspec.json.encode(export(chat("c"), openinference("d", "LLM", "c")))
        ),
    }
    survives(SOURCE, files, data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Damaged exports are refused or dropped, or what is kept adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
