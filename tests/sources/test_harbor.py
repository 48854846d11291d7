"""Jobs, trials and trajectories of Harbor."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import ConflictError, FormatError, UsageError
from measurand.model.merge import merge_trials
from measurand.sources.harbor.source import HarborSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives, TracesOf

SOURCE = HarborSource()
AGENT: dict[str, Any] = {
    "name": "kite",
    "model_name": "sky/big-1",
    "import_path": None,
    "kwargs": {},
    "skills": [],
}
CHECKSUM = "ab" * 32


def raised(name: str, message: str = "no luck", *, valid: bool | None = None, **more: Any) -> dict[str, Any]:
    policy = {} if valid is None else {"policy": {"should_grade": True, "has_valid_reward": valid}}
    return {
        "exception_type": name,
        "exception_message": message,
        "occurred_at": "2026-05-01T10:01:00Z",
        **policy,
        **more,
    }


def phase(began: int, ended: int) -> dict[str, str]:
    return {"started_at": f"2026-05-01T10:00:{began:02}Z", "finished_at": f"2026-05-01T10:00:{ended:02}Z"}


def config(task: str = "hello", name: str = "hello__a", **more: Any) -> dict[str, Any]:
    return {
        "task": {"path": f"tasks/{task}", "source": "toys"},
        "trial_name": name,
        "trials_dir": "jobs/j",
        "job_id": "job-1",
        "agent": AGENT,
        "environment": {"type": "docker", "override_cpus": None},
        "timeout_multiplier": 1.0,
    } | more


def result(task: str = "hello", name: str = "hello__a", reward: Any = 1.0, **more: Any) -> dict[str, Any]:
    """A trial of today's Harbor; ``reward`` is a number, a map or None."""
    rewards = {"reward": reward} if isinstance(reward, int | float | str) else reward
    return {
        "id": f"id of {name}",
        "task_name": f"sky/{task}",
        "trial_name": name,
        "source": "toys",
        "task_checksum": CHECKSUM,
        "config": config(task, name),
        "agent_info": {"name": "kite", "version": "2", "model_info": {"name": "sky/big-1"}},
        "agent_result": {
            "n_input_tokens": 100,
            "n_cache_tokens": 30,
            "n_output_tokens": 20,
            "cost_usd": 0.5,
            "model_usage": {"big-1-2026-04-01": {}},
            "metadata": {"n_episodes": 3},
        },
        "verifier_result": None if rewards is None else {"rewards": rewards},
        "exception_info": None,
        **phase(0, 30),
        "agent_execution": phase(5, 20),
        "verifier": phase(20, 25),
        "step_results": None,
    } | more


def trajectory(**more: Any) -> dict[str, Any]:
    action = {"tool_call_id": "c", "function_name": "bash", "arguments": {"command": "ls"}}
    return {
        "schema_version": "ATIF-v1.8",
        "session_id": "s",
        "agent": {"name": "kite", "version": "2", "model_name": "big-1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "go", "timestamp": "2026-05-01T10:00:06Z"},
            {
                "step_id": 2,
                "source": "agent",
                "message": "ok",
                "timestamp": "2026-05-01T10:00:09Z",
                "tool_calls": [action],
                "observation": {"results": [{"source_call_id": "c", "content": "a"}]},
                "metrics": {
                    "prompt_tokens": 100,
                    "completion_tokens": 20,
                    "cached_tokens": 30,
                    "extra": {"cache_creation_input_tokens": 10, "reasoning_tokens": 4},
                },
            },
        ],
    } | more


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def trial(job: Path, record: Any, name: str = "hello__a", **files: Any) -> Path:
    """Write a trial: its result, and other files by name."""
    folder = job / name
    write(folder / "config.json", config(name=name))
    if record is not None:
        write(folder / "result.json", record)
    for file, content in files.items():
        write(folder / file, content)
    return folder


def planned(task: str, **more: Any) -> dict[str, Any]:
    """A trial of a lock: without what is empty."""
    agent = {"name": "kite", "model_name": "sky/big-1"}
    place = {"name": task, "path": f"tasks/{task}", "source": "toys", "digest": f"sha256:{task}"}
    return {
        "task": place,
        "agent": agent,
        "environment": {"type": "docker"},
        "timeout_multiplier": 1.0,
    } | more


def job(folder: Path, *tasks: str, stats: Any = None, **more: Any) -> Path:
    """Write the files of a job whose lock names a trial for each of ``tasks``."""
    datasets = [{"name": "toys", "version": "1.2"}]
    write(
        folder / "config.json", {"job_name": "j", "jobs_dir": "jobs", "n_attempts": 2, "datasets": datasets}
    )
    write(
        folder / "lock.json", {"harbor": {"version": "0.26.0"}, "trials": [planned(task) for task in tasks]}
    )
    counts = {"id": "job-1", "n_total_trials": len(tasks), "stats": {"n_retries": 0} | (stats or {})}
    write(folder / "result.json", counts | more)
    return folder


@pytest.fixture
def read_one(tmp_path: Path, read_source: ReadSource) -> Any:
    """Write one trial and read its row."""

    def read(record: Any, files: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        trial(tmp_path, record, **(files or {}))
        (row,) = read_source(SOURCE, tmp_path, **options).frame.rows(named=True)
        return row

    return read


def test_fields(tmp_path: Path, read_source: ReadSource) -> None:
    """A trial of a job: where each field comes from."""
    folder = trial(job(tmp_path, "hello"), result())
    write(folder / "agent/trajectory.json", trajectory())
    row = read_source(SOURCE, tmp_path).frame.row(0, named=True)
    wanted = {
        "suite": "toys",
        "suite_version": "1.2",
        "task": "sky/hello",
        "task_digest": "sha256:hello",
        "agent": "sky/big-1 (kite)",
        "model_requested": "sky/big-1",
        "model_served": "big-1",
        "trial": "hello__a",
        "job": "job-1",
        "outcome": "completed",
        "reason": None,
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}],
        "official_score": 1.0,
        "quantity": None,
        "cost_usd": 0.5,
        "price_table": "self-reported by harbor",
        "input_tokens": 60,
        "cached_tokens": 30,
        "cache_write_tokens": 10,
        "output_tokens": 20,
        "reasoning_tokens": 4,
        "steps": 1,
        "tool_calls": 1,
        "wall_s": 30.0,
        "working_s": 15.0,
        "waiting_s": None,
        "attempts": 1,
        "harness": "harbor",
        "harness_version": "0.26.0",
        "source": "harbor",
        "source_ref": "hello__a/result.json",
    }
    assert {name: row[name] for name in wanted} == wanted
    assert (str(row["started_at"]), str(row["finished_at"])) == (
        "2026-05-01 10:00:00+00:00",
        "2026-05-01 10:00:30+00:00",
    )


