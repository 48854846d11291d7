"""KernelBench's leaderboards, tables of megakernels and details of runs."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.kernelbench.source import KernelbenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = KernelbenchSource()
RUN = "20260614_144216_sky_kite-4_01_gemm"
MEGA_HEADER = "gpu,harness,model,problem,correct,score,tok_s,elapsed_s,output_tokens,ctx2048,framework,kernels,megakernel,megakernel_judged,has_viewer,run_id"


def cell(**fields: Any) -> dict[str, Any]:
    return {
        "run_id": RUN,
        "correct": True,
        "has_solution": True,
        "peak_fraction": 0.25,
        "elapsed_seconds": 3006,
        "annotation_verdict": "clean",
        "output_tokens": 1500,
    } | fields


def leaderboard(*cells: dict[str, Any]) -> dict[str, Any]:
    results = {f"0{place + 1}_gemm": one for place, one in enumerate(cells)}
    model = {
        "label": "sky/kite-4 [max]",
        "harness": "sky",
        "model": "kite-4",
        "effort": "max",
        "results": results,
    }
    return {
        "schema_version": 1,
        "environment": "v2",
        "hardware": {"name": "RTX PRO 6000 Blackwell Workstation"},
        "problems": list(results),
        "models": [model | {"pass_count": 1, "total_runs": len(cells)}],
    }


def detail(**fields: Any) -> dict[str, Any]:
    return {
        "run_id": RUN,
        "bench": "hard",
        "gpu": "rtxpro6000",
        "problem": "01_gemm",
        "harness": "sky",
        "model": "kite-4",
        "correct": True,
        "failure_reason": "pass",
        "peak_fraction": 0.2501,
        "annotation_verdict": "clean",
        "stats": {"agent_s": 3000, "output_tokens": 1500, "input_tokens": 900, "cost_usd": 1.25},
        "gpu_lock": {"wait_s": 132},
    } | fields


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return path


def mega(*lines: str) -> bytes:
    return "\n".join([MEGA_HEADER, *lines, ""]).encode()


def test_fields_of_a_cell(tmp_path: Path, read_source: ReadSource) -> None:
    """A share of the roofline lies between 0 and 1; the run's id says when it began."""
    row = read_source(SOURCE, write(tmp_path / "l.json", leaderboard(cell()))).frame.row(0, named=True)
    wanted = {
        "suite": "kernelbench_hard",
        "task": "01_gemm@rtxpro6000",
        "family": "01_gemm",
        "agent": "sky/kite-4 [max]",
        "model_requested": "kite-4",
        "trial": RUN,
        "outcome": "completed",
        "verdict": "pass",
        "quantity": 0.25,
        "unit": "share of roofline",
        "kind": "interval",
        "baseline": 0.0,
        "reference": 1.0,
        "cost_usd": None,
        "output_tokens": 1500,
        "wall_s": 3006.0,
        "started_at": dt.datetime(2026, 6, 14, 14, 42, 16, tzinfo=dt.UTC),
        "harness_version": "v2",
        "source_ref": "l.json: models[0].results.01_gemm",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_detail_beside_a_leaderboard(tmp_path: Path, read_source: ReadSource) -> None:
    """A run that both describe is one trial: the leaderboard's word holds, the detail fills what it lacks."""
    write(tmp_path / "leaderboard.json", leaderboard(cell()))
    write(tmp_path / f"a/{RUN}.json", detail())
    table = read_source(SOURCE, tmp_path)
    assert table.rows("agent", "quantity", "cost_usd", "input_tokens", "waiting_s", "wall_s") == [
        ("sky/kite-4 [max]", 0.25, 1.25, 900, 132.0, 3006.0)
    ]
    assert table.frame["price_table"].to_list() == ["self-reported by kernelbench"]
    assert table.log.rows_read == 1
    assert table.notes("note") == {"run described in two files: read as one": 1}


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, ("completed", "pass", None)),
        ({"annotation_verdict": "interesting"}, ("completed", "pass", None)),
        ({"annotation_verdict": "reward_hack"}, ("completed", "fail", "audit: reward_hack")),
        ({"annotation_verdict": "rubric_leak"}, ("completed", "fail", "audit: rubric_leak")),
        ({"correct": False, "failure_reason": "incorrect"}, ("completed", "fail", "incorrect")),
        ({"correct": False, "failure_reason": "check_timeout"}, ("completed", "fail", "check_timeout")),
        ({"correct": False, "failure_reason": "timeout"}, ("agent_timeout", "fail", "timeout")),
        (
            {"correct": False, "failure_reason": "incomplete_session"},
            ("agent_error", "fail", "incomplete_session"),
        ),
        ({"correct": False, "failure_reason": "build"}, ("invalid_output", "fail", "build")),
        ({"correct": False, "failure_reason": "no_solution"}, ("no_output", "fail", "no_solution")),
        (
            {"correct": False, "has_solution_text": False, "failure_reason": None},
            ("no_output", "fail", "no solution"),
        ),
        ({"correct": False, "failure_reason": None}, ("completed", "fail", "not correct")),
        ({"correct": None, "failure_reason": None}, ("grader_error", None, "no word on correctness")),
    ],
)
def test_outcomes(
    tmp_path: Path, read_source: ReadSource, fields: dict[str, Any], wanted: tuple[str | None, ...]
) -> None:
    """A correct kernel that the audit refuses failed, and keeps its quantity on record."""
    table = read_source(SOURCE, write(tmp_path / "d.json", detail(**fields)))
    assert table.rows("outcome", "verdict", "reason", "quantity") == [(*wanted, 0.2501)]


