"""Calls of models that HAL logged for each task: tokens and steps; a call that holds others is not counted with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from measurand.sources.reading.loose_values import list_of, number, object_of, text, time, whole

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from measurand.sources.base import ImportLog
    from measurand.sources.reading.json_lists import Entry

__all__ = ["Logged", "LoggedCall", "logged_calls"]


class LoggedCall(NamedTuple):
    """One call of a model."""

    model: str | None
    input: int | None
    """Cached tokens left out."""
    cached: int | None
    written: int | None
    output: int | None
    reasoning: int | None
    started: dt.datetime | None = None
    ended: dt.datetime | None = None
    seconds: float | None = None
    answer: dict[str, Any] | None = None
    """The message that the model answered, where it is logged."""


class Logged(NamedTuple):
    """The calls of one task."""

    calls: list[LoggedCall]
    messages: list[dict[str, Any]]
    """The longest conversation, where it is kept in place of the calls' own messages."""


def logged_calls(raw: Any, calls: Iterable[Entry], log: ImportLog) -> dict[str, Logged]:
    """Read what was logged of each task.

    Args:
        raw: ``raw_logging_results``, where it holds the conversation and the calls of each task.
        calls: its entries, where it is a list of Weave's calls.
        log: told of calls that cannot be read.
    """
    found = {str(task): _compact(object_of(entry)) for task, entry in object_of(raw).items()}
    made: list[tuple[str, str | None, list[LoggedCall]]] = []
    holders: set[str | None] = set()
    damaged = False
    for entry in calls:
        call = entry.value
        if call is None:
            damaged = True
            what = f"logged call {entry.why or 'damaged'}: tokens and steps of the upload unknown"
            log.add("unknown", what, entry.where)
            continue
        task = text(call.get("weave_task_id", object_of(call.get("attributes")).get("weave_task_id")))
        of_call = _of_weave(call)
        if of_call:
            holders.add(text(call.get("parent_id")))
        if task is not None and of_call:
            made.append((task, text(call.get("id")), of_call))
    for task, name, of_call in [] if damaged else made:
        if name is None or name not in holders:
            found.setdefault(task, Logged([], [])).calls.extend(of_call)
    return found


def _usages(call: dict[str, Any]) -> dict[str, Any]:
    """Usage by model, as Weave sums it up; or as the provider said it."""
    summed = object_of(object_of(call.get("summary")).get("usage"))
    if summed:
        return summed
    output = object_of(call.get("output"))
    usage = object_of(output.get("usage"))
    model = text(output.get("model")) or text(object_of(call.get("inputs")).get("model"))
    return {model or "": usage} if usage else {}


def _of_weave(call: dict[str, Any]) -> list[LoggedCall]:
    milliseconds = number(object_of(object_of(call.get("summary")).get("weave")).get("latency_ms"))
    choice = next(map(object_of, list_of(object_of(call.get("output")).get("choices"))), {})
    return [
        _call(
            model or None,
            object_of(usage),
            time(call.get("started_at")),
            time(call.get("ended_at")),
        )._replace(
            seconds=None if milliseconds is None else milliseconds / 1000,
            answer=object_of(choice.get("message")) or None,
        )
        for model, usage in _usages(call).items()
    ]


def _compact(entry: dict[str, Any]) -> Logged:
    model = text(entry.get("model"))
    calls = [
        _call(model, object_of(call.get("usage")), time(call.get("started_at")), time(call.get("ended_at")))
        for call in map(object_of, list_of(entry.get("call_metadata")))
    ]
    messages = [one for one in list_of(entry.get("messages")) if isinstance(one, dict)]
    return Logged(calls, messages)


def _call(
    model: str | None, usage: dict[str, Any], started: dt.datetime | None, ended: dt.datetime | None
) -> LoggedCall:
    """Read usage as one provider or the other has it: the prompt with its cached tokens, or the input without."""
    written = whole(usage.get("cache_creation_input_tokens"))
    details = object_of(usage.get("prompt_tokens_details")) or object_of(usage.get("input_tokens_details"))
    cached = whole(details.get("cached_tokens"))
    outputs = object_of(usage.get("completion_tokens_details")) or object_of(
        usage.get("output_tokens_details")
    )
    prompt = whole(usage.get("prompt_tokens"))
    if prompt is None:
        prompt = whole(usage.get("input_tokens"))
        read = whole(usage.get("cache_read_input_tokens"))
        within = cached or 0
        cached = cached if read is None else read
    else:
        cached = whole(usage.get("cache_read_input_tokens")) if cached is None else cached
        within = (cached or 0) + (written or 0)
    if prompt is not None and within <= prompt:
        prompt -= within
    output = whole(usage.get("completion_tokens"))
    if output is None:
        output = whole(usage.get("output_tokens"))
    seconds = (ended - started).total_seconds() if started and ended and ended >= started else None
    return LoggedCall(
        model,
        prompt,
        cached,
        written,
        output,
        whole(outputs.get("reasoning_tokens")),
        started,
        ended,
        seconds,
    )
