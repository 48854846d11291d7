"""Real logs of Inspect AI agree with what its own reader makes of them."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from measurand.errors import ConflictError
from measurand.model.merge import merge_trials
from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome
from measurand.sources.inspect_logs.scores import number
from measurand.sources.inspect_logs.source import InspectSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read
    from tests.sources.inspect_logs.conftest import Traces

    from measurand.model.trace import Event

LOGS = (
    "approvals.eval",
    "crashed_no_header.eval",
    "crashed_recovered.eval",
    "errors_and_nonfinite.eval",
    "errors_and_nonfinite.json",
    "eval_set/2026-11-30T18-41-21-00-00_toy-quantities_JJqM3g68aHL6CV3GfomCCP.eval",
    "eval_set/2026-11-30T18-41-21-00-00_toy-quantities_VHfWKqDeB7rBomGpUXuWBT.eval",
    "external_command.eval",
    "failed_eval.eval",
    "human_approvals.eval",
    "limit_cost.eval",
    "limit_message.eval",
    "limit_time.eval",
    "limit_token.eval",
    "limit_turn.eval",
    "limit_working.eval",
    "scorer_crash.eval",
    "shell_agent.eval",
    "shell_agent_edited.eval",
    "sums_epochs.eval",
    "third_party/2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval",
    "third_party/log_formats.eval",
    "third_party/log_message_deduplication.eval",
)
TOKENS = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens")


@pytest.fixture
def folder(shared: Path) -> Path:
    return shared / "samples/inspect"


@pytest.fixture
def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "expected.json").read_text())
    return found


def test_every_log_is_compared(expected: dict[str, Any]) -> None:
    """All logs that Inspect's reader can read are in the list, the chunked one apart."""
    assert {*expected} == {*LOGS, "experimental_chunked/shell_agent_chunked.eval"}


@pytest.mark.parametrize("name", LOGS)
def test_numbers_of_each_sample(
    name: str, folder: Path, expected: dict[str, Any], read_inspect: Read
) -> None:
    """Ids, attempts, tokens, cost, turns and times of every sample are those that Inspect's reader gives."""
    table = read_inspect(folder / name)
    wanted = {(str(one["id"]), str(one["epoch"])): one for one in expected[name]["samples"]}
    rows = {(row["task"], row["trial"]): row for row in table.frame.iter_rows(named=True)}
    assert rows.keys() == wanted.keys()
    assert table.log.rows_read == len(rows)
    for key, row in rows.items():
        one = wanted[key]
        assert (row["suite"], row["agent"]) == (expected[name]["task"], expected[name]["model"])
        assert row["attempts"] in {None, 1 + one["retries"]}
        assert sum(row[token] or 0 for token in TOKENS) + (row["total_tokens"] or 0) == one["tokens"]
        assert row["cost_usd"] == (pytest.approx(one["cost"]) if one["cost"] else None)
        if one["turns"]:
            assert row["steps"] == one["turns"]
        assert (row["wall_s"], row["working_s"]) == (one["total_time"], one["working_time"])


@pytest.mark.parametrize("name", LOGS)
def test_scores_and_ends_of_each_sample(
    name: str, folder: Path, expected: dict[str, Any], read_inspect: Read
) -> None:
    """Scores, errors, limits and invalidation of every sample show in official score, outcome and verdict."""
    rows = {
        (row["task"], row["trial"]): row for row in read_inspect(folder / name).frame.iter_rows(named=True)
    }
    for one in expected[name]["samples"]:
        row = rows[str(one["id"]), str(one["epoch"])]
        value = headline(one["scores"])
        assert row["official_score"] == value
        counts = COUNTS_AS[Outcome(row["outcome"])]
        if one["invalidated"]:
            assert row["outcome"] == "cancelled"
        elif one["error"]:
            assert counts is CountsAs.NO_VERDICT
            assert row["reason"] == one["error"]
        elif one["limit"]:
            assert counts is CountsAs.FAIL_UNLESS_PASSED
        if counts is CountsAs.NO_VERDICT or value is None:
            assert row["verdict"] is None
        else:
            assert row["verdict"] == ("pass" if value >= 1 else "fail")


def headline(scores: dict[str, Any]) -> float | None:
    """The first score as a number, as the oracle writes it: non-finite ones as words."""
    value = next(iter(scores.values()), None)
    value = value["gate"] if isinstance(value, dict) else value
    return None if value in {"nan", "inf", None} else number(value)


@pytest.mark.parametrize("name", LOGS)
def test_events_of_each_sample(name: str, folder: Path, expected: dict[str, Any], traces: Traces) -> None:
    """Every event of the log has its place in the trace, and approvals keep approver, decision and tool."""
    wanted = {(str(one["id"]), str(one["epoch"])): one for one in expected[name]["samples"]}
    found = {(t[0].payload["task"], t[0].payload["trial"]): t for t in traces(folder / name)}
    assert found.keys() == wanted.keys()
    for key, trace in found.items():
        assert events_of_the_log(trace) == wanted[key]["events"]
        approvals = [event.payload for event in trace if event.kind == "approval"]
        tools = {e.payload["action"]: e.payload["tool"] for e in trace if e.kind == "approval_request"}
        told = [[a["decider"], a["word"], tools[a["action"]]] for a in approvals]
        assert told == wanted[key]["approvals"]