def test_a_trial_alone(read_one: Any) -> None:
    """Without a job the checksum tells the task, versions are unknown, and the result itself counts steps."""
    row = read_one(result())
    wanted = {
        "suite_version": None,
        "task_digest": f"sha256:{CHECKSUM}",
        "model_served": "big-1-2026-04-01",
        "job": "job-1",
        "input_tokens": 70,
        "cache_write_tokens": None,
        "steps": 3,
        "tool_calls": None,
        "attempts": None,
        "harness_version": None,
    }
    assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("exception", "outcome", "verdicts"),
    [
        (raised("AgentTimeoutError"), "agent_timeout", ("fail", "pass", "fail")),
        (raised("ContextLengthExceededError"), "limit", ("fail", "pass", "fail")),
        (raised("OutputTokenExceededError"), "limit", ("fail", "pass", "fail")),
        (raised("NonZeroAgentExitCodeError"), "agent_error", ("fail", "pass", "fail")),
        (raised("AgentSafetyRefusalError"), "agent_error", ("fail", "pass", "fail")),
        (raised("ApiRateLimitError"), "infra_error", (None, None, None)),
        (raised("EnvironmentStartTimeoutError"), "infra_error", (None, None, None)),
        (raised("AgentSetupTimeoutError"), "infra_error", (None, None, None)),
        (raised("VerifierTimeoutError"), "grader_error", (None, None, None)),
        (raised("RewardFileNotFoundError"), "grader_error", (None, None, None)),
        (raised("CancelledError"), "cancelled", (None, None, None)),
    ],
)
def test_exceptions(
    tmp_path: Path, read_source: ReadSource, exception: Any, outcome: str, verdicts: tuple[str | None, ...]
) -> None:
    """An exception is an outcome. The agent's own is a fail unless the reward is 1; others give no verdict."""
    for name, reward in (("a", 0.0), ("b", 1.0), ("c", None)):
        trial(tmp_path, result(name=name, reward=reward, exception_info=exception), name)
    table = read_source(SOURCE, tmp_path)
    reason = f"{exception['exception_type']}: no luck"
    assert table.rows("outcome", "reason", "verdict") == [(outcome, reason, one) for one in verdicts]
    worth = 0.0 if verdicts[1] is None else 1.0
    assert table.frame["official_score"].to_list() == [0.0, worth, 0.0]


@pytest.mark.parametrize(
    ("more", "outcome", "verdict"),
    [
        ({}, "agent_error", "fail"),
        ({"verifier_result": None}, "grader_error", None),
        ({"verifier_result": None, "verifier": None}, "agent_error", "fail"),
        ({"verifier_result": None, "verifier": None, "agent_execution": None}, "infra_error", None),
        ({"exception_info": raised("Odd", valid=False)}, "infra_error", None),
        ({"exception_info": raised("Odd", valid=True)}, "agent_error", "fail"),
    ],
)
def test_unknown_exceptions(read_one: Any, more: dict[str, Any], outcome: str, verdict: str | None) -> None:
    """An exception that the format has no name for is judged by the phase it fell in, then by its recorded policy."""
    row = read_one(result(reward=0.0, exception_info=raised("Odd")) | more)
    assert (row["outcome"], row["verdict"]) == (outcome, verdict)


def test_outcome_of_the_user(read_one: Any) -> None:
    """The user may say what an exception means; a word that is no outcome is refused."""
    record = result(reward=0.0, exception_info=raised("DockerComposeError"))
    row = read_one(record, outcomes={"DockerComposeError": "infra_error"})
    assert (row["outcome"], row["verdict"]) == ("infra_error", None)
    with pytest.raises(UsageError, match="--outcome: 'broken' is not a valid Outcome"):
        read_one(record, outcomes={"DockerComposeError": "broken"})


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (result(reward=0.999), ("completed", None, "fail", 0.999)),
        (result(reward=1.5), ("completed", None, "pass", 1.5)),
        (result(reward="1.0"), ("completed", None, "pass", 1.0)),
        (result(reward={"score": 1}), ("completed", None, "pass", 1.0)),
        (result(reward={"gate": 1, "speed": 2.5}), ("completed", None, "pass", None)),
        (result(reward={"gate": 0, "reward": 1}), ("completed", None, "pass", 1.0)),
        (
            result(reward={"a": 1, "b": 1}),
            ("completed", "several rewards, none of them called reward or gate", None, None),
        ),
        (result(reward={}), ("grader_error", "no reward", None, 0.0)),
        (result(reward=None), ("grader_error", "no reward", None, 0.0)),
        (result(reward=float("nan")), ("grader_error", "reward that is no number: reward", None, 0.0)),
        (result(reward={"reward": [1]}), ("grader_error", "reward that is no number: reward", None, 0.0)),
        (
            result(reward=None, config=config(verifier={"disable": True})),
            ("completed", "the verifier was disabled", None, 0.0),
        ),
        (
            result(reward=None, config=config(install_only=True)),
            ("completed", "only the installation was run", None, 0.0),
        ),
        (result(reward=1.0, reward_valid=False), ("completed", None, "pass", 0.0)),
        (result(reward=None, verifier_result={"reward": 1}), ("completed", None, "pass", 1.0)),
    ],
)
def test_rewards(read_one: Any, record: Any, wanted: tuple[Any, ...]) -> None:
    """A reward of 1 is a pass, less is a fail; without a usable one there is no verdict, and the official score is 0."""
    row = read_one(record)
    assert (row["outcome"], row["reason"], row["verdict"], row["official_score"]) == wanted


