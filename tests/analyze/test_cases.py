"""The example cases: what a reader of the data should be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measurand.analyze.board import board
from measurand.analyze.compare import compare
from measurand.analyze.settings import Choice, Settings
from measurand.errors import ComparabilityError, ConflictError
from measurand.infer.means.clusters import clustered_standard_error

if TYPE_CHECKING:
    from tests.analyze.conftest import Case

    from measurand.analyze.board import Board
    from measurand.analyze.records import AgentRow, Meter


def rows(found: Board) -> dict[str, AgentRow]:
    return {row.agent: row for row in found.standings}


def cost(row: AgentRow) -> Meter:
    return next(meter for meter in row.meters if meter.name == "cost_usd")


def told(found: Board, *words: str) -> bool:
    """Whether one finding has all the words."""
    return any(all(word in f"{f.text} {f.examples}" for word in words) for f in found.findings)


COSTS = {
    "kite": (4, 1.5, 0.375, 0.5, True),
    "lark": (5, 2.5, 0.5, 2.5 / 3, False),
    "moth": (0, None, None, None, False),
    "newt": (4, 1.2, 0.3, 0.4, True),
}
"""Trials with a known cost, total, mean over them, cost per success, and whether these are lower bounds."""


@pytest.mark.parametrize("agent", COSTS)
def test_unknown_costs_are_neither_zero_nor_dropped(case: Case, agent: str) -> None:
    """Case 01: sums over unknown costs are lower bounds with their coverage; no cost at all stays unknown."""
    meter = cost(rows(board(case("01")[0]))[agent])
    found = (meter.known, meter.total, meter.mean_known, meter.per_success, meter.lower_bound)
    assert found == pytest.approx(COSTS[agent])
    assert meter.trials == 5


def test_doubtful_costs_are_told(case: Case) -> None:
    """Case 01: a cost of 0 with tokens, a negative cost with its row, and an agent without cost are findings."""
    found = board(case("01")[0])
    assert told(found, "cost 0.00 with tokens used", "5")
    assert told(found, "cost_usd negative or not finite", "taken as unknown", ":18")
    assert told(found, "The cost of 7 of 20 trials is unknown", "moth: no cost at all")


def test_directions_and_bad_hand_ins(case: Case) -> None:
    """Case 02: direction comes from the anchors, a bad hand-in scores 0, and worse than the baseline too."""
    trials, expected = case("02", anchors=True)
    found = board(trials)
    assert found.score == "objective"
    assert [row.agent for row in found.standings] == ["elm", "oak", "fir"]
    for agent, row in rows(found).items():
        assert row.gate.planned.value == pytest.approx(expected["gate_rate"][agent])
        assert row.score("objective").mean.value == pytest.approx(expected["mean_objective"][agent])
    oak, fir = rows(found)["oak"], rows(found)["fir"]
    assert oak.outcomes == {"completed": 2, "invalid_output": 1, "no_output": 1}
    assert oak.score("objective").given_pass == pytest.approx(1.275170, abs=1e-6)
    assert (fir.score("objective").below_baseline, fir.score("objective").valid) == (1, 4)


def test_refusal_names_all_that_differs(case: Case) -> None:
    """Case 03: two versions of a suite are not ranked; the refusal names each field and each unmatched task."""
    with pytest.raises(ComparabilityError) as refusal:
        board(case("03")[0])
    lines = str(refusal.value).splitlines()
    for line in (
        "  suite version: 1.0 (pike); 1.1 (rudd)",
        "  harness version: 3.2.0 (pike); 3.4.1 (rudd)",
        "  task digest of 2 tasks: q4, q5",
        "  tasks only of pike: q6",
        "  tasks only of rudd: q7",
    ):
        assert line in lines
    assert "--common-tasks" in lines[-1]


def test_common_tasks_turn_the_order_round(case: Case) -> None:
    """Case 03: on the tasks equal in id and digest the other agent is ahead."""
    trials, expected = case("03")
    found = board(trials, Choice(common_tasks=True))
    assert found.comparable
    assert found.n_tasks == len(expected["comparable_tasks"])
    for agent, rate in expected["common"].items():
        assert rows(found)[agent].gate.planned.value == pytest.approx(rate)
    assert [row.agent for row in found.standings] == ["pike", "rudd"]
    assert told(found, "Compared on 3 of 7 tasks")


def test_mixed_versions_are_marked_and_never_pooled(case: Case) -> None:
    """Case 03: at the user's wish each agent has the rate of its own suite, and the board says what that is worth."""
    trials, expected = case("03")
    found = board(trials, Choice(allow_mixed=True))
    assert not found.comparable
    assert found.findings[0].severity == "problem"
    assert (found.n_tasks, found.suite_version) == (9, None)
    for agent, rate in expected["own"].items():
        row = rows(found)[agent]
        assert row.gate.planned.value == pytest.approx(rate)
        assert (row.tasks, row.gate.trials_planned) == (6, 6)
    assert found.test.reason is not None
    assert "cells are missing" in found.test.reason


