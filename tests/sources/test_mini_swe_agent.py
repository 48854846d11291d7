"""Trajectories of mini-SWE-agent, alone and with the results of SWE-bench."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.mini_swe_agent.runs import ended_of
from measurand.sources.mini_swe_agent.source import MiniSweAgentSource
from measurand.sources.swebench.agent_runs import suite_of
from measurand.sources.swebench.source import SwebenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = MiniSweAgentSource()
PATCH = "diff --git a/a.py b/a.py\n"
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "prompt_tokens_details": {"cached_tokens": 60},
    "completion_tokens_details": {"reasoning_tokens": 4},
}


def answer(second: int, command: str = "ls", usage: Any = USAGE) -> dict[str, Any]:
    call = {"id": f"c{second}", "type": "function", "function": {"name": "bash", "arguments": command}}
    response = {
        "id": f"r{second}",
        "created": 1775810600 + second - 2,
        "model": "kite-1-2026",
        "usage": usage,
    }
    response["choices"] = [{"finish_reason": "tool_calls"}]
    extra = {"response": response, "cost": 0.01, "timestamp": 1775810600.5 + second}
    return {"role": "assistant", "content": f"I {command}", "tool_calls": [call], "extra": extra}


def printed(second: int, text: str) -> dict[str, Any]:
    extra = {"returncode": 0, "timestamp": 1775810600.75 + second, "exception_info": ""}
    return {"role": "tool", "tool_call_id": f"c{second}", "content": text, "extra": extra}


TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Fix it."},
    answer(4),
    printed(4, "a.py"),
    answer(9, "submit"),
    {"role": "exit", "content": PATCH, "extra": {"exit_status": "Submitted"}},
]


def trajectory(
    instance: str | None = "a__a-1", status: Any = "Submitted", patch: Any = PATCH, **info: Any
) -> dict[str, Any]:
    config = {
        "agent": {"step_limit": 250, "cost_limit": 3.0, "output_path": f"/runs/{instance}"},
        "model": {"model_name": "acme/kite", "model_kwargs": {"temperature": 0.0}, "api_key": "s3cret"},
        "environment": {"image": f"image-of-{instance}", "timeout": 60},
        "agent_type": "minisweagent.agents.default.DefaultAgent",
    }
    said = {
        "model_stats": {"instance_cost": 0.02, "api_calls": 2},
        "config": config,
        "mini_version": "2.2.7",
        "exit_status": status,
        "submission": patch,
    }
    document = {"info": said | info, "messages": TALK, "trajectory_format": "mini-swe-agent-1.1"}
    return document | ({} if instance is None else {"instance_id": instance})


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def run(folder: Path, *instances: str, **changes: Any) -> Path:
    for instance in instances:
        write(folder / instance / f"{instance}.traj.json", trajectory(instance, **changes))
    return folder


def report(folder: Path, instance: str, **flags: bool) -> Path:
    entry = {
        "patch_is_None": False,
        "patch_exists": True,
        "patch_successfully_applied": True,
        "resolved": False,
    }
    return write(folder / instance / "report.json", {instance: entry | flags})


def adds_up(table: Imported) -> bool:
    return table.log.rows_read == table.frame.height + sum(table.notes("dropped").values())


def test_fields_of_a_trajectory(tmp_path: Path, read_source: ReadSource) -> None:
    """Model and scaffold name the agent, the folder of the run the job; cached tokens are no input tokens."""
    table = read_source(SOURCE, run(tmp_path / "run7", "a__a-1"))
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "swebench",
        "task": "a__a-1",
        "agent": "acme/kite (mini-swe-agent)",
        "model_requested": "acme/kite",
        "model_served": "kite-1-2026",
        "trial": "1",
        "job": "run7",
        "outcome": "completed",
        "reason": "Submitted, not graded",
        "verdict": None,
        "verdicts": None,
        "cost_usd": 0.02,
        "price_table": "self-reported by mini-swe-agent",
        "input_tokens": 80,
        "cached_tokens": 120,
        "cache_write_tokens": None,
        "output_tokens": 20,
        "reasoning_tokens": 8,
        "steps": 2,
        "tool_calls": 2,
        "started_at": dt.datetime.fromtimestamp(1775810602, dt.UTC),
        "finished_at": dt.datetime.fromtimestamp(1775810609.5, dt.UTC),
        "wall_s": 7.5,
        "harness": "mini-swe-agent",
        "harness_version": "2.2.7",
        "source": "mini_swe_agent",
        "source_ref": "a__a-1/a__a-1.traj.json: a__a-1",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert adds_up(table)
    assert {"trajectories without results: a patch that was handed in has no verdict"} < table.notes().keys()


def test_agent_digest_is_of_its_settings(tmp_path: Path, read_source: ReadSource) -> None:
    """Tasks, places and secrets change no digest; temperature and version do."""

    def digests(name: str, *documents: dict[str, Any]) -> set[str]:
        for place, document in enumerate(documents):
            write(tmp_path / name / f"{place}.traj.json", document)
        return set(read_source(SOURCE, tmp_path / name).frame["agent_digest"])

    other = trajectory("b__b-2")
    other["info"]["config"]["model"]["api_key"] = "another"
    assert len(digests("same", trajectory(), other)) == 1
    warm = trajectory("b__b-2")
    warm["info"]["config"]["model"]["model_kwargs"]["temperature"] = 1.0
    assert len(digests("apart", trajectory(), warm, trajectory("c__c-3", mini_version="2.3.0"))) == 3


@pytest.mark.parametrize(
    "case",
    [
        ("Submitted", PATCH, "completed", None, None),
        ("Submitted", "", "no_output", "fail", False),
        ("Submitted", None, "no_output", "fail", False),
        ("LimitsExceeded", "", "limit", "fail", False),
        ("ContextWindowExceededError", "", "limit", "fail", False),
        ("TimeExceeded", "", "agent_timeout", "fail", False),
        ("RepeatedFormatError", "", "agent_error", "fail", False),
        ("UserInterruption", "", "cancelled", None, False),
        ("Timeout", "", "infra_error", None, False),
        ("InternalServerError", "", "infra_error", None, False),
        ("CalledProcessError", "", "infra_error", None, False),
        ("SomeNewError", "", "agent_error", "fail", False),
        (None, None, "interrupted", None, False),
    ],
)
def test_exit_status(tmp_path: Path, read_source: ReadSource, case: tuple[Any, ...]) -> None:
    """Limits and crashes are the agent's, outages are not; without a patch SWE-bench counts no resolution."""
    status, patch, outcome, verdict, official = case
    table = read_source(SOURCE, run(tmp_path / "r", "a__a-1", status=status, patch=patch))
    row = table.frame.row(0, named=True)
    assert (row["outcome"], row["verdict"]) == (outcome, verdict)
    assert row["reason"] == (f"{status}, not graded" if patch else status or "no exit status")
    assert (row["verdicts"] and row["verdicts"][0]["passed"]) == official


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("context_length_exceeded", "limit"),
        ("Error code: 529 overloaded", "infra_error"),
        ("list index out of range", "agent_error"),
    ],
)
def test_unknown_exit_is_judged_by_its_message(message: str, outcome: str) -> None:
    """An exception that is not known is judged by what it says."""
    assert ended_of("BadRequestError", message).cause == outcome


