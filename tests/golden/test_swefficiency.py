"""SWE-fficiency's published reports: 7 agents on 498 tasks, speed-up against an expert's patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.board import board
from measurand.analyze.settings import Settings
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.board import Board


@pytest.fixture(scope="module")
def found(shared: Path) -> Board:
    table = pl.read_parquet(shared / "data" / "swefficiency" / "results.parquet")
    rows = table.filter(
        (pl.col("split") == "full") & (pl.col("agent") != "expert / gold patch")
    ).with_columns(
        # a patch whose tests pass, and whose workload then did not run, has no quantity and is not valid
        passed=pl.col("passed") & pl.col("value").is_not_null()
    )
    options = ReadOptions(suite="swefficiency", mapping={"quantity": "value", "better": "direction"})
    return board(read(rows, options=options), settings=Settings(top=None))


def test_all_reports_are_there(found: Board) -> None:
    """Seven agents have a trial on each of 498 tasks."""
    assert (found.n_agents, found.n_tasks, found.n_trials) == (7, 498, 7 * 498)
    assert found.score == "objective"


@pytest.mark.parametrize(
    ("score", "index", "tiers"),
    [("objective", 0.18, [1, 1, 2, 2, 2, 3, 4]), ("capped", 0.09, None), ("key", 0.36, None)],
)
def test_saturation_and_tiers(found: Board, score: str, index: float, tiers: list[int] | None) -> None:
    """Saturation index and tiers under three scores, with the unpatched code as baseline."""
    row = next(row for row in found.saturation if row.score == score and row.variant == "paired")
    assert row.index == pytest.approx(index, abs=5e-3)
    if tiers:
        assert list(row.tiers) == tiers
    assert max(row.tiers) == {"objective": 4, "capped": 3, "key": 4}[score]


def test_share_that_beats_the_expert(found: Board) -> None:
    """16.1 % of all trials beat the expert's patch."""
    (text,) = [f.text for f in found.findings if "beat the reference" in f.text]
    assert "561 of 3486 trials (16.09%)" in text.replace(",", "")
