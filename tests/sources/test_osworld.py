"""OSWorld's folders of results."""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.model.trace import flaw
from measurand.sources.osworld.source import OsworldSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives, TracesOf

SOURCE = OsworldSource()
MODEL = "pyautogui/screenshot/kite"


def step(
    number: int, action: Any = "pyautogui.click(1, 2)", *, done: bool = False, **more: Any
) -> dict[str, Any]:
    stamp = f"20251030@0709{20 + number}"
    return {
        "step_num": number,
        "action_timestamp": stamp,
        "action": action,
        "response": f"I act, {number}.",
        "reward": 0,
        "done": done,
        "info": {},
        "screenshot_file": f"step_{number}_{stamp}.png",
    } | more


STEPS = [step(1), step(2), step(3, "DONE", done=True)]


def lines(*steps: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in steps)


def trial(
    root: Path, name: str = "chrome/t1", result: str | None = "1.0\n", steps: Any = STEPS, model: str = MODEL
) -> Path:
    folder = root / model / name
    folder.mkdir(parents=True)
    if result is not None:
        (folder / "result.txt").write_text(result)
    if steps is not None:
        (folder / "traj.jsonl").write_bytes(lines(*steps))
    return folder


def test_fields_of_a_trial(tmp_path: Path, read_source: ReadSource) -> None:
    """Folders name settings, model, domain and task; the result is the quantity, the steps are counted."""
    trial(tmp_path)
    row = read_source(SOURCE, tmp_path).frame.row(0, named=True)
    wanted = {
        "suite": "osworld",
        "task": "t1",
        "family": "chrome",
        "agent": "kite (pyautogui, screenshot)",
        "model_requested": "kite",
        "trial": "1",
        "job": None,
        "outcome": "completed",
        "verdict": "pass",
        "official_score": 1.0,
        "quantity": 1.0,
        "kind": "interval",
        "baseline": 0.0,
        "reference": 1.0,
        "steps": 3,
        "tool_calls": 2,
        "started_at": dt.datetime(2025, 10, 30, 7, 9, 21, tzinfo=dt.UTC),
        "finished_at": dt.datetime(2025, 10, 30, 7, 9, 23, tzinfo=dt.UTC),
        "source_ref": "pyautogui/screenshot/kite/chrome/t1",
    }
    assert {name: row[name] for name in wanted} == wanted


TIMEOUT = {"Error": "Time limit exceeded in chrome/t1"}


@pytest.mark.parametrize(
    ("result", "steps", "ended"),
    [
        ("0.0", STEPS, ("completed", "fail", None, 0.0)),
        ("0.35\n", STEPS, ("completed", "fail", None, 0.35)),
        ("True", STEPS, ("completed", "pass", None, 1.0)),
        ("1.0", [step(1), step(2, "FAIL")], ("completed", "pass", None, 1.0)),
        ("0.0", [step(1)], ("limit", "fail", "not ended by the agent: the limit of steps", 0.0)),
        ("1.0", [step(1)], ("limit", "pass", "not ended by the agent: the limit of steps", 1.0)),
        ("0.0", [TIMEOUT], ("agent_timeout", "fail", TIMEOUT["Error"], 0.0)),
        (None, [step(1), TIMEOUT], ("agent_timeout", "fail", TIMEOUT["Error"], None)),
        (
            "0.0",
            [step(1), {"Error": "chrome/t1 - VM lost"}],
            ("infra_error", None, "chrome/t1 - VM lost", 0.0),
        ),
        (None, STEPS, ("interrupted", None, "no result.txt", None)),
        ("", STEPS, ("grader_error", None, "result.txt holds no score", None)),
        ("nan", STEPS, ("grader_error", None, "result.txt holds no score", None)),
        ("1.5", STEPS, ("grader_error", None, "result.txt holds no score", None)),
        ("1.0", None, ("completed", "pass", None, 1.0)),
    ],
)
def test_how_a_trial_ended(
    tmp_path: Path, read_source: ReadSource, result: str | None, steps: Any, ended: tuple[Any, ...]
) -> None:
    """A result, the last step and what the harness wrote say how a trial ended; a fraction is no pass."""
    trial(tmp_path, result=result, steps=steps)
    table = read_source(SOURCE, tmp_path)
    assert table.rows("outcome", "verdict", "reason", "official_score") == [ended]


