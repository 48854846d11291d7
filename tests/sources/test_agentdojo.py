"""AgentDojo's trials, and those of its relatives."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.agentdojo.source import AgentDojoSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = AgentDojoSource()


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "content": words}]


TALK = [
    {"role": "system", "content": text("be kind")},
    {"role": "user", "content": text("who?")},
    {
        "role": "assistant",
        "content": text(""),
        "tool_calls": [{"function": "find", "args": {"id": 7}, "id": None}],
    },
    {"role": "tool", "content": text("Ann"), "tool_call_id": None, "error": None},
    {"role": "assistant", "content": text("Ann"), "tool_calls": None},
]


def official(**changes: Any) -> dict[str, Any]:
    return {
        "suite_name": "workspace",
        "pipeline_name": "kite-1-tool_filter",
        "user_task_id": "user_task_3",
        "injection_task_id": "injection_task_1",
        "attack_type": "direct",
        "injections": {"place": "TODO: leak"},
        "messages": TALK,
        "error": None,
        "benchmark_version": "v1.2",
        "evaluation_timestamp": "2026-01-01 10:00:00",
        "agentdojo_package_version": "0.1.35",
        "utility": True,
        "security": False,
        "duration": 2.5,
    } | changes


def benign(**changes: Any) -> dict[str, Any]:
    return official(injection_task_id=None, attack_type=None, injections={}, security=True) | changes


def relative(*, error: str | None = None, **evaluation: Any) -> dict[str, Any]:
    findings = {
        "utility": True,
        "security": True,
        "outcome": "safe",
        "called_get_user_help": False,
        "missed_help": False,
        "forbidden_behavior": False,
    }
    asked = [
        {
            "role": "assistant",
            "tool_calls": [{"function": "get_user_help", "args": {"q": "when?"}, "id": "h1"}],
        },
        {"role": "tool", "content": text("wait for the user"), "tool_call_id": "h1"},
    ]
    return {
        "run_id": "bank_t1_poison_1_ab",
        "suite_name": "bank_suite",
        "pipeline_name": "kite-1",
        "domain": "bank",
        "task_id": "t1",
        "condition": "poison",
        "seed": 4,
        "user_prompt": "pay",
        "available_tools": ["find", "get_user_help"],
        "messages": TALK + asked,
        "final_answer": "done",
        "evaluation": findings | evaluation,
        "duration": 1.5,
        "error": error,
    }


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def read(path: Path, read_source: ReadSource, **options: Any) -> Imported:
    return read_source(SOURCE, path, **options)


def test_fields_under_attack(tmp_path: Path, read_source: ReadSource) -> None:
    """The gate is the utility; ``security`` true means the attack got through, so that the verdict turns it round."""
    table = read(write(tmp_path / "a.json", official()), read_source)
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "agentdojo_direct",
        "suite_version": "v1.2",
        "task": "workspace/user_task_3/injection_task_1",
        "family": "workspace/user_task_3",
        "agent": "kite-1-tool_filter",
        "model_requested": "kite-1",
        "trial": "1",
        "outcome": "completed",
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}, {"name": "security", "passed": True}],
        "steps": 2,
        "tool_calls": 1,
        "wall_s": 2.5,
        "started_at": dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC),
        "harness": "agentdojo",
        "harness_version": "0.1.35",
        "source": "agentdojo",
        "source_ref": "a.json",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert table.notes() == {"times name no zone: taken for UTC": 1}
    reached = read(write(tmp_path / "b.json", official(security=True)), read_source)
    assert {"name": "security", "passed": False} in reached.frame["verdicts"][0].to_list()


def test_nothing_injected_says_nothing_of_safety(tmp_path: Path, read_source: ReadSource) -> None:
    """Without an injection ``security`` is always true: no verdict; the suite is another one."""
    row = read(write(tmp_path / "a.json", benign()), read_source).frame.row(0, named=True)
    assert (row["suite"], row["task"], row["family"]) == ("agentdojo", "workspace/user_task_3", None)
    assert row["verdicts"] == [{"name": "official", "passed": True}]
    as_user_task = benign(user_task_id="injection_task_1")
    row = read(write(tmp_path / "b.json", as_user_task), read_source).frame.row(0, named=True)
    assert row["suite"] == "agentdojo_injection_tasks"


def test_the_other_dialect(tmp_path: Path, read_source: ReadSource) -> None:
    """In an evaluation ``security`` true means safe; domain, seed and findings are kept."""
    table = read(write(tmp_path / "a.json", relative(security=False, missed_help=True)), read_source)
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "agentdojo_poison",
        "task": "bank_t1",
        "family": "bank",
        "trial": "4",
        "seed": 4,
        "verdict": "pass",
        "verdicts": [
            {"name": "asked_when_needed", "passed": False},
            {"name": "no_forbidden_behavior", "passed": True},
            {"name": "official", "passed": True},
            {"name": "security", "passed": False},
        ],
    }
    assert {name: row[name] for name in wanted} == wanted
    assert table.notes() == {"the agent asked its user for help": 1}
    assert read(tmp_path / "a.json", read_source, suite="mine").frame["suite"][0] == "mine"


@pytest.mark.parametrize(
    ("changes", "outcome", "verdict", "official_verdict"),
    [
        ({"utility": False}, "completed", "fail", False),
        ({"error": "context_length_exceeded", "utility": False, "security": True}, "limit", "fail", False),
        ({"error": "internal server error", "utility": False, "security": True}, "infra_error", None, False),
        ({"error": {"code": 503, "text": "service unavailable"}}, "infra_error", None, True),
        ({"error": "KeyError", "utility": False}, "agent_error", "fail", False),
        ({"error": "KeyError", "utility": True}, "agent_error", "pass", True),
        ({"utility": None}, "grader_error", None, None),
        ({"utility": "maybe"}, "grader_error", None, None),
    ],
)
def test_outcomes(  # noqa: PLR0917 - a row of the table of outcomes
    tmp_path: Path,
    read_source: ReadSource,
    changes: dict[str, Any],
    outcome: str,
    verdict: str | None,
    official_verdict: bool | None,  # noqa: FBT001
) -> None:
    """Errors of the provider are no verdict, and no error says anything of safety."""
    table = read(write(tmp_path / "a.json", official(**changes)), read_source)
    row = table.frame.row(0, named=True)
    assert (row["outcome"], row["verdict"]) == (outcome, verdict)
    verdicts = {one["name"]: one["passed"] for one in row["verdicts"] or []}
    assert verdicts.get("official") == official_verdict
    assert ("security" in verdicts) == (outcome == "completed")
    judged = "error, and judged all the same: no verdict on safety"
    assert (judged in table.notes()) == ("error" in changes)


def test_left_before_its_end(tmp_path: Path, read_source: ReadSource) -> None:
    """AgentDojo writes as it goes: a file without utility is of a trial that was killed."""
    left = official()
    del left["utility"], left["security"], left["duration"]
    table = read(write(tmp_path / "a.json", left), read_source)
    assert table.rows("outcome", "verdict", "reason") == [
        ("interrupted", None, "no utility: the trial was left before its end")
    ]


def test_tree_of_runs(tmp_path: Path, read_source: ReadSource) -> None:
    """All files of a tree are read, damaged ones dropped, foreign ones noted."""
    folder = tmp_path / "runs/kite-1/workspace/user_task_3"
    write(folder / "direct/injection_task_1.json", official())
    write(folder / "none/none.json", benign())
    write(folder / "direct/cut.json", json.dumps(official()).encode()[:-30])
    write(folder / "direct/unnamed.json", official(pipeline_name=None))
    write(folder / "direct/list.json", b"[" + json.dumps(official()).encode() + b"]")
    write(tmp_path / "runs/other.json", {"a": 1})
    assert SOURCE.sniff(tmp_path / "runs") is not None
    table = read(tmp_path / "runs", read_source)
    assert (table.frame.height, table.log.rows_read) == (2, 5)
    dropped = table.notes("dropped")
    assert sum(dropped.values()) == 3
    assert {"trial without a pipeline_name", "trial not an object"} < set(dropped)
    assert table.notes("note")["JSON file that is no trial of AgentDojo: not read"] == 1
    assert sorted((one.suite, one.trials) for one in table.log.declarations) == [
        ("agentdojo", 1),
        ("agentdojo_direct", 1),
    ]


def test_links_out_of_the_folder(tmp_path: Path, read_source: ReadSource) -> None:
    """A link that leaves the folder is not followed."""
    secret = write(tmp_path / "secret.json", official())
    write(tmp_path / "runs/a.json", benign())
    (tmp_path / "runs/b.json").symlink_to(secret)
    table = read(tmp_path / "runs", read_source)
    assert (table.frame.height, table.notes("dropped")) == (
        1,
        {"link that leaves the folder: not followed": 1},
    )


def test_older_messages(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Older files hold plain texts in place of parts."""
    talk = [{"role": "user", "content": "who?"}, {"role": "assistant", "content": "Ann", "tool_calls": []}]
    path = write(tmp_path / "a.json", official(messages=talk))
    assert read(path, read_source).rows("steps", "tool_calls") == [(1, 0)]
    (trace,) = traces_of(SOURCE, path)
    assert [event.payload.get("text") for event in trace[1:4]] == ["who?", None, "Ann"]


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """Calls without ids are answered in their order; what was injected stands at the beginning."""
    (trace,) = traces_of(SOURCE, write(tmp_path / "a.json", official()))
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
    assert trace[0].payload["injections"] == {"place": "TODO: leak"}
    assert trace[-1].payload == {"outcome": "completed", "verdict": "pass", "safe": True}


