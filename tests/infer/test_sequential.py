"""Looks before the end: bounds, levels, power, and evidence valid at any time."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.design.power import critical_value
from measurand.infer.design.sequential import (
    SPENDINGS,
    Boundaries,
    sign_evidence,
    spending_boundaries,
    spent_level,
)
from measurand.infer.differences.permutation import max_t


def bounds(found: Boundaries) -> list[float]:
    return [look.critical for look in found.looks]


@pytest.mark.parametrize(
    ("spending", "published"),
    [
        ("obf", [4.877, 3.357, 2.680, 2.290, 2.031]),
        ("pocock", [2.438, 2.427, 2.410, 2.397, 2.386]),
    ],
)
def test_published_bounds_of_five_looks(spending: Any, published: list[float]) -> None:
    """The bounds of both spending functions at five equal looks, two-sided 5 %."""
    found = spending_boundaries(5, spending=spending)
    assert bounds(found) == pytest.approx(published, abs=6e-4)
    levels = [2 * NormalDist().cdf(-c) for c in bounds(found)]
    assert [look.level for look in found.looks] == pytest.approx(levels, abs=1e-12)


def test_published_inflation() -> None:
    """Five looks take 2 to 3 % more tasks with late spending and about 21 % more with even spending."""
    assert spending_boundaries(5).inflation == pytest.approx(1.025, abs=0.002)
    assert spending_boundaries(5, spending="pocock").inflation == pytest.approx(1.213, abs=0.002)


def _inside(limits: list[float], times: list[float], drift: float = 0.0) -> float:
    """Probability that Brownian motion stays within the limits at all times, by scipy's multivariate normal."""
    from scipy.stats import multivariate_normal

    covariance = np.minimum.outer(times, times)
    edges = np.array(limits) * np.sqrt(times)
    normal = multivariate_normal(mean=drift * np.array(times), cov=covariance)
    return float(normal.cdf(edges, lower_limit=-edges, rng=np.random.default_rng(1)))


@pytest.mark.parametrize("spending", SPENDINGS)
@pytest.mark.parametrize("times", [[0.5, 1.0], [0.2, 0.3, 1.0], [0.25, 0.5, 0.75, 1.0]])
def test_error_is_spent_as_the_function_says(spending: Any, times: list[float]) -> None:
    """Up to each look the chance to have stopped without a difference is the level spent, by an independent integral."""
    found = spending_boundaries(times, spending=spending)
    for k in range(1, len(times) + 1):
        if bounds(found)[0] > 9:
            continue
        stopped = 1 - _inside(bounds(found)[:k], times[:k])
        expected = spent_level(times[k - 1], spending=spending)
        assert stopped == pytest.approx(expected, abs=2e-5)
        assert found.looks[k - 1].spent == pytest.approx(expected / 0.05)


@pytest.mark.parametrize("m", [2, 10])
def test_power_is_reached_with_the_inflated_number(m: int) -> None:
    """At the drift of the inflated number of tasks the bounds are crossed with the power planned."""
    found = spending_boundaries(3, m=m, power=0.9, spending="pocock")
    drift = (critical_value(m) + NormalDist().inv_cdf(0.9)) * math.sqrt(found.inflation)
    crossed = 1 - _inside(bounds(found), [look.fraction for look in found.looks], drift)
    assert crossed == pytest.approx(0.9, abs=1e-4)


def test_one_look_is_the_plain_test() -> None:
    """With one look at the end there is nothing to pay."""
    for m in (2, 10):
        found = spending_boundaries(1, m=m)
        assert bounds(found) == pytest.approx([critical_value(m)])
        assert found.looks[0].level == pytest.approx(0.05)
        assert (found.inflation, found.expected, found.expected_null) == pytest.approx((1.0, 1.0, 1.0))


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 8), st.integers(2, 12), st.sampled_from(SPENDINGS), st.floats(0.01, 0.2))
def test_bounds_are_in_order(looks: int, m: int, spending: Any, level: float) -> None:
    """Early stopping costs: more tasks at most, fewer on average; no look is easier than the plain test."""
    found = spending_boundaries(looks, m=m, level=level, spending=spending)
    assert min(bounds(found)) >= critical_value(m, level=level)
    assert [look.spent for look in found.looks] == sorted(look.spent for look in found.looks)
    assert found.looks[-1].spent == pytest.approx(1.0)
    assert found.inflation >= 1
    assert found.expected < found.expected_null <= 1
    if spending == "obf":
        assert bounds(found) == sorted(bounds(found), reverse=True)


def test_expected_numbers_are_those_of_simulated_paths() -> None:
    """Average stopping time with and without the difference, over 40,000 Brownian paths."""
    found = spending_boundaries(4, spending="pocock")
    drift = (critical_value(2) + NormalDist().inv_cdf(0.8)) * math.sqrt(found.inflation)
    rng = np.random.default_rng(4)
    for theta, expected in ((drift, found.expected), (0.0, found.expected_null)):
        steps = rng.standard_normal((40_000, 4)) / 2 + theta / 4
        z = np.abs(steps.cumsum(axis=1)) / np.sqrt([look.fraction for look in found.looks])
        stopped = z >= bounds(found)
        stopped[:, -1] = True
        average = (stopped.argmax(axis=1) + 1).mean() / 4
        assert average == pytest.approx(expected, abs=0.005)