def test_megakernels(tmp_path: Path, read_source: ReadSource) -> None:
    """Speed-ups over a baseline, one task for each GPU; whether it is one kernel is a further verdict."""
    content = mega(
        "B200,sky,kite-4,02_decode,true,35.4,4118,137,4500,34,ptx,4,pass,true,true,20260721_103731_a",
        "NVIDIA H100,sky,kite-4,02_decode,false,,,10800,0,,ptx,4,fail,true,true,b",
    )
    table = read_source(SOURCE, write(tmp_path / "mega_results.csv", content))
    assert table.rows("suite", "task", "verdict", "quantity", "unit", "kind", "baseline", "reference") == [
        ("kernelbench_mega", "02_decode@b200", "pass", 35.4, "x", "ratio", 1.0, None),
        ("kernelbench_mega", "02_decode@h100", "fail", None, "x", "ratio", 1.0, None),
    ]
    further = [{one["name"]: one["passed"] for one in verdicts} for verdicts in table.frame["verdicts"]]
    assert further == [
        {"correct": True, "megakernel": True, "official": True},
        {"correct": False, "megakernel": False, "official": False},
    ]
    assert table.frame["output_tokens"].to_list() == [4500, None]
    assert table.frame["started_at"].null_count() == 1
    assert table.notes("unknown") == {"output_tokens is 0: unknown": 1}


def test_amounts_that_are_none(tmp_path: Path, read_source: ReadSource) -> None:
    """0 dollars are unknown, a score that is not positive too; more than the roofline is noted."""
    write(tmp_path / "a.json", detail(run_id="a", peak_fraction=-1, stats={"cost_usd": 0}))
    write(tmp_path / "b.json", detail(run_id="b", peak_fraction=1.5, stats=None, gpu=None))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "quantity", "cost_usd") == [
        ("01_gemm@rtxpro6000", None, None),
        ("01_gemm", 1.5, None),
    ]
    assert table.notes() == {
        "cost_usd is 0: unknown": 1,
        "score is not positive": 1,
        "more than the roofline: a measurement to be checked": 1,
    }


def test_stated(tmp_path: Path) -> None:
    """The leaderboard states how many runs of a model passed."""
    write(tmp_path / "l.json", leaderboard(cell(), cell()))
    write(tmp_path / "d.json", detail())
    assert [(one.agent, one.name, one.value, one.where) for one in SOURCE.stated(tmp_path)] == [
        ("sky/kite-4 [max]", "passed", 1.0, "l.json: models[0].pass_count"),
        ("sky/kite-4 [max]", "runs", 2.0, "l.json: models[0].total_runs"),
    ]


def test_decks(tmp_path: Path, read_source: ReadSource) -> None:
    """A leaderboard does not say its deck: its name or folder does, else it is hard; a detail says it."""
    write(tmp_path / "cuda/leaderboard.json", leaderboard(cell(run_id="a")))
    write(tmp_path / "hard/leaderboard.json", leaderboard(cell(run_id="b")))
    write(tmp_path / "d.json", detail(run_id="c", bench="cuda"))
    assert sorted(read_source(SOURCE, tmp_path).rows("suite", "trial")) == [
        ("kernelbench_cuda", "a"),
        ("kernelbench_cuda", "c"),
        ("kernelbench_hard", "b"),
    ]


