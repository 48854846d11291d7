"""What an event says of one call of a model: usage, ending, what it said, which tools it asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.sources.inspect_logs.payloads import known, objects_in, text_of
from measurand.sources.reading.loose_values import object_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_ids", "decision", "model_call"]

_TOKENS: Final = {
    "input_tokens": "input_tokens",
    "cached_tokens": "input_tokens_cache_read",
    "cache_write_tokens": "input_tokens_cache_write",
    "output_tokens": "output_tokens",
    "reasoning_tokens": "reasoning_tokens",
    "cost_usd": "total_cost",
}


def model_call(event: dict[str, Any]) -> dict[str, Any]:
    """Payload of the call. Its input is told by the number of messages: they are what was said and observed before."""
    output = object_of(event.get("output"))
    usage = object_of(output.get("usage"))
    calls = list(call_ids(event))
    tools = [tool["name"] for tool in objects_in(event.get("tools")) if text_of(tool.get("name"))]
    settings = known(object_of(event.get("config")))
    payload = {
        "id": event.get("uuid"),
        "span_id": event.get("span_id"),
        "model": event.get("model"),
        "served": output.get("model"),
        "requested": event.get("requested_model"),
        "role": event.get("role"),
        **{ours: usage.get(theirs) for ours, theirs in _TOKENS.items()},
        "seconds": event.get("working_time", output.get("time")),
        "stop_reason": _choice(event).get("stop_reason"),
        "input_messages": _input_messages(event),
        "calls": calls or None,
        "tools": tools or None,
        "settings": settings or None,
        "retries": event.get("retries"),
        "cache": event.get("cache"),
        "error": event.get("error", output.get("error")),
        "pending": event.get("pending"),
    }
    return known(payload)


def decision(event: dict[str, Any]) -> dict[str, Any]:
    """What the model said, with its reasoning where that is kept; empty when it said nothing."""
    message = object_of(_choice(event).get("message"))
    content = message.get("content")
    parts = list(objects_in(content))
    text = content if isinstance(content, str) else "\n".join(_texts(parts, "text"))
    reasoning = "\n".join(_texts(parts, "reasoning"))
    return (
        known({"text": text or None, "reasoning": reasoning or None, "message_id": message.get("id")})
        if (text or reasoning)
        else {}
    )


def call_ids(event: dict[str, Any]) -> Iterator[str]:
    """Ids of the tool calls that the model asked for."""
    message = object_of(_choice(event).get("message"))
    for call in objects_in(message.get("tool_calls")):
        if (named := text_of(call.get("id"))) is not None:
            yield named


def _choice(event: dict[str, Any]) -> dict[str, Any]:
    choices = objects_in(object_of(event.get("output")).get("choices"))
    return next(choices, {})


def _texts(parts: list[dict[str, Any]], kind: str) -> Iterator[str]:
    return (part[kind] for part in parts if part.get("type") == kind and isinstance(part.get(kind), str))


def _input_messages(event: dict[str, Any]) -> int | None:
    """Number of messages that were sent: newer logs name ranges of a pool, first and one past the last."""
    refs, given = event.get("input_refs"), event.get("input")
    if isinstance(refs, list):
        return sum(max(0, end - start) for start, end in _ranges(refs))
    return len(given) if isinstance(given, list) else None


def _ranges(refs: list[Any]) -> Iterator[tuple[int, int]]:
    for pair in refs:
        match pair:
            case [int(start), int(end)]:
                yield start, end
