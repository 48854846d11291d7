"""tau2-bench's results."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.tau2.source import Tau2Source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = Tau2Source()
TASK = {
    "id": "7",
    "user_scenario": {"instructions": "ask for Ann"},
    "evaluation_criteria": {"actions": [], "reward_basis": ["DB"]},
}


def header(**changes: Any) -> dict[str, Any]:
    info = {
        "git_commit": "abc123",
        "num_trials": 2,
        "max_steps": 200,
        "max_errors": 10,
        "user_info": {"implementation": "user_simulator", "llm": "gpt-u", "llm_args": {"temperature": 0.0}},
        "agent_info": {"implementation": "llm_agent", "llm": "kite-1", "llm_args": {"temperature": 0.0}},
        "environment_info": {"domain_name": "airline", "policy": "be kind"},
        "seed": 300,
    }
    return {"timestamp": "2026-01-01T00:00:00", "info": info | changes, "tasks": [TASK]}


def said(role: str, content: str | None, second: int = 0, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "timestamp": f"2026-01-01T10:00:{second:02d}"} | more


def usage(prompt: int, completion: int, raw: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion},
        "raw_data": {"model": "kite-1-2026", "created": 1767254400, "usage": raw or {}},
    }


CALL = {"id": "c1", "name": "find_user", "arguments": {"id": 7}, "requestor": "assistant"}
USER_CALL = {"id": "u1", "name": "restart", "arguments": {}, "requestor": "user"}
TALK = [
    said("assistant", "Hi! How can I help you today?", 0, cost=0.0, usage=None),
    said("user", "Find Ann", 2, cost=0.01, **usage(50, 5)),
    said(
        "assistant",
        None,
        3,
        cost=0.02,
        tool_calls=[CALL],
        generation_time_seconds=0.5,
        **usage(100, 10, {"prompt_tokens_details": {"cached_tokens": 60}}),
    ),
    said("tool", "Ann", 4, id="c1", requestor="assistant", error=False),
    said(
        "assistant",
        "Restart your phone",
        5,
        cost=0.03,
        **usage(120, 20, {"prompt_tokens_details": {"cached_tokens": 80}}),
    ),
    said("user", None, 6, tool_calls=[USER_CALL], cost=0.01),
    said("tool", "done", 7, id="u1", requestor="user"),
    said("user", "###STOP###", 8, cost=0.01),
]


def simulation(reward: Any = 1.0, reason: str | None = "user_stop", **changes: Any) -> dict[str, Any]:
    judged = {"reward": reward, "reward_basis": ["DB", "COMMUNICATE"], "reward_breakdown": {"DB": reward}}
    return {
        "id": "s-1",
        "task_id": "7",
        "trial": 0,
        "seed": 5,
        "start_time": "2026-01-01T10:00:00",
        "end_time": "2026-01-01T10:00:09",
        "duration": 9.0,
        "termination_reason": reason,
        "agent_cost": 0.05,
        "user_cost": 0.03,
        "reward_info": judged,
        "messages": TALK,
    } | changes


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def results(path: Path, *simulations: Any, **changes: Any) -> Path:
    return write(path, header(**changes) | {"simulations": list(simulations)})


def read(path: Path, read_source: ReadSource, **options: Any) -> Imported:
    return read_source(SOURCE, path, **options)


def test_fields_of_a_simulation(tmp_path: Path, read_source: ReadSource) -> None:
    """Header and simulation fill a trial; tokens and cost are the agent's alone, the greeting is no step."""
    table = read(results(tmp_path / "a.json", simulation()), read_source)
    row = table.frame.row(0, named=True)
    wanted = {
        "suite": "tau2_airline",
        "task": "7",
        "family": None,
        "agent": "kite-1",
        "model_requested": "kite-1",
        "model_served": "kite-1-2026",
        "trial": "0",
        "seed": 5,
        "outcome": "completed",
        "reason": None,
        "verdict": "pass",
        "verdicts": [{"name": "db", "passed": True}, {"name": "official", "passed": True}],
        "official_score": 1.0,
        "cost_usd": 0.05,
        "price_table": "self-reported by tau2",
        "input_tokens": 80,
        "cached_tokens": 140,
        "cache_write_tokens": None,
        "output_tokens": 30,
        "steps": 2,
        "tool_calls": 1,
        "wall_s": 9.0,
        "attempts": None,
        "harness": "tau2-bench",
        "harness_version": "abc123",
        "source": "tau2",
        "source_ref": "a.json: task 7, trial 0",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert row["task_digest"] is not None
    (declared,) = table.log.declarations
    assert (declared.suite, declared.tasks, declared.trials) == ("tau2_airline", 1, 2)


def test_clock_is_set_by_the_models(tmp_path: Path, read_source: ReadSource) -> None:
    """Local times are set to UTC by what models say of when they answered; without that they are taken for UTC."""
    table = read(results(tmp_path / "a.json", simulation()), read_source)
    assert table.frame["started_at"][0] == dt.datetime(2026, 1, 1, 8, tzinfo=dt.UTC)
    assert "times name no zone: taken for UTC" not in table.notes()
    plain = [{name: value for name, value in one.items() if name != "raw_data"} for one in TALK]
    table = read(results(tmp_path / "b.json", simulation(messages=plain)), read_source)
    assert table.frame["started_at"][0] == dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC)
    assert table.notes()["times name no zone: taken for UTC"] == 1
    zoned = simulation(messages=plain, start_time="2026-01-01T10:00:00+02:00")
    table = read(results(tmp_path / "c.json", zoned), read_source)
    assert table.frame["started_at"][0] == dt.datetime(2026, 1, 1, 8, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("reason", "reward", "outcome", "verdict", "official"),
    [
        ("user_stop", 1.0, "completed", "pass", True),
        ("agent_stop", 0.0, "completed", "fail", False),
        ("user_stop", 0.5, "completed", "fail", False),
        (None, 1.0, "completed", "pass", True),
        ("user_stop", None, "grader_error", None, None),
        ("user_stop", "NaN", "grader_error", None, None),
        ("max_steps", 0.0, "limit", "fail", False),
        ("max_steps", 1.0, "limit", "pass", True),
        ("too_many_errors", 0.0, "limit", "fail", False),
        ("context_window_exceeded", 0.0, "limit", "fail", None),
        ("timeout", 0.0, "agent_timeout", "fail", False),
        ("agent_error", 0.0, "agent_error", "fail", False),
        ("agent_error", None, "agent_error", None, None),
        ("user_error", 0.0, "simulator_error", None, False),
        ("infrastructure_error", 0.0, "infra_error", None, None),
        ("unexpected_error", 0.0, "infra_error", None, False),
        ("left_the_room", 1.0, "completed", "pass", True),
    ],
)
def test_outcomes(  # noqa: PLR0917 - a row of the table of outcomes
    tmp_path: Path,
    read_source: ReadSource,
    reason: str | None,
    reward: Any,
    outcome: str,
    verdict: str | None,
    official: bool | None,  # noqa: FBT001
) -> None:
    """Faults of infrastructure and simulated user are no verdicts; what tau2 counts is kept beside."""
    entry = simulation(reward, reason)
    entry["reward_info"].pop("reward_breakdown")
    table = read(results(tmp_path / "a.json", entry), read_source)
    row = table.frame.row(0, named=True)
    assert (row["outcome"], row["verdict"]) == (outcome, verdict)
    assert row["verdicts"] == (None if official is None else [{"name": "official", "passed": official}])
    assert (row["official_score"] is None) == (official is None)
    if outcome not in {"completed", "grader_error"}:
        assert row["reason"] == reason
    odd = "termination reason that is not known: the reward decides"
    assert (odd in table.notes("unknown")) == (reason == "left_the_room")


