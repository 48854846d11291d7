"""Trajectories of SWE-agent, alone and with the results of SWE-bench."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.sweagent_traj.runs import ended_of
from measurand.sources.sweagent_traj.source import SweAgentSource
from measurand.sources.swebench.source import SwebenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = SweAgentSource()
PATCH = "diff --git a/a.py b/a.py\n"
CALL = {"id": "c1", "type": "function", "function": {"name": "create", "arguments": '{"filename": "a.py"}'}}
HISTORY = [
    {"role": "system", "content": "Be brief.", "message_type": "system_prompt"},
    {"role": "user", "content": "How others did it", "is_demo": True},
    {"role": "assistant", "content": "Like so", "action": "ls", "is_demo": True},
    {"role": "user", "content": "Fix it."},
    {"role": "assistant", "content": "I create", "action": "create a.py", "tool_calls": [CALL]},
    {"role": "tool", "content": "done"},
    {"role": "assistant", "content": "I submit", "action": "submit"},
]


def step(action: str, observation: str = "", thought: str = "So.") -> dict[str, Any]:
    return {
        "action": action,
        "observation": observation,
        "response": thought,
        "thought": thought,
        "execution_time": 0.5,
        "state": {"working_dir": "/testbed"},
    }


STEPS = [step("create a.py", "done"), step("submit", PATCH)]


def replay(instance: str, **model: Any) -> dict[str, Any]:
    settings_of_model = {
        "name": "acme/kite",
        "per_instance_cost_limit": 3.0,
        "temperature": 0.0,
        "api_key": "s3cret",
    }
    return {
        "agent": {"name": instance, "model": settings_of_model | model, "tools": {"timeout": 30}},
        "problem_statement": {"id": instance, "text": "Fix it."},
    }


def trajectory(
    instance: str = "a__a-1", status: Any = "submitted", patch: Any = PATCH, **more: Any
) -> dict[str, Any]:
    stats = {"instance_cost": 0.5, "tokens_sent": 1000, "tokens_received": 50, "api_calls": 2}
    info = {"exit_status": status, "submission": patch, "model_stats": stats, "swe_agent_version": "1.1.0"}
    document = {
        "trajectory": STEPS,
        "history": HISTORY,
        "info": info,
        "replay_config": json.dumps(replay(instance)),
        "environment": "main",
    }
    return document | more


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def run(folder: Path, *instances: str, **changes: Any) -> Path:
    for instance in instances:
        write(folder / instance / f"{instance}.traj", trajectory(instance, **changes))
    return folder


def adds_up(table: Imported) -> bool:
    return table.log.rows_read == table.frame.height + sum(table.notes("dropped").values())


def test_fields_of_a_trajectory(tmp_path: Path, read_source: ReadSource) -> None:
    """The configuration names task and model; cost, calls and tokens are those of the run."""
    table = read_source(SOURCE, run(tmp_path / "run7", "a__a-1"))
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "swebench",
        "task": "a__a-1",
        "agent": "acme/kite (SWE-agent)",
        "model_requested": "acme/kite",
        "trial": "1",
        "job": "run7",
        "outcome": "completed",
        "reason": "submitted, not graded",
        "verdict": None,
        "verdicts": None,
        "cost_usd": 0.5,
        "price_table": "self-reported by SWE-agent",
        "input_tokens": 1000,
        "cached_tokens": None,
        "output_tokens": 50,
        "steps": 2,
        "tool_calls": 2,
        "wall_s": None,
        "attempts": None,
        "harness": "SWE-agent",
        "harness_version": "1.1.0",
        "source": "sweagent_traj",
        "source_ref": "a__a-1/a__a-1.traj: a__a-1",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert adds_up(table)


def test_agent_digest_is_of_its_settings(tmp_path: Path, read_source: ReadSource) -> None:
    """Tasks and secrets change no digest; the temperature does. The configuration may be an object or a text."""
    for name, config in {
        "a": json.dumps(replay("a__a-1")),
        "b": replay("b__b-1", api_key="another"),
        "c": replay("c__c-1", temperature=1.0),
    }.items():
        write(tmp_path / f"{name}.traj", trajectory(replay_config=config))
    digests = read_source(SOURCE, tmp_path).frame["agent_digest"].to_list()
    assert (len(set(digests[:2])), len(set(digests))) == (1, 2)


@pytest.mark.parametrize(
    "case",
    [
        ("submitted", PATCH, "completed", None, None),
        ("submitted", None, "no_output", "fail", False),
        ("submitted (exit_cost)", PATCH, "completed", None, None),
        ("exit_cost", None, "limit", "fail", False),
        ("exit_context", None, "limit", "fail", False),
        ("exit_total_execution_time", None, "agent_timeout", "fail", False),
        ("exit_command_timeout", None, "agent_timeout", "fail", False),
        ("exit_format", None, "agent_error", "fail", False),
        ("exit_error", None, "agent_error", "fail", False),
        ("exit_forfeit", None, "no_output", "fail", False),
        ("exit_api", None, "infra_error", None, False),
        ("submitted (exit_api)", PATCH, "infra_error", None, None),
        ("exit_environment_error", None, "infra_error", None, False),
        ("skipped", None, "cancelled", None, False),
        (None, None, "interrupted", None, False),
    ],
)
def test_exit_status(tmp_path: Path, read_source: ReadSource, case: tuple[Any, ...]) -> None:
    """Limits and crashes are the agent's, outages are not; a patch that was rescued is not graded, and not failed."""
    status, patch, outcome, verdict, official = case
    table = read_source(SOURCE, run(tmp_path / "r", "a__a-1", status=status, patch=patch))
    row = table.frame.row(0, named=True)
    assert (row["outcome"], row["verdict"]) == (outcome, verdict)
    assert (row["verdicts"] and row["verdicts"][0]["passed"]) == official
    assert row["reason"].startswith(status or "no exit status")


