"""AlgoTune's published summary of 18 models on 154 tasks: each score of the definition, to the published digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from measurand.analyze.board import board
from measurand.analyze.scorings.scorings import Scorings, scorings
from measurand.analyze.settings import Settings
from measurand.load import read
from measurand.score.trials import Scoring

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.board import Board
    from measurand.analyze.records import SaturationRow
    from measurand.model.table import Trials


@pytest.fixture(scope="module")
def trials(shared: Path) -> Trials:
    return read(shared / "samples" / "algotune" / "agent_summary.json")


@pytest.fixture(scope="module")
def found(trials: Trials) -> Board:
    return board(trials, settings=Settings(scoring=Scoring(key_at=1.1)))


def saturation(found: Board, score: str) -> SaturationRow:
    return next(row for row in found.saturation if row.score == score and row.variant == "paired")


def test_all_models_and_tasks_are_there(found: Board) -> None:
    """The summary has 154 tasks and 18 models, one trial each, none of them missing."""
    assert (found.n_agents, found.n_tasks, found.n_trials) == (18, 154, 18 * 154)
    assert found.score == "objective"
    invalid = sum(row.outcomes.get("invalid_output", 0) for row in found.standings)
    assert invalid / found.n_trials == pytest.approx(0.149, abs=5e-4)


def test_share_that_beats_the_reference(found: Board) -> None:
    """70.56 % of all trials are faster than the reference, and the clip binds in 24.0 % of the valid ones."""
    (text,) = [f.text for f in found.findings if "beat the reference" in f.text]
    assert "1956 of 2772 trials (70.56%)" in text.replace(",", "")
    assert "(24.0" in text


def test_clip_binds_too_often_to_trust_the_reference(found: Board) -> None:
    """The reference is called weak, by the rule that a clip must not bind on more than a tenth of valid trials."""
    assert any(finding.text.startswith("weak_reference") for finding in found.findings)


def test_mean_objectives(found: Board) -> None:
    """The first five models and their mean objectives."""
    head = {row.agent: row.score("objective").mean.value for row in found.standings[:5]}
    assert head == {
        "gpt-5.2": pytest.approx(1.9143, abs=5e-5),
        "gemini-3.1-pro-preview": pytest.approx(1.8509, abs=5e-5),
        "gpt-5.4": pytest.approx(1.8173, abs=5e-5),
        "claude-opus-4.5": pytest.approx(1.7263, abs=5e-5),
        "gemini-3-pro-preview": pytest.approx(1.7059, abs=5e-5),
    }
    assert list(head) == [row.agent for row in found.standings[:5]]


@pytest.mark.parametrize(
    ("score", "r", "index", "tiers"),
    [
        ("objective", 0.7385, 0.5796, [1, 1, 1, 1, 1, 2, 2, 2, 3, 3]),
        ("capped_linear", 0.3652, 0.8751, [1] * 9 + [2]),
        ("key", 0.6782, 0.631, [1] * 9 + [2]),
    ],
)
def test_saturation_and_tiers(found: Board, score: str, r: float, index: float, tiers: list[int]) -> None:
    """Saturation index and tiers of the first ten under three scores."""
    row = saturation(found, score)
    assert row.r == pytest.approx(r, abs=5e-5)
    assert row.index == pytest.approx(index, abs=5e-4)
    assert list(row.tiers) == tiers
    assert (row.n, row.k) == (154, 5)


def test_paired_t_of_first_and_fifth(found: Board) -> None:
    """First and fifth under the objective, and their paired t."""
    row = saturation(found, "objective")
    assert (row.first, row.kth) == ("gpt-5.2", "gemini-3-pro-preview")
    assert row.t == pytest.approx(2.601, abs=5e-4)
    assert row.category == "moderate"


def test_standings_show_the_tiers_of_the_objective(found: Board) -> None:
    """The tiers of the standings are those of the ranking score, for the first ten and nobody else."""
    assert [row.tier for row in found.standings] == [1, 1, 1, 1, 1, 2, 2, 2, 3, 3] + [None] * 8


def test_rates_of_valid_solvers_are_counted_by_hand(trials: Trials, found: Board) -> None:
    """The gate rate of each model is the share of tasks with a speed-up."""
    counted = dict(trials.frame.group_by("agent").agg(pl.col("quantity").is_not_null().mean()).iter_rows())
    for row in found.standings:
        assert row.gate.planned.value == pytest.approx(counted[row.agent])
        assert row.gate.planned.n == 154


def test_official_score_from_the_same_trials(trials: Trials) -> None:
    """The harmonic mean with N/A and slow-downs counted as 1 is the published official score."""
    floored = trials.frame.with_columns(speed=np.maximum(trials.frame["quantity"].fill_null(1.0), 1.0))
    means = dict(floored.group_by("agent").agg(pl.len() / (1 / pl.col("speed")).sum()).iter_rows())
    assert means["gpt-5.2"] == pytest.approx(2.054, abs=5e-4)
    assert means["gemini-3.1-pro-preview"] == pytest.approx(2.016, abs=5e-4)
    assert means["gpt-5.4"] == pytest.approx(1.854, abs=5e-4)


@pytest.fixture(scope="module")
def beside(trials: Trials) -> Scorings:
    return scorings(trials, settings=Settings(scoring=Scoring(key_at=1.1)))


@pytest.mark.parametrize(
    ("score", "index", "r", "tiers"),
    [
        ("key", 0.631, 0.6782, [1] * 9 + [2]),
        ("capped_linear", 0.8751, 0.3652, [1] * 9 + [2]),
        ("objective", 0.5796, 0.7385, [1, 1, 1, 1, 1, 2, 2, 2, 3, 3]),
    ],
)
def test_scorings_side_by_side(
    beside: Scorings, score: str, index: float, r: float, tiers: list[int]
) -> None:
    """The row of the paper in one call: saturation and tiers of the first ten under each scoring."""
    row = next(row for row in beside.rows if row.score == score)
    assert row.index == pytest.approx(index, abs=5e-4)
    assert row.r == pytest.approx(r, abs=5e-5)
    assert list(row.tiers) == tiers
    assert len(row.family) == 10


def test_where_the_bounds_bind(beside: Scorings, trials: Trials) -> None:
    """70.56 % of all trials beat the reference, the cap binds wherever it is reached, the clip in 24.0 % of the valid ones."""
    found, speed = beside.binding, trials.frame["quantity"].drop_nulls()
    assert found.beats / found.trials == pytest.approx(0.705628, abs=1e-6)
    assert found.at_cap == (speed >= 1).sum()
    assert found.at_clip == (speed > np.e**2).sum()
    assert found.at_clip / found.valid == pytest.approx(0.240, abs=5e-4)


def test_official_score_orders_as_the_published_one(beside: Scorings) -> None:
    """The mean official score is -1 over the published harmonic mean, and leads with the same three models."""
    official = {one.agent: one.places["official"] for one in beside.agents}
    for agent, rank, published in (
        ("gpt-5.2", 1, 2.054),
        ("gemini-3.1-pro-preview", 2, 2.016),
        ("gpt-5.4", 3, 1.854),
    ):
        assert official[agent].rank == rank
        assert -1 / official[agent].mean == pytest.approx(published, abs=5e-4)


def test_every_scoring_is_there_and_nothing_left_out(beside: Scorings) -> None:
    """Each of the six scorings can be had, by a reference alone, and no row is left out."""
    assert [row.reason for row in beside.rows] == [None] * 6
    assert [(form.form, form.tasks) for form in beside.anchors.forms] == [("reference only", 154)]
    assert beside.left_out == ()
