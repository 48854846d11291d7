"""GAIA's answers, scored answers and result tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.gaia.match import quasi_exact
from measurand.sources.gaia.source import GaiaSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = GaiaSource()

TABLE = """\
# Benchmark results of GAIA

## Level 1

**Timestamp:** 2026-01-03 04:12:18 UTC
**Results:** 1/3 correct (33.33%)
**Model:** Kite 2
**Providers:** Search: a, Browser: b

| Task ID | Question | Level | Answer | Expected Answer | Correct | Steps | Duration (ms) | Tools Used |
|---------|----------|:-----:|--------|-----------------|---------|-------|---------------|------------|
| q1 | why \\| how | 1 | 17 | 17 | ✅ | 19 | 71,085 | planner, search, search |
| q2 | what | 1 | no | yes | ❌ | 1 | 5,751 | - |
| q3 | cut | 1 | x | y | ? | 0 | 1 | search |
| q4 | short row |

## Code

**Status:** Not yet run
"""


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def question(task: str, reference: str, level: int | str = 1) -> dict[str, Any]:
    return {"task_id": task, "Question": f"What is {task}?", "Level": level, "Final answer": reference}


def answer(task: str, given: Any) -> dict[str, Any]:
    return {"task_id": task, "model_answer": given, "reasoning_trace": "because"}


def test_answers_without_references(tmp_path: Path, read_source: ReadSource) -> None:
    """An answer file alone says who answered what, not whether it is right: no verdict. No answer is a fail."""
    (tmp_path / "kite.jsonl").write_bytes(lines(answer("q1", "17"), answer("q2", ""), answer("q3", None)))
    table = read_source(SOURCE, tmp_path / "kite.jsonl")
    assert table.rows("agent", "task", "family", "outcome", "verdict", "reason") == [
        ("kite", "q1", None, "completed", None, "not graded: no score, and no reference"),
        ("kite", "q2", None, "no_output", "fail", "no answer"),
        ("kite", "q3", None, "no_output", "fail", "no answer"),
    ]


def test_answers_are_graded_where_references_are(tmp_path: Path, read_source: ReadSource) -> None:
    """With the questions beside, answers are matched; levels become families, and absence counts as failed."""
    (tmp_path / "metadata.jsonl").write_bytes(
        lines(question("q1", "17"), question("q2", "a, b", "2"), question("q3", "?", 3))
    )
    (tmp_path / "kite.jsonl").write_bytes(lines(answer("q1", "$17"), answer("q2", "b, a"), answer("q3", "x")))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "family", "verdict", "reason") == [
        ("q1", "level 1", "pass", "quasi-exact match"),
        ("q2", "level 2", "fail", "quasi-exact match"),
        ("q3", "level 3", None, "not graded: no score, and no reference"),
    ]
    assert table.frame["task_digest"].null_count() == 0
    (declared,) = table.log.declarations
    assert (declared.tasks, declared.trials, declared.absent_is_fail) == (3, 1, True)


@pytest.mark.parametrize(
    ("given", "reference", "right"),
    [
        ("17", "17.0", True),
        ("$1,234%", "1234", True),
        ("seventeen", "17", False),
        ("", "17", False),
        ("Saint Petersburg!", "saint-petersburg", True),
        ("St. Petersburg", "Saint Petersburg", False),
        ("red, 2", "Red,2.0", True),
        ("red; $2", "red, 2", True),
        ("red", "red, 2", False),
        ("2, red", "red, 2", False),
        ("a-b, c", "ab, c", False),
        ("nan", "nan", False),
    ],
)
def test_quasi_exact_match(given: str, reference: str, right: bool) -> None:  # noqa: FBT001 - a table of cases
    """Numbers go by value, lists element by element with punctuation, texts by letters and digits."""
    assert quasi_exact(given, reference) is right


def test_scored_answers(tmp_path: Path, read_source: ReadSource) -> None:
    """The leaderboard's scores are official verdicts, and the level is the family."""
    records = [
        {"id": "q1", "model_answer": "17", "score": True, "level": "1"},
        {"id": "q2", "model_answer": "x", "score": False, "level": 2},
        {"id": "q3", "model_answer": "", "score": False, "level": 2},
    ]
    (tmp_path / "org_kite.jsonl").write_bytes(lines(*records))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "family", "outcome", "verdict") == [
        ("q1", "level 1", "completed", "pass"),
        ("q2", "level 2", "completed", "fail"),
        ("q3", "level 2", "no_output", "fail"),
    ]
    assert table.frame["verdicts"].to_list()[0] == [{"name": "official", "passed": True}]


