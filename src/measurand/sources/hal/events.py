"""What HAL logged of a task becomes the trace of its trial, as far as it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.model.trace import Draft
from measurand.sources.reading.chat_trace import Call, Said, chat_events, known, openai_message
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.sources.hal.runs import Upload
    from measurand.sources.hal.trials import Judged
    from measurand.sources.hal.usage import Logged, LoggedCall

__all__ = ["events"]


def events(upload: Upload, identity: tuple[str, str], judged: Judged, logged: Logged) -> Iterator[Draft]:
    """Yield the events of a trial."""
    task, trial = identity
    start = {
        "suite": upload.suite,
        "task": task,
        "trial": trial,
        "agent": upload.agent,
        "model": upload.model,
        "job": upload.job,
    }
    yield Draft("trial_start", known(start))
    yield from chat_events(_said(logged, judged.entry), first=1)
    if judged.reason and not judged.entry:
        yield Draft("error", {"message": judged.reason})
    finish = {
        "outcome": judged.outcome.value,
        "verdict": judged.verdict.value if judged.verdict else None,
        "reason": judged.reason,
        "official_score": judged.score,
        "explanation": text(judged.entry.get("explanation")),
    }
    yield Draft("trial_end", known(finish))


def _said(logged: Logged, entry: dict[str, Any]) -> Iterator[Said]:
    """The conversation with its calls; else the calls one by one; else the actions that were taken."""
    if logged.messages:
        yield from _conversation(logged)
    elif logged.calls:
        for call in logged.calls:
            said = openai_message(call.answer or {"role": "assistant"})
            yield said._replace(role="assistant", t=call.started, more=_meters(call))
    else:
        for action in map(object_of, list_of(entry.get("taken_actions"))):
            taken = Call(None, text(action.get("name")), action.get("kwargs", action.get("arguments")))
            yield Said("assistant", calls=(taken,), streamed=True)


def _conversation(logged: Logged) -> Iterator[Said]:
    """The agent's messages take the calls in their order, where there is one for each."""
    said = [openai_message(message) for message in logged.messages]
    own = sum(one.role == "assistant" for one in said)
    calls = iter(logged.calls if own == len(logged.calls) else [])
    for one in said:
        made = next(calls, None) if one.role == "assistant" else None
        yield one if made is None else one._replace(t=made.started, more=_meters(made))


def _meters(call: LoggedCall) -> dict[str, Any]:
    return known(
        {
            "model": call.model,
            "input_tokens": call.input,
            "cached_tokens": call.cached,
            "cache_write_tokens": call.written,
            "output_tokens": call.output,
            "reasoning_tokens": call.reasoning,
            "seconds": call.seconds,
        }
    )
