"""Pilots that cannot tell, costs that nobody knows, goals that make no sense."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyze.pilots import QUICK, pilot, rows

from measurand.analyze.design.goal import Goal
from measurand.analyze.design.plan import plan, plan_of
from measurand.analyze.design.records import Plan
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice
from measurand.errors import UsageError
from measurand.infer.design.planning import tasks_needed, to_show
from measurand.model.imports import Declaration

if TYPE_CHECKING:
    from tests.analyze.conftest import Make


@pytest.mark.parametrize(
    "goal",
    [
        Goal(separate=("a", "a")),
        Goal(separate=("a", "nobody")),
        Goal(separate=("*", "b")),
        Goal(half_width=0.1, agent="nobody"),
        Goal(difference=3),
        Goal(half_width=1),
        Goal(difference=1e-12),
        Goal(prices={"nobody": 1.0}),
    ],
)
def test_goals_that_fit_no_data_are_refused(make: Make, goal: Goal) -> None:
    """Unknown agents, one agent twice, sizes that no two shares can have."""
    with pytest.raises(UsageError):
        plan(make(pilot(a=0.8, b=0.5, c=0.5)), settings=QUICK, goal=goal)


@pytest.mark.parametrize(
    "arguments",
    [
        {"difference": 0},
        {"half_width": math.nan},
        {"budget": -1},
        {"agents_planned": 1},
        {"max_tasks": 1},
        {"trials": ()},
        {"trials": (0,)},
        {"trials": tuple(range(1, 60))},
        {"prices": {"a": -1.0}},
        {"price_task": math.inf},
        {"looks": 0},
        {"spending": "late"},
        {"agent": "a"},
        {"half_width": 0.1, "looks": 2},
        {"half_width": 0.1, "separate": ("a", "b")},
        {"half_width": 0.1, "difference": 0.1},
    ],
)
def test_goals_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Goal(**arguments)


def test_one_trial_of_each_task_plans_tasks_only(make: Make) -> None:
    """Without repeated trials the split is not available, and tasks are planned for at the pilot's trials."""
    found = plan(make(pilot(trials=1, a=0.8, b=0.4)), settings=QUICK, goal=Goal(difference=0.2))
    assert [design.trials for design in found.designs] == [None]
    assert found.best is not None
    assert found.spread.total is not None
    assert found.best.tasks == tasks_needed(to_show(0.2, 2), found.spread.total, step=1)
    assert found.best.total_trials == 2 * found.best.tasks
    assert (found.on_suite.trials, found.on_suite.limit, found.optimal_trials) == (None, None, None)
    assert any("not available: it needs at least 2 trials of a task" in note for note in found.notes)


def test_costs_are_unknown_lower_bounds_or_given(make: Make) -> None:
    """Unmetered is unknown, partly metered is a lower bound, and a price stands above both."""
    data = pilot(a=0.8, b=0.5)
    nothing = plan(make([{**row, "cost_usd": None} for row in data]), settings=QUICK)
    assert nothing.best is not None
    assert (nothing.best.cost_usd, nothing.best.cost_lower_bound) == (None, False)
    half = [{**row, "cost_usd": 0.5 if row["agent"] == "a" else None} for row in data]
    partly = plan(make(half), settings=QUICK, goal=Goal(trials=(2,)))
    assert partly.best is not None
    assert partly.best.cost_usd == pytest.approx(partly.best.tasks * 2 * 0.5)
    assert partly.best.cost_lower_bound
    assert any("lower bounds" in note for note in partly.notes)
    some = [{**row, "cost_usd": 0.5 if row["trial"] == "0" else None} for row in data]
    third = plan(make(some), settings=QUICK)
    assert [price.usd for price in third.prices] == pytest.approx([0.5 / 3, 0.5 / 3])
    priced = plan(
        make(half), settings=QUICK, goal=Goal(trials=(2,), prices={"*": 1.0, "b": 3.0}, price_task=10)
    )
    assert priced.best is not None
    assert priced.best.cost_usd == pytest.approx(priced.best.tasks * (10 + 2 * 4.0))
    assert not priced.best.cost_lower_bound
    assert [(price.usd, price.given) for price in priced.prices] == [(1.0, True), (3.0, True)]


def test_agents_that_share_the_first_place_are_passed_over(make: Make) -> None:
    """Where several are first, the lead planned for is that over the next lower mean."""
    data = rows(a=["pp", "pf", "ff", "pp"], b=["pf", "pp", "ff", "pp"], c=["ff", "pf", "ff", "fp"])
    found = plan_of(prepare(make(data), Choice(), QUICK), QUICK)
    assert found is not None
    assert (found.better, found.worse) == ("a", "c")
    assert plan(make(data), settings=QUICK).agents == ("a", "c")
    assert plan(make(data), settings=QUICK, goal=Goal(difference=0.1)).agents == ("a", "b")


