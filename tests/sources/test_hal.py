"""Uploads of HAL."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.hal.source import HalSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = HalSource()
CONFIG = {
    "agent_name": "Planner (kite-1)",
    "benchmark_name": "gaia",
    "run_id": "gaia_planner_1",
    "agent_args": {"model_name": "kite-1", "api_key": "secret"},
}
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}}


def upload(**changes: Any) -> dict[str, Any]:
    return {
        "config": CONFIG,
        "results": {
            "accuracy": 0.5,
            "total_cost": 1.25,
            "successful_tasks": ["a"],
            "failed_tasks": ["b"],
            "latencies": {
                "a": {
                    "first_call_timestamp": "2026-01-01T10:00:00+00:00",
                    "last_call_timestamp": "2026-01-01T10:00:30+00:00",
                    "total_time": 30.0,
                }
            },
        },
        "raw_eval_results": {"a": {"score": 1, "explanation": "right"}, "b": {"score": 0}},
        "raw_logging_results": {},
        "wall_clock_times": {"a": 42.0},
        "git_info": {"commit_hash": "abc"},
        "task_step_counts": {"b": 7},
    } | changes


def write(folder: Path, content: Any, name: str = "gaia_planner_1_UPLOAD.json") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def read(path: Path, read_source: ReadSource, **options: Any) -> Imported:
    return read_source(SOURCE, path, **options)


def test_fields_of_a_task(tmp_path: Path, read_source: ReadSource) -> None:
    """Header, lists, clocks and counts of an upload fill a trial."""
    table = read(write(tmp_path, upload()), read_source)
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "gaia",
        "task": "a",
        "agent": "Planner (kite-1)",
        "model_requested": "kite-1",
        "trial": "0",
        "job": "gaia_planner_1",
        "outcome": "completed",
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}],
        "official_score": 1.0,
        "cost_usd": None,
        "wall_s": 42.0,
        "started_at": dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC),
        "steps": None,
        "harness": "hal",
        "harness_version": "abc",
        "source": "hal",
        "source_ref": "gaia_planner_1_UPLOAD.json: task a",
        "confidence": None,
    }
    assert {name: row[name] for name in wanted} == wanted
    assert table.rows("task", "verdict", "steps") == [("a", "pass", None), ("b", "fail", 7)]
    assert [(one.suite, one.trials) for one in table.log.declarations] == [("gaia", 1)]
    assert table.notes() == {}


def test_header_from_the_name(tmp_path: Path, read_source: ReadSource) -> None:
    """Where the header is empty the name tells benchmark, agent and repetition."""
    bare = upload(config={}, metadata={"run_id": "r7", "agent_args": {"fault": "true"}})
    path = write(tmp_path, bare, "taubench_airline_tool_calling_kite_1761234567_r2_UPLOAD.json")
    row = read(path, read_source).frame.row(0, named=True)
    assert [row[name] for name in ("suite", "agent", "trial", "job")] == [
        "taubench_airline",
        "tool_calling_kite",
        "2",
        "r7",
    ]
    path = write(tmp_path, bare, "kite_UPLOAD.json")
    table = read(path, read_source)
    assert (table.frame["suite"][0], table.frame["agent"][0]) == ("hal", "kite")
    assert "the data do not say which benchmark: give it with --suite" in table.notes()
    assert read(path, read_source, suite="mine").frame["suite"][0] == "mine"
    named = read(write(tmp_path, upload()), read_source, suite="mine")
    assert "the data say gaia: --suite mine is not used" in named.notes()
    with pytest.raises(UsageError, match="no use for --task-list"):
        read(path, read_source, tasks=path)


def test_arguments_make_the_agent(tmp_path: Path, read_source: ReadSource) -> None:
    """Other arguments are another agent; keys of providers are not looked at."""

    def digest(**arguments: Any) -> str:
        config = CONFIG | {"agent_args": {"model_name": "kite-1"} | arguments}
        return str(read(write(tmp_path, upload(config=config)), read_source).frame["agent_digest"][0])

    assert digest(temperature=1) != digest()
    assert digest(api_key="x") == digest()


@pytest.mark.parametrize(
    ("entry", "outcome", "verdict", "official", "score"),
    [
        ({"reward": 1.0}, "completed", "pass", True, 1.0),
        ({"reward": 0.0}, "completed", "fail", False, 0.0),
        ({"score": 0.5}, "completed", "fail", False, 0.5),
        ({"score": "1"}, "completed", "pass", True, 1.0),
        ({"correct": True}, "completed", "pass", True, 1.0),
        ({"resolved": False}, "completed", "fail", False, 0.0),
        (1, "completed", "pass", True, 1.0),
        ({"score": None}, "grader_error", None, None, None),
        ({"score": "NaN"}, "grader_error", None, None, None),
        ("ERROR: Error code: 529 overloaded", "infra_error", None, False, None),
        ("ERROR: agent timed out after 600 s", "agent_timeout", "fail", False, None),
        ("ERROR: exit status 1", "agent_error", "fail", False, None),
        ("ERROR: context_length_exceeded", "limit", "fail", False, None),
    ],
)
def test_outcomes(  # noqa: PLR0917 - a row of the table of outcomes
    tmp_path: Path,
    read_source: ReadSource,
    entry: Any,
    outcome: str,
    verdict: str | None,
    official: bool | None,  # noqa: FBT001
    score: float | None,
) -> None:
    """Whatever a benchmark calls its score decides; the message of an error stands in its place."""
    table = read(write(tmp_path, upload(results={}, raw_eval_results={"t": entry})), read_source)
    row = table.frame.row(0, named=True)
    assert (row["outcome"], row["verdict"], row["official_score"]) == (outcome, verdict, score)
    assert row["verdicts"] == (None if official is None else [{"name": "official", "passed": official}])
    assert (row["reason"] is None) == (outcome == "completed")


def test_lists_decide(tmp_path: Path, read_source: ReadSource) -> None:
    """Where the benchmark lists what was solved, its lists decide over what the score seems to say."""
    results = {"successful_tasks": ["a"], "failed_tasks": ["c"]}
    table = read(
        write(tmp_path, upload(results=results, raw_eval_results={"a": {"score": 0.4}, "b": {}})), read_source
    )
    assert table.rows("task", "verdict", "official_score") == [("a", "pass", 0.4), ("c", "fail", None)]
    assert table.notes("dropped") == {"entry that says nothing of the task": 1}
    assert table.log.rows_read == 3


def test_benchmarks_that_keep_sums(tmp_path: Path, read_source: ReadSource) -> None:
    """Where the results are sums over tasks, the lists are all there is."""
    sums: list[Any] = [{"sdict": {}, "rs": []}, {"resolved_ids": ["a"], "total_instances": 2}, [1, 0]]
    for raw in sums:
        table = read(write(tmp_path, upload(raw_eval_results=raw)), read_source)
        assert table.rows("task", "verdict") == [("a", "pass"), ("b", "fail")]
        assert "verdicts from the lists of solved and failed tasks" in table.notes()
    with pytest.raises(FormatError, match="no results of HAL"):
        read(write(tmp_path, upload(results={}, raw_eval_results=[1, 0])), read_source)


def test_varied_prompts(tmp_path: Path, read_source: ReadSource) -> None:
    """Each variation of a prompt is a trial of its own."""
    raw = {"a": [{"reward": 1.0}, {"reward": 0.0}]}
    table = read(write(tmp_path, upload(raw_eval_results=raw, results={})), read_source)
    assert table.rows("trial", "verdict") == [("0.0", "pass"), ("0.1", "fail")]
    assert "prompts were varied: each variation is a trial" in table.notes()


def test_amounts(tmp_path: Path, read_source: ReadSource) -> None:
    """Cost and confidence come with the task; a cost of 0 and a confidence that is none become unknown."""
    raw = {
        "a": {
            "reward": 1.0,
            "cost": 0.5,
            "confidence": 0.75,
            "taken_actions": [{"name": "x"}, {"name": "respond"}],
        },
        "b": {"reward": 0.0, "cost": 0, "confidence": 80},
        "c": {"reward": 0.0},
    }
    results = {"costs": {"c": 0.25}, "latencies": {"c": 1.5}}
    table = read(write(tmp_path, upload(raw_eval_results=raw, results=results)), read_source)
    assert table.rows("cost_usd", "price_table", "confidence", "tool_calls") == [
        (0.5, "self-reported by hal", 0.75, 1),
        (None, None, None, None),
        (0.25, "self-reported by hal", None, None),
    ]
    assert table.frame["wall_s"].to_list() == [42.0, None, 1.5]
    assert table.notes("unknown") == {
        "cost 0: HAL did not know the prices of the model": 1,
        "confidence that is no probability": 1,
    }


def weave(name: str, parent: str | None, task: str = "a", **usage: int) -> dict[str, Any]:
    return {
        "id": name,
        "parent_id": parent,
        "weave_task_id": task,
        "started_at": "2026-01-01T10:00:00Z",
        "summary": {"usage": {"kite-1": usage}, "weave": {"latency_ms": 1500}},
        "output": {"choices": [{"message": {"role": "assistant", "content": name}}]},
    }


def test_calls_are_counted_once(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """A logged call that holds others repeats their tokens: only the innermost ones count."""
    calls = [
        weave("outer", None, prompt_tokens=300, completion_tokens=30),
        weave("one", "outer", prompt_tokens=100, completion_tokens=10),
        weave("two", "outer", prompt_tokens=200, completion_tokens=20),
        weave("three", None, "b", input_tokens=10, cache_read_input_tokens=90, output_tokens=5),
        {"id": "no call of a model"},
    ]
    path = write(tmp_path, upload(raw_logging_results=calls))
    table = read(path, read_source)
    assert table.rows("input_tokens", "cached_tokens", "output_tokens", "steps") == [
        (300, None, 30, 2),
        (10, 90, 5, 7),
    ]
    first, _ = traces_of(SOURCE, path)
    assert [(event.kind, event.payload.get("text")) for event in first[1:5]] == [
        ("model_call", None),
        ("decision", "one"),
        ("model_call", None),
        ("decision", "two"),
    ]
    assert first[1].payload["seconds"] == 1.5


def test_compact_logs(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Newer uploads keep one conversation a task with the usage of its calls; cached tokens are taken off."""
    messages = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": [{"type": "text", "text": "who?"}]},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "find", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "Ann"},
        {"role": "assistant", "content": "Ann"},
    ]
    start, end = "2026-01-01T10:00:00+00:00", "2026-01-01T10:00:02+00:00"
    metadata = [{"usage": USAGE, "started_at": start, "ended_at": end}] * 2
    logged = {"a": {"messages": messages, "call_metadata": metadata, "model": "kite-1", "call_count": 2}}
    path = write(tmp_path, upload(raw_logging_results=logged))
    assert read(path, read_source).rows("input_tokens", "cached_tokens", "output_tokens", "steps")[0] == (
        80,
        120,
        40,
        2,
    )
    trace = traces_of(SOURCE, path)[0]
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("note", None),
        ("observation", None),
        ("model_call", None),
        ("action", 3),
        ("observation", 4),
        ("model_call", None),
        ("decision", 6),
        ("trial_end", None),
    ]
    assert trace[3].payload["input_tokens"] == 40
    assert trace[3].payload["seconds"] == 2.0
    assert trace[-1].payload["explanation"] == "right"


