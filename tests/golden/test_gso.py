"""GSO's published reports: 21 models on 102 tasks, whose speed-up is published only where it reaches the expert's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.scorings.scorings import Scorings, scorings
from measurand.analyze.settings import Settings
from measurand.errors import ValueRangeError
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ReadOptions(
    suite="gso",
    mapping={
        "verdict": "tests_passed",
        "verdict:official": "passed",
        "quantity": "value",
        "better": "direction",
        "baseline": "",  # two commits of experts are slower than the unpatched code: the anchor is the expert alone
    },
    outcomes={"base_failed": "grader_error", "patch_failed": "invalid_output"},
)


@pytest.fixture(scope="module")
def table(shared: Path) -> pl.DataFrame:
    return pl.read_parquet(shared / "data" / "gso" / "results.parquet")


@pytest.fixture(scope="module")
def found(shared: Path) -> Scorings:
    return scorings(read(shared / "data" / "gso" / "results.parquet", options=OPTIONS))


def test_all_reports_are_there(found: Scorings) -> None:
    """21 models have a trial on each of 102 tasks."""
    assert (found.n_agents, found.n_tasks, found.n_trials) == (21, 102, 2142)


def test_graded_scores_are_refused_with_the_reason(found: Scorings) -> None:
    """1,195 trials pass the tests and have no published speed-up: no graded score is made of the 400 that have one."""
    reasons = {row.score: row.reason for row in found.rows}
    assert reasons["gate"] is None
    assert reasons["key"] is None
    for score in ("capped", "capped_linear", "objective"):
        assert "24 of 102 tasks have no reference" in str(reasons[score])
        assert "1,195 of the 1,595 trials that passed the gate have no quantity" in str(reasons[score])


def test_key_is_the_official_verdict(found: Scorings, table: pl.DataFrame) -> None:
    """The mean key of each model is its share of tasks on which it reaches the expert's commit."""
    shares = dict(table.group_by("agent").agg(pl.col("passed").mean()).iter_rows())
    assert {one.agent: one.places["key"].mean for one in found.agents} == pytest.approx(shares)
    assert (found.anchors.key_official, found.anchors.trials) == (2142, 2142)


def test_saturation_of_the_key_by_hand(found: Scorings, table: pl.DataFrame) -> None:
    """First and fifth model by the official verdict, their paired t and the index."""
    key = next(row for row in found.rows if row.score == "key")
    assert key.first is not None
    assert key.kth is not None
    wide = table.pivot("agent", index="task", values="passed")
    d = (wide[key.first].cast(pl.Float64) - wide[key.kth].cast(pl.Float64)).to_numpy()
    effect = d.mean() / d.std(ddof=1)
    assert key.t == pytest.approx(effect * len(d) ** 0.5)
    assert key.r == pytest.approx(effect * len(d) ** 0.25)
    assert (key.n, key.k) == (102, 5)


def test_share_that_beats_the_expert_is_a_lower_bound(found: Scorings, table: pl.DataFrame) -> None:
    """352 trials are known to beat the expert; how often a cap binds is not said of the 400 published ones."""
    assert found.binding.beats == (table["value"] > table["reference"]).sum() == 352
    assert found.binding.unknown == 1195
    assert "400 others need not be like them" in str(found.binding.bounds_reason)


def test_trials_without_a_verdict_are_listed(found: Scorings) -> None:
    """Eleven trials whose base run failed have no verdict of the gate; nothing else is left out."""
    counts = {row.what: row.count for row in found.left_out}
    assert counts == {"no verdict": 11, "passed the gate without a quantity that can be scored": 1195}


def test_baseline_of_one_is_refused(shared: Path) -> None:
    """With the unpatched code as baseline two references are worse than it, and the import says which."""
    options = ReadOptions(
        suite="gso", mapping={**OPTIONS.mapping, "baseline": "baseline"}, outcomes=OPTIONS.outcomes
    )
    with pytest.raises(ValueRangeError, match="is not better than its baseline"):
        read(shared / "data" / "gso" / "results.parquet", options=options)


def test_other_standard_turns_the_pairs_round(shared: Path, found: Scorings) -> None:
    """Compared with the key, the order of the gate is as far away as the other way round."""
    trials = read(shared / "data" / "gso" / "results.parquet", options=OPTIONS)
    again = scorings(trials, settings=Settings(score="key", resamples=1000))
    assert [(pair.a, pair.b) for pair in again.orders] == [("key", "gate")]
    assert again.orders[0].tau_b == found.orders[0].tau_b
