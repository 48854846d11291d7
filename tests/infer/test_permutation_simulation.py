"""How often the max-T test splits agents that are equal, and how often its intervals hold; seeds fixed beforehand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from measurand.infer.differences.permutation import NULLS, max_t
from measurand.infer.differences.simultaneous import simultaneous
from measurand.infer.differences.tiers import tiers

if TYPE_CHECKING:
    from measurand.infer.differences.permutation import MaxT

Table = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[np.random.Generator], Table]

DATA_SETS = 1_000
MOST = 0.06
"""The level, and what chance adds to it in a thousand data sets."""


def resampled(table: Table, rng: np.random.Generator, **more: Any) -> MaxT:
    return max_t(table, resamples=1_000, max_resamples=1_000, rng=rng, **more)


def all_equal(rng: np.random.Generator) -> Table:
    """Tasks differ in difficulty, agents do not."""
    return rng.random((40, 1)) + rng.standard_normal((40, 10))


def one_noisy(rng: np.random.Generator) -> Table:
    """The last agent has the mean of all others and twenty times their spread."""
    return rng.standard_normal((13, 10)) * np.where(np.arange(10) == 9, 20.0, 1.0)


def one_far_behind(rng: np.random.Generator) -> Table:
    """The last agent is a hundred standard deviations behind."""
    return rng.standard_normal((40, 30)) - np.where(np.arange(30) == 29, 100.0, 0.0)


def clipped_objective(rng: np.random.Generator) -> Table:
    """ln(speed-up)/ln(reference's), clipped to [0, 3], 0 where the gate failed; the last agent fails everywhere."""
    reference = rng.uniform(0.3, 2.0, (60, 1))
    speed_up = rng.uniform(-0.2, 1.5, (60, 1)) + rng.standard_normal((60, 10))
    passed = rng.random((60, 10)) < 0.85
    return np.where(np.arange(10) == 9, 0.0, np.clip(speed_up / reference, 0.0, 3.0) * passed)


def pass_fail(m: int) -> Draw:
    """Five hundred tasks from hopeless to easy, one trial each."""
    return lambda rng: (rng.random((500, m)) < rng.beta(0.5, 0.5, (500, 1))).astype(np.float64)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "equal", "data_sets", "seed"),
    [
        pytest.param(all_equal, 10, DATA_SETS, 101, id="all equal"),
        pytest.param(one_noisy, 10, DATA_SETS, 102, id="one agent with 20 times the spread"),
        pytest.param(one_far_behind, 29, DATA_SETS, 103, id="one agent 100 standard deviations behind"),
        pytest.param(clipped_objective, 9, DATA_SETS, 104, id="clipped objectives, one agent fails"),
        pytest.param(pass_fail(30), 30, DATA_SETS, 105, id="500 tasks, pass or fail, 30 agents"),
        pytest.param(pass_fail(10), 10, 2_000, 106, id="500 tasks, pass or fail, 10 agents"),
    ],
)
def test_equal_agents_are_split_in_six_percent_of_data_sets_at_most(
    draw: Draw, equal: int, data_sets: int, seed: int
) -> None:
    """Whatever the agents after the first ``equal`` ones do."""
    rng = np.random.default_rng(seed)
    splits = sum(bool(resampled(draw(rng), rng).significant[:equal, :equal].any()) for _ in range(data_sets))
    assert splits / data_sets <= MOST


@pytest.mark.slow
def test_families_keep_the_rate_where_tasks_alone_do_not() -> None:
    """Twelve families of five nearly equal tasks: with the task as the unit equal agents are split far too often."""
    rng = np.random.default_rng(21)
    families = np.repeat(np.arange(12), 5)
    by_family = by_task = 0
    for _ in range(200):
        table = rng.standard_normal((12, 4))[families] + 0.2 * rng.standard_normal((60, 4))
        by_family += resampled(table, rng, families=families).n_significant > 0
        by_task += resampled(table, rng).n_significant > 0
    assert by_family / 200 <= 0.10
    assert by_task / 200 > 0.3


def misses(table: Table, test: MaxT, truth: Table) -> tuple[bool, bool]:
    """Whether some interval of a difference, and whether some rank interval, does not hold."""
    found = simultaneous(table, test, resamples=1_000, rng=1)
    true = truth[test.pairs[:, 0]] - truth[test.pairs[:, 1]]
    outside = (true < found.low) | (true > found.high) | ((true == 0) & found.leaves_out_zero)
    shown = tiers(truth, test.significant)
    best = 1 + (truth[:, None] > truth[None, :]).sum(axis=0)
    worst = len(truth) - (truth[:, None] < truth[None, :]).sum(axis=0)
    ranks = (np.array(shown.rank_low) > best) | (np.array(shown.rank_high) < worst)
    return bool(outside.any()), bool(ranks.any())


def continuous(truth: Table, rng: np.random.Generator) -> Table:
    return truth + rng.random((60, 1)) + rng.standard_normal((60, len(truth)))


def shares(truth: Table, rng: np.random.Generator) -> Table:
    """One pass or fail each on 200 tasks, some of them easier for all."""
    difficulty = rng.uniform(-0.3, 0.3, (200, 1))
    return (rng.random((200, len(truth))) < truth + difficulty).astype(np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(
    ("draw", "truth", "seed"),
    [
        pytest.param(continuous, np.zeros(8), 201, id="all equal"),
        pytest.param(continuous, np.arange(8) * 0.4, 202, id="all different"),
        pytest.param(continuous, np.repeat([0.0, 0.6], 4), 203, id="two groups"),
        pytest.param(shares, np.linspace(0.4, 0.65, 8), 205, id="pass or fail"),
    ],
)
def test_all_intervals_hold_together(
    null: str, draw: Callable[[Table, np.random.Generator], Table], truth: Table, seed: int
) -> None:
    """Differences and ranks of all agents at once, at no less than the level minus two points."""
    rng = np.random.default_rng(seed)
    data_sets = 500 if null == "labels" else DATA_SETS
    counts = np.zeros(2)
    for _ in range(data_sets):
        table = draw(truth, rng)
        counts += misses(table, resampled(table, rng, null=null), truth)
    assert (1 - counts / data_sets >= 0.93).all()


@pytest.mark.slow
def test_intervals_and_claims_hold_each_where_one_pair_is_equal_among_many_that_differ() -> None:
    """There a false claim comes from the last step and a miss from the first, so that both together err more often."""
    rng = np.random.default_rng(204)
    truth = np.array([0.0, 0.0, *np.arange(2, 8) * 2.0])
    claims = plain = both = 0
    for _ in range(DATA_SETS):
        table = continuous(truth, rng)
        test = resampled(table, rng)
        value = simultaneous(table, test, resamples=1_000, rng=1).critical_value
        assert value is not None
        true = truth[test.pairs[:, 0]] - truth[test.pairs[:, 1]]
        claimed = bool(test.significant[0, 1])
        missed = bool((np.abs(test.mean_difference - true) > value * test.difference_error).any())
        claims, plain, both = claims + claimed, plain + missed, both + (claimed or missed)
    assert claims / DATA_SETS <= MOST
    assert plain / DATA_SETS <= MOST
    assert both / DATA_SETS <= 2 * MOST