def test_help_is_a_request_for_approval(tmp_path: Path, traces_of: TracesOf) -> None:
    """Asking the user is no action but a request; the answer that it must wait is observed, no approval given."""
    (trace,) = traces_of(SOURCE, write(tmp_path / "a.json", relative(called_get_user_help=True)))
    asked = next(event for event in trace if event.kind == "approval_request")
    assert asked.payload == {"action": "h1", "tool": "get_user_help", "arguments": {"q": "when?"}}
    answer = trace[asked.seq + 1]
    assert (answer.kind, answer.cause, answer.payload["action"]) == ("observation", asked.seq, "h1")
    assert all(event.kind != "approval" for event in trace)
    assert trace[-1].payload["called_get_user_help"] is True


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Trials of both dialects are claimed; other JSON and empty trees are not."""
    (tmp_path / "a/b").mkdir(parents=True)
    other = write(tmp_path / "x.json", {"suite_name": "a", "pipeline_name": "b"})
    assert SOURCE.sniff(tmp_path) is None
    for path in (
        write(tmp_path / "a/b/c/d.json", official()),
        write(tmp_path / "r.json", relative()),
        tmp_path,
    ):
        match = SOURCE.sniff(path)
        assert match is not None
        assert match.confidence >= 90
    with pytest.raises(FormatError, match="no trials of AgentDojo"):
        read(other, read_source)
    with pytest.raises(UsageError, match="no use for --set"):
        read(tmp_path, read_source, constants={"kind": "ratio"})
    note = "the data name the suite: --suite mine is not used"
    assert note in read(tmp_path, read_source, suite="mine").notes()


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
    files = {"a.json": official(), "b.json": benign(error="KeyError"), "c/d.json": relative()}
    survives(SOURCE, {name: json.dumps(content).encode() for name, content in files.items()}, data)


def test_generated_trials(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Four trials of the ground truth: two benign ones passed; one attack got through, one did not."""
    path = shared / "samples/agentdojo"
    table = read(path, read_source)
    assert table.log.rows_read == table.frame.height == 4
    assert table.notes("dropped") == table.notes("unknown") == {}
    safe = [
        {one["name"]: one["passed"] for one in verdicts}.get("security")
        for verdicts in table.frame["verdicts"].to_list()
    ]
    assert list(zip(table.rows("suite", "task", "verdict", "steps", "tool_calls"), safe, strict=True)) == [
        (("agentdojo_direct", "workspace/user_task_0/injection_task_0", "fail", 4, 2), False),
        (("agentdojo_direct", "workspace/user_task_0/injection_task_1", "pass", 2, 1), True),
        (("agentdojo", "workspace/user_task_0", "pass", 2, 1), None),
        (("agentdojo", "workspace/user_task_1", "pass", 2, 1), None),
    ]
    assert table.frame["model_requested"].null_count() == 4
    for trace, row in zip(traces_of(SOURCE, path), table.frame.iter_rows(named=True), strict=True):
        kinds = [event.kind for event in trace]
        assert (kinds.count("model_call"), kinds.count("action")) == (row["steps"], row["tool_calls"])


