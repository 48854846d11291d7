"""A plan from a pilot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.analyze.pilots import QUICK, pilot

from measurand.analyze.design.goal import Goal
from measurand.analyze.design.plan import plan, plan_of
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.infer.design.planning import tasks_needed, to_estimate, to_show
from measurand.infer.design.variance_components import cell_moments, variance_components

if TYPE_CHECKING:
    from tests.analyze.conftest import Make


def test_plan_is_made_of_the_parts_of_the_pilot(make: Make) -> None:
    """Tasks of each design are those of the formula at the pilot's variance components."""
    given_rows = pilot(a=0.7, b=0.5)
    found = plan(make(given_rows), settings=QUICK, goal=Goal(difference=0.1))
    cells = {
        agent: cell_moments(
            [row["verdict"] == "pass" for row in given_rows if row["agent"] == agent],
            [int(row["task"][1:]) for row in given_rows if row["agent"] == agent],
            30,
        )
        for agent in "ab"
    }
    parts = variance_components(cells["a"], cells["b"])
    assert found.spread.between == pytest.approx(parts.between)
    assert found.spread.within_each == pytest.approx(parts.within_each)
    assert (found.agents, found.m, found.size, found.size_given) == (("a", "b"), 2, 0.1, True)
    for design in found.designs:
        assert design.trials is not None
        variance = parts.variance(design.trials)
        assert variance is not None
        assert design.tasks == tasks_needed(to_show(0.1, 2), variance, step=1 / design.trials)
        assert design.total_trials == 2 * design.trials * design.tasks
        assert design.cost_usd == pytest.approx(design.total_trials * 0.5)
        assert design.feasible == (design.tasks <= 30)
        assert design.tasks_low is not None
        assert design.tasks_high is not None
        assert design.tasks_low <= design.tasks_high


def test_best_design_is_the_cheapest_that_fits(make: Make) -> None:
    """No design that there are tasks for costs less; without any it is the cheapest of all."""
    trials = make(pilot(a=0.8, b=0.5))
    found = plan(trials, settings=QUICK)
    assert found.best is not None
    assert found.best.feasible
    fitting = [design for design in found.designs if design.feasible]
    assert found.best.cost_usd == min(design.cost_usd or math.inf for design in fitting)
    assert found.on_suite.trials == min(design.trials or 0 for design in fitting)
    small = plan(trials, settings=QUICK, goal=Goal(difference=0.01))
    assert small.best is not None
    assert not small.best.feasible
    assert small.best.cost_usd == min(design.cost_usd or math.inf for design in small.designs)


def test_trials_asked_for_are_the_only_ones_tried(make: Make) -> None:
    """A list of trials is kept to; by default the number that the tasks need is added."""
    trials = make(pilot(a=0.8, b=0.5))
    asked = plan(trials, settings=QUICK, goal=Goal(trials=(4, 2, 4)))
    assert [design.trials for design in asked.designs] == [2, 4]
    default = plan(trials, settings=QUICK, goal=Goal(difference=0.17))
    assert default.on_suite.trials not in {1, 2, 3, 5, 10, 20, None}
    assert default.on_suite.trials in [design.trials for design in default.designs]


def test_observed_difference_is_flagged_as_optimistic(make: Make) -> None:
    """Without a difference the pilot's own is planned for, with a warning and the numbers at its interval's ends."""
    found = plan(make(pilot(a=0.8, b=0.5)), settings=QUICK)
    assert found.size == pytest.approx(found.observed.value)
    assert "optimistic" in found.notes[0]
    lower, observed, upper = found.scenarios
    assert observed.tasks == (found.best and found.best.tasks)
    assert lower.tasks is None or (upper.tasks or 0) < (observed.tasks or 0) < lower.tasks
    named = plan(make(pilot(a=0.8, b=0.5)), settings=QUICK, goal=Goal(difference=0.2))
    assert named.scenarios == ()
    assert not any("optimistic" in note for note in named.notes)


def test_interval_that_reaches_zero_has_no_number(make: Make) -> None:
    """At an end of the interval that is no difference there is no number of tasks."""
    found = plan(make(pilot(seed=3, tasks=12, a=0.55, b=0.5)), settings=QUICK, goal=Goal(separate=("b", "a")))
    assert found.observed.low is not None
    assert found.observed.high is not None
    assert found.observed.low < 0 < found.observed.high
    assert found.scenarios[0].tasks is None
    assert found.scenarios[0].reason is not None


