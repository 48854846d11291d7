"""What became of a trial, and what that counts as (DESIGN section 4).

An outcome is a fact about how a trial ended; a verdict is what the gate said. Both are kept: a trial that ran
into its time limit may still have passed its gate.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["COUNTS_AS", "CountsAs", "Outcome", "Verdict"]


class Verdict(StrEnum):
    """What a gate said of a trial; no verdict is ``None``."""

    PASS = "pass"  # noqa: S105 - the word for a passed gate, not a password
    FAIL = "fail"


class CountsAs(StrEnum):
    """How an outcome enters a rate."""

    BY_GATE = "by_gate"
    """Evaluated: the verdict of the gate decides; without one there is no verdict."""
    FAIL = "fail"
    """Evaluated, and never a pass."""
    FAIL_UNLESS_PASSED = "fail_unless_passed"
    """Evaluated: a fail, unless the gate ran and passed."""
    NO_VERDICT = "no_verdict"
    """Not evaluated: says nothing about the agent."""


class Outcome(StrEnum):
    """What became of a trial, in one word."""

    COMPLETED = "completed"
    NO_OUTPUT = "no_output"
    INVALID_OUTPUT = "invalid_output"
    AGENT_ERROR = "agent_error"
    AGENT_TIMEOUT = "agent_timeout"
    LIMIT = "limit"
    INFRA_ERROR = "infra_error"
    GRADER_ERROR = "grader_error"
    SIMULATOR_ERROR = "simulator_error"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    MISSING = "missing"


COUNTS_AS: Final[dict[Outcome, CountsAs]] = {
    Outcome.COMPLETED: CountsAs.BY_GATE,
    Outcome.NO_OUTPUT: CountsAs.FAIL,
    Outcome.INVALID_OUTPUT: CountsAs.FAIL,
    Outcome.AGENT_ERROR: CountsAs.FAIL_UNLESS_PASSED,
    Outcome.AGENT_TIMEOUT: CountsAs.FAIL_UNLESS_PASSED,
    Outcome.LIMIT: CountsAs.FAIL_UNLESS_PASSED,
    Outcome.INFRA_ERROR: CountsAs.NO_VERDICT,
    Outcome.GRADER_ERROR: CountsAs.NO_VERDICT,
    Outcome.SIMULATOR_ERROR: CountsAs.NO_VERDICT,
    Outcome.CANCELLED: CountsAs.NO_VERDICT,
    Outcome.INTERRUPTED: CountsAs.NO_VERDICT,
    Outcome.MISSING: CountsAs.NO_VERDICT,
}
"""What each outcome counts as. Every outcome has an entry; a test says so."""
