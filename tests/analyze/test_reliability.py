"""Reliability of agents over repeated trials."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from measurand.analyze.board import board
from measurand.analyze.prepare import prepare
from measurand.analyze.repeats.reliability import reliability, reliability_of
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError
from measurand.infer.repeats.passk import pass_all, pass_at
from measurand.infer.repeats.reliability import reproducibility
from measurand.load import read
from measurand.model.imports import Declaration

if TYPE_CHECKING:
    from pathlib import Path

    from tests.analyze.conftest import Case, Make

    from measurand.analyze.repeats.records import AgentReliability, Reliability
    from measurand.model.table import Trials

QUICK = Settings(resamples=200)
WORDS = {"1": ("completed", "pass"), "0": ("completed", "fail"), "-": ("infra_error", None)}


def rows_of(agent: str, tasks: list[str], **fields: Any) -> list[dict[str, Any]]:
    """Rows of one agent: a text of outcomes for each task, 1 passed, 0 failed, - without a verdict."""
    return [
        {
            "agent": agent,
            "task": f"t{t:02}",
            "trial": str(k),
            "outcome": WORDS[c][0],
            "verdict": WORDS[c][1],
            **fields,
        }
        for t, outcomes in enumerate(tasks)
        for k, c in enumerate(outcomes)
    ]


def only(found: Reliability) -> AgentReliability:
    (row,) = found.agents
    return row


def test_seven_dimensions_by_hand(shared: Path) -> None:
    """Case 07: D3 in three forms per task, and their means; k2 is perfectly consistent at failing."""
    folder = next((shared / "cases").glob("07-*"))
    expected = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    found = reliability(read(folder / "input.runs.jsonl"), settings=QUICK)
    row = only(found)
    assert [cell.task for cell in found.cells] == ["k1", "k2", "k3"]
    assert [cell.d3_max.value for cell in found.cells] == pytest.approx(expected["D3"]["max"])
    assert [cell.d3.value for cell in found.cells] == pytest.approx(expected["D3"]["one_minus_4pq"])
    assert row.gate.planned.value == pytest.approx(expected["means"]["D1"])
    assert row.d3_max.value == pytest.approx(0.916667, abs=1e-6)
    assert row.d3.value == pytest.approx(0.75)
    assert row.one_minus_variance.value == pytest.approx(0.9375)
    assert row.one_minus_variance.value == pytest.approx(np.mean(expected["D3"]["one_minus_pq"]))
    assert row.flags == ("k_below_10",)
    assert (found.cells[1].d3.value, found.cells[1].passes) == (1.0, 0)


def test_one_trial_a_task_measures_nothing(case: Case) -> None:
    """Case 08: neither 1 nor 0 nor NaN but a reason, with the number of trials that is recommended."""
    trials, expected = case("08")
    found = reliability(trials, settings=QUICK)
    assert found.reason == "needs at least 2 trials with a verdict of a task; each has 1 (10 are recommended)"
    assert (found.size, found.flips) == (None, ())
    for row in found.agents:
        assert row.d3.value is expected["reproducibility"]
        assert (row.d3_max.value, row.agreement.value, row.flip_rate.value, row.resources.value) == (
            None,
        ) * 4
        assert row.d3.reason == "needs at least 2 trials with a verdict of a task"
        assert row.passes == ()
    assert {cell.d3.reason for cell in found.cells} == {"needs at least 2 trials of a task; there is 1"}
    assert {row.agent: row.gate.planned.value for row in found.agents} == expected["pass_rate"]


def test_figures_are_means_over_tasks_of_the_cells(make: Make) -> None:
    """Each suite figure is the mean over the tasks with two verdicts or more, each task counting once."""
    tasks = ["1101", "000", "11-", "1", "10", "-"]
    row = only(reliability(make(rows_of("ada", tasks)), settings=QUICK))
    cells = [reproducibility(3, 4), reproducibility(0, 3), reproducibility(2, 2), reproducibility(1, 2)]
    for name, estimate in (
        ("plug_in", row.d3),
        ("unbiased", row.d3_unbiased),
        ("maximum", row.d3_max),
        ("agreement", row.agreement),
        ("one_minus_variance", row.one_minus_variance),
    ):
        assert estimate.value == pytest.approx(np.mean([getattr(cell, name) for cell in cells]))
        assert estimate.n == 4
    assert row.flip_rate.value == pytest.approx(2 / 4)
    assert (row.tasks, row.least_trials, row.most_trials, row.no_verdict) == (4, 1, 4, 2)
    assert row.labels == {"perfectly consistent": 2, "moderately consistent": 1, "highly stochastic": 1}
    assert row.flags == ("k_below_10", "uneven_trials")


def test_pass_curves_and_their_bounds(make: Make) -> None:
    """Over tasks with j verdicts; trials without a verdict leave bounds over all planned ones."""
    tasks = ["1110"] * 8 + ["0001"] * 11 + ["11--"]
    found = reliability(make(rows_of("ada", tasks)), settings=QUICK)
    row = only(found)
    assert found.size == 4
    assert [point.j for point in row.passes] == [1, 2, 3, 4]
    third = row.point(3)
    assert third is not None
    assert third.n_tasks == 19
    assert third.any_passes.value == pytest.approx((8 * 1 + 11 * 0.75) / 19)
    assert third.all_pass.value == pytest.approx(8 * 0.25 / 19)
    any_passes = (8 * 1 + 11 * 0.75 + 1) / 20
    assert [third.any_low, third.any_high] == pytest.approx([any_passes, any_passes])
    assert [third.all_low, third.all_high] == pytest.approx([2 / 20, 3 / 20])
    first = row.point(1)
    assert first is not None
    assert first.any_passes.value == first.all_pass.value == pytest.approx(row.gate.evaluated)


def test_too_few_verdicts_leave_the_bounds_only(make: Make) -> None:
    """A mean over half of the tasks is not shown as one over all; the bounds over all planned trials are."""
    row = only(reliability(make(rows_of("ada", ["11-", "00-", "101", "111"])), settings=QUICK))
    third = row.point(3)
    assert third is not None
    assert (third.any_passes.value, third.all_pass.value) == (None, None)
    assert third.any_passes.reason == "only 2 of 4 tasks have 3 trials with a verdict"
    assert (third.any_low, third.any_high) == (0.75, 1.0)
    assert (third.all_low, third.all_high) == (0.25, 0.5)


def test_planned_trials_that_were_never_recorded_have_bounds(make: Make) -> None:
    """The source declares three trials; the third of one task is missing."""
    trials = make(rows_of("ada", ["11", *["111"] * 9]), Declaration(suite="s", trials=3))
    third = only(reliability(trials, settings=QUICK)).point(3)
    assert third is not None
    assert (third.n_tasks, third.all_pass.value) == (9, 1.0)
    assert (third.all_low, third.all_high) == (0.9, 1.0)


def test_absence_that_counts_as_failure_is_no_evidence_of_consistency(make: Make) -> None:
    """A task never attempted fails in every trial for pass@j, and says nothing of D3."""
    declared = Declaration(suite="s", trials=2, absent_is_fail=True)
    rows = [*rows_of("ada", ["11"] * 4 + ["10"]), *rows_of("bob", ["11"] * 4)]
    found = reliability(make(rows, declared), settings=QUICK)
    bob = next(row for row in found.agents if row.agent == "bob")
    point = bob.point(2)
    assert point is not None
    assert (point.n_tasks, point.any_passes.value) == (5, 0.8)
    assert (bob.tasks, bob.d3.n, bob.d3.value) == (4, 4, 1.0)


def test_common_size_is_reached_by_half_of_the_agents(make: Make) -> None:
    """Agents with fewer trials have no value at that size."""
    rows = [
        *rows_of("ada", ["11111"] * 3),
        *rows_of("bob", ["10101"] * 3),
        *rows_of("cyd", ["10"] * 3),
        *rows_of("dan", ["1"] * 3),
    ]
    found = reliability(make(rows), settings=QUICK)
    assert found.size == 5
    by_name = {row.agent: row for row in found.agents}
    assert by_name["cyd"].point(5) is None
    assert [p.j for p in by_name["dan"].passes] == [1]
    assert by_name["dan"].d3.reason is not None


def test_many_trials_thin_the_curve_out(make: Make) -> None:
    """Every j up to twenty, then steps; the last j is that of all trials."""
    row = only(reliability(make(rows_of("ada", ["10" * 30, "1" * 60])), settings=QUICK))
    sizes = [point.j for point in row.passes]
    assert sizes[:20] == list(range(1, 21))
    assert sizes[-1] == 60
    assert len(sizes) < 30
    middle = row.point(25)
    assert middle is not None
    assert middle.all_pass.value == pytest.approx(((pass_all(30, 60, 25) or 0) + 1) / 2)
    assert middle.any_passes.value == pytest.approx(((pass_at(30, 60, 25) or 0) + 1) / 2)
    assert row.flags == ()


def test_intervals_have_a_width_and_lie_in_range(make: Make) -> None:
    """Tasks that all agree leave a Wilson interval over tasks on the scale of the figure."""
    row = only(reliability(make(rows_of("ada", ["111"] * 12)), settings=QUICK))
    assert row.d3.value == row.d3.high == 1.0
    assert row.d3.low is not None
    assert 0.7 < row.d3.low < 1.0
    assert row.d3_max.low == pytest.approx(0.5 + row.d3.low / 2)
    assert row.d3_unbiased.low is None
    assert row.d3_unbiased.reason is not None
    assert row.flip_rate.high is not None
    assert 0 < row.flip_rate.high < 0.3


def test_families_are_the_unit(make: Make) -> None:
    """With families of tasks the intervals resample these, and n counts them."""
    rng = np.random.default_rng(3)
    rows = []
    for t in range(24):
        p = (0.1, 0.5, 0.9)[t // 8]
        text = "".join(str(int(x < p)) for x in rng.random(5))
        rows += [{**row, "task": f"t{t:02}", "family": f"f{t // 4}"} for row in rows_of("ada", [text])]
    trials = make(rows)
    found, alone = (
        reliability(trials, settings=QUICK),
        reliability(trials, settings=Settings(resamples=200, families=False)),
    )
    assert (found.unit, found.n_units, found.n_tasks) == ("family", 6, 24)
    assert only(found).d3.value == only(alone).d3.value
    assert (only(found).d3.n, only(alone).d3.n) == (6, 24)
    assert (only(found).d3.method or "").endswith("optimistic: claims its level from 50 families on")


def test_order_is_that_of_the_gate_rate_and_names_change_nothing(make: Make) -> None:
    """Agents stand by gate rate; renamed or reordered they have the same figures."""
    texts = {"ada": ["10", "11", "00"], "bob": ["11", "11", "01"], "cyd": ["00", "00", "00"]}
    found = reliability(make([row for a, t in texts.items() for row in rows_of(a, t)]), settings=QUICK)
    assert [row.agent for row in found.agents] == ["bob", "ada", "cyd"]
    renamed = reliability(
        make([row for a, t in reversed(texts.items()) for row in rows_of(f"z{a[::-1]}", t)]), settings=QUICK
    )
    assert [row.d3 for row in renamed.agents] == [row.d3 for row in found.agents]
    assert [row.passes for row in renamed.agents] == [row.passes for row in found.agents]
    assert found.agents[2].d3.value == 1.0


def test_gate_rates_are_those_of_the_board(make: Make) -> None:
    """D1 beside D3 is the standings' number, its interval included."""
    trials = make([*rows_of("ada", ["10", "1-", "00"] * 3), *rows_of("bob", ["11", "01", "11"] * 3)])
    found = {row.agent: row.gate for row in reliability(trials, settings=QUICK).agents}
    assert found == {row.agent: row.gate for row in board(trials, settings=QUICK).standings}