def test_cost_of_nothing_known(tmp_path: Path, read_source: ReadSource) -> None:
    """A cost of 0 beside calls of the model is an unknown price; without calls it is nothing spent."""
    stats = {"instance_cost": 0.0, "api_calls": 1}
    write(tmp_path / "a.traj.json", trajectory("a__a-1", model_stats=stats))
    write(
        tmp_path / "b.traj.json",
        trajectory("b__b-1", model_stats={"instance_cost": 0.0, "api_calls": 0}) | {"messages": []},
    )
    table = read_source(SOURCE, tmp_path)
    assert table.rows("cost_usd", "price_table", "steps") == [
        (None, None, 1),
        (0.0, "self-reported by mini-swe-agent", 0),
    ]
    assert table.notes()["cost of 0 beside calls of the model: the price is unknown"] == 1


def test_tokens_are_whole_or_unknown(tmp_path: Path, read_source: ReadSource) -> None:
    """Where one call does not say its tokens, the sum is unknown, and said so."""
    document = trajectory()
    document["messages"] = [*TALK[:4], answer(9, "submit", usage=None)]
    table = read_source(SOURCE, write(tmp_path / "a.traj.json", document))
    assert table.rows("input_tokens", "output_tokens") == [(None, None)]
    assert table.notes("unknown") == {"tokens, which not every call of the model says": 1}


