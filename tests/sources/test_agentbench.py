"""Outputs of AgentBench's harness."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.model.trace import flaw
from measurand.sources.agentbench.sets import environment_of
from measurand.sources.agentbench.source import AgentbenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives, TracesOf

SOURCE = AgentbenchSource()
HISTORY = [
    {"role": "user", "content": "count the files"},
    {"role": "agent", "content": "Act: bash"},
    {"role": "user", "content": "220"},
    {"role": "agent", "content": "Act: answer(220)"},
]


def line(index: Any = 0, status: str = "completed", result: Any = None, **changes: Any) -> dict[str, Any]:
    output = {"index": index, "status": status, "result": result, "history": HISTORY}
    time = {"timestamp": 1737138819748, "str": "2025-01-17 10:33:39"}
    return {"index": index, "error": None, "info": None, "output": output, "time": time} | changes


def failure(index: Any, error: str, info: str = "") -> dict[str, Any]:
    return line(index, error=error, info=info, output=None)


def write(folder: Path, name: str, *records: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(one) + "\n" for one in records))
    return folder


def overall(folder: Path, custom: Any, total: int = 1) -> None:
    (folder / "overall.json").write_text(json.dumps({"total": total, "validation": {}, "custom": custom}))


def test_fields_of_a_sample(tmp_path: Path, read_source: ReadSource) -> None:
    """The folders name agent and task set; a set that is none of the eight environments is a suite of its own."""
    folder = write(tmp_path / "kite/medagentbench-std", "runs.jsonl", line(7, result="[1]"))
    overall(folder, {"accuracy": 1.0, "raw_results": [{"index": 7, "status": "completedCorrect"}]})
    row = read_source(SOURCE, tmp_path).frame.row(0, named=True)
    wanted = {
        "suite": "medagentbench",
        "suite_version": "std",
        "task": "7",
        "family": None,
        "agent": "kite",
        "job": None,
        "trial": "1",
        "outcome": "completed",
        "verdict": "pass",
        "official_score": None,
        "steps": 2,
        "attempts": 1,
        "finished_at": dt.datetime(2025, 1, 17, 18, 33, 39, 748000, tzinfo=dt.UTC),
        "harness": "agentbench",
        "source_ref": "kite/medagentbench-std/runs.jsonl:1",
    }
    assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("status", "judged", "ended"),
    [
        ("completed", "completedIncorrect", ("completed", "fail", None)),
        ("completed", None, ("completed", None, "not graded in these files")),
        ("agent context limit", "completedCorrect", ("limit", "pass", "agent context limit")),
        (
            "agent validation failed",
            "completedCorrect",
            ("invalid_output", "fail", "agent validation failed"),
        ),
        ("agent invalid action", "agent invalid action", ("agent_error", "fail", "agent invalid action")),
        ("task limit reached", None, ("limit", "fail", "task limit reached")),
        ("unknown", None, ("infra_error", None, "unknown")),
        ("task error", "completedCorrect", ("infra_error", None, "task error")),
        ("running", None, ("interrupted", None, "running")),
        ("gone", None, ("infra_error", None, "gone")),
    ],
)
def test_statuses(
    tmp_path: Path, read_source: ReadSource, status: str, judged: str | None, ended: tuple[Any, ...]
) -> None:
    """The status says what ended a sample; the verdict is in the overall results, by index, in any order."""
    folder = write(tmp_path / "kite/med", "runs.jsonl", line(1, status))
    listed = [{"index": 2, "status": "completedCorrect"}, {"index": 1, "status": judged}]
    overall(folder, {"raw_results": listed if judged else []})
    assert read_source(SOURCE, tmp_path).rows("outcome", "verdict", "reason") == [ended]


GAME = {"meta": {"a": {"win_round": 1, "test_times": 2, "damage": 800}}}


@pytest.mark.parametrize(
    ("task_set", "result", "wanted"),
    [
        ("os-std", {"result": True}, ("pass", 1.0, None)),
        ("os-std", {"result": False}, ("fail", 0.0, None)),
        ("alfworld-std", {"result": 1, "log": [1, 2, 3]}, ("pass", 1.0, 3)),
        ("ws-std", {"reward": 0.5, "history": [1]}, ("fail", 0.5, 1)),
        ("webshop-std", {"reward": 1.0}, ("pass", 1.0, None)),
        ("ltp-std", {"progress": 0.75, "accuracy": 0}, ("fail", 0.75, None)),
        ("cg-std", GAME, ("fail", 0.5, None)),
        ("kg-std", {"predict": ["x"]}, (None, None, None)),
        ("dbbench-std", {"answer": "x"}, (None, None, None)),
        ("m2w-std", {"final_prediction": ["a", "b"]}, (None, None, None)),
        ("os-std", None, (None, None, None)),
    ],
)
def test_environments(
    tmp_path: Path,
    read_source: ReadSource,
    task_set: str,
    result: Any,
    wanted: tuple[str | None, float | None, int | None],
) -> None:
    """Each environment says in its own way how well a sample went; three leave it to the grader."""
    verdict, share, steps = wanted
    write(tmp_path / "kite" / task_set, "runs.jsonl", line(3, result=result))
    row = read_source(SOURCE, tmp_path).frame.row(0, named=True)
    environment = environment_of(task_set)
    assert environment is not None
    assert (row["suite"], row["family"]) == ("agentbench", environment.name)
    assert (row["task"], row["verdict"], row["steps"]) == (f"{environment.name}/3", verdict, steps)
    official = None if share is None else environment.official_score(share, "std")
    assert row["official_score"] == pytest.approx(official)


def test_overall_score_of_the_paper() -> None:
    """The parts of samples add up to AgentBench's overall score: GPT-4's published shares give its published 4.01."""
    published = {
        "os": 42.4,
        "dbbench": 32.0,
        "kg": 58.8,
        "card_game": 74.5,
        "ltp": 16.6,
        "alfworld": 78.0,
        "webshop": 61.1,
        "m2w": 29.0,
    }
    total = samples = 0.0
    for name, percent in published.items():
        environment = environment_of(name)
        assert environment is not None
        part = environment.official_score(percent / 100, "std")
        assert part is not None
        total += part * environment.sizes["std"]
        samples += environment.sizes["std"]
        assert environment.official_score(0.5, None) is None
    assert samples == 1014
    assert total / samples == pytest.approx(4.01, abs=0.005)


def test_what_agentbench_counts_is_kept(tmp_path: Path, read_source: ReadSource) -> None:
    """AgentBench counts a sample whose container broke as failed; here it is no verdict, and its count stays beside."""
    write(tmp_path / "kite/os-std", "runs.jsonl", line(1, "unknown", {"result": False}))
    row = read_source(SOURCE, tmp_path).frame.row(0, named=True)
    assert (row["outcome"], row["verdict"], row["official_score"]) == ("infra_error", None, 0.0)
    assert row["verdicts"] == [{"name": "official", "passed": False}]


def test_failed_starts_are_attempts(tmp_path: Path, read_source: ReadSource) -> None:
    """Starts that failed count as attempts of the sample; one that never succeeded is a trial by its last error."""
    folder = write(tmp_path / "kite/os-std", "runs.jsonl", line(1, result={"result": True}))
    failures = [
        failure(1, "NETWORK_ERROR"),
        failure(2, "START_FAILED", "no worker"),
        failure(3, "AGENT_FAILED", "Error code: 429 rate limit"),
        failure(3, "AGENT_FAILED", "maximum context length"),
        failure(None, "x"),
    ]
    write(folder, "error.jsonl", *failures)
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "outcome", "verdict", "attempts", "reason") == [
        ("os/1", "completed", "pass", 2, None),
        ("os/2", "infra_error", None, 1, "START_FAILED: no worker"),
        ("os/3", "limit", "fail", 2, "AGENT_FAILED: maximum context length"),
    ]
    assert table.log.rows_read == 4
    assert table.notes("note") == {"start that failed: counted as an attempt": 4}


def test_sample_that_stands_twice(tmp_path: Path, read_source: ReadSource) -> None:
    """Of two records of one sample the first holds, as for the harness; the other is dropped and said."""
    records = [line(1, result={"result": True}), line(1, result={"result": False}), line(None), [1]]
    write(tmp_path / "kite/os-std", "runs.jsonl", *records)
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "verdict") == [("os/1", "pass")]
    assert table.log.rows_read == 4
    assert table.notes("dropped") == {
        "sample that stands twice: the first holds": 1,
        "line without index": 1,
        "line not an object": 1,
    }


def test_folders_above_are_the_job(tmp_path: Path, read_source: ReadSource) -> None:
    """Folders above the agent's tell runs apart; other files are noted."""
    write(tmp_path / "Jan17/kite/os-std", "runs.jsonl", line(1, result={"result": True}))
    write(tmp_path / "Jan18/kite/os-std", "runs.jsonl", line(1, result={"result": False}))
    (tmp_path / "Jan18/config.json").write_text("{}")
    table = read_source(SOURCE, tmp_path)
    assert table.rows("job", "agent", "verdict") == [("Jan17", "kite", "pass"), ("Jan18", "kite", "fail")]
    assert table.places("file that is nothing of AgentBench: not read") == ("Jan18/config.json",)