def test_missing_reward_info(tmp_path: Path, read_source: ReadSource) -> None:
    """A simulation that ended and was not judged has no verdict."""
    table = read(results(tmp_path / "a.json", simulation(reward_info=None)), read_source)
    assert table.rows("outcome", "reason", "verdict", "verdicts") == [
        ("grader_error", "no reward", None, None)
    ]


def test_unknown_amounts(tmp_path: Path, read_source: ReadSource) -> None:
    """A cost of 0 means unknown prices; tokens are unknown as soon as one call has none."""
    messages = [*TALK[:4], said("assistant", "Restart", 5, cost=0.0), TALK[-1]]
    table = read(results(tmp_path / "a.json", simulation(agent_cost=0.0, messages=messages)), read_source)
    row = table.frame.row(0, named=True)
    assert (row["cost_usd"], row["price_table"], row["input_tokens"], row["output_tokens"]) == (None,) * 4
    assert table.notes("unknown") == {
        "agent_cost 0: tau2 did not know the prices of the model": 1,
        "some calls of the model have no usage: tokens unknown": 1,
    }
    assert row["steps"] == 2


def test_tokens_as_anthropic_counts_them(tmp_path: Path, read_source: ReadSource) -> None:
    """Where the provider's own usage leaves cached tokens out of the input, nothing is taken off twice."""
    raw = {
        "input_tokens": 10,
        "cache_read_input_tokens": 80,
        "cache_creation_input_tokens": 30,
        "output_tokens": 5,
    }
    messages = [TALK[0], TALK[1], said("assistant", "Ann", 3, **usage(120, 5, raw))]
    row = read(results(tmp_path / "a.json", simulation(messages=messages)), read_source).frame.row(
        0, named=True
    )
    assert [row[f"{name}_tokens"] for name in ("input", "cached", "cache_write", "output")] == [10, 80, 30, 5]