def test_rewards_by_name(tmp_path: Path, read_source: ReadSource) -> None:
    """The user says which reward is the verdict, the quantity and the official score; anchors make it an objective."""
    trial(tmp_path, result(reward={"ok": 1, "speed": 2.5, "score": 0.75}))
    anchors = tmp_path / "anchors.csv"
    anchors.write_text("task,baseline,reference\nsky/hello,1,4\n")
    table = read_source(
        SOURCE,
        tmp_path,
        mapping={"verdict": "ok", "quantity": "speed", "official_score": "score"},
        constants={"better": "higher", "unit": "x"},
        anchors=anchors,
    )
    columns = ("verdict", "quantity", "unit", "better", "baseline", "reference", "official_score")
    assert table.rows(*columns) == [("pass", 2.5, "x", "higher", 1.0, 4.0, 0.75)]
    assert table.notes() == {}


def test_rewards_left_aside_are_said(tmp_path: Path, read_source: ReadSource) -> None:
    """Rewards that nothing is made of are noted, with how to use them."""
    trial(tmp_path, result(reward={"gate": 1, "speed": 2.5, "score": 3}))
    assert list(read_source(SOURCE, tmp_path).notes()) == [
        "rewards not used: score, speed (--map quantity=KEY names one)"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mapping": {"cost_usd": "x"}}, "--map cost_usd: the source 'harbor' has no use for it"),
        ({"constants": {"task": "x"}}, "--set task: the source 'harbor' has no use for it"),
        ({"tasks": "list"}, "has no use for --task-list"),
    ],
)
def test_options_without_use(read_one: Any, options: dict[str, Any], message: str) -> None:
    """Options that nothing heeds are refused."""
    with pytest.raises(UsageError, match=message):
        read_one(result(), **options)


def test_the_verifiers_own_file(tmp_path: Path, read_source: ReadSource) -> None:
    """A reward file that says something else than the result is noted; one that says the same is not."""
    files: dict[str, Any] = {"verifier/reward.txt": b"1\n"}
    trial(tmp_path, result(reward=1.0), "a", **files)
    trial(tmp_path, result(reward=0.0, name="b"), "b", **files)
    files = {"verifier/reward.json": b'{"gate": 1, "speed": 2}', "verifier/reward.txt": b"0"}
    trial(tmp_path, result(reward={"gate": 1, "speed": 2.0}, name="c"), "c", **files)
    table = read_source(SOURCE, tmp_path)
    assert table.places("the verifier's file and the result differ; the result holds") == ("b/result.json",)


def test_steps(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """A task of several steps: usage and time of its steps are added up, and an exception of a step decides."""
    steps = [
        {
            "step_name": name,
            "agent_result": {
                "n_input_tokens": 10,
                "n_cache_tokens": None,
                "n_output_tokens": 2,
                "cost_usd": 0.25,
            },
            "verifier_result": {"rewards": {"reward": reward}},
            "exception_info": failure,
            "agent_execution": phase(0, seconds),
        }
        for name, reward, seconds, failure in (
            ("one", 1.0, 4, None),
            ("two", 0.25, 9, raised("AgentTimeoutError", "slow")),
            ("../three", 0.25, 9, None),
        )
    ]
    record = result(reward=0.625, agent_result=None, agent_execution=None, step_results=steps)
    folder = trial(tmp_path, record)
    write(folder / "steps/one/agent/trajectory.json", trajectory())
    write(tmp_path / "three/agent/trajectory.json", trajectory(session_id="outside"))
    table = read_source(SOURCE, tmp_path)
    row = table.frame.row(0, named=True)
    wanted = {
        "outcome": "agent_timeout",
        "reason": "step two: AgentTimeoutError: slow",
        "verdict": "fail",
        "official_score": 0.625,
        "input_tokens": 20,
        "output_tokens": 6,
        "cost_usd": 0.75,
        "working_s": 22.0,
        "steps": 1,
        "tool_calls": 1,
    }
    assert {name: row[name] for name in wanted} == wanted
    (trace,) = (one for one in traces_of(SOURCE, tmp_path) if one[0].payload.get("task") == "sky/hello")
    assert [event.payload.get("step", event.kind) for event in trace] == [
        "trial_start",
        "one",
        "note",
        "observation",
        "model_call",
        "decision",
        "action",
        "observation",
        "two",
        "two",
        "../three",
        "trial_end",
    ]
    assert "outside" not in str(trace)


def test_an_unusable_step_decides_over_a_usable_one(read_one: Any) -> None:
    """With a time-out in one step and a lost provider in another there is no verdict."""
    failures = [raised("AgentTimeoutError"), raised("ApiOverloadedError", valid=False)]
    steps = [{"step_name": str(place), "exception_info": one} for place, one in enumerate(failures)]
    row = read_one(result(step_results=steps))
    assert (row["outcome"], row["verdict"], row["official_score"]) == ("infra_error", None, 0.0)


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        ({"n_input_tokens": 10, "n_cache_tokens": 11}, (None, 11, None, None)),
        ({"n_input_tokens": "10", "n_output_tokens": 2.0}, (10, None, 2, None)),
        ({"n_input_tokens": 10, "n_output_tokens": 2, "cost_usd": 0.0}, (10, None, 2, None)),
        ({"n_input_tokens": 0, "n_output_tokens": 0, "cost_usd": 0.0}, (0, None, 0, 0.0)),
        ({"n_input_tokens": -5, "n_output_tokens": 10**30, "cost_usd": -1}, (None, None, None, None)),
        ({"cost_usd": "NaN", "n_output_tokens": "many"}, (None, None, None, None)),
        (None, (None, None, None, None)),
        ("lost", (None, None, None, None)),
    ],
)
def test_usage_that_is_doubtful(read_one: Any, usage: Any, wanted: tuple[Any, ...]) -> None:
    """Impossible and missing counts are unknown, never 0; so is a cost of 0 beside tokens."""
    row = read_one(result(agent_result=usage))
    assert (
        tuple(row[name] for name in ("input_tokens", "cached_tokens", "output_tokens", "cost_usd")) == wanted
    )


