"""Pareto set and upper envelope: exact, against golden values and plain loops."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.cost.pareto import LeadInterval, dominators, pareto_set, upper_envelope

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = ("dominant", "pareto_not_hull", "known_costs", "binary_quality")
Points = list[tuple[int, int]]
points = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=7)


def split(found: Points) -> tuple[list[Fraction], list[Fraction]]:
    return [Fraction(q) for q, _ in found], [Fraction(c) for _, c in found]


def decimal_means(rows: list[list[float]]) -> list[Fraction]:
    """Means of the decimals that the golden file writes, which floats only approximate."""
    return [
        sum((Fraction(str(x)) for x in column), Fraction(0)) / len(rows) for column in zip(*rows, strict=True)
    ]


@pytest.fixture(params=range(len(CASES)), ids=CASES)
def case(request: pytest.FixtureRequest, oracle: Callable[[str], Any]) -> Any:
    found = oracle("pareto_lambda")["cases"][request.param]
    assert found["id"] == CASES[request.param]
    return found


def test_pareto_set_of_the_golden_cases(case: Any) -> None:
    assert list(pareto_set(case["q_mean"], case["c_mean"])) == case["pareto"]


def test_envelope_of_the_golden_cases_to_the_fraction(case: Any) -> None:
    """The ends are the very fractions that exact decimals give."""
    leads = upper_envelope(decimal_means(case["q"]), decimal_means(case["c"]))
    found = {
        agent: (str(lead.low), None if lead.high is None else str(lead.high))
        for agent, lead in enumerate(leads)
        if lead
    }
    assert found == {e["agent"]: (e["lo_exact"], e["hi_exact"]) for e in case["envelope"]}


def test_envelope_of_float_means(case: Any) -> None:
    leads = upper_envelope(case["q_mean"], case["c_mean"])
    assert [agent for agent, lead in enumerate(leads) if lead] == sorted(e["agent"] for e in case["envelope"])
    for expected in case["envelope"]:
        lead = leads[expected["agent"]]
        assert lead is not None
        assert float(lead.low) == pytest.approx(expected["lo"], rel=1e-12)
        if expected["hi"] is None:
            assert lead.high is None
        else:
            assert float(lead.high or 0) == pytest.approx(expected["hi"], rel=1e-12)


@given(points)
def test_pareto_set_is_what_a_plain_loop_finds(found: Points) -> None:
    """Nobody in the set is dominated, and everybody outside is, by the agents that are named."""
    quality, cost = split(found)

    def dominates(j: int, i: int) -> bool:
        return (
            quality[j] >= quality[i] and cost[j] <= cost[i] and (quality[j], cost[j]) != (quality[i], cost[i])
        )

    every = range(len(found))
    assert pareto_set(quality, cost) == tuple(i for i in every if not any(dominates(j, i) for j in every))
    for i, by in enumerate(dominators(quality, cost)):
        assert set(by or ()) == {j for j in every if dominates(j, i)}


@given(points, st.fractions(0, 20))
def test_an_agent_leads_exactly_where_its_interval_says(found: Points, rate: Fraction) -> None:
    """At every exchange rate those with the highest quality - rate·cost hold the rate, ends included."""
    quality, cost = split(found)
    worth = [q - rate * c for q, c in zip(quality, cost, strict=True)]
    for agent, lead in enumerate(upper_envelope(quality, cost)):
        inside = lead is not None and lead.low <= rate and (lead.high is None or rate <= lead.high)
        assert inside == (worth[agent] == max(worth))


@given(points, st.integers(1, 9), st.integers(-5, 5))
def test_units_and_shifts(found: Points, unit: int, shift: int) -> None:
    """Cost in another unit divides the rates; a constant added to all qualities or costs changes nothing."""
    quality, cost = split(found)
    again = upper_envelope([q + shift for q in quality], [c * unit + shift for c in cost])
    for one, two in zip(upper_envelope(quality, cost), again, strict=True):
        assert (one is None) == (two is None)
        if one is not None and two is not None:
            assert two.low == one.low / unit
            assert two.high == (None if one.high is None else one.high / unit)


@given(points, st.data())
def test_order_of_agents(found: Points, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(found))))
    quality, cost = split(found)
    leads = upper_envelope(quality, cost)
    moved = upper_envelope([quality[i] for i in order], [cost[i] for i in order])
    assert moved == tuple(leads[i] for i in order)


def test_equal_points_are_kept_and_lead_together() -> None:
    quality, cost = [0.5, 0.5, 0.25], [2.0, 2.0, 3.0]
    assert pareto_set(quality, cost) == (0, 1)
    everywhere = LeadInterval(Fraction(0), None)
    assert upper_envelope(quality, cost) == (everywhere, everywhere, None)


def test_unknown_cost_is_not_free() -> None:
    """The best agent without a cost has no place, dominates nobody and leads nowhere."""
    quality, cost = [0.9, 0.5, 0.4], [None, 2.0, float("nan")]
    assert pareto_set(quality, cost) == (1,)
    assert dominators(quality, cost) == (None, (), None)
    assert upper_envelope(quality, cost)[0] is None


def test_a_dominated_agent_of_the_best_quality_ties_where_cost_counts_nothing() -> None:
    leads = upper_envelope([1, 1], [1, 2])
    assert leads == (LeadInterval(Fraction(0), None), LeadInterval(Fraction(0), Fraction(0)))


def test_nobody() -> None:
    assert pareto_set([], []) == ()
    assert upper_envelope([], []) == ()


def test_wrong_arguments() -> None:
    with pytest.raises(UsageError, match="2 qualities and 1 costs"):
        pareto_set([1, 2], [1])
    with pytest.raises(InputError, match="the cost is infinite"):
        upper_envelope([1.0], [float("inf")])
