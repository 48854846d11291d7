"""Messages of tau2: who said what, with the clock set right, the tokens of each call, and what it cost."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.sources.reading.chat_trace import Call, Said, content_text, known
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Tokens", "clock_offset", "moment", "said_by_messages", "said_in_ticks", "tokens_of"]

_QUARTER: Final = 900.0
"""Clocks of time zones differ by quarters of an hour."""
_SLACK: Final = 300.0
"""Seconds between a request and the record of its answer."""


class Tokens(NamedTuple):
    """Tokens of one call of a model, by class."""

    input: int | None = None
    """Cached ones left out, where they are known."""
    cached: int | None = None
    written: int | None = None
    output: int | None = None
    reasoning: int | None = None


def tokens_of(message: dict[str, Any]) -> Tokens | None:
    """Tokens of a message; ``None`` where it has no usage."""
    usage = object_of(message.get("usage"))
    if not usage:
        return None
    raw = object_of(object_of(message.get("raw_data")).get("usage"))
    output = whole(usage.get("completion_tokens"))
    details = object_of(raw.get("completion_tokens_details"))
    reasoning = whole(details.get("reasoning_tokens"))
    if "input_tokens" in raw:
        return Tokens(
            whole(raw.get("input_tokens")),
            whole(raw.get("cache_read_input_tokens")),
            whole(raw.get("cache_creation_input_tokens")),
            output,
            reasoning,
        )
    prompt = whole(usage.get("prompt_tokens"))
    cached = whole(object_of(raw.get("prompt_tokens_details")).get("cached_tokens"))
    written = whole(raw.get("cache_creation_input_tokens"))
    if prompt is not None and (cached or 0) + (written or 0) <= prompt:
        prompt -= (cached or 0) + (written or 0)
    return Tokens(prompt, cached, written, output, reasoning)


def clock_offset(messages: Iterable[dict[str, Any]]) -> dt.timedelta | None:
    """By how much the local clock must be set forward to show UTC: models say when they answered, in UTC."""
    for message in messages:
        created = number(object_of(message.get("raw_data")).get("created"))
        shown = _naive(message.get("timestamp"))
        if created is None or shown is None:
            continue
        ahead = created - shown.timestamp()
        quarters = round(ahead / _QUARTER)
        if abs(ahead - quarters * _QUARTER) <= _SLACK and abs(quarters) <= 4 * 24:
            return dt.timedelta(seconds=quarters * _QUARTER)
    return None


def _naive(value: Any) -> dt.datetime | None:
    """A time without a zone, taken for UTC; ``None`` where it names a zone."""
    shown = text(value)
    try:
        if shown is None or dt.datetime.fromisoformat(shown).tzinfo is not None:
            return None
    except ValueError:
        return None
    return time(shown)


def moment(value: Any, offset: dt.timedelta | None) -> dt.datetime | None:
    """A time, UTC; one without a zone is set right by ``offset``, where that is known."""
    try:
        return shown + (offset or dt.timedelta()) if (shown := _naive(value)) else time(value)
    except OverflowError:
        return None


def said_by_messages(messages: list[dict[str, Any]], offset: dt.timedelta | None) -> Iterator[Said]:
    """Yield what was said, in the order of the messages. The first greeting is written by no model."""
    clock = _Clock(offset)
    for place, message in enumerate(messages):
        role = text(message.get("role")) or "unknown"
        if role == "tool":
            within = message.get("tool_messages")
            for answer in [message] if within is None else map(object_of, list_of(within)):
                yield _answer(answer, clock)
            continue
        t, mono = clock.read(message.get("timestamp"))
        yield Said(
            role=role,
            text=content_text(message.get("content")),
            calls=tuple(map(_call, list_of(message.get("tool_calls")))),
            t=t,
            mono=mono,
            more=_of_the_user(message) if role == "user" else _of_the_model(message),
            scripted=place == 0 and role == "assistant" and is_scripted(message),
        )


def is_scripted(message: dict[str, Any]) -> bool:
    """Whether no model was called for the greeting that opens a conversation."""
    return not (message.get("usage") or message.get("cost") or message.get("tool_calls"))


def said_in_ticks(ticks: list[Any], offset: dt.timedelta | None) -> Iterator[Said]:
    """Yield what was said in a voice call: a tick holds a fraction of a second of both sides; each turn is put together."""
    clock = _Clock(offset)
    turn: Said | None = None
    for said in (said for tick in ticks for said in _in_tick(object_of(tick), clock)):
        spoken = not said.calls and said.role != "tool"
        if spoken and turn is not None and turn.role == said.role:
            turn = turn._replace(text=(turn.text or "") + (said.text or ""))
            continue
        if turn is not None:
            yield turn
        turn = said if spoken else None
        if not spoken:
            yield said
    if turn is not None:
        yield turn


def _in_tick(tick: dict[str, Any], clock: _Clock) -> Iterator[Said]:
    for role, side in (("assistant", "agent"), ("user", "user")):
        chunk = object_of(tick.get(f"{side}_chunk"))
        spoken = None if chunk.get("is_audio") is True else content_text(chunk.get("content"))
        calls = tuple(map(_call, list_of(tick.get(f"{side}_tool_calls"))))
        if spoken or calls:
            t, mono = clock.read(chunk.get("timestamp") or tick.get("timestamp"))
            yield Said(role, spoken, calls, t=t, mono=mono, streamed=True)
        for answer in list_of(tick.get(f"{side}_tool_results")):
            yield _answer(object_of(answer), clock)


class _Clock:
    """Reads time stamps, and tells the seconds since the first one as long as it does not go back."""

    def __init__(self, offset: dt.timedelta | None) -> None:
        self.offset = offset
        self.first: dt.datetime | None = None
        self.last = 0.0

    def read(self, stamp: Any) -> tuple[dt.datetime | None, float | None]:
        t = moment(stamp, self.offset)
        if t is None:
            return None, None
        self.first = self.first or t
        passed = (t - self.first).total_seconds()
        if passed < self.last:
            return t, None
        self.last = passed
        return t, passed


def _call(call: Any) -> Call:
    it = object_of(call)
    return Call(text(it.get("id")), text(it.get("name")), it.get("arguments"))


def _answer(message: dict[str, Any], clock: _Clock) -> Said:
    t, mono = clock.read(message.get("timestamp"))
    return Said(
        role="tool",
        text=content_text(message.get("content")),
        answers=text(message.get("id")),
        error=message.get("error") or None,
        t=t,
        mono=mono,
        by_user=message.get("requestor") == "user",
    )


def _of_the_model(message: dict[str, Any]) -> dict[str, Any]:
    used = tokens_of(message) or Tokens()
    raw = object_of(message.get("raw_data"))
    choice = next((object_of(one) for one in list_of(raw.get("choices"))), raw)
    return known(
        {
            "id": text(raw.get("id")),
            "served": text(raw.get("model")),
            "input_tokens": used.input,
            "cached_tokens": used.cached,
            "cache_write_tokens": used.written,
            "output_tokens": used.output,
            "reasoning_tokens": used.reasoning,
            "cost_usd": number(message.get("cost")) or None,
            "seconds": number(message.get("generation_time_seconds")),
            "stop_reason": text(choice.get("finish_reason", choice.get("stop_reason"))),
        }
    )


def _of_the_user(message: dict[str, Any]) -> dict[str, Any]:
    """What the simulated user took, under names of its own: it is no part of what the agent took."""
    taken = ("served", "input_tokens", "cached_tokens", "output_tokens", "cost_usd")
    return {f"user_{name}": value for name, value in _of_the_model(message).items() if name in taken}
