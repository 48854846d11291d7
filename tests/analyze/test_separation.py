"""Which agents really differ: said only where the data allow it, and never against the standings."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.board import board
from measurand.analyze.settings import Settings

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.board import Board
    from measurand.model.table import Trials


def passing(counts: dict[str, int], tasks: int) -> list[dict[str, Any]]:
    """Each agent passes its first so many tasks."""
    return [
        {"agent": agent, "task": f"t{task:03}", "verdict": "pass" if task < count else "fail"}
        for (agent, count), task in product(counts.items(), range(tasks))
    ]


def judged(trials: Trials, **settings: Any) -> Board:
    return board(trials, settings=Settings(**{"resamples": 2_000, **settings}))


def test_clear_difference_makes_two_tiers(make: Make) -> None:
    """Agents that differ on twenty tasks stand in two tiers, with letters and rank intervals that say the same."""
    found = judged(make(passing({"good": 25, "fair": 24, "poor": 2}, 30)))
    assert [tier.agents for tier in found.test.tiers] == [("good", "fair"), ("poor",)]
    assert [tier.fully_supported for tier in found.test.tiers] == [None, True]
    assert [(row.rank_low, row.rank_high, row.letters) for row in found.standings] == [
        (1, 2, "a"),
        (1, 2, "a"),
        (3, 3, "b"),
    ]
    assert [row.possible_best for row in found.standings] == [True, True, False]
    assert found.test.n_significant == 2


def test_pairs_name_the_better_agent_first(make: Make) -> None:
    """Each pair says who is better, by how much, and on how many tasks."""
    found = judged(make(passing({"poor": 2, "good": 25}, 30)))
    (pair,) = found.test.pairs
    assert (pair.better, pair.worse, pair.n_tasks) == ("good", "poor", 30)
    assert pair.difference == pytest.approx(23 / 30)
    assert pair.significant
    assert pair.p_raw <= pair.p_adjusted <= 0.05


def test_constant_difference_is_infinite_t_and_still_a_finding(make: Make) -> None:
    """An agent that is better by the same amount on every task is better; its t is not a number to print."""
    found = judged(make(passing({"good": 12, "poor": 0}, 12)))
    (pair,) = found.test.pairs
    assert (pair.t, pair.difference, pair.significant) == (None, 1.0, True)
    assert [row.tier for row in found.standings] == [1, 2]
    assert found.test.detectable.value is None


@pytest.mark.parametrize("tasks", [1, 2, 5])
def test_few_tasks_split_nothing_and_make_no_tier(make: Make, tasks: int) -> None:
    """With five tasks or fewer nothing can be split at 5 %, and no tier is claimed."""
    found = judged(make(passing({"good": tasks, "poor": 0}, tasks)))
    assert found.test.tiers == ()
    assert found.test.n_significant == 0
    assert found.test.reason is not None
    assert [(row.tier, row.letters, row.rank_low) for row in found.standings] == [(None, None, None)] * 2
    assert [row.rank for row in found.standings] == [1, 2]


def test_one_agent_has_no_tiers(make: Make) -> None:
    """With one agent there is nobody to differ from."""
    found = judged(make(passing({"lone": 5}, 10)))
    assert (found.test.n_pairs, found.test.tiers, found.test.pairs) == (0, (), ())
    assert found.test.reason is not None
    assert found.standings[0].rank == 1


def test_equal_agents_share_a_rank_and_make_no_tier(make: Make) -> None:
    """Agents that are equal on every task share the first rank, and the test says that nobody differs."""
    found = judged(make(passing({"a": 6, "b": 6, "c": 6}, 10)))
    assert [row.rank for row in found.standings] == [1, 1, 1]
    assert found.test.reason is not None
    assert "two agents differ on any task" in found.test.reason
    assert found.test.tiers == ()
    assert found.saturation[0].index == 1.0


def test_means_that_rounding_parts_share_a_rank(make: Make) -> None:
    """Rates of .1 + .2 + .3 and .3 + .2 + .1 are one rate."""
    rows = [
        {
            "agent": agent,
            "task": f"t{task}",
            "trial": str(trial),
            "verdict": "pass" if trial < passes else "fail",
        }
        for agent, row in {"a": (1, 2, 3), "b": (3, 2, 1), "c": (2, 2, 2), "d": (2, 3, 1)}.items()
        for task, passes in enumerate(row)
        for trial in range(10)
    ]
    found = judged(make(rows))
    assert [(row.agent, row.rank) for row in found.standings] == [("a", 1), ("b", 1), ("c", 1), ("d", 1)]
    assert found.test.spread == 0
    assert found.test.largest_gap == 0


def test_only_the_head_is_tested(make: Make) -> None:
    """The family is the head of the standings; agents outside it have a rank and nothing else."""
    found = judged(make(passing({f"a{n}": 20 - n for n in range(6)}, 20)), top=3)
    assert found.test.family == ("a0", "a1", "a2")
    assert [row.tested for row in found.standings] == [True] * 3 + [False] * 3
    assert [row.rank for row in found.standings] == [1, 2, 3, 4, 5, 6]
    assert all(row.tier is None and row.possible_best is None for row in found.standings[3:])
    assert judged(make(passing({f"a{n}": 20 - n for n in range(6)}, 20)), top=None).test.n_pairs == 15


def test_many_missing_cells_are_refused_with_the_coverage(make: Make) -> None:
    """Above a tenth of missing cells no tiers are given, and the coverage of each agent is."""
    rows = passing({"a": 10, "b": 5, "c": 1}, 10)
    found = judged(make(rows[:26]))
    assert found.test.tiers == ()
    assert found.test.missing_cells == 4
    assert found.test.method == "not run"
    assert found.test.reason is not None
    assert "13.3% of the cells are missing (limit 10%)" in found.test.reason
    assert "c 6, a 10, b 10" in found.test.reason
    assert judged(make(rows[:26]), missing_limit=0.2).test.pairs != ()


def test_few_missing_cells_are_tested_on_common_tasks(make: Make) -> None:
    """Up to a tenth of missing cells each pair is tested on the tasks both have."""
    found = judged(make(passing({"a": 28, "b": 3}, 30)[:-2]))
    assert found.test.missing_cells == 2
    assert found.test.pairs[0].n_tasks == 28
    assert any("labels null needs a complete table" in note for note in found.test.notes)


def test_order_against_a_pair_is_told(make: Make) -> None:
    """Where missing cells put an agent above one that beats it on their common tasks, the reader is told."""
    rows = [row for row in passing({"a": 26, "b": 32}, 40) if row["agent"] == "b" or row["task"] < "t032"]
    found = judged(make(rows))
    assert [row.agent for row in found.standings] == ["a", "b"]
    assert (found.test.pairs[0].better, found.test.pairs[0].significant) == ("b", True)
    assert any("a stands above b" in note and "go by the pair" in note for note in found.test.notes)


def test_agreement_with_the_other_null_is_told(make: Make) -> None:
    """The board says what the labels null finds, and whether the tiers are the same."""
    (note,) = judged(make(passing({"good": 25, "poor": 2}, 30))).test.notes
    assert "labels null" in note
    assert note.endswith("the tiers are the same.")


def test_tiers_that_rest_on_missing_verdicts_are_told(make: Make) -> None:
    """Where counting trials without a verdict as failed makes the tiers, the note says which agents move."""
    rows = passing({"good": 30, "lost": 30}, 30)
    for row in rows[30:54]:
        row.update(outcome="infra_error", verdict=None)
    half = [{**row, "trial": "2", "outcome": "completed", "verdict": "pass"} for row in rows]
    found = judged(make([*rows, *half]))
    assert [row.tier for row in found.standings] == [1, 2]
    (note,) = [note for note in found.test.notes if "evaluated trials only" in note]
    assert "0 " in note
    assert "lost 2 to 1" in note


def test_too_few_evaluated_trials_for_a_second_test(make: Make) -> None:
    """Where most cells have no verdict the test on evaluated trials is not run, and that is said."""
    rows = passing({"good": 20, "lost": 0}, 20)
    for row in rows[20:38]:
        row.update(outcome="infra_error", verdict=None)
    notes = judged(make(rows)).test.notes
    assert any("too many cells are missing" in note for note in notes)


def test_family_of_tasks_is_the_unit(make: Make) -> None:
    """Thirty tasks in five families are five units: nothing can be split."""
    rows = [
        {**row, "family": row["task"][-1] if row["task"][-1] < "5" else "4"}
        for row in passing({"a": 30, "b": 0}, 30)
    ]
    found = judged(make(rows))
    assert (found.test.unit, found.test.n_units, found.test.n_tasks) == ("family", 5, 30)
    assert found.test.tiers == ()
    assert judged(make(rows), families=False).test.n_significant == 1


def test_result_carries_its_method(make: Make) -> None:
    """A test says its null, level, number of resamples, seed and error."""
    exact = judged(make(passing({"a": 8, "b": 2}, 10)), seed=7).test
    assert (exact.exact, exact.resamples, exact.max_standard_error, exact.seed) == (True, 64, 0.0, 7)
    drawn = judged(make(passing({"a": 25, "b": 2}, 30)), seed=7).test
    assert (drawn.exact, drawn.null, drawn.level) == (False, "signs", 0.05)
    assert drawn.max_standard_error > 0


@pytest.mark.parametrize("names", [("lead", "even", "worse"), ("lead", "worse", "even")])
def test_names_do_not_decide_between_agents_of_equal_mean(make: Make, names: tuple[str, str, str]) -> None:
    """Of two agents with equal means, the one that the leader beats significantly stands lower, whatever its name."""
    lead, beaten, unbeaten = range(30), range(18), range(22, 40)
    passes = dict(zip(names, (lead, beaten, unbeaten), strict=True))
    rows = [
        {"agent": agent, "task": f"t{task:02}", "verdict": "pass" if task in passed else "fail"}
        for agent, passed in passes.items()
        for task in range(40)
    ]
    found = judged(make(rows))
    assert [row.rank for row in found.standings] == [1, 2, 2]
    assert [row.agent for row in found.standings] == [names[0], names[2], names[1]]
    assert [tier.agents for tier in found.test.tiers] == [(names[0], names[2]), (names[1],)]
