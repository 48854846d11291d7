"""How a simulation of tau2 ended, and what its reward says.

tau2 gives the reward 0 to whatever did not end by a stop of the user or agent, whoever caused it. Here faults of the
infrastructure and of the simulated user are no verdicts; what tau2 itself counts stands in the verdict ``official``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.sources.reading.loose_values import number, object_of, text
from measurand.sources.tau_bench.trials import is_success

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.model.imports import NoteKind

__all__ = ["Ending", "ending", "verdicts"]

_OUTCOMES: Final = {
    "user_stop": Outcome.COMPLETED,
    "agent_stop": Outcome.COMPLETED,
    "max_steps": Outcome.LIMIT,
    "too_many_errors": Outcome.LIMIT,
    "context_window_exceeded": Outcome.LIMIT,
    "timeout": Outcome.AGENT_TIMEOUT,
    "agent_error": Outcome.AGENT_ERROR,
    "user_error": Outcome.SIMULATOR_ERROR,
    "infrastructure_error": Outcome.INFRA_ERROR,
    "unexpected_error": Outcome.INFRA_ERROR,
}
"""Termination reason -> outcome."""
_NOT_COUNTED: Final = {"infrastructure_error", "context_window_exceeded"}
"""Reasons that tau2 leaves out of its own numbers."""


class Ending(NamedTuple):
    """How a simulation ended."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None
    reward: float | None
    """As tau2 counts it; ``None`` where it does not."""


def ending(record: dict[str, Any], reward: float | None, tell: Callable[[NoteKind, str], None]) -> Ending:
    """Say how a simulation ended.

    Args:
        record: the simulation, or its entry in the index.
        reward: its reward.
        tell: told what is not known.
    """
    word = text(record.get("termination_reason"))
    outcome = _OUTCOMES.get(word) if word else Outcome.COMPLETED
    if outcome is None:
        tell("unknown", "termination reason that is not known: the reward decides")
        outcome = Outcome.COMPLETED
    if outcome is Outcome.COMPLETED and reward is None:
        return Ending(Outcome.GRADER_ERROR, None, "no reward", None)
    counted = None if word in _NOT_COUNTED else reward
    verdict = None
    if COUNTS_AS[outcome] is not CountsAs.NO_VERDICT and reward is not None:
        verdict = Verdict.PASS if is_success(reward) else Verdict.FAIL
    return Ending(outcome, verdict, None if outcome is Outcome.COMPLETED else word, counted)


def verdicts(record: dict[str, Any], counted: float | None) -> dict[str, bool] | None:
    """What tau2 counts (``official``), and each part of its reward that was judged (``db``, ``communicate``, ...)."""
    found = {} if counted is None else {"official": is_success(counted)}
    breakdown = object_of(object_of(record.get("reward_info")).get("reward_breakdown"))
    for name, value in breakdown.items():
        part = number(value)
        if part is not None and str(name).lower() != "official":
            found[str(name).lower()] = is_success(part)
    return found or None