def test_more_agents_take_more_tasks(make: Make) -> None:
    """The family is that of the table; as a pair named beforehand the two take fewer."""
    trials = make(pilot(a=0.8, b=0.6, c=0.5, d=0.4))
    found = plan(trials, settings=QUICK, goal=Goal(difference=0.2))
    alone = plan(trials, settings=QUICK, goal=Goal(difference=0.2, agents_planned=2))
    assert (found.m, alone.m) == (4, 2)
    assert found.best is not None
    same = next(design for design in alone.designs if design.trials == found.best.trials)
    assert found.tasks_alone == same.tasks < found.best.tasks
    assert alone.tasks_alone is None
    assert plan(trials, settings=Settings(resamples=500, top=3), goal=Goal(difference=0.2)).m == 3


def test_two_agents_can_be_named_by_patterns(make: Make) -> None:
    """The order asked for is kept, a pattern stands for what it fits, and the size is that of the difference."""
    trials = make(pilot(alpha=0.8, beta=0.5, gamma=0.4))
    found = plan(trials, settings=QUICK, goal=Goal(separate=("g*", "alpha")))
    assert found.agents == ("gamma", "alpha")
    assert found.observed.value is not None
    assert found.observed.value < 0
    assert found.size == pytest.approx(-found.observed.value)
    assert found.neighbours == ()


def test_half_width_plans_for_one_agent(make: Make) -> None:
    """The mean of one agent: its own spread, no family, no power, no neighbours."""
    trials = make(pilot(a=0.8, b=0.5))
    found = plan(trials, settings=QUICK, goal=Goal(half_width=0.05, agent="b"))
    assert (found.question, found.agents, found.m, found.power) == ("half_width", ("b",), None, None)
    assert found.best is not None
    assert found.spread.between is not None
    assert found.spread.within is not None
    for design in found.designs:
        variance = found.spread.between + found.spread.within / (design.trials or 1)
        assert design.tasks == tasks_needed(to_estimate(0.05), variance)
        assert design.total_trials == design.tasks * (design.trials or 1)
    assert (found.neighbours, found.scenarios, found.looks, found.tasks_alone) == ((), (), None, None)
    assert plan(trials, settings=QUICK, goal=Goal(half_width=0.05)).agents == ("a",)


def test_time_is_the_wall_time_of_all_trials(make: Make) -> None:
    """Seconds add up over both agents, one trial after the other."""
    data = [{**row, "wall_s": 60.0 if row["agent"] == "a" else 30.0} for row in pilot(a=0.8, b=0.5)]
    found = plan(make(data), settings=QUICK)
    assert found.best is not None
    assert found.best.seconds == pytest.approx(found.best.tasks * (found.best.trials or 0) * 90.0)


def test_dear_tasks_ask_for_more_trials(make: Make) -> None:
    """The dearer a further task, the more trials of it are worth while."""
    trials = make(pilot(a=0.8, b=0.5))
    cheap, dear = (
        plan(trials, settings=QUICK, goal=Goal(difference=0.05, max_tasks=10**6, price_task=price))
        for price in (0.0, 100.0)
    )
    assert cheap.optimal_trials == 0.0
    assert dear.optimal_trials is not None
    assert dear.best is not None
    assert cheap.best is not None
    assert dear.optimal_trials > 3
    assert (dear.best.trials or 0) > (cheap.best.trials or 0) == 1


def test_budget_says_what_it_reaches(make: Make) -> None:
    """A budget buys tasks up to those that there are, and the power and the difference follow."""
    trials = make(pilot(a=0.8, b=0.5))
    found = plan(trials, settings=QUICK, goal=Goal(difference=0.2, budget=40.0))
    for design in found.designs:
        reach = design.within_budget
        assert reach is not None
        assert reach.tasks == min(30, int(40 / (design.trials or 1)))
        assert reach.power is not None
        if design.tasks <= reach.tasks:
            assert reach.power >= 0.8 - 1e-6
            assert (reach.size or math.inf) <= 0.2 + 1e-6
    assert found.best_within_budget is not None
    free = plan(trials, settings=QUICK, goal=Goal(budget=1.0, prices={"*": 0.0}))
    assert free.best_within_budget is not None
    assert free.best_within_budget.within_budget is not None
    assert free.best_within_budget.within_budget.tasks == 30
    nothing = plan(trials, settings=QUICK, goal=Goal(budget=0.1))
    assert nothing.best_within_budget is None


