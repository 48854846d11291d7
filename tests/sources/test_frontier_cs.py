"""Frontier-CS's results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.frontier_cs import FrontierCsSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = FrontierCsSource()
HEADER = "solution,problem,score,score_unbounded,status,message,duration_seconds,timestamp,solution_hash,problem_hash"


def line(
    solution: str = "7/kite_2.cpp",
    score: str = "50",
    unbounded: str = "50",
    status: str = "success",
    message: str = "",
) -> str:
    problem = solution.rpartition("/")[0]
    return f'{solution},{problem},{score},{unbounded},{status},"{message}",3.5,2026-01-30T06:11:39,aa,bb'


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    return path


def test_fields(tmp_path: Path, read_source: ReadSource) -> None:
    """Open-ended points are the quantity, between the baseline at 0 and the reference at 100."""
    row = read_source(SOURCE, write(tmp_path / "results.csv", line(unbounded="150", score="100"))).frame.row(
        0, named=True
    )
    wanted = {
        "suite": "frontier_cs_algorithmic",
        "task": "7",
        "task_digest": "problem_hash:bb",
        "family": None,
        "agent": "kite",
        "model_requested": "kite",
        "trial": "2",
        "outcome": "completed",
        "verdict": "pass",
        "official_score": 100.0,
        "quantity": 150.0,
        "unit": "points",
        "better": "higher",
        "kind": "interval",
        "baseline": 0.0,
        "reference": 100.0,
        "wall_s": None,
        "source_ref": "results.csv:2",
    }
    assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ({"score": "0", "unbounded": "-20"}, ("completed", "pass", -20.0, 0.0)),
        ({"score": "102.4", "unbounded": "102.4"}, ("completed", "pass", 102.4, 100.0)),
        ({"score": "40", "unbounded": ""}, ("completed", "pass", 40.0, 40.0)),
        ({"score": "", "unbounded": "40"}, ("completed", "pass", 40.0, 40.0)),
        ({"score": "0", "unbounded": "-1000000000.0"}, ("invalid_output", "fail", None, 0.0)),
        ({"score": "", "unbounded": ""}, ("grader_error", None, None, None)),
        ({"status": "odd"}, ("grader_error", None, None, None)),
        ({"status": ""}, ("grader_error", None, None, None)),
        ({"status": "timeout", "score": "", "unbounded": ""}, ("agent_timeout", "fail", None, 0.0)),
        ({"status": "error", "message": "Error: compile failed: x"}, ("invalid_output", "fail", None, 0.0)),
        ({"status": "error", "message": "Job failed with exit code 100"}, ("agent_error", "fail", None, 0.0)),
        ({"status": "error", "message": "Generation failed"}, ("no_output", "fail", None, 0.0)),
    ],
)
def test_outcomes(
    tmp_path: Path, read_source: ReadSource, cells: dict[str, str], wanted: tuple[str | float | None, ...]
) -> None:
    """Failures are worth 0 officially; a sentinel is no measurement; without points there is no verdict."""
    table = read_source(SOURCE, write(tmp_path / "results.csv", line(**cells)))
    assert table.rows("outcome", "verdict", "quantity", "official_score") == [wanted]


def test_reason_is_one_line(tmp_path: Path, read_source: ReadSource) -> None:
    """A message of many lines gives its first; lines within quotes are no records."""
    path = write(
        tmp_path / "results.csv",
        line(status="error", message="Error: compile failed: a,\nb\n\nc"),
        line("8/kite.cpp"),
    )
    table = read_source(SOURCE, path)
    assert table.rows("task", "reason", "source_ref") == [
        ("7", "Error: compile failed: a,", "results.csv:5"),
        ("8", None, "results.csv:6"),
    ]


def test_tracks_and_families(tmp_path: Path, read_source: ReadSource) -> None:
    """The folder says the track, else the problem's id; variants of a research problem are a family."""
    write(tmp_path / "batch/algorithmic/results.csv", line("12/kite.cpp"))
    write(tmp_path / "batch/research/results.csv", line("late/tight/gpt5.2_1.py"), line("cloud/gpt5_high.py"))
    write(tmp_path / "results.csv", line("late/loose/kite.py"), line("13/kite.cpp"))
    table = read_source(SOURCE, tmp_path)
    assert sorted(table.rows("suite", "task", "family", "agent", "trial"), key=str) == [
        ("frontier_cs_algorithmic", "12", None, "kite", "0"),
        ("frontier_cs_algorithmic", "13", None, "kite", "0"),
        ("frontier_cs_research", "cloud", "cloud", "gpt5_high", "0"),
        ("frontier_cs_research", "late/loose", "late", "kite", "0"),
        ("frontier_cs_research", "late/tight", "late", "gpt5.2", "1"),
    ]
    assert table.log.declarations == []  # numbers of trials differ between models, and none is planned


