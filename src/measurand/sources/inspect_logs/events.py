"""Events of a sample become the trace of its trial, in the order of the log.

A tool call is an action, unless an approver refused it: then nothing was done, and the refusal is the observation. What
the agent is told of a call comes where the span of the call ends, after what happened within.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import task_digest
from measurand.model.trace import Draft
from measurand.sources.inspect_logs.model_calls import call_ids, decision, model_call
from measurand.sources.inspect_logs.outcomes import error_class
from measurand.sources.inspect_logs.payloads import Attachments, known, objects_in, text_of
from measurand.sources.reading import loose_json
from measurand.sources.reading.loose_values import object_of, time

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator

    from measurand.model.trace import EventKind
    from measurand.sources.inspect_logs.agents import Evaluation
    from measurand.sources.inspect_logs.files import Loaded
    from measurand.sources.inspect_logs.outcomes import Ending
    from measurand.sources.inspect_logs.records import Sample

__all__ = ["Told", "events"]

_DECISIONS: Final = {"approve": "approve", "modify": "approve", "reject": "deny", "terminate": "deny"}
"""Inspect's words for decisions -> ours; the word itself is kept beside it."""
_LEFT_OUT: Final = {
    "event",
    "timestamp",
    "working_start",
    "events",
    "view",
    "input_ansi",
    "model_usage",
    "role_usage",
    "scorer_args",
}
"""Fields of an event that a note does not repeat: clocks, colours, and sums of what model calls say one by one."""


class Told(NamedTuple):
    """What is known of a sample beside its events."""

    evaluation: Evaluation
    ending: Ending
    where: str


def events(loaded: Loaded, told: Told) -> Iterator[Draft]:
    """Yield the events of a trial.

    Raises:
        FormatError: the events of the sample are not JSON.
    """
    sample = loaded.decoded.record
    trace = _Trace(Attachments(loaded.attachments))
    yield trace.draft("trial_start", _start(sample, told), time(sample.started_at))
    for attempt, error in enumerate(sample.error_retries or [], 1):
        name = error_class(error.message, error.traceback)
        payload = {"attempt": attempt, "class": name, "message": error.message}
        yield trace.draft("error", payload | {"traceback": error.traceback})
    for part in loaded.events():
        for event in objects_in(loose_json.decode(part, told.where)):
            yield from trace.event(event)
    yield from trace.rest()
    store = object_of(loose_json.decode(bytes(sample.store), told.where))
    if store:
        yield trace.draft("snapshot", {"of": "store", "digest": task_digest(store)})
    outcome, verdict, reason = told.ending
    payload = known(
        {"outcome": outcome.value, "verdict": verdict.value if verdict else None, "reason": reason}
    )
    yield trace.draft("trial_end", payload, time(sample.completed_at))


def _start(sample: Sample, told: Told) -> dict[str, Any]:
    of_all = told.evaluation
    return known(
        {
            "suite": of_all.suite,
            "task": str(sample.id),
            "trial": str(sample.epoch),
            "uuid": sample.uuid,
            "agent": of_all.agent,
            "model": of_all.model,
            "limits": of_all.limits or None,
            "input": sample.input,
        }
    )


