"""Example cases that trouble tools of this kind, as far as reading goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.errors import ConflictError
from measurand.model.merge import merge_trials

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read


@pytest.fixture
def cases(shared: Path) -> Path:
    return shared / "cases"


def test_missing_zero_and_negative_costs(cases: Path, read_table_file: Read) -> None:
    """Case 01: blank is unknown, zero stays zero, and a negative cost becomes unknown with its row."""
    table = read_table_file(cases / "01-missing-zero-negative-costs/input.csv")
    totals = table.frame.group_by("agent").agg(
        pl.col("cost_usd").sum().alias("total"), pl.col("cost_usd").count().alias("metered")
    )
    assert sorted(totals.rows()) == [
        ("kite", pytest.approx(1.5), 4),
        ("lark", pytest.approx(2.5), 5),
        ("moth", 0.0, 0),
        ("newt", pytest.approx(1.2), 4),
    ]
    assert table.frame.filter(pl.col("cost_usd") == 0)["total_tokens"].to_list() == [12000]
    (where,) = table.places("cost_usd negative or not finite")
    assert where.startswith("input.csv:")


def test_mixed_directions_and_missing_submissions(cases: Path, read_table_file: Read) -> None:
    """Case 02: directions come from the anchors; nothing handed in and an invalid file are two outcomes."""
    folder = cases / "02-mixed-directions-no-submission"
    table = read_table_file(folder / "input.csv", anchors=folder / "input.anchors.csv")
    assert dict(table.frame.filter(agent="elm").select("task", "better").rows()) == {
        "m1": "lower",
        "m2": "higher",
        "m3": "lower",
        "m4": "higher",
    }
    oak = table.frame.filter(agent="oak").select("task", "outcome", "verdict", "reference")
    assert oak.rows()[2:] == [("m3", "no_output", "fail", 0.35), ("m4", "invalid_output", "fail", 0.8)]


def test_mixed_suite_versions(cases: Path, read_table_file: Read) -> None:
    """Case 03: suite version, harness version and task digests are kept with every row."""
    frame = read_table_file(cases / "03-mixed-suite-versions/input.csv").frame
    assert frame.group_by("agent", "suite_version", "harness_version").len().sort("agent").rows() == [
        ("pike", "1.0", "3.2.0", 6),
        ("rudd", "1.1", "3.4.1", 6),
    ]
    both = frame.group_by("task", "task_digest").len().filter(pl.col("len") == 2)
    assert sorted(both["task"]) == ["q1", "q2", "q3"]


def test_one_trial_per_task(cases: Path, read_table_file: Read) -> None:
    """Case 08: sixteen trials, one for each agent and task, and nothing to note but the suite's missing name."""
    table = read_table_file(cases / "08-one-trial-per-task/input.csv")
    passes = table.frame.group_by("agent").agg((pl.col("verdict") == "pass").sum())
    assert sorted(passes.rows()) == [("ibis", 8), ("jay", 7)]
    assert list(table.notes()) == ["the data name no suite; --suite NAME gives it one"]


def test_families(cases: Path, read_table_file: Read) -> None:
    """Case 10: the family of each task is kept."""
    frame = read_table_file(cases / "10-task-families-are-clusters/input.csv").frame
    assert frame.group_by("family").len().sort("family").rows() == [
        ("f1", 4),
        ("f2", 4),
        ("f3", 4),
        ("f4", 2),
        ("f5", 2),
    ]


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_overlapping_shards(cases: Path, read_table_file: Read, order: tuple[str, str]) -> None:
    """Case 11: columns go by name, the cut line is dropped, equal rows merge, and the conflict names both rows."""
    folder = cases / "11-shards-that-overlap"
    shards = [read_table_file(folder / f"input.shard_{name}.csv") for name in order]
    frame = pl.concat([shard.frame for shard in shards])
    assert [shard.notes("dropped") for shard in shards if shard.notes("dropped")] == [{"cut last line": 1}]
    with pytest.raises(ConflictError, match=r"input\.shard_a\.csv:3 and input\.shard_b\.csv:5"):
        merge_trials(frame)
    merged = merge_trials(frame, "no-verdict")
    assert (merged.frame.height, merged.duplicates) == (6, 1)
    assert merged.frame["cost_usd"].sum() == pytest.approx(0.87)
    verdicts = merged.frame["verdict"]
    assert ((verdicts == "pass").sum(), verdicts.null_count()) == (3, 1)
    assert merge_trials(frame, "drop").frame.height == 5
