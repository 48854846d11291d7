"""Frontier-CS: points from 0 (baseline) to 100 (reference) and beyond, five trials a problem, some hugely negative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.scorings.scorings import Scorings, scorings
from measurand.analyze.settings import Choice
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.scorings.rows import ScoringRow

SINGLE = ("claude4.1opus", "claude4.5sonnet")


def options(quantity: str = "value") -> ReadOptions:
    return ReadOptions(
        mapping={"suite": "track", "verdict": "valid", "quantity": quantity, "better": "direction"},
        constants={"kind": "interval"},
        outcomes={"error": "agent_error"},
    )


@pytest.fixture(scope="module")
def table(shared: Path) -> pl.DataFrame:
    return pl.read_parquet(shared / "data" / "frontier_cs" / "results.parquet")


@pytest.fixture(scope="module")
def algorithmic(shared: Path, table: pl.DataFrame) -> Scorings:
    agents = table.filter(pl.col("track") == "algorithmic", ~pl.col("agent").is_in(SINGLE))["agent"].unique()
    trials = read(shared / "data" / "frontier_cs" / "results.parquet", options=options())
    return scorings(trials, Choice(suite="algorithmic", agents=tuple(agents)))


def row(found: Scorings, score: str) -> ScoringRow:
    return next(row for row in found.rows if row.score == score)


def test_means_by_hand(algorithmic: Scorings, table: pl.DataFrame) -> None:
    """A hundredth of the points, clipped at 3 or at 1 and 0 for a failed trial, averaged within and then over problems."""
    for score, top in (("objective", 3.0), ("capped", 1.0)):
        points = (pl.col("value").fill_null(0.0) / 100).clip(0.0, top)
        cells = table.filter(track="algorithmic").group_by("agent", "task").agg(points.mean().alias("mean"))
        means = dict(cells.group_by("agent").agg(pl.col("mean").mean()).iter_rows())
        assert {one.agent: one.places[score].mean for one in algorithmic.agents} == pytest.approx(
            {agent: mean for agent, mean in means.items() if agent not in SINGLE}
        )


def test_linear_and_log_capped_are_one_for_intervals(algorithmic: Scorings) -> None:
    """An interval quantity has one scale, and so one capped score."""
    assert row(algorithmic, "capped_linear").same_as == "capped"


def test_rows_left_out_are_counted(algorithmic: Scorings, table: pl.DataFrame) -> None:
    """The other track, the two models with a single problem, and the problems that some models lack."""
    counts = {entry.what: entry.count for entry in algorithmic.left_out}
    assert counts == {
        "of another suite": table.filter(pl.col("track") == "research").height,
        "of agents not asked for": table.filter(pl.col("agent").is_in(SINGLE)).height,
        "the agent never attempted the task": 6,
    }
    assert (counts["of another suite"], counts["of agents not asked for"]) == (4457, 9)


def test_models_with_one_problem_are_no_leaders(shared: Path) -> None:
    """Where the two models with a single problem lead a scoring, it gives no tiers and says how much is missing."""
    trials = read(shared / "data" / "frontier_cs" / "results.parquet", options=options())
    found = scorings(trials, Choice(suite="algorithmic"))
    gate = row(found, "gate")
    assert set(SINGLE) <= set(gate.family)
    assert gate.n_tiers is None
    assert "of the cells are missing" in str(gate.test_reason)
    assert row(found, "objective").n_tiers is not None


def test_research_track_has_no_open_ended_points(shared: Path) -> None:
    """2,638 of 4,392 valid solutions have bounded points only: the objective is refused, and given on the bounded ones."""
    path, choice = shared / "data" / "frontier_cs" / "results.parquet", Choice(suite="research")
    refused = scorings(read(path, options=options()), choice)
    assert "2,638 of the 4,392 trials that passed the gate" in str(row(refused, "objective").reason)
    assert refused.standard == "gate"
    bounded = scorings(read(path, options=options("value_bounded")), choice)
    assert row(bounded, "objective").reason is None
    assert bounded.binding.at_clip == 0


def test_sentinels_are_worth_nothing(table: pl.DataFrame) -> None:
    """Minus a billion points are below the baseline, and count as 0, no less."""
    sentinels = table.filter(pl.col("value") < -1e8)
    found = read(sentinels, options=options())
    assert len(found) == sentinels.height == 90
    result = scorings(found)
    assert result.binding.below_baseline == 90
    assert {one.places["objective"].mean for one in result.agents} == {0.0}
