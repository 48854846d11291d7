"""What OpenHands used: its own sums of cost and tokens, or the calls of models that its events carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.sources.atif.source import Usage
from measurand.sources.openhands.events import is_agents, response_of, tool_of
from measurand.sources.reading.litellm_usage import sum_of_calls, usage_of_call
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole
from measurand.sources.swebench.agent_runs import metered_cost

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measurand.sources.base import ImportLog

__all__ = ["meters_of", "usage_by_response"]

_PRICES: Final = "self-reported by OpenHands"


def meters_of(
    metrics: dict[str, Any], events: list[dict[str, Any]], log: ImportLog, where: str
) -> dict[str, Any]:
    """Fields of the trial table.

    Args:
        metrics: what the record sums up; empty where it does not.
        events: what happened.
        log: learns of values that cannot be used.
        where: the record.
    """
    snapshots = [object_of(event.get("llm_metrics")) for event in events if event.get("llm_metrics")]
    sums = metrics or (snapshots[-1] if snapshots else {})
    responses = _responses(events)
    calls = list_of(sums.get("token_usages")) or responses
    turns = [event for event in events if is_agents(event)]
    used = _used(sums, responses)
    if used.input_tokens is None and whole(_accumulated(sums).get("prompt_tokens")) is not None:
        log.add("unknown", "more cached tokens than input tokens", where)
    stated = number(sums.get("accumulated_cost"))
    if stated is None:
        stated = number(object_of(sums.get("cost")).get("total_cost"))
    cost, unpriced = metered_cost(stated, len(calls) or len(turns))
    if unpriced:
        log.add("note", "cost of 0 beside calls of the model: the price is unknown", where)
    served = {text(call.get("model")) for call in responses}
    return {
        "cost_usd": cost,
        "price_table": None if cost is None else _PRICES,
        "input_tokens": used.input_tokens,
        "cached_tokens": used.cached_tokens,
        "cache_write_tokens": used.cache_write_tokens,
        "output_tokens": used.output_tokens,
        "reasoning_tokens": used.reasoning_tokens,
        "steps": len(calls) or len(turns) or None,
        "tool_calls": sum(tool_of(event) is not None for event in turns) if events else None,
        "model_served": ", ".join(sorted(name for name in served if name)) or None,
    }


def _responses(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of models, each once: several actions, and what they led to, carry the same."""
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        response = response_of(event)
        if name := text(response.get("id")):
            found.setdefault(name, response)
    return list(found.values())


def _accumulated(sums: dict[str, Any]) -> dict[str, Any]:
    return object_of(sums.get("accumulated_token_usage"))


def _used(sums: dict[str, Any], responses: list[dict[str, Any]]) -> Usage:
    """Sums as OpenHands keeps them: a prompt counts what was read from and written to a cache."""
    said = _accumulated(sums)
    prompt, output = whole(said.get("prompt_tokens")), whole(said.get("completion_tokens"))
    counted, _ = sum_of_calls(usage_of_call(response.get("usage")) for response in responses)
    if not prompt and not output:
        return counted
    usages = list_of(sums.get("token_usages"))
    known = {name for name in said if name.startswith("cache_")}
    cached = whole(said.get("cache_read_tokens")) if known or usages else counted.cached_tokens
    written = whole(said.get("cache_write_tokens"))
    left = None if prompt is None else prompt - (cached or 0) - (written or 0)
    thought = whole(said.get("reasoning_tokens"))
    return Usage(
        input_tokens=left if left is not None and left >= 0 else None,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        reasoning_tokens=counted.reasoning_tokens if thought is None else thought,
    )


def usage_by_response(metrics: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Tokens and seconds of each call of a model, by the id of the answer."""
    found: dict[str, dict[str, Any]] = {}
    for usage in map(object_of, list_of(metrics.get("token_usages"))):
        if name := text(usage.get("response_id")):
            read, written = whole(usage.get("cache_read_tokens")), whole(usage.get("cache_write_tokens"))
            prompt = whole(usage.get("prompt_tokens"))
            left = None if prompt is None else prompt - (read or 0) - (written or 0)
            found[name] = {
                "model": text(usage.get("model")),
                "input_tokens": left if left is not None and left >= 0 else None,
                "cached_tokens": read,
                "cache_write_tokens": written,
                "output_tokens": whole(usage.get("completion_tokens")),
                "reasoning_tokens": whole(usage.get("reasoning_tokens")),
            }
    for latency in map(object_of, list_of(metrics.get("response_latencies"))):
        if (name := text(latency.get("response_id"))) and (
            seconds := number(latency.get("latency"))
        ) is not None:
            found.setdefault(name, {})["seconds"] = seconds
    return found
