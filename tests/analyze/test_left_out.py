"""Every row is in the result, or is named with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.analyze.scorings.scorings import scorings
from measurand.analyze.settings import Choice, Settings
from measurand.load import read
from measurand.model.imports import Declaration

if TYPE_CHECKING:
    from pathlib import Path

    from tests.analyze.conftest import Make

    from measurand.analyze.scorings.left_out import LeftOut
    from measurand.model.table import Trials

QUICK = Settings(resamples=100)


def left_out(trials: Trials, **choice: Any) -> dict[str, LeftOut]:
    return {row.what: row for row in scorings(trials, Choice(**choice), QUICK).left_out}


def grid(*agents: str, tasks: int = 3, **fields: Any) -> list[dict[str, Any]]:
    return [{"agent": agent, "task": f"t{n}", **fields} for agent in agents for n in range(tasks)]


def test_nothing_is_left_out_of_a_plain_table(make: Make) -> None:
    """Each trial has a verdict: there is nothing to say."""
    assert left_out(make(grid("kite", "lark"))) == {}


def test_choice_of_suite_agents_and_tasks(make: Make) -> None:
    """What was not asked for is counted by the first reason that holds, and named."""
    trials = make([*grid("kite", "lark", "wren"), *grid("kite", suite="other")])
    found = left_out(trials, suite="s", agents=("kite", "lark"), tasks=("t0", "t1"))
    assert {what: (row.count, row.examples) for what, row in found.items()} == {
        "of another suite": (3, ("other: 3 rows",)),
        "of agents not asked for": (3, ("wren: 3 rows",)),
        "of tasks not asked for": (2, ("t2: 2 rows",)),
    }


def test_common_tasks(make: Make) -> None:
    """Tasks that some agent lacks are left out for that reason."""
    found = left_out(make([*grid("kite"), *grid("lark", tasks=2)]), common_tasks=True)
    assert (found["of tasks that not every agent has"].count, set(found)) == (
        1,
        {"of tasks that not every agent has"},
    )


def test_two_configurations_of_one_name(make: Make) -> None:
    """An agent is known by its configuration: the one not asked for is left out, though its name is the same."""
    rows = [*grid("kite", agent_digest="sha256:aaaaaaaaaa"), *grid("kite", agent_digest="sha256:bbbbbbbbbb")]
    found = left_out(make(rows), agents=("kite@aaaaaaaa",))
    assert found["of agents not asked for"].count == 3


def test_trials_that_count_by_a_rule(make: Make) -> None:
    """No verdict, no quantity, no record: each is counted, with what becomes of it."""
    anchored: dict[str, Any] = {"quantity": 1.0, "reference": 1.0, "better": "higher"}
    rows = [*grid("kite", **anchored), *grid("lark", tasks=2, **anchored)]
    rows[0] |= {"outcome": "infra_error", "verdict": None}
    rows[1] |= {"quantity": None}
    rows += [{"task": "u", "quantity": 1.0, "agent": agent} for agent in ("kite", "lark")]
    found = left_out(make(rows, Declaration("s", trials=2)))
    assert {what: row.count for what, row in found.items()} == {
        "no verdict": 1,
        "planned and not recorded": 7,
        "passed the gate without a quantity that can be scored": 1,
        "has a quantity, and its task has no reference": 2,
        "the agent never attempted the task": 1,
    }
    assert found["no verdict"].examples == ("infra_error: 1",)
    assert found["the agent never attempted the task"].examples == ("lark: 1 of 4 tasks",)


def test_absence_that_the_benchmark_counts_as_failed(make: Make) -> None:
    """Where absence is failure, an absent trial is a planned one that failed, and no missing cell."""
    trials = make([*grid("kite"), *grid("lark", tasks=2)], Declaration("s", absent_is_fail=True))
    found = left_out(trials)
    assert (found["planned and not recorded"].count, set(found)) == (1, {"planned and not recorded"})
    assert "failed" in found["planned and not recorded"].effect


def test_rows_that_the_import_dropped(tmp_path: Path) -> None:
    """A cut line and a repeated record are told, with where they stand."""
    path = tmp_path / "t.csv"
    path.write_text("agent,task,trial,passed\na,t,1,1\na,t,1,1\nb,t,1,0\nb,u,1", encoding="utf-8")
    found = left_out(read(path))
    dropped = next(row for what, row in found.items() if what.startswith("dropped on import"))
    assert (dropped.count, dropped.unit) == (1, "row")
    assert dropped.examples[0].startswith("t.csv")
    assert found["equal to another record of the same trial"].count == 1


def test_conflicts_are_told_with_their_policy(tmp_path: Path) -> None:
    """Records of one trial that disagree are named, and so is what was done with them."""
    path = tmp_path / "t.csv"
    path.write_text("agent,task,trial,passed\na,t,1,1\na,t,1,0\nb,t,1,0\n", encoding="utf-8")
    row = left_out(read(path, on_conflict="drop"))["records of the trial disagree"]
    assert (row.count, row.effect, row.examples) == (1, "left out", ("a, t, 1",))
