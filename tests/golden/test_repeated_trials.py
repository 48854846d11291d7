"""Published results with repeated trials: tau-bench's pass^k, and Terminal-Bench's many submissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from measurand.analyze.repeats.reliability import reliability
from measurand.analyze.settings import Settings
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.repeats.records import Reliability

QUICK = Settings(resamples=200)


def test_tau_bench_airline(shared: Path) -> None:
    """pass^1 to pass^4 of the published GPT-4o trajectories are those of the benchmark's table: .420, .273, .220, .200."""
    found = reliability(read(shared / "data" / "tau_bench" / "trials.csv"), settings=QUICK)
    (row,) = found.agents
    assert [round(point.all_pass.value or 0, 3) for point in row.passes] == [0.420, 0.273, 0.220, 0.200]
    assert {point.n_tasks for point in row.passes} == {50}
    assert row.gate.planned.value == pytest.approx(0.42)
    assert row.d3_max.value == pytest.approx(0.82)
    assert row.d3_max_label == "moderately consistent"


@pytest.fixture(scope="module")
def leaderboard(shared: Path) -> tuple[Reliability, pl.DataFrame]:
    """Terminal-Bench 2.0: every trial of 83 submissions, from the passes of each cell."""
    counts = pl.read_parquet(shared / "data" / "terminal_bench_2" / "task_counts.parquet").with_columns(
        pl.col("submission", "task").cast(pl.String), pl.col("successes", "trials").cast(pl.Int64)
    )
    trials = counts.with_columns(
        trial=pl.int_ranges(0, pl.col("trials")),
    ).explode("trial")
    rows = trials.with_columns(passed=pl.col("trial") < pl.col("successes")).drop("successes", "trials")
    options = ReadOptions(suite="terminal-bench-2", mapping={"agent": "submission"})
    return reliability(read(rows, options=options), settings=QUICK), counts


def test_rates_are_the_published_means_over_tasks(
    shared: Path, leaderboard: tuple[Reliability, pl.DataFrame]
) -> None:
    """D1 and pass@1 of each of 83 submissions."""
    found, _ = leaderboard
    published = pl.read_csv(shared / "data" / "terminal_bench_2" / "submissions.csv")
    means = dict(published.select("submission", "task_mean").iter_rows())
    assert len(found.agents) == len(means) == 83
    for row in found.agents:
        assert row.gate.planned.value == pytest.approx(means[row.agent], abs=1e-4)
        first = row.point(1)
        assert first is not None
        assert first.any_passes.value == pytest.approx(row.gate.planned.value)


def test_figures_of_the_leaderboard_by_another_way(leaderboard: tuple[Reliability, pl.DataFrame]) -> None:
    """D3, agreement, flips, pass@5 and pass^5 as the dataframe library computes them from the counts."""
    found, counts = leaderboard
    p, k, c = pl.col("successes") / pl.col("trials"), pl.col("trials"), pl.col("successes")
    expected = counts.group_by("submission").agg(
        d3=((2 * p - 1) ** 2).filter(k >= 2).mean(),
        unbiased=(1 - 4 * k / (k - 1) * p * (1 - p)).filter(k >= 2).mean(),
        flips=((c > 0) & (c < k)).filter(k >= 2).mean(),
        all_pass=pl.when(k == 5)
        .then(c == 5)
        .otherwise((c - 5).clip(0, 1) * (c == 6) + (c == 5) / 6)
        .filter(k >= 5)
        .mean(),
    )
    by_name = {row["submission"]: row for row in expected.iter_rows(named=True)}
    shown = 0
    for row in found.agents:
        other = by_name[row.agent]
        assert row.d3.value == pytest.approx(other["d3"])
        assert row.d3_unbiased.value == pytest.approx(other["unbiased"])
        assert row.flip_rate.value == pytest.approx(other["flips"])
        point = row.point(5)
        if point is not None and point.all_pass.value is not None:
            shown += 1
            assert point.all_pass.value == pytest.approx(other["all_pass"])
    assert shown > 70


def test_the_leading_submissions_still_flip(leaderboard: tuple[Reliability, pl.DataFrame]) -> None:
    """Five trials each: among the first ten, every one fails some task that it also passes, on a tenth of the tasks or more."""
    found, _ = leaderboard
    flips = np.array([row.flip_rate.value for row in found.agents[:10]], dtype=np.float64)
    assert found.size == 5
    assert flips.min() > 0.1
    assert all("k_below_10" in row.flags for row in found.agents)
