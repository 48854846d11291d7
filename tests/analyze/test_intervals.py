"""Intervals of means by every method, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from measurand.analyze.board import board
from measurand.analyze.intervals import intervals
from measurand.analyze.settings import Settings
from measurand.errors import UsageError
from measurand.infer.means.clusters import clustered_standard_error
from measurand.infer.means.intervals import clopper_pearson, cluster_bootstrap, wilson

if TYPE_CHECKING:
    from tests.analyze.conftest import Case, Make

    from measurand.analyze.interval_records import Intervals, MethodInterval
    from measurand.model.table import Trials

QUICK = Settings(resamples=300)


def passes(make: Make, agents: dict[str, list[list[int]]], **fields: Any) -> Trials:
    """A list of trials for each task of each agent, 1 passed and 0 failed."""
    return make(
        {"agent": agent, "task": f"t{t:03}", "trial": str(k), "verdict": "pass" if x else "fail", **fields}
        for agent, tasks in agents.items()
        for t, trials in enumerate(tasks)
        for k, x in enumerate(trials)
    )


def random_passes(make: Make, tasks: int, trials: int) -> Trials:
    rng = np.random.default_rng(4)
    p = {"ada": 0.7, "bob": 0.5, "cyd": 0.4}
    return passes(make, {a: rng.binomial(1, q, (tasks, trials)).tolist() for a, q in p.items()})


def standing(found: Intervals, agent: str) -> MethodInterval:
    row = next(row for row in found.agents if row.agent == agent)
    (shown,) = [one for one in row.methods if one.standing]
    return shown


@pytest.mark.parametrize(("trials", "name"), [(1, "wilson"), (3, "percentile")])
def test_the_interval_marked_is_that_of_the_standings(make: Make, trials: int, name: str) -> None:
    """Wilson where each task is one pass or fail, else the percentile bootstrap; with the same ends as on the board."""
    data = random_passes(make, 60, trials)
    found, rows = intervals(data, settings=QUICK), board(data, settings=QUICK).standings
    assert [row.agent for row in found.agents] == [row.agent for row in rows]
    for row in rows:
        shown = standing(found, row.agent)
        assert shown.name == name
        assert (shown.interval.low, shown.interval.high) == (row.gate.planned.low, row.gate.planned.high)
    assert ("Wilson's interval" in found.why) == (name == "wilson")


def test_each_method_is_that_of_the_core(make: Make) -> None:
    """Side by side, from the same resamples."""
    data = random_passes(make, 60, 1)
    row = intervals(data, settings=QUICK).agents[0]
    column = (data.frame.filter(agent=row.agent).sort("task")["verdict"] == "pass").cast(int).to_numpy()
    share = wilson(int(column.sum()), 60)
    t = clustered_standard_error(column, np.arange(60))
    boot = [
        cluster_bootstrap(column[:, None], resamples=300, method=m, rng=0).interval(0)
        for m in ("percentile", "bca")
    ]
    expected: list[Any] = [share, *boot, t]
    assert [m.interval.low for m in row.methods] == pytest.approx([one.low for one in expected])
    assert [m.interval.high for m in row.methods] == pytest.approx([one.high for one in expected])
    assert [m.name for m in row.methods] == ["wilson", "percentile", "bca", "t"]
    assert [m.caution for m in row.methods] == [None] * 4


def test_methods_that_do_not_apply_say_why(make: Make) -> None:
    """Wilson takes no means of several trials and no families."""
    several = intervals(random_passes(make, 20, 2), settings=QUICK).agents[0].method("wilson")
    assert (several.interval.low, several.interval.reason) == (
        None,
        "the cells are not each one pass or fail",
    )
    rows = {"ada": [[1], [0], [1], [1], [0], [1]]}
    family = intervals(passes(make, rows, family="f"), settings=QUICK).agents[0]
    assert family.method("wilson").standing
    mixed = make(
        {"task": f"t{t}", "family": f"f{t // 2}", "verdict": "pass" if t % 3 else "fail"} for t in range(8)
    )
    one = intervals(mixed, settings=QUICK).agents[0].method("wilson")
    assert one.interval.reason == "tasks come in families, which Wilson would take as independent"


def test_case_08_has_no_interval_without_width(case: Case) -> None:
    """Case 08: 8 of 8 has Wilson's interval, and neither a bootstrap nor a t-interval; Clopper-Pearson as expected."""
    trials, expected = case("08")
    ibis = intervals(trials, settings=QUICK).agents[0]
    shown = ibis.method("wilson").interval
    assert [shown.low, shown.high] == pytest.approx(expected["wilson"]["ibis"], abs=1e-6)
    for name in ("percentile", "bca", "t"):
        assert ibis.method(name).interval.low is None
        assert "no width" in (ibis.method(name).interval.reason or "")
    for agent, successes in (("ibis", 8), ("jay", 7)):
        exact = clopper_pearson(successes, 8)
        assert [exact.low, exact.high] == pytest.approx(expected["clopper_pearson"][agent], abs=1e-6)