def test_fractions_and_denominators(tmp_path: Path, read_source: ReadSource) -> None:
    """The official number is the mean of fractional scores; agents that tried different tasks are told."""
    trial(tmp_path, "chrome/t1", "0.5")
    trial(tmp_path, "gimp/t2", "1")
    trial(tmp_path, "chrome/t1", "1", model="pyautogui/screenshot/lark")
    table = read_source(SOURCE, tmp_path)
    means = table.frame.group_by("agent").agg(pl.col("official_score").mean()).sort("agent")
    assert means["official_score"].to_list() == [0.75, 1.0]
    (sizes,) = table.places("agents with different numbers of tasks: compare them on tasks that all tried")
    assert sizes == "kite (pyautogui, screenshot): 2, lark (pyautogui, screenshot): 1"


def test_list_of_tasks(tmp_path: Path, read_source: ReadSource) -> None:
    """With a list of tasks, others are dropped, and a listed one without a folder counts as failed."""
    trial(tmp_path, "chrome/t1")
    trial(tmp_path, "multi_apps/t2")
    (tmp_path / "tasks.txt").write_text("t1\nt9\n")
    table = read_source(SOURCE, tmp_path, tasks=tmp_path / "tasks.txt")
    assert table.frame["task"].to_list() == ["t1"]
    assert table.notes("dropped") == {"task that is not in the list of tasks": 1}
    assert (table.log.declarations[0].tasks, table.log.declarations[0].absent_is_fail) == (2, True)


def test_folders_above_are_the_job(tmp_path: Path, read_source: ReadSource) -> None:
    """The same agent in two folders of results ran two jobs; its settings make it another agent."""
    trial(tmp_path / "run1")
    trial(tmp_path / "run2", result="0")
    trial(tmp_path / "run1", model="computer_13/screenshot/kite")
    table = read_source(SOURCE, tmp_path)
    assert sorted(table.rows("job", "agent", "verdict")) == [
        ("run1", "kite (computer_13, screenshot)", "pass"),
        ("run1", "kite (pyautogui, screenshot)", "pass"),
        ("run2", "kite (pyautogui, screenshot)", "fail"),
    ]
    assert table.frame["agent_digest"].n_unique() == 2


@pytest.mark.parametrize(
    "start",
    ["", "pyautogui", MODEL, f"{MODEL}/chrome", f"{MODEL}/chrome/t1", f"{MODEL}/chrome/t1/traj.jsonl"],
)
def test_any_level_of_the_tree(tmp_path: Path, read_source: ReadSource, start: str) -> None:
    """The tree may be given at any level, down to the file of a trial."""
    trial(tmp_path)
    match = SOURCE.sniff(tmp_path / start)
    assert match is not None
    assert match.confidence == 93
    table = read_source(SOURCE, tmp_path / start)
    assert table.rows("agent", "task", "verdict") == [("kite (pyautogui, screenshot)", "t1", "pass")]


def test_steps_with_several_actions(tmp_path: Path, read_source: ReadSource) -> None:
    """Several actions of one answer are one step; microseconds, objects and clocks that go back are taken as they are."""
    many = [
        step(1),
        step(1, "pyautogui.write('x')"),
        step(2, {"type": "click"}, action_timestamp="20251030@070900123456"),
    ]
    trial(tmp_path, steps=[*many, step(3, "DONE", done=True, action_timestamp="gone")])
    table = read_source(SOURCE, tmp_path)
    assert table.rows("steps", "tool_calls", "started_at", "finished_at") == [(3, 3, None, None)]
    assert table.notes("unknown") == {"the last action is earlier than the first": 1}


def test_damaged_lines_of_steps(tmp_path: Path, read_source: ReadSource) -> None:
    """Lines that cannot be read are told; what the others say is used."""
    folder = trial(tmp_path)
    (folder / "traj.jsonl").write_bytes(lines(*STEPS) + b'{"step_num": 4, "act')
    table = read_source(SOURCE, tmp_path)
    assert table.rows("steps", "outcome") == [(3, "completed")]
    assert table.notes("note") == {"lines of traj.jsonl that cannot be read": 1}


