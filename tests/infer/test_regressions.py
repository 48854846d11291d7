"""Single tasks that became worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from measurand.errors import UsageError
from measurand.infer.claims.regressions import fisher_worse, regressions, trials_needed

if TYPE_CHECKING:
    from random import Random

task = st.integers(0, 7).flatmap(
    lambda new: st.integers(0, 7).flatmap(
        lambda old: st.tuples(st.integers(0, new), st.just(new), st.integers(0, old), st.just(old))
    )
)
suites = st.lists(task, min_size=1, max_size=15)


def columns(tasks: list[tuple[int, int, int, int]]) -> tuple[list[int], ...]:
    return tuple(list(column) for column in zip(*tasks, strict=True))


@given(task)
def test_p_is_that_of_fishers_exact_test(counts: tuple[int, int, int, int]) -> None:
    """One-sided: the new version passes less often."""
    passes, trials, before, trials_before = counts
    table = np.array([[passes, trials - passes], [before, trials_before - before]])
    assert fisher_worse(*counts) == pytest.approx(fisher_exact(table, alternative="less").pvalue)


@given(suites, st.sampled_from([0.01, 0.05, 0.2]))
def test_it_equals_its_naive_twin(tasks: list[tuple[int, int, int, int]], level: float) -> None:
    """Tarone's factor, the testable tasks and the findings by the definition, with every other result of each task tried."""
    found = regressions(*columns(tasks), level=level)
    least = []
    for passes, trials, before, trials_before in tasks:
        both = passes + before
        others = [
            (x, trials, both - x, trials_before) for x in range(trials + 1) if 0 <= both - x <= trials_before
        ]
        least.append(min(fisher_worse(*other) for other in others))
    slack = 1 + 1e-9
    factors = [k for k in range(1, len(tasks) + 1) if sum(p <= level / k * slack for p in least) <= k]
    factor = factors[0]
    worse = [
        fisher_worse(*counts) <= level / factor * slack and p <= level / factor * slack
        for counts, p in zip(tasks, least, strict=True)
    ]
    assert found.worse.tolist() == worse
    assert found.least_p.tolist() == least
    assert found.testable == sum(p <= level / factor * slack for p in least)
    assert (found.p_adjusted <= level * slack).tolist() == worse
    assert (found.reason is None) == (found.testable > 0)


@given(suites, st.randoms())
def test_the_order_of_the_tasks_does_not_matter(
    tasks: list[tuple[int, int, int, int]], random: Random
) -> None:
    """Shuffled tasks give the same findings."""
    order = list(range(len(tasks)))
    random.shuffle(order)
    one, other = regressions(*columns(tasks)), regressions(*columns([tasks[i] for i in order]))
    assert other.worse.tolist() == one.worse[order].tolist()
    assert other.p_adjusted.tolist() == one.p_adjusted[order].tolist()


def test_tasks_that_cannot_be_found_cost_nothing() -> None:
    """A hundred tasks that always pass take no part in the correction: one that fell from 5 of 5 to 0 of 5 is found."""
    found = regressions([0] + [5] * 100, [5] * 101, [5] * 101, [5] * 101)
    assert (found.factor, found.testable, found.n) == (1, 1, 101)
    assert found.worse.tolist() == [True] + [False] * 100


def test_deleted_tasks_stay_in_the_denominator() -> None:
    """A task without a trial of the new version counts, and cannot be found worse."""
    found = regressions([0, 0], [5, 0], [5, 5], [5, 5])
    assert found.n == 2
    assert found.p.tolist()[1] == found.least_p.tolist()[1] == 1.0
    assert found.worse.tolist() == [True, False]


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (
            ([0], [1], [1], [1]),
            "needs at least 3 trials of a task by each; there is 1, and so the least attainable p of a task is 0.5",
        ),
        (([0], [2], [2], [2]), "there are 2"),
        (([0], [0], [2], [2]), "no task with trials in common"),
        (([5, 5], [5, 5], [5, 5], [5, 5]), "no result could have been a finding"),
        (([], [], [], []), "no task"),
    ],
)
def test_where_nothing_can_be_found_it_says_why(counts: tuple[list[int], ...], reason: str) -> None:
    """Too few trials, none in common, or tasks that always pass: no finding, and the reason."""
    found = regressions(*counts)
    assert not found.worse.any()
    assert reason in (found.reason or "")


def test_three_trials_are_just_enough() -> None:
    """All three passed before and none after has p = 1/20, which is at most 5 %."""
    found = regressions([0], [3], [3], [3])
    assert (found.p.tolist(), found.worse.tolist()) == ([0.05], [True])
    assert [trials_needed(level) for level in (0.5, 0.05, 0.01)] == [1, 3, 5]


@pytest.mark.parametrize(
    "counts",
    [
        ([1], [1], [1], [1, 1]),
        ([2], [1], [1], [1]),
        ([-1], [1], [1], [1]),
        ([0.5], [1], [1], [1]),
        ([1], [1], [2], [1]),
    ],
)
def test_wrong_counts_are_refused(counts: tuple[list[int], ...]) -> None:
    """Lengths that differ, more passes than trials, numbers that are not whole."""
    with pytest.raises(UsageError):
        regressions(*counts)


@pytest.mark.slow
@pytest.mark.parametrize("trials", [5, 10])
def test_any_false_finding_is_rare(trials: int) -> None:
    """Two equal versions on 60 tasks: any task is found worse in at most 5 % + 1 point of 1,000 suites."""
    rng = np.random.default_rng(1)
    false = 0
    for _ in range(1_000):
        rate = rng.beta(0.6, 0.6, 60)
        new, old = rng.binomial(trials, rate), rng.binomial(trials, rate)
        false += bool(regressions(new, np.full(60, trials), old, np.full(60, trials)).worse.any())
    assert false / 1_000 <= 0.06
