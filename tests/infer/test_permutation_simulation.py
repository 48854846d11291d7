"""How often the max-T test splits agents that are equal."""

from __future__ import annotations

import numpy as np
import pytest

from measurand.infer.permutation import max_t

DATA_SETS = 400


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_equal_agents_are_split_in_five_percent_of_data_sets_at_most(kind: str) -> None:
    """Tasks differ in difficulty, agents do not; 7.5 % allows for the error of 400 data sets."""
    rng = np.random.default_rng(20)
    splits = 0
    for _ in range(DATA_SETS):
        difficulty = rng.random((40, 1))
        if kind == "binary":
            table = (rng.random((40, 8)) < difficulty).astype(np.float64)
        else:
            table = difficulty + rng.standard_normal((40, 8))
        splits += max_t(table, resamples=1_000, max_resamples=1_000, rng=rng).n_significant > 0
    assert splits / DATA_SETS <= 0.075


@pytest.mark.slow
def test_families_keep_the_rate_where_tasks_alone_do_not() -> None:
    """Twelve families of five nearly equal tasks: with the task as the unit equal agents are split far too often."""
    rng = np.random.default_rng(21)
    families = np.repeat(np.arange(12), 5)
    by_family = by_task = 0
    for _ in range(200):
        table = rng.standard_normal((12, 4))[families] + 0.2 * rng.standard_normal((60, 4))
        grouped = max_t(table, families=families, resamples=1_000, max_resamples=1_000, rng=rng)
        by_family += grouped.n_significant > 0
        by_task += max_t(table, resamples=1_000, max_resamples=1_000, rng=rng).n_significant > 0
    assert by_family / 200 <= 0.10
    assert by_task / 200 > 0.3
