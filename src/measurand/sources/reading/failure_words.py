"""What the message of an error tells of its cause: the provider of the model, its context window, a clock, or nothing."""

from __future__ import annotations

import re
from typing import Final

from measurand.model.outcomes import Outcome

__all__ = ["outcome_of_failure", "short"]

_LONGEST: Final = 300
_LOOKED_AT: Final = 20_000
_CONTEXT: Final = re.compile(
    r"context.?(length|window)|maximum context|prompt is too long|input is too long"
    r"|reduce the length of the messages|max_new_tokens",
    re.IGNORECASE,
)
_PROVIDER: Final = re.compile(
    r"rate.?limit|too many requests|overloaded|service.?(is )?(temporarily )?unavailable|internal.?server.?error"
    r"|bad gateway|gateway.?time.?out|api.?connection|connection (error|reset|refused|aborted|closed)"
    r"|server disconnected|insufficient.?quota|quota exceeded|authentication.?error|invalid.?api.?key"
    r"|(error|status)(.?code)?:? ?(401|403|429|5\d\d)\b|api.?timeout|request timed out|litellm\.timeout",
    re.IGNORECASE,
)
_TIMEOUT: Final = re.compile(r"time.?out|timed out", re.IGNORECASE)


def outcome_of_failure(message: str) -> Outcome:
    """Say what an error that ended a trial makes of it.

    An overflow of the context is a limit of the agent; a fault of the provider is none of its own; what names no
    cause is laid on the agent.

    >>> outcome_of_failure("BadRequestError: context_length_exceeded"), outcome_of_failure("Error code: 503")
    (<Outcome.LIMIT: 'limit'>, <Outcome.INFRA_ERROR: 'infra_error'>)
    """
    message = message[:_LOOKED_AT]
    if _CONTEXT.search(message):
        return Outcome.LIMIT
    if _PROVIDER.search(message):
        return Outcome.INFRA_ERROR
    return Outcome.AGENT_TIMEOUT if _TIMEOUT.search(message) else Outcome.AGENT_ERROR


def short(message: str | None) -> str | None:
    """One line of a message, cut where it is long; ``None`` when it is empty."""
    line = " ".join((message or "")[: 4 * _LONGEST].split())
    return (line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…") or None
