"""Harder bars on public quantities: AlgoTune's speed-ups and WeirdML's accuracies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from measurand.analyze.headroom.bar_cells import TrialQuantities
from measurand.analyze.headroom.bars import BarOptions, bars
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.load import read
from measurand.score.trials import Scoring
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.headroom.bar_records import BarRow, Bars
    from measurand.model.table import Trials

CUT = "2025-09-01"
"""Between the summer's models and those of the autumn."""


@pytest.fixture(scope="module")
def algotune(shared: Path) -> Trials:
    rows = pl.read_parquet(shared / "data" / "algotune" / "results.parquet")
    options = ReadOptions(suite="algotune", mapping={"released_at": "date", "verdict": "valid"})
    return read(rows, options=options)


@pytest.fixture(scope="module")
def found(algotune: Trials) -> Bars:
    return bars(algotune, options=BarOptions(cut=CUT))


def named(found: Bars, name: str) -> BarRow:
    return next(row for row in found.rows if row.name == name)


def test_bar_at_the_reference_is_the_key(algotune: Trials) -> None:
    """Each of 2,772 cells; over all models S = 0.83 where the key asks for the reference, 0.631 where it asks for 1.1 times it."""
    prepared = prepare(algotune, Choice(), Settings())
    cells = TrialQuantities.of(prepared).at_multiple(1.0).cells
    assert cells.shape == (154, 18)
    assert np.array_equal(cells, prepared.grid.cells("key").planned)
    tenth = bars(algotune, settings=replace(Settings(), scoring=Scoring(key_at=1.1)))
    assert named(tenth, "reference (λ = 1)").cohorts[0].index == pytest.approx(0.83, abs=0.005)
    assert named(tenth, "answer key").cohorts[0].index == pytest.approx(0.631, abs=5e-4)
    assert named(tenth, "objective").cohorts[0].index == pytest.approx(0.5796, abs=5e-5)
    assert named(tenth, "objective").cohorts[0].tiers == (1, 1, 1, 1, 1, 2, 2, 2, 3, 3)


def test_share_that_reaches_a_bar_falls_with_it(algotune: Trials) -> None:
    """Of all trials ever fewer reach λ = 0.5 to 3, the speed-ups e^(λ-1), counted by hand."""
    quantities = TrialQuantities.of(prepare(algotune, Choice(), Settings()))
    speed = algotune.frame["quantity"].to_numpy()
    for multiplier in (0.5, 1.0, 1.5, 2.0, 3.0):
        reached = int(quantities.at_multiple(multiplier).cells.sum())
        assert reached == int((speed >= np.exp(multiplier - 1)).sum())


def test_cohorts_by_the_cut(found: Bars) -> None:
    """Ten models before September 2025, eight after it, nobody undated."""
    assert [(cohort.name, len(cohort.agents)) for cohort in found.cohorts] == [("early", 10), ("late", 8)]
    assert found.left_out == ()


def test_no_bar_resolves_both_cohorts_as_the_objective_does(found: Bars) -> None:
    """Each bar has fewer tiers than the objective in one cohort or the other."""
    objective = [result.n_tiers or 0 for result in named(found, "objective").cohorts]
    assert objective == [3, 4]
    for row in found.rows:
        if not row.graded:
            tiers = [result.n_tiers or 0 for result in row.cohorts]
            assert any(mine < theirs for mine, theirs in zip(tiers, objective, strict=True))


def test_the_tuned_bar_loses_tiers_to_the_untuned_objective(found: Bars) -> None:
    """Tuned on the early models the bar is λ = 0.5; on the late ones the objective has a tier more."""
    assert found.tuned.bar == "λ = 0.5"
    assert found.tuned.late is not None
    assert (found.tuned.late.n_tiers, found.tuned.hindsight) == (3, "λ = 2")


def test_a_winners_bar_leaves_the_early_models_at_zero(shared: Path) -> None:
    """WeirdML: held against the best accuracy of any model, all early models and most late ones are at zero."""
    rows = pl.read_parquet(shared / "data" / "weirdml" / "results.parquet")
    options = ReadOptions(suite="weirdml", constants={"kind": "interval", "baseline": "0", "reference": "1"})
    winner = dict(rows.group_by("task").agg(pl.col("value").max()).iter_rows())
    found = bars(read(rows, options=options), options=BarOptions(cut="2025-06-01", bars={"winner": winner}))
    early, late = named(found, "winner").cohorts
    assert (early.zeros, early.n_agents, early.n_tiers) == (43, 43, None)
    assert (late.zeros, late.n_agents) == (37, 44)
    assert [result.zeros for result in named(found, "objective").cohorts] == [0, 0]