def test_trace(tmp_path: Path, traces_of: TracesOf) -> None:
    """What the agent said is a decision, its actions follow from it, and what came of them from the actions."""
    several = [
        step(1, response=["a", 1]),
        step(1, "pyautogui.write('x')", response=["a", 1]),
        TIMEOUT,
        {"initial_state": "i.png"},
    ]
    trial(tmp_path, result="0", steps=several)
    (events,) = traces_of(SOURCE, tmp_path)
    assert [(event.kind, event.cause) for event in events] == [
        ("trial_start", None),
        ("decision", None),
        ("action", 1),
        ("observation", 2),
        ("action", 1),
        ("observation", 4),
        ("error", None),
        ("note", None),
        ("trial_end", None),
    ]
    assert events[1].payload == {"text": '["a", 1]', "step": "1"}
    assert events[2].payload["id"] == events[3].payload["action"]
    assert events[5].payload["screenshot_file"] == "step_1_20251030@070921.png"
    assert events[2].t == dt.datetime(2025, 10, 30, 7, 9, 21, tzinfo=dt.UTC)
    assert flaw(events) is None


def test_names_that_are_no_text(tmp_path: Path, read_source: ReadSource) -> None:
    """A folder whose name is not UTF-8 is an agent with escapes in its name."""
    try:
        trial(tmp_path, model=os.fsdecode(b"pyautogui/screenshot/kite\xff"))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    table = read_source(SOURCE, tmp_path)
    assert table.rows("agent", "source_ref") == [
        ("kite\\udcff (pyautogui, screenshot)", "pyautogui/screenshot/kite\\udcff/chrome/t1")
    ]


def test_links_out_of_the_tree(tmp_path: Path, read_source: ReadSource) -> None:
    """Folders and files behind links that leave the tree are not read."""
    trial(tmp_path / "elsewhere", "chrome/secret")
    folder = trial(tmp_path / "in", result=None)
    (folder / "result.txt").symlink_to(tmp_path / "elsewhere" / MODEL / "chrome/secret/result.txt")
    (tmp_path / "in" / MODEL / "leak").symlink_to(tmp_path / "elsewhere" / MODEL / "chrome")
    table = read_source(SOURCE, tmp_path / "in")
    assert table.rows("task", "outcome") == [("t1", "interrupted")]
    assert table.notes("dropped") == {"link that leaves the folder: not followed": 2}


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Other trajectories are not claimed; an error alone is none without a result beside it."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x/traj.jsonl").write_text('{"Error": "x"}\n')
    (tmp_path / "traj.jsonl").write_text('{"role": "user"}\n')
    (tmp_path / "other.jsonl").write_bytes(lines(*STEPS))
    for path in (tmp_path, tmp_path / "x", tmp_path / "traj.jsonl", tmp_path / "other.jsonl"):
        assert SOURCE.sniff(path) is None
    with pytest.raises(FormatError, match="no results of OSWorld"):
        read_source(SOURCE, tmp_path / "other.jsonl")
    with pytest.raises(UsageError, match="--map"):
        read_source(SOURCE, tmp_path, mapping={"a": "b"})


FILES = {
    f"{MODEL}/chrome/t1/result.txt": b"0.5\n",
    f"{MODEL}/chrome/t1/traj.jsonl": lines(*STEPS),
    f"{MODEL}/chrome/t2/result.txt": b"0.0\n",
    f"{MODEL}/chrome/t2/traj.jsonl": lines(step(1), TIMEOUT),
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


def test_documented_layout(shared: Path, read_source: ReadSource, traces_of: TracesOf) -> None:
    """Two trials in the documented layout: one passed in three steps, one ran out of time."""
    folder = shared / "samples/osworld"
    table = read_source(SOURCE, folder)
    assert table.rows("outcome", "verdict", "official_score", "steps", "tool_calls") == [
        ("completed", "pass", 1.0, 3, 2),
        ("agent_timeout", "fail", 0.0, 0, 0),
    ]
    traces = traces_of(SOURCE, folder)
    assert [len(events) for events in traces] == [11, 3]
    assert all(flaw(events) is None for events in traces)
