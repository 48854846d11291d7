"""Tiers with every pair and every null: what they say, and what they refuse to say."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from measurand.analyze.board import board
from measurand.analyze.compare import compare
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.tiers import tiers
from measurand.errors import UsageError

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.tiering.tiers import TierBoard
    from measurand.model.table import Trials


def random_rows(agents: int, tasks: int, *, seed: int, step: float = 0.07) -> list[dict[str, Any]]:
    """Agents that pass more often the earlier their name comes."""
    rng = np.random.default_rng(seed)
    difficulty = rng.uniform(-0.2, 0.2, tasks)
    return [
        {
            "agent": f"a{agent}",
            "task": f"t{task:03}",
            "verdict": "pass" if rng.random() < 0.8 - step * agent + difficulty[task] else "fail",
        }
        for agent, task in product(range(agents), range(tasks))
    ]


def judged(trials: Trials, **settings: Any) -> TierBoard:
    return tiers(trials, settings=Settings(**{"resamples": 2_000, **settings}))


def test_agents_carry_what_the_pairs_say(make: Make) -> None:
    """Tier, letters and range of ranks of each agent are those of the board, in its order."""
    trials = make(random_rows(6, 80, seed=1, step=0.12))
    found = judged(trials)
    shown = board(trials, settings=Settings(resamples=2_000)).standings
    assert found.test.n_significant > 0
    assert [(a.agent, a.rank, a.tier, a.letters, a.rank_low, a.rank_high) for a in found.agents] == [
        (row.agent, row.rank, row.tier, row.letters, row.rank_low, row.rank_high) for row in shown
    ]
    assert [a.mean for a in found.agents] == [row.gate.planned for row in shown]


@pytest.mark.parametrize("null", ["signs", "labels", "bootstrap"])
@pytest.mark.parametrize("seed", range(4))
def test_intervals_letters_and_p_values_agree(make: Make, null: str, seed: int) -> None:
    """A pair's interval leaves out 0 exactly when its adjusted p is at most the level and it shares no letter."""
    found = judged(make(random_rows(6, 40, seed=seed, step=0.1)), null=null)
    letters = {agent.agent: set(agent.letters or "") for agent in found.agents}
    assert len(found.test.pairs) == 15
    for pair in found.test.pairs:
        assert pair.low is not None
        assert pair.high is not None
        assert pair.significant == (pair.p_adjusted <= 0.05)
        assert pair.significant == (not letters[pair.better] & letters[pair.worse])
        assert (pair.low >= 0) if pair.significant else (pair.low <= 0 <= pair.high)
        assert pair.low <= pair.difference <= pair.high


def test_the_better_agent_comes_first_also_where_its_column_comes_second(make: Make) -> None:
    """Ends of an interval turn with the difference."""
    rows = random_rows(2, 60, seed=3, step=0.4)
    straight = judged(make(rows)).test.pairs[0]
    swapped = [{**row, "agent": {"a0": "z", "a1": "b"}[row["agent"]]} for row in rows]
    turned = judged(make(swapped)).test.pairs[0]
    assert (straight.better, turned.better) == ("a0", "z")
    assert (turned.difference, turned.low, turned.high) == pytest.approx(
        (straight.difference, straight.low, straight.high)
    )


def test_one_pair_has_the_interval_of_the_comparison(make: Make) -> None:
    """Two agents tested alone are a family of one pair: tiers and compare give one interval."""
    trials = make(random_rows(3, 60, seed=4, step=0.2))
    pair = tiers(trials, Choice(agents=("a0", "a2"))).test.pairs[0]
    compared = compare(trials, "a0", "a2").difference
    assert (pair.difference, pair.low, pair.high) == pytest.approx(
        (compared.value, compared.low, compared.high)
    )


def test_differences_of_shares_have_intervals_within_one(make: Make) -> None:
    """No two shares differ by more than 100 points, however few the tasks."""
    rows = [
        {"agent": agent, "task": f"t{task:02}", "verdict": "pass" if task < passes else "fail"}
        for agent, passes in (("good", 13), ("poor", 1))
        for task in range(14)
    ]
    (pair,) = judged(make(rows)).test.pairs
    assert pair.high == 1.0
    assert compare(make(rows), "good", "poor").difference.high == 1.0