def test_usage_of_the_trajectory_where_the_result_has_none(read_one: Any) -> None:
    """An agent that reported nothing may have left a trajectory."""
    row = read_one(result(agent_result=None), {"agent/trajectory.json": trajectory()})
    assert (row["input_tokens"], row["cached_tokens"], row["output_tokens"]) == (60, 30, 20)


@pytest.mark.parametrize(
    ("times", "wall", "started"),
    [
        (phase(30, 0), None, "2026-05-01 10:00:30+00:00"),
        ({"started_at": "2026-05-01T10:00:00", "finished_at": "2026-05-01T10:00:09"}, 9.0, "None"),
        ({"started_at": "yesterday", "finished_at": 5}, None, "None"),
    ],
)
def test_clocks(read_one: Any, times: dict[str, Any], wall: float | None, started: str) -> None:
    """A clock that went back gives no time; one without a zone gives durations alone."""
    row = read_one(result() | times)
    assert (row["wall_s"], str(row["started_at"])) == (wall, started)


def test_several_models_answered(read_one: Any) -> None:
    """Case 04: each model that answered is named, so that a silent fallback shows."""
    steps = trajectory()["steps"]
    steps.append({"step_id": 3, "source": "agent", "message": "b", "model_name": "small-1"})
    row = read_one(result(), {"agent/trajectory.json": trajectory(steps=steps)})
    assert (row["model_requested"], row["model_served"]) == ("sky/big-1", "big-1, small-1")


def test_late_and_lost_trials(shared: Path, tmp_path: Path, read_source: ReadSource) -> None:
    """Case 09: a time-out keeps its reward, one without a reward is a fail, and a verifier's own time-out no verdict."""
    raw = pl.read_csv(shared / "cases/09-time-budgets-and-timeouts/input.csv")
    names = {"agent_timeout": "AgentTimeoutError", "verifier_timeout": "VerifierTimeoutError"}
    for row in raw.iter_rows(named=True):
        name = f"{row['task']}__{row['trial']}"
        failure = names.get(row["status"])
        record = result(row["task"], name, row["reward"], exception_info=raised(failure) if failure else None)
        trial(tmp_path, record, name)
    frame = read_source(SOURCE, tmp_path).frame
    got = dict(frame.select("trial", "verdict").rows())
    assert got["b1__2"] == "pass"
    assert (got["b3__1"], got["b3__2"], got["b4__2"]) == ("fail", "fail", None)
    assert (frame["verdict"].count(), frame.height) == (7, 8)


def test_nothing_vanishes_from_a_killed_job(tmp_path: Path, read_source: ReadSource) -> None:
    """A job that was killed: what was running is interrupted, what was planned is missing, all as the recorded trial is called."""
    job(tmp_path, "hello", "hello", "bye", "bye")
    trial(tmp_path, result())
    folder = trial(tmp_path, None, "bye__b", **{"verifier/reward.txt": b"1"})
    write(folder / "config.json", config("bye", "bye__b"))
    table = read_source(SOURCE, tmp_path)
    assert table.log.rows_read == 4
    assert table.rows("task", "task_digest", "trial", "outcome", "reason", "verdict", "official_score") == [
        ("sky/hello", "sha256:hello", "hello__a", "completed", None, "pass", 1.0),
        (
            "sky/bye",
            "sha256:bye",
            "bye__b",
            "interrupted",
            "no result.json; the verifier had written a reward",
            None,
            0.0,
        ),
        ("sky/hello", "sha256:hello", "planned 1", "missing", "planned, and never recorded", None, 0.0),
        ("sky/bye", "sha256:bye", "planned 2", "missing", "planned, and never recorded", None, 0.0),
    ]
    same = table.frame.select(
        "agent", "agent_digest", "environment_digest", "harness_version", "job", "suite"
    )
    assert same.n_unique() == 1
    (declared,) = table.log.declarations
    assert (declared.suite, declared.suite_version, declared.tasks, declared.trials) == ("toys", "1.2", 2, 2)


def test_trials_that_the_job_only_counts(tmp_path: Path, read_source: ReadSource) -> None:
    """Without their folders trials are read from the statistics of the job: reward and exception, nothing more."""
    counts = {
        "kite__sky/big-1__toys": {
            "n_trials": 2,
            "n_errors": 3,
            "metrics": [{"mean": 0.5}],
            "reward_stats": {"reward": {"1.0": ["hello__a"], "0.0": ["hello__b"]}},
            "exception_stats": {
                "AgentTimeoutError": ["hello__b"],
                "Odd": ["bye__c"],
                "VerifierTimeoutError": ["gone__d"],
            },
        }
    }
    tasks = ("hello", "hello", "bye", "bye")
    folder = job(tmp_path, *tasks, stats={"evals": counts})
    write(folder / "config.json", {"jobs_dir": "jobs", "n_attempts": 2, "agents": [AGENT], "datasets": []})
    trial(folder, result(task="bye", name="bye__x"), "bye__x")
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "trial", "outcome", "reason", "verdict") == [
        ("sky/bye", "bye__x", "completed", None, "pass"),
        ("sky/bye", "bye__c", "infra_error", "Odd", None),
        ("sky/gone", "gone__d", "grader_error", "VerifierTimeoutError", None),
        ("sky/hello", "hello__a", "completed", None, "pass"),
        ("sky/hello", "hello__b", "agent_timeout", "AgentTimeoutError", "fail"),
    ]
    assert table.frame["agent_digest"].n_unique() == 1
    assert [(one.agent, one.name, one.value) for one in SOURCE.stated(tmp_path)] == [
        ("sky/big-1 (kite)", "mean reward", 0.5),
        ("sky/big-1 (kite)", "trials with a reward", 2.0),
        ("sky/big-1 (kite)", "trials with an exception", 3.0),
    ]


