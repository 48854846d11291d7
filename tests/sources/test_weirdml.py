"""WeirdML's results."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.weirdml import WeirdmlSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = WeirdmlSource()


def model(*scores: Any, **fields: Any) -> dict[str, Any]:
    runs = [{"run_id": 100 + place, "score": score} for place, score in enumerate(scores)]
    return {
        "internal_name": "kite:x",
        "display_name": "kite (high)",
        "model_slug": "kite-4",
        "release_date": "2026-02-05",
        "api_source": "Sky",
        "cost_per_run_usd": 5.5,
        "mean_total_output_tokens": 31732.67,
        "aggregate_scores": {"avg_acc": 0.7, "avg_acc_standard_error": 0.02},
        "tasks": {"sort": {"num_runs": len(runs), "mean_accuracy": 0.7, "runs": runs}},
    } | fields


def results(**models: dict[str, Any]) -> dict[str, Any]:
    return {"description": "WeirdML", "tasks": ["sort", "swim"], "models": models}


def write(path: Path, content: Any) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    return path


def test_fields_of_a_run(tmp_path: Path, read_source: ReadSource) -> None:
    """A run is a trial; its accuracy is quantity and official score, between 0 and 1."""
    row = read_source(SOURCE, write(tmp_path / "r.json", results(k=model(0.25)))).frame.row(0, named=True)
    wanted = {
        "suite": "weirdml",
        "task": "sort",
        "agent": "kite (high)",
        "model_requested": "kite-4",
        "released_at": dt.datetime(2026, 2, 5, tzinfo=dt.UTC),
        "trial": "100",
        "outcome": "completed",
        "verdict": "pass",
        "official_score": 0.25,
        "quantity": 0.25,
        "unit": "accuracy",
        "better": "higher",
        "kind": "interval",
        "baseline": 0.0,
        "reference": 1.0,
        "cost_usd": 5.5,
        "price_table": "self-reported by weirdml: mean of the model's runs",
        "output_tokens": 31733,
        "source_ref": "r.json: models.k.tasks.sort.runs[0]",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_scores_become_outcomes(tmp_path: Path, read_source: ReadSource) -> None:
    """0 means no valid result; what is no number from 0 to 1 is no verdict."""
    table = read_source(SOURCE, write(tmp_path / "r.json", results(k=model(0, "0.5", 1.5, None, "fast", 1))))
    assert table.rows("outcome", "verdict", "quantity") == [
        ("invalid_output", "fail", 0.0),
        ("completed", "pass", 0.5),
        ("grader_error", None, None),
        ("grader_error", None, None),
        ("grader_error", None, None),
        ("completed", "pass", 1.0),
    ]
    assert table.notes("unknown") == {"score is no number from 0 to 1: no verdict": 3}


def test_what_is_noted(tmp_path: Path, read_source: ReadSource) -> None:
    """Costs are means of a model's runs, 0 is no cost, tasks without runs and wrong counts are said."""
    free = model(0.5, cost_per_run_usd=0, display_name="", mean_total_output_tokens=None)
    empty = model(tasks={"sort": {"num_runs": 3, "runs": []}})
    table = read_source(SOURCE, write(tmp_path / "r.json", results(free=free, empty=empty)))
    assert table.rows("agent", "cost_usd", "price_table", "output_tokens") == [("free", None, None, None)]
    assert table.notes() == {
        "cost_per_run_usd is 0: unknown": 1,
        "the model has no run of the task": 2,
        "cost and output tokens are the mean of the model's runs: their spread is not known": 1,
        "num_runs is 3, and 0 are listed": 1,
        "model without runs": 1,
    }


def test_records_that_are_none(tmp_path: Path, read_source: ReadSource) -> None:
    """A run that is no object is dropped; a run without an id is named by its place."""
    broken = model(tasks={"sort": {"runs": [7, {"score": 0.5}]}, "swim": 3})
    table = read_source(SOURCE, write(tmp_path / "r.json", results(k=broken, j=3)))  # type: ignore[arg-type]
    assert table.rows("task", "trial") == [("sort", "2")]
    assert table.notes("dropped") == {"no run of a task": 1}
    assert table.log.rows_read == 2


def test_unequal_numbers_of_trials(tmp_path: Path, read_source: ReadSource) -> None:
    """Models may have different numbers of runs: the number of tasks is declared, that of trials is not."""
    (declared,) = read_source(
        SOURCE, write(tmp_path / "r.json", results(a=model(0.1, 0.2), b=model(0.3)))
    ).log.declarations
    assert (declared.suite, declared.tasks, declared.trials) == ("weirdml", 2, None)


def test_stated(tmp_path: Path) -> None:
    """The averages of the models are what the file states."""
    path = write(
        tmp_path / "r.json", results(k=model(0.5), j=model(aggregate_scores=None, cost_per_run_usd="x"))
    )
    assert [(one.agent, one.name, one.value, one.unit) for one in SOURCE.stated(path)] == [
        ("kite (high)", "average accuracy", 0.7, "share"),
        ("kite (high)", "cost of a run", 5.5, "USD"),
    ]


def test_sniffing_and_refusals(tmp_path: Path, read_source: ReadSource) -> None:
    """The file and its folder are claimed; a file without models, a cut one and useless options are refused."""
    path = write(tmp_path / "r.json", results(k=model(0.5)))
    for one in (path, tmp_path):
        match = SOURCE.sniff(one)
        assert match is not None
        assert match.confidence >= 90
    other = write(tmp_path / "other.json", {"models": {}, "tasks": []})
    assert SOURCE.sniff(other) is None
    with pytest.raises(FormatError, match="no results of WeirdML"):
        read_source(SOURCE, write(other, [1]))
    with pytest.raises(FormatError, match="not readable JSON"):
        read_source(SOURCE, write(path, msgspec.json.encode(results(k=model(0.5)))[:-9]))
    with pytest.raises(UsageError, match="--set"):
        read_source(SOURCE, path, constants={"kind": "interval"})


def test_published_results(shared: Path, read_source: ReadSource) -> None:
    """Three published models: 210 runs, the averages that the file states, and the runs of the tidy table."""
    frame = read_source(SOURCE, shared / "samples/weirdml").frame
    assert (frame.height, frame["agent"].n_unique(), frame["task"].n_unique()) == (210, 3, 17)
    assert frame.group_by("outcome", "verdict").len().rows() == [("completed", "pass", 210)]
    cells = frame.group_by("agent", "task").agg(pl.col("official_score").mean())
    averages = dict(cells.group_by("agent").agg(pl.col("official_score").mean()).rows())
    stated = {
        one.agent: one.value for one in SOURCE.stated(shared / "samples/weirdml") if one.unit == "share"
    }
    assert averages == pytest.approx(stated, abs=2e-6)  # the file rounds the scores of runs
    tidy = pl.read_parquet(shared / "data/weirdml/results.parquet").with_columns(
        pl.col("run_id").cast(pl.String).alias("trial_id")
    )
    both = frame.join(
        tidy, left_on=["agent", "task", "trial"], right_on=["agent", "task", "trial_id"], suffix="_tidy"
    )
    assert both.height == 210
    assert both["quantity"].to_list() == both["value"].to_list()
    assert both["cost_usd"].to_list() == both["cost_usd_tidy"].to_list()


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = [folder for folder in (shared / "samples").iterdir() if folder.name != "weirdml"]
    assert [folder.name for folder in folders if SOURCE.sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    content = msgspec.json.encode(results(k=model(0.5, 0), j=model(0.25, display_name="lark")))
    survives(SOURCE, {"data/weirdml_results.json": content}, data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """A damaged file is refused, or what is kept and dropped adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
