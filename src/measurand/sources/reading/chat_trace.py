"""Messages of a chat between a user, an agent and its tools become the events of a trace, in their order.

An assistant's message is a call of the model, what it decided, and an action for each tool that it called; what the
tool answers, and what the user says, is observed. What the user does with tools of its own is a note: it is no action of
the agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.trace import Draft
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator

    from measurand.model.trace import EventKind

__all__ = ["Call", "Said", "chat_events", "content_text", "known", "openai_message"]

_TEXT: Final = (None, "text", "input_text", "output_text")
"""Types of the parts of a message that are text."""


class Call(NamedTuple):
    """A tool that is called."""

    id: str | None
    tool: str | None
    arguments: Any = None


class Said(NamedTuple):
    """A message."""

    role: str
    """``system``, ``user``, ``assistant``, ``tool``; any other is kept as a note."""
    text: str | None = None
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    """Of a tool's message: the id of the call that it answers."""
    error: Any = None
    t: dt.datetime | None = None
    mono: float | None = None
    more: dict[str, Any] | None = None
    """What else is known: of an assistant's message the call of the model, of a user's what it cost."""
    scripted: bool = False
    """An assistant's message that no model wrote."""
    streamed: bool = False
    """What an assistant said in a stream of speech: no call of a model can be told."""
    by_user: bool = False
    """A tool's message that answers the user."""


def chat_events(said: Iterable[Said], first: int, asks: frozenset[str] = frozenset()) -> Iterator[Draft]:
    """Yield the events of a chat.

    Args:
        said: the messages.
        first: number of the first event.
        asks: tools by which the agent asks a person: their calls are requests for approval, not actions.
    """
    chat = _Chat(first, asks)
    for message in said:
        yield from chat.events(message)


class _Chat:
    """What has happened so far, as far as later events refer to it."""

    def __init__(self, first: int, asks: frozenset[str]) -> None:
        self.number = first
        self.asks = asks
        self.open: list[tuple[str | None, int]] = []
        """Calls without an answer: id and event."""
        self.last: int | None = None
        """The last thing that the agent said or called."""

    def events(self, said: Said) -> Iterator[Draft]:
        if said.role == "assistant" and not said.scripted:
            yield from self._assistant(said)
        elif said.role == "tool":
            yield self._tool(said)
        elif said.role == "user":
            yield from self._user(said)
        else:
            what = "scripted" if said.scripted else said.role
            yield self._draft("note", {"what": what, "text": said.text}, said)

    def _draft(self, kind: EventKind, payload: dict[str, Any], said: Said, cause: int | None = None) -> Draft:
        self.number += 1
        return Draft(kind, known(payload), said.t, said.mono, cause)

    def _assistant(self, said: Said) -> Iterator[Draft]:
        cause = self.last
        if not said.streamed:
            cause = self.last = self.number
            ids = [call.id for call in said.calls if call.id]
            yield self._draft("model_call", {**(said.more or {}), "calls": ids or None}, said)
        if said.text:
            self.last = self.number
            yield self._draft("decision", {"text": said.text}, said, cause)
        for call in said.calls:
            self.open.append((call.id, self.number))
            if call.tool in self.asks:
                payload = {"action": call.id, "tool": call.tool, "arguments": call.arguments}
                yield self._draft("approval_request", payload, said, cause)
            else:
                payload = {"id": call.id, "tool": call.tool, "arguments": call.arguments}
                yield self._draft("action", payload, said, cause)

    def _tool(self, said: Said) -> Draft:
        payload = {"action": said.answers, "text": said.text, "error": said.error}
        if said.by_user:
            return self._draft("note", {"what": "answer to the user's tool call", **payload}, said)
        return self._draft("observation", payload, said, self._answered(said.answers))

    def _answered(self, call: str | None) -> int | None:
        """The open call of that id, the latest first; without an id, the one that waits longest."""
        places = range(len(self.open))
        order = reversed(places) if call else places
        found = next((place for place in order if call in {None, self.open[place][0]}), None)
        return None if found is None else self.open.pop(found)[1]

    def _user(self, said: Said) -> Iterator[Draft]:
        if said.text or not said.calls:
            payload = {"from": "user", "text": said.text, **(said.more or {})}
            yield self._draft("observation", payload, said, self.last)
        for call in said.calls:
            payload = {
                "what": "tool call of the user",
                "id": call.id,
                "tool": call.tool,
                "arguments": call.arguments,
            }
            yield self._draft("note", payload, said, self.last)


def known(payload: dict[str, Any]) -> dict[str, Any]:
    """Entries that are not null."""
    return {name: value for name, value in payload.items() if value is not None}


def content_text(content: Any) -> str | None:
    """Text of a message: its content, or the texts of its parts, one a line."""
    if isinstance(content, str):
        return content or None
    parts = [part for part in map(object_of, list_of(content)) if part.get("type") in _TEXT]
    texts = [part.get("text") or part.get("content") for part in parts]
    return "\n".join(one for one in texts if isinstance(one, str)) or None


def openai_message(message: dict[str, Any]) -> Said:
    """Read a message as chat completions have it; the arguments of a call are the text that the model wrote."""
    calls = [object_of(call) for call in list_of(message.get("tool_calls"))]
    functions = [object_of(call.get("function")) for call in calls]
    return Said(
        role=text(message.get("role")) or "unknown",
        text=content_text(message.get("content")),
        calls=tuple(
            Call(text(call.get("id")), text(function.get("name")), function.get("arguments"))
            for call, function in zip(calls, functions, strict=True)
        ),
        answers=text(message.get("tool_call_id")),
    )
