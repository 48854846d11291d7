"""How an OpenHands agent ended: the error that its record names, or the last of its events."""

from __future__ import annotations

import re
from typing import Any, Final

from measurand.model.outcomes import Outcome
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.loose_values import object_of, text
from measurand.sources.swebench.agent_runs import Ended

__all__ = ["ended_by_error", "ended_by_events"]

_CAUSES: Final = (
    (
        re.compile(
            r"max(imum)?[ _]?(number of )?iterations?|max(imum)?[ _]budget|budget exceeded", re.IGNORECASE
        ),
        Outcome.LIMIT,
    ),
    (re.compile(r"stuck in a loop|AgentStuckInLoop", re.IGNORECASE), Outcome.AGENT_ERROR),
    (
        re.compile(
            r"AgentRuntime\w*Error|Runtime\w*(Disconnected|Unavailable|NotReady)|ConnectionError"
            r"|Maximum (error )?retries|Could not build|ERROR_LLM_(AUTHENTICATION|SERVICE_UNAVAILABLE"
            r"|INTERNAL_SERVER_ERROR|OUT_OF_CREDITS)|rate_limited"
        ),
        Outcome.INFRA_ERROR,
    ),
    (re.compile(r"Timeout after [\d.]+ seconds|EvalTimeoutException"), Outcome.AGENT_TIMEOUT),
)
"""What an error says -> what cut the agent short; the first that is found holds. Other errors are judged by their message."""
_DONE: Final = {"finish", "reject"}
_FAILED: Final = {"error", "rate_limited"}
_STOPPED: Final = {"stopped", "paused"}
_LOOKED_AT: Final = 20_000


def ended_by_error(error: Any) -> Ended:
    """Say what the error of a record means; without one the agent was done."""
    message = text(error)
    if message is None:
        return Ended(None)
    shown = message[:_LOOKED_AT]
    cause = next((cause for pattern, cause in _CAUSES if pattern.search(shown)), None)
    return Ended(short(message), cause or outcome_of_failure(shown), short(message))


def ended_by_events(events: list[dict[str, Any]]) -> Ended:
    """Say how a list of events ends: done, failed, stopped, or broken off."""
    for event in reversed(events):
        kind, action = text(event.get("kind")), text(event.get("action"))
        extras = object_of(event.get("extras"))
        state = text(extras.get("agent_state"))
        if action in _DONE or (kind == "ActionEvent" and event.get("tool_name") == "finish"):
            return Ended(action or "finish")
        if kind == "ConversationErrorEvent":
            return ended_by_error(event.get("detail") or event.get("code"))
        if state in _FAILED:
            return ended_by_error(text(extras.get("reason")) or state)
        if state in _STOPPED or kind == "PauseEvent":
            return Ended(state or "paused", Outcome.CANCELLED)
        said = action == "message" or kind == "MessageEvent"
        if said and event.get("source") == "agent":
            return Ended("message to the user")
        if action is not None or kind in {"ActionEvent", "MessageEvent"}:
            break
    return Ended("no end: the last event is no message and no finish", Outcome.INTERRUPTED)
