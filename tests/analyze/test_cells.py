"""Cells: means over the trials of an agent on a task, planned and evaluated, with every denominator counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.cells import Grid
from measurand.analyze.select import select
from measurand.analyze.settings import Choice
from measurand.errors import ValueRangeError
from measurand.model.imports import Declaration
from measurand.score.trials import score_trials

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.model.table import Trials


def grid(trials: Trials, *, families: bool = True) -> Grid:
    selection = select(trials, Choice())
    return Grid(selection, score_trials(selection.frame), families=families)


def runs(verdicts: str, agent: str = "a", task: str = "t") -> list[dict[str, Any]]:
    """Trials of one cell: p passed, f failed, a dot has no verdict."""
    words = {"p": ("completed", "pass"), "f": ("completed", "fail"), ".": ("infra_error", None)}
    return [
        {"agent": agent, "task": task, "trial": str(n), "outcome": words[v][0], "verdict": words[v][1]}
        for n, v in enumerate(verdicts)
    ]


def test_three_rates_of_one_cell(make: Make) -> None:
    """Of five trials two passed, one failed, two have no verdict: 2/5 planned, 2/3 evaluated, 4/5 at most."""
    found = grid(make(runs("ppf..")))
    cells = found.cells("gate")
    assert (found.planned.item(), found.evaluated().item()) == (5, 3)
    assert (cells.planned.item(), cells.evaluated.item()) == (0.4, 2 / 3)
    assert found.upper("gate").item() == 0.8


def test_declared_trials_are_planned(make: Make) -> None:
    """Trials that the source planned and did not record have no verdict; recorded ones beyond the plan count."""
    plan = Declaration(suite="s", trials=4)
    found = grid(make([*runs("pf", task="t"), *runs("ppppp", task="u")], plan))
    assert found.planned.tolist() == [[4], [5]]
    assert found.cells("gate").planned.tolist() == [[0.25], [1.0]]
    assert found.cells("gate").evaluated.tolist() == [[0.5], [1.0]]
    assert found.upper("gate").tolist() == [[0.75], [1.0]]


def test_task_never_attempted_is_a_missing_cell(make: Make) -> None:
    """What an agent never attempted is missing, not failed, even where trials are declared."""
    found = grid(make([*runs("p", "a", "t"), *runs("p", "b", "u")], Declaration(suite="s", trials=3)))
    assert np.isnan(found.cells("gate").planned).tolist() == [[False, True], [True, False]]
    assert found.planned.tolist() == [[3, 0], [0, 3]]


def test_absence_fails_where_the_benchmark_says_so(make: Make) -> None:
    """Where absence is failure, absent tasks are planned, evaluated and failed; undisclosed tasks are padded."""
    plan = Declaration(suite="s", tasks=4, trials=2, absent_is_fail=True)
    found = grid(make([*runs("pp", "a", "t"), *runs("pp", "b", "u")], plan))
    assert found.unlisted == 2
    assert found.tasks == ("t", "u", "(unlisted task 1)", "(unlisted task 2)")
    assert found.cells("gate").planned.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]
    assert found.cells("gate").evaluated.tolist() == found.cells("gate").planned.tolist()
    assert found.planned.sum() == found.evaluated().sum() == 16


def test_more_tasks_than_declared_pad_nothing(make: Make) -> None:
    """A declaration of fewer tasks than are recorded adds none and takes none away."""
    found = grid(make(runs("p"), Declaration(suite="s", tasks=0, absent_is_fail=True)))
    assert (found.unlisted, found.tasks) == (0, ("t",))


def test_unknown_objective_counts_as_nothing_in_the_headline(make: Make) -> None:
    """A valid trial without a quantity is 0 in the headline of the objective, and left out of its evaluated mean."""
    anchors = {"baseline": 1.0, "reference": 2.0, "better": "higher"}
    rows = [{"trial": "1", "quantity": 4.0, **anchors}, {"trial": "2", **anchors}]
    cells = grid(make(rows)).cells("objective")
    assert (cells.planned.item(), cells.evaluated.item()) == (1.0, 2.0)


def test_families_are_numbered_and_lone_tasks_stand_alone(make: Make) -> None:
    """A task without a family is its own; without any family there are none."""
    rows = [
        {"task": task, "family": family} for task, family in zip("tuvw", ("x", None, "x", None), strict=True)
    ]
    codes = grid(make(rows)).families
    assert codes is not None
    assert codes.tolist() == [0, 1, 0, 2]
    assert grid(make(rows), families=False).families is None
    assert grid(make([{"task": "t"}])).families is None


def test_family_named_by_one_row_holds_for_the_task(make: Make) -> None:
    """A family that only some rows of a task name is the family of the task."""
    rows = [
        {"task": "t", "agent": "a", "family": "x"},
        {"task": "t", "agent": "b"},
        {"task": "u", "agent": "b", "family": "x"},
    ]
    codes = grid(make(rows)).families
    assert codes is not None
    assert codes.tolist() == [0, 0]


def test_task_of_two_families_is_refused(make: Make) -> None:
    """A task cannot belong to two families."""
    rows = [{"agent": "a", "family": "x"}, {"agent": "b", "family": "y"}]
    with pytest.raises(ValueRangeError, match="'t' belongs to several families: x, y"):
        grid(make(rows))


@settings(deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("ab"), st.sampled_from("tuv")),
        st.text("pf.", min_size=1, max_size=4),
        min_size=1,
    ),
    st.integers(0, 5),
)
def test_grid_equals_its_naive_twin(make: Make, table: dict[tuple[str, str], str], declared: int) -> None:
    """Each cell is the mean counted by hand, over planned and over evaluated trials, and lies between its bounds."""
    rows = [row for (agent, task), verdicts in table.items() for row in runs(verdicts, agent, task)]
    found = grid(make(rows, Declaration(suite="s", trials=declared)))
    cells, upper = found.cells("gate"), found.upper("gate")
    for (agent, task), verdicts in table.items():
        at = found.tasks.index(task), found.agents.index(agent)
        planned = max(len(verdicts), declared)
        judged = len(verdicts) - verdicts.count(".")
        assert cells.planned[at] == verdicts.count("p") / planned
        assert (
            np.isnan(cells.evaluated[at])
            if not judged
            else cells.evaluated[at] == verdicts.count("p") / judged
        )
        assert upper[at] == (verdicts.count("p") + planned - judged) / planned
        assert cells.planned[at] <= upper[at]
    assert (~np.isnan(cells.planned)).sum() == len(table)


def test_meters_by_cell(make: Make) -> None:
    """Sum and number of the known trials; a cell without one has no mean, and not 0."""
    rows: list[dict[str, Any]] = [
        {"agent": "a", "task": "t", "trial": "1", "steps": 4},
        {"agent": "a", "task": "t", "trial": "2"},
        {"agent": "a", "task": "u", "steps": 0},
        {"agent": "b", "task": "t"},
    ]
    found = grid(make(rows)).meter("steps")
    assert found.total.tolist() == [[4, 0], [0, 0]]
    assert found.known.tolist() == [[1, 0], [1, 0]]
    assert np.array_equal(found.mean, [[4, np.nan], [0, np.nan]], equal_nan=True)
