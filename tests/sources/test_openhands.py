"""OpenHands: outputs of evaluations with their results, and lists of events."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import ConflictError, FormatError, UsageError
from measurand.model.merge import merge_trials
from measurand.sources.openhands.endings import ended_by_error
from measurand.sources.openhands.names import suite_of
from measurand.sources.openhands.source import OpenHandsSource
from measurand.sources.swebench.source import SwebenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = OpenHandsSource()
PATCH = "diff --git a/a.py b/a.py\n"
METADATA = {
    "agent_class": "CodeActAgent",
    "llm_config": {"model": "acme/kite", "temperature": 0.0, "api_key": "s3cret"},
    "max_iterations": 100,
    "eval_output_dir": "/runs/1",
    "start_time": "2026-01-01 00:00:00",
    "git_commit": "abc123",
    "dataset": "princeton-nlp/SWE-bench_Verified",
    "data_split": "test",
}


def at(second: int) -> str:
    return f"2026-01-01T02:00:{second:02d}.000000"


def answered(name: str, second: int, prompt: int = 100, cached: int = 60) -> dict[str, Any]:
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }
    began = int(dt.datetime(2026, 1, 1, 1, 0, second, tzinfo=dt.UTC).timestamp())
    response = {"id": name, "created": began, "model": "kite-1-2026", "usage": usage}
    return {"function_name": "execute_bash", "tool_call_id": f"call-{name}", "model_response": response}


EVENTS: list[dict[str, Any]] = [
    {
        "id": 0,
        "timestamp": at(0),
        "source": "agent",
        "action": "system",
        "args": {
            "content": "Be brief.",
            "tools": [{"a": 1}],
            "openhands_version": "0.58.0",
            "agent_class": "CodeActAgent",
        },
    },
    {"id": 1, "timestamp": at(1), "source": "user", "action": "message", "args": {"content": "Fix it."}},
    {"id": 2, "timestamp": at(2), "source": "user", "action": "recall", "args": {"query": "Fix it."}},
    {
        "id": 3,
        "timestamp": at(3),
        "source": "environment",
        "cause": 2,
        "observation": "recall",
        "content": "none",
        "extras": {},
    },
    {
        "id": 4,
        "timestamp": at(9),
        "source": "agent",
        "action": "run",
        "args": {"command": "ls", "thought": "I look."},
        "tool_call_metadata": answered("r1", 5),
    },
    {
        "id": 5,
        "timestamp": at(9),
        "source": "agent",
        "action": "run",
        "args": {"command": "pwd", "thought": ""},
        "tool_call_metadata": answered("r1", 5) | {"tool_call_id": "call-r1b"},
    },
    {
        "id": 6,
        "timestamp": at(10),
        "source": "agent",
        "cause": 4,
        "observation": "run",
        "content": "a.py",
        "extras": {"metadata": {"exit_code": 0}},
        "tool_call_metadata": answered("r1", 5),
    },
    {
        "id": 7,
        "timestamp": at(20),
        "source": "agent",
        "action": "finish",
        "args": {"final_thought": "Done.", "thought": ""},
        "tool_call_metadata": answered("r2", 12) | {"function_name": "finish"},
    },
]
METRICS = {
    "accumulated_cost": 0.5,
    "accumulated_token_usage": {
        "prompt_tokens": 200,
        "completion_tokens": 20,
        "cache_read_tokens": 120,
        "cache_write_tokens": 0,
    },
    "costs": [],
    "response_latencies": [],
    "token_usages": [],
}


def line(instance: str = "a__a-1", patch: str | None = PATCH, **changes: Any) -> dict[str, Any]:
    return {
        "instance_id": instance,
        "test_result": {"git_patch": patch},
        "instruction": "Fix it.",
        "metadata": METADATA,
        "history": EVENTS,
        "metrics": METRICS,
        "error": None,
    } | changes


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def lines(path: Path, *entries: Any) -> Path:
    return write(path, b"".join(json.dumps(entry).encode() + b"\n" for entry in entries))


def adds_up(table: Imported) -> bool:
    return table.log.rows_read == table.frame.height + sum(table.notes("dropped").values())


def test_fields_of_a_line(tmp_path: Path, read_source: ReadSource) -> None:
    """Metadata name agent, model and suite; the sums of the metrics are the meters, cached tokens taken out."""
    table = read_source(SOURCE, lines(tmp_path / "run7/output.jsonl", line()))
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "swebench_verified",
        "task": "a__a-1",
        "agent": "acme/kite (OpenHands CodeActAgent)",
        "model_requested": "acme/kite",
        "model_served": "kite-1-2026",
        "trial": "1",
        "job": "run7",
        "outcome": "completed",
        "reason": "not graded",
        "verdict": None,
        "verdicts": None,
        "cost_usd": 0.5,
        "price_table": "self-reported by OpenHands",
        "input_tokens": 80,
        "cached_tokens": 120,
        "cache_write_tokens": 0,
        "output_tokens": 20,
        "reasoning_tokens": 8,
        "steps": 2,
        "tool_calls": 3,
        "wall_s": 20.0,
        "started_at": dt.datetime(2026, 1, 1, 1, 0, 0, tzinfo=dt.UTC),
        "finished_at": dt.datetime(2026, 1, 1, 1, 0, 20, tzinfo=dt.UTC),
        "attempts": 1,
        "harness": "openhands",
        "harness_version": "abc123",
        "source": "openhands",
        "source_ref": "output.jsonl:1: a__a-1",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert adds_up(table)
    (declared,) = table.log.declarations
    assert (declared.suite, declared.trials) == ("swebench_verified", 1)


def test_agent_digest_is_of_its_settings(tmp_path: Path, read_source: ReadSource) -> None:
    """Places, times, data and secrets change no digest; the temperature does."""
    moved = METADATA | {"eval_output_dir": "/other", "start_time": "later", "dataset": "gaia"}
    moved["llm_config"] = {"model": "acme/kite", "temperature": 0.0, "api_key": "another"}
    warm = METADATA | {"llm_config": {"model": "acme/kite", "temperature": 1.0}}
    path = lines(
        tmp_path / "o.jsonl", *(line(str(n), metadata=one) for n, one in enumerate([METADATA, moved, warm]))
    )
    digests = read_source(SOURCE, path).frame["agent_digest"].to_list()
    assert (len(set(digests[:2])), len(set(digests))) == (1, 2)


@pytest.mark.parametrize(
    ("dataset", "split", "suite"),
    [
        ("princeton-nlp/SWE-bench_Lite", "test", "swebench_lite"),
        ("princeton-nlp__SWE-bench_Lite-dev", None, "swebench_lite_dev"),
        ("princeton-nlp/SWE-bench", "test", "swebench_test"),
        ("SWE-bench/SWE-bench_Multilingual", None, "swebench_multilingual"),
        ("nebius/SWE-rebench", "test", "swe_rebench"),
        ("gaia-benchmark/GAIA", None, "gaia"),
        (None, None, None),
    ],
)
def test_suites(dataset: str | None, split: str | None, suite: str | None) -> None:
    """Data sets of SWE-bench are called as its own source calls them, others after their names."""
    assert suite_of(dataset, split) == suite


@pytest.mark.parametrize(
    "case",
    [
        ({"resolved": True}, None, "completed", None, "pass", True),
        ({"resolved": False}, None, "completed", "not resolved", "fail", False),
        ({"resolved": False, "empty_generation": True}, None, "no_output", "empty_generation", "fail", False),
        (
            {"resolved": False, "failed_apply_patch": True},
            None,
            "invalid_output",
            "failed_apply_patch",
            "fail",
            False,
        ),
        ({"resolved": False, "error_eval": True}, None, "grader_error", "error_eval", None, False),
        ({"resolved": False, "test_timeout": True}, None, "grader_error", "test_timeout", None, False),
        (
            {"resolved": True},
            "Agent reached maximum iteration",
            "limit",
            "Agent reached maximum iteration",
            "pass",
            True,
        ),
        ({"resolved": False}, "AgentStuckInLoopError: stuck in a loop", "agent_error", None, "fail", False),
        ({"resolved": False}, "AgentRuntimeDisconnectedError: gone", "infra_error", None, "fail", False),
        (
            None,
            "Agent reached maximum iteration",
            "completed",
            "Agent reached maximum iteration, not graded",
            None,
            None,
        ),
    ],
)
def test_reports(tmp_path: Path, read_source: ReadSource, case: tuple[Any, ...]) -> None:
    """Flags of a report say how the grading went; the error of the run says how it ended, and both are kept."""
    report, error, outcome, reason, verdict, official = case
    entry = line(error=error) | ({} if report is None else {"report": report})
    table = read_source(SOURCE, lines(tmp_path / "output.jsonl", entry))
    row = table.frame.row(0, named=True)
    assert (row["outcome"], row["verdict"]) == (outcome, verdict)
    assert row["reason"] == (reason or error)
    assert (row["verdicts"] and row["verdicts"][0]["passed"]) == official


@pytest.mark.parametrize(
    ("error", "outcome", "verdict"),
    [
        (None, "no_output", "fail"),
        ("RuntimeError: Agent reached maximum iteration in headless mode.", "limit", "fail"),
        ("Agent reached maximum budget for conversation", "limit", "fail"),
        ("litellm.ContextWindowExceededError: prompt is too long", "limit", "fail"),
        ("Timeout after 3600 seconds", "agent_timeout", "fail"),
        ("Maximum retries (5) reached: build failed", "infra_error", None),
        ("STATUS$ERROR_LLM_SERVICE_UNAVAILABLE", "infra_error", None),
        ("litellm.RateLimitError: too many requests", "infra_error", None),
        ("ValueError: odd", "agent_error", "fail"),
    ],
)
def test_errors_without_a_patch(
    tmp_path: Path, read_source: ReadSource, error: str | None, outcome: str, verdict: str | None
) -> None:
    """Without a patch there is nothing to grade: what ended the run decides; an outage is no verdict."""
    table = read_source(SOURCE, lines(tmp_path / "output.jsonl", line(patch="", error=error)))
    assert table.rows("outcome", "verdict", "reason") == [(outcome, verdict, error or "no patch")]
    assert ended_by_error(error).word == error


def test_other_benchmarks(tmp_path: Path, read_source: ReadSource) -> None:
    """Benchmarks without a patch grade by a score of their own; ungraded answers have no verdict."""
    gaia = METADATA | {"dataset": "gaia"}
    results = [{"score": True, "model_answer": "7"}, {"score": 0}, {"result": {"answer": "x"}}, {}]
    path = lines(
        tmp_path / "output.jsonl",
        *(line(str(n), metadata=gaia, test_result=one) for n, one in enumerate(results)),
    )
    assert read_source(SOURCE, path).rows("suite", "task", "outcome", "verdict") == [
        ("gaia", "0", "completed", "pass"),
        ("gaia", "1", "completed", "fail"),
        ("gaia", "2", "completed", None),
        ("gaia", "3", "no_output", "fail"),
    ]


def test_results_beside(tmp_path: Path, read_source: ReadSource) -> None:
    """Results beside an output are its own: OpenHands's, then reports of instances, then the summary of the harness."""
    folder = tmp_path / "run7"
    lines(folder / "output.jsonl", *(line(f"a__a-{n}", metadata=None) for n in range(5)))
    write(folder / "metadata.json", METADATA)
    graded = {"instance_id": "a__a-0", "test_result": {"report": {"resolved": True}}}
    lines(folder / "output.swebench_eval.jsonl", graded)
    flags = {"patch_successfully_applied": False, "resolved": False}
    write(folder / "eval_outputs/a__a-1/report.json", {"a__a-1": flags})
    write(
        folder / "report.json",
        {
            "total_instances": 5,
            "resolved_instances": 1,
            "resolved_ids": ["a__a-2"],
            "unresolved_ids": ["a__a-0"],
            "error_ids": ["a__a-3"],
        },
    )
    assert SwebenchSource().sniff(folder) is not None
    match = SOURCE.sniff(folder)
    assert match is not None
    assert match.confidence == 97
    table = read_source(SOURCE, folder)
    assert table.rows("task", "outcome", "verdict") == [
        ("a__a-0", "completed", "pass"),
        ("a__a-1", "invalid_output", "fail"),
        ("a__a-2", "completed", "pass"),
        ("a__a-3", "grader_error", None),
        ("a__a-4", "completed", None),
    ]
    assert set(table.frame["agent"]) == {"acme/kite (OpenHands CodeActAgent)"}
    assert "graded otherwise in output.swebench_eval.jsonl: that holds" in table.notes()
    assert adds_up(table)
    (stated,) = SOURCE.stated(folder)
    assert (stated.agent, stated.name, stated.value, stated.unit) == (
        "acme/kite (OpenHands CodeActAgent)",
        "resolved",
        20.0,
        "percent",
    )


