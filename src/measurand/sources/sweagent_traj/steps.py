"""Steps of SWE-agent as the events of a trace; those of a run that was tried several times stand one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.model.trace import Draft
from measurand.sources.reading.chat_trace import Call, Said, chat_events, content_text
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["attempts_in", "steps_in", "trajectory_events"]

_SHELL: Final = "bash"
_SCAFFOLD_SAYS: Final = ("Exit due to", "Exiting due to", "Exited")
"""How the step begins that the scaffold writes when it ends a run."""


def attempts_in(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Attempts of a run that was tried several times."""
    return [one for one in list_of(document.get("attempts")) if isinstance(one, dict)]


def steps_in(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Steps of a run, or of an attempt."""
    return [step for step in list_of(document.get("trajectory")) if isinstance(step, dict)]


def trajectory_events(document: dict[str, Any]) -> Iterator[Draft]:
    """Yield what happened, from number 1 on."""
    attempts = attempts_in(document)
    number = 1
    for place, attempt in enumerate(attempts or [document], start=1):
        if attempts:
            yield Draft("note", {"what": "attempt", "attempt": place})
            number += 1
        for event in chat_events(_said(attempt), first=number):
            number += 1
            yield event


def _said(document: dict[str, Any]) -> Iterator[Said]:
    history = [entry for entry in list_of(document.get("history")) if isinstance(entry, dict)]
    acted = [entry for entry in history if _is_action(entry)]
    for entry in history:
        if entry.get("role") == "assistant" and not entry.get("is_demo"):
            break
        role = "demonstration" if entry.get("is_demo") else text(entry.get("role")) or "unknown"
        yield Said(role, content_text(entry.get("content")))
    place = 0
    for step in steps_in(document):
        match = place < len(acted) and acted[place].get("action") == step.get("action")
        yield from _step(step, acted[place] if match else {})
        place += match


def _is_action(entry: dict[str, Any]) -> bool:
    return entry.get("role") == "assistant" and not entry.get("is_demo") and bool(entry.get("action"))


def _step(step: dict[str, Any], entry: dict[str, Any]) -> Iterator[Said]:
    """One step; the entry of the history that belongs to it knows the calls of tools as the model made them."""
    action = step.get("action") if isinstance(step.get("action"), str) else None
    response = content_text(step.get("response"))
    words = content_text(step.get("thought")) or response
    observed = content_text(step.get("observation"))
    if not (action or "").strip():
        by_scaffold = (response or "").startswith(_SCAFFOLD_SAYS)
        yield Said("assistant", words, scripted=by_scaffold)
        if observed:
            yield Said("user", observed)
        return
    call = _call(entry, action)
    yield Said("assistant", words, (call,))
    yield Said("tool", observed, answers=call.id)


def _call(entry: dict[str, Any], action: str | None) -> Call:
    calls = [object_of(call) for call in list_of(entry.get("tool_calls"))]
    if len(calls) != 1:
        return Call(None, _SHELL, {"command": action})
    function = object_of(calls[0].get("function"))
    return Call(
        text(calls[0].get("id")), text(function.get("name")) or _SHELL, function.get("arguments", action)
    )