def test_graded_runs(tmp_path: Path, read_source: ReadSource) -> None:
    """With results, how the run ended stays, and the gate's verdict beside it."""
    run(tmp_path / "out", "a__a-1", status="submitted (exit_cost)")
    run(tmp_path / "out", "b__b-1", status="submitted (exit_api)")
    run(tmp_path / "out", "c__c-1")
    lists = {"total_instances": 3, "resolved_ids": ["a__a-1", "b__b-1"], "unresolved_ids": ["c__c-1"]}
    write(tmp_path / "out.json", lists)
    table = read_source(SwebenchSource(), tmp_path)
    assert table.rows("agent", "task", "outcome", "reason", "verdict", "cost_usd") == [
        ("out", "a__a-1", "limit", "submitted (exit_cost)", "pass", 0.5),
        ("out", "b__b-1", "infra_error", "submitted (exit_api)", "pass", 0.5),
        ("out", "c__c-1", "completed", "not resolved", "fail", 0.5),
    ]
    assert adds_up(table)


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("exit_oops (rate limit)", "infra_error"),
        ("exit_oops", "agent_error"),
        ("submitted (exit_oops)", "agent_error"),
    ],
)
def test_unknown_exit_status(words: str, outcome: str) -> None:
    """A word that is not known is judged by what it says."""
    assert ended_of(words).cause == outcome


def test_cost_of_nothing_known(tmp_path: Path, read_source: ReadSource) -> None:
    """Zeros beside steps of the agent are unknown: a local model, or a replay."""
    zeros = {"instance_cost": 0, "tokens_sent": 0, "tokens_received": 0, "api_calls": 0}
    document = trajectory()
    document["info"] = document["info"] | {"model_stats": zeros}
    table = read_source(SOURCE, write(tmp_path / "a.traj", document))
    assert table.rows("cost_usd", "input_tokens", "output_tokens", "steps") == [(None, None, None, 2)]
    assert table.notes()["cost of 0 beside calls of the model: the price is unknown"] == 1