def test_attempts_are_one_trial(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Several attempts at an instance are one trial: the last is handed in, all are metered and told."""
    first, second = line(attempt=1, patch=""), line(attempt=2, report={"resolved": True})
    table = read_source(SOURCE, lines(tmp_path / "together/output.jsonl", second, first))
    wanted = [("a__a-1", "pass", 2, 1.0, 4, 40)]
    columns = ("task", "verdict", "attempts", "cost_usd", "steps", "output_tokens")
    assert table.rows(*columns) == wanted
    assert adds_up(table)
    apart = tmp_path / "apart"
    lines(apart / "output.jsonl", second)
    lines(apart / "output.critic_attempt_1.jsonl", first)
    lines(apart / "output.critic_attempt_2.jsonl", second)
    table = read_source(SOURCE, apart)
    assert table.rows(*columns) == wanted
    assert adds_up(table)
    (trace,) = traces_of(SOURCE, apart)
    notes = [event.payload["attempt"] for event in trace if event.payload.get("what") == "attempt"]
    assert notes == [1, 2]
    assert [event.kind for event in trace].count("model_call") == 4
    actions = [event for event in trace if event.kind == "action"]
    assert all(trace[event.cause or 0].kind == "model_call" for event in actions)
    (apart / "output.jsonl").unlink()
    assert read_source(SOURCE, apart).rows(*columns) == wanted


def test_attempts_that_are_not_recorded(tmp_path: Path, read_source: ReadSource) -> None:
    """A second attempt without the first: what both cost is unknown, and said so."""
    table = read_source(SOURCE, lines(tmp_path / "output.jsonl", line(attempt=2)))
    assert table.rows("attempts", "cost_usd", "steps", "started_at") == [(2, None, None, None)]
    assert table.notes("unknown") == {"cost, tokens and steps: not every attempt is recorded": 1}


def test_lines_written_twice(tmp_path: Path, read_source: ReadSource) -> None:
    """Equal lines are one trial; lines that contradict each other are a conflict."""
    equal = read_source(SOURCE, lines(tmp_path / "a.jsonl", line(), line())).frame
    assert merge_trials(equal).duplicates == 1
    unequal = read_source(
        SOURCE, lines(tmp_path / "b.jsonl", line(report={"resolved": True}), line(report={"resolved": False}))
    ).frame
    with pytest.raises(ConflictError, match="a__a-1"):
        merge_trials(unequal)


def test_standard_lines(tmp_path: Path, read_source: ReadSource) -> None:
    """Lines without a history have their cost in a block of their own."""
    cost = {"input_tokens": 100, "output_tokens": 10, "total_cost": 0.25}
    entry = {
        "instance_id": "a__a-1",
        "attempt": 1,
        "max_attempts": 3,
        "status": "success",
        "resolved": True,
        "error": None,
        "test_result": {},
        "cost": cost,
        "artifacts_url": "https://example.org",
    }
    table = read_source(SOURCE, lines(tmp_path / "output.jsonl", entry), suite="swebench_lite")
    assert table.rows("suite", "agent", "verdict", "cost_usd", "input_tokens", "output_tokens", "steps") == [
        ("swebench_lite", "OpenHands", "pass", 0.25, 100, 10, None)
    ]


def test_cost_of_nothing_known(tmp_path: Path, read_source: ReadSource) -> None:
    """A cost of 0 beside calls of the model is an unknown price; more cached tokens than tokens are unknown."""
    odd = METRICS | {
        "accumulated_cost": 0.0,
        "accumulated_token_usage": {"prompt_tokens": 10, "completion_tokens": 1, "cache_read_tokens": 60},
    }
    table = read_source(SOURCE, lines(tmp_path / "output.jsonl", line(metrics=odd)))
    assert table.rows("cost_usd", "price_table", "input_tokens", "cached_tokens") == [(None, None, None, 60)]
    assert table.notes("unknown") == {"more cached tokens than input tokens": 1}
    assert "cost of 0 beside calls of the model: the price is unknown" in table.notes("note")


def test_usage_of_events(tmp_path: Path, read_source: ReadSource) -> None:
    """Without sums the calls of models are counted, each once though several events carry it."""
    table = read_source(SOURCE, lines(tmp_path / "output.jsonl", line(metrics=None)))
    assert table.rows("cost_usd", "input_tokens", "cached_tokens", "output_tokens", "steps") == [
        (None, 80, 120, 20, 2)
    ]


def test_times(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Times without a zone are good for durations; costs or models that say when set them right; a jump makes them unknown."""

    def read(**changes: Any) -> list[tuple[Any, ...]]:
        path = lines(tmp_path / "output.jsonl", line(**changes))
        return read_source(SOURCE, path).rows("started_at", "wall_s")

    bare = [{k: v for k, v in event.items() if k != "tool_call_metadata"} for event in EVENTS]
    assert read(history=bare) == [(None, 20.0)]
    (trace,) = traces_of(SOURCE, tmp_path / "output.jsonl")
    assert [(event.t, event.mono) for event in trace[1:4]] == [(None, 0.0), (None, 1.0), (None, 2.0)]
    spent = dt.datetime(2026, 1, 1, 1, 0, 8, tzinfo=dt.UTC)
    costs = METRICS | {"costs": [{"model": "kite", "cost": 0.5, "timestamp": spent.timestamp()}]}
    assert read(history=bare, metrics=costs) == [(dt.datetime(2026, 1, 1, 1, tzinfo=dt.UTC), 20.0)]
    zoned = [event | {"timestamp": event["timestamp"] + "+02:00"} for event in bare]
    assert read(history=zoned) == [(dt.datetime(2026, 1, 1, 0, tzinfo=dt.UTC), 20.0)]
    assert read(history=[*EVENTS, EVENTS[0]]) == [(None, None)]


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """One call of the model for the actions it led to; what they led to is bound to them; ids are kept."""
    (trace,) = traces_of(SOURCE, lines(tmp_path / "output.jsonl", line()))
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("note", None),
        ("observation", None),
        ("note", None),
        ("observation", 3),
        ("model_call", None),
        ("decision", 5),
        ("action", 5),
        ("action", 5),
        ("observation", 7),
        ("model_call", None),
        ("action", 10),
        ("trial_end", None),
    ]
    assert trace[5].payload | {"event": None} == {
        "id": "r1",
        "model": "kite-1-2026",
        "input_tokens": 40,
        "cached_tokens": 60,
        "output_tokens": 10,
        "reasoning_tokens": 4,
        "event": None,
    }
    assert trace[7].payload == {
        "id": "call-r1",
        "tool": "execute_bash",
        "arguments": {"command": "ls"},
        "event": "4",
    }
    assert trace[9].payload == {
        "action": "call-r1",
        "kind": "run",
        "text": "a.py",
        "exit_code": 0,
        "event": "6",
    }
    assert trace[7].t == dt.datetime(2026, 1, 1, 1, 0, 9, tzinfo=dt.UTC)
    assert "tools" not in trace[1].payload