def test_a_file_stands_for_its_folder(tmp_path: Path, read_source: ReadSource) -> None:
    """Runs given by their file are judged by the overall results beside them, unless those are a link elsewhere."""
    folder = write(tmp_path / "in/kite/med", "runs.jsonl", line(1))
    overall(folder, {"raw_results": [{"index": 1, "status": "completedCorrect"}]})
    assert read_source(SOURCE, folder / "runs.jsonl").rows("verdict") == [("pass",)]
    (folder / "overall.json").rename(tmp_path / "overall.json")
    (folder / "overall.json").symlink_to(tmp_path / "overall.json")
    assert read_source(SOURCE, folder / "runs.jsonl").rows("verdict") == [(None,)]


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """The dialogue is the trace: what the agent says follows from its call, and what it is told from what it said."""
    write(tmp_path / "kite/os-std", "runs.jsonl", line(1, result={"result": True}))
    (events,) = traces_of(SOURCE, tmp_path)
    assert [(event.kind, event.cause) for event in events] == [
        ("trial_start", None),
        ("observation", None),
        ("model_call", None),
        ("decision", 2),
        ("observation", 3),
        ("model_call", None),
        ("decision", 5),
        ("trial_end", None),
    ]
    assert events[3].payload == {"text": "Act: bash"}
    assert events[-1].payload == {"outcome": "completed", "verdict": "pass"}
    assert flaw(events) is None


