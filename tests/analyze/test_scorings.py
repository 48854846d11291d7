"""The scorings side by side: each judged as a board would judge it, and the orders compared."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.board import board
from measurand.analyze.prepare import prepare
from measurand.analyze.scorings.scorings import Scorings, scorings, scorings_of
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.separation import separate
from measurand.errors import InputError, UsageError
from measurand.score.names import SCORES
from measurand.score.trials import Scoring

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.scorings.rows import ScoringRow
    from measurand.model.table import Trials

QUICK = Settings(resamples=200)
ANCHORED: dict[str, Any] = {"baseline": 1.0, "reference": 2.0, "better": "higher"}


def graded(agents: int = 4, tasks: int = 12, seed: int = 5, **fields: Any) -> list[dict[str, Any]]:
    """Agents of rising quality on tasks of their own difficulty; a tenth of the trials fails."""
    draw = random.Random(seed)  # noqa: S311 - data for a test
    rows = []
    for task in range(tasks):
        hard = draw.uniform(0.5, 2)
        for agent in range(agents):
            failed = draw.random() < 0.1
            speed = 2 ** (draw.gauss(0.4 * agent, 1) / hard)
            row = {"agent": f"a{agent}", "task": f"t{task:02}", "quantity": speed, **ANCHORED}
            rows.append(
                row | {"official_score": -1 / speed, "verdict": "fail" if failed else "pass"} | fields
            )
    return rows


def row(found: Scorings, score: str) -> ScoringRow:
    return next(one for one in found.rows if one.score == score)


def test_one_row_a_scoring(make: Make) -> None:
    """All scorings have a row, whether the data allow them or not."""
    found = scorings(make(graded()), settings=QUICK)
    assert [one.score for one in found.rows] == list(SCORES)
    assert [one.reason for one in found.rows] == [None] * len(SCORES)
    verdicts = scorings(make([{"task": f"t{n}"} for n in range(3)]), settings=QUICK)
    assert [one.score for one in verdicts.rows if one.reason is None] == ["gate"]


@pytest.mark.parametrize("score", ["gate", "key", "capped", "capped_linear", "objective"])
def test_a_board_says_the_same(make: Make, score: str) -> None:
    """Tiers, saturation and means of a scoring are those of a board ranked by it."""
    trials = make(graded())
    one = row(scorings(trials, settings=QUICK), score)
    other = board(trials, settings=Settings(resamples=200, score=score))
    expected = next(s for s in other.saturation if s.score == score and s.variant == "paired")
    assert (one.index, one.t, one.r, one.dominance, one.tiers) == (
        expected.index,
        expected.t,
        expected.r,
        expected.dominance,
        expected.tiers,
    )
    assert (one.family, one.spread, one.n_significant) == (
        other.test.family,
        other.test.spread,
        other.test.n_significant,
    )


def test_each_scoring_chooses_its_own_first_agents(make: Make) -> None:
    """The tested agents are the first under the scoring judged."""
    rows = [
        *[{"agent": "sure", "task": f"t{n}", "quantity": 1.5, **ANCHORED} for n in range(8)],
        *[
            {
                "agent": "bold",
                "task": f"t{n}",
                "quantity": 16.0,
                "verdict": "fail" if n % 2 else "pass",
                **ANCHORED,
            }
            for n in range(8)
        ],
        *[{"agent": "slow", "task": f"t{n}", "quantity": 1.01, **ANCHORED} for n in range(8)],
    ]
    found = scorings(make(rows), settings=Settings(resamples=200, top=2))
    assert row(found, "gate").family == ("slow", "sure")
    assert row(found, "objective").family == ("bold", "sure")
    assert found.agents[0].places["gate"].rank == 3
    assert found.agents[0].places["gate"].tier is None


def test_equal_scorings_are_told_and_tested_once(make: Make) -> None:
    """Where no trial passes the reference, capped is the objective, by whose name both go when it is the standard."""
    trials = make(graded(quantity=1.3))
    found = scorings(trials, settings=QUICK)
    assert (row(found, "capped").same_as, row(found, "objective").same_as) == ("objective", None)
    assert row(found, "capped").index == row(found, "objective").index
    assert {pair.a for pair in found.orders} | {pair.b for pair in found.orders} >= {"objective", "gate"}
    assert all("capped" not in (pair.a, pair.b) for pair in found.orders)
    again = scorings(trials, settings=Settings(resamples=200, score="capped"))
    assert (row(again, "objective").same_as, again.standard) == ("capped", "capped")


def test_orders_by_counting_pairs(make: Make) -> None:
    """Pairs turned round, agents moved and the one moved most are those that a count of the ranks gives."""
    found = scorings(make(graded(agents=7)), settings=QUICK)
    means = {one.agent: {name: place.mean for name, place in one.places.items()} for one in found.agents}
    ranks = {one.agent: {name: place.rank for name, place in one.places.items()} for one in found.agents}
    assert [pair.a for pair in found.orders[:5]] == ["objective"] * 5
    for pair in found.orders:
        turned = sum(
            (means[x][pair.a] - means[y][pair.a]) * (means[x][pair.b] - means[y][pair.b]) < 0
            for x, y in combinations(means, 2)
        )
        moves = {agent: abs(of[pair.a] - of[pair.b]) for agent, of in ranks.items()}
        assert pair.reversed_pairs == turned
        assert pair.moved == sum(move > 0 for move in moves.values())
        if pair.most_moved is not None:
            assert moves[pair.most_moved] == max(moves.values())
            assert (pair.rank_a, pair.rank_b) == (
                ranks[pair.most_moved][pair.a],
                ranks[pair.most_moved][pair.b],
            )


def test_ranks_are_shared_by_equal_means(make: Make) -> None:
    """Agents of equal means share a rank, and an order without differences has no tau."""
    found = scorings(make(graded(verdict="pass")), settings=QUICK)
    assert {one.places["gate"].rank for one in found.agents} == {1}
    pair = next(pair for pair in found.orders if pair.b == "gate")
    assert (pair.tau_b, pair.moved, pair.most_moved) == (None, None, None)
    assert pair.reason is not None


def test_order_of_rows_and_names_of_agents_decide_nothing(make: Make) -> None:
    """Shuffled rows give the same record; other names give the same numbers."""
    rows = graded()
    shuffled = rows[:]
    random.Random(3).shuffle(shuffled)  # noqa: S311 - data for a test
    plain, other = scorings(make(rows), settings=QUICK), scorings(make(shuffled), settings=QUICK)
    assert (other.rows, other.agents, other.orders) == (plain.rows, plain.agents, plain.orders)
    renamed = scorings(make([r | {"agent": f"z{9 - int(r['agent'][1:])}"} for r in rows]), settings=QUICK)
    assert [(one.tiers, one.n_tiers, one.spread) for one in renamed.rows] == [
        (one.tiers, one.n_tiers, one.spread) for one in plain.rows
    ]


def test_another_unit_changes_nothing(make: Make) -> None:
    """Quantities and anchors a thousand times as large give the same scorings."""
    scaled = [r | {name: r[name] * 1000 for name in ("quantity", "baseline", "reference")} for r in graded()]
    plain, other = scorings(make(graded()), settings=QUICK), scorings(make(scaled), settings=QUICK)
    assert [one.tiers for one in other.rows] == [one.tiers for one in plain.rows]
    assert [one.index for one in other.rows] == pytest.approx([one.index for one in plain.rows])


def test_passed_without_a_quantity_is_noted(make: Make) -> None:
    """Few such trials count as 0, and the scorings concerned say how many."""
    rows = graded(verdict="pass")
    rows[0]["quantity"] = None
    found = scorings(make(rows), settings=QUICK)
    text = "1 trial that passed without a quantity that can be scored counts as 0"
    assert text in row(found, "objective").notes
    assert text not in row(found, "gate").notes


def test_standard_that_cannot_be_had(make: Make) -> None:
    """A standard that the data do not allow is a wrong call, with the reason and what there is."""
    trials = make([{"task": f"t{n}"} for n in range(3)])
    with pytest.raises(UsageError, match=r"'objective' is not available: .*passed or failed only"):
        scorings(trials, settings=Settings(score="objective"))
    with pytest.raises(UsageError, match="'official' is not available"):
        scorings(trials, settings=Settings(score="official"))
    with pytest.raises(InputError, match="no trials"):
        scorings(trials.with_frame(trials.frame.clear()))


def test_a_selection_can_be_judged_without_its_trials(make: Make) -> None:
    """What a larger report embeds is the same, but for the rows that the selection no longer knows."""
    trials: Trials = make(graded())
    part = scorings_of(prepare(trials, Choice(), QUICK), QUICK)
    whole = scorings(trials, settings=QUICK)
    assert (part.rows, part.orders, part.binding) == (whole.rows, whole.orders, whole.binding)


def test_tests_that_were_run_already_are_not_run_again(make: Make) -> None:
    """A report that has the tests passes them in; the result is the same, and they are taken as they are."""
    prepared = prepare(make(graded()), Choice(), QUICK)
    tested = {
        score: separate(prepared.grid, prepared.grid.cells(score), score, QUICK)
        for score in ("gate", "objective")
    }
    assert scorings_of(prepared, QUICK, tested=tested) == scorings_of(prepared, QUICK)
    swapped = scorings_of(prepared, QUICK, tested={"gate": tested["objective"]})
    assert next(r for r in swapped.rows if r.score == "gate").family == tested["objective"].record.family


@pytest.mark.parametrize(("agents", "tasks"), [(1, 6), (3, 1), (1, 1)])
def test_too_little_data_is_no_error(make: Make, agents: int, tasks: int) -> None:
    """One agent or one task: every scoring says why it gives no tiers."""
    found = scorings(make(graded(agents, tasks)), settings=QUICK)
    assert all(one.n_tiers is None and one.test_reason for one in found.rows)


def test_methods_name_what_was_done(make: Make) -> None:
    """Level, resamples, seed, key and clip stand in the methods."""
    settings = Settings(resamples=200, seed=7, level=0.1, scoring=Scoring(key_at=1.5, clip=2.0))
    found = scorings(make(graded()), settings=settings, command="measurand scorings x")
    text = " ".join(note.text for note in found.methods)
    for word in ("200 resamples", "seed 7", "10%", "1.5 times the reference", "[0, 2]"):
        assert word in text
    assert found.command == "measurand scorings x"
