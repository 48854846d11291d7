"""Quality against cost of agents with names: who has a place, who leads, what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.board import board
from measurand.analyze.cost.cost_axis import CostAxis
from measurand.analyze.cost.exchange_pair import exchange_of_pair
from measurand.analyze.cost.pareto import pareto, pareto_of
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError
from measurand.model.imports import Declaration

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.cost.records import CostRow, ParetoPart
    from measurand.model.table import Trials

QUICK = Settings(resamples=200)
AGENTS = {"ada": (18, 4.0), "bob": (13, 1.0), "cyd": (9, 2.0), "dan": (15, 3.9)}
"""Agent -> tasks passed of 20, cost of a trial."""


def rows(agents: dict[str, tuple[int, float]] = AGENTS, tasks: int = 20) -> list[dict[str, Any]]:
    return [
        {
            "agent": agent,
            "task": f"t{task:02}",
            "verdict": "pass" if (7 * task) % 20 < passed else "fail",
            "cost_usd": cost * (1 + 0.1 * ((task + passed) % 3)),
        }
        for agent, (passed, cost) in agents.items()
        for task in range(tasks)
    ]


def row(part: ParetoPart, agent: str) -> CostRow:
    return next(found for found in part.agents if found.agent == agent)


def test_who_is_efficient_and_who_leads(make: Make) -> None:
    """Quality is that of the standings; a dominated agent names the best of those who dominate it."""
    found = pareto(make(rows()), settings=QUICK)
    assert [(a.agent, a.quality) for a in found.agents] == [
        ("ada", 0.9),
        ("dan", 0.75),
        ("bob", 0.65),
        ("cyd", 0.45),
    ]
    standings = board(make(rows()), settings=QUICK).standings
    assert [a.agent for a in found.agents] == [a.agent for a in standings]
    assert [a.agent for a in found.agents if a.efficient] == ["ada", "dan", "bob"]
    assert row(found, "cyd").dominated_by == "bob"
    lead = row(found, "ada").lead
    assert lead is not None
    assert lead.low == 0
    assert row(found, "dan").lead is None
    cheap = row(found, "bob").lead
    assert cheap is not None
    assert (cheap.low, cheap.high) == (lead.high, None)
    assert lead.high == pytest.approx((0.9 - 0.65) / (row(found, "ada").cost - row(found, "bob").cost))


def test_what_is_shown_rests_on_one_test(make: Make) -> None:
    """The record names level, family, n and seed; shown leads lie inside those of the means."""
    found = pareto(make(rows()), settings=Settings(resamples=500, seed=3))
    test = found.test
    assert test is not None
    assert (test.family, test.level, test.n_units, test.seed) == (("ada", "dan", "bob", "cyd"), 0.05, 20, 3)
    supported, lead = row(found, "bob").supported, row(found, "bob").lead
    assert supported is not None
    assert lead is not None
    assert supported.low > lead.low
    assert supported.high is None
    assert row(found, "bob").may_be_efficient
    assert any("at most 5%" in note.text and "seed 3" in note.text for note in found.methods)


def test_dominated_agents_are_shown_to_be(make: Make) -> None:
    """Better and cheaper on nearly every task: the other leaves the set, and may lead nowhere."""
    found = pareto(make(rows({"ada": (20, 1.0), "bob": (3, 5.0)})), settings=QUICK)
    worse = row(found, "bob")
    assert (worse.may_be_efficient, worse.excluded_by, worse.may_lead) == (False, ("ada",), ())
    best = row(found, "ada")
    assert best.supported is not None
    assert (best.supported.low, best.supported.high) == (0, None)


def test_unmetered_agents_are_listed_apart(make: Make) -> None:
    """One unknown cost is enough: the rest is a lower bound; an agent without any has none."""
    table = [
        {**r, "cost_usd": None} if r["agent"] == "ada" or (r["agent"] == "dan" and r["task"] == "t03") else r
        for r in rows()
    ]
    found = pareto(make(table), settings=QUICK)
    assert [a.agent for a in found.agents] == ["bob", "cyd"]
    ada, dan = found.apart
    assert (ada.agent, ada.known, ada.at_least, ada.reason) == ("ada", 0, None, "no trial has a known cost")
    assert (dan.known, dan.trials) == (19, 20)
    assert dan.at_least is not None
    assert dan.at_least < 3.9 * 1.1
    assert "19 of 20 trials" in dan.reason
    assert found.n_used == 20


def test_coverage_gives_a_place_on_the_tasks_that_all_have(make: Make) -> None:
    """Then the task of the unknown cost is left out for everybody, and cost per success is a lower bound."""
    table = [{**r, "cost_usd": None} if (r["agent"], r["task"]) == ("dan", "t03") else r for r in rows()]
    found = pareto(make(table), settings=QUICK, axis=CostAxis(coverage=0.9))
    assert (len(found.agents), found.n_used, found.n_tasks) == (4, 19, 20)
    dan, bob = row(found, "dan"), row(found, "bob")
    assert (dan.coverage, dan.per_success_at_least, dan.per_success.low) == (0.95, True, None)
    assert (bob.coverage, bob.per_success_at_least) == (1.0, False)
    assert bob.per_success.low is not None


def test_a_cost_is_the_mean_over_tasks_of_the_mean_over_trials(make: Make) -> None:
    """A task with three trials weighs as much as a task with one; cost per success counts every trial."""
    table = [{"agent": "ada", "task": "t", "trial": str(n), "cost_usd": 1.0} for n in range(3)]
    table += [{"agent": "ada", "task": "u", "cost_usd": 5.0, "verdict": "fail"}]
    found = pareto(make(table), settings=QUICK)
    assert found.agents[0].cost == 3.0
    assert found.agents[0].per_success.value == pytest.approx(8 / 3)


def test_planned_trials_that_were_not_recorded_have_no_known_cost(make: Make) -> None:
    found = pareto(make(rows(), Declaration(suite="s", trials=2)), settings=QUICK)
    assert (found.agents, found.test) == ((), None)
    assert {a.trials for a in found.apart} == {40}
    assert "place" in (found.reason or "")


def test_agents_that_lack_tasks(make: Make) -> None:
    """A few missing tasks are left out for all; an agent that lacks many is listed apart."""
    few = [r for r in rows() if (r["agent"], r["task"]) != ("ada", "t05")]
    assert pareto(make(few), settings=QUICK).n_used == 19
    many = [r for r in rows() if r["agent"] != "ada" or r["task"] > "t09"]
    found = pareto(make(many), settings=QUICK)
    assert found.n_used == 20
    assert [a.agent for a in found.apart] == ["ada"]
    assert "no trial of 10 of 20 tasks" in found.apart[0].reason


def test_no_common_task(make: Make) -> None:
    """Two agents that share no task cannot be placed together."""
    table = [{"agent": a, "task": t, "cost_usd": 1.0} for a, t in (("ada", "t"), ("bob", "u"))]
    found = pareto(make(table), settings=Settings(resamples=200, missing_limit=0.5))
    assert found.agents == ()
    assert "no task has a known cost for every agent" in found.apart[0].reason


def test_logarithm_of_cost(make: Make) -> None:
    """Rates are per doubling; a free task has no logarithm and no place."""
    table = rows({"ada": (18, 4.0), "bob": (13, 1.0)})
    found = pareto(make(table), settings=QUICK, axis=CostAxis(log=True))
    ada, bob = found.agents
    assert ada.log2_cost is not None
    assert bob.log2_cost is not None
    assert ada.log2_cost - bob.log2_cost == pytest.approx(2, abs=0.02)
    assert ada.lead is not None
    assert ada.lead.high == pytest.approx(0.25 / (ada.log2_cost - bob.log2_cost))
    free = [{**r, "cost_usd": 0.0} if (r["agent"], r["task"]) == ("bob", "t00") else r for r in table]
    apart = pareto(make(free), settings=QUICK, axis=CostAxis(log=True)).apart
    assert [a.reason for a in apart] == ["its cost is 0 on 1 task, and 0 has no logarithm"]
    assert pareto(make(free), settings=QUICK).apart == ()


def test_other_meters(make: Make) -> None:
    """Any meter can be the cost; where it is unknown, the others that are recorded are named."""
    table = [{**r, "steps": 10 if r["agent"] == "ada" else 30, "cost_usd": None} for r in rows()]
    found = pareto(make(table), settings=QUICK, axis=CostAxis(meter="steps"))
    assert [a.agent for a in found.agents if a.efficient] == ["ada"]
    assert (found.unit, found.n_fixed) == ("steps", 4)
    assert pareto(make(table), settings=QUICK).other_meters == ("steps",)


def test_only_the_first_agents_are_tested_where_asked(make: Make) -> None:
    """The means speak of all; what is shown, of the tested ones."""
    found = pareto(make(rows()), settings=QUICK, axis=CostAxis(top=2))
    assert found.test is not None
    assert found.test.family == ("ada", "dan")
    assert [a.tested for a in found.agents] == [True, True, False, False]
    assert (row(found, "cyd").may_be_efficient, row(found, "cyd").supported) == (None, None)
    assert row(found, "bob").efficient


def test_pairs_of_few_agents_and_of_efficient_ones(make: Make) -> None:
    """Every ordered pair of ten agents or fewer; of more, those of the efficient ones."""
    assert len(pareto(make(rows()), settings=QUICK).pairs) == 4 * 3
    many = {f"a{n:02}": (10 + (n < 2) * (n + 1), 1.0 + (n < 2) * (n + 1)) for n in range(12)}
    found = pareto(make(rows(many)), settings=QUICK)
    efficient = {a.agent for a in found.agents if a.efficient}
    assert {pair.agent for pair in found.pairs} == efficient
    assert len(found.pairs) == len(efficient) * (len(efficient) - 1)


def test_families_carry_the_signs(make: Make) -> None:
    table = [{**r, "family": r["task"][:2]} for r in rows()]
    test = pareto(make(table), settings=QUICK).test
    assert test is not None
    assert (test.n_units, test.unit) == (2, "family")
    assert "2 families" in (test.reason or "")


def test_part_for_a_board(make: Make) -> None:
    """It is what the command says, and there is none where nothing was metered."""
    trials = make(rows())
    prepared = prepare(trials, Choice(), QUICK)
    part, whole = pareto_of(prepared, QUICK), pareto(trials, settings=QUICK)
    assert part is not None
    assert (part.agents, part.pairs) == (whole.agents, whole.pairs)
    bare = [{key: value for key, value in r.items() if key != "cost_usd"} for r in rows()]
    assert pareto_of(prepare(make(bare), Choice(), QUICK), QUICK) is None


def test_wrong_axes() -> None:
    with pytest.raises(UsageError, match=r"no meter 'cost' .*did you mean 'cost_usd'"):
        CostAxis(meter="cost")
    with pytest.raises(UsageError, match="coverage is 0"):
        CostAxis(coverage=0)
    with pytest.raises(UsageError, match="top is 1"):
        CostAxis(top=1)


def pair_of(trials: Trials, a: str, b: str) -> tuple[Any, Any]:
    return exchange_of_pair(prepare(trials, Choice(), QUICK), a, b, QUICK), exchange_of_pair(
        prepare(trials, Choice(), QUICK), b, a, QUICK
    )


def test_two_agents_named_beforehand(make: Make) -> None:
    """One pair needs less than all pairs do, and the order of the two changes nothing."""
    one, two = pair_of(make(rows()), "ada", "bob")
    assert (one.a_over_b, one.b_over_a) == (two.b_over_a, two.a_over_b)
    assert (one.cost_a, one.cost_b, one.n_tasks) == (two.cost_b, two.cost_a, 20)
    everyone = pareto(make(rows()), settings=QUICK)
    among = next(p for p in everyone.pairs if (p.agent, p.rival) == ("bob", "ada"))
    assert among.supported is not None
    assert one.b_over_a.rates == among.rates
    assert one.b_over_a.supported.low <= among.supported.low
    assert one.test.family == ("ada", "bob")


def test_a_pair_with_an_unknown_cost(make: Make) -> None:
    """The reason names the agent; others of the selection do not matter."""
    table = [{**r, "cost_usd": None} if r["agent"] == "cyd" else r for r in rows()]
    one, _ = pair_of(make(table), "ada", "cyd")
    assert (one.a_over_b, one.test) == (None, None)
    assert one.reason == "cyd: no trial has a known cost"
    assert pair_of(make(table), "ada", "bob")[0].reason is None
