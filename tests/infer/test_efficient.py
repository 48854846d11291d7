"""Who may be efficient."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.infer.cost.efficient import possibly_efficient
from measurand.infer.cost.exchange import exchange_rates
from measurand.infer.cost.pareto import dominators

NOISE = np.tile([0.0, 0.1], 10)


def test_an_agent_leaves_when_another_is_shown_to_be_better_and_cheaper() -> None:
    """Better alone, or cheaper alone, excludes nobody."""
    quality = np.column_stack([0.8 + NOISE, 0.5 - NOISE, 0.3 + NOISE / 3])
    cost = np.column_stack([2 - NOISE, 3 + NOISE, 1 + NOISE / 2])
    found = possibly_efficient(exchange_rates(quality, cost, rng=0))
    assert found.stays.tolist() == [True, False, True]
    assert found.excluded_by == ((), (0,), ())


def test_ahead_in_the_sample_is_not_shown() -> None:
    """Much better, and cheaper by a hair that is not significant: the other may be efficient."""
    cost = np.column_stack([2 + NOISE, 2 + NOISE[::-1] + 0.001])
    quality = np.column_stack([0.8 + NOISE / 3, 0.5 + NOISE])
    found = exchange_rates(quality, cost, rng=0)
    assert found.p[0, 1] < 0.001
    assert dominators(quality.mean(axis=0).tolist(), cost.mean(axis=0).tolist())[1] == (0,)
    assert possibly_efficient(found).stays.all()


def test_equal_on_every_task_counts_as_not_worse() -> None:
    """Better at the same cost, or cheaper at the same quality, is enough; equal in both is not."""
    cost = np.column_stack([2 + NOISE, 2 + NOISE, 3 - NOISE, 2 + NOISE])
    quality = np.column_stack([0.8 + NOISE, 0.5 - NOISE, 0.8 + NOISE, 0.8 + NOISE])
    found = possibly_efficient(exchange_rates(quality, cost, rng=0))
    assert found.stays.tolist() == [True, False, False, True]
    assert found.excluded_by[1] == (0, 3)


def test_those_who_stay_are_named_first() -> None:
    quality = np.column_stack([0.5 + NOISE, 0.2 - NOISE, 0.9 + NOISE / 2])
    cost = np.column_stack([2 - NOISE, 4 + NOISE, 1 - NOISE / 3])
    found = possibly_efficient(exchange_rates(quality, cost, rng=0))
    assert found.excluded_by == ((2,), (2, 0), ())


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 100_000))
def test_the_sample_front_always_stays(seed: int) -> None:
    """Whoever is efficient by the means may be efficient, and whoever is excluded is dominated by the means."""
    rng = np.random.default_rng(seed)
    quality = rng.integers(0, 2, (12, 5)) * rng.random(5)
    cost = np.round(rng.lognormal(0, 0.3, (12, 5)) * rng.integers(1, 4, 5), 1)
    found = possibly_efficient(exchange_rates(quality, cost, level=0.3, rng=0))
    by_means = dominators(quality.mean(axis=0).tolist(), cost.mean(axis=0).tolist())
    for agent, by in enumerate(found.excluded_by):
        assert set(by) <= set(by_means[agent] or ())


def test_nobody_leaves_where_nothing_can_be_shown() -> None:
    found = possibly_efficient(exchange_rates([[1, 0]] * 3, [[1, 2]] * 3, rng=5))
    assert found.stays.all()
    assert "least attainable p" in (found.reason or "")
    assert (found.level, found.n_units, found.seed) == (0.05, 3, 5)
    assert "beaten in quality and in cost" in found.method
