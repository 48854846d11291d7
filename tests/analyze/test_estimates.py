"""Means with intervals: no width of zero, no number where there is none."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.board import board
from measurand.analyze.settings import Settings
from measurand.infer.means.intervals import wilson

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.records import AgentRow, Estimate

QUICK = Settings(resamples=300)


def rated(make: Make, verdicts: list[list[str]], **fields: Any) -> AgentRow:
    """The only row of a board over one agent; one list a task, one verdict a trial ('none' for no verdict)."""
    rows = [
        {
            "task": f"t{task}",
            "trial": str(trial),
            "outcome": "infra_error" if word == "none" else "completed",
            "verdict": None if word == "none" else word,
            **fields,
        }
        for task, words in enumerate(verdicts)
        for trial, word in enumerate(words)
    ]
    return board(make(rows), settings=QUICK).standings[0]


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_one_trial_a_task_has_the_interval_of_wilson(make: Make, passed: list[bool]) -> None:
    """With one pass or fail a task the interval is Wilson's over the tasks."""
    found = rated(make, [["pass" if each else "fail"] for each in passed]).gate.planned
    expected = wilson(sum(passed), len(passed))
    assert (found.value, found.low, found.high, found.n) == (
        expected.estimate,
        expected.low,
        expected.high,
        len(passed),
    )


words = st.sampled_from(["pass", "fail", "none"])


@settings(deadline=None)
@given(st.lists(st.lists(words, min_size=1, max_size=4), min_size=1, max_size=8), st.booleans())
def test_no_interval_is_without_width(make: Make, verdicts: list[list[str]], family: bool) -> None:  # noqa: FBT001
    """However alike the trials, the interval of a rate has a width, lies in 0..1 and holds the rate."""
    gate = rated(make, verdicts, family="f" if family else None).gate
    found = gate.planned
    assert width(found) > 0
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert gate.low == found.value
    assert gate.high is not None
    assert found.value <= gate.high <= 1
    assert gate.evaluated is None or gate.low <= gate.evaluated <= gate.high + 1e-12


def test_objective_without_spread_has_no_interval_and_says_why(make: Make) -> None:
    """A score that is the same on every task has a mean, no interval, and the reason."""
    anchors = {"quantity": 2.0, "baseline": 1.0, "reference": 2.0, "better": "higher"}
    mean = rated(make, [["pass"], ["pass"], ["pass"]], **anchors).score("objective").mean
    assert (mean.value, mean.low, mean.high) == (1.0, None, None)
    assert mean.reason is not None


def test_agent_without_any_verdict_has_a_rate_of_zero_to_one(make: Make) -> None:
    """Nothing is known of an agent without a verdict: 0 in the headline, no evaluated rate, bounds from 0 to 1."""
    gate = rated(make, [["none"], ["none", "none"]]).gate
    assert (gate.planned.value, gate.evaluated, gate.low, gate.high) == (0.0, None, 0.0, 1.0)
    assert (gate.passes, gate.trials_evaluated, gate.trials_planned) == (0, 0, 3)


def test_tasks_weigh_equally_whatever_their_trials(make: Make) -> None:
    """Trials are averaged within a task, then tasks: 1/1 and 0/9 make one half."""
    gate = rated(make, [["pass"], ["fail"] * 9]).gate
    assert (gate.planned.value, gate.passes, gate.trials_planned) == (0.5, 1, 10)


def test_level_of_the_interval_is_the_complement_of_the_error(make: Make) -> None:
    """A smaller error level gives a wider interval at the level it names."""
    rows = [{"task": str(n), "verdict": ("pass", "fail")[n % 2]} for n in range(10)]
    wide, narrow = (
        board(make(rows), settings=Settings(level=level)).standings[0].gate.planned for level in (0.01, 0.1)
    )
    assert (wide.level, narrow.level) == (0.99, 0.9)
    assert width(wide) > width(narrow)


def test_same_seed_gives_the_same_interval(make: Make) -> None:
    """A bootstrap interval is that of its seed."""
    rows = [
        {"task": str(n), "trial": str(k), "verdict": "pass" if n * n > 7 * k else "fail"}
        for n, k in product(range(40), range(7))
    ]
    one, again, other = (
        board(make(rows), settings=Settings(seed=seed, resamples=300)).standings[0].gate.planned
        for seed in (1, 1, 2)
    )
    assert one == again
    assert one.value == pytest.approx(other.value)
    assert (one.low, one.high) != (other.low, other.high)


@pytest.mark.parametrize(("tasks", "few"), [(49, True), (50, False)])
def test_a_bootstrap_over_few_tasks_says_that_it_is_optimistic(make: Make, tasks: int, few: bool) -> None:  # noqa: FBT001
    """Below the number of tasks from which it claims its level, its method says so; Wilson's never does."""
    several = rated(
        make, [["pass", "fail"] if n % 2 else ["pass", "pass"] for n in range(tasks)]
    ).gate.planned
    assert (several.method or "").endswith("optimistic: claims its level from 50 tasks on") == few
    once = rated(make, [["pass"] if n % 2 else ["fail"] for n in range(tasks)]).gate.planned
    assert once.method == "Wilson over tasks"
