"""Events of OpenHands, of the server (``action``, ``observation``) and of the SDK (``kind``), as the events of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.model.trace import Draft
from measurand.sources.reading.chat_trace import content_text, known
from measurand.sources.reading.litellm_usage import usage_of_call
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from measurand.model.trace import EventKind
    from measurand.sources.openhands.clock import Clock

__all__ = ["events_in", "history_events", "is_agents", "response_of", "tool_of"]

_NO_TOOL: Final = {
    "message",
    "system",
    "recall",
    "null",
    "change_agent_state",
    "condensation",
    "condensation_request",
    "agent_summarize",
    "start",
    "pause",
    "resume",
    "stop",
}
"""Actions that call no tool."""
_TO_CONFIRM: Final = "awaiting_confirmation"
_CONFIRMED: Final = {"user_confirmed": "approve", "user_rejected": "deny"}


def events_in(history: Any) -> list[dict[str, Any]]:
    """Read a history: a list of events, or of pairs of an action and what it led to, as old versions have it."""
    found: list[dict[str, Any]] = []
    for entry in list_of(history):
        if isinstance(entry, list):
            found += [one for one in entry if isinstance(one, dict) and one]
        elif isinstance(entry, dict):
            found.append(entry)
    return found


def response_of(event: dict[str, Any]) -> dict[str, Any]:
    """Answer of the model that an event carries; empty where it carries none."""
    metadata = object_of(event.get("tool_call_metadata"))
    return object_of(metadata.get("model_response"))


def is_agents(event: dict[str, Any]) -> bool:
    """Whether it is a turn of the agent: something it said, or a tool that it called."""
    if "kind" in event:
        kind = event.get("kind")
        return kind == "ActionEvent" or (kind == "MessageEvent" and event.get("source") == "agent")
    action = event.get("action")
    return event.get("source") == "agent" and (
        action == "message" or (isinstance(action, str) and action not in _NO_TOOL)
    )


def tool_of(event: dict[str, Any]) -> str | None:
    """Tool that an event calls."""
    if "kind" in event:
        return text(event.get("tool_name")) if event.get("kind") == "ActionEvent" else None
    action = text(event.get("action"))
    return None if action is None or action in _NO_TOOL else action


def history_events(
    events: list[dict[str, Any]], used: Mapping[str, dict[str, Any]], first: int, clock: Clock
) -> Iterator[Draft]:
    """Yield the events of a history in its order.

    Args:
        events: the history.
        used: tokens and seconds by the id of the model's answer.
        first: number of the first event.
        clock: what the times of the events mean.
    """
    history = _History(used, first, clock)
    for event in events:
        yield from history.events(event)


class _History:
    """What has happened so far, as far as later events refer to it."""

    def __init__(self, used: Mapping[str, dict[str, Any]], first: int, clock: Clock) -> None:
        self.used = used
        self.number = first
        self.clock = clock
        self.actions: dict[str, tuple[int, str | None]] = {}
        """Id of an action's event -> its number here, and its own id."""
        self.calls: dict[str, int] = {}
        """Answer of the model -> number of its event."""
        self.asked: tuple[int, str | None] | None = None
        """The last request for approval."""
        self.last: int | None = None

    def events(self, event: dict[str, Any]) -> Iterator[Draft]:
        if "kind" in event:
            yield from self._of_sdk(event)
        elif "observation" in event:
            yield self._observation(event)
        else:
            yield from self._action(event)

    def _draft(
        self, kind: EventKind, payload: dict[str, Any], event: dict[str, Any], cause: int | None = None
    ) -> Draft:
        self.number += 1
        own = text(event.get("id"))
        at, seconds = self.clock.read(event.get("timestamp"))
        return Draft(kind, known({**payload, "event": own}), at, seconds, cause)

    def _model_call(
        self, event: dict[str, Any], name: str | None, response: dict[str, Any]
    ) -> Iterator[Draft]:
        """Yield the call of the model behind an event, unless an earlier event had it."""
        if name is not None and name in self.calls:
            self.last = self.calls[name]
            return
        self.last = self.number
        if name is not None:
            self.calls[name] = self.number
        usage = usage_of_call(response.get("usage"))
        own = {
            "id": name,
            "model": text(response.get("model")),
            "input_tokens": usage and usage.input_tokens,
            "cached_tokens": usage and usage.cached_tokens,
            "output_tokens": usage and usage.output_tokens,
            "reasoning_tokens": usage and usage.reasoning_tokens,
        }
        yield self._draft("model_call", {**known(self.used.get(name or "", {})), **known(own)}, event)

    def _says(self, event: dict[str, Any], words: str | None) -> Iterator[Draft]:
        if words:
            yield self._draft("decision", {"text": words}, event, self.last)

    def _acts(self, event: dict[str, Any], own: str | None, payload: dict[str, Any]) -> Iterator[Draft]:
        self.actions[str(event.get("id"))] = (self.number, own)
        yield self._draft("action", {"id": own, **payload}, event, self.last)

    def _action(self, event: dict[str, Any]) -> Iterator[Draft]:
        action, arguments = text(event.get("action")), object_of(event.get("args"))
        words = content_text(arguments.get("content"))
        by_agent = event.get("source") == "agent"
        state = text(arguments.get("agent_state"))
        if action == "message" and by_agent:
            yield from self._model_call(event, text(response_of(event).get("id")), response_of(event))
            yield from self._says(event, words)
        elif action == "message":
            yield self._draft("observation", {"from": event.get("source"), "text": words}, event, self.last)
        elif action == "change_agent_state" and state in _CONFIRMED and self.asked is not None:
            number, own = self.asked
            payload = {"action": own, "decision": _CONFIRMED[state], "decider": event.get("source")}
            yield self._draft("approval", payload, event, number)
        elif action is None or action in _NO_TOOL:
            self.actions[str(event.get("id"))] = (self.number, None)
            yield self._draft("note", {"what": action or "event", **_without_tools(arguments)}, event)
        else:
            yield from self._tool(event, action, arguments)

    def _tool(self, event: dict[str, Any], action: str, arguments: dict[str, Any]) -> Iterator[Draft]:
        metadata = object_of(event.get("tool_call_metadata"))
        own = text(metadata.get("tool_call_id")) or text(event.get("id"))
        response = response_of(event)
        if event.get("source") == "agent":
            yield from self._model_call(event, text(response.get("id")), response)
            yield from self._says(event, text(arguments.get("thought")))
        rest = {name: value for name, value in arguments.items() if name != "thought" and value is not None}
        payload = {"tool": text(metadata.get("function_name")) or action, "arguments": rest}
        if arguments.get("confirmation_state") == _TO_CONFIRM:
            self.asked = (self.number, own)
            self.actions[str(event.get("id"))] = self.asked
            yield self._draft("approval_request", {"action": own, **payload}, event, self.last)
        else:
            yield from self._acts(event, own, payload)

    def _observation(self, event: dict[str, Any]) -> Draft:
        what, extras = text(event.get("observation")), object_of(event.get("extras"))
        words = content_text(event.get("content"))
        number, own = self.actions.get(str(event.get("cause")), (None, None))
        if what == "agent_state_changed":
            payload = {"what": what, "state": extras.get("agent_state"), "reason": extras.get("reason")}
            return self._draft("note", payload, event, number)
        if what == "error":
            payload = {"class": text(extras.get("error_id")), "message": words or text(event.get("message"))}
            return self._draft("error", payload, event, number)
        code = extras.get("exit_code", object_of(extras.get("metadata")).get("exit_code"))
        payload = {"action": own, "kind": what, "text": words, "exit_code": code}
        return self._draft("observation", payload, event, number)

    def _of_sdk(self, event: dict[str, Any]) -> Iterator[Draft]:
        kind = text(event.get("kind"))
        answer = text(event.get("llm_response_id"))
        if kind == "ActionEvent":
            yield from self._model_call(event, answer, {})
            yield from self._says(event, content_text(event.get("thought")))
            arguments = object_of(event.get("tool_call")).get("arguments") or event.get("action")
            payload = {"tool": text(event.get("tool_name")), "arguments": arguments}
            yield from self._acts(event, text(event.get("tool_call_id")), payload)
        elif kind == "MessageEvent" and event.get("source") == "agent":
            yield from self._model_call(event, answer, {})
            yield from self._says(event, _message(event))
        elif kind == "MessageEvent":
            payload = {"from": event.get("source"), "text": _message(event)}
            yield self._draft("observation", payload, event, self.last)
        else:
            yield self._answer(event, kind)

    def _answer(self, event: dict[str, Any], kind: str | None) -> Draft:
        number, own = self.actions.get(str(event.get("action_id")), (None, text(event.get("tool_call_id"))))
        if number is None and own is not None:
            number = next((place for place, name in self.actions.values() if name == own), None)
        if kind == "ObservationEvent":
            seen = object_of(event.get("observation"))
            words = content_text(seen.get("content")) or content_text(seen.get("output"))
            payload = {"action": own, "kind": text(seen.get("kind")), "text": words}
            return self._draft("observation", {**payload, "exit_code": seen.get("exit_code")}, event, number)
        if kind == "UserRejectObservation":
            payload = {"action": own, "decision": "deny", "reason": text(event.get("rejection_reason"))}
            decider = text(event.get("rejection_source")) or "user"
            return self._draft("approval", {**payload, "decider": decider}, event, number)
        if kind in {"AgentErrorEvent", "ConversationErrorEvent"}:
            message = text(event.get("error")) or text(event.get("detail"))
            return self._draft(
                "error", {"class": text(event.get("code")) or kind, "message": message}, event, number
            )
        rest = {name: value for name, value in event.items() if name not in _ENVELOPE}
        return self._draft("note", {"what": kind, **_without_tools(rest)}, event, number)


_ENVELOPE: Final = {"id", "kind", "timestamp"}


def _without_tools(arguments: dict[str, Any]) -> dict[str, Any]:
    """Drop the schemas of tools: they are many times as long as all that was said."""
    return {name: value for name, value in arguments.items() if name != "tools"}


def _message(event: dict[str, Any]) -> str | None:
    return content_text(object_of(event.get("llm_message")).get("content"))
