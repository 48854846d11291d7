"""Tokens of one call of a model, as LiteLLM, OpenAI or Anthropic write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.sources.atif.source import Usage
from measurand.sources.reading.loose_values import object_of, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["sum_of_calls", "usage_of_call"]


def usage_of_call(usage: Any) -> Usage | None:
    """Read the usage of a call; ``None`` where it says no number of tokens.

    A prompt counts what was read from and written to a cache; Anthropic's own input does not.
    """
    said = object_of(usage)
    prompt, output = (
        _first(said, "prompt_tokens", "input_tokens"),
        _first(said, "completion_tokens", "output_tokens"),
    )
    if prompt is None and output is None:
        return None
    inside = object_of(said.get("prompt_tokens_details")) or object_of(said.get("input_tokens_details"))
    outputs = object_of(said.get("completion_tokens_details")) or object_of(said.get("output_tokens_details"))
    cached = _first(inside, "cached_tokens")
    if cached is None:
        cached = _first(said, "cache_read_input_tokens", "prompt_cache_hit_tokens")
    written = _first(said, "cache_creation_input_tokens")
    beside = "prompt_tokens" not in said and "cache_read_input_tokens" in said
    within = 0 if beside else (cached or 0) + (written or 0)
    if prompt is not None and within <= prompt:
        prompt -= within
    thought = whole(outputs.get("reasoning_tokens"))
    return Usage(
        input_tokens=prompt,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        reasoning_tokens=thought if output is None or (thought or 0) <= output else None,
    )


def _first(said: dict[str, Any], *names: str) -> int | None:
    return next((count for name in names if (count := whole(said.get(name))) is not None), None)


def sum_of_calls(calls: Iterable[Usage | None]) -> tuple[Usage, int]:
    """Add up calls.

    Returns:
        The sums, unknown where some calls say nothing; and how many do not, where others do.
    """
    known: list[Usage] = []
    silent = 0
    for call in calls:
        if call is None:
            silent += 1
        else:
            known.append(call)
    if not known:
        return Usage(), 0
    return (Usage(), silent) if silent else (sum(known, Usage()), 0)
