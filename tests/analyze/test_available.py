"""Which scores the data allow, and the words for why not the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.prepare import prepare
from measurand.analyze.scorings.available import unavailable
from measurand.analyze.settings import Choice, Settings
from measurand.model.imports import Declaration
from measurand.score.trials import Scoring

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.model.table import Trials

ANCHORED: dict[str, Any] = {"quantity": 2.0, "baseline": 8.0, "reference": 4.0, "better": "lower"}


def reasons(trials: Trials, **settings: Any) -> dict[str, str]:
    chosen = Settings(**settings)
    prepared = prepare(trials, Choice(), chosen)
    return unavailable(prepared.scored, prepared.grid, chosen)


def ten(**fields: Any) -> list[dict[str, Any]]:
    """Ten tasks of one agent."""
    return [{"task": f"t{n}", **fields} for n in range(10)]


def test_everything_can_be_had_of_anchored_trials(make: Make) -> None:
    """Quantities, references and official scores allow every scoring."""
    assert reasons(make(ten(**ANCHORED, official_score=1.0))) == {}


def test_verdicts_alone_allow_the_gate_rate(make: Make) -> None:
    """Of passed and failed nothing else can be made, and each scoring says what it wants."""
    found = reasons(make(ten()))
    assert set(found) == {"key", "capped", "capped_linear", "objective", "official"}
    assert "passed or failed only" in found["objective"]
    assert "neither an official verdict nor a reference" in found["key"]
    assert "official_score" in found["official"]


def test_quantities_without_references_are_asked_for_them(make: Make) -> None:
    """A quantity without any reference is told how to give one; with some, how many tasks lack it."""
    assert "no task has a reference (--anchors FILE" in reasons(make(ten(quantity=1.0)))["objective"]
    rows = [*ten(**ANCHORED), {"task": "u", "quantity": 1.0}]
    assert "1 of 11 tasks has no reference" in reasons(make(rows))["capped"]


def test_reference_of_any_trial_is_one_of_its_task(make: Make) -> None:
    """A failed trial needs no reference of its own where another trial of the task has one."""
    rows = [*ten(**ANCHORED), *ten(agent="lark", verdict="fail")]
    assert set(reasons(make(rows))) == {"official"}


def test_key_needs_a_verdict_or_a_reference(make: Make) -> None:
    """An official verdict makes a key; a threshold on the quantity cannot be had from it."""
    trials = make(ten(verdicts={"official": True}))
    assert "key" not in reasons(trials)
    assert "key" in reasons(trials, scoring=Scoring(key_at=1.1))


@pytest.mark.parametrize(("unknown", "refused"), [(1, False), (2, True)])
def test_passed_without_a_quantity(make: Make, *, unknown: int, refused: bool) -> None:
    """A tenth of the trials may lack a quantity and count as 0; more make the graded scores a guess."""
    rows = ten(**ANCHORED)
    for row in rows[:unknown]:
        row["quantity"] = None
    found = reasons(make(rows))
    assert ("objective" in found) is refused
    assert ("key" in found) is refused
    if refused:
        assert "2 of the 10 trials that passed the gate have no quantity" in found["objective"]


def test_official_score_needs_every_planned_trial(make: Make) -> None:
    """One planned trial without a value makes it unavailable: 0 need not be its worst value."""
    rows = ten(official_score=-0.5)
    assert "official" not in reasons(make(rows))
    assert "10 of 20 planned trials have none" in reasons(make(rows, Declaration("s", trials=2)))["official"]
    rows[3] |= {"official_score": None, "outcome": "infra_error", "verdict": None}
    assert "1 of 10 planned trials has none" in reasons(make(rows))["official"]


def test_official_score_of_a_trial_without_a_verdict_counts(make: Make) -> None:
    """Where the benchmark gives a number in spite of an error, its number stands."""
    rows = ten(official_score=-0.5)
    rows[3] |= {"outcome": "infra_error", "verdict": None}
    assert "official" not in reasons(make(rows))