def test_nothing_can_be_spent_at_once() -> None:
    """At a very early look the bound is out of reach, and the level below every p-value."""
    found = spending_boundaries([0.002, 1.0])
    assert found.looks[0].critical > 35
    assert found.looks[0].level < 1e-12
    assert found.looks[1].critical == pytest.approx(1.96, abs=1e-3)


def test_spending_functions_at_the_ends() -> None:
    """Nothing is spent at the beginning and everything at the end."""
    for spending in SPENDINGS:
        assert spent_level(0, spending=spending) == 0.0
        assert spent_level(1, level=0.1, spending=spending) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: spending_boundaries(0),
        lambda: spending_boundaries(51),
        lambda: spending_boundaries([]),
        lambda: spending_boundaries([0.5, 0.9]),
        lambda: spending_boundaries([0.5, 0.5, 1.0]),
        lambda: spending_boundaries([0.9999, 1.0]),
        lambda: spending_boundaries(2, power=0),
        lambda: spending_boundaries(2, level=1),
        lambda: spending_boundaries(2, m=1),
        lambda: spending_boundaries(2, spending="late"),  # type: ignore[arg-type]
        lambda: spent_level(1.1),
        lambda: sign_evidence(-1, 0),
        lambda: sign_evidence(1, 0, pairs=0),
    ],
)
def test_wrong_arguments_are_refused(call: Any) -> None:
    with pytest.raises(UsageError):
        call()


@given(st.integers(0, 60))
def test_evidence_has_mean_one_without_a_difference(tasks: int) -> None:
    """After any number of discordant tasks the expected e-value of a fair coin is exactly 1."""
    mean = sum(math.comb(tasks, a) * sign_evidence(a, tasks - a).e for a in range(tasks + 1)) / 2**tasks
    assert mean == pytest.approx(1.0)


@given(st.integers(0, 40), st.integers(0, 40))
def test_evidence_goes_on_from_where_it_was(a: int, b: int) -> None:
    """A further task multiplies the e-value by twice the predicted chance of what happened."""
    before, after = sign_evidence(a, b), sign_evidence(a + 1, b)
    assert after.log_e - before.log_e == pytest.approx(math.log(2 * (a + 0.5) / (a + b + 1)))
    assert before.log_e == pytest.approx(sign_evidence(b, a).log_e)


def test_evidence_beyond_floats() -> None:
    """Overwhelming evidence is infinite, not an overflow, and its p is 0 or next to it."""
    found = sign_evidence(5_000, 0)
    assert found.e == math.inf
    assert found.log_e > 3_000
    assert found.p == 0.0
    assert sign_evidence(0, 0).p == 1.0
    assert sign_evidence(12, 1, pairs=10).p == pytest.approx(10 * sign_evidence(12, 1).p)


@pytest.mark.slow
@pytest.mark.parametrize("spending", SPENDINGS)
def test_looks_keep_the_error_with_the_real_test(spending: Any) -> None:
    """Planned looks split equal agents in 5 % of evaluations (7 % allows for the error of 1,000), unplanned ones in twice as many."""
    found = spending_boundaries(5, spending=spending)
    rng = np.random.default_rng(6)
    sizes = [math.ceil(100 * look.fraction) for look in found.looks]
    planned = naive = 0
    sets = 1_000
    for _ in range(sets):
        table = rng.random((100, 1)) + rng.standard_normal((100, 2))
        p = [
            max_t(table[:size], resamples=1_000, max_resamples=1_000, rng=rng).p_adjusted[0] for size in sizes
        ]
        planned += any(p[k] <= look.level for k, look in enumerate(found.looks))
        naive += min(p) <= 0.05
    assert planned / sets <= 0.07
    assert naive / sets > 0.10


@pytest.mark.slow
@pytest.mark.parametrize("m", [3, 10, 30])
@pytest.mark.parametrize("spending", SPENDINGS)
def test_looks_keep_the_family_wise_error(spending: Any, m: int) -> None:
    """Over all looks together equal agents are split in at most 6 % of evaluations, for large families too."""
    found = spending_boundaries(5, m=m, spending=spending)
    rng = np.random.default_rng(7)
    walks = np.zeros((40_000, m))
    stopped = np.zeros(40_000, dtype=bool)
    for look in found.looks:
        walks += rng.standard_normal(walks.shape) / math.sqrt(5)
        stopped |= np.ptp(walks, axis=1) / math.sqrt(2 * look.fraction) >= look.critical
    assert stopped.mean() <= 0.06


@pytest.mark.slow
def test_evidence_keeps_the_error_when_one_peeks_at_every_task() -> None:
    """Fair coins watched after each of 2,000 tosses reach 1/0.05 in less than 5 % of histories; biased ones do."""
    rng = np.random.default_rng(9)
    for chance, least, most in ((0.5, 0.005, 0.05), (0.6, 0.95, 1.0)):
        a = np.cumsum(rng.random((2_000, 2_000)) < chance, axis=1)
        n = np.arange(1, 2_001)
        from scipy.special import gammaln

        log_e = gammaln(a + 0.5) + gammaln(n - a + 0.5) - gammaln(n + 1) - math.log(math.pi) + n * math.log(2)
        reached = (log_e >= math.log(20)).any(axis=1).mean()
        assert least < reached <= most
        assert log_e[0, -1] == pytest.approx(sign_evidence(int(a[0, -1]), int(2_000 - a[0, -1])).log_e)