def test_neighbours_of_the_family_are_planned_for(make: Make) -> None:
    """Each agent and the next, with the number of tasks for their own difference."""
    found = plan(make(pilot(a=0.9, b=0.7, c=0.5, d=0.2)), settings=QUICK)
    assert [(row.better, row.worse) for row in found.neighbours] == [("a", "b"), ("b", "c"), ("c", "d")]
    assert all(row.tasks is not None and row.m == 4 for row in found.neighbours)
    first = plan_of(prepare(make(pilot(a=0.9, b=0.7, c=0.5, d=0.2)), Choice(), QUICK), QUICK)
    assert first == found.neighbours[0]


def test_families_are_the_unit_of_new_data(make: Make) -> None:
    """Tasks of a family that fare alike raise the number, and families are counted beside tasks."""
    data = pilot(tasks=40, a=0.8, b=0.5)
    grouped = [{**row, "family": f"f{int(row['task'][1:]) // 5}"} for row in data]
    found = plan(make(grouped), settings=QUICK, goal=Goal(difference=0.1))
    assert (found.spread.unit, found.spread.n_units, found.spread.n_tasks) == ("family", 8, 40)
    assert found.spread.design_effect is not None
    assert all(design.units == math.ceil(design.tasks / 5) for design in found.designs)
    plain = plan(make(data), settings=QUICK, goal=Goal(difference=0.1))
    assert plain.spread.design_effect is None
    ratio = (found.spread.total or 0) / (plain.spread.total or 1)
    assert found.spread.design_effect == pytest.approx(ratio)


def test_looks_give_a_stop_rule(make: Make) -> None:
    """Looks are spread over the inflated number of tasks, and early ones that cannot stop say so."""
    found = plan(make(pilot(a=0.8, b=0.5)), settings=QUICK, goal=Goal(difference=0.2, looks=4))
    looks = found.looks
    assert looks is not None
    assert found.best is not None
    assert looks.most_tasks == looks.looks[-1].tasks == math.ceil(found.best.tasks * looks.inflation)
    assert [look.fraction for look in looks.looks] == [0.25, 0.5, 0.75, 1.0]
    assert looks.looks[-1].spent == pytest.approx(0.05)
    assert looks.looks[0].can_stop == (looks.looks[0].level >= 2.0 ** (1 - looks.looks[0].tasks))
    assert looks.looks[-1].can_stop
    assert looks.expected_tasks < looks.expected_tasks_null <= looks.most_tasks


def test_what_trials_say_besides(make: Make) -> None:
    """One task's half-width, the chance to look consistent, the order, and the best of several."""
    found = plan(make(pilot(a=0.8, b=0.5)), settings=QUICK, goal=Goal(trials=(1, 10)))
    one, ten = found.trials_rows
    assert ten.half_width is not None
    assert round(ten.half_width, 2) == 0.26
    assert (one.unanimous, one.best_of_bias) == (1.0, 0.0)
    assert one.wrong_order is not None
    assert ten.wrong_order is not None
    assert ten.wrong_order < one.wrong_order < 0.5
    assert [(row.wilson, row.wald) for row in found.rate_trials] == [(7, 11), (21, 25), (93, 97), (381, 385)]
    assert [row.trials for row in found.certify_trials] == [11, 29, 59]


def test_graded_scores_are_planned_for_too(make: Make) -> None:
    """Under an objective a difference may exceed 1, and no table speaks of pass rates."""
    rng = np.random.default_rng(2)
    data = [
        {
            "agent": agent,
            "task": f"t{n}",
            "trial": str(k),
            "quantity": float(np.exp(level + rng.normal())),
            "baseline": 1.0,
            "reference": 2.0,
            "better": "higher",
        }
        for agent, level in (("a", 1.0), ("b", 0.5))
        for n in range(20)
        for k in range(2)
    ]
    found = plan(make(data), settings=QUICK, goal=Goal(difference=1.2, looks=2))
    assert found.score == "objective"
    assert found.best is not None
    assert (found.rate_trials, found.trials_rows[0].half_width) == ((), None)
