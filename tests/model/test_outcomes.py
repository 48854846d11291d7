"""What became of a trial, and what that counts as."""

from __future__ import annotations

import pytest

from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict

TABLE = {
    "completed": "by_gate",
    "no_output": "fail",
    "invalid_output": "fail",
    "agent_error": "fail_unless_passed",
    "agent_timeout": "fail_unless_passed",
    "limit": "fail_unless_passed",
    "infra_error": "no_verdict",
    "grader_error": "no_verdict",
    "simulator_error": "no_verdict",
    "cancelled": "no_verdict",
    "interrupted": "no_verdict",
    "missing": "no_verdict",
}


def test_every_outcome_counts_as_something() -> None:
    """The table has each outcome exactly once, and no other word."""
    assert set(COUNTS_AS) == set(Outcome)
    assert {outcome.value for outcome in Outcome} == set(TABLE)


@pytest.mark.parametrize(("outcome", "counts"), TABLE.items())
def test_outcome_counts_as_designed(outcome: str, counts: str) -> None:
    """Each outcome enters a rate as the design says."""
    assert COUNTS_AS[Outcome(outcome)] is CountsAs(counts)


def test_every_way_of_counting_is_used() -> None:
    """No way of counting is left without an outcome."""
    assert set(COUNTS_AS.values()) == set(CountsAs)


def test_verdicts_are_pass_and_fail() -> None:
    """A verdict is one of two words; no verdict is no word at all."""
    assert [verdict.value for verdict in Verdict] == ["pass", "fail"]
