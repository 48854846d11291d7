"""Meters: costs on an axis of their own, with what is not known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.cells import Grid
from measurand.analyze.meters import METERS, meters, per_success, with_tokens
from measurand.analyze.select import select
from measurand.analyze.settings import Choice, Settings
from measurand.score.trials import score_trials

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.records import Estimate, Meter


def metered(make: Make, rows: list[dict[str, Any]]) -> dict[str, dict[str, Meter]]:
    spent = meters(with_tokens(score_trials(make(rows).frame)))
    return {agent: {meter.name: meter for meter in row} for agent, row in spent.items()}


def test_meter_that_nobody_has_is_left_out(make: Make) -> None:
    """Only meters that some trial has are shown, in their order, and then for every agent."""
    found = metered(make, [{"agent": "a", "steps": 3, "cost_usd": 0.5}, {"agent": "b"}])
    assert list(found["a"]) == list(found["b"]) == [name for name in METERS if name in {"cost_usd", "steps"}]
    assert (found["b"]["steps"].total, found["b"]["steps"].known, found["b"]["steps"].trials) == (None, 0, 1)


@pytest.mark.parametrize(
    ("fields", "tokens"),
    [
        ({"total_tokens": 100, "input_tokens": 1, "output_tokens": 1}, 100),
        ({"input_tokens": 10, "output_tokens": 5}, 15),
        ({"input_tokens": 10, "output_tokens": 5, "cached_tokens": 7, "cache_write_tokens": 2}, 24),
        ({"input_tokens": 10, "output_tokens": 5, "reasoning_tokens": 4}, 15),
        ({"input_tokens": 10}, None),
        ({"output_tokens": 10, "cached_tokens": 3}, None),
        ({}, None),
    ],
)
def test_tokens_are_the_sum_of_their_classes(make: Make, fields: dict[str, int], tokens: int | None) -> None:
    """Tokens are what the source sums, else input and output with the cache; half known is unknown."""
    assert with_tokens(make([fields]).frame)["tokens"].to_list() == [tokens]


def test_failed_trials_cost_too(make: Make) -> None:
    """Cost per success is the cost of all trials over the passed ones; without a success there is none."""
    rows = [{"trial": str(n), "cost_usd": 1.0, "verdict": v} for n, v in enumerate(("pass", "fail", None))]
    assert metered(make, rows)["kite"]["cost_usd"].per_success == 3.0
    assert metered(make, rows[1:])["kite"]["cost_usd"].per_success is None


costs = st.lists(st.none() | st.floats(0, 1e6), min_size=1, max_size=12)


@settings(deadline=None)
@given(costs)
def test_mean_times_known_trials_is_the_total(make: Make, values: list[float | None]) -> None:
    """Mean and total reconcile over the metered trials, and unknown ones make the total a lower bound."""
    found = metered(make, [{"trial": str(n), "cost_usd": cost} for n, cost in enumerate(values)])
    known = [cost for cost in values if cost is not None]
    if not known:
        assert found["kite"] == {}
        return
    meter = found["kite"]["cost_usd"]
    assert (meter.known, meter.trials) == (len(known), len(values))
    assert meter.lower_bound is (len(known) < len(values))
    assert meter.total is not None
    assert meter.mean_known is not None
    assert meter.median_known is not None
    assert meter.mean_known * meter.known == pytest.approx(meter.total)
    assert min(known) <= meter.median_known <= max(known)


def successes(make: Make, rows: list[dict[str, Any]]) -> dict[str, Estimate]:
    selection = select(make(rows), Choice())
    grid = Grid(selection, with_tokens(score_trials(selection.frame)), families=True)
    return dict(zip(grid.agents, per_success(grid, "cost_usd", Settings(resamples=500)), strict=True))


def test_cost_per_success_has_an_interval_over_tasks(make: Make) -> None:
    """It is the ratio that the meter shows, with level, method and the number of tasks."""
    rows = [
        {"task": f"t{n}", "cost_usd": 1.0 + n % 4, "verdict": "pass" if n % 3 else "fail"} for n in range(60)
    ]
    found = successes(make, rows)["kite"]
    assert found.value == metered(make, rows)["kite"]["cost_usd"].per_success == 150 / 40
    assert found.low is not None
    assert found.high is not None
    assert found.low < 3.75 < found.high
    assert (found.level, found.n, found.method) == (
        0.95,
        60,
        "percentile bootstrap over tasks, 500 resamples, seed 0",
    )


def test_cost_per_success_of_what_is_not_known(make: Make) -> None:
    """An unmetered trial makes it a lower bound without an interval; without a success there is none."""
    rows = [{"agent": "a", "task": f"t{n}", "cost_usd": 1.0 if n else None} for n in range(4)]
    rows += [{"agent": "b", "task": f"t{n}", "cost_usd": 1.0, "verdict": "fail"} for n in range(4)]
    rows += [
        {"agent": "c", "task": f"t{n}", "cost_usd": 1.0 + n, "verdict": "pass" if n == 2 else "fail"}
        for n in range(4)
    ]
    found = successes(make, rows)
    assert (found["a"].value, found["a"].low, found["a"].reason) == (
        0.75,
        None,
        "the cost of some trials is unknown",
    )
    assert (found["b"].value, found["b"].reason) == (None, "there is no success")
    assert (found["c"].value, found["c"].high) == (10.0, None)
    assert "no upper end" in (found["c"].reason or "")
    assert "optimistic" in (found["c"].method or "")