def test_every_null_has_a_row(make: Make) -> None:
    """The null shown comes first; each row names its resamples, seed, error and tiers."""
    found = judged(make(random_rows(5, 60, seed=5, step=0.15)), null="bootstrap", seed=7)
    rows = found.test.agreement
    assert [row.null for row in rows] == ["bootstrap", "signs", "labels"]
    assert found.test.null == "bootstrap"
    assert "tasks drawn with replacement" in found.test.method
    for row in rows:
        assert (row.seed, row.exact, row.reason) == (7, False, None)
        assert row.resamples >= 2_000
        assert row.max_standard_error > 0
        assert len(row.tiers) == 5
        moved = [
            (a.agent, b, c) for a, b, c in zip(found.agents, rows[0].tiers, row.tiers, strict=True) if b != c
        ]
        assert [(move.agent, move.tier, move.other) for move in row.moves] == moved
    assert rows[0].moves == ()


def test_nulls_that_disagree_name_who_moves(make: Make) -> None:
    """On ten tasks the bootstrap finds pairs that flips of the signs cannot find, or the other way round."""
    rows = [
        {"agent": agent, "task": f"t{task:02}", "verdict": "pass" if task < passes else "fail"}
        for agent, passes in (("ada", 10), ("bob", 5), ("cyd", 0))
        for task in range(10)
    ]
    found = judged(make(rows))
    by = {row.null: row for row in found.test.agreement}
    assert by["signs"].n_significant == 1
    assert any(row.moves for row in by.values())


def test_labels_are_not_run_beside_missing_cells_and_refused_when_asked_for(make: Make) -> None:
    """The labels null needs every cell."""
    trials = make(random_rows(4, 40, seed=6)[:-1])
    row = {row.null: row for row in judged(trials).test.agreement}["labels"]
    assert row.reason == "needs a complete table and was not run."
    assert (row.tiers, row.resamples, row.seed) == ((), 0, None)
    with pytest.raises(UsageError, match="complete table"):
        judged(trials, null="labels")


def test_fewer_than_twenty_tasks_show_the_exact_p_of_each_pair(make: Make) -> None:
    """Beside the adjusted one; from twenty on it is not there."""
    few = judged(make(random_rows(3, 19, seed=7, step=0.3))).test.pairs
    assert all(pair.p_exact is not None and pair.p_exact <= pair.p_adjusted + 0.01 for pair in few)
    many = judged(make(random_rows(3, 20, seed=7, step=0.3))).test.pairs
    assert [pair.p_exact for pair in many] == [None] * 3


@pytest.mark.parametrize("null", ["signs", "labels", "bootstrap"])
def test_five_tasks_or_fewer_give_no_tier(make: Make, null: str) -> None:
    """No null makes a finding of so few tasks, and "one tier" is never printed as one."""
    rows = [
        {"agent": agent, "task": f"t{task}", "verdict": "pass" if task < passes else "fail"}
        for agent, passes in (("ada", 5), ("bob", 2), ("cyd", 0))
        for task in range(5)
    ]
    found = judged(make(rows), null=null)
    assert found.test.tiers == ()
    assert found.test.agreement == ()
    assert [(a.tier, a.letters, a.rank_low, a.possible_best) for a in found.agents] == [(None,) * 4] * 3
    assert [a.rank for a in found.agents] == [1, 2, 3]


def test_where_nothing_can_be_found_no_difference_counts_as_detectable(make: Make) -> None:
    """A difference of any size would be missed on four tasks."""
    rows = [
        {"agent": agent, "task": f"t{task}", "verdict": "pass" if task < passes else "fail"}
        for agent, passes in (("ada", 4), ("bob", 1))
        for task in range(4)
    ]
    found = judged(make(rows)).test.detectable
    assert found.value is None
    assert found.reason is not None
    assert "nothing can be separated" in found.reason


def test_tied_agents_share_a_rank_and_untested_ones_count(make: Make) -> None:
    """Rank is among all agents of the suite, and the family is its head."""
    rows = [
        {"agent": agent, "task": f"t{task:02}", "verdict": "pass" if task < passes else "fail"}
        for agent, passes in (("ada", 9), ("bob", 9), ("cyd", 4), ("dan", 1))
        for task in range(12)
    ]
    found = judged(make(rows), top=3)
    assert found.n_agents == 4
    assert [(a.agent, a.rank) for a in found.agents] == [("ada", 1), ("bob", 1), ("cyd", 3)]


def test_methods_name_the_test_its_level_and_its_seed(make: Make) -> None:
    """So that a reader could run it again."""
    notes = {note.topic: note.text for note in judged(make(random_rows(3, 30, seed=8)), seed=5).methods}
    assert "seed 5" in notes["Tiers"]
    assert "n = 30 tasks" in notes["Tiers"]
    assert "critical value, here" in notes["Intervals of differences"]
    assert {"Agreement of the nulls", "Compared under"} <= set(notes)


def test_an_unknown_null_is_refused() -> None:
    """With the names that there are."""
    with pytest.raises(UsageError, match="one of: signs, labels, bootstrap"):
        Settings(null="normal")
