"""From a trial to its scores: the gate first, then what its quantity is worth."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.score.names import GRADED, SCORES
from measurand.score.trials import Scoring, score_trials

GATE: dict[CountsAs, dict[str | None, float | None]] = {
    CountsAs.BY_GATE: {"pass": 1.0, "fail": 0.0, None: None},
    CountsAs.FAIL: {"pass": 0.0, "fail": 0.0, None: 0.0},
    CountsAs.FAIL_UNLESS_PASSED: {"pass": 1.0, "fail": 0.0, None: 0.0},
    CountsAs.NO_VERDICT: {"pass": None, "fail": None, None: None},
}


def trial(**fields: Any) -> Trial:
    """A valid trial at 2 of a runtime with baseline 8 and reference 4: its score is 2."""
    plain: dict[str, Any] = {
        "suite": "s",
        "task": "t",
        "agent": "a",
        "trial": "1",
        "outcome": "completed",
        "verdict": "pass",
    }
    anchors: dict[str, Any] = {"quantity": 2.0, "baseline": 8.0, "reference": 4.0, "better": "lower"}
    return Trial(**(plain | anchors | fields))


def scored(scoring: Scoring | None = None, **fields: Any) -> dict[str, Any]:
    return score_trials(trials_frame([trial(**fields)]), scoring).row(0, named=True)


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("verdict", ["pass", "fail", None])
def test_gate_of_each_outcome(outcome: Outcome, verdict: str | None) -> None:
    """For each of the twelve outcomes the gate is what the outcome counts as, and the objective follows it."""
    row = scored(outcome=outcome, verdict=verdict)
    gate = GATE[COUNTS_AS[outcome]][verdict]
    assert row["gate"] == gate
    assert row["objective"] == (None if gate is None else 2.0 * gate)
    assert row["key"] == gate
    assert row["valid"] is (gate == 1)


def test_scores_are_named_and_explained() -> None:
    """Each score has a column and a few words; those that need a quantity are among them."""
    row = scored()
    assert set(SCORES) <= set(row)
    assert {*GRADED, "gate", "official"} == set(SCORES)


@pytest.mark.parametrize(
    ("fields", "scores"),
    [
        ({}, (2.0, 2.0, 1.0, 1.0, 1.0)),
        ({"quantity": 4.0}, (1.0, 1.0, 1.0, 1.0, 1.0)),
        ({"quantity": 8.0}, (0.0, 0.0, 0.0, 0.0, 0.0)),
        ({"quantity": 6.0}, (math.log2(4 / 3), math.log2(4 / 3), math.log2(4 / 3), 0.5, 0.0)),
        ({"quantity": 16.0}, (-1.0, 0.0, 0.0, 0.0, 0.0)),
        ({"quantity": 0.25}, (5.0, 3.0, 1.0, 1.0, 1.0)),
        ({"baseline": None, "quantity": 4 / math.e}, (2.0, 2.0, 1.0, 1.0, 1.0)),
        ({"baseline": 4.0, "quantity": 4 / math.e}, (2.0, 2.0, 1.0, 1.0, 1.0)),
        ({"baseline": None, "quantity": 8.0}, (1 - math.log(2), 1 - math.log(2), 1 - math.log(2), 0.5, 0.0)),
        ({"better": "higher", "baseline": 1.0, "quantity": 2.0}, (0.5, 0.5, 0.5, 1 / 3, 0.0)),
        ({"kind": "interval", "better": "higher", "baseline": -1.0, "reference": 1.0}, (1.5, 1.5, 1, 1, 1)),
        ({"kind": "interval", "quantity": -4.0}, (3.0, 3.0, 1.0, 1.0, 1.0)),
    ],
)
def test_scores_of_valid_trials(fields: dict[str, Any], scores: tuple[float, ...]) -> None:
    """The cases of the definition: at, between and beyond the anchors, in each form and kind."""
    row = scored(**fields)
    names = ("unclipped", "objective", "capped", "capped_linear", "key")
    assert [row[name] for name in names] == pytest.approx(scores)


def test_failed_gate_scores_nothing_whatever_the_quantity() -> None:
    """An invalid trial has 0 under every score of ours, and no unclipped score."""
    row = scored(verdict="fail")
    assert [row[name] for name in ("gate", *GRADED)] == [0.0] * (1 + len(GRADED))
    assert (row["unclipped"], row["improvement"], row["valid"], row["beats_reference"]) == (
        None,
        None,
        False,
        False,
    )


def test_no_verdict_scores_nothing_at_all() -> None:
    """Without a verdict each score is unknown, never 0."""
    row = scored(verdict=None)
    assert [row[name] for name in SCORES] == [None] * len(SCORES)


def test_missing_quantity_is_not_imputed() -> None:
    """A valid trial without a quantity has no objective, and no key where the key is the reference."""
    row = scored(quantity=None)
    assert (row["gate"], row["objective"], row["capped"], row["key"]) == (1.0, None, None, None)
    assert scored(quantity=None, verdict="fail")["objective"] == 0.0


def test_key_needs_no_quantity_where_there_is_no_reference() -> None:
    """On a task without a reference the key is the gate, and the other scores are unknown even for a fail."""
    row = scored(quantity=None, reference=None, baseline=None, better=None)
    assert (row["key"], row["objective"]) == (1.0, None)
    failed = scored(quantity=None, reference=None, baseline=None, better=None, verdict="fail")
    assert (failed["key"], failed["objective"], failed["capped_linear"]) == (0.0, None, None)


def test_reference_of_the_task_is_enough_for_a_failed_trial() -> None:
    """Measured anew with each valid trial, a reference is missing where the gate failed: such a trial is worth 0."""
    rows = [
        trial(trial="1"),
        trial(trial="2", verdict="fail", quantity=None, baseline=None, reference=None, better=None),
        trial(trial="3", quantity=None, baseline=None, reference=None, better=None),
        trial(trial="4", task="u", verdict="fail", quantity=None, reference=None, better=None),
    ]
    frame = score_trials(trials_frame(rows))
    assert frame["objective"].to_list() == [2.0, 0.0, None, None]
    assert frame["key"].to_list() == [1.0, 0.0, None, 0.0]


@pytest.mark.parametrize("fields", [{}, {"verdict": "fail"}, {"outcome": "infra_error", "verdict": None}])
def test_official_score_goes_by_its_own_rules(fields: dict[str, Any]) -> None:
    """What the benchmark gives is taken as it is, whatever our gate says; without it there is none."""
    assert scored(official_score=-0.5, **fields)["official"] == -0.5
    assert scored(**fields)["official"] is None


def test_official_verdict_is_the_key() -> None:
    """Where the benchmark has an official verdict, that is the key; a threshold asked for goes before it."""
    assert scored(verdicts={"official": False, "strict": True})["key"] == 0.0
    assert scored(verdicts={"official": True}, quantity=6.0)["key"] == 1.0
    assert scored(Scoring(key_at=1.5), verdicts={"official": False})["key"] == 1.0
    assert scored(verdicts={"strict": False})["key"] == 1.0


@pytest.mark.parametrize(("key_at", "key"), [(None, 1.0), (1.0, 1.0), (1.9, 1.0), (2.0, 1.0), (2.1, 0.0)])
def test_key_at_a_threshold(key_at: float | None, key: float) -> None:
    """The key is reached at so many times the reference, the threshold itself included."""
    assert scored(Scoring(key_at=key_at))["key"] == key


def test_key_at_the_reference_itself_is_reached() -> None:
    """A quantity equal to the reference reaches it, in both directions and for interval quantities."""
    for better, baseline in (("lower", 8.0), ("higher", 2.0)):
        assert scored(better=better, baseline=baseline, quantity=4.0)["key"] == 1.0
        assert scored(better=better, baseline=baseline, quantity=4.0, kind="interval")["key"] == 1.0


def test_flags_of_the_clip_and_the_anchors() -> None:
    """Trials beyond the clip, below the baseline and above the reference are marked."""
    names = ("clip_bound", "below_baseline", "beats_reference")
    assert [scored(quantity=0.5)[name] for name in names] == [True, False, True]
    assert [scored(quantity=1.0)[name] for name in names] == [False, False, True]
    assert [scored(quantity=4.0)[name] for name in names] == [False, False, False]
    assert [scored(quantity=9.0)[name] for name in names] == [False, True, False]
    assert [scored(quantity=0.5, verdict="fail")[name] for name in names] == [False, False, False]


def test_clip_is_a_choice() -> None:
    """Another clip bounds the objective, and only it."""
    row = scored(Scoring(clip=1.5))
    assert (row["objective"], row["capped"], row["unclipped"], row["clip_bound"]) == (1.5, 1.0, 2.0, True)


quantities = st.floats(1e-3, 1e3)


@settings(deadline=None)
@given(st.lists(quantities, min_size=1, max_size=6), st.floats(1e-2, 1e2))
def test_unit_and_inverse_change_no_score(values: list[float], factor: float) -> None:
    """Another unit, or the inverse quantity with the other direction, gives the same scores but the linear one."""
    rows = [trial(trial=str(n), quantity=value) for n, value in enumerate(values)]
    scaled = [
        trial(trial=str(n), quantity=v * factor, baseline=8 * factor, reference=4 * factor)
        for n, v in enumerate(values)
    ]
    turned = [
        trial(trial=str(n), quantity=1 / v, baseline=1 / 8, reference=1 / 4, better="higher")
        for n, v in enumerate(values)
    ]
    own, other, inverse = (score_trials(trials_frame(each)) for each in (rows, scaled, turned))
    for name in ("objective", "capped", "improvement"):
        assert other[name].to_list() == pytest.approx(own[name].to_list(), abs=1e-9)
        assert inverse[name].to_list() == pytest.approx(own[name].to_list(), abs=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(quantities, st.sampled_from(["pass", "fail", None])), min_size=1, max_size=8))
def test_scores_stay_in_their_ranges(trials: list[tuple[float, str | None]]) -> None:
    """Capped never exceeds the objective, the objective never its clip, and nothing is negative or NaN."""
    rows = [trial(trial=str(n), quantity=q, verdict=v) for n, (q, v) in enumerate(trials)]
    frame = score_trials(trials_frame(rows))
    assert frame.select(pl.col(pl.Float64).is_nan().any()).row(0) == (False,) * len(
        frame.select(pl.col(pl.Float64)).columns
    )
    for row in frame.filter(pl.col("gate").is_not_null()).iter_rows(named=True):
        assert 0 <= row["capped"] <= row["objective"] <= 3
        assert 0 <= row["capped_linear"] <= 1
        assert row["key"] in {0.0, 1.0}
        assert row["objective"] <= 3 * row["gate"]


def test_scoring_adds_columns_and_changes_none() -> None:
    """The trial table itself is left as it is; an empty one has the columns too."""
    frame = trials_frame([trial(), trial(trial="2", verdict=None)])
    assert score_trials(frame).select(frame.columns).equals(frame)
    assert set(SCORES) <= set(score_trials(frame.clear()).columns)
