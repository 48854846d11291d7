"""Single tasks on which a new version is worse than its baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.compare import compare
from measurand.analyze.settings import Settings
from measurand.model.imports import Declaration

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.claims.pair_records import Regressions

QUICK = Settings(resamples=500)


def repeated(cells: dict[str, dict[str, tuple[int, int]]], **same: Any) -> list[dict[str, Any]]:
    """Rows of agents that passed so many of so many trials of each task."""
    return [
        {
            "agent": agent,
            "task": task,
            "trial": str(number),
            "verdict": "pass" if number < passes else "fail",
            **same,
        }
        for agent, tasks in cells.items()
        for task, (passes, trials) in tasks.items()
        for number in range(trials)
    ]


def of(make: Make, rows: list[dict[str, Any]], *declared: Declaration) -> Regressions:
    found = compare(make(rows, *declared), "new", "old", settings=QUICK).regressions
    assert found is not None
    return found


def test_a_task_that_broke_is_found_and_named(make: Make) -> None:
    """Passed five times of five before, never since: worse; others that moved a little are not."""
    found = of(
        make,
        repeated(
            {
                "old": {"t1": (5, 5), "t2": (4, 5), "t3": (0, 5), "t4": (5, 5)},
                "new": {"t1": (0, 5), "t2": (3, 5), "t3": (2, 5), "t4": (5, 5)},
            }
        ),
    )
    assert (found.new, found.baseline, found.tasks, found.found) == ("new", "old", 4, 1)
    assert (found.lower, found.higher) == (2, 1)
    assert [(row.task, row.passes, row.trials, row.baseline_passes, row.found) for row in found.rows] == [
        ("t1", 0, 5, 5, True),
        ("t2", 3, 5, 4, False),
    ]
    assert found.rows[0].p == pytest.approx(1 / 252)
    assert found.reason is None


def test_the_other_direction_is_no_regression(make: Make) -> None:
    """What the new version does better is not listed."""
    found = of(make, repeated({"old": {"t1": (0, 5), "t2": (5, 5)}, "new": {"t1": (5, 5), "t2": (5, 5)}}))
    assert (found.found, found.lower, found.higher, found.rows) == (0, 0, 1, ())


def test_deleted_tasks_count_and_new_ones_do_not(make: Make) -> None:
    """The denominator is the baseline's tasks; both kinds are named."""
    rows = repeated(
        {"old": {"t1": (5, 5), "gone": (5, 5)}, "new": {"t1": (0, 5), "extra": (5, 5)}},
    )
    found = of(make, rows)
    assert (found.tasks, found.deleted, found.added, found.found) == (2, ("gone",), ("extra",), 1)


def test_absence_that_counts_as_failure_is_no_deletion(make: Make) -> None:
    """Where the benchmark says that an absent record is a fail, the task was failed."""
    rows = repeated({"old": {"t1": (1, 1), "gone": (1, 1)}, "new": {"t1": (1, 1)}})
    found = of(make, rows, Declaration(suite="s", absent_is_fail=True))
    assert (found.deleted, found.lower, found.tasks) == ((), 1, 2)
    assert found.rows[0].task == "gone"


def test_trials_without_a_verdict_are_no_regression(make: Make) -> None:
    """A harness that fails says nothing about the agent: the task is not judged, and is counted as such."""
    rows = repeated({"old": {"t1": (5, 5), "t2": (5, 5)}, "new": {"t1": (5, 5)}})
    rows += [
        {"agent": "new", "task": "t2", "trial": str(n), "outcome": "infra_error", "verdict": None}
        for n in range(5)
    ]
    found = of(make, rows)
    assert (found.found, found.lower, found.unjudged, found.deleted) == (0, 0, 1, ())


def test_one_trial_a_task_can_show_nothing(make: Make) -> None:
    """Flips are counted; no task can be found, and the reason says what it takes."""
    found = of(make, repeated({"old": {"t1": (1, 1), "t2": (0, 1)}, "new": {"t1": (0, 1), "t2": (1, 1)}}))
    assert (found.found, found.lower, found.higher, found.most_trials, found.trials_needed) == (0, 1, 1, 1, 3)
    assert "needs at least 3 trials of a task by each; there is 1" in (found.reason or "")


def test_found_tasks_are_all_listed(make: Make) -> None:
    """More than ten tasks broke: each has its row, the least p first, names deciding ties."""
    names = [f"t{n:02}" for n in range(14)]
    found = of(
        make,
        repeated({"old": dict.fromkeys(names, (10, 10)), "new": dict.fromkeys(reversed(names), (0, 10))}),
    )
    assert [row.task for row in found.rows] == names
    assert found.found == 14
    assert found.factor == 14