def test_a_job_before_and_after_it_was_resumed(tmp_path: Path, read_source: ReadSource) -> None:
    """Two folders of one job are one: nothing is missing that the later one has, and the broken trial is dropped."""
    job(tmp_path / "before", "hello", "hello", stats={"n_completed_trials": 1})
    trial(tmp_path / "before", result())
    trial(tmp_path / "before", None, "hello__b")
    job(tmp_path / "later", "hello", "hello", stats={"n_completed_trials": 2})
    trial(tmp_path / "later", result())
    trial(tmp_path / "later", result(name="hello__c", reward=0.0), "hello__c")
    table = read_source(SOURCE, tmp_path)
    assert table.rows("trial", "verdict", "source_ref") == [
        ("hello__a", "pass", "before/hello__a/result.json"),
        ("hello__a", "pass", "later/hello__a/result.json"),
        ("hello__c", "fail", "later/hello__c/result.json"),
    ]
    assert table.places("interrupted, and run again under another name") == ("before/hello__b",)
    assert (table.log.rows_read, merge_trials(table.frame).duplicates) == (4, 1)


def test_copies_that_differ_are_a_conflict(tmp_path: Path, read_source: ReadSource) -> None:
    """Case 11: a trial in two folders with different results is refused, and both are named."""
    trial(tmp_path / "a", result())
    trial(tmp_path / "b", result(reward=0.0))
    table = read_source(SOURCE, tmp_path)
    with pytest.raises(ConflictError, match=r"a/hello__a/result\.json and b/hello__a/result\.json"):
        merge_trials(table.frame)


def test_retries(tmp_path: Path, read_source: ReadSource) -> None:
    """The log of the job says which trials were tried again; if it does not add up, attempts are unknown."""
    job(tmp_path, "hello", "hello", stats={"n_retries": 2})
    trial(tmp_path, result())
    trial(tmp_path, result(name="hello__b"), "hello__b")
    line = "Trial hello__b failed with exception ApiError, Odd. Retrying in 1.00 seconds...\n"
    (tmp_path / "job.log").write_text(f"Starting\n{line}{line}")
    table = read_source(SOURCE, tmp_path)
    assert table.rows("trial", "attempts") == [("hello__a", 1), ("hello__b", 3)]
    assert table.places("retried: tokens, cost and times are those of the last attempt") == (
        "hello__b/result.json",
    )
    (tmp_path / "job.log").write_text(line)
    assert read_source(SOURCE, tmp_path).rows("attempts") == [(None,), (None,)]


def test_agents_are_told_apart_by_their_settings(tmp_path: Path, read_source: ReadSource) -> None:
    """Settings that change what an agent does make another agent; those of scheduling do not."""
    for name, agent in (
        ("a", AGENT),
        ("b", AGENT | {"n_concurrent": 4}),
        ("c", AGENT | {"kwargs": {"temperature": 0}}),
    ):
        trial(tmp_path, result(name=name) | {"config": config(name=name, agent=agent)}, name)
    digests = read_source(SOURCE, tmp_path).frame["agent_digest"].to_list()
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(
    ("more", "differs"),
    [
        ({"timeout_multiplier": 2.0}, True),
        ({"agent": AGENT | {"override_timeout_sec": 0}}, True),
        ({"environment": {"type": "docker", "override_cpus": 1}}, True),
        ({"environment": {"type": "docker", "force_build": True, "cpu_enforcement_policy": "auto"}}, False),
        ({"agent_timeout_multiplier": None}, False),
    ],
)
def test_what_a_trial_was_given(
    tmp_path: Path, read_source: ReadSource, more: dict[str, Any], *, differs: bool
) -> None:
    """Time limits and size of the environment make trials incomparable; how it was built does not."""
    trial(tmp_path, result(name="a"), "a")
    trial(tmp_path, result(name="b") | {"config": config(name="b") | more}, "b")
    one, other = read_source(SOURCE, tmp_path).frame["environment_digest"]
    assert (one != other) == differs


def test_where_the_suite_comes_from(tmp_path: Path, read_source: ReadSource) -> None:
    """The dataset names the suite; tasks without one are of the suite that the user names, else ad hoc."""
    trial(tmp_path, result(), "a")
    trial(tmp_path, result(name="b", source=None), "b")
    assert read_source(SOURCE, tmp_path).rows("suite", "suite_version") == [("toys", None), ("adhoc", None)]
    told = read_source(SOURCE, tmp_path, suite="mine@2.1")
    assert told.rows("suite", "suite_version") == [("toys", None), ("mine", "2.1")]
    assert told.places("the data say toys: --suite mine is not used") == ("a/result.json",)


def test_an_agent_without_a_model(read_one: Any) -> None:
    """The oracle has no model."""
    record = result(agent_info={"name": "oracle", "version": "1"})
    row = read_one(record | {"config": config(agent={"name": "oracle"})})
    assert (row["agent"], row["model_requested"]) == ("oracle", None)


def test_damaged_records(tmp_path: Path, read_source: ReadSource) -> None:
    """A damaged result is dropped with its reason, and the planned trial is missing, not gone."""
    job(tmp_path, "hello", "hello", "hello")
    trial(tmp_path, result())
    trial(tmp_path, json.dumps(result(name="hello__b")).encode()[:-50], "hello__b")
    trial(tmp_path, b"[]", "hello__c")
    trial(tmp_path, {"trial_name": "x", "task_checksum": "y"}, "hello__d")
    table = read_source(SOURCE, tmp_path)
    assert table.frame.group_by("outcome").len().sort("outcome").rows() == [("completed", 1), ("missing", 2)]
    dropped = table.notes("dropped")
    assert dropped.pop("there is no task_name") == dropped.pop("not a JSON object") == 1
    assert [what.partition(":")[0] for what in dropped] == ["not readable JSON"]
    assert table.log.rows_read == table.frame.height + 3


def test_damaged_files_around_a_trial(tmp_path: Path, read_source: ReadSource) -> None:
    """Files of the job, locks and trajectories that cannot be read are noted; the trial stays."""
    folder = trial(job(tmp_path, "hello"), result())
    write(folder / "lock.json", b"{")
    write(folder / "agent/trajectory.json", b'{"schema_version": "ATIF-v1.8"')
    for name in ("result.json", "config.json", "lock.json"):
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[:-3])
    table = read_source(SOURCE, tmp_path)
    assert table.rows("verdict", "steps", "harness_version") == [("pass", 3, None)]
    noted = [what.partition(": ")[0] for what in table.notes("note")]
    assert noted == [
        "result.json of the job",
        "config.json of the job",
        "lock.json of the job",
        "trajectory that is not read",
        "lock.json of a trial",
    ]