def test_damaged_records(tmp_path: Path, read_source: ReadSource) -> None:
    """A run without a problem, and a detail that is cut, are dropped with their reasons; a file alone is refused."""
    write(tmp_path / "a.json", detail(run_id="a", problem=None))
    cut = write(tmp_path / "b.json", msgspec.json.encode(detail())[:-3])
    write(tmp_path / "c.json", detail(run_id="c"))
    write(tmp_path / "notes.json", {"a": 1})
    table = read_source(SOURCE, tmp_path)
    assert table.frame["trial"].to_list() == ["c"]
    assert table.log.rows_read == 3
    assert sum(table.notes("dropped").values()) == 2
    assert table.places("file that is nothing of KernelBench: not read") == ("notes.json",)
    with pytest.raises(FormatError, match=r"b\.json: not readable JSON"):
        read_source(SOURCE, cut)
    with pytest.raises(FormatError, match="no list of models"):
        read_source(SOURCE, write(tmp_path / "l.json", {"peak_fraction": 1, "annotation_verdict": 1}))


def test_sniffing_and_refusals(tmp_path: Path, read_source: ReadSource) -> None:
    """Each of the three files is claimed, and folders of them; nothing else is."""
    for path in (
        write(tmp_path / "a/l.json", leaderboard(cell())),
        write(tmp_path / "b/d.json", detail()),
        write(tmp_path / "c/mega_results.csv", mega()),
    ):
        for one in (path, path.parent):
            match = SOURCE.sniff(one)
            assert match is not None
            assert match.confidence >= 90
    other = write(tmp_path / "d/other.json", {"peak_fraction": 1})
    assert SOURCE.sniff(other.parent) is None
    with pytest.raises(FormatError, match="nothing of KernelBench"):
        read_source(SOURCE, other)
    with pytest.raises(UsageError, match="--task-list"):
        read_source(SOURCE, tmp_path, tasks=other)


def test_published_results(shared: Path, read_source: ReadSource) -> None:
    """Samples of all three files: 19 runs of the hard deck, 39 megakernels of which three are wrong."""
    table = read_source(SOURCE, shared / "samples/kernelbench_hard")
    counts = sorted(table.frame.group_by("suite", "outcome", "verdict").len().rows())
    assert counts == [
        ("kernelbench_hard", "completed", "pass", 19),
        ("kernelbench_mega", "completed", "fail", 3),
        ("kernelbench_mega", "completed", "pass", 36),
    ]
    assert table.log.rows_read == 58
    hard = table.frame.filter(
        pl.col("suite") == "kernelbench_hard", pl.col("source_ref").str.starts_with("leaderboard")
    )
    passed = dict(hard.group_by("agent").agg((pl.col("verdict") == "pass").sum()).rows())
    stated = {
        one.agent: one.value
        for one in SOURCE.stated(shared / "samples/kernelbench_hard")
        if one.name == "passed"
    }
    assert passed == stated
    tidy = pl.read_csv(shared / "data/kernelbench_hard/results.csv", infer_schema_length=None)
    both = table.frame.join(tidy, left_on="trial", right_on="run_id", suffix="_tidy")
    assert both.height >= 50
    assert both.filter((pl.col("quantity") - pl.col("value")).abs() > 5e-4).is_empty()
    assert both.filter((pl.col("verdict") == "pass") != pl.col("passed")).is_empty()


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = [folder for folder in (shared / "samples").iterdir() if folder.name != "kernelbench_hard"]
    assert [folder.name for folder in folders if SOURCE.sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    files = {
        "r/leaderboard.json": msgspec.json.encode(leaderboard(cell(), cell(run_id=None))),
        "r/detail.json": msgspec.json.encode(detail()),
        "r/mega_results.csv": mega(
            "B200,sky,kite-4,02_decode,true,35.4,4118,137,4500,34,ptx,4,pass,true,true,x"
        ),
    }
    survives(SOURCE, files, data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Damaged files are refused or dropped, or what is kept adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
