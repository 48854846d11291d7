"""Average ranks, Friedman's test and Nemenyi's critical difference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from measurand.infer.means.ranks import average_ranks


def test_ranks_and_test_are_those_of_scipy() -> None:
    """With ties, for several shapes."""
    rng = np.random.default_rng(4)
    for n, m in ((5, 3), (30, 8), (12, 4)):
        table = rng.integers(0, 4, (n, m)) / 3
        found = average_ranks(table)
        assert found.ranks == pytest.approx(stats.rankdata(-table, axis=1).mean(axis=0), abs=1e-12)
        friedman = stats.friedmanchisquare(*table.T)
        assert (found.chi2, found.p) == pytest.approx((friedman.statistic, friedman.pvalue), abs=1e-9)


def test_two_agents_give_the_sign_test_without_continuity_correction() -> None:
    """For two agents without ties χ² = (wins - losses)²/n."""
    table = np.array([[1, 0]] * 7 + [[0, 1]] * 3)
    assert average_ranks(table).chi2 == pytest.approx(16 / 10)


def test_critical_difference_is_demsars() -> None:
    """The value for m = 4 at 5 % is 2.569 (Demšar 2006, table 5): with 14 tasks CD = 1.25."""
    found = average_ranks(np.random.default_rng(1).random((14, 4)))
    assert found.critical_difference == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert round(found.critical_difference or 0, 2) == 1.25


def test_nemenyi_of_scikit_posthocs_agrees() -> None:
    """A pair is significant there exactly when its mean ranks are further apart than our critical difference."""
    posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")
    table = np.random.default_rng(3).random((20, 5)) + np.array([0.9, 0.4, 0.2, 0.1, 0.0])
    found = average_ranks(table)
    apart = np.abs(found.ranks[:, None] - found.ranks) > (found.critical_difference or 0)
    p = posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    assert apart.any()
    assert (apart == (p < 0.05)).all()


def test_tasks_that_some_agent_lacks_are_left_out_and_counted() -> None:
    found = average_ranks([[1.0, 0.0], [1.0, np.nan], [0.5, 0.6]])
    assert (found.n, found.dropped) == (2, 1)
    assert found.ranks.tolist() == [1.5, 1.5]


def test_too_little_data_is_said() -> None:
    assert "need 2 agents and 2 tasks" in (average_ranks([[1.0], [2.0]]).reason or "")
    equal = average_ranks(np.ones((4, 3)))
    assert equal.p is None
    assert "equal on every task" in (equal.reason or "")
