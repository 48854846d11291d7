"""SWE-fficiency's published reports: 7 agents on 498 tasks, speed-up against an expert's patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.board import board
from measurand.analyze.scorings.scorings import Scorings, scorings
from measurand.analyze.settings import Choice, Settings
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


@pytest.fixture(scope="module")
def beside(shared: Path) -> Scorings:
    """The whole table, as it stands, with the official score that its README defines: SR is the ratio to the expert."""
    table = pl.read_parquet(shared / "data" / "swefficiency" / "results.parquet")
    official = table.with_columns(official_score=-1 / pl.col("sr_official"))
    mapping = {"suite": "split", "quantity": "value", "better": "direction"}
    choice = Choice(suite="full", agents=("OpenHands*", "SWE-agent*"))
    return scorings(read(official, options=ReadOptions(mapping=mapping)), choice, Settings(top=None))


@pytest.mark.parametrize(
    ("score", "index", "tiers"),
    [
        ("official", 0.95, [1] * 7),
        ("objective", 0.18, [1, 1, 2, 2, 2, 3, 4]),
        ("capped", 0.09, [1, 1, 2, 2, 2, 2, 3]),
        ("key", 0.36, [1, 1, 2, 2, 2, 3, 4]),
    ],
)
def test_scorings_side_by_side(beside: Scorings, score: str, index: float, tiers: list[int]) -> None:
    """Four scorings in one call: the official one, a mean of -1/SR, tells no two agents apart; the others do."""
    row = next(row for row in beside.rows if row.score == score)
    assert row.index == pytest.approx(index, abs=5e-3)
    assert list(row.tiers) == tiers


def test_official_score_rests_on_one_task(beside: Scorings) -> None:
    """A mean of ratios is carried by one task: its share of the differences says so."""
    row = next(row for row in beside.rows if row.score == "official")
    assert row.dominance is not None
    assert row.dominance > 0.5
    assert any("the score rests on it" in note for note in row.notes)


def test_what_was_left_out_of_the_table(beside: Scorings) -> None:
    """The smaller split, and the expert's own patch, which is no agent; every other row counts."""
    assert {row.what: (row.count, row.examples) for row in beside.left_out} == {
        "of another suite": (200, ("lite: 200 rows",)),
        "of agents not asked for": (498, ("expert / gold patch: 498 rows",)),
    }
    assert (beside.n_agents, beside.n_tasks, beside.n_trials) == (7, 498, 3486)


def test_anchors_of_the_expert(beside: Scorings) -> None:
    """498 tasks with the unpatched code and the expert's patch, 62 of which improve by less than 1.25 times."""
    assert [(form.form, form.tasks) for form in beside.anchors.forms] == [("baseline and reference", 498)]
    assert len(beside.anchors.weak) == 498 - 436
    assert beside.anchors.gain_low == pytest.approx(1.0125, abs=5e-5)
    assert beside.binding.beats / beside.binding.trials == pytest.approx(0.161, abs=5e-4)