def events_of_the_log(trace: list[Event]) -> dict[str, int]:
    """How often each kind of event stood in the log, told from the trace alone."""
    counts = Counter(str(event.payload["what"]) for event in trace if event.kind == "note")
    counts["model"] = sum(event.kind == "model_call" for event in trace)
    counts["approval"] = sum(event.kind == "approval" for event in trace)
    counts["error"] = sum(event.kind == "error" and "attempt" not in event.payload for event in trace)
    actions = {e.payload["id"] for e in trace if e.kind == "action"}
    counts["tool"] = len(actions | {e.payload["action"] for e in trace if e.kind == "observation"})
    counts["sample_init"] = sum(event.kind == "trial_start" for event in trace)
    return dict(+counts)


@pytest.mark.parametrize("name", LOGS)
def test_tokens_of_the_trace_are_those_of_the_trial(
    name: str, folder: Path, read_inspect: Read, traces: Traces
) -> None:
    """Model calls add up to the tokens and the cost of the trial: nothing is counted twice."""
    rows = {
        (row["task"], row["trial"]): row for row in read_inspect(folder / name).frame.iter_rows(named=True)
    }
    for trace in traces(folder / name):
        row = rows[trace[0].payload["task"], trace[0].payload["trial"]]
        calls = [event.payload for event in trace if event.kind == "model_call"]
        for field in (*TOKENS, "cost_usd"):
            if row[field] is not None:
                assert math.fsum(call.get(field, 0) for call in calls) == pytest.approx(row[field])


def test_chunked_layout_is_read_as_the_whole_one(folder: Path, read_inspect: Read, traces: Traces) -> None:
    """The coming layout gives the same trials and, event by event, the same traces, which Inspect's reader does not read."""
    chunked = folder / "experimental_chunked/shell_agent_chunked.eval"
    columns = [name for name in read_inspect(chunked).frame.columns if name != "source_ref"]
    tables = [
        read_inspect(path).frame.select(columns).sort("task", "trial")
        for path in (chunked, folder / "shell_agent.eval")
    ]
    assert tables[0].equals(tables[1])
    assert {t[-1].hash for t in traces(chunked)} == {t[-1].hash for t in traces(folder / "shell_agent.eval")}


def test_json_log_is_read_as_the_zip(folder: Path, read_inspect: Read, traces: Traces) -> None:
    """The same evaluation as .eval and as .json with bare NaN gives the same traces, and merges into one."""
    zipped, plain = folder / "errors_and_nonfinite.eval", folder / "errors_and_nonfinite.json"
    assert {t[-1].hash for t in traces(zipped)} == {t[-1].hash for t in traces(plain)}
    merged = merge_trials(pl.concat([read_inspect(zipped).frame, read_inspect(plain).frame]))
    assert (merged.frame.height, merged.duplicates) == (12, 12)


def test_outcomes_of_errors(folder: Path, read_inspect: Read) -> None:
    """A crash says nothing of the agent, nor does NaN, infinity or a grader that failed; half marks fail."""
    frame = (
        read_inspect(folder / "errors_and_nonfinite.eval").frame.filter(pl.col("trial") == "1").sort("task")
    )
    assert frame.select("task", "outcome", "verdict", "reason", "attempts").rows() == [
        ("crash", "infra_error", None, "RuntimeError('environment died')", 3),
        ("fine", "completed", "fail", None, 1),
        ("flaky", "completed", "fail", None, 2),
        ("inf", "grader_error", None, "the score is not a number", 1),
        ("nan", "grader_error", None, "the score is not a number", 1),
        ("unscored", "grader_error", None, "grader_failed: judge output unparseable", 1),
    ]
    scorer = read_inspect(folder / "scorer_crash.eval").frame.sort("task")
    assert scorer["outcome"].to_list() == ["completed", "completed", "grader_error", "grader_error"]


def test_crash_and_recovery(folder: Path, read_inspect: Read) -> None:
    """What was finished before a kill is read without a header; what was recovered in flight was interrupted."""
    crashed = read_inspect(folder / "crashed_no_header.eval")
    assert crashed.frame["verdict"].to_list() == ["pass"] * 3
    assert crashed.notes()["no header: the evaluation did not come to its end"] == 1
    (declared,) = crashed.log.declarations
    assert (declared.tasks, declared.trials) == (8, 2)
    recovered = read_inspect(folder / "crashed_recovered.eval")
    assert sorted(recovered.frame["outcome"]) == ["completed"] * 3 + ["interrupted"] * 3
    merged = merge_trials(pl.concat([crashed.frame, recovered.frame]))
    assert (merged.frame.height, merged.duplicates) == (6, 3)