def test_names_of_old_runs(tmp_path: Path, read_source: ReadSource) -> None:
    """Versions before 1.0 name model, data and settings in the folder; patches beside a trajectory name its agent."""
    bare = {name: value for name, value in trajectory().items() if name != "replay_config"}
    old = "gpt4__swe-bench-dev__default__t-0.00__p-0.95__c-3.00__install-1"
    write(tmp_path / old / "a__a-1.traj", bare)
    write(tmp_path / "plain/b__b-1.traj", bare)
    lines = [{"instance_id": "b__b-1", "model_name_or_path": "gpt4__mine", "model_patch": PATCH}]
    write(tmp_path / "plain/all_preds.jsonl", b"\n".join(json.dumps(line).encode() for line in lines))
    write(tmp_path / "unknown/c__c-1.traj", bare)
    table = read_source(SOURCE, tmp_path)
    assert table.rows("agent", "job", "task") == [
        (old, old, "a__a-1"),
        ("gpt4__mine", "plain", "b__b-1"),
        ("SWE-agent", "unknown", "c__c-1"),
    ]
    write(tmp_path / f"{old}.run7.json", {"total_instances": 1, "resolved_ids": ["a__a-1"]})
    joined = read_source(SwebenchSource(), tmp_path).frame.filter(task="a__a-1")
    assert joined.select("verdict", "cost_usd").rows() == [("pass", 0.5)]


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """Steps in their order, calls of tools as the model made them; what came before the first step, and the demonstration, too."""
    (trace,) = traces_of(SOURCE, run(tmp_path / "r", "a__a-1"))
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("note", None),
        ("note", None),
        ("note", None),
        ("observation", None),
        ("model_call", None),
        ("decision", 5),
        ("action", 5),
        ("observation", 7),
        ("model_call", None),
        ("decision", 9),
        ("action", 9),
        ("observation", 11),
        ("trial_end", None),
    ]
    assert trace[7].payload == {"id": "c1", "tool": "create", "arguments": '{"filename": "a.py"}'}
    assert trace[8].payload == {"action": "c1", "text": "done"}
    assert trace[11].payload == {"tool": "bash", "arguments": {"command": "submit"}}
    assert trace[0].payload["limits"] == {"per_instance_cost_limit": 3.0}
    assert trace[-1].payload == {"outcome": "completed", "exit_status": "submitted"}