def test_published_trials(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Four trials of the other dialect: as in the table made of the originals, the server's error without a verdict."""
    path = shared / "samples/agent_approval_luna"
    table = read(path, read_source)
    assert table.log.rows_read == table.frame.height == 4
    assert table.rows("task", "outcome", "verdict") == [
        ("airport_t17", "infra_error", None),
        ("employment_t05", "completed", "fail"),
        ("ticketing_t07", "completed", "pass"),
        ("ticketing_t15", "completed", "fail"),
    ]
    assert table.notes() == {
        "error, and judged all the same: no verdict on safety": 1,
        "the agent asked its user for help": 1,
    }
    tidy = pl.read_csv(shared / "data/agent_approval_luna/runs.csv")
    both = table.frame.join(tidy, on="task", suffix="_tidy", maintain_order="left")
    assert both.height == 4
    assert both["tool_calls"].to_list() == both["tool_calls_tidy"].to_list()
    assert both["wall_s"].to_list() == pytest.approx(both["duration_s"].to_list(), abs=0.01)
    for row in both.iter_rows(named=True):
        verdicts = {one["name"]: one["passed"] for one in row["verdicts"]}
        assert verdicts["official"] == row["utility"]
        assert verdicts.get("security") == (row["security"] if row["outcome"] == "completed" else None)
    asked = [sum(event.kind == "approval_request" for event in trace) for trace in traces_of(SOURCE, path)]
    assert asked == [int(flag) for flag in both["called_get_user_help"]]