def test_user_is_metered_apart(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """The simulated user's cost is in the traces and in a note, never in the trial."""
    path = results(tmp_path / "a.json", simulation(), simulation(trial=1))
    table = read(path, read_source)
    assert table.frame["cost_usd"].sum() == pytest.approx(0.1)
    what = "the simulated users of 2 trials cost 0.060000 USD together: in the traces, not in cost_usd"
    assert what in table.notes("note")
    trace = traces_of(SOURCE, path)[0]
    assert trace[-1].payload["user_cost_usd"] == 0.03
    users = [event.payload for event in trace if event.payload.get("from") == "user"]
    assert users[0]["user_cost_usd"] == 0.01
    assert users[0]["user_input_tokens"] == 50
    of_calls = [event.payload for event in trace if event.kind == "model_call"]
    assert sum(call["cost_usd"] for call in of_calls) == pytest.approx(0.05)
    assert sum(call["input_tokens"] for call in of_calls) == 80


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """Messages become events with times and causes; what the user does with its own tools is a note."""
    (trace,) = traces_of(SOURCE, results(tmp_path / "a.json", simulation()))
    assert [(event.kind, event.cause, event.mono) for event in trace] == [
        ("trial_start", None, None),
        ("note", None, 0.0),
        ("observation", None, 2.0),
        ("model_call", None, 3.0),
        ("action", 3, 3.0),
        ("observation", 4, 4.0),
        ("model_call", None, 5.0),
        ("decision", 6, 5.0),
        ("note", 7, 6.0),
        ("note", None, 7.0),
        ("observation", 7, 8.0),
        ("trial_end", None, None),
    ]
    assert trace[1].payload == {"what": "scripted", "text": "Hi! How can I help you today?"}
    assert trace[3].payload["calls"] == ["c1"]
    assert trace[3].payload["seconds"] == 0.5
    assert trace[4].payload == {"id": "c1", "tool": "find_user", "arguments": {"id": 7}}
    assert trace[8].payload["what"] == "tool call of the user"
    assert trace[2].t == dt.datetime(2026, 1, 1, 8, 0, 2, tzinfo=dt.UTC)


def test_clock_that_goes_back(tmp_path: Path, traces_of: TracesOf) -> None:
    """An event whose clock went back keeps its place and time, and has no monotonic time."""
    messages = [TALK[0], said("user", "a", 5), said("assistant", "b", 3), said("user", "c", 6)]
    (trace,) = traces_of(SOURCE, results(tmp_path / "a.json", simulation(messages=messages)))
    assert [event.mono for event in trace] == [None, 0.0, 5.0, None, None, 6.0, None]


def test_several_answers_in_one_message(tmp_path: Path, traces_of: TracesOf) -> None:
    """Answers to calls made together are observations of their own."""
    calls = [CALL, CALL | {"id": "c2"}]
    answers = [said("tool", "two", 4, id="c2"), said("tool", "one", 4, id="c1", error=True)]
    messages = [
        TALK[0],
        TALK[1],
        said("assistant", None, 3, tool_calls=calls),
        {"role": "tool", "tool_messages": answers},
    ]
    (trace,) = traces_of(SOURCE, results(tmp_path / "a.json", simulation(messages=messages)))
    found = [(event.payload["action"], event.cause, event.payload.get("error")) for event in trace[6:8]]
    assert found == [("c2", 5, None), ("c1", 4, True)]


def test_voice_calls(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Ticks of a voice call are put together to turns; its calls of tools are actions, its tokens are unknown."""
    ticks = [
        {"timestamp": "2026-01-01T10:00:00", "user_chunk": {"content": "Hel"}},
        {"timestamp": "2026-01-01T10:00:01", "user_chunk": {"content": "lo"}, "agent_chunk": None},
        {"timestamp": "2026-01-01T10:00:02", "agent_chunk": {"content": "Hi "}},
        {"timestamp": "2026-01-01T10:00:03", "agent_chunk": {"content": "Ann"}},
        {
            "timestamp": "2026-01-01T10:00:04",
            "agent_tool_calls": [CALL],
            "agent_tool_results": [{"id": "c1", "role": "tool", "content": "Ann"}],
        },
        {"timestamp": "2026-01-01T10:00:05", "agent_chunk": {"content": "base64", "is_audio": True}},
    ]
    path = results(tmp_path / "a.json", simulation(messages=None, ticks=ticks))
    assert read(path, read_source).rows("steps", "tool_calls", "input_tokens") == [(None, 1, None)]
    (trace,) = traces_of(SOURCE, path)
    assert [(event.kind, event.cause) for event in trace] == [
        ("trial_start", None),
        ("observation", None),
        ("decision", None),
        ("action", 2),
        ("observation", 3),
        ("trial_end", None),
    ]
    assert [event.payload["text"] for event in trace[1:3]] == ["Hello", "Hi Ann"]


def test_one_file_for_each_simulation(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Header and single files are read as one; what only the index knows is read from it; damaged files are dropped."""
    index = [
        {"id": "s-1", "task_id": "7", "trial": 0, "reward": 1.0, "termination_reason": "user_stop"},
        {
            "id": "s-9",
            "task_id": "7",
            "trial": 1,
            "reward": 0.0,
            "termination_reason": "max_steps",
            "agent_cost": 0.5,
            "duration": 3.0,
        },
    ]
    folder = tmp_path / "kite_run"
    write(folder / "results.json", header() | {"simulation_index": index})
    write(folder / "simulations/s-1.json", simulation())
    write(folder / "simulations/s-2.json", b'{"id": "s-2", "task_id"')
    for path in (tmp_path, folder, folder / "results.json"):
        table = read(path, read_source)
        assert table.rows("trial", "outcome", "verdict", "cost_usd", "wall_s", "steps") == [
            ("0", "completed", "pass", 0.05, 9.0, 2),
            ("1", "limit", "fail", 0.5, 3.0, None),
        ]
        assert (table.log.rows_read, sum(table.notes("dropped").values())) == (3, 1)
        assert table.notes("note")["simulation without its file: read from the index"] == 1
    assert len(traces_of(SOURCE, folder)) == 1


def test_links_out_of_the_folder(tmp_path: Path, read_source: ReadSource) -> None:
    """Neither a linked file nor a linked folder of simulations leads out."""
    write(tmp_path / "secret/s-1.json", simulation())
    folder = tmp_path / "run"
    write(folder / "results.json", header())
    write(folder / "simulations/s-0.json", simulation())
    (folder / "simulations/s-1.json").symlink_to(tmp_path / "secret/s-1.json")
    for path in (folder, folder / "results.json"):
        table = read(path, read_source)
        assert (table.frame.height, table.log.rows_read) == (1, 2)
        assert table.notes("dropped") == {"link that leaves the folder: not followed": 1}
    other = tmp_path / "other"
    write(other / "results.json", header())
    (other / "simulations").symlink_to(tmp_path / "secret")
    with pytest.raises(FormatError, match="no simulations of tau2"):
        read(other / "results.json", read_source)


def test_bare_list(tmp_path: Path, read_source: ReadSource) -> None:
    """A list without a header is named after its file; a file that says nothing needs a suite from the user."""
    entries = [simulation(trial=None, agent_cost=0.0), simulation(trial=None)]
    table = read(write(tmp_path / "kite-2_retail_default_gpt-u_2trials.json", entries), read_source)
    assert table.rows("suite", "agent", "model_requested", "trial") == [
        ("tau2_retail", "kite-2", "kite-2", "0"),
        ("tau2_retail", "kite-2", "kite-2", "1"),
    ]
    assert table.notes()["simulation without a trial number: numbered in the order of the file"] == 2
    assert [declared.trials for declared in table.log.declarations] == [2]
    path = write(tmp_path / "own.json", entries)
    table = read(path, read_source)
    assert set(table.frame["suite"]) == {"tau2"}
    assert "the data do not say which domain: give it with --suite" in table.notes()
    assert set(read(path, read_source, suite="mine").frame["suite"]) == {"mine"}


def test_who_ran(tmp_path: Path, read_source: ReadSource) -> None:
    """Scaffolds other than tau2's own are named; settings make another agent, ways of sending requests do not."""

    def row(name: str, **agent: Any) -> dict[str, Any]:
        of_agent = {"implementation": "llm_agent", "llm": "kite-1", "llm_args": {"temperature": 0.0}} | agent
        return read(results(tmp_path / name, simulation(), agent_info=of_agent), read_source).frame.row(
            0, named=True
        )

    plain = row("a.json")
    assert row("b.json", llm_args={"temperature": 1.0})["agent_digest"] != plain["agent_digest"]
    assert (
        row("c.json", llm_args={"temperature": 0.0, "api_key": "x", "num_retries": 3})["agent_digest"]
        == plain["agent_digest"]
    )
    assert row("d.json", implementation="planner")["agent"] == "kite-1 (planner)"
    assert row("e.json", llm=None, implementation="planner")["agent"] == "planner"


def test_what_the_agent_meets(tmp_path: Path, read_source: ReadSource) -> None:
    """Another simulated user is another environment; nulls that newer versions add are not."""

    def digest(name: str, **changes: Any) -> str:
        return str(
            read(results(tmp_path / name, simulation(), **changes), read_source).frame["environment_digest"][
                0
            ]
        )

    plain = digest("a.json")
    assert digest("b.json", speech_complexity=None, audio_native_config=None) == plain
    user = {"implementation": "user_simulator", "llm": "gpt-v", "llm_args": {"temperature": 0.0}}
    assert digest("c.json", user_info=user) != plain
    assert digest("d.json", max_steps=100) != plain


def test_notes(tmp_path: Path, read_source: ReadSource) -> None:
    """Told are: names that contradict the data, retries for the user's sake, and a review that finds the user wrong."""
    path = tmp_path / "gpt-5_airline_default_gpt-u_2trials.json"
    entry = simulation(hallucination_retries_used=2, review={"critical_user_error": True})
    table = read(results(path, entry), read_source, suite="mine")
    assert {
        "the file is named after gpt-5, the data say kite-1: the data hold",
        "the data say tau2_airline: --suite mine is not used",
        "retried for the simulated user's sake: cost and tokens of earlier attempts are not in the file",
        "tau2's review finds a critical error of the simulated user: the verdict stands",
    } <= set(table.notes("note"))
    assert table.frame["attempts"].to_list() == [3]
    assert table.rows("verdict") == [("pass",)]
    with pytest.raises(UsageError, match="no use for --outcome"):
        read(path, read_source, outcomes={"timeout": "limit"})


def test_damaged_simulations_are_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """A damaged simulation is dropped with its reason; a cut file keeps those that are whole."""
    bad = [simulation(task_id=None), [1]]
    table = read(results(tmp_path / "a.json", *bad, simulation()), read_source)
    assert (table.frame.height, table.log.rows_read) == (1, 3)
    assert table.notes("dropped") == {"simulation without a task_id": 1, "simulation not an object": 1}
    whole = json.dumps(header() | {"simulations": [simulation(), simulation(trial=1)]}).encode()
    table = read(write(tmp_path / "b.json", whole[:-200]), read_source)
    assert table.rows("trial") == [("0",)]
    assert table.notes("dropped") == {"simulation cut: the file ends within it": 1}


def test_damaged_file_among_good_ones(tmp_path: Path, read_source: ReadSource) -> None:
    """A file whose header cannot be read is dropped among others, and refused where it is all there is."""
    results(tmp_path / "a.json", simulation())
    cut = write(tmp_path / "b.json", json.dumps(header()).encode()[:-30])
    table = read(tmp_path, read_source)
    assert (table.frame.height, table.log.rows_read) == (1, 2)
    assert table.notes("dropped") == {"file that cannot be read: not readable JSON": 1}
    with pytest.raises(FormatError, match="not readable JSON"):
        read(cut, read_source)


SUBMISSION = {
    "model_name": "Kite 1",
    "trajectory_files": {"airline": "kite.json", "retail": "../kite.json"},
    "results": {
        "airline": {"pass_1": 84.0, "pass_2": 77.5, "cost": 0.4, "retrieval_config": "all"},
        "retail": {"pass_1": "79.6", "pass_2": None, "cost": None},
    },
}


def test_stated_numbers(tmp_path: Path, read_source: ReadSource) -> None:
    """A submission states pass^k and cost; the agent is named as an import names it, where its trials are at hand."""
    results(tmp_path / "sub/trajectories/kite.json", simulation())
    results(tmp_path / "kite.json", simulation())
    path = write(tmp_path / "sub/submission.json", SUBMISSION)
    stated = list(SOURCE.stated(tmp_path / "sub"))
    assert [(one.agent, one.name, one.value, one.unit) for one in stated] == [
        ("kite-1", "pass^1 tau2_airline", 84.0, "percent"),
        ("kite-1", "pass^2 tau2_airline", 77.5, "percent"),
        ("kite-1", "mean agent cost tau2_airline", 0.4, "USD"),
        ("Kite 1", "pass^1 tau2_retail", 79.6, "percent"),
    ]
    assert stated[0].where == "submission.json: results.airline.pass_1"
    assert (
        "numbers of a submission, not trials: `measurand reproduce` compares them"
        in read(tmp_path / "sub", read_source).notes()
    )
    assert SOURCE.sniff(path) is not None
    with pytest.raises(FormatError, match="measurand reproduce"):
        read(path, read_source)


def test_sniffing(tmp_path: Path) -> None:
    """Results, lists and submissions are claimed; other JSON is not."""
    assert SOURCE.sniff(tmp_path) is None
    write(tmp_path / "x.json", {"simulations": [], "info": {}})
    write(tmp_path / "y.json", [{"task_id": 1, "reward_info": {}, "messages": [], "traj": []}])
    assert SOURCE.sniff(tmp_path) is None
    for path in (
        results(tmp_path / "a.json", simulation()),
        write(tmp_path / "b.json", [simulation()]),
        write(tmp_path / "c.json", SUBMISSION),
        tmp_path,
    ):
        match = SOURCE.sniff(path)
        assert match is not None
        assert match.confidence >= 90


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b'{"info": {}, "simulations": []}', b"[" * 100_000, b"\xff\xfe"]
)
def test_what_is_refused(tmp_path: Path, read_source: ReadSource, content: bytes) -> None:
    """What holds no simulation is refused with its path."""
    with pytest.raises(FormatError):
        read(write(tmp_path / "a.json", content), read_source)


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
    files = {
        "a.json": header() | {"simulations": [simulation(), simulation(0.0, "max_steps", trial=1)]},
        "run/results.json": header() | {"simulation_index": [{"id": "s-8", "task_id": "8", "trial": 0}]},
        "run/simulations/s-1.json": simulation(),
        "submission.json": SUBMISSION,
    }
    survives(SOURCE, {name: json.dumps(content).encode() for name, content in files.items()}, data)


