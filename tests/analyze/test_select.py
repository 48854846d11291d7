"""Which rows are judged together: suite, agents, tasks, and what was measured with the same things."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.board import board
from measurand.analyze.select import Selection, select
from measurand.analyze.settings import Choice
from measurand.errors import ComparabilityError, InputError, UsageError
from measurand.model.imports import Declaration

if TYPE_CHECKING:
    from tests.analyze.conftest import Make


def table(agents: str = "ab", tasks: str = "xyz", **fields: Any) -> list[dict[str, Any]]:
    return [{"agent": agent, "task": task, **fields} for agent, task in product(agents, tasks)]


def cells(selection: Selection) -> set[tuple[str, str]]:
    return set(selection.frame.select("agent", "task").iter_rows())


def test_no_trials_are_refused(make: Make) -> None:
    """Without trials there is nothing to choose."""
    with pytest.raises(InputError, match="there are no trials"):
        select(make([]), Choice())


def test_all_rows_of_the_only_suite(make: Make) -> None:
    """With one suite and no choice all rows are taken, and nothing needs to be told."""
    selection = select(make(table()), Choice())
    assert (selection.suite, selection.tasks, selection.comparable) == ("s", ("x", "y", "z"), True)
    assert len(selection.frame) == 6
    assert selection.findings == ()


def test_suite_must_be_named_when_there_are_several(make: Make) -> None:
    """Two suites are never judged together; the error names them."""
    trials = make([*table(), *table(suite="z")])
    with pytest.raises(UsageError, match=r"there are 2 suites(.|\n)*s, z"):
        select(trials, Choice())
    assert select(trials, Choice(suite="z")).suite == "z"
    with pytest.raises(UsageError, match="no suite 'q'"):
        select(trials, Choice(suite="q"))


def test_names_and_patterns_choose(make: Make) -> None:
    """Agents and tasks are chosen by name or pattern; what fits nothing is told."""
    trials = make(table(agents="abc", tasks="xyz"))
    selection = select(trials, Choice(agents=("[ab]", "zebra"), tasks=("x", "y")))
    assert cells(selection) == set(product("ab", "xy"))
    assert [finding.examples for finding in selection.findings] == [("zebra",)]
    with pytest.raises(UsageError, match="no agent is called 'A'"):
        select(trials, Choice(agents=("A",)))


def test_agents_without_a_chosen_task_are_told(make: Make) -> None:
    """An agent that has no trial of the chosen tasks does not leave in silence."""
    selection = select(make([*table("a", "xy"), *table("b", "x")]), Choice(tasks=("y",)))
    assert [finding.examples for finding in selection.findings] == [("b",)]


def test_a_name_wins_over_a_pattern(make: Make) -> None:
    """A name with signs of a pattern in it means itself."""
    trials = make([{"agent": name} for name in ("k[1]", "k1")])
    assert cells(select(trials, Choice(agents=("k[1]",)))) == {("k[1]", "t")}


def test_close_name_is_suggested(make: Make) -> None:
    """A slip of the pen gets a suggestion."""
    with pytest.raises(UsageError, match="did you mean 'kestrel'"):
        select(make([{"agent": "kestrel"}]), Choice(agents=("kestrle",)))


@pytest.mark.parametrize(
    "field",
    ["suite_version", "harness", "harness_version", "task_digest", "environment_digest", "anchors_id"],
)
def test_each_field_of_the_fingerprint_is_looked_at(make: Make, field: str) -> None:
    """Rows that differ in any field of the fingerprint are refused, also when one does not say."""
    for other in ("2", None):
        rows: list[dict[str, Any]] = [{"agent": "a", field: "1"}, {"agent": "b", field: other}]
        with pytest.raises(ComparabilityError, match=field.split("_", maxsplit=1)[0]):
            select(make(rows), Choice())
        assert not select(make(rows), Choice(allow_mixed=True)).comparable


def test_same_fingerprint_is_comparable(make: Make) -> None:
    """Tasks may have environments, digests and anchors of their own, as long as all agents had the same."""
    rows = [
        {**row, "task_digest": row["task"], "environment_digest": row["task"], "anchors_id": row["task"]}
        for row in table(suite_version="1", harness="h", harness_version="2")
    ]
    assert select(make(rows), Choice()).comparable


def test_unmatched_tasks_alone_are_no_difference(make: Make) -> None:
    """An agent that did not attempt a task has a missing cell, not another suite."""
    assert select(make([*table("a", "xyz"), *table("b", "xy")]), Choice()).comparable


def test_common_tasks_need_digests_where_rows_differ(make: Make) -> None:
    """Where the harness differs and no digest says which tasks are the same, none can be called common."""
    rows = [*table("a", harness="1"), *table("b", harness="2")]
    with pytest.raises(ComparabilityError, match="no task digest"):
        select(make(rows), Choice(common_tasks=True))


def test_no_common_task_is_refused(make: Make) -> None:
    """Agents without a task in common cannot be compared on common tasks."""
    with pytest.raises(ComparabilityError, match="no task is common"):
        select(make([*table("a", "xy"), *table("b", "z")]), Choice(common_tasks=True))


def test_common_tasks_of_agents_of_one_name(make: Make) -> None:
    """A task is common only when each configuration has it, also when two go by one name."""
    rows = [*table("a", "xy", agent_digest="1"), *table("a", "y", agent_digest="2"), *table("b", "xy")]
    assert select(make(rows), Choice(common_tasks=True)).tasks == ("y",)


def test_versions_of_a_task_are_told_apart_by_enough_of_their_digests(make: Make) -> None:
    """Digests that begin alike still make two tasks."""
    rows = [
        {"agent": "a", "task": "q", "task_digest": "sha256:aaaaaaaaaaaa1"},
        {"agent": "b", "task": "q", "task_digest": "sha256:aaaaaaaaaaaa2"},
        {"agent": "c", "task": "q"},
    ]
    selection = select(make(rows), Choice(allow_mixed=True))
    assert selection.tasks == ("q@aaaaaaaaaaaa1", "q@aaaaaaaaaaaa2", "q@unknown")


def test_configurations_of_one_name_are_agents_of_their_own(make: Make) -> None:
    """Two agents of one name are told apart by their digests, and can be asked for by what the standings say."""
    rows = [
        *table("k", agent_digest="sha256:1111111122"),
        *table("k", agent_digest="sha256:2222222211"),
        *table("b"),
    ]
    trials = make(rows)
    names = {row.agent for row in board(trials).standings}
    assert names == {"k@11111111", "k@22222222", "b"}
    assert {agent for agent, _ in cells(select(trials, Choice(agents=("k@11111111", "b"))))} == {
        "k@11111111",
        "b",
    }
    assert {agent for agent, _ in cells(select(trials, Choice(agents=("k",))))} == {
        "k@11111111",
        "k@22222222",
    }


WHOLE = Declaration(suite="s", tasks=10, absent_is_fail=True)


@pytest.mark.parametrize(
    ("choice", "tasks", "rates"),
    [
        (Choice(), 10, [0.3, 0.2]),
        (Choice(agents=("b",)), 10, [0.2]),
        (Choice(tasks=("x", "z")), 2, [1.0, 0.5]),
        (Choice(tasks=("z",), agents=("a", "b")), 1, [1.0]),
        (Choice(common_tasks=True), 2, [1.0, 1.0]),
    ],
)
def test_declared_tasks_are_the_denominator_of_the_whole_suite_only(
    make: Make, choice: Choice, tasks: int, rates: list[float]
) -> None:
    """Tasks that no record names count as failed, unless only some tasks of the suite were asked for."""
    found = board(make([*table("a", "xyz"), *table("b", "xy")], WHOLE), choice)
    assert found.n_tasks == tasks
    assert [row.gate.planned.value for row in found.standings] == pytest.approx(rates)


def test_absence_is_no_failure_on_another_version_of_a_task(make: Make) -> None:
    """With two versions of a suite side by side, no agent fails the tasks of the version it did not run."""
    rows = [*table("a", "xy", suite_version="1"), *table("b", "xz", suite_version="2")]
    found = board(make(rows, WHOLE), Choice(allow_mixed=True))
    assert [row.gate.trials_planned for row in found.standings] == [2, 2]


def test_absence_is_still_failure_where_only_the_harness_differs(make: Make) -> None:
    """With another harness the tasks are the same, and a task that is not there is failed as ever."""
    rows = [*table("a", "xyz", harness="1"), *table("b", "xy", harness="2")]
    found = board(make(rows, Declaration(suite="s", absent_is_fail=True)), Choice(allow_mixed=True))
    assert [row.gate.planned.value for row in found.standings] == pytest.approx([1.0, 2 / 3])


def test_largest_plan_of_several_imports_counts(make: Make) -> None:
    """Declarations of one suite are taken together; those of other suites are not."""
    declared = (
        Declaration(suite="s", trials=2),
        Declaration(suite="s", trials=5, tasks=3),
        Declaration(suite="z", trials=99, absent_is_fail=True),
    )
    selection = select(make(table(), *declared), Choice())
    assert (selection.declared.trials, selection.declared.tasks) == (5, 3)
    assert not selection.declared.absent_is_fail


def test_plan_of_another_version_does_not_count(make: Make) -> None:
    """What is declared of a version of the suite holds only where that version is looked at."""
    declared = (
        Declaration(suite="s", suite_version="1", trials=5, tasks=9, absent_is_fail=True),
        Declaration(suite="s", suite_version="2", trials=2),
    )
    rows = [*table("a", suite_version="1"), *table("b", suite_version="2")]
    found = board(make(rows, *declared), Choice(agents=("b",)))
    assert (found.n_tasks, found.standings[0].gate.trials_planned) == (3, 6)


@pytest.mark.parametrize("field", ["agents", "tasks"])
def test_text_for_several_names_is_refused(field: Any) -> None:
    """One text where several names belong would be read letter by letter, and is refused."""
    with pytest.raises(UsageError, match=f"{field} is the text 'kite'"):
        Choice(**dict[Any, Any]({field: "kite"}))