def test_refused_answers_are_metered(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """An answer that the scaffold could not use stands in the message that says so: its tokens count, it acts on nothing."""
    refused = {
        "role": "user",
        "content": "No command found.",
        "extra": {"response": answer(6)["extra"]["response"]},
    }
    document = trajectory(model_stats={"instance_cost": 0.02, "api_calls": 3})
    document["messages"] = [*TALK[:4], refused, *TALK[4:]]
    path = write(tmp_path / "a.traj.json", document)
    assert read_source(SOURCE, path).rows("output_tokens", "steps", "tool_calls") == [(30, 3, 2)]
    (trace,) = traces_of(SOURCE, path)
    assert [event.kind for event in trace].count("model_call") == 3


def test_clock_that_goes_back(tmp_path: Path, read_source: ReadSource) -> None:
    """Times that run backwards give no duration."""
    document = trajectory()
    document["messages"] = [TALK[4], TALK[2]]
    table = read_source(SOURCE, write(tmp_path / "a.traj.json", document))
    assert table.rows("wall_s", "started_at") == [(None, None)]
    assert table.notes("unknown") == {"wall_s: the clock went back": 1}


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """Calls, decisions, actions and what they printed, in the order of the file, each bound to what it follows from."""
    (trace,) = traces_of(SOURCE, run(tmp_path / "r", "a__a-1"))
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("note", None),
        ("observation", None),
        ("model_call", None),
        ("decision", 3),
        ("action", 3),
        ("observation", 5),
        ("model_call", None),
        ("decision", 7),
        ("action", 7),
        ("note", None),
        ("trial_end", None),
    ]
    call, action = trace[3].payload, trace[5].payload
    assert (call["id"], call["input_tokens"], call["cached_tokens"], call["cost_usd"]) == ("r4", 40, 60, 0.01)
    assert (action["id"], action["tool"], action["arguments"]) == ("c4", "bash", "ls")
    assert (trace[6].payload["action"], trace[6].payload["text"]) == ("c4", "a.py")
    assert trace[6].t == dt.datetime.fromtimestamp(1775810604.75, dt.UTC)
    assert trace[0].payload["limits"] == {"step_limit": 250.0, "cost_limit": 3.0}
    assert trace[-1].payload == {"outcome": "completed", "exit_status": "Submitted"}


def test_trace_of_a_crash(tmp_path: Path, traces_of: TracesOf) -> None:
    """The error that ended a run is an event."""
    folder = run(tmp_path / "r", "a__a-1", status="Timeout", patch="", exception_str="timed out after 600 s")
    (trace,) = traces_of(SOURCE, folder)
    assert (trace[-2].kind, trace[-2].payload) == (
        "error",
        {"class": "Timeout", "message": "timed out after 600 s"},
    )
    assert trace[-1].payload["outcome"] == "infra_error"