def test_tasks_that_flip(make: Make) -> None:
    """By the share of agents that flip, then by how little they agree."""
    rows = [*rows_of("ada", ["1100", "1110", "1111", "1"]), *rows_of("bob", ["1000", "1111", "0000", "0"])]
    flips = reliability(make(rows), settings=QUICK).flips
    assert [(row.task, row.flipping, row.agents) for row in flips] == [("t00", 2, 2), ("t01", 1, 2)]
    assert flips[0].rate == pytest.approx((0.5 + 0.25) / 2)
    assert flips[0].d3 == pytest.approx((0 + 0.25) / 2)


def spending(make: Make, **amounts: list[float | None]) -> AgentReliability:
    """Two tasks of three trials each, with what they spent."""
    rows = rows_of("ada", ["110", "101"])
    for name, values in amounts.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    return only(reliability(make(rows), settings=QUICK))


def test_resource_consistency_rests_on_known_meters(make: Make) -> None:
    """exp(-mean CV) of the meters that are known twice in a task; unknown ones stay out and never count as 0."""
    cost = [1.0, 2.0, None, 3.0, 3.0, 3.0]
    row = spending(make, cost_usd=cost, steps=[5, 5, 5, 4, 8, None], wall_s=[None] * 6)
    first = (math.sqrt(0.5) / 1.5 + 0) / 2
    second = (0 + math.sqrt(8) / 6) / 2
    assert row.resources.value == pytest.approx((math.exp(-first) + math.exp(-second)) / 2)
    meters = {meter.name: meter for meter in row.meters}
    assert meters["cost_usd"].variation == pytest.approx(math.sqrt(0.5) / 1.5 / 2)
    assert (meters["working_s"].variation, meters["working_s"].reason) == (None, "not recorded")