def test_case_10_is_clustered_and_cautious(case: Case) -> None:
    """Case 10: five families are the units of each method, and each says that they are few."""
    trials, expected = case("10")
    found = intervals(trials, settings=QUICK)
    (row,) = found.agents
    assert (found.unit, found.n_units, found.n_tasks) == ("family", 5, 16)
    t = row.method("t").interval
    half = 2.776445 * expected["se_clustered"][0] * (5 / 4) ** 0.5
    assert [t.low, t.high] == pytest.approx([0.625 - half, 1.0])
    for name in ("percentile", "bca", "t"):
        assert "there are 5" in (row.method(name).caution or "")
        assert row.method(name).interval.n == 5


def test_a_score_without_spread_has_no_interval_in_the_standings(make: Make) -> None:
    """The mean of a graded score that never varies stands without interval, and no method is marked."""
    anchors = {"quantity": 2.0, "baseline": 1.0, "reference": 2.0, "better": "higher"}
    found = intervals(passes(make, {"ada": [[1], [1]]}, **anchors), settings=QUICK)
    (row,) = found.agents
    assert row.mean == 1.0
    assert not any(one.standing for one in row.methods)
    assert found.why.endswith("An agent whose units all have one mean has no interval.")


def test_one_task_has_no_spread(make: Make) -> None:
    """Wilson over one task is wide; the others say that one task has no spread."""
    (row,) = intervals(passes(make, {"ada": [[1]]}), settings=QUICK).agents
    assert row.method("wilson").interval.low == pytest.approx(0.2065, abs=1e-4)
    assert row.method("t").interval.reason == "a single task has no spread"
    assert row.method("bca").interval.reason == "all values come from one unit: there is nothing to resample"


def test_differences_are_paired(make: Make) -> None:
    """Task by task over common tasks; a name or a pattern that fits one agent says from whom."""
    data = random_passes(make, 80, 2)
    found = intervals(data, settings=QUICK, against="b*")
    assert [row.agent for row in found.differences] == ["ada", "cyd"]
    assert {row.against for row in found.differences} == {"bob"}
    cells = {
        agent: data.frame.filter(agent=agent)
        .group_by("task")
        .agg(pl.col("verdict").eq("pass").mean())
        .sort("task")["verdict"]
        .to_numpy()
        for agent in ("ada", "bob")
    }
    d = cells["ada"] - cells["bob"]
    first = found.differences[0]
    assert first.difference == pytest.approx(d.mean())
    expected = cluster_bootstrap(d[:, None], resamples=300, method="bca", rng=0).interval(0)
    assert (first.method("bca").interval.low, first.method("bca").interval.high) == pytest.approx(
        (expected.low, expected.high)
    )
    t = clustered_standard_error(d, np.arange(80))
    assert first.method("t").interval.low == pytest.approx(t.low)
    assert not any(one.standing for one in first.methods)
    assert any(note.topic == "Differences" for note in found.methods)


def test_differences_go_over_common_tasks(make: Make) -> None:
    """A task that one of the two lacks does not count."""
    data = passes(make, {"ada": [[1], [1], [0], [1]], "bob": [[0], [1]]})
    (row,) = intervals(data, settings=QUICK, against="ada").differences
    assert (row.agent, row.n_tasks, row.difference) == ("bob", 2, -0.5)


def test_no_differences_of_a_lone_agent(make: Make) -> None:
    assert intervals(passes(make, {"ada": [[1], [0]]}), settings=QUICK, against="ada").differences == ()


def test_wrong_names_are_refused(make: Make) -> None:
    """An agent that is not there, a pattern of several, a method that does not exist."""
    data = random_passes(make, 10, 1)
    with pytest.raises(UsageError, match="no agent is called 'dan'"):
        intervals(data, against="dan")
    with pytest.raises(UsageError, match="fits 3 agents"):
        intervals(data, against="*")
    row = intervals(data, settings=QUICK, against="ada")
    with pytest.raises(UsageError, match="no method 'wald'"):
        row.agents[0].method("wald")
    with pytest.raises(UsageError, match="no method 'wilson'"):
        row.differences[0].method("wilson")
