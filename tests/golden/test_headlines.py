"""Numbers that benchmarks published, from their trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.headlines.registry import definition
from measurand.analyze.reproduce import Reproduction, reproduce, set_beside
from measurand.model.outcomes import Outcome
from measurand.model.stated import Stated
from measurand.model.table import Trials, trials_frame
from measurand.model.trial import Trial

if TYPE_CHECKING:
    from pathlib import Path

_COEFFICIENTS = {"GPT-5.4": (4.378, -0.52), "Claude Mythos Preview": (5.582, -0.557)}


def agreements(found: Reproduction) -> dict[str, int]:
    kinds = [row.agreement for row in found.rows if row.difference is not None]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def test_harmonic_means_of_algotune(shared: Path) -> None:
    """The official board, to its digits."""
    found = {row.agent: row.ours for row in reproduce("algotune", shared / "samples" / "algotune").rows}
    assert found["gpt-5.2"] == pytest.approx(2.054, abs=5e-4)
    assert found["gemini-3.1-pro-preview"] == pytest.approx(2.016, abs=5e-4)
    assert found["gpt-5.4"] == pytest.approx(1.854, abs=5e-4)


def test_horizons_of_metr(shared: Path) -> None:
    """Success counts of 228 tasks give the coefficients that METR published, to their three decimals."""
    table = pl.read_csv(shared / "data" / "metr_time_horizons" / "task_success_counts.csv")
    trials = [
        Trial(
            suite="metr",
            task=row["task"],
            family=row["task"].partition("/")[0],
            human_minutes=row["human_minutes"],
            agent=row["agent"],
            trial=str(place),
            outcome=Outcome.COMPLETED,
            verdict="pass" if place < row["n_successes"] else "fail",
        )
        for row in table.iter_rows(named=True)
        for place in range(row["n_runs"])
    ]
    stated = [
        Stated(
            agent=agent,
            name="50% time horizon",
            value=2 ** (-intercept / slope),
            unit="minutes",
            where="task_results.yaml: coefficient, intercept",
        )
        for agent, (intercept, slope) in _COEFFICIENTS.items()
    ]
    found = set_beside(Trials(trials_frame(trials)), stated, "metr")
    assert agreements(found) == {"rounding": 2}
    assert found.rows[0].ours == pytest.approx(341.74, abs=0.01)
    assert found.rows[1].ours == pytest.approx(1044.65, abs=0.01)


def test_speedups_of_swefficiency(shared: Path) -> None:
    """Failed tests at the unpatched code give the harmonic mean of the official ratios, agent by agent."""
    table = pl.read_parquet(shared / "data" / "swefficiency" / "results.parquet").filter(
        pl.col("split") == "full"
    )
    trials = [
        Trial(
            suite="swefficiency",
            task=row["task"],
            agent=row["agent"],
            trial="1",
            outcome=Outcome.COMPLETED,
            verdict="pass" if row["passed"] else "fail",
            reference=row["reference"],
            official_score=-1 / row["sr_official"],
        )
        for row in table.iter_rows(named=True)
    ]
    found = {one.agent: one.value for one in definition("swefficiency")(trials_frame(trials), ())}
    expected = table.group_by("agent").agg(pl.len() / (1 / pl.col("sr_official")).sum())
    assert len(found) == expected.height >= 7
    assert found == {agent: pytest.approx(value) for agent, value in expected.iter_rows()}


@pytest.mark.parametrize(
    ("source", "sample", "expected"),
    [
        ("swebench", "swebench_experiments", {"equal": 3}),
        ("swebench", "swebench_harness", {"equal": 2}),
        ("terminal_bench", "terminal_bench", {"equal": 6}),
        ("gso", "gso", {"equal": 8, "rounding": 6}),
        ("gaia", "gaia", {"equal": 2}),
        ("mle_bench", "mle_bench", {"equal": 5}),
        ("weirdml", "weirdml", {"equal": 3, "rounding": 3}),
        ("kernelbench", "kernelbench_hard", {"equal": 6}),
        ("harbor", "harbor", {"counts": 2, "equal": 17, "unexplained": 3}),
    ],
)
def test_what_samples_state(shared: Path, source: str, sample: str, expected: dict[str, int]) -> None:
    """Every stated number that trials define agrees; Harbor's jobs that were killed are resumed under one name."""
    found = reproduce(source, shared / "samples" / sample, on_conflict="no-verdict")
    assert agreements(found) == expected


def test_logs_of_inspect(shared: Path) -> None:
    """What the score that ranks gives is equal; no number of another score is taken for it."""
    assert agreements(reproduce("inspect", shared / "samples" / "inspect_eval")) == {"equal": 5}
    found = agreements(reproduce("inspect", shared / "samples" / "inspect", on_conflict="no-verdict"))
    assert set(found) == {"equal"}
