"""Where cap and clip bind, and the anchors behind it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.scorings.binding import Binding, anchors_of, binding_of
from measurand.analyze.settings import Settings
from measurand.score.trials import Scoring, score_trials

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.scorings.binding import Anchors

    Row = dict[str, Any]

BETTER: dict[str, Any] = {"baseline": 1.0, "reference": 2.0, "better": "higher"}


def binding(make: Make, rows: list[Row], **settings: Any) -> Binding:
    chosen = Settings(**settings)
    return binding_of(score_trials(make(rows).frame, chosen.scoring), chosen)


def anchors(make: Make, rows: list[Row], scoring: Scoring | None = None) -> Anchors:
    scoring = scoring or Scoring()
    return anchors_of(score_trials(make(rows).frame, scoring), scoring)


def speeds(*values: float, task: str = "t", **fields: Any) -> list[Row]:
    return [{**BETTER, "task": task, "trial": str(n), "quantity": q, **fields} for n, q in enumerate(values)]


def test_each_bound_is_counted(make: Make) -> None:
    """At the reference the cap binds; above eight times the baseline the clip; below it nothing is worth anything."""
    found = binding(make, speeds(0.5, 1.0, 1.9, 2.0, 8.0, 8.1))
    assert (found.trials, found.passed, found.valid, found.unknown) == (6, 6, 6, 0)
    assert (found.beats, found.at_cap, found.at_clip, found.below_baseline) == (2, 3, 1, 1)


def test_failed_trials_bind_nothing(make: Make) -> None:
    """A quantity that the gate refused neither beats the reference nor binds a bound."""
    found = binding(make, [*speeds(1.5), *speeds(100.0, task="u", verdict="fail")])
    assert (found.trials, found.valid, found.beats, found.at_cap) == (2, 1, 0, 0)


def test_tasks_are_ordered_by_how_much_binds(make: Make) -> None:
    """First the clip, then the cap, then the number of trials; tasks on which nothing binds are not named."""
    rows = [
        *speeds(3.0, 3.0, task="all capped"),
        *speeds(9.0, 1.0, task="half clipped"),
        *speeds(3.0, 1.0, task="half capped"),
        *speeds(1.0, task="free"),
    ]
    found = binding(make, rows)
    assert [row.task for row in found.most] == ["half clipped", "all capped", "half capped"]
    assert (found.tasks, found.tasks_all_capped, found.tasks_clipped) == (4, 1, 1)


def test_clip_and_threshold_are_settings(make: Make) -> None:
    """Another clip binds more often, and another threshold calls fewer references weak."""
    rows = speeds(3.0, 3.0, 1.0)
    assert binding(make, rows, scoring=Scoring(clip=1.5)).at_clip == 2
    assert binding(make, rows, scoring=Scoring(clip=1.5, weak_reference_share=0.9)).tasks_clipped == 0


@pytest.mark.parametrize(("unknown", "known"), [(1, True), (3, False)])
def test_too_many_unknown_quantities_leave_the_bounds_unknown(
    make: Make, *, unknown: int, known: bool
) -> None:
    """The measured trials speak for all only where nearly all are measured."""
    rows = speeds(*[3.0] * 20)
    for row in rows[:unknown]:
        row["quantity"] = None
    found = binding(make, rows)
    assert (found.unknown, found.beats) == (unknown, 20 - unknown)
    assert (found.bounds_reason is None) is known


def test_no_valid_trial_has_a_reason(make: Make) -> None:
    """Without anchors nothing binds, and the record says why."""
    found = binding(make, [{"task": "t"}])
    assert (found.valid, found.most) == (0, ())
    assert found.reason is not None


def test_forms_of_the_objective(make: Make) -> None:
    """Two anchors, a reference alone or equal to the baseline, an interval, and nothing."""
    rows = [
        {**BETTER, "task": "both", "quantity": 1.0},
        {"task": "alone", "reference": 2.0, "better": "higher", "quantity": 1.0},
        {"task": "equal", "reference": 2.0, "baseline": 2.0, "better": "higher", "quantity": 1.0},
        {"task": "interval", "reference": 1.0, "baseline": 0.0, "better": "higher", "kind": "interval"},
        {"task": "none"},
    ]
    forms = {form.form: form.tasks for form in anchors(make, rows).forms}
    assert forms == {"baseline and reference": 1, "reference only": 2, "interval": 1, "none": 1}


def test_range_gain_and_dates(make: Make) -> None:
    """References with their unit, how far they are above their baselines, and which bear a date."""
    rows = [
        {
            "task": "a",
            "baseline": 1.0,
            "reference": 1.1,
            "better": "higher",
            "unit": "x",
            "anchors_id": "2026-01",
        },
        {"task": "b", "baseline": 8.0, "reference": 2.0, "better": "lower", "unit": "x"},
    ]
    found = anchors(make, rows)
    assert (found.reference_low, found.reference_high, found.units) == (1.1, 2.0, ("x",))
    assert found.gain_low == pytest.approx(1.1)
    assert found.gain_high == pytest.approx(4.0)
    assert (found.ids, found.undated, found.weak) == (("2026-01",), 1, ("a",))
    assert not anchors(make, rows, Scoring(weak_anchor_ratio=1.05)).weak


def test_uneven_anchors_are_named(make: Make) -> None:
    """A task whose reference differs between trials is named; one without a reference in some trials is not."""
    rows = [
        {**BETTER, "task": "a", "trial": "1"},
        {**BETTER, "task": "a", "trial": "2", "reference": 3.0},
        {**BETTER, "task": "b", "trial": "1"},
        {"task": "b", "trial": "2", "verdict": "fail"},
    ]
    assert anchors(make, rows).uneven == ("a",)


def test_key_by_verdict_or_by_threshold(make: Make) -> None:
    """Official verdicts make the key unless a threshold is asked for."""
    rows = [{**BETTER, "task": "a", "verdicts": {"official": True}}, {**BETTER, "task": "b"}]
    assert (anchors(make, rows).key_official, anchors(make, rows).key_at) == (1, 1.0)
    asked = anchors(make, rows, Scoring(key_at=1.1))
    assert (asked.key_official, asked.key_at) == (0, 1.1)


def test_unit_changes_no_count(make: Make) -> None:
    """Quantities and anchors in another unit bind as often."""
    values = (0.5, 1.0, 1.9, 2.0, 8.0, 8.1)
    other = [
        {**row, **{name: row[name] * math.e for name in ("quantity", "baseline", "reference")}}
        for row in speeds(*values)
    ]
    assert binding(make, other) == binding(make, speeds(*values))