def test_links(tmp_path: Path, read_source: ReadSource) -> None:
    """Nothing outside of the folder is read, by whatever link; links within it add nothing."""
    outside = trial(tmp_path / "outside", result(name="secret"), "secret")
    write(outside / "agent/trajectory.json", trajectory(session_id="secret"))
    inside = tmp_path / "inside"
    own = trial(inside, result())
    (inside / "leak").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    (own / "agent").symlink_to(outside / "agent")
    (inside / "thief").mkdir()
    (inside / "thief/result.json").symlink_to(outside / "result.json")
    write(inside / "thief/config.json", config(name="thief"))
    table = read_source(SOURCE, inside)
    assert table.rows("trial", "tool_calls") == [("hello__a", None)]
    assert table.notes("dropped") == {"link that leaves the folder: not followed": 2}
    assert table.log.rows_read == 3
    assert "link within the folder: read where it points to" in table.notes("note")
    assert "trajectory that is not read: link that leaves the folder: not followed" in table.notes("note")


def test_trace(tmp_path: Path, traces_of: TracesOf, read_source: ReadSource) -> None:
    """A trajectory and its continuation are the trace of a trial, between its beginning and what became of it."""
    copied = [one | {"is_copied_context": True} for one in trajectory()["steps"]]
    more = {"step_id": 3, "source": "agent", "message": "done", "metrics": {"prompt_tokens": 5}}
    folder = trial(tmp_path, result(reward=0.0, exception_info=raised("AgentTimeoutError", "slow")))
    write(folder / "agent/trajectory.json", trajectory(continued_trajectory_ref="trajectory.cont-1.json"))
    write(
        folder / "agent/trajectory.cont-1.json",
        trajectory(steps=[*copied, more], continued_trajectory_ref="../x"),
    )
    (trace,) = traces_of(SOURCE, tmp_path)
    assert [event.kind for event in trace] == [
        "trial_start",
        "note",
        "observation",
        "model_call",
        "decision",
        "action",
        "observation",
        "note",
        "note",
        "note",
        "model_call",
        "decision",
        "error",
        "trial_end",
    ]
    assert [event.cause for event in trace if event.kind in {"decision", "action", "observation"}] == [
        None,
        3,
        4,
        5,
        10,
    ]
    assert trace[0].payload["agent"] == "sky/big-1 (kite)"
    assert trace[-2].payload == {"class": "AgentTimeoutError", "message": "slow"}
    assert trace[-1].payload == {
        "outcome": "agent_timeout",
        "verdict": "fail",
        "reason": "AgentTimeoutError: slow",
        "rewards": {"reward": 0.0},
    }
    assert str(trace[-1].t) == "2026-05-01 10:00:30+00:00"
    assert read_source(SOURCE, tmp_path).rows("steps", "tool_calls") == [(2, 1)]