class _Trace:
    """What has happened so far, as far as later events refer to it. Calls of tools are known by their ids."""

    def __init__(self, attachments: Attachments) -> None:
        self.attachments = attachments
        self.number = 0
        self.proposed: dict[str, int] = {}
        """Call -> the model call that asked for it."""
        self.requested: dict[str, int] = {}
        self.decided: dict[str, int] = {}
        self.denied: set[str] = set()
        self.open_spans: dict[tuple[str | None, str | None], list[str]] = {}
        """Spans of tools, by tool and span around it, whose call has not come yet."""
        self.acted: dict[str, int] = {}
        """Span of a tool -> its action."""
        self.answers: dict[str, Draft] = {}
        """Span of a tool -> its observation, until the span ends."""
        self.handlers: dict[str, Callable[[dict[str, Any]], Iterator[Draft]]] = {
            "sample_init": lambda _: iter(()),
            "model": self._model,
            "tool": self._tool,
            "approval": self._approval,
            "error": self._error,
            "state": self._state,
            "span_begin": self._span_begin,
            "span_end": self._span_end,
        }

    def draft(
        self,
        kind: EventKind,
        payload: dict[str, Any],
        t: dt.datetime | None = None,
        cause: int | None = None,
    ) -> Draft:
        """Make the next event."""
        self.number += 1
        return Draft(kind, self.attachments.resolve(payload), t, None, cause)

    def event(self, event: dict[str, Any]) -> Iterator[Draft]:
        """Yield what becomes of one event of the log."""
        yield from self.handlers.get(text_of(event.get("event")) or "", self._note)(event)

    def rest(self) -> Iterator[Draft]:
        """Yield what is still to be told when the log ends."""
        for answer in self.answers.values():
            self.number += 1
            yield answer
        self.answers.clear()

    def _nested(self, event: dict[str, Any]) -> Iterator[Draft]:
        """Older logs hold what happened within a tool or subtask in its event."""
        for within in objects_in(event.get("events")):
            yield from self.event(within)

    def _model(self, event: dict[str, Any]) -> Iterator[Draft]:
        number = self.number
        yield self.draft("model_call", model_call(event), _time(event))
        for call in call_ids(event):
            self.proposed[call] = number
        if said := decision(event):
            yield self.draft("decision", said, _time(event, "completed"), number)

    def _approval(self, event: dict[str, Any]) -> Iterator[Draft]:
        call, word = object_of(event.get("call")), text_of(event.get("decision"))
        action = text_of(call.get("id")) or ""
        if action not in self.requested:
            self.requested[action] = self.number
            asked = {"action": action, "tool": call.get("function"), "arguments": call.get("arguments")}
            yield self.draft("approval_request", known(asked), None, self.proposed.get(action))
        made = _DECISIONS.get(word or "", word)
        payload = {
            "action": action,
            "decision": made,
            "word": word,
            "decider": event.get("approver"),
            "explanation": event.get("explanation"),
            "arguments": object_of(event.get("modified")).get("arguments"),
            "uuid": event.get("uuid"),
        }
        self.decided[action] = self.number
        (self.denied.add if made == "deny" else self.denied.discard)(action)
        yield self.draft("approval", known(payload), _time(event), self.requested[action])

    def _tool(self, event: dict[str, Any]) -> Iterator[Draft]:
        call, tool = text_of(event.get("id")) or "", text_of(event.get("function"))
        error = object_of(event.get("error"))
        cause = self.decided.get(call, self.proposed.get(call))
        span = self._claim_span(tool, text_of(event.get("span_id")))
        if call not in self.denied and error.get("type") != "approval":
            payload = {
                "id": call,
                "tool": tool,
                "arguments": event.get("arguments"),
                "agent": event.get("agent"),
            }
            cause, before = self.number, cause
            yield self.draft("action", known(payload | {"uuid": event.get("uuid")}), _time(event), before)
        yield from self._nested(event)
        if event.get("pending") is True:
            return
        answer = {
            "action": call,
            "text": event.get("result"),
            "error": error or None,
            "failed": event.get("failed"),
            "truncated": event.get("truncated"),
            "seconds": event.get("working_time"),
            "message_id": event.get("message_id"),
        }
        told = Draft(
            "observation", self.attachments.resolve(known(answer)), _time(event, "completed"), None, cause
        )
        if span is None:
            self.number += 1
            yield told
            return
        self.answers[span] = told
        if cause is not None:
            self.acted[span] = cause

    def _claim_span(self, tool: str | None, around: str | None) -> str | None:
        waiting = self.open_spans.get((tool, around))
        return waiting.pop(0) if waiting else None

    def _span_begin(self, event: dict[str, Any]) -> Iterator[Draft]:
        span = text_of(event.get("id"))
        if event.get("type") == "tool" and span is not None:
            key = (text_of(event.get("name")), text_of(event.get("parent_id")))
            self.open_spans.setdefault(key, []).append(span)
        yield from self._note(event)

    def _span_end(self, event: dict[str, Any]) -> Iterator[Draft]:
        answer = self.answers.pop(text_of(event.get("id")) or "", None)
        if answer is not None:
            self.number += 1
            yield answer
        yield from self._note(event)

    def _error(self, event: dict[str, Any]) -> Iterator[Draft]:
        error = object_of(event.get("error"))
        message, traceback = text_of(error.get("message")) or "", text_of(error.get("traceback")) or ""
        payload = {
            "class": error_class(message, traceback),
            "message": message,
            "traceback": traceback or None,
            "uuid": event.get("uuid"),
        }
        yield self.draft("error", known(payload), _time(event))

    def _state(self, event: dict[str, Any]) -> Iterator[Draft]:
        """Which parts of the state changed; the values repeat what models said and tools answered."""
        changes = [[change.get("op"), change.get("path")] for change in objects_in(event.get("changes"))]
        yield from self._note(event | {"changes": changes})

    def _note(self, event: dict[str, Any]) -> Iterator[Draft]:
        payload = {"what": event.get("event")} | {
            name: value for name, value in event.items() if name not in _LEFT_OUT
        }
        cause = self.acted.get(text_of(event.get("span_id")) or "")
        yield self.draft("note", known(payload), _time(event), cause)
        yield from self._nested(event)


def _time(event: dict[str, Any], field: str = "timestamp") -> dt.datetime | None:
    return time(text_of(event.get(field)))