def test_edits_and_invalidation(folder: Path, read_inspect: Read) -> None:
    """An edited score holds, with the verdict before it kept; an invalidated trial has none; the original contradicts."""
    edited = read_inspect(folder / "shell_agent_edited.eval")
    first = edited.frame.filter((pl.col("task") == "err") & (pl.col("trial") == "1")).row(0, named=True)
    assert (first["verdict"], first["official_score"]) == ("fail", 0.0)
    assert {v["name"]: v["passed"] for v in first["verdicts"]} == {"official": False, "as_graded": True}
    gone = edited.frame.filter(pl.col("outcome") == "cancelled")
    assert gone.select("task", "trial", "reason").rows() == [
        ("slow", "1", "invalidated: container lost network (auditor@example.org)")
    ]
    original = read_inspect(folder / "shell_agent.eval").frame
    with pytest.raises(ConflictError, match="2 trials have records that disagree"):
        merge_trials(pl.concat([edited.frame, original]))


def test_waiting_for_people_is_not_working(folder: Path, read_inspect: Read) -> None:
    """Time in which a person thinks, or a queue is full, is waiting."""
    row = read_inspect(folder / "human_approvals.eval").frame.row(0, named=True)
    assert (row["wall_s"], row["working_s"], row["waiting_s"]) == (1.808, 0.521, 1.287)


def test_eval_set(folder: Path, read_inspect: Read) -> None:
    """An eval set is read as one: two models on 12 tasks in 5 epochs, the objective where the user asks for it."""
    table = read_inspect(
        folder / "eval_set",
        mapping={"quantity": "objective", "confidence": "quantity.gate"},
        constants={"better": "higher", "kind": "interval", "unit": "points"},
    )
    assert InspectSource().sniff(folder / "eval_set") is not None
    assert table.notes() == {}
    assert [(d.suite, d.tasks, d.trials) for d in table.log.declarations] == [("toy_quantities", 12, 5)]
    means = table.frame.group_by("agent").agg(
        pl.len(), pl.col("quantity").mean(), (pl.col("verdict") == "pass").mean().alias("passed")
    )
    assert means.sort("agent").rows() == [
        ("mockllm/alpha", 60, pytest.approx(1.4405333), pytest.approx(0.5833333)),
        ("mockllm/beta", 60, pytest.approx(0.83705), pytest.approx(0.4)),
    ]


def test_whole_folder(folder: Path, expected: dict[str, Any], read_inspect: Read) -> None:
    """All logs of a folder are read at once, and what is no log is said."""
    table = read_inspect(folder)
    samples = sum(len(expected[name]["samples"]) for name in LOGS) + 12
    assert table.log.rows_read == table.frame.height == samples == 249
    assert table.places("JSON file that is no log: not read") == ("expected.json",)


def test_other_sample_folder(shared: Path, read_inspect: Read) -> None:
    """Older logs, two of them twice in the folder, and generated ones with approvals."""
    table = read_inspect(shared / "samples/inspect_eval")
    assert table.log.rows_read == table.frame.height == 29
    counts = Counter(table.frame["suite"])
    assert counts == {"popularity": 16, "approvals_demo": 12, "...": 1}


def test_stated_metrics(folder: Path, expected: dict[str, Any]) -> None:
    """What a log states is told as it stands, with the reducer in its name; what is not finite is left out."""
    source = InspectSource()
    first, second, *_ = source.stated(folder / "sums_epochs.eval")
    assert (first.agent, first.name, first.unit) == ("mockllm/model", "match accuracy, mean", "share")
    assert first.value == pytest.approx(0.4666667)
    assert (second.name, second.unit) == ("match stderr, mean", "")
    assert list(source.stated(folder / "errors_and_nonfinite.eval")) == []
    assert list(source.stated(folder / "crashed_no_header.eval")) == []
    for name in LOGS:
        told = {s.name: s.value for s in source.stated(folder / name)}
        stated = [
            value
            for result in expected[name]["results"] or []
            for value in result["metrics"].values()
            if not isinstance(value, str)
        ]
        assert sorted(told.values()) == sorted(stated)


def test_stated_accuracy_is_reproduced(folder: Path, read_inspect: Read) -> None:
    """The mean over tasks of the mean over epochs of the official score is the accuracy that the log states."""
    frame = read_inspect(folder / "sums_epochs.eval").frame
    by_task = frame.group_by("task").agg(pl.col("official_score").mean())
    assert by_task["official_score"].mean() == pytest.approx(0.4666666666666666)


@pytest.mark.parametrize("name", ["inspect/README.md", "inspect/eval_set/logs.json", "hal", "harbor", "gaia"])
def test_other_things_are_not_claimed(shared: Path, name: str) -> None:
    """Files beside the logs and the samples of other formats are not ours."""
    path = shared / "samples" / name
    assert path.exists()
    assert InspectSource().sniff(path) is None
