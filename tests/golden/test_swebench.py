"""SWE-bench Verified: the head of the published leaderboard, and what its order is worth."""

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

LISTED, FOUND = 30, 29


@pytest.fixture(scope="module")
def top(shared: Path) -> Board:
    data = shared / "data"
    listed = pl.read_csv(data / "swe_abs" / "swe_abs_top30.csv")["submission"]
    assert len(listed) == LISTED
    results = pl.read_parquet(data / "swebench_verified" / "results.parquet")
    rows = results.with_columns(pl.col("submission").cast(pl.String)).filter(
        pl.col("submission").is_in(listed.to_list())
    )
    options = ReadOptions(suite="swebench-verified", mapping={"agent": "submission"})
    return board(read(rows, options=options), settings=Settings(top=10))


def test_the_listed_submissions_are_there(top: Board) -> None:
    """29 of the 30 listed submissions have outcomes for each of the 500 tasks."""
    assert (top.n_agents, top.n_tasks, top.n_trials) == (FOUND, 500, FOUND * 500)


def test_no_pair_of_the_top_ten_differs(top: Board) -> None:
    """Not one of 45 pairs is significant, and the first ten stand in one tier."""
    assert (top.test.n_pairs, top.test.n_significant) == (45, 0)
    assert len(top.test.tiers) == 1
    assert {row.letters for row in top.standings[:10]} == {"a"}
    assert [row.rank_high for row in top.standings[:10]] == [10] * 10


def test_the_other_null_agrees(top: Board) -> None:
    """Permuting agent labels within tasks finds no pair either."""
    (note,) = [note for note in top.test.notes if "labels null" in note]
    assert " 0 " in note
    assert note.endswith("the tiers are the same.")


def test_spread_of_the_top_ten(top: Board) -> None:
    """The first ten span 3.4 points, and no two neighbours are further apart than 1.4."""
    assert top.test.spread is not None
    assert top.test.largest_gap is not None
    assert round(100 * top.test.spread, 1) == 3.4
    assert round(100 * top.test.largest_gap, 1) == 1.4


def test_what_could_have_been_found(top: Board) -> None:
    """About six points would be needed for one pair of ten to be told apart with 80 % power."""
    assert top.test.detectable.value is not None
    assert 0.05 < top.test.detectable.value < 0.08
