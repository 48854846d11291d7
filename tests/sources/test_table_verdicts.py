"""Second verdicts that stand in a table of their own, and counts of passes by two verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from measurand.errors import FormatError, InputError, MappingError, UsageError, ValueRangeError
from measurand.load import add_verdicts, read, read_verdict_counts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from measurand.model.table import Trials

FIRST = "agent,task,trial,passed,verdict:lax\nada,007,1,1,1\nada,8,1,1,\nbob,007,1,0,\nbob,8,1,1,0\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def text(content: str, name: str = "second.csv") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return text


@pytest.fixture
def trials(write: Callable[..., Path]) -> Trials:
    return read(write(FIRST, "first.csv"))


def verdicts(trials: Trials) -> dict[tuple[str, str], dict[str, bool]]:
    return {
        (agent, task): {entry["name"]: entry["passed"] for entry in found or []}
        for agent, task, found in trials.frame.select("agent", "task", "verdicts").iter_rows()
    }


def test_verdicts_find_their_trials(trials: Trials, write: Callable[..., Path]) -> None:
    """A verdict is added beside those there are; trials without a row stay as they are."""
    found = add_verdicts(trials, "strict", write("instance_id,submission,resolved\n007,ada,0\n8,bob,1\n"))
    assert verdicts(found) == {
        ("ada", "007"): {"lax": True, "strict": False},
        ("ada", "8"): {},
        ("bob", "007"): {},
        ("bob", "8"): {"lax": False, "strict": True},
    }
    assert verdicts(trials)["ada", "007"] == {"lax": True}
    assert [entry["name"] for entry in found.frame["verdicts"][0]] == ["lax", "strict"]
    assert found.frame.schema == trials.frame.schema


def test_what_did_not_match_is_told(trials: Trials, write: Callable[..., Path]) -> None:
    """Rows of unknown trials are counted with their places, and rows without a verdict are noted."""
    content = "agent,task,passed\nada,007,1\nzoe,007,1\nada,99,0\nbob,8,\n"
    report = add_verdicts(trials, "strict", write(content)).reports[-1]
    notes = {note.what: (note.kind, note.count, note.examples) for note in report.notes}
    assert notes["a verdict 'strict' on a trial that is not here"] == (
        "dropped",
        2,
        ("second.csv:3", "second.csv:4"),
    )
    assert notes["without a second verdict: not re-checked"] == ("note", 1, ("second.csv:5",))
    assert (report.rows_read, report.rows_kept, report.partial) == (4, 1, True)


def test_frames_and_other_columns_will_do(trials: Trials) -> None:
    """A data frame of any library, with columns named by the user."""
    frame = pd.DataFrame({"who": ["ada"], "what": ["007"], "ok": [True]})
    mapping = {"agent": "who", "task": "what", "verdict": "ok"}
    assert verdicts(add_verdicts(trials, "strict", frame, mapping=mapping))["ada", "007"]["strict"] is True


def test_trials_of_a_task_are_told_apart(write: Callable[..., Path]) -> None:
    """With a trial column each trial has its own; without one it is not guessed which is meant."""
    trials = read(write("agent,task,trial,passed\na,t,1,1\na,t,2,1\n", "first.csv"))
    found = add_verdicts(trials, "s", write("agent,task,trial,passed\na,t,2,0\n"))
    assert found.frame["verdicts"].to_list() == [None, [{"name": "s", "passed": False}]]
    with pytest.raises(
        ValueRangeError, match=r"second\.csv:2: a, t is the name of several trials; a column trial"
    ):
        add_verdicts(trials, "s", write("agent,task,passed\na,t,0\n"))


def test_repeated_rows_must_agree(trials: Trials, write: Callable[..., Path]) -> None:
    """Two equal rows are one; two that differ are refused with their place."""
    same = add_verdicts(trials, "s", write("agent,task,passed\nada,007,1\nada,007,1\n"))
    assert len(same) == len(trials)
    with pytest.raises(ValueRangeError, match="disagree"):
        add_verdicts(trials, "s", write("agent,task,passed\nada,007,1\nada,007,0\n"))


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("agent,task,passed\nADA,007,1\n", InputError),
        ("agent,task,passed\nada,007,\n", InputError),
        ("agent,task,passed\nada,007,maybe\n", ValueRangeError),
        ("agent,task,cost\nada,007,1\n", MappingError),
        ("agent,passed\nada,1\n", MappingError),
        ("agent,task,passed\n", FormatError),
    ],
)
def test_tables_of_no_use_are_refused(
    trials: Trials, write: Callable[..., Path], content: str, error: type[Exception]
) -> None:
    """Names that fit no trial, no verdict at all, words that are none, and columns that lack."""
    with pytest.raises(error):
        add_verdicts(trials, "strict", write(content))


def test_names_are_new_and_files_are_tables(trials: Trials, write: Callable[..., Path]) -> None:
    """A name that trials have already, the gate's own, and a file of another kind are refused."""
    path = write("agent,task,passed\nada,007,1\n")
    for name in ("lax", "gate"):
        with pytest.raises(UsageError, match="already"):
            add_verdicts(trials, name, path)
    with pytest.raises(FormatError, match="a table ends in"):
        add_verdicts(trials, "strict", write("x", "x.txt"))