def test_published_results(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Six simulations of three files: verdicts, costs, tokens and times as in the table made of the originals."""
    path = shared / "samples/tau2_bench"
    table = read(path, read_source)
    assert table.log.rows_read == table.frame.height == 6
    assert table.notes("dropped") == table.notes("unknown") == {}
    assert table.frame.group_by("suite", "agent", "outcome", "verdict").len().sort("suite").rows() == [
        ("tau2_airline", "claude-sonnet-4-5", "completed", "pass", 3),
        ("tau2_mock", "openai/gpt-4.1-mini", "completed", "pass", 1),
        ("tau2_telecom", "gpt-4.1", "completed", "fail", 2),
    ]
    tidy = pl.read_csv(shared / "data/tau2_bench/trials.csv", infer_schema_length=None).with_columns(
        pl.col("trial").cast(pl.String)
    )
    names = ["claude-sonnet-4-5_airline_default_gpt4.1_1trials", "gpt-4.1_telecom_default_gpt-4.1_1trials"]
    both = _joined(table.frame, tidy, names)
    assert both.height == 5
    for mine, theirs in (
        ("official_score", "reward"),
        ("cost_usd", "agent_cost_usd"),
        ("input_tokens", "prompt_tokens"),
        ("output_tokens", "completion_tokens"),
        ("wall_s", "duration_s"),
        ("tool_calls", "tool_calls_tidy"),
    ):
        assert both[mine].to_list() == pytest.approx(both[theirs].to_list())
    assert (both["steps"] + 1).to_list() == both["agent_turns"].to_list()
    mock = table.frame.filter(suite="tau2_mock").row(0, named=True)
    assert mock["started_at"] == dt.datetime(2026, 5, 31, 15, 59, 6, 614799, dt.UTC)
    assert [
        mock[name] for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
    ] == [939, 0, 48, 0]
    traces = traces_of(SOURCE, path)
    assert len(traces) == 6
    for trace, row in zip(traces, table.frame.iter_rows(named=True), strict=True):
        kinds = [event.kind for event in trace]
        assert (kinds.count("model_call"), kinds.count("action")) == (row["steps"], row["tool_calls"])
        calls = [event.payload for event in trace if event.kind == "model_call"]
        assert sum(call["output_tokens"] for call in calls) == row["output_tokens"]
        assert sum(call["cost_usd"] for call in calls) == pytest.approx(row["cost_usd"])
        answers = [event for event in trace if event.kind == "observation" and "action" in event.payload]
        assert len(answers) == row["tool_calls"]
        assert all(trace[event.cause or 0].payload["id"] == event.payload["action"] for event in answers)
    stated = {one.name: one.value for one in SOURCE.stated(path)}
    assert (stated["pass^1 tau2_airline"], stated["pass^4 tau2_telecom"]) == (84.0, 78.07)
    assert len(stated) == 19
    with pytest.raises(FormatError, match="no simulations of tau2"):
        read(path / "multi_file_layout", read_source)


def _joined(frame: pl.DataFrame, tidy: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    wanted = tidy.filter(pl.col("file").is_in(names))
    return frame.join(wanted, on=["task", "trial"], suffix="_tidy", maintain_order="left").filter(
        pl.col("agent") == pl.col("model")
    )