def test_missing_usage(tmp_path: Path, read_source: ReadSource) -> None:
    """One call without usage makes the tokens of its task unknown; a damaged one those of the upload."""
    calls = [weave("one", None, prompt_tokens=1, completion_tokens=1), weave("two", None, prompt_tokens=1)]
    table = read(write(tmp_path, upload(raw_logging_results=calls)), read_source)
    assert table.frame["input_tokens"].to_list() == [None, None]
    assert table.notes("unknown") == {"some calls of the model have no usage: tokens unknown": 1}
    whole = json.dumps(upload() | {"raw_logging_results": calls}).encode()
    at = whole.index(b'"raw_logging_results"')
    moved = (
        b"{"
        + whole[1:at].rstrip(b", ")
        + b', "raw_logging_results": ['
        + json.dumps(calls[0]).encode()
        + b', {"id": "x'
    )
    table = read(write(tmp_path, moved), read_source)
    assert table.frame.height == 2
    assert table.frame["input_tokens"].to_list() == [None, None]
    assert any(what.startswith("logged call cut") for what in table.notes("unknown"))


def test_simulated_users_are_told(tmp_path: Path, read_source: ReadSource) -> None:
    """Logs of benchmarks with a simulated user hold its calls too: that is said, and no model is guessed."""
    calls = [
        weave("one", None, prompt_tokens=1, completion_tokens=1),
        weave("two", None, prompt_tokens=1, completion_tokens=1),
    ]
    calls[1]["summary"]["usage"] = {"other": {"prompt_tokens": 1, "completion_tokens": 1}}
    config = {"benchmark_name": "taubench_airline", "agent_name": "x"}
    table = read(write(tmp_path, upload(config=config, raw_logging_results=calls)), read_source)
    assert "logged calls, and so tokens, include those of the simulated user" in table.notes()
    assert table.frame["model_requested"].null_count() == table.frame.height


