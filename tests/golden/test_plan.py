"""Plans from published results: what they say of the gaps on real leaderboards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.analyze.design.goal import Goal
from measurand.analyze.design.plan import plan, plan_of
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.load import read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.design.records import Plan
    from measurand.model.table import Trials


@pytest.fixture(scope="module")
def verified(shared: Path) -> Trials:
    """The submissions of the published top thirty, one trial of each task."""
    data = shared / "data"
    listed = pl.read_csv(data / "swe_abs" / "swe_abs_top30.csv")["submission"]
    results = pl.read_parquet(data / "swebench_verified" / "results.parquet")
    rows = results.with_columns(pl.col("submission").cast(pl.String)).filter(
        pl.col("submission").is_in(listed.to_list())
    )
    return read(rows, options=ReadOptions(suite="swebench-verified", mapping={"agent": "submission"}))


def test_largest_gap_takes_about_ten_thousand_tasks(verified: Trials) -> None:
    """1.4 points among ten agents: thousands of tasks for every pair of neighbours, ten thousand for a typical one."""
    found = plan(verified, goal=Goal(difference=0.014))
    assert (found.m, found.on_suite.tasks, len(found.neighbours)) == (10, 500, 9)
    needed = sorted(row.tasks or 0 for row in found.neighbours)
    assert needed[0] > 5_000
    assert needed[len(needed) // 2] == pytest.approx(10_000, rel=0.25)


def test_one_trial_cannot_be_split(verified: Trials) -> None:
    """With one trial of each task nobody can say what more trials would bring."""
    prepared = prepare(verified, Choice(), Settings())
    found = plan_of(prepared, Settings())
    assert found is not None
    assert found.difference == pytest.approx(0.004)
    assert (found.trials, found.suite_trials, found.limit) == (1.0, None, None)
    assert found.suite_reason is not None
    assert found.suite_reason.startswith("needs at least 2 trials of a task")


@pytest.fixture(scope="module")
def terminal(shared: Path) -> Plan:
    """Terminal-Bench 2.0: 83 submissions, 88 tasks, mostly five trials."""
    counts = pl.read_parquet(shared / "data" / "terminal_bench_2" / "task_counts.parquet")
    rows = counts.select(
        agent=pl.col("submission").cast(pl.String),
        task=pl.col("task").cast(pl.String),
        trial=pl.int_ranges(0, pl.col("trials").cast(pl.Int64)),
        successes=pl.col("successes"),
    ).explode("trial")
    passed = rows.with_columns(passed=(pl.col("trial") < pl.col("successes")).cast(pl.Int8)).drop("successes")
    return plan(read(passed), goal=Goal(difference=0.05))


def test_trials_do_not_replace_tasks(terminal: Plan) -> None:
    """88 tasks show no difference of five points between the first two, however many trials there are."""
    assert (terminal.spread.n_tasks, terminal.on_suite.tasks) == (88, 88)
    assert terminal.on_suite.trials is None
    assert terminal.on_suite.limit == pytest.approx(0.116, abs=0.005)
    assert terminal.on_suite.now == pytest.approx(0.142, abs=0.005)


def test_spread_is_two_thirds_tasks(terminal: Plan) -> None:
    """At five trials two thirds of the variance of a task's difference come from the tasks."""
    spread = terminal.spread
    assert spread.between is not None
    assert spread.total is not None
    assert spread.between / spread.total == pytest.approx(0.66, abs=0.03)
    assert terminal.best is not None
    assert terminal.best.trials == 1
    tasks = [design.tasks for design in terminal.designs]
    assert tasks == sorted(tasks, reverse=True)
