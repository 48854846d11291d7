"""WeirdML: 87 models on 17 tasks, one to ten trials each, an accuracy without anchors of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.scorings.scorings import Scorings, scorings
from measurand.errors import MappingError
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ReadOptions(suite="weirdml", constants={"kind": "interval", "baseline": "0", "reference": "1"})


@pytest.fixture(scope="module")
def cells(shared: Path) -> pl.DataFrame:
    table = pl.read_parquet(shared / "data" / "weirdml" / "results.parquet")
    return table.group_by("agent", "task").agg(pl.col("value").mean())


@pytest.fixture(scope="module")
def found(shared: Path) -> Scorings:
    return scorings(read(shared / "data" / "weirdml" / "results.parquet", options=OPTIONS))


def test_accuracy_is_the_objective(found: Scorings, cells: pl.DataFrame) -> None:
    """Between 0 and 1 as anchors the objective is the accuracy: the mean over tasks of the mean over trials."""
    means = dict(cells.group_by("agent").agg(pl.col("value").mean()).iter_rows())
    assert {one.agent: one.places["objective"].mean for one in found.agents} == pytest.approx(means)
    assert found.n_trials == 7484


def test_capped_scores_say_the_same(found: Scorings) -> None:
    """No trial reaches 1, so that cap and clip bind nowhere and three scorings are one."""
    same = {row.score: row.same_as for row in found.rows}
    assert (same["capped"], same["capped_linear"], same["objective"]) == ("objective", "objective", None)
    assert (found.binding.at_cap, found.binding.at_clip, found.binding.beats) == (0, 0, 0)
    assert [(form.form, form.tasks) for form in found.anchors.forms] == [("interval", 17)]


def test_saturation_by_hand(found: Scorings, cells: pl.DataFrame) -> None:
    """First and fifth model, their paired t over the 17 tasks, and the index."""
    row = next(row for row in found.rows if row.score == "objective")
    wide = cells.pivot("agent", index="task", values="value")
    assert row.first is not None
    assert row.kth is not None
    d = (wide[row.first] - wide[row.kth]).to_numpy()
    effect = d.mean() / d.std(ddof=1)
    assert row.t == pytest.approx(effect * 17**0.5)
    assert row.r == pytest.approx(effect * 17**0.25)


def test_key_and_gate_tell_nobody_apart(found: Scorings) -> None:
    """Every trial passes and none reaches 1: both scorings are given, and give no tiers and no order."""
    for score in ("gate", "key"):
        row = next(row for row in found.rows if row.score == score)
        assert row.reason is None
        assert row.n_tiers is None
        assert "No two agents differ" in str(row.test_reason)
    assert all(pair.tau_b is None for pair in found.orders)


def test_without_anchors_the_import_says_what_to_set(shared: Path) -> None:
    """A value without anything that judges it is refused, with the options that would do."""
    with pytest.raises(MappingError, match="--set kind=interval --set baseline=0 --set reference=1"):
        read(shared / "data" / "weirdml" / "results.parquet")