def test_text_and_responses(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Commands in blocks of text, and the items of the Responses API, are actions as well."""
    text = [
        {"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
        {"role": "assistant", "content": "So:\n```mswea_bash_command\nls\n```"},
        {"role": "user", "content": "a.py"},
        {"role": "assistant", "content": "```bash\none\n```\nor\n```bash\ntwo\n```"},
        {"role": "user", "content": "One block only."},
        {"role": "assistant", "content": "```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"},
    ]
    write(tmp_path / "text.traj.json", text)
    items = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "So:"}]},
        {"type": "function_call", "call_id": "f1", "name": "bash", "arguments": '{"command": "ls"}'},
    ]
    usage = {"input_tokens": 50, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 20}}
    response = {
        "object": "response",
        "id": "r1",
        "model": "kite",
        "created_at": 1775810600,
        "output": items,
        "usage": usage,
    }
    output = {
        "type": "function_call_output",
        "call_id": "f1",
        "output": "a.py",
        "extra": {"exception_info": "killed"},
    }
    document = trajectory(model_stats={"instance_cost": 0.1, "api_calls": 1})
    write(tmp_path / "zeta.traj.json", document | {"messages": [response, output]})
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "suite", "steps", "tool_calls", "input_tokens", "cached_tokens") == [
        ("text", "unnamed", 3, 2, None, None),
        ("a__a-1", "swebench", 1, 1, 30, 20),
    ]
    of_text, of_items = traces_of(SOURCE, tmp_path)
    kinds = [event.kind for event in of_text]
    assert (kinds.count("action"), kinds.count("observation")) == (2, 3)
    assert of_text[5].payload == {"text": "a.py"}
    assert of_text[5].cause == 4
    assert [event.kind for event in of_items[1:-1]] == ["model_call", "decision", "action", "observation"]
    assert of_items[4].payload == {"action": "f1", "text": "a.py", "error": "killed"}


def test_messages_alone(tmp_path: Path, read_source: ReadSource) -> None:
    """A list of messages that does not hand in broke off; of a task that is none of SWE-bench nothing is failed."""
    write(tmp_path / "x.traj.json", [{"role": "assistant", "content": "```bash\nls\n```"}])
    table = read_source(SOURCE, tmp_path)
    assert table.rows("outcome", "reason", "verdict") == [("interrupted", "no exit status", None)]
    done = write(tmp_path / "y/y.traj.json", trajectory(None, patch=""))
    assert read_source(SOURCE, done).rows("suite", "task", "outcome", "verdict", "verdicts") == [
        ("unnamed", "y", "completed", None, None)
    ]


def test_patches_and_exit_statuses_beside(tmp_path: Path, read_source: ReadSource) -> None:
    """Instances that left a patch or none, and no trajectory, are trials; each file of statuses is a start."""
    folder = run(tmp_path / "r", "a__a-1")
    patches = {
        name: {"model_name_or_path": "acme/kite", "instance_id": name, "model_patch": patch}
        for name, patch in {"a__a-1": PATCH, "b__b-1": "", "c__c-1": PATCH, "d__d-1": ""}.items()
    }
    write(folder / "preds.json", patches)
    first = "instances_by_exit_status:\n  Timeout: [a__a-1, b__b-1]\n"
    second = "instances_by_exit_status:\n  Submitted: [a__a-1]\n  CalledProcessError: [b__b-1, e__e-1]\n"
    write(folder / "exit_statuses_1.5.yaml", first.encode())
    write(folder / "exit_statuses_2.5.yaml", second.encode())
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "outcome", "reason", "verdict", "attempts") == [
        ("a__a-1", "completed", "Submitted, not graded", None, 2),
        ("b__b-1", "infra_error", "CalledProcessError", None, 2),
        ("c__c-1", "completed", "not graded", None, None),
        ("d__d-1", "no_output", "no patch", "fail", None),
    ]
    assert table.places("exit status without a trajectory or a patch") == (
        "r/exit_statuses_2.5.yaml: e__e-1",
    )
    assert set(table.frame["agent"]) == {"acme/kite (mini-swe-agent)"}
    assert adds_up(table)


def test_neighbours_that_cannot_be_read(tmp_path: Path, read_source: ReadSource) -> None:
    """Broken patches and statuses are noted; the trajectories are read."""
    folder = run(tmp_path / "r", "a__a-1")
    write(folder / "preds.json", b"{")
    write(folder / "exit_statuses_1.yaml", b"a: [")
    table = read_source(SOURCE, folder)
    assert table.frame.height == 1
    assert any("patches that are not read" in note for note in table.notes())
    assert any("exit statuses that are not read" in note for note in table.notes())


def test_logs_of_the_harness_join(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """A trajectory and the harness's report of its agent and instance are one trial: verdict of one, meters of the other."""
    folder = tmp_path / "tree"
    run(folder / "runs/one", "a__a-1", "b__b-1")
    run(folder / "runs/one", "c__c-1", status="LimitsExceeded")
    run(folder / "runs/one", "d__d-1", status="LimitsExceeded")
    run(folder / "runs/one", "e__e-1", status="InternalServerError", patch="")
    run(folder / "runs/one", "f__f-1")
    model = folder / "logs/run_evaluation/x/acme__kite"
    for instance, flags in {
        "a__a-1": {"resolved": True},
        "b__b-1": {},
        "c__c-1": {"resolved": True},
        "d__d-1": {"patch_successfully_applied": False},
        "e__e-1": {"patch_is_None": True},
    }.items():
        report(model, instance, **flags)
    assert SwebenchSource().sniff(folder)
    table = read_source(SwebenchSource(), folder)
    assert table.rows("task", "outcome", "reason", "verdict", "cost_usd", "output_tokens") == [
        ("a__a-1", "completed", None, "pass", 0.02, 20),
        ("b__b-1", "completed", "not resolved", "fail", 0.02, 20),
        ("c__c-1", "limit", "LimitsExceeded", "pass", 0.02, 20),
        ("d__d-1", "invalid_output", "no patch_successfully_applied", "fail", 0.02, 20),
        ("e__e-1", "infra_error", "InternalServerError", "fail", 0.02, 20),
        ("f__f-1", "completed", "Submitted, not graded", None, 0.02, 20),
    ]
    assert set(table.rows("agent", "job", "harness", "model_requested")) == {
        ("acme__kite", "x", "swebench", "acme/kite")
    }
    official = [row and row[0]["passed"] for row in table.frame["verdicts"].to_list()]
    assert official == [True, False, True, False, False, None]
    assert table.notes("note")["trajectory joined with its result"] == 5
    assert adds_up(table)
    traces = traces_of(SwebenchSource(), folder)
    assert len(traces) == 6
    assert traces[0][-1].payload["verdict"] == "pass"


def test_submission_in_a_tree_joins(tmp_path: Path, read_source: ReadSource) -> None:
    """Trajectories in a submission's folder are its own; its costs hold where both have them; a trajectory adds no row."""
    folder = tmp_path / "verified/2026_kite"
    write(folder / "per_instance_details.json", {"a__a-1": {"resolved": True, "cost": 0.5, "api_calls": 2}})
    run(folder / "trajs", "a__a-1")
    run(folder / "trajs", "b__b-1", status="RateLimitError", patch="")
    write(tmp_path / "verified/2026_lark/results/results.json", {"resolved": ["b__b-1"], "no_logs": []})
    table = read_source(SwebenchSource(), tmp_path)
    assert table.rows("agent", "task", "outcome", "verdict", "cost_usd", "steps", "output_tokens") == [
        ("2026_kite", "a__a-1", "completed", "pass", 0.5, 2, 20),
        ("2026_kite", "b__b-1", "infra_error", "fail", 0.02, 2, 20),
        ("2026_lark", "a__a-1", "completed", "fail", None, None, None),
        ("2026_lark", "b__b-1", "completed", "pass", None, None, None),
    ]
    assert "cost_usd of the trajectory differs: that of the results holds" in table.notes()


def test_which_results_a_run_belongs_to(tmp_path: Path, read_source: ReadSource) -> None:
    """Two runs of the harness on one model: the folder's name tells them apart; without it the trajectory is dropped."""
    for name in ("one", "two"):
        report(tmp_path / f"logs/{name}/acme__kite", "a__a-1", resolved=name == "one")
    run(tmp_path / "runs/two", "a__a-1")
    table = read_source(SwebenchSource(), tmp_path)
    assert table.rows("job", "verdict", "cost_usd") == [("one", "pass", None), ("two", "fail", 0.02)]
    run(tmp_path / "runs/three", "a__a-1", status="LimitsExceeded")
    table = read_source(SwebenchSource(), tmp_path)
    assert table.rows("job", "verdict", "cost_usd") == [("one", "pass", None), ("two", "fail", 0.02)]
    assert list(table.notes("dropped")) == [
        "trajectory of which several results could be: name their folder after the run"
    ]
    assert adds_up(table)


def test_only_results_and_only_run_belong_together(tmp_path: Path, read_source: ReadSource) -> None:
    """A report of sb-cli names no model: it belongs to the only run there is."""
    run(tmp_path / "out", "a__a-1")
    lists = {"total_instances": 2, "resolved_ids": ["a__a-1"], "incomplete_ids": ["b__b-1"]}
    write(tmp_path / "swe-bench_lite__dev__mine.json", lists)
    table = read_source(SwebenchSource(), tmp_path)
    assert table.rows("agent", "suite", "task", "verdict", "steps") == [
        ("mine", "swebench_lite_dev", "a__a-1", "pass", 2),
        ("mine", "swebench_lite_dev", "b__b-1", "fail", None),
    ]


def test_two_runs_of_one_agent(tmp_path: Path, read_source: ReadSource) -> None:
    """Runs in folders of their own are jobs; where these are called alike, their paths name them."""
    run(tmp_path / "x/run", "a__a-1")
    run(tmp_path / "y/run", "a__a-1")
    run(tmp_path / "z/other", "a__a-1")
    write(tmp_path / "z/other/a__a-1.traj.json", trajectory())
    table = read_source(SOURCE, tmp_path)
    assert table.rows("job") == [("x/run",), ("y/run",), ("other",)]
    assert table.notes("dropped") == {"second trajectory of a trial": 1}
    assert adds_up(table)


def test_options(tmp_path: Path, read_source: ReadSource) -> None:
    """Suite and list of tasks are heeded; a mapping is refused."""
    folder = run(tmp_path / "r", "a__a-1", "b__b-1")
    tasks = write(tmp_path / "tasks.txt", b"b__b-1\n")
    table = read_source(SOURCE, folder, suite="swebench_lite", tasks=tasks)
    assert table.rows("suite", "task") == [("swebench_lite", "b__b-1")]
    assert table.notes("dropped") == {"instance that is not in the list of tasks": 1}
    with pytest.raises(UsageError):
        read_source(SOURCE, folder, mapping={"task": "id"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not readable JSON"),
        (b"", "not readable JSON"),
        (b"{}", "no trajectory of mini-SWE-agent"),
        (b"[]", "no trajectory of mini-SWE-agent"),
        (b'{"messages": 3, "info": {}}', "no trajectory of mini-SWE-agent"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_damaged_among_good_ones(
    tmp_path: Path, read_source: ReadSource, content: bytes, message: str
) -> None:
    """A damaged trajectory is dropped with its reason; alone it is refused."""
    write(tmp_path / "bad/bad.traj.json", content)
    with pytest.raises(FormatError, match="no trajectories that can be read"):
        read_source(SOURCE, tmp_path)
    run(tmp_path, "a__a-1")
    table = read_source(SOURCE, tmp_path)
    assert table.frame.height == 1
    assert [message in note for note in table.notes("dropped")] == [True]
    assert adds_up(table)


def test_hostile_values(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Halves of surrogate pairs, escapes of terminals, NaN, numbers as text and deep settings do no harm."""
    text = json.dumps(trajectory(model_stats={"instance_cost": "0.5", "api_calls": "2"}))
    text = text.replace("Fix it.", "\\ud800 \\u001b[2J").replace('"temperature": 0.0', '"temperature": NaN')
    deep = "[" * 400 + "]" * 400
    write(tmp_path / "a.traj.json", text.replace('"timeout": 60', f'"timeout": {deep}').encode())
    table = read_source(SOURCE, tmp_path)
    assert table.rows("cost_usd", "steps") == [(0.5, 2)]
    assert len(traces_of(SOURCE, tmp_path)) == 1


def test_links(tmp_path: Path, read_source: ReadSource) -> None:
    """What a link leads to outside of the folder is not read."""
    secret = run(tmp_path / "elsewhere", "s__s-1")
    folder = run(tmp_path / "r", "a__a-1")
    (folder / "s.traj.json").symlink_to(secret / "s__s-1/s__s-1.traj.json")
    (folder / "preds.json").symlink_to(write(tmp_path / "p.json", {"x__x-1": {"model_patch": ""}}))
    (folder / "more").symlink_to(secret, target_is_directory=True)
    table = read_source(SOURCE, folder)
    assert table.rows("task") == [("a__a-1",)]
    assert table.notes("dropped")["link that leaves the tree: not followed"] == 2


def test_sniffing(tmp_path: Path) -> None:
    """Trajectories and folders of them are claimed; results of SWE-bench go first; other JSON is left alone."""
    folder = run(tmp_path / "runs/r", "a__a-1")
    for path in (tmp_path / "runs", folder, folder / "a__a-1", folder / "a__a-1/a__a-1.traj.json"):
        match = SOURCE.sniff(path)
        assert match is not None, path
        assert match.confidence == 93
    write(tmp_path / "runs/acme__kite.x.json", {"resolved_ids": ["a__a-1"], "total_instances": 1})
    match, other = SwebenchSource().sniff(tmp_path / "runs"), SOURCE.sniff(tmp_path / "runs")
    assert match is not None
    assert other is not None
    assert match.confidence > other.confidence
    others = [
        write(tmp_path / "o/a.traj.json", {"trajectory": [], "info": {}}),
        write(tmp_path / "o/b.json", trajectory() | {"info": {}}),
        write(tmp_path / "o/c.traj.json", [{"role": "user", "content": "hello"}]),
        tmp_path / "nowhere",
    ]
    assert [SOURCE.sniff(path) for path in (*others, tmp_path / "o")] == [None] * 5


FILES = {
    "r/a__a-1/a__a-1.traj.json": json.dumps(trajectory()).encode(),
    "r/b__b-1/b__b-1.traj.json": json.dumps(trajectory("b__b-1", "LimitsExceeded", "")).encode(),
    "r/preds.json": json.dumps({"c__c-1": {"model_name_or_path": "acme/kite", "model_patch": ""}}).encode(),
    "r/exit_statuses_1.5.yaml": b"instances_by_exit_status:\n  Timeout: [c__c-1, b__b-1]\n",
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


def test_real_samples(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Real trajectories agree with the tidy table: cost, calls, exit status; one of them met an outage."""
    path = shared / "samples/mini_swe_agent"
    table = read_source(SOURCE, path)
    columns = (
        "task",
        "outcome",
        "reason",
        "cost_usd",
        "steps",
        "input_tokens",
        "cached_tokens",
        "output_tokens",
    )
    assert sorted(table.rows(*columns)) == [
        (
            "django__django-13660",
            "completed",
            "Submitted, not graded",
            0.020168624000000003,
            46,
            13472,
            470208,
            7692,
        ),
        ("django__django-14752", "completed", "Submitted, not graded", 0.013638016, 31, 9629, 284672, 7074),
        ("pvlib__pvlib-python-1154", "infra_error", "Timeout", None, 1, None, None, None),
        ("tests_github_issue", "completed", "Submitted, not graded", None, 10, None, None, None),
        ("tests_local", "completed", "Submitted, not graded", None, 2, None, None, None),
    ]
    assert table.log.rows_read == 20
    assert table.notes("dropped") == {"exit status without a trajectory or a patch": 15}
    tidy = pl.read_csv(shared / "data/swebench_lite_mini/runs.csv")
    joined = table.frame.filter(pl.col("model_requested").is_not_null()).join(
        tidy.filter(pl.col("run").is_in(["deepseek_bench1", "deepseek_reasoner_dev"])), on="task"
    )
    assert joined.height == 3
    for row in joined.iter_rows(named=True):
        assert row["exit_status"] in row["reason"]
        assert (row["steps"], row["cost_usd"] or 0.0) == (row["api_calls"], row["cost_usd_right"])
    traces = traces_of(SOURCE, path)
    assert [len(trace) for trace in traces] == [44, 12, 179, 128, 6]
    for trace, row in zip(traces, table.frame.iter_rows(named=True), strict=True):
        kinds = [event.kind for event in trace]
        calls = [event.payload for event in trace if event.kind == "model_call"]
        assert kinds.count("action") == row["tool_calls"]
        if row["output_tokens"]:
            assert sum(call["output_tokens"] for call in calls) == row["output_tokens"]
            assert sum(call["cost_usd"] for call in calls) == pytest.approx(row["cost_usd"])


def test_ids_of_swebench_are_known(shared: Path) -> None:
    """All ids of Verified, Pro and Lite are SWE-bench's, so that an empty patch is a fail."""
    for name in ("swebench_verified/results.parquet", "swebench_pro/results.parquet"):
        tasks = pl.read_parquet(shared / "data" / name)["task"].unique()
        assert {suite_of(task) for task in tasks} == {"swebench"}, name
    lite = pl.read_csv(shared / "data/swebench_lite_mini/runs.csv")["task"].unique()
    assert {suite_of(task) for task in lite} == {"swebench"}
    assert suite_of("hello-world") == "unnamed"


def test_real_trajectories_with_their_results(shared: Path, tmp_path: Path, read_source: ReadSource) -> None:
    """Real trajectories and the harness's logs of the same run: 1 of 2 resolved, as in the tidy table."""
    shutil.copytree(shared / "samples/mini_swe_agent/run", tmp_path / "run")
    shutil.copytree(shared / "samples/swebench_harness/logs", tmp_path / "logs")
    table = read_source(SwebenchSource(), tmp_path)
    assert table.rows("agent", "task", "outcome", "verdict", "cost_usd", "steps") == [
        ("deepseek__deepseek-chat", "django__django-13660", "completed", "fail", 0.020168624000000003, 46),
        ("deepseek__deepseek-chat", "django__django-14752", "completed", "pass", 0.013638016, 31),
    ]