def test_actions_and_errors_in_traces(tmp_path: Path, traces_of: TracesOf) -> None:
    """Without logged calls the actions that were taken are the trace; an error is told."""
    raw = {"a": {"reward": 1.0, "taken_actions": [{"name": "find", "kwargs": {"id": 1}}]}, "b": "ERROR: boom"}
    acted, broke = traces_of(SOURCE, write(tmp_path, upload(results={}, raw_eval_results=raw)))
    assert [event.kind for event in acted] == ["trial_start", "action", "trial_end"]
    assert acted[1].payload == {"tool": "find", "arguments": {"id": 1}}
    assert [event.kind for event in broke] == ["trial_start", "error", "trial_end"]


def test_stated_numbers(tmp_path: Path) -> None:
    """Single numbers among the results are what an upload states."""
    write(tmp_path, upload())
    assert [(one.agent, one.name, one.value, one.unit, one.where) for one in SOURCE.stated(tmp_path)] == [
        ("Planner (kite-1)", "accuracy gaia", 0.5, "share", "gaia_planner_1_UPLOAD.json: results.accuracy"),
        (
            "Planner (kite-1)",
            "total_cost gaia",
            1.25,
            "USD",
            "gaia_planner_1_UPLOAD.json: results.total_cost",
        ),
    ]


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Uploads are claimed by content, sealed ones by name too; other JSON is not."""
    assert SOURCE.sniff(tmp_path) is None
    other = write(tmp_path, {"results": {}}, "other.json")
    assert SOURCE.sniff(tmp_path) is None
    for path in (write(tmp_path, upload()), write(tmp_path, upload(), "renamed.json"), tmp_path):
        match = SOURCE.sniff(path)
        assert match is not None
        assert match.confidence >= 90
    assert read(tmp_path, read_source).notes()["file that is no upload of HAL: not read"] == 1
    with pytest.raises(FormatError, match="no raw_eval_results"):
        read(other, read_source)


@pytest.mark.parametrize(
    ("content", "name"),
    [(b"PK\3\4 sealed", "a_UPLOAD.zip"), (b'{"encrypted_data": "x", "salt": "y"}', "a_UPLOAD.json")],
)
def test_sealed_uploads(tmp_path: Path, read_source: ReadSource, content: bytes, name: str) -> None:
    """An encrypted upload is recognised, and the error says what to do."""
    path = write(tmp_path, content, name)
    assert SOURCE.sniff(path) is not None
    for refused in (path, tmp_path):
        with pytest.raises(FormatError, match="hal-decrypt"):
            read(refused, read_source)
    write(tmp_path, upload())
    table = read(tmp_path, read_source)
    assert (table.frame.height, table.log.rows_read) == (2, 3)
    assert table.notes("dropped") == {"file that cannot be read: encrypted, as HAL publishes uploads": 1}


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged: an error on purpose, or a report that adds up."""
    _damage(survives, data)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.data())
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same with many more examples."""
    _damage(survives, data)


def _damage(survives: Survives, data: st.DataObject) -> None:
    calls = [weave("one", None, prompt_tokens=1, completion_tokens=1), weave("two", "one", prompt_tokens=1)]
    compact = {"a": {"messages": [{"role": "user", "content": "x"}], "call_metadata": [{"usage": USAGE}]}}
    files = {
        "gaia_UPLOAD.json": upload(raw_logging_results=calls),
        "usaco_UPLOAD.json": upload(raw_logging_results=compact),
    }
    survives(SOURCE, {name: json.dumps(content).encode() for name, content in files.items()}, data)


def test_published_fixtures(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Two uploads of HAL's own tests: three tasks, with their costs, times, confidences and the tokens of one."""
    path = shared / "samples/hal"
    table = read(path, read_source)
    assert table.log.rows_read == table.frame.height == 3
    assert table.notes("dropped") == table.notes("unknown") == {}
    assert table.rows(
        "agent", "task", "verdict", "cost_usd", "wall_s", "confidence", "input_tokens", "output_tokens"
    ) == [
        ("toolcalling_gpt_4o_mini_baseline", "0", "pass", 0.001, 1.5, 0.9, 100, 50),
        ("toolcalling_gpt_4o_mini_baseline", "1", "fail", 0.002, 2.0, 0.3, None, None),
        ("toolcalling_gpt_4o_mini_fault", "0", "fail", 0.001, 1.8, 0.1, None, None),
    ]
    assert set(table.frame["suite"]) == {"taubench"}
    assert set(table.frame["job"]) == {"test_baseline_001", "test_fault_001"}
    assert [[event.kind for event in trace] for trace in traces_of(SOURCE, path)] == [
        ["trial_start", "model_call", "trial_end"],
        ["trial_start", "trial_end"],
        ["trial_start", "trial_end"],
    ]
    assert list(SOURCE.stated(path)) == []
