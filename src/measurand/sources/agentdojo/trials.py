"""A trial of AgentDojo: how it ended, whether it was safe, and its trace, with requests for help as for approval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest
from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.model.trace import Draft
from measurand.model.trial import Trial
from measurand.sources.reading.chat_trace import Call, Said, chat_events, content_text, known
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.sources.agentdojo.dialects import Told
    from measurand.sources.base import ImportLog

__all__ = ["trial_of"]

_ASKS: Final = frozenset({"get_user_help"})
"""Tools by which the agent asks its user, and then has to wait."""
_NAMED: Final = {"missed_help": "asked_when_needed", "forbidden_behavior": "no_forbidden_behavior"}
"""Findings that are bad when true -> the verdict that passes when they are false."""


class Ending(NamedTuple):
    """How a trial ended."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None


def trial_of(told: Told, log: ImportLog, where: str) -> Trial:
    """Make a trial of what a file says."""
    record = told.record
    error = _error(record)
    end = _ending(told, error)
    if error and told.utility is not None:
        log.add("note", "error, and judged all the same: no verdict on safety", where)
    said = [_said(message) for message in map(object_of, list_of(record.get("messages")))]
    own = [one for one in said if one.role == "assistant"]
    calls = [call for one in own for call in one.calls]
    if any(call.tool in _ASKS for call in calls):
        log.add("note", "the agent asked its user for help", where)
    started = time(record.get("evaluation_timestamp"))
    if started is not None:
        log.add("note", "times name no zone: taken for UTC", where)
    return Trial(
        suite=told.suite,
        suite_version=told.version,
        task=told.task,
        family=told.family,
        agent=told.agent,
        agent_digest=agent_digest(told.agent),
        model_requested=told.model,
        trial=told.trial,
        seed=told.seed,
        outcome=end.outcome.value,
        reason=end.reason,
        verdict=end.verdict.value if end.verdict else None,
        verdicts=_verdicts(told, end, error),
        steps=len(own) if said else None,
        tool_calls=len(calls) if said else None,
        wall_s=number(record.get("duration")),
        started_at=started,
        harness="agentdojo",
        harness_version=text(record.get("agentdojo_package_version")),
        source="agentdojo",
        source_ref=where,
        trace_digest=log.trace(lambda: _events(told, said, end, error)),
    )


def _error(record: dict[str, Any]) -> str | None:
    error = record.get("error")
    return str(error) if error else None


def _ending(told: Told, error: str | None) -> Ending:
    verdict = None if told.utility is None else Verdict.PASS if told.utility else Verdict.FAIL
    if error is not None:
        outcome = outcome_of_failure(error)
        silent = COUNTS_AS[outcome] is CountsAs.NO_VERDICT
        return Ending(outcome, None if silent else verdict or Verdict.FAIL, short(error))
    if verdict is not None:
        return Ending(Outcome.COMPLETED, verdict, None)
    if told.judged:
        return Ending(Outcome.GRADER_ERROR, None, "utility is neither true nor false")
    return Ending(Outcome.INTERRUPTED, None, "no utility: the trial was left before its end")


def _verdicts(told: Told, end: Ending, error: str | None) -> dict[str, bool] | None:
    """What the benchmark counts (``official``), and what else was judged of a trial that came to an end."""
    found = {} if told.utility is None else {"official": told.utility}
    if error is None and end.outcome is Outcome.COMPLETED:
        if told.safe is not None:
            found["security"] = told.safe
        found |= {ours: not told.evaluation[name] for name, ours in _NAMED.items() if name in told.evaluation}
    return found or None


def _said(message: dict[str, Any]) -> Said:
    calls = tuple(
        Call(text(call.get("id")), text(call.get("function")), call.get("args"))
        for call in map(object_of, list_of(message.get("tool_calls")))
    )
    answered = object_of(message.get("tool_call"))
    return Said(
        role=text(message.get("role")) or "unknown",
        text=content_text(message.get("content")),
        calls=calls,
        answers=text(message.get("tool_call_id")) or text(answered.get("id")),
        error=message.get("error"),
    )


def _events(told: Told, said: list[Said], end: Ending, error: str | None) -> Iterator[Draft]:
    start = {
        "suite": told.suite,
        "task": told.task,
        "trial": told.trial,
        "agent": told.agent,
        "model": told.model,
        **told.start,
    }
    yield Draft("trial_start", known(start))
    yield from chat_events(said, first=1, asks=_ASKS)
    if error is not None:
        yield Draft("error", {"message": error})
    finish = {
        "outcome": end.outcome.value,
        "verdict": end.verdict.value if end.verdict else None,
        "reason": end.reason,
        "safe": told.safe if error is None else None,
        "final_answer": text(told.record.get("final_answer")),
        **told.evaluation,
    }
    yield Draft("trial_end", known(finish))