def test_result_table(tmp_path: Path, read_source: ReadSource) -> None:
    """A section's model is the agent, its title the job; marks are verdicts, an unknown mark is none."""
    (tmp_path / "results.md").write_text(TABLE)
    table = read_source(SOURCE, tmp_path / "results.md")
    columns = ("agent", "job", "task", "family", "verdict", "steps", "wall_s", "tool_calls", "source_ref")
    assert table.rows(*columns) == [
        ("Kite 2", "Level 1", "q1", "level 1", "pass", 19, 71.085, 3, "results.md:12"),
        ("Kite 2", "Level 1", "q2", "level 1", "fail", 1, 5.751, 0, "results.md:13"),
        ("Kite 2", "Level 1", "q3", "level 1", None, 0, 0.001, 1, "results.md:14"),
    ]
    assert table.log.rows_read == 4
    assert table.places("row of another width than the table") == ("results.md:15",)
    stated = [(one.agent, one.name, one.value, one.where) for one in SOURCE.stated(tmp_path)]
    assert stated == [
        ("Kite 2", "correct", 1, "results.md: Level 1: Results"),
        ("Kite 2", "questions", 3, "results.md: Level 1: Results"),
    ]


def test_json_results(tmp_path: Path, read_source: ReadSource) -> None:
    """A JSON list of results is read like the lines."""
    record = {
        "taskId": "q1",
        "question": "?",
        "level": 2,
        "answer": "x",
        "expectedAnswer": "y",
        "correct": False,
        "steps": 3,
        "durationMs": 1500,
        "toolsUsed": ["search", "browser"],
    }
    (tmp_path / "run.json").write_text(json.dumps([record, 7, record | {"taskId": "q2"}]))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("agent", "task", "family", "verdict", "steps", "wall_s", "tool_calls") == [
        ("run", "q1", "level 2", "fail", 3, 1.5, 2),
        ("run", "q2", "level 2", "fail", 3, 1.5, 2),
    ]
    assert table.log.rows_read == 3


def test_damaged_lines_are_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """Lines without a question's id or that break off are dropped with their reason."""
    content = lines(answer("q1", "x"), {"model_answer": "y"}, [1]) + b'{"task_id": "q'
    (tmp_path / "kite.jsonl").write_bytes(content)
    table = read_source(SOURCE, tmp_path)
    assert (table.frame.height, table.log.rows_read, sum(table.notes("dropped").values())) == (1, 4, 3)


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """Answers and tables are claimed; questions alone, other Markdown and other lines are not."""
    (tmp_path / "metadata.jsonl").write_bytes(lines(question("q1", "17")))
    (tmp_path / "README.md").write_text("# GAIA\n| Task ID | Level |\n")
    (tmp_path / "other.jsonl").write_bytes(lines({"task_id": "a", "answer": "b"}))
    assert SOURCE.sniff(tmp_path) is None
    with pytest.raises(FormatError, match="no answers of GAIA"):
        read_source(SOURCE, tmp_path)
    (tmp_path / "a.jsonl").write_bytes(lines(answer("q1", "x")))
    (tmp_path / "t.md").write_text(TABLE)
    for name, confidence in (("a.jsonl", 90), ("t.md", 95), ("", 95)):
        match = SOURCE.sniff(tmp_path / name)
        assert match is not None
        assert match.confidence == confidence
    with pytest.raises(UsageError, match="--set"):
        read_source(SOURCE, tmp_path, constants={"kind": "interval"})


FILES = {
    "kite.jsonl": lines(answer("q1", "17"), answer("q2", "x")),
    "scored.jsonl": lines({"id": "q1", "model_answer": "17", "score": True, "level": "1"}),
    "metadata.jsonl": lines(question("q1", "17"), question("q2", "a, b")),
    "results.md": TABLE.encode(),
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


@given(st.text(max_size=20), st.text(max_size=20))
def test_match_takes_any_text(given_: str, reference: str) -> None:
    """Any two texts can be matched."""
    assert quasi_exact(given_, reference) in {True, False}


def test_published_table(shared: Path, read_source: ReadSource) -> None:
    """53 questions of level 1, 21 right, as the file states; steps, times and tools are those of the tidy table."""
    folder = shared / "samples/gaia"
    frame = read_source(SOURCE, folder).frame
    assert (frame.height, (frame["verdict"] == "pass").sum()) == (53, 21)
    assert {one.name: one.value for one in SOURCE.stated(folder)} == {"correct": 21, "questions": 53}
    tidy = pl.read_csv(shared / "data/gaia/results.csv", infer_schema_length=None)
    both = frame.join(tidy.filter(pl.col("model") == "Claude Sonnet 4.5"), on="task", suffix="_tidy")
    assert both.height >= 53
    both = both.filter(pl.col("section") == "Level 1").unique("task")
    assert both.height == 53
    assert (both["steps"] == both["steps_tidy"]).all()
    assert (both["tool_calls"] == both["n_tools"]).all()
    assert both["wall_s"].to_list() == pytest.approx(both["duration_s"].to_list())
    assert ((both["verdict"] == "pass") == both["passed"].cast(pl.String).str.to_lowercase().eq("true")).all()