def test_time_is_working_time_where_it_is_known(make: Make) -> None:
    """Waiting is not the agent's; where only the clock is known it is the time."""
    wall = spending(make, wall_s=[1, 2, 3, 4, 5, 6], working_s=[None] * 6)
    assert "wall_s" in {meter.name for meter in wall.meters}
    both = spending(make, wall_s=[1, 2, 3, 4, 5, 6], working_s=[1, 1, 2, 2, 3, 3])
    assert "working_s" in {meter.name for meter in both.meters}


def test_a_meter_that_never_varies_does_not_count(make: Make) -> None:
    """One cost repeated on every row was recorded for the agent; it would feign perfect consistency."""
    row = spending(make, cost_usd=[0.5] * 6)
    assert row.resources.value is None
    assert row.resources.reason == "needs a task with at least 2 known values of cost, time or steps"
    assert (
        row.meters[0].reason
        == "the same in every trial: recorded for the agent, not for the trial, or no measure"
    )


def test_lost_trials_do_not_count_as_cheap(make: Make) -> None:
    """What a trial cost that the harness lost says nothing of the agent."""
    rows = rows_of("ada", ["11-", "11-"])
    for row, cost in zip(rows, [1.0, 2.0, 0.01, 1.0, 2.0, 0.01], strict=True):
        row["cost_usd"] = cost
    found = only(reliability(make(rows), settings=QUICK))
    assert found.resources.value == pytest.approx(math.exp(-math.sqrt(0.5) / 1.5))