def test_what_cannot_be_opened(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Pipes, names that are too long, folders that are too deep and damaged documents beside a good one do no harm."""
    reference = [{"trajectory_path": "s.json"}, {"trajectory_path": "x" * 300}, {"trajectory_path": "pipe"}]
    results = {"results": [{"content": "x", "subagent_trajectory_ref": reference}]}
    steps = [
        *trajectory()["steps"],
        {"step_id": 3, "source": "system", "message": "", "observation": results},
    ]
    record = result(step_results=[{"step_name": "y" * 300}, "none"])
    folder = trial(tmp_path, record)
    more = {"continued_trajectory_ref": "cut.json", "subagent_trajectories": [{}]}
    write(folder / "agent/trajectory.json", trajectory(steps=steps, **more))
    for name in ("s.json", "cut.json"):
        write(folder / "agent" / name, b'{"schema_version": "ATIF-v1.8", "steps": [')
    os.mkfifo(folder / "agent/pipe")
    os.mkfifo(folder / "lock.json")
    (tmp_path / "pipes").mkdir()
    os.mkfifo(tmp_path / "pipes/result.json")
    write(tmp_path.joinpath(*"abcdefghij") / "result.json", result(name="deep"))
    write(folder / "verifier/reward.json", b"{")
    assert SOURCE.sniff(tmp_path) is not None
    table = read_source(SOURCE, tmp_path)
    assert table.rows("trial", "steps") == [("hello__a", 1)]
    assert table.notes() == {
        "folder too deep: not read": 1,
        "trajectories of subagents that cannot be read": 1,
    }
    (trace,) = traces_of(SOURCE, tmp_path)
    assert [event.kind for event in trace].count("model_call") == 1


def test_an_unfinished_trial_of_which_little_is_left(tmp_path: Path, read_source: ReadSource) -> None:
    """A broken configuration leaves task and agent unknown; a job's own file may be given in place of its folder."""
    folder = job(tmp_path, "hello")
    write(folder / "hello__a/config.json", b'{"trial_name": "hello__a", "agent": {}, "task": ')
    write(folder / "job.log", b"")
    write(folder / "result.json", {"n_total_trials": 5, "stats": {"n_retries": 3}})
    table = read_source(SOURCE, folder / "result.json")
    assert table.rows("task", "trial", "outcome", "job") == [("hello", "planned 1", "missing", "j")]
    assert table.notes("dropped") == {"interrupted, and run again under another name": 1}
    write(folder / "lock.json", {"harbor": {}})
    table = read_source(SOURCE, folder)
    assert table.rows("task", "trial", "outcome") == [("task without a name", "hello__a", "interrupted")]
    assert table.notes()["planned trials without a record, which nothing names"] == 4


def test_a_simulated_user_is_part_of_the_agents_settings(tmp_path: Path, read_source: ReadSource) -> None:
    """Trials with different simulated users are not repetitions of one thing."""
    for name in ("a", "b"):
        own = config(name=name, user_agent={"name": "user", "model_name": name})
        trial(tmp_path, result(name=name) | {"config": own}, name)
    assert read_source(SOURCE, tmp_path).frame["agent_digest"].n_unique() == 2


def test_documents_alone(tmp_path: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Documents without a trial are trials without a verdict; those that are part of another are dropped."""
    reference = {"results": [{"content": "x", "subagent_trajectory_ref": [{"trajectory_path": "sub.json"}]}]}
    steps = [
        *trajectory()["steps"],
        {"step_id": 3, "source": "system", "message": "", "observation": reference},
    ]
    write(tmp_path / "a.json", trajectory(steps=steps, continued_trajectory_ref="b.json"))
    write(tmp_path / "b.json", trajectory())
    write(tmp_path / "sub.json", trajectory())
    write(tmp_path / "c.json", trajectory(agent={"name": "kite", "extra": {"parent_session_id": "s"}}))
    write(tmp_path / "d.json", b'{"schema_version": "ATIF-v1.8", "steps": 3}')
    write(tmp_path / "other.json", {"steps": []})
    table = read_source(SOURCE, tmp_path)
    columns = ("suite", "task", "agent", "outcome", "verdict", "steps", "input_tokens", "wall_s")
    assert table.rows(*columns) == [("unnamed", "a", "big-1 (kite)", "completed", None, 2, 120, 3.0)]
    assert table.notes("dropped") == {"there is no list of steps": 1, "part of another trajectory": 3}
    assert table.log.rows_read == 5
    (trace,) = traces_of(SOURCE, tmp_path)
    assert [event.kind for event in trace].count("model_call") == 3
    alone = read_source(SOURCE, tmp_path / "c.json", suite="mine@1")
    assert alone.rows("suite", "suite_version", "task") == [("mine", "1", "c")]


def test_sniffing(tmp_path: Path) -> None:
    """Jobs, trials, documents and folders of them are claimed; tasks, results of others and what is broken are not."""
    root = tmp_path / "runs"
    folder = trial(job(root / "jobs/j", "hello"), result())
    document = write(root / "atif/t.json", trajectory())
    for path in (
        root,
        root / "jobs",
        root / "jobs/j",
        folder,
        folder / "result.json",
        document,
        document.parent,
    ):
        match = SOURCE.sniff(path)
        assert match is not None, path
        assert match.confidence >= 90
    foreign = tmp_path / "foreign"
    write(foreign / "tasks/hello/task.toml", b"")
    write(foreign / "result.json", {"score": 1})
    write(foreign / "sub/config.json", {"agent": 1})
    write(foreign / "broken.json", b"\xff\x00")
    for path in (foreign, foreign / "result.json", foreign / "broken.json", tmp_path / "nowhere"):
        assert SOURCE.sniff(path) is None


def test_nothing_to_read(tmp_path: Path, read_source: ReadSource) -> None:
    """A folder or file without anything of Harbor is refused."""
    write(tmp_path / "x.json", {})
    for path in (tmp_path, tmp_path / "x.json", tmp_path / "nowhere"):
        with pytest.raises(FormatError, match="no jobs, trials or trajectories of Harbor"):
            read_source(SOURCE, path)


def test_hostile_text(read_one: Any) -> None:
    """Ids are text, whatever they hold."""
    record = result(name="\ud800\x1b[2J") | {"task_name": 7, "exception_info": raised("X", "\x1b]0;a" * 500)}
    row = read_one(record)
    assert (row["task"], row["trial"], len(row["reason"])) == ("7", "\\ud800\x1b[2J", 300)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged: an error on purpose, or a report that adds up."""
    _damage(survives, data)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(st.data())
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same with many more examples."""
    _damage(survives, data)


def _damage(survives: Survives, data: st.DataObject) -> None:
    counts = {
        "kite__sky/big-1__toys": {
            "metrics": [{"mean": 1.0}],
            "pass_at_k": {"2": 1.0},
            "reward_stats": {"reward": {"1.0": ["hello__a", "hello__z"]}},
            "exception_stats": {"Odd": ["hello__y"]},
        }
    }
    tasks = [planned("hello")] * 4
    files = {
        "result.json": {"id": "job-1", "n_total_trials": 4, "stats": {"n_retries": 0, "evals": counts}},
        "lock.json": {"harbor": {"version": "1"}, "trials": tasks},
        "config.json": {"jobs_dir": "jobs", "n_attempts": 4, "datasets": [{"name": "toys"}]},
        "hello__a/config.json": config(),
        "hello__a/result.json": result(exception_info=raised("AgentTimeoutError", valid=True)),
        "hello__a/agent/trajectory.json": trajectory(),
        "hello__b/config.json": config(name="hello__b"),
        "hello__c/result.json": result(
            name="hello__c", agent_result=None, step_results=[{"step_name": "s", "agent_result": {}}]
        ),
    }
    survives(SOURCE, {name: json.dumps(value).encode() for name, value in files.items()}, data)


def outcomes(table: Imported) -> list[tuple[Any, ...]]:
    return table.frame.group_by("outcome", "verdict").len().sort("outcome", "verdict").rows()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "scripted-k3",
            [
                ("agent_error", "fail", 3),
                ("agent_timeout", "fail", 3),
                ("completed", "fail", 2),
                ("completed", "pass", 7),
                ("grader_error", None, 3),
            ],
        ),
        ("flaky-k8", [("completed", "fail", 4), ("completed", "pass", 4)]),
        ("crash-retry", [("agent_error", "fail", 1)]),
        ("multistep-k2", [("agent_timeout", "fail", 2)]),
        (
            "killed-partial",
            [
                ("agent_error", "fail", 1),
                ("completed", "pass", 1),
                ("grader_error", None, 1),
                ("interrupted", None, 1),
                ("missing", None, 14),
            ],
        ),
        (
            "killed-resumed",
            [
                ("agent_error", "fail", 3),
                ("agent_timeout", "fail", 3),
                ("completed", "fail", 2),
                ("completed", "pass", 7),
                ("grader_error", None, 3),
            ],
        ),
    ],
)
def test_real_jobs(
    shared: Path, read_source: ReadSource, name: str, wanted: list[tuple[str, str | None, int]]
) -> None:
    """Real jobs: outcomes, and what Harbor itself counts and averages."""
    table = read_source(SOURCE, shared / "samples/harbor/jobs" / name)
    assert outcomes(table) == wanted
    assert table.notes("dropped") == table.notes("unknown") == {}
    expected = json.loads((shared / "samples/harbor/expected.json").read_bytes())
    job_wide = expected[f"jobs/{name}/result.json"]
    assert table.frame.height == table.log.rows_read == job_wide["n_total"]
    ended = table.frame.filter(~pl.col("outcome").is_in(["missing", "interrupted"]))
    assert ended.height == job_wide["completed"]
    assert ended["reason"].count() == job_wide["errored"]
    if name != "killed-resumed":
        assert ended["cost_usd"].sum() == pytest.approx(job_wide["cost_usd"])
        assert ended["attempts"].sum() - ended.height == job_wide["retries"]
    (numbers,) = job_wide["evals"].values()
    counted = ended.filter(pl.col("outcome") != "grader_error")
    assert counted.height == numbers["n_trials"]
    (metrics,) = numbers["metrics"]
    mean = metrics.get("mean", metrics.get("reward"))
    assert counted["official_score"].fill_null(0).mean() == pytest.approx(mean)
    stated = {one.name: one.value for one in SOURCE.stated(shared / "samples/harbor/jobs" / name)}
    assert stated["mean reward"] == mean
    assert stated["trials with an exception"] == numbers["n_errors"]
    assert {key: value for key, value in stated.items() if key.startswith("pass@")} == {
        f"pass@{k}": value for k, value in numbers["pass_at_k"].items()
    }


def test_real_trials(shared: Path, read_source: ReadSource) -> None:
    """Each real trial: rewards, whether they count, exceptions, tokens and cost, as Harbor's own reader has them."""
    folder = shared / "samples/harbor"
    expected = json.loads((folder / "expected.json").read_bytes())
    rows = {row["source_ref"]: row for row in read_source(SOURCE, folder).frame.iter_rows(named=True)}
    trials = {name: wanted for name, wanted in expected.items() if "rewards" in wanted}
    assert len(trials) == 32
    for name, wanted in trials.items():
        row = rows[name]
        assert (row["task"], row["trial"]) == (wanted["task"], wanted["trial"])
        read, cached, written, cost = wanted["tokens_in_cache_out_cost"]
        assert (row["input_tokens"] + row["cached_tokens"], row["cached_tokens"]) == (read, cached)
        assert (row["output_tokens"], row["cost_usd"]) == (written, pytest.approx(cost))
        assert [word for word in wanted["exceptions"] if word in (row["reason"] or "")] == wanted[
            "exceptions"
        ]
        rewards = wanted["rewards"] or {}
        if wanted["reward_valid"]:
            assert row["official_score"] == rewards.get("reward")
            assert (row["verdict"] == "pass") == (rewards.get("reward", rewards.get("gate", 0)) >= 1)
        else:
            assert (row["verdict"], row["official_score"]) == (None, 0.0)


def test_real_tree(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """All samples at once: a job before and after it was resumed is one; every trajectory becomes a trace."""
    table = read_source(SOURCE, shared / "samples/harbor")
    assert (table.log.rows_read, table.frame.height) == (52, 51)
    assert table.notes("dropped") == {"interrupted, and run again under another name": 1}
    assert table.notes("unknown") == {}
    assert "missing" not in set(table.frame["outcome"])
    frame = table.frame.filter(pl.col("suite") == "tasks")
    assert frame.select("agent", "agent_digest").n_unique() == 1
    assert frame.group_by("job").len()["len"].to_list() == [18, 18]
    assert frame.group_by("task").agg(pl.col("task_digest").n_unique())["task_digest"].to_list() == [1] * 6
    traces = traces_of(SOURCE, shared / "samples/harbor")
    assert len(traces) == 28
    for trace in traces:
        kinds = [event.kind for event in trace]
        assert (kinds[0], kinds[-1]) == ("trial_start", "trial_end")
        caused = [
            event
            for event in trace
            if event.kind in {"action", "observation"} and "from" not in event.payload
        ]
        assert all((event.seq if event.cause is None else event.cause) < event.seq for event in caused)


def test_real_documents(shared: Path, read_source: ReadSource) -> None:
    """Trajectories of two agents: four trials, one part of another, tokens and dollars as they state them."""
    table = read_source(SOURCE, shared / "samples/harbor_atif")
    assert (table.log.rows_read, table.frame.height) == (5, 4)
    assert table.notes("dropped") == {"part of another trajectory": 1}
    assert table.rows("agent", "steps", "tool_calls", "input_tokens", "output_tokens") == [
        ("openhands", 2, 2, 220, 80),
        ("openai/gpt-4o (terminus-2)", 7, 7, 7802, 1030),
        ("openai/gpt-4o (terminus-2)", 4, 3, 2417, 200),
        ("openai/gpt-4o (terminus-2)", 3, 3, 982, 145),
    ]
    assert SOURCE.sniff(shared / "samples/harbor_atif/rfc_examples") is None


def test_published_counts(shared: Path, tmp_path: Path, read_source: ReadSource) -> None:
    """A leaderboard's submission to Terminal-Bench 2: the mean reward over all planned trials is its published rate."""
    path = shared / "data/terminal_bench_2"
    if not path.is_dir():
        pytest.skip(f"../shared is absent: {path}")
    name = "factory_droid_gpt-5_2_at_openai"
    cells = pl.read_parquet(path / "task_counts.parquet").filter(pl.col("submission").cast(pl.String) == name)
    for cell in cells.iter_rows(named=True):
        for number in range(cell["trials"]):
            called = f"{cell['task']}__{number}"
            reward = float(number < cell["successes"])
            lost = reward == 0 and number == cell["trials"] - 1
            failure = raised("ApiRateLimitError") if lost else None
            record = result(cell["task"], called, None if lost else reward, exception_info=failure)
            trial(tmp_path, record, called)
    frame = read_source(SOURCE, tmp_path).frame
    published = pl.read_csv(path / "submissions.csv").row(
        by_predicate=pl.col("submission") == name, named=True
    )
    assert frame.height == published["trials"]
    assert frame["official_score"].mean() == pytest.approx(published["trial_pass_rate"], abs=5e-6)
    assert frame["verdict"].null_count() > 0
