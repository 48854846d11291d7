"""Shown exchange rates: golden values, plain loops over rates and signs, invariances, degenerate data."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from measurand.errors import InputError, UsageError
from measurand.infer.cost.exchange import ExchangeRates, exchange_rates
from measurand.infer.cost.exchange_intervals import rate_intervals

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, np.dtype[np.float64]]
CASES = ("dominant", "pareto_not_hull", "known_costs", "binary_quality")


@pytest.fixture(params=range(len(CASES)), ids=CASES)
def case(request: pytest.FixtureRequest, oracle: Callable[[str], Any]) -> Any:
    found = oracle("pareto_lambda")["cases"][request.param]
    assert found["id"] == CASES[request.param]
    return found


def same(low: float, high: float, expected: list[float | None] | None) -> bool:
    """Compare ends with a golden interval, whose open end is None."""
    if expected is None:
        return bool(np.isnan(low) and np.isnan(high))
    ends = [np.inf if end is None else end for end in expected]
    return [low, high] == pytest.approx(ends, rel=1e-7, abs=1e-12)


def test_intervals_of_the_golden_cases(case: Any) -> None:
    """Pairs, and the leads over all others, at the critical value that the file gives."""
    found = rate_intervals(case["q"], case["c"], case["t_crit"])
    for pair in case["beats"]:
        i, j = pair["i"], pair["j"]
        assert same(float(found.low[i, j]), float(found.high[i, j]), pair["interval"])
    for low, high, expected in zip(*found.leads(), case["lead_interval"], strict=True):
        assert same(float(low), float(high), expected)


def test_test_of_the_golden_cases(case: Any) -> None:
    """The largest r of each ordered pair, its exact p over all sign vectors, and the critical value."""
    found = exchange_rates(case["q"], case["c"], rng=0)
    pairs = [(pair["i"], pair["j"]) for pair in case["beats"]]
    assert found.exact
    assert [found.sup_r[pair] for pair in pairs] == pytest.approx(case["sup_r_obs"], rel=1e-9)
    assert [found.p[pair] for pair in pairs] == case["p_single_step_sup_lambda"]
    assert found.critical_value == pytest.approx(case["crit_t_95"], rel=1e-9)
    assert found.critical_value is not None
    critical_r = found.critical_value / np.sqrt(found.critical_value**2 + found.n_units - 1)
    assert critical_r == pytest.approx(case["crit_r_95"], rel=1e-9)


def t_at(quality: Array, cost: Array, pair: tuple[int, int], rate: float) -> float:
    """Paired t of quality - rate·cost, by the book."""
    i, j = pair
    d = quality[:, i] - quality[:, j] - rate * (cost[:, i] - cost[:, j])
    return float(d.mean() / (d.std(ddof=1) / np.sqrt(len(d))))


def noisy(seed: int, n: int = 12, m: int = 3) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    quality = rng.standard_normal((n, m)) + rng.normal(0, 1.2, m)
    return quality, rng.lognormal(0, 0.5, (n, m)) * np.array([2.0, 1.0, 0.6])[:m] + 0.2 * quality


@given(st.integers(0, 100_000), st.floats(0.2, 6))
def test_t_exceeds_the_critical_value_exactly_inside(seed: int, critical: float) -> None:
    """A loop over exchange rates, near the ends as well as far away, agrees with the intervals."""
    quality, cost = noisy(seed)
    found = rate_intervals(quality, cost, critical)
    rates = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 61)])
    for pair in permutations(range(3), 2):
        low, high = found.low[pair], found.high[pair]
        near = [end * factor for end in (low, high) if np.isfinite(end) for factor in (1 - 1e-6, 1 + 1e-6)]
        for rate in (*rates, *near):
            inside = (low < rate or rate == low == 0) and rate < high
            assert inside == (t_at(quality, cost, pair, float(rate)) > critical)


def naive_sup(gain: Array, saving: Array) -> float:
    """Largest r over a fine grid of directions between quality alone and cost alone."""
    angles = np.linspace(0, np.pi / 2, 20_001)
    scale = np.sqrt((gain @ gain) / (saving @ saving))
    d = np.cos(angles) * gain[:, None] + np.sin(angles) * saving[:, None] * scale
    return float((d.sum(axis=0) / np.sqrt(len(d) * (d * d).sum(axis=0))).max())


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 100_000))
def test_closed_form_is_the_maximum_over_all_rates(seed: int) -> None:
    quality, cost = noisy(seed, n=7)
    found = exchange_rates(quality, cost, rng=0)
    for i, j in permutations(range(3), 2):
        grid = naive_sup(quality[:, i] - quality[:, j], cost[:, j] - cost[:, i])
        assert found.sup_r[i, j] == pytest.approx(grid, abs=1e-6)


def test_p_counts_sign_vectors() -> None:
    """All 2^6 sign vectors one by one, each with a grid of rates, give the p that the matrix products give."""
    quality, cost = noisy(5, n=6)
    pairs = list(permutations(range(3), 2))
    maxima = []
    for signs in product((1.0, -1.0), repeat=6):
        e = np.array(signs)
        maxima.append(
            max(
                naive_sup(e * (quality[:, i] - quality[:, j]), e * (cost[:, j] - cost[:, i]))
                for i, j in pairs
            )
        )
    found = exchange_rates(quality, cost, rng=0)
    assert (found.exact, found.resamples) == (True, 32)
    for pair in pairs:
        r = found.sup_r[pair]
        expected = np.mean(np.array(maxima) >= r - 1e-6) if r > 0 else 1.0
        assert found.p[pair] == expected


def test_drawn_signs_come_near_the_exact_p() -> None:
    quality, cost = noisy(3, n=14)
    exact, drawn = (exchange_rates(quality, cost, resamples=b, rng=4) for b in (10_000, 6_000))
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.02)
    assert drawn.critical_value == pytest.approx(exact.critical_value, rel=0.03)


def table(found: ExchangeRates) -> list[Array]:
    return [found.low, found.high, found.p, found.sup_r, found.dominates.astype(float)]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 100_000), st.data())
def test_order_of_tasks_and_agents(seed: int, data: st.DataObject) -> None:
    quality, cost = noisy(seed, n=9)
    agents = data.draw(st.permutations(range(3)))
    tasks = data.draw(st.permutations(range(9)))
    one = exchange_rates(quality, cost, rng=0)
    two = exchange_rates(quality[tasks][:, agents], cost[tasks][:, agents], rng=0)
    for before, after in zip(table(one), table(two), strict=True):
        assert after == pytest.approx(before[np.ix_(agents, agents)], rel=1e-9, nan_ok=True)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 100_000), st.floats(0.001, 1000), st.floats(0.001, 1000))
def test_units(seed: int, score: float, money: float) -> None:
    """Rates are score per cost; p knows no unit; what is added to all agents of a task goes away."""
    quality, cost = noisy(seed, n=9)
    one = exchange_rates(quality, cost, rng=0)
    two = exchange_rates(quality * score + np.arange(9)[:, None] * score, cost * money + money, rng=0)
    assert two.p == pytest.approx(one.p)
    assert two.low == pytest.approx(one.low * score / money, rel=1e-7, nan_ok=True)
    assert two.high == pytest.approx(one.high * score / money, rel=1e-7, nan_ok=True)


small = arrays(np.float64, (8, 3), elements=st.integers(0, 2).map(float))


@settings(deadline=None)
@given(small, small)
def test_statements_agree_with_each_other(quality: Array, cost: Array) -> None:
    """Also where ties abound.

    An interval is there exactly when p is small, no two agents beat each other at one rate, and who is shown to dominate
    beats at every rate and is beaten at none.
    """
    found = exchange_rates(quality, cost, level=0.2, rng=0)
    there = ~np.isnan(found.low)
    assert (there <= (found.p <= 0.2)).all()
    if found.reason is None:
        assert (there == (found.p <= 0.2)).all()
    for i, j in permutations(range(3), 2):
        if there[i, j] and there[j, i]:
            assert found.high[i, j] <= found.low[j, i] or found.high[j, i] <= found.low[i, j]
        if found.dominates[i, j]:
            assert np.isinf(found.high[i, j])
            assert found.low[i, j] == 0
            assert not there[j, i]


def test_equal_costs_leave_quality_alone() -> None:
    """Then every exchange rate asks the same question, that of the sign-flip test on quality."""
    quality, _ = noisy(1, n=10, m=2)
    found = exchange_rates(quality, np.full((10, 2), 3.0), rng=0)
    assert found.same_cost.all()
    d = quality[:, 0] - quality[:, 1]
    flips = np.array(list(product((1.0, -1.0), repeat=10))) @ d
    assert found.p.min() == np.mean(np.abs(flips) >= abs(d.sum()) * (1 - 1e-9))
    better = int(d.sum() < 0)
    if found.p.min() <= 0.05:
        assert (found.low[better, 1 - better], found.high[better, 1 - better]) == (0, np.inf)


def test_equal_quality_leaves_cost_alone() -> None:
    """The cheaper one is ahead at every rate above 0; at 0 the two are level."""
    cost = np.column_stack([np.linspace(1, 2, 10), np.linspace(3, 5, 10)])
    found = exchange_rates(np.ones((10, 2)), cost, rng=0)
    assert (found.low[0, 1], found.high[0, 1]) == (0, np.inf)
    assert found.dominates.tolist() == [[False, True], [False, False]]


def test_cost_in_proportion_to_quality() -> None:
    """Twice the gain in quality is the gain in cost: ahead below one half, behind above, whatever the data."""
    gain = np.linspace(0.5, 1.5, 10)
    found = exchange_rates(np.column_stack([gain, 0 * gain]), np.column_stack([2 * gain, 0 * gain]), rng=0)
    assert found.high[0, 1] == pytest.approx(0.5)
    assert found.low[1, 0] == pytest.approx(0.5)
    assert found.sup_r[0, 1] == pytest.approx(found.sup_r[1, 0])


def test_better_and_cheaper_in_proportion() -> None:
    gain = np.linspace(0.5, 1.5, 10)
    found = exchange_rates(np.column_stack([gain, 0 * gain]), np.column_stack([0 * gain, 3 * gain]), rng=0)
    assert (found.low[0, 1], found.high[0, 1]) == (0, np.inf)
    assert found.dominates[0, 1]


def test_constant_differences_are_ordinary_largest_values() -> None:
    """Fixed quality and fixed cost: known without error, once there are tasks enough for the sign flips."""
    quality, cost = np.tile([0.8, 0.5], (8, 1)), np.tile([3.0, 1.0], (8, 1))
    found = exchange_rates(quality, cost, rng=0)
    assert found.fixed_cost.all()
    assert found.high[0, 1] == pytest.approx(0.15)
    assert found.low[1, 0] == pytest.approx(0.15)
    assert exchange_rates(quality[:5], cost[:5], rng=0).reason is not None


def test_rounding_is_no_difference() -> None:
    """Costs that differ in the last digits, as means taken in another order do, are equal."""
    quality, _ = noisy(2, n=10, m=2)
    cost = np.full((10, 2), 0.1)
    cost[::2, 0] = 0.1 + 2e-17 + 1e-17
    cost[1::3, 0] = np.nextafter(0.1, 1)
    assert exchange_rates(quality, cost, rng=0).same_cost.all()


def test_families_share_a_sign() -> None:
    """Two copies of each task in one family say what the tasks alone say, and no more."""
    quality, cost = noisy(8, n=9)
    one = exchange_rates(quality, cost, rng=0)
    two = exchange_rates(
        np.repeat(quality, 2, axis=0), np.repeat(cost, 2, axis=0), families=np.repeat(np.arange(9), 2), rng=0
    )
    assert (two.n_tasks, two.n_units) == (18, 9)
    for before, after in zip(table(one), table(two), strict=True):
        assert after == pytest.approx(before, rel=1e-9, nan_ok=True)


def test_tasks_with_a_missing_cell_are_left_out() -> None:
    quality, cost = noisy(4, n=12)
    gaps_q, gaps_c = quality.copy(), cost.copy()
    gaps_q[3, 0], gaps_c[7, 2] = np.nan, np.nan
    found = exchange_rates(gaps_q, gaps_c, families=np.arange(12) // 2, rng=0)
    kept = [t for t in range(12) if t not in {3, 7}]
    again = exchange_rates(quality[kept], cost[kept], families=np.arange(12)[kept] // 2, rng=0)
    assert (found.n_tasks, found.n_dropped) == (10, 2)
    assert found.p.tolist() == again.p.tolist()


def test_leads_and_rates_at_which_nobody_beats() -> None:
    """A grid of rates: who beats all, and whom nobody beats."""
    quality, cost = noisy(21, n=40)
    quality += np.array([0.0, -1.0, -2.0])
    found = exchange_rates(quality, cost, rng=1)
    assert found.critical_value is not None
    low, high = found.leads()
    free = found.unbeaten()
    for rate in np.geomspace(1e-3, 1e3, 400):
        beats = np.array(
            [
                [i != j and t_at(quality, cost, (i, j), rate) > found.critical_value for j in range(3)]
                for i in range(3)
            ]
        )
        for i in range(3):
            assert beats[i].sum() == 2 if low[i] < rate < high[i] else beats[i].sum() < 2
            assert any(a <= rate <= b for a, b in free[i]) == (not beats[:, i].any())


def test_what_little_data_leave_open() -> None:
    """No interval and no exclusion where nothing can be shown, and the reason says why."""
    quality, cost = noisy(1, n=4)
    few = exchange_rates(quality, cost, rng=0)
    assert few.reason == "with 4 tasks the least attainable p is 0.125: nothing can be shown at 5 %"
    assert few.critical_value is None
    assert np.isnan(few.low).all()
    assert not few.dominates.any()
    family = exchange_rates(*noisy(1, n=12), families=np.arange(12) // 4, rng=0)
    assert "3 families" in (family.reason or "")
    alone = exchange_rates(quality[:, :1], cost[:, :1], rng=0)
    assert "one agent" in (alone.reason or "")
    nobody = exchange_rates(quality[:, :0], cost[:, :0], rng=0)
    assert "no agent" in (nobody.reason or "")
    assert "no task" in (exchange_rates(quality[:0], cost[:0], rng=0).reason or "")
    assert "no two agents differ" in (exchange_rates(np.ones((9, 2)), np.ones((9, 2)), rng=0).reason or "")
    sparse = exchange_rates(*noisy(1, n=30), resamples=9, rng=0)
    assert "9 resamples" in (sparse.reason or "")


def test_leads_as_constant_as_any_need_more_tasks() -> None:
    """Two pairs that differ on each of six tasks: in 2 of 32 sign vectors one of them is ahead on all six."""
    one, two = np.array([1.0, 1, 1, 0, 0, 0]), np.array([1.0, 0, 1, 0, 1, 0])
    found = exchange_rates(np.column_stack([one, 1 - one, two, 1 - two]), np.ones((6, 4)), rng=0)
    assert "too often" in (found.reason or "")
    assert found.critical_value is None


def test_skewed_costs_are_named() -> None:
    """One dear task in thirty makes the costs of a pair skew, and the level a matter of luck."""
    quality, cost = noisy(1, n=30)
    assert exchange_rates(quality, np.round(cost), rng=0).caution is None
    cost[4, 0] += 500
    assert "skewness of 5.2 over 30 tasks" in (exchange_rates(quality, cost, rng=0).caution or "")


def test_record_of_the_test() -> None:
    found = exchange_rates(*noisy(1, n=30), resamples=200, rng=7)
    assert (found.resamples, found.seed, found.level, found.n_units) == (200, 7, 0.05, 30)
    assert "drawn at random" in found.method
    assert exchange_rates(*noisy(1, n=30), resamples=200, rng=np.random.default_rng(7)).seed is None


def test_wrong_arguments() -> None:
    quality, cost = noisy(1)
    with pytest.raises(UsageError, match="quality has the shape"):
        exchange_rates(quality, cost[:, :2], rng=0)
    with pytest.raises(UsageError, match="resamples is 0"):
        exchange_rates(quality, cost, resamples=0, rng=0)
    with pytest.raises(UsageError, match="level is 1"):
        exchange_rates(quality, cost, level=1, rng=0)
    with pytest.raises(UsageError, match="one family id a task"):
        exchange_rates(quality, cost, families=[1, 2], rng=0)
    with pytest.raises(InputError, match="infinite"):
        exchange_rates(quality, np.full_like(cost, np.inf), rng=0)
    with pytest.raises(UsageError, match="critical_value is -1"):
        rate_intervals(quality, cost, -1)