def test_records_that_are_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """Solutions that no model wrote, and records whose solution and problem do not belong together, are dropped."""
    odd = line().replace("7/kite_2.cpp,7", "8/kite_2.cpp,7")
    path = write(
        tmp_path / "results.csv", line("7/reference_baseline.py"), line("7/test_read_csv.py"), odd, line()
    )
    table = read_source(SOURCE, path)
    assert table.log.rows_read == 4
    assert table.frame.height == 1
    assert table.notes("dropped") == {
        "solution that no model wrote": 2,
        "solution that is not PROBLEM/MODEL_TRIAL.ENDING": 1,
    }


def test_what_is_noted(tmp_path: Path, read_source: ReadSource) -> None:
    """Bounded points, sentinels and tables that hold no results are said."""
    write(tmp_path / "results.csv", line(unbounded=""), line("8/kite.cpp", "0", "-1e9"))
    (tmp_path / "by_model.csv").write_text("model,score_at_1,avg_at_5,pass_at_5\nkite,12.5,13.25,\n")
    assert read_source(SOURCE, tmp_path).notes() == {
        "file without the columns of results: not read": 1,
        "only bounded points are given: no room above the reference": 1,
        "points of minus a billion are a sign, no measurement: failed": 1,
    }


def test_stated(tmp_path: Path) -> None:
    """by_model.csv beside the results states averages in points."""
    path = tmp_path / "by_model.csv"
    path.write_text("model,score_at_1,avg_at_5,pass_at_5\nkite,12.5,13.25,0.5\n,1,2,\n")
    assert [(one.agent, one.name, one.value, one.unit, one.where) for one in SOURCE.stated(tmp_path)] == [
        ("kite", "score@1", 12.5, "points", "by_model.csv:2: score_at_1"),
        ("kite", "avg@5", 13.25, "points", "by_model.csv:2: avg_at_5"),
        ("kite", "pass@5", 0.5, "share", "by_model.csv:2: pass_at_5"),
    ]


def test_sniffing_and_refusals(tmp_path: Path, read_source: ReadSource) -> None:
    """Results and their folders are claimed; other tables, and options without use, are refused."""
    path = write(tmp_path / "algorithmic/results.csv", line())
    for one in (path, path.parent, tmp_path):
        match = SOURCE.sniff(one)
        assert match is not None
        assert match.confidence >= 90
    other = tmp_path / "other.csv"
    other.write_text("solution,problem,score\n")
    assert SOURCE.sniff(other) is None
    with pytest.raises(FormatError, match="no results of Frontier-CS"):
        read_source(SOURCE, other)
    with pytest.raises(UsageError, match="--outcome"):
        read_source(SOURCE, path, outcomes={"error": "agent_error"})
    path.write_bytes(f"{HEADER}\n{line()}\n".encode().replace(b"kite", b"\xff"))
    with pytest.raises(FormatError, match=r"results\.csv:2: not UTF-8"):
        read_source(SOURCE, tmp_path)


def test_published_results(shared: Path, read_source: ReadSource) -> None:
    """The heads of both published tables, against what an independent reader found in the whole of them."""
    table = read_source(SOURCE, shared / "samples/frontier_cs")
    counts = sorted(table.frame.group_by("suite", "outcome", "verdict").len().rows())
    assert counts == [
        ("frontier_cs_algorithmic", "completed", "pass", 28),
        ("frontier_cs_algorithmic", "invalid_output", "fail", 4),
        ("frontier_cs_research", "agent_error", "fail", 4),
        ("frontier_cs_research", "completed", "pass", 28),
        ("frontier_cs_research", "invalid_output", "fail", 4),
    ]
    assert table.log.rows_read == 68
    tidy = pl.read_parquet(shared / "data/frontier_cs/results.parquet").with_columns(
        pl.col("task").str.replace(r"^[a-z]+/", ""),
        pl.format("frontier_cs_{}", "track").alias("suite"),
        pl.col("trial").cast(pl.String),
    )
    both = table.frame.join(tidy, on=["suite", "task", "agent", "trial"], suffix="_tidy")
    assert both.height == 68
    points = pl.when(pl.col("valid") & (pl.col("value").fill_null(0) > -1e9)).then(
        pl.col("value").fill_null(pl.col("value_bounded"))
    )
    assert both["quantity"].to_list() == both.select(points.alias("points"))["points"].to_list()


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = [folder for folder in (shared / "samples").iterdir() if folder.name != "frontier_cs"]
    assert [folder.name for folder in folders if SOURCE.sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    lines = [
        HEADER,
        line(),
        line("8/test_x.py", "0", "-1e9"),
        line("9/kite.cpp", status="error", message="a\nb"),
    ]
    summary = "model,score_at_1,avg_at_5\nkite,1,2\n"
    survives(
        SOURCE, {"batch/results.csv": "\n".join(lines).encode(), "batch/by_model.csv": summary.encode()}, data
    )


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Damaged results are refused, or what is kept and dropped adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