def test_approvals_and_errors(tmp_path: Path, traces_of: TracesOf) -> None:
    """What waits for a person is a request for approval, not an action; states and errors are told."""
    events = [
        *EVENTS[:2],
        EVENTS[4] | {"args": {"command": "rm", "confirmation_state": "awaiting_confirmation"}},
        {
            "id": 8,
            "timestamp": at(10),
            "source": "user",
            "action": "change_agent_state",
            "args": {"agent_state": "user_confirmed"},
        },
        {
            "id": 9,
            "timestamp": at(11),
            "source": "agent",
            "cause": 4,
            "observation": "run",
            "content": "gone",
            "extras": {},
        },
        {
            "id": 10,
            "timestamp": at(12),
            "source": "environment",
            "observation": "error",
            "content": "no space",
            "extras": {"error_id": "DISK"},
        },
        {
            "id": 11,
            "timestamp": at(13),
            "source": "environment",
            "observation": "agent_state_changed",
            "content": "",
            "extras": {"agent_state": "error", "reason": "x"},
        },
        {
            "id": 12,
            "timestamp": at(14),
            "source": "agent",
            "action": "message",
            "args": {"content": "Sorry."},
        },
    ]
    (trace,) = traces_of(
        SOURCE, lines(tmp_path / "output.jsonl", line(history=events, error="no space left"))
    )
    assert [event.kind for event in trace[3:]] == [
        *("model_call", "approval_request", "approval", "observation", "error", "note"),
        *("model_call", "decision", "error", "trial_end"),
    ]
    assert trace[5].payload == {"action": "call-r1", "decision": "approve", "decider": "user", "event": "8"}
    assert (trace[5].cause, trace[6].cause) == (4, 4)
    assert trace[7].payload == {"class": "DISK", "message": "no space", "event": "10"}


