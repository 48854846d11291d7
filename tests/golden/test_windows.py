"""Saturation over time on public boards: SWE-bench Verified's 174 submissions, AlgoTune's 18 models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.headroom.windows import windows_of
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.load import read
from measurand.sources.base import ReadOptions
from measurand.sources.reading.agents_table import read_agents

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.headroom.windows import Windows


@pytest.fixture(scope="module")
def swebench(shared: Path) -> Windows:
    folder = shared / "data" / "swebench_verified"
    rows = pl.read_parquet(folder / "results.parquet").with_columns(pl.col("submission").cast(pl.String))
    options = ReadOptions(suite="swebench-verified", mapping={"agent": "submission"})
    prepared = prepare(read(rows, options=options), Choice(), Settings())
    dates = read_agents(folder / "submissions.csv", {"agent": "submission"}).dates
    return windows_of(prepared, Settings(), dates=dates)


def test_every_submission_is_dated_and_every_window_is_there(swebench: Windows) -> None:
    """174 dated submissions make 165 windows of ten, each of 45 pairs."""
    assert (swebench.n_dated, swebench.undated, len(swebench.windows)) == (174, (), 165)
    assert {window.n_pairs for window in swebench.windows} == {45}
    days = [(window.first_release, window.last_release) for window in swebench.windows]
    assert days == sorted(days)
    assert (days[0], days[-1]) == (("2023-10-10", "2024-06-12"), ("2026-02-17", "2026-09-01"))


def test_neighbours_in_time_differ_more_than_the_head(swebench: Windows) -> None:
    """The head of the board is one tier; ten submissions that follow each other hold weak ones too, and never are."""
    tiers = [window.n_tiers for window in swebench.windows if window.n_tiers is not None]
    assert len(tiers) == 165
    assert (min(tiers), max(tiers)) == (2, 9)
    assert swebench.windows[0].n_tiers == 6
    assert swebench.windows[0].category == "very_low"
    assert swebench.windows[-1].index == pytest.approx(0.84, abs=0.005)


def test_the_window_of_the_latest_models_holds_first_and_fifth(shared: Path) -> None:
    """On AlgoTune first and fifth of the whole board are among the last ten, so that S is the board's 0.5796."""
    rows = pl.read_parquet(shared / "data" / "algotune" / "results.parquet")
    options = ReadOptions(suite="algotune", mapping={"released_at": "date", "verdict": "valid"})
    prepared = prepare(read(rows, options=options), Choice(), Settings())
    found = windows_of(prepared, Settings())
    assert (found.score, found.n_dated, len(found.windows)) == ("objective", 18, 9)
    last = found.windows[-1]
    assert last.index == pytest.approx(0.5796, abs=5e-5)
    assert last.t == pytest.approx(2.601, abs=5e-4)
    assert (last.agents[0], last.agents[4]) == ("gpt-5.2", "gemini-3-pro-preview")
