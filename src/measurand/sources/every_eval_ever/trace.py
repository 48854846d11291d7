"""The messages of a sample of Every Eval Ever as the events of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.model.trace import Draft
from measurand.sources.reading.chat_trace import Call, Said, chat_events, known
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.model.trial import Trial

__all__ = ["events", "model_calls"]


def events(record: dict[str, Any], trial: Trial) -> Iterator[Draft]:
    """Yield the events of a sample: the prompt and the answer, or all messages, in their order."""
    start = {
        "task": trial.task,
        "agent": trial.agent,
        "evaluation": record.get("evaluation_id"),
        "sample": record.get("sample_id"),
    }
    yield Draft("trial_start", known(start))
    yield from chat_events(_messages(record), 1)
    if error := text(record.get("error")):
        yield Draft("error", {"message": error})
    yield Draft(
        "trial_end",
        known({"outcome": trial.outcome, "verdict": trial.verdict, "score": trial.official_score}),
    )


def model_calls(record: dict[str, Any]) -> int | None:
    """Return how often the model answered: assistant's messages, or 1 for an answer without messages."""
    messages = [object_of(message) for message in list_of(record.get("messages"))]
    if messages:
        return len([message for message in messages if message.get("role") == "assistant"])
    return 1 if isinstance(record.get("output"), dict) else None


def _messages(record: dict[str, Any]) -> Iterator[Said]:
    messages = list_of(record.get("messages"))
    if messages:
        yield from (_said(object_of(message)) for message in messages)
        return
    prompt = object_of(record.get("input"))
    yield Said("user", text(prompt.get("formatted")) or text(prompt.get("raw")))
    output = object_of(record.get("output"))
    reasoning = list_of(output.get("reasoning_trace"))
    for place, answer in enumerate(list_of(output.get("raw"))):
        thought = text(reasoning[place]) if place < len(reasoning) else None
        yield Said("assistant", text(answer), more=known({"reasoning": thought}))


def _said(message: dict[str, Any]) -> Said:
    calls = [object_of(call) for call in list_of(message.get("tool_calls"))]
    answers = message.get("tool_call_id")
    ids = answers if isinstance(answers, list) else [answers]
    return Said(
        role=text(message.get("role")) or "unknown",
        text=text(message.get("content")),
        calls=tuple(
            Call(text(call.get("id")), text(call.get("name")), call.get("arguments")) for call in calls
        ),
        answers=next((found for one in ids if (found := text(one))), None),
        more=known({"turn": message.get("turn_idx"), "reasoning": text(message.get("reasoning_trace"))}),
    )