SDK: list[dict[str, Any]] = [
    {
        "kind": "SystemPromptEvent",
        "id": "e0",
        "timestamp": at(0),
        "source": "agent",
        "tools": [1],
        "system_prompt": {"text": "Be brief."},
    },
    {
        "kind": "MessageEvent",
        "id": "e1",
        "timestamp": at(1),
        "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
    },
    {
        "kind": "ActionEvent",
        "id": "e2",
        "timestamp": at(5),
        "source": "agent",
        "thought": [{"type": "text", "text": "I look."}],
        "action": {"kind": "TerminalAction", "command": "ls"},
        "tool_name": "terminal",
        "tool_call_id": "t1",
        "tool_call": {"id": "t1", "name": "terminal", "arguments": '{"command": "ls"}'},
        "llm_response_id": "r1",
    },
    {
        "kind": "ObservationEvent",
        "id": "e3",
        "timestamp": at(6),
        "source": "environment",
        "tool_name": "terminal",
        "tool_call_id": "t1",
        "action_id": "e2",
        "observation": {
            "kind": "TerminalObservation",
            "content": [{"type": "text", "text": "a.py"}],
            "exit_code": 0,
        },
    },
    {
        "kind": "AgentErrorEvent",
        "id": "e4",
        "timestamp": at(7),
        "source": "agent",
        "tool_name": "x",
        "tool_call_id": "t1",
        "error": "no such tool",
    },
    {
        "kind": "UserRejectObservation",
        "id": "e5",
        "timestamp": at(8),
        "source": "user",
        "tool_call_id": "t1",
        "action_id": "e2",
        "rejection_reason": "no",
    },
    {
        "kind": "MessageEvent",
        "id": "e6",
        "timestamp": at(9),
        "source": "agent",
        "llm_response_id": "r2",
        "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    },
]


def test_events_of_the_sdk(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Newer versions write events of other kinds; tokens and seconds of each call stand in the metrics, by its answer."""
    metrics = {
        "accumulated_cost": 0.5,
        "accumulated_token_usage": {
            "prompt_tokens": 100,
            "completion_tokens": 10,
            "cache_read_tokens": 60,
            "reasoning_tokens": 3,
        },
        "token_usages": [
            {
                "model": "kite",
                "prompt_tokens": 70,
                "completion_tokens": 6,
                "cache_read_tokens": 60,
                "response_id": "r1",
            },
            {
                "model": "kite",
                "prompt_tokens": 30,
                "completion_tokens": 4,
                "cache_read_tokens": 0,
                "response_id": "r2",
            },
        ],
        "response_latencies": [{"model": "kite", "latency": 1.5, "response_id": "r1"}],
    }
    metadata = {
        "llm": {"model": "acme/kite"},
        "dataset": "princeton-nlp/SWE-bench_Verified",
        "dataset_split": "test",
        "max_iterations": 50,
    }
    path = lines(tmp_path / "output.jsonl", line(history=SDK, metrics=metrics, metadata=metadata, attempt=1))
    table = read_source(SOURCE, path)
    assert table.rows(
        "agent", "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "steps", "tool_calls"
    ) == [("acme/kite (OpenHands)", 40, 60, 10, 3, 2, 1)]
    (trace,) = traces_of(SOURCE, path)
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("note", None),
        ("observation", None),
        ("model_call", None),
        ("decision", 3),
        ("action", 3),
        ("observation", 5),
        ("error", 5),
        ("approval", 5),
        ("model_call", None),
        ("decision", 9),
        ("trial_end", None),
    ]
    assert trace[3].payload == {
        "model": "kite",
        "input_tokens": 10,
        "cached_tokens": 60,
        "output_tokens": 6,
        "seconds": 1.5,
        "id": "r1",
        "event": "e2",
    }
    assert trace[6].payload == {
        "action": "t1",
        "kind": "TerminalObservation",
        "text": "a.py",
        "exit_code": 0,
        "event": "e3",
    }
    assert trace[8].payload["decision"] == "deny"


def test_pairs_of_events(tmp_path: Path, traces_of: TracesOf) -> None:
    """Old versions write pairs of an action and what it led to."""
    pairs = [[EVENTS[1], {}], [EVENTS[4], EVENTS[6]]]
    (trace,) = traces_of(SOURCE, lines(tmp_path / "output.jsonl", line(history=pairs)))
    assert [event.kind for event in trace[1:-1]] == [
        "observation",
        "model_call",
        "decision",
        "action",
        "observation",
    ]


@pytest.mark.parametrize(
    ("last", "outcome", "reason"),
    [
        ([], "completed", "finish, not graded"),
        (
            [{"action": "message", "source": "agent", "args": {}}],
            "completed",
            "message to the user, not graded",
        ),
        ([EVENTS[4]], "interrupted", "no end: the last event is no message and no finish"),
        (
            [
                {
                    "observation": "agent_state_changed",
                    "extras": {"agent_state": "error", "reason": "RateLimitError: slow"},
                }
            ],
            "infra_error",
            "RateLimitError: slow",
        ),
        (
            [{"observation": "agent_state_changed", "extras": {"agent_state": "stopped"}}],
            "cancelled",
            "stopped",
        ),
        (
            [
                {
                    "kind": "ConversationErrorEvent",
                    "code": "E",
                    "detail": "MaxIterationsReached: max iterations",
                }
            ],
            "limit",
            "MaxIterationsReached: max iterations",
        ),
    ],
)
def test_events_alone(
    tmp_path: Path, read_source: ReadSource, last: list[dict[str, Any]], outcome: str, reason: str
) -> None:
    """A list of events is a trial called after its file: how it ended is known, whether it passed is not."""
    path = write(tmp_path / "talk/fix.json", [*EVENTS, *last])
    table = read_source(SOURCE, path)
    assert table.rows("suite", "task", "agent", "job", "outcome", "reason", "verdict", "verdicts") == [
        ("unnamed", "fix", "kite-1-2026 (OpenHands CodeActAgent)", "talk", outcome, reason, None, None)
    ]
    assert table.frame["harness_version"][0] == "0.58.0"
    assert table.frame["steps"][0] == 2
    assert (
        "events alone: the task is called after the file, and nothing says whether it passed" in table.notes()
    )
    assert adds_up(table)


def test_damaged_lines_are_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """Damaged lines are dropped with their reasons; a file without any good one is refused."""
    good = json.dumps(line()).encode()
    path = write(
        tmp_path / "output.jsonl", b"\n".join([good, b"[1]", b'{"instance_id": null}', b"\xff", good[:99]])
    )
    table = read_source(SOURCE, path)
    assert table.frame.height == 1
    assert sum(table.notes("dropped").values()) == 4
    assert adds_up(table)
    with pytest.raises(FormatError, match="no output and no events"):
        read_source(SOURCE, write(tmp_path / "none.jsonl", good[:400]))
    with pytest.raises(FormatError, match="no output and no events"):
        read_source(SOURCE, write(tmp_path / "none.json", b"[]"))
    with pytest.raises(UsageError):
        read_source(SOURCE, path, tasks=path)


def test_neighbours_that_cannot_be_read(tmp_path: Path, read_source: ReadSource) -> None:
    """Broken metadata and results are noted; links that lead out are not followed."""
    folder = tmp_path / "run"
    lines(folder / "output.jsonl", line(metadata=None))
    write(folder / "metadata.json", b"{")
    write(folder / "report.json", b'{"resolved_ids": [')
    secret = write(tmp_path / "secret.json", {"resolved_ids": ["a__a-1"], "total_instances": 1})
    (folder / "output.report.json").symlink_to(secret)
    (folder / "more.jsonl").symlink_to(lines(tmp_path / "more.jsonl", line("b__b-1")))
    table = read_source(SOURCE, folder)
    assert table.rows("task", "suite", "agent", "verdict") == [("a__a-1", "unnamed", "OpenHands", None)]
    noted = " ".join(table.notes("note"))
    assert "metadata that are not read" in noted
    assert "results that are not read" in noted
    assert "link that leaves the folder: not followed" in noted
    assert table.notes("dropped") == {"link that leaves the folder: not followed": 2}
    assert adds_up(table)


def test_hostile_values(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Events, metrics and metadata of any shape do no harm."""
    odd = line(
        history=[None, 7, [[]], {"action": ["x"]}, {"observation": 3, "cause": []}, {"kind": {}}, *EVENTS],
        metrics={
            "accumulated_cost": "NaN",
            "token_usages": [1],
            "costs": [None],
            "accumulated_token_usage": [2],
        },
        metadata={"llm_config": [], "dataset": 7, "max_iterations": {}},
        error={"a": 1},
    )
    content = json.dumps(odd).replace("Fix it.", "\\ud800 \\u001b[2J").encode()
    path = write(tmp_path / "output.jsonl", content)
    assert read_source(SOURCE, path).rows("task", "cost_usd") == [("a__a-1", None)]
    assert len(traces_of(SOURCE, path)) == 1


def test_sniffing(tmp_path: Path) -> None:
    """Outputs, lists of events and folders of them are claimed; other JSON Lines and lists are not."""
    output = lines(tmp_path / "a/run/output.jsonl", line())
    events = write(tmp_path / "b/events.json", EVENTS)
    newer = write(tmp_path / "c/events.json", SDK)
    for path in (output, output.parent, tmp_path / "a", events, events.parent, newer):
        match = SOURCE.sniff(path)
        assert match is not None, path
        assert match.confidence > 92
    others = [
        lines(tmp_path / "d/a.jsonl", {"instance_id": "a", "model_patch": "x"}),
        lines(tmp_path / "d/b.jsonl", {"instance_id": "a", "test_result": 1}),
        write(tmp_path / "d/c.json", [{"id": 1, "source": "user", "timestamp": at(1), "text": "hello"}]),
        write(tmp_path / "d/d.json", {"events": EVENTS}),
        tmp_path / "d",
        tmp_path / "nowhere",
    ]
    assert [SOURCE.sniff(path) for path in others] == [None] * len(others)


FILES = {
    "run/output.jsonl": json.dumps(line(attempt=2)).encode()
    + b"\n"
    + json.dumps(line("b__b-1", history=SDK)).encode(),
    "run/output.critic_attempt_1.jsonl": json.dumps(line(attempt=1)).encode(),
    "run/report.json": json.dumps(
        {"resolved_ids": ["a__a-1"], "total_instances": 2, "resolved_instances": 1}
    ).encode(),
    "run/output.swebench_eval.jsonl": b'{"instance_id": "b__b-1", "test_result": {"report": {"resolved": false}}}',
    "events.json": json.dumps(EVENTS).encode(),
}


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged: an error on purpose, or a report that adds up."""
    survives(SOURCE, FILES, data)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(data=st.data())
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, with many more examples."""
    survives(SOURCE, FILES, data)


def test_sample_of_an_output(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """The constructed output: one patch, not graded, 0.12 USD, 9 seconds."""
    path = shared / "samples/openhands_output"
    table = read_source(SOURCE, path)
    assert table.rows(
        "suite", "task", "agent", "outcome", "verdict", "cost_usd", "input_tokens", "output_tokens"
    ) == [
        (
            "swebench_verified",
            "psf__requests-0001",
            "OpenHands CodeActAgent",
            "completed",
            None,
            0.12,
            1000,
            100,
        )
    ]
    assert table.rows("steps", "tool_calls", "wall_s", "started_at") == [
        (1, 1, 9.0, dt.datetime(2026, 4, 20, 10, tzinfo=dt.UTC))
    ]
    (trace,) = traces_of(SOURCE, path)
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("observation", None),
        ("model_call", None),
        ("action", 2),
        ("observation", 3),
        ("trial_end", None),
    ]


def test_sample_of_events(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Real events: 2 calls of the model, 11,859 tokens of prompts of which 5,632 were cached, 0.01934775 USD."""
    path = shared / "samples/openhands_native"
    table = read_source(SOURCE, path)
    row = table.frame.row(0, named=True)
    assert (row["cost_usd"], row["input_tokens"] + row["cached_tokens"], row["cached_tokens"]) == (
        0.01934775,
        11859,
        5632,
    )
    assert (row["output_tokens"], row["reasoning_tokens"], row["steps"], row["tool_calls"]) == (
        1086,
        960,
        2,
        2,
    )
    assert row["agent"] == "gpt-5-2025-08-07 (OpenHands CodeActAgent)"
    assert row["started_at"] == dt.datetime(2025, 10, 10, 6, 10, 15, 158090, tzinfo=dt.UTC)
    assert (row["outcome"], row["reason"]) == ("completed", "finish, not graded")
    (trace,) = traces_of(SOURCE, path)
    assert [event.kind for event in trace].count("model_call") == 2
    calls = [event.payload for event in trace if event.kind == "model_call"]
    assert sum(call["output_tokens"] for call in calls) == 1086
    assert sum(call["input_tokens"] for call in calls) == row["input_tokens"]
    assert len(trace) == 11
