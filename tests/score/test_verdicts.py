"""Verdicts by name as numbers."""

from __future__ import annotations

import pytest

from measurand.errors import UsageError
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.model.verdicts import verdict_names
from measurand.score.verdicts import with_verdict


def trial(outcome: str, verdict: str | None, **verdicts: bool) -> Trial:
    return Trial(
        suite="s", task="t", agent="a", trial="1", outcome=outcome, verdict=verdict, verdicts=verdicts or None
    )


FRAME = trials_frame(
    [
        trial("completed", "pass", strict=False, lax=True),
        trial("completed", "fail"),
        trial("no_output", None, strict=True),
        trial("infra_error", "pass", strict=True),
        trial("agent_timeout", "pass"),
    ]
)


def test_the_outcome_has_a_say_in_every_first_verdict() -> None:
    """Nothing handed in is a fail by any verdict, an infrastructure error none, a timeout a fail unless passed."""
    assert with_verdict(FRAME, "gate", "v")["v"].to_list() == [1, 0, 0, None, 1]
    assert with_verdict(FRAME, "strict", "v")["v"].to_list() == [0, None, 0, None, 0]


def test_a_second_verdict_is_what_was_recorded() -> None:
    """A trial that was not judged again has none, whatever its outcome."""
    assert with_verdict(FRAME, "strict", "v", again=True)["v"].to_list() == [0, None, 1, 1, None]


def test_names_are_those_of_the_data() -> None:
    """An unknown name is refused with what there is."""
    assert verdict_names(FRAME) == ("lax", "strict")
    with pytest.raises(UsageError, match=r"did you mean 'strict'[\s\S]*gate, lax, strict"):
        with_verdict(FRAME, "stric", "v")
    with pytest.raises(UsageError, match="no trial has a further verdict"):
        with_verdict(FRAME[1:2], "official", "v")
