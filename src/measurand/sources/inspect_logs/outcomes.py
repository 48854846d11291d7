"""How a sample ended: the outcome, what the gate says then, and why.

Inspect leaves a sample with an error unscored, whoever caused it. So an error says nothing about the agent, unless it is
an overflow of the context, or the log scores the sample all the same (``score_on_error``); a user who knows better says so
(``--outcome RuntimeError=agent_error``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.errors import UsageError
from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.sources.inspect_logs.scores import NO_RESPONSE
from measurand.sources.reading.failure_words import outcome_of_failure, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from measurand.sources.inspect_logs.records import EventHead, Failure, Limit, Sample
    from measurand.sources.inspect_logs.scores import Judgement

__all__ = ["INVALIDATED", "Ending", "check_words", "ending", "error_class"]

INVALIDATED: Final = "invalidated"
_CLASS: Final = re.compile(r"\s*([A-Za-z_][\w.]*)\s*[(:]")
_CANCELLED: Final = "CancelledError"
_RECOVERED: Final = "recovered from crash"
"""What ``inspect log recover`` writes into samples that were under way when the process was killed."""
_TIME_LIMITS: Final = {"time", "working"}
_OPERATOR: Final = "operator"
_BY_THE_MODEL: Final = {
    "invalid_response_format": Outcome.INVALID_OUTPUT,
    NO_RESPONSE: Outcome.NO_OUTPUT,
    "refusal": Outcome.NO_OUTPUT,
}
"""Inspect's words for scores that are abnormal because of the model; all others lay it on the grader."""


class Ending(NamedTuple):
    """How a sample ended."""

    outcome: Outcome
    verdict: Verdict | None = None
    reason: str | None = None


def check_words(outcomes: Mapping[str, str]) -> None:
    """Refuse a word that is given the name of no outcome.

    Raises:
        UsageError: naming it.
    """
    known = [outcome.value for outcome in Outcome]
    for word, outcome in outcomes.items():
        if outcome not in known:
            raise UsageError(
                f"--outcome {word}={outcome}: no such outcome", hint=f"one of: {', '.join(known)}"
            )


def ending(
    sample: Sample, heads: Iterable[EventHead], judged: Judgement, outcomes: Mapping[str, str]
) -> Ending:
    """Say how a sample ended.

    Args:
        sample: the sample.
        heads: its events.
        judged: what its scores come to.
        outcomes: the user's outcome for a class of error, a type of limit, a scorer's reason, or ``invalidated``.
    """
    word, outcome, reason = _word(sample, heads, judged)
    outcome = Outcome(outcomes.get(word, outcome)) if word else outcome
    silent = COUNTS_AS[outcome] is CountsAs.NO_VERDICT
    return Ending(outcome, None if silent else judged.verdict, short(reason))


def _word(
    sample: Sample, heads: Iterable[EventHead], judged: Judgement
) -> tuple[str | None, Outcome, str | None]:
    """The source's word, the outcome that it stands for, and the reason."""
    if sample.invalidation is not None:
        return INVALIDATED, Outcome.CANCELLED, _why_invalidated(sample.invalidation)
    if sample.error is not None:
        word = error_class(sample.error.message, sample.error.traceback)
        return word, _of_error(sample.error, word, heads, judged), sample.error.message
    if sample.limit is not None:
        reason = sample.limit.reason or f"{sample.limit.type} limit"
        return sample.limit.type, _of_limit(sample.limit, judged), reason
    return _of_scores(judged)


def _of_error(error: Failure, word: str, heads: Iterable[EventHead], judged: Judgement) -> Outcome:
    if word == _CANCELLED:
        return Outcome.INTERRUPTED if _RECOVERED in error.traceback else Outcome.CANCELLED
    if judged.verdict is not None:
        return Outcome.AGENT_ERROR
    if _while_scoring(heads):
        return Outcome.GRADER_ERROR
    of_agent = outcome_of_failure(error.message) is Outcome.LIMIT
    return Outcome.LIMIT if of_agent else Outcome.INFRA_ERROR


def _while_scoring(heads: Iterable[EventHead]) -> bool:
    """Whether scoring had begun when the error came."""
    for head in heads:
        if head.event == "error":
            return False
        if head.event == "span_begin" and head.type == "scorers":
            return True
        if head.event == "step" and head.type == "scorer" and head.action == "begin":
            return True
    return False


def _of_limit(limit: Limit, judged: Judgement) -> Outcome:
    """An operator's stop is a limit where the sample was scored all the same, as when an approver ends it."""
    if limit.type in _TIME_LIMITS:
        return Outcome.AGENT_TIMEOUT
    return Outcome.LIMIT if limit.type != _OPERATOR or judged.scored else Outcome.CANCELLED


def _of_scores(judged: Judgement) -> tuple[str | None, Outcome, str | None]:
    word, said = judged.reason, judged.explanation
    reason = f"{word}: {said}" if word and said else word
    if judged.verdict is not Verdict.PASS and word in _BY_THE_MODEL:
        return word, _BY_THE_MODEL[word], reason
    if judged.blank:
        return word, Outcome.GRADER_ERROR, reason or "the score is not a number"
    return word, Outcome.COMPLETED, reason


def _why_invalidated(provenance: Mapping[str, object]) -> str:
    reason, author = provenance.get("reason"), provenance.get("author")
    why = f": {reason}" if isinstance(reason, str) and reason else ""
    return f"{INVALIDATED}{why}" + (f" ({author})" if isinstance(author, str) and author else "")


def error_class(message: str, traceback: str) -> str:
    """Class of an exception, as its message begins (``RuntimeError('...')``) or its traceback ends."""
    last = traceback.rstrip().rpartition("\n")[2]
    found = _CLASS.match(message) or _CLASS.match(last)
    return found[1] if found else "error"