def test_stated_numbers(tmp_path: Path) -> None:
    """The main metric of each task set is stated, as a share."""
    customs = {
        "os-std": {"overall": {"acc": 0.25}},
        "m2w-dev": {"step_sr": 12.5},
        "medagentbench-std": {"accuracy": 0.5},
        "kg-std": {"EM": 1},
    }
    for name, custom in customs.items():
        overall(write(tmp_path / "kite" / name, "runs.jsonl", line(1)), custom)
    stated = {one.name: (one.agent, one.value, one.unit) for one in SOURCE.stated(tmp_path)}
    assert stated == {
        "os-std: overall.acc": ("kite", 0.25, "share"),
        "m2w-dev: step_sr": ("kite", 0.125, "share"),
        "medagentbench-std: accuracy": ("kite", 0.5, "share"),
    }


def test_damaged_overall_results(tmp_path: Path, read_source: ReadSource) -> None:
    """Overall results that break off leave the runs ungraded, and the log says so."""
    folder = write(tmp_path / "kite/med", "runs.jsonl", line(1))
    (folder / "overall.json").write_text('{"total": 1, "custom": {"raw_results": [')
    table = read_source(SOURCE, tmp_path)
    assert table.rows("verdict") == [(None,)]
    assert [note for note in table.notes("note") if note.startswith("overall results that cannot be read")]


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Runs are claimed at any level, other lines of that name are not."""
    write(tmp_path / "other", "runs.jsonl", {"task_id": "a", "score": 1})
    assert SOURCE.sniff(tmp_path) is None
    with pytest.raises(FormatError, match="no runs of AgentBench"):
        read_source(SOURCE, tmp_path)
    write(tmp_path / "out/kite/os-std", "runs.jsonl", line(1))
    for path in ("out", "out/kite", "out/kite/os-std", "out/kite/os-std/runs.jsonl"):
        match = SOURCE.sniff(tmp_path / path)
        assert match is not None
        assert match.confidence == 95
    with pytest.raises(UsageError, match="--map"):
        read_source(SOURCE, tmp_path, mapping={"a": "b"})


FILES = {
    "kite/os-std/runs.jsonl": b"".join(
        json.dumps(one).encode() + b"\n" for one in (line(1, result={"result": True}), line(2, "unknown"))
    ),
    "kite/os-std/error.jsonl": json.dumps(failure(2, "AGENT_FAILED", "x")).encode() + b"\n",
    "kite/med/runs.jsonl": json.dumps(line(1)).encode() + b"\n",
    "kite/med/overall.json": json.dumps(
        {"total": 1, "custom": {"accuracy": 1, "raw_results": [{"index": 1, "status": "completedCorrect"}]}}
    ).encode(),
    "kite/cg-std/runs.jsonl": json.dumps(line(1, result=GAME)).encode() + b"\n",
}


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged, there is no traceback, and what is read adds up."""
    survives(SOURCE, FILES, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    survives(SOURCE, FILES, data)


def test_published_runs(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Seven cut runs of MedAgentBench: four graded right, one invalid action, two not graded in the cut files."""
    folder = shared / "samples/agentbench"
    table = read_source(SOURCE, folder)
    assert table.rows("agent", "task", "outcome", "verdict") == [
        ("gpt-4o", "9", "completed", "pass"),
        ("gpt-4o", "8", "completed", "pass"),
        ("gpt-4o", "2", "completed", None),
        ("llama-3.3", "9", "completed", "pass"),
        ("llama-3.3", "8", "completed", "pass"),
        ("llama-3.3", "21", "completed", None),
        ("llama-3.3", "98", "agent_error", "fail"),
    ]
    assert {(one.agent, one.value) for one in SOURCE.stated(folder)} == {
        ("gpt-4o", 0.61),
        ("llama-3.3", 0.48),
    }
    tidy = pl.read_csv(shared / "data/agentbench/medagentbench_runs.csv", infer_schema_length=None)
    known = tidy.with_columns(pl.col("task").cast(pl.String))
    both = table.frame.join(known, on=["agent", "task"], suffix="_tidy")
    assert both.height == 7
    assert (both["steps"] == both["agent_steps"]).all()
    traces = traces_of(SOURCE, folder)
    assert [len(events) for events in traces] == [8] * 7
    assert all(flaw(events) is None for events in traces)