def test_quantities_over_valid_trials(make: Make) -> None:
    """D3_q takes quantities of ratio kind of trials that passed; an interval quantity has none."""
    rows = rows_of("ada", ["110", "111"], better="higher", unit="x")
    for row, quantity in zip(rows, [2.0, 4.0, 99.0, 3.0, 3.0, 3.0], strict=True):
        row["quantity"] = quantity
    found = only(reliability(make(rows), settings=QUICK))
    assert found.quantity is not None
    assert found.quantity.value == pytest.approx((math.exp(-math.sqrt(2) / 3) + 1) / 2)
    shifted = only(reliability(make([{**row, "kind": "interval"} for row in rows]), settings=QUICK))
    assert shifted.quantity is None


def stated(make: Make) -> Trials:
    rng = np.random.default_rng(2)
    rows = []
    for t in range(30):
        text = "".join(str(x) for x in rng.integers(0, 2, 2))
        rows += [
            {**row, "task": f"t{t:02}", "confidence": 0.2 + 0.6 * (row["verdict"] == "pass")}
            for row in rows_of("ada", [text])
        ]
    rows[0]["confidence"] = None
    return make([*rows, *rows_of("bob", ["11", "00"])])


def test_calibration_of_agents_that_state_a_confidence(make: Make) -> None:
    """Only theirs, over the trials that have both; with a bound, abstention too."""
    found = reliability(stated(make), settings=QUICK)
    by_name = {row.agent: row.calibration for row in found.agents}
    assert by_name["bob"] is None
    ada = by_name["ada"]
    assert ada is not None
    assert (ada.trials, ada.of_trials) == (59, 60)
    assert [ada.auroc.value, ada.risk_coverage.value] == pytest.approx([1.0, 1.0])
    assert ada.abstained is None
    assert ada.brier.value == pytest.approx(0.04)
    assert ada.ece.value == pytest.approx(0.2)
    bound = reliability(stated(make), settings=QUICK, abstain_below=0.5)
    ada = next(row.calibration for row in bound.agents if row.agent == "ada")
    assert ada is not None
    assert ada.fail_given_abstain is not None
    assert ada.rate_on_rest is not None
    assert (ada.fail_given_abstain.value, ada.rate_on_rest.value) == (1.0, 1.0)
    assert any(note.topic == "Calibration" for note in bound.methods)


def test_wrong_bound_is_refused_also_without_confidences(make: Make) -> None:
    with pytest.raises(UsageError, match="abstain_below is 2"):
        reliability(make(rows_of("ada", ["11"])), abstain_below=2)


def test_part_and_record_agree(make: Make) -> None:
    """What a board would embed is what the whole record has."""
    trials = stated(make)
    part = reliability_of(prepare(trials, Choice(), QUICK), QUICK)
    whole = reliability(trials, settings=QUICK, command="measurand reliability x")
    assert all(getattr(part, name) == getattr(whole, name) for name in part.__struct_fields__)
    assert whole.command == "measurand reliability x"


def test_methods_name_level_resamples_and_seed(make: Make) -> None:
    """And the number of units, with that from which the level is claimed."""
    found = reliability(
        make(rows_of("ada", ["10", "11"])), settings=Settings(level=0.1, resamples=300, seed=7)
    )
    text = next(note.text for note in found.methods if note.topic == "Intervals")
    assert "90%" in text
    assert "300 resamples, seed 7" in text
    assert "from 50 tasks on; there are 2" in text


def test_no_verdict_at_all_gives_a_reason(make: Make) -> None:
    found = reliability(make(rows_of("ada", ["--", "--"])), settings=QUICK)
    assert found.reason == "needs at least 2 trials with a verdict of a task; no trial has a verdict"
    assert (only(found).d3.value, only(found).least_trials, only(found).no_verdict) == (None, 0, 4)