def test_steps_without_an_action(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """An answer that could not be used is no action; what the scaffold writes at the end is no call of the model."""
    last = step("", "Exited (autosubmitted)", "Exit due to cost limit")
    document = trajectory(status="submitted (exit_cost)", trajectory=[STEPS[0], step("", "", "Hm."), last])
    path = write(tmp_path / "a.traj", document)
    assert read_source(SOURCE, path).rows("tool_calls") == [(1,)]
    (trace,) = traces_of(SOURCE, path)
    assert [event.kind for event in trace[5:]] == [
        *("model_call", "decision", "action", "observation"),
        *("model_call", "decision"),
        *("note", "observation"),
        *("error", "trial_end"),
    ]
    assert trace[-2].payload == {"class": "submitted (exit_cost)", "message": "Exit due to cost limit"}


def test_several_attempts_are_one_trial(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """A run that was tried several times is one trial: all attempts are metered and told, their files not read again."""
    attempts = [trajectory(), trajectory()]
    document = trajectory(attempts=attempts)
    document["info"] = document["info"] | {
        "model_stats": {"instance_cost": 1.25, "tokens_sent": 9, "api_calls": 5}
    }
    write(tmp_path / "r/a__a-1/a__a-1.traj", document)
    write(tmp_path / "r/a__a-1/attempt_0/a__a-1.traj", attempts[0])
    unfinished = {"attempts": attempts}
    write(tmp_path / "r/b__b-1/b__b-1.traj", unfinished)
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "outcome", "attempts", "cost_usd", "steps", "tool_calls") == [
        ("a__a-1", "completed", 2, 1.25, 5, 4),
        ("b__b-1", "interrupted", 2, 1.0, 4, 4),
    ]
    assert table.notes("note")["attempt of a trajectory above it: not read by itself"] == 1
    first, _ = traces_of(SOURCE, tmp_path)
    assert [event.payload.get("attempt") for event in first if event.kind == "note"].count(None) == 6
    actions = [event for event in first if event.kind == "action"]
    assert len(actions) == 4
    assert all(first[event.cause or 0].kind == "model_call" for event in actions)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"trajectory": [', "not readable JSON"),
        (b"[]", "no trajectory of SWE-agent"),
        (b'{"trajectory": {}}', "no trajectory of SWE-agent"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_damaged_among_good_ones(
    tmp_path: Path, read_source: ReadSource, content: bytes, message: str
) -> None:
    """A damaged trajectory is dropped with its reason; alone it is refused."""
    write(tmp_path / "bad.traj", content)
    with pytest.raises(FormatError, match="no trajectories that can be read"):
        read_source(SOURCE, tmp_path)
    run(tmp_path, "a__a-1")
    table = read_source(SOURCE, tmp_path)
    assert [message in note for note in table.notes("dropped")] == [True]
    assert adds_up(table)


def test_hostile_values(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Steps, messages and settings of any shape do no harm."""
    document = trajectory(
        trajectory=[7, {}, {"action": ["x"], "thought": {"a": 1}}, *STEPS],
        history=[None, {"role": 3}, {"role": "assistant", "action": 1, "tool_calls": [{}, 5]}],
        replay_config='{"agent": {"model": [',
    )
    write(tmp_path / "a__a-1.traj", json.dumps(document).replace("Fix it.", "\\ud800").encode())
    deep = json.dumps(trajectory(replay_config={"agent": "DEEP"})).replace('"DEEP"', "[" * 900 + "]" * 900)
    write(tmp_path / "b__b-1.traj", deep.encode())
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "agent") == [("a__a-1", "SWE-agent"), ("b__b-1", "SWE-agent")]
    assert len(traces_of(SOURCE, tmp_path)) == 2


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Trajectories and folders of them are claimed; other files of that name, and foreign options, are not."""
    folder = run(tmp_path / "runs/r", "a__a-1")
    for path in (tmp_path / "runs", folder, folder / "a__a-1", folder / "a__a-1/a__a-1.traj"):
        match = SOURCE.sniff(path)
        assert match is not None, path
        assert match.confidence == 92
    others = [
        write(tmp_path / "o/a.traj", b"ITEM: TIMESTEP\n0\n"),
        write(tmp_path / "o/b.json", trajectory()),
        tmp_path / "nowhere",
    ]
    assert [SOURCE.sniff(path) for path in (*others, tmp_path / "o")] == [None] * 4
    with pytest.raises(UsageError):
        read_source(SOURCE, folder, constants={"unit": "s"})


FILES = {
    "r/a__a-1/a__a-1.traj": json.dumps(trajectory()).encode(),
    "r/b__b-1/b__b-1.traj": json.dumps(trajectory("b__b-1", attempts=[trajectory()])).encode(),
    "r/all_preds.jsonl": b'{"instance_id": "c__c-1", "model_name_or_path": "r", "model_patch": ""}\n',
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
    """Real trajectories of three versions: cost, calls and tokens as each says them, zeros unknown."""
    path = shared / "samples/sweagent_traj"
    table = read_source(SOURCE, path)
    old = "gpt4__swe-bench-dev-easy_first_only__default__t-0.00__p-0.95__c-3.00__install-1"
    assert table.rows("suite", "task", "agent", "cost_usd", "input_tokens", "output_tokens", "steps") == [
        ("unnamed", "ctf_rev_rock", "SWE-agent", None, None, None, 12),
        ("swebench", "marshmallow-code__marshmallow-1867", "gpt-4o (SWE-agent)", None, None, None, 11),
        ("swebench", "pydicom__pydicom-1458", old, 1.26719, 122612, 1369, 12),
    ]
    assert set(table.rows("outcome", "reason", "verdict")) == {("completed", "submitted, not graded", None)}
    assert (table.log.rows_read, table.notes("dropped")) == (3, {})
    assert table.notes()["cost of 0 beside calls of the model: the price is unknown"] == 2
    traces = traces_of(SOURCE, path)
    assert [len(trace) for trace in traces] == [52, 48, 53]
    for trace, row in zip(traces, table.frame.iter_rows(named=True), strict=True):
        kinds = [event.kind for event in trace]
        assert (kinds.count("model_call"), kinds.count("action")) == (row["steps"], row["tool_calls"])
        answers = [event for event in trace if event.kind == "observation" and event.cause is not None]
        assert all(trace[event.cause or 0].kind == "action" for event in answers)
    ids = [event.payload.get("id") for event in traces[1] if event.kind == "action"]
    assert ids[0] == "call_cyI71DYnRdoLHWwtZgIaW2wr"
    assert None not in ids
