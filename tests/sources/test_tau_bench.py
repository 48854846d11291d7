"""tau-bench's result files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.tau_bench.source import TauBenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = TauBenchSource()
POLICY = {"role": "system", "content": "# Retail agent policy\n\nBe kind."}
CALL = {"id": "c1", "type": "function", "function": {"name": "find_user", "arguments": '{"id": 7}'}}
TALK = [
    POLICY,
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "find_user", "content": "Ann"},
    {"role": "assistant", "content": "Hello Ann"},
    {"role": "user", "content": "###STOP###"},
]


def record(task: int = 3, trial: int = 0, reward: Any = 1.0, **info: Any) -> dict[str, Any]:
    judged = {"reward": reward, "info": {"r_actions": reward}, "actions": []}
    return {
        "task_id": task,
        "reward": reward,
        "info": {
            "task": {"user_id": "ann", "instruction": f"task {task}", "actions": [], "outputs": []},
            "source": "user",
            "user_cost": 0.25,
            "reward_info": judged,
        }
        | info,
        "traj": TALK,
        "trial": trial,
    }


def failed(message: str, traceback: str = "", task: int = 3) -> dict[str, Any]:
    return {
        "task_id": task,
        "reward": 0.0,
        "info": {"error": message, "traceback": traceback},
        "traj": [],
        "trial": 0,
    }


def write(folder: Path, content: Any, name: str = "kite-retail.json") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def read(path: Path, read_source: ReadSource, **options: Any) -> Imported:
    return read_source(SOURCE, path, **options)


def test_fields_of_a_record(tmp_path: Path, read_source: ReadSource) -> None:
    """The file names agent and domain; messages tell steps and tool calls; the user's cost is not the agent's."""
    table = read(write(tmp_path, [record()]), read_source)
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "tau_bench_retail",
        "task": "3",
        "agent": "kite",
        "model_requested": "kite",
        "trial": "0",
        "job": None,
        "outcome": "completed",
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}],
        "official_score": 1.0,
        "cost_usd": None,
        "input_tokens": None,
        "steps": 2,
        "tool_calls": 1,
        "harness": "tau-bench",
        "source": "tau_bench",
        "source_ref": "kite-retail.json: task 3, trial 0",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert list(table.notes()) == [
        "the simulated users of 1 trial cost 0.250000 USD together: in the traces, not in cost_usd"
    ]


def test_name_by_run(tmp_path: Path, read_source: ReadSource) -> None:
    """The name that run.py gives tells strategy, model, settings, simulated user and job; the policy the domain."""
    name = "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-mini-llm_0612093015.json"
    other = "tool-calling-gpt-4o-1.0_range_0--1_user-gpt-4o-mini-llm_0612093015.json"
    rows = [
        read(write(tmp_path, [record()], one), read_source).frame.row(0, named=True) for one in (name, other)
    ]
    assert [rows[0][column] for column in ("agent", "model_requested", "job", "suite")] == [
        "gpt-4o (tool-calling)",
        "gpt-4o",
        "0612093015",
        "tau_bench_retail",
    ]
    assert rows[0]["agent_digest"] != rows[1]["agent_digest"]
    assert rows[0]["environment_digest"] == rows[1]["environment_digest"] is not None


@pytest.mark.parametrize(
    ("entry", "outcome", "verdict", "official", "reason"),
    [
        (record(reward=1.0), "completed", "pass", True, None),
        (record(reward=1 - 1e-7), "completed", "pass", True, None),
        (record(reward=0.999), "completed", "fail", False, None),
        (record(reward="0.0"), "completed", "fail", False, None),
        (record(reward=None), "grader_error", None, None, "no reward"),
        (record(reward=float("nan")), "grader_error", None, None, "no reward"),
        (
            record(reward=0.0, reward_info=None, source="find_user"),
            "limit",
            "fail",
            False,
            "the conversation did not end: no reward_info, last step find_user",
        ),
        (
            failed("litellm.RateLimitError: slow down"),
            "infra_error",
            None,
            False,
            "litellm.RateLimitError: slow down",
        ),
        (failed("Error code: 503 - busy"), "infra_error", None, False, "Error code: 503 - busy"),
        (
            failed("This model's maximum context length is 8192 tokens"),
            "limit",
            "fail",
            False,
            "This model's maximum context length is 8192 tokens",
        ),
        (failed("KeyError: 'name'"), "agent_error", "fail", False, "KeyError: 'name'"),
        (
            failed("RateLimitError", 'File "/x/tau_bench/envs/user.py", line 5'),
            "simulator_error",
            None,
            False,
            "RateLimitError",
        ),
    ],
)
def test_outcomes(  # noqa: PLR0917 - a row of the table of outcomes
    tmp_path: Path,
    read_source: ReadSource,
    entry: dict[str, Any],
    outcome: str,
    verdict: str | None,
    official: bool | None,  # noqa: FBT001
    reason: str | None,
) -> None:
    """A reward decides; errors of provider and simulated user are no verdict; what tau-bench counts is kept apart."""
    row = read(write(tmp_path, [entry]), read_source).frame.row(0, named=True)
    assert (row["outcome"], row["verdict"], row["reason"]) == (outcome, verdict, reason)
    assert row["verdicts"] == (None if official is None else [{"name": "official", "passed": official}])


def test_damaged_records_are_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """A damaged record among good ones is dropped with its reason, and the report adds up."""
    good = json.dumps(record()).encode()
    listed = b'[1, {"task_id": null, "reward": 1.0, "info": {}, "traj": []}, [2], ' + good + b', {"a": tru}]'
    table = read(write(tmp_path, listed), read_source)
    assert table.frame["task"].to_list() == ["3"]
    dropped = table.notes("dropped")
    assert sum(dropped.values()) == table.log.rows_read - 1 == 3
    assert {"record without a task_id": 1, "record not an object": 1}.items() <= dropped.items()
    assert any("not readable JSON" in what for what in dropped)


@pytest.mark.parametrize(
    "end", [b"", b"[", b'{"task_id": 4, "reward": 0.0, "traj": [{"role": "u', b'{"a": [1]']
)
def test_cut_file(tmp_path: Path, read_source: ReadSource, end: bytes) -> None:
    """Of a file that is cut, whole records are kept and the cut one is dropped, once."""
    whole = json.dumps([record(), record(trial=1)]).encode()[:-1] + b", "
    table = read(write(tmp_path, whole + end), read_source)
    assert table.frame["trial"].to_list() == ["0", "1"]
    assert table.log.rows_read == 2 + bool(end)
    assert sum(table.notes("dropped").values()) == bool(end)


def test_numbers_and_odd_texts(tmp_path: Path, read_source: ReadSource) -> None:
    """Numbers in quotes are numbers; halves of surrogate pairs and escapes of terminals do no harm."""
    odd = record() | {"task_id": "\x1b[2J\udc80", "reward": "1", "trial": "2"}
    table = read(write(tmp_path, [odd]), read_source)
    assert table.rows("task", "trial", "verdict") == [("\x1b[2J\\udc80", "2", "pass")]


def test_bytes_that_are_no_text(tmp_path: Path, read_source: ReadSource) -> None:
    """Bytes that are not UTF-8 cost a note, not the record."""
    odd = json.dumps([record() | {"task_id": "x"}]).encode().replace(b'"x"', b'"\xff"')
    table = read(write(tmp_path, odd), read_source)
    assert table.rows("task", "verdict") == [("\ufffd", "pass")]
    assert table.notes()["bytes that are not UTF-8: replaced"] == 1


def test_task_of_an_error(tmp_path: Path, read_source: ReadSource) -> None:
    """A record that broke off holds no task: another trial of the same task says what it was."""
    frame = read(
        write(tmp_path, [failed("Error code: 503"), record(trial=1), record(4, 1)]), read_source
    ).frame
    assert frame["task_digest"][0] == frame["task_digest"][1] != frame["task_digest"][2]


def test_suite_where_nothing_says_it(tmp_path: Path, read_source: ReadSource) -> None:
    """Without a domain in name and policy the suite comes from the user, and the note says so."""
    plain = record() | {"traj": TALK[1:]}
    path = write(tmp_path, [plain], "kite.json")
    table = read(path, read_source)
    assert table.frame["suite"][0] == "tau_bench"
    assert "the data do not say which domain: give it with --suite" in table.notes()
    assert read(path, read_source, suite="mine").frame["suite"][0] == "mine"
    named = read(write(tmp_path, [record()]), read_source, suite="mine")
    assert "the data say tau_bench_retail: --suite mine is not used" in named.notes()
    with pytest.raises(UsageError, match="no use for --map"):
        read(path, read_source, mapping={"agent": "x"})


def test_declared_trials(tmp_path: Path, read_source: ReadSource) -> None:
    """As many trials are planned as the file has trial numbers."""
    records = [record(task, trial) for task in (1, 2) for trial in range(3)]
    (declared,) = read(write(tmp_path, records), read_source).log.declarations
    assert (declared.suite, declared.trials, declared.tasks) == ("tau_bench_retail", 3, None)


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """Messages become model calls, decisions, actions and observations, each bound to what it follows from."""
    (trace,) = traces_of(SOURCE, write(tmp_path, [record()]))
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("note", None),
        ("observation", None),
        ("model_call", None),
        ("action", 3),
        ("observation", 4),
        ("model_call", None),
        ("decision", 6),
        ("observation", 7),
        ("trial_end", None),
    ]
    assert trace[4].payload == {"id": "c1", "tool": "find_user", "arguments": '{"id": 7}'}
    assert trace[5].payload == {"action": "c1", "text": "Ann"}
    assert trace[-1].payload["user_cost_usd"] == 0.25


def test_trace_of_an_agent_without_native_tools(
    tmp_path: Path, read_source: ReadSource, traces_of: TracesOf
) -> None:
    """Actions that act and react agents write as text are actions, and what the tool said is observed."""
    written = 'Thought:\nwho is it\nAction:\n{"name": "find_user", "arguments": {"id": 7}}'
    talk = [
        POLICY,
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": written},
        {"role": "user", "content": "API output: Ann"},
        {"role": "assistant", "content": 'Action:\n{"name": "respond", "arguments": {"content": "Hi"}}'},
        {"role": "assistant", "content": "Action:\n{broken"},
    ]
    path = write(tmp_path, [record() | {"traj": talk}])
    assert read(path, read_source).rows("steps", "tool_calls") == [(3, 1)]
    (trace,) = traces_of(SOURCE, path)
    (action,) = (event for event in trace if event.kind == "action")
    assert action.payload == {"tool": "find_user", "arguments": {"id": 7}}
    answer = trace[action.seq + 1]
    assert (answer.kind, answer.cause, answer.payload) == ("observation", action.seq, {"text": "Ann"})


def test_trace_of_an_error(tmp_path: Path, traces_of: TracesOf) -> None:
    """The error of a trial that broke off is in its trace."""
    (trace,) = traces_of(SOURCE, write(tmp_path, [failed("Error code: 503", "Traceback ...")]))
    assert [event.kind for event in trace] == ["trial_start", "error", "trial_end"]
    assert trace[1].payload == {"message": "Error code: 503", "traceback": "Traceback ..."}


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """A list with the marks, and a folder that holds it, are claimed; other lists and objects are not."""
    assert SOURCE.sniff(tmp_path) is None
    write(tmp_path, {"task_id": 1, "reward": 1, "info": {}, "traj": []}, "object.json")
    write(tmp_path, [{"task_id": 1, "reward_info": {}, "messages": []}], "other.json")
    assert SOURCE.sniff(tmp_path) is None
    path = write(tmp_path, b"\xef\xbb\xbf" + json.dumps([record()]).encode())
    for claimed in (tmp_path, path):
        match = SOURCE.sniff(claimed)
        assert match is not None
        assert match.confidence >= 90
    table = read(tmp_path, read_source)
    assert table.frame.height == 1
    assert table.notes()["JSON file that is no result of tau-bench: not read"] == 2


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'"text"', b"[" * 100_000])
def test_what_is_refused(tmp_path: Path, read_source: ReadSource, content: bytes) -> None:
    """What holds no record is refused with its path."""
    with pytest.raises(FormatError):
        read(write(tmp_path, content), read_source)


def test_links_out_of_the_folder(tmp_path: Path, read_source: ReadSource) -> None:
    """A link that leaves the folder is not followed, and counts as dropped."""
    inside = tmp_path / "inside"
    inside.mkdir()
    write(inside, [record()])
    (inside / "linked.json").symlink_to(write(tmp_path, [record(9)], "secret-retail.json"))
    table = read(inside, read_source)
    assert table.frame["task"].to_list() == ["3"]
    assert table.notes("dropped") == {"link that leaves the folder: not followed": 1}


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
    records = [record(), record(trial=1, reward=0.0, reward_info=None), failed("Error code: 503", task=4)]
    survives(SOURCE, {"kite-retail.json": json.dumps(records).encode()}, data)


def test_published_trials(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Six trials of the published file: five graded fails, one that met the step limit; counts as in the table."""
    path = shared / "samples/tau_bench"
    table = read(path, read_source)
    assert table.log.rows_read == table.frame.height == 6
    assert table.notes("dropped") == table.notes("unknown") == {}
    assert table.frame.group_by("outcome", "verdict").len().sort("outcome").rows() == [
        ("completed", "fail", 5),
        ("limit", "fail", 1),
    ]
    tidy = pl.read_csv(
        shared / "data/tau_bench/trials.csv", schema_overrides={"task": pl.String, "trial": pl.String}
    )
    both = table.frame.join(tidy, on=["task", "trial"], suffix="_tidy", maintain_order="left")
    assert both.height == 6
    assert both["steps"].to_list() == both["agent_turns"].to_list()
    assert both["tool_calls"].to_list() == both["tool_calls_tidy"].to_list()
    assert both["official_score"].to_list() == both["reward"].to_list()
    assert set(table.frame["suite"]) == {"tau_bench_airline"}
    traces = traces_of(SOURCE, path)
    ends = [trace[-1].payload.get("user_cost_usd") for trace in traces]
    assert ends == both["user_sim_cost_usd"].to_list()
    for trace, row in zip(traces, table.frame.iter_rows(named=True), strict=True):
        kinds = [event.kind for event in trace]
        assert (kinds.count("model_call"), kinds.count("action")) == (row["steps"], row["tool_calls"])
        answers = [event for event in trace if event.kind == "observation" and "from" not in event.payload]
        assert all(trace[event.cause or 0].kind == "action" for event in answers)
        assert all(trace[event.cause or 0].payload["id"] == event.payload["action"] for event in answers)