def test_noise_that_hides_the_tasks_is_told(make: Make) -> None:
    """Where the pilot does not tell tasks from noise, nothing is said of what more trials bring on these tasks."""
    data = rows(a=["ppf", "pfp", "fpp", "ppf"] * 3, b=["pff", "fpf", "ffp", "fff"] * 3)
    found = plan(make(data), settings=QUICK)
    assert found.spread.truncated
    assert (found.on_suite.trials, found.on_suite.limit, found.on_suite.least_tasks) == (None, None, None)
    assert found.on_suite.reason is not None
    assert any("below 0" in note for note in found.notes)


def test_equal_neighbours_have_no_number(make: Make) -> None:
    """Two agents that do not differ in the data give a reason instead of a number of tasks."""
    found = plan_of(prepare(make(rows(a=["pf", "pp", "ff"], b=["fp", "pp", "ff"])), Choice(), QUICK), QUICK)
    assert found is not None
    assert (found.tasks, found.difference) == (None, 0.0)
    assert found.reason is not None
    assert plan_of(prepare(make(rows(a=["pf"])), Choice(), QUICK), QUICK) is None


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"a": ["pp", "pf"]}, "needs at least 2 agents"),
        ({"a": ["pp"], "b": ["ff"]}, "needs at least 2 tasks"),
        ({"a": ["pp", "ff", "pf"], "b": ["fp", "ff", "ff"]}, None),
        ({"a": ["pp"] * 4, "b": ["ff"] * 4}, "every task of the pilot differs by the same amount"),
        ({"a": ["ppf", "pff", "pfp"], "b": ["fff", "fff", "fff"]}, None),
        ({"a": ["ppf", "ppf", "pfp"], "b": ["fff", "fff", "fff"]}, "every task of the pilot differs by"),
        ({"a": ["pf", "fp"], "b": ["fp", "pf"]}, "every task of the pilot differs by the same amount"),
        ({"a": ["pp", "ff"], "b": ["ff", "pp"]}, "the pilot shows no difference to plan for"),
        ({"a": ["pp", "pf", "", ""], "b": ["", "", "pp", "ff"]}, "the two agents have no task in common"),
    ],
)
def test_too_little_data_give_a_reason(make: Make, cells: dict[str, list[str]], reason: str | None) -> None:
    """A pilot that cannot tell gives no plan, says what it lacks, and never fails."""
    found = plan(make(rows(**cells)), settings=QUICK)
    if reason is None:
        assert found.best is not None
        return
    assert (found.best, found.designs, found.looks, found.notes) == (None, (), None, ())
    assert found.reason is not None
    assert found.reason.startswith(reason)


def test_trials_without_a_verdict_count_as_in_the_standings(make: Make) -> None:
    """No verdict is not passed, and a planned trial that was never recorded is one more such trial."""
    data = rows(a=["ppp", "ppf", "pff", "fff"], b=["pff", "fff", "ppf", "fff"])
    failed = plan(make(data), settings=QUICK)
    lost = [
        {**row, "verdict": None, "outcome": "infra_error"} if row["verdict"] == "fail" else row
        for row in data
    ]
    assert plan(make(lost), settings=QUICK).spread == failed.spread
    short = [row for row in data if row["verdict"] == "pass" or row["trial"] == "0"]
    again = plan(make(short, Declaration(suite="s", trials=3)), settings=QUICK)
    assert again.spread.within == pytest.approx(failed.spread.within)
    assert again.spread.between == pytest.approx(failed.spread.between)


texts = st.lists(st.text("pf", max_size=3), min_size=1, max_size=7)


@settings(max_examples=60, deadline=None)
@given(
    texts, texts, st.sampled_from([Goal(), Goal(difference=0.1, looks=3, budget=20.0), Goal(half_width=0.1)])
)
def test_plan_is_plain_data_whatever_the_pilot(make: Make, a: list[str], b: list[str], goal: Goal) -> None:
    """Any small pilot gives a record that JSON can hold, with an answer or a reason."""
    if not "".join(a) or not "".join(b):
        return
    found = plan(make(rows(a=a, b=b)), settings=QUICK, goal=goal)
    encoded = msgspec.json.encode(found)
    assert b"NaN" not in encoded
    assert b"Infinity" not in encoded
    assert msgspec.json.decode(encoded, type=Plan) == found
    assert (found.best is None) == (found.reason is not None)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 500), st.sampled_from(["n{}", "z{}", "{} x"]))
def test_names_and_order_change_nothing(make: Make, seed: int, form: str) -> None:
    """Renamed agents in another order of rows give the same plan."""
    data = pilot(seed, tasks=10, trials=2, a=0.8, b=0.3)
    rng = np.random.default_rng(seed)
    renamed = [{**data[i], "agent": form.format(data[i]["agent"])} for i in rng.permutation(len(data))]
    one, other = (plan(make(part), settings=QUICK) for part in (data, renamed))
    assert one.spread == other.spread
    assert [design.tasks for design in one.designs] == [design.tasks for design in other.designs]