def test_comparison_across_versions_is_refused_or_restricted(case: Case) -> None:
    """Case 03: a comparison follows the same rules as a board."""
    trials, _ = case("03")
    with pytest.raises(ComparabilityError, match="suite version"):
        compare(trials, "pike", "rudd")
    found = compare(trials, "pike", "rudd", choice=Choice(common_tasks=True))
    assert (found.n_tasks, found.a_better, found.b_better, found.equal) == (3, 1, 0, 2)
    assert found.comparable
    assert not compare(trials, "pike", "rudd", choice=Choice(allow_mixed=True)).comparable


def test_one_trial_a_task_is_no_certainty(case: Case) -> None:
    """Case 08: a rate of 8/8 has a Wilson interval, and both agents stand in one tier."""
    trials, expected = case("08")
    found = board(trials)
    ibis, jay = (rows(found)[name].gate.planned for name in ("ibis", "jay"))
    assert (ibis.value, jay.value) == (1.0, 0.875)
    assert [ibis.low, ibis.high] == pytest.approx(expected["wilson"]["ibis"], abs=1e-6)
    assert ibis.method is not None
    assert "Wilson" in ibis.method
    assert jay.low is not None
    assert jay.high is not None
    assert jay.low < 0.875 < jay.high
    assert [list(tier.agents) for tier in found.test.tiers] == expected["tiers"]
    assert told(found, "One trial for each task", "not measurable", "10 are recommended")


def test_one_discordant_task_proves_nothing(case: Case) -> None:
    """Case 08: the exact McNemar p is 1, no p below it can be had, and the conclusion says so."""
    trials, expected = case("08")
    found = compare(trials, "ibis", "jay")
    assert found.p_discordant == expected["mcnemar_p"]
    assert (found.p, found.least_attainable_p) == (1.0, 1.0)
    assert (found.a_better, found.b_better, found.equal) == (1, 0, 7)
    assert found.conclusion.startswith("Nothing can be concluded")


def test_families_are_the_unit(case: Case) -> None:
    """Case 10: intervals go by families, the mean stays that over tasks, and few families are a warning."""
    trials, expected = case("10")
    found = board(trials)
    assert (found.n_tasks, found.n_families) == (16, expected["clusters"])
    mean = rows(found)["heron"].gate.planned
    assert mean.value == pytest.approx(expected["mean_tasks"])
    assert mean.n == expected["clusters"]
    assert mean.method is not None
    assert mean.method.startswith("percentile bootstrap over families")
    assert told(found, "16 tasks in 5 families", "a normal interval is optimistic")
    alone = rows(board(trials, settings=Settings(families=False)))["heron"].gate.planned
    assert mean.low is not None
    assert mean.high is not None
    assert alone.low is not None
    assert alone.high is not None
    assert mean.high - mean.low > alone.high - alone.low


def test_standard_error_by_families(case: Case) -> None:
    """Case 10: the clustered standard error is that of the definition, with or without its small-sample factor."""
    trials, expected = case("10")
    frame = trials.frame.sort("task")
    passed = (frame["verdict"] == "pass").cast(int).to_numpy()
    found = clustered_standard_error(passed, frame["family"].to_numpy())
    assert found.naive == pytest.approx(expected["se_naive"])
    assert [found.clustered, found.corrected] == pytest.approx(expected["se_clustered"])
    assert [found.mean_tasks, found.mean_families] == [
        expected["mean_tasks"],
        pytest.approx(expected["mean_families"]),
    ]


def test_conflicting_shards_are_refused(case: Case) -> None:
    """Case 11: the trial in conflict is refused with both rows named."""
    with pytest.raises(ConflictError) as refusal:
        case("11")
    text = str(refusal.value)
    assert "agent 'dace', task 'u1', trial '2'" in text
    assert "input.shard_a.csv:3" in text
    assert "input.shard_b.csv:5" in text


def test_conflict_kept_without_a_verdict(case: Case) -> None:
    """Case 11: kept without a verdict, the trial widens the bounds, and its cost still counts."""
    trials, expected = case("11", on_conflict="no-verdict")
    assert len(trials) == expected["distinct_trials"]
    row = board(trials).standings[0]
    assert [row.gate.low, row.gate.high] == pytest.approx(expected["bounds"])
    assert (row.gate.passes, row.gate.trials_evaluated, row.gate.trials_planned) == (3, 5, 6)
    assert cost(row).total == pytest.approx(expected["cost"])
    assert not cost(row).lower_bound


def test_conflict_left_out(case: Case) -> None:
    """Case 11: left out, the trial is neither passed nor planned, and it is still told."""
    trials, expected = case("11", on_conflict="drop")
    found = board(trials)
    row = found.standings[0]
    assert [row.gate.passes, row.gate.trials_planned] == expected["passes_without_conflict"]
    assert told(found, "records that disagree", "dace, u1, 2")
    assert told(found, "input.shard_b.csv:6", "left out")