def test_counts_are_read_by_their_usual_names(write: Callable[..., Path]) -> None:
    """Columns may be named as other tools name them; passes are all checked, and tasks those the user says."""
    rows = read_verdict_counts(
        write("submission,Official_Passes,strengthened_passes\nx,9,7\ny,8,8\n"), tasks=12
    )
    assert [(row.agent, row.tasks, row.first, row.checked, row.second) for row in rows] == [
        ("x", 12, 9, 9, 7),
        ("y", 12, 8, 8, 8),
    ]


def test_counts_of_a_frame_with_a_mapping() -> None:
    """Any frame will do; tasks and checked passes may have columns."""
    frame = pl.DataFrame({"m": ["x"], "a": [9.0], "b": [3], "n_tasks": [20], "c": [5]})
    mapping = {"agent": "m", "first": "a", "second": "b", "checked": "c"}
    (row,) = read_verdict_counts(frame, mapping=mapping, tasks=99)
    assert (row.tasks, row.first, row.checked, row.second) == (20, 9, 5, 3)


@pytest.mark.parametrize(
    ("content", "more", "error", "match"),
    [
        ("agent,first\nx,1\n", {}, MappingError, "'second'"),
        (
            "agent,first,second\nx,1,2\n",
            {},
            ValueRangeError,
            "second.csv:2: 1 first passes, 1 of them checked, 2",
        ),
        ("agent,first,second\nx,9,2\n", {"tasks": 5}, ValueRangeError, "of 5 tasks"),
        ("agent,first,second\nx,1,0.5\n", {}, ValueRangeError, "not a whole number"),
        ("agent,first,second\nx,many,1\n", {}, ValueRangeError, "not a whole number"),
        ("agent,first,second\nx,1,\n", {}, ValueRangeError, "no count"),
        (
            "agent,first,second\nx,1,1\nx,1,1\n",
            {},
            ValueRangeError,
            "second.csv:3: agent 'x' has a row already",
        ),
        ("agent,first,second\n,1,1\n", {}, ValueRangeError, "agent is empty"),
        ("agent,first,second\n", {}, FormatError, "no rows"),
        ("agent,first,second\nx,1,1\n", {"mapping": {"fist": "first"}}, MappingError, "did you mean 'first'"),
        ("agent,first,second\nx,1,1\n", {"mapping": {"first": "fist"}}, MappingError, "no column 'fist'"),
    ],
)
def test_counts_that_cannot_be_are_refused(
    write: Callable[..., Path], content: str, more: dict[str, Any], error: type[Exception], match: str
) -> None:
    """Each broken table is refused with its row."""
    with pytest.raises(error, match=match):
        read_verdict_counts(write(content), **more)
