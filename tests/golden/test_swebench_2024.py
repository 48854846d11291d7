"""SWE-bench Verified as it stood in September 2024: then the board told agents apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.settings import Settings
from measurand.analyze.tiering.tiers import tiers
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.tiering.tiers import TierBoard
    from measurand.model.table import Trials

LAST_DAY = "20240930"
EXPECTED = (1, 1, 1, 1, 2, 2, 2, 2, 2, 3)


@pytest.fixture(scope="module")
def trials(shared: Path) -> Trials:
    data = shared / "data" / "swebench_verified"
    listed = pl.read_csv(data / "submissions.csv", columns=["submission", "board"])
    early = listed.filter(
        (pl.col("board") == "verified") & (pl.col("submission").str.slice(0, 8) <= LAST_DAY)
    )
    results = pl.read_parquet(data / "results.parquet").with_columns(pl.col("submission").cast(pl.String))
    rows = results.filter(pl.col("submission").is_in(early["submission"].to_list()))
    return read(rows, options=ReadOptions(suite="swebench-verified", mapping={"agent": "submission"}))


@pytest.fixture(scope="module", params=["signs", "labels"])
def top(request: pytest.FixtureRequest, trials: Trials) -> TierBoard:
    return tiers(trials, settings=Settings(top=10, null=request.param))


def test_the_top_ten_span_nineteen_points(top: TierBoard) -> None:
    """Against 3.4 points two years later."""
    assert (top.n_agents, top.n_tasks) == (23, 500)
    assert top.test.spread is not None
    assert round(100 * top.test.spread, 1) == 19.2


def test_three_tiers_under_both_nulls(top: TierBoard) -> None:
    """Four, five and one agent, whichever null is shown; and every null run beside it finds the same."""
    assert tuple(agent.tier for agent in top.agents) == EXPECTED
    assert {row.null for row in top.test.agreement} == {"signs", "labels", "bootstrap"}
    assert all(row.tiers == EXPECTED for row in top.test.agreement)


def test_intervals_letters_and_tiers_agree(top: TierBoard) -> None:
    """On real data too: an interval leaves out 0 exactly where two agents share no letter."""
    letters = {agent.agent: set(agent.letters or "") for agent in top.agents}
    assert len(top.test.pairs) == 45
    for pair in top.test.pairs:
        assert pair.low is not None
        assert pair.significant == (pair.p_adjusted <= 0.05)
        assert pair.significant == (not letters[pair.better] & letters[pair.worse])
        assert pair.low >= 0 if pair.significant else pair.low <= 0
