"""An ATIF trajectory becomes events of a trace: in the order of the document, a subagent's where it is asked for.

What a user says, and what tools answer, is observed; what the system says is a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.model.trace import Draft
from measurand.sources.atif.source import Trajectory, calls_of, step_usage
from measurand.sources.reading.loose_values import list_of, object_of, text, time

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Sequence

    from measurand.model.trace import EventKind

__all__ = ["Events"]

_TOKENS: Final = (
    "input_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cost_usd",
)
_LEFT_OUT: Final = {"prompt_token_ids", "completion_token_ids", "logprobs"}
"""Metrics that are not told in a trace: numbers by the million that only training needs."""


class Events:
    """Makes the events of trajectories and numbers them.

    Args:
        first: number of the next event of the trace.
        find: gives the document of a subagent by the name of its file, or ``None``.
    """

    def __init__(self, first: int = 0, find: Callable[[str], Trajectory | None] | None = None) -> None:
        self.number = first
        self._find = find or (lambda _: None)
        self._told: set[str] = set()
        """Documents of subagents that were told already, by id and place."""

    def draft(
        self, kind: EventKind, payload: dict[str, Any], t: dt.datetime | None = None, cause: int | None = None
    ) -> Draft:
        """Make the next event; entries that are null are left out."""
        self.number += 1
        return Draft(
            kind, {name: value for name, value in payload.items() if value is not None}, t, None, cause
        )

    def of(self, segments: Sequence[Trajectory]) -> Iterator[Draft]:
        """Yield the events of a trajectory: its document, and those that continue it."""
        for place, segment in enumerate(segments):
            yield from self._document(segment, None, {}, goes_on=place > 0)

    def _document(
        self, document: Trajectory, cause: int | None, marks: dict[str, Any], *, goes_on: bool
    ) -> Iterator[Draft]:
        head = {
            "what": "trajectory",
            "format": document.version,
            "session_id": document.session,
            "trajectory_id": document.id,
            "agent": document.agent.get("name"),
            "agent_version": document.agent.get("version"),
            "model": document.model,
            "extra": document.extra or None,
        }
        yield self.draft("note", head | marks, None, cause)
        for step in document.steps():
            if step.get("is_copied_context") is True:
                yield self._copied(step, marks, with_text=not (goes_on or marks))
            elif step.get("source") == "agent":
                yield from self._agent(step, document, cause, marks)
            else:
                yield from self._other(step, document, cause, marks)
        for one in document.subagents:
            yield from self._subagent(one, cause)

    def _copied(self, step: dict[str, Any], marks: dict[str, Any], *, with_text: bool) -> Draft:
        """A step that repeats another document. Its text is told only where that document is not."""
        payload = {"what": "copied context", "step_id": step.get("step_id"), "source": step.get("source")}
        if with_text:
            payload |= _content(step.get("message"))
        return self.draft("note", payload | marks, time(step.get("timestamp")))

    def _other(
        self, step: dict[str, Any], document: Trajectory, cause: int | None, marks: dict[str, Any]
    ) -> Iterator[Draft]:
        """A message of the user or the system."""
        number, t = self.number, time(step.get("timestamp"))
        said = {**_content(step.get("message")), "step_id": step.get("step_id"), "extra": step.get("extra")}
        if step.get("source") == "user":
            yield self.draft("observation", {"from": "user", **said} | marks, t, cause)
        else:
            yield self.draft(
                "note", {"what": "message", "source": step.get("source"), **said} | marks, t, cause
            )
        yield from self._results(step, document, {}, number, marks)

    def _agent(
        self, step: dict[str, Any], document: Trajectory, cause: int | None, marks: dict[str, Any]
    ) -> Iterator[Draft]:
        t, step_id = time(step.get("timestamp")), step.get("step_id")
        used = step_usage(step, document.model)
        before = cause
        if used.model_calls:
            payload = {
                "step_id": step_id,
                "model": text(step.get("model_name")) or document.model,
                "calls": used.model_calls if used.model_calls > 1 else None,
                "reasoning_effort": step.get("reasoning_effort"),
                **{name: getattr(used, name) for name in _TOKENS},
                "metrics": _rest_of_metrics(step),
            }
            yield self.draft("model_call", payload | marks, t, before)
            before = self.number - 1
        said = _content(step.get("message")) | {"reasoning": step.get("reasoning_content") or None}
        if any(value is not None for value in said.values()):
            payload = {"step_id": step_id, **said, "extra": step.get("extra")}
            yield self.draft("decision", payload | marks, t, before)
            before = self.number - 1
        acted: dict[str, int] = {}
        for call in calls_of(step):
            acted[text(call.get("tool_call_id")) or ""] = self.number
            payload = {
                "id": call.get("tool_call_id"),
                "tool": call.get("function_name"),
                "arguments": call.get("arguments"),
                "step_id": step_id,
                "extra": call.get("extra"),
            }
            yield self.draft("action", payload | marks, t, before)
        yield from self._results(step, document, acted, before, marks)

    def _results(
        self,
        step: dict[str, Any],
        document: Trajectory,
        acted: dict[str, int],
        before: int | None,
        marks: dict[str, Any],
    ) -> Iterator[Draft]:
        """Yield what came back; without an id it follows from the step's last call."""
        for result in list_of(object_of(step.get("observation")).get("results")):
            if not isinstance(result, dict):
                continue
            call = text(result.get("source_call_id"))
            cause = acted.get(call) if call else next(reversed(acted.values()), None)
            cause = before if cause is None else cause
            for reference in list_of(result.get("subagent_trajectory_ref")):
                yield from self._referred(object_of(reference), document, cause)
            payload = {
                "action": call,
                **_content(result.get("content")),
                "step_id": step.get("step_id"),
                "extra": result.get("extra"),
                "subagents": result.get("subagent_trajectory_ref"),
            }
            yield self.draft("observation", payload | marks, time(step.get("timestamp")), cause)

    def _referred(
        self, reference: dict[str, Any], document: Trajectory, cause: int | None
    ) -> Iterator[Draft]:
        wanted, file = text(reference.get("trajectory_id")), text(reference.get("trajectory_path"))
        found = next((one for one in document.subagents if wanted and one.id == wanted), None)
        if found is None and file:
            found = self._find(file)
        if found is not None:
            yield from self._subagent(found, cause)

    def _subagent(self, one: Trajectory, cause: int | None) -> Iterator[Draft]:
        if one.where not in self._told:
            self._told.add(one.where)
            yield from self._document(
                one, cause, {"trajectory": one.id or one.session or one.where}, goes_on=False
            )


def _content(content: Any) -> dict[str, Any]:
    """Text of a message, and what else it holds: media by type and place, never opened."""
    if isinstance(content, str):
        return {"text": content or None}
    parts = [part for part in list_of(content) if isinstance(part, dict)]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    media = [part for part in parts if not isinstance(part.get("text"), str)]
    return {"text": "\n".join(texts) or None, "media": media or None}


def _rest_of_metrics(step: dict[str, Any]) -> dict[str, Any] | None:
    metrics = object_of(step.get("metrics"))
    return {name: value for name, value in metrics.items() if name not in _LEFT_OUT} or None
