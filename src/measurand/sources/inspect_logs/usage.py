"""What a sample used: tokens by class, dollars, times, calls, attempts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

from measurand.sources.reading.loose_values import time

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Iterator

    from measurand.model.imports import NoteKind
    from measurand.sources.inspect_logs.records import EventHead, Sample, Usage

__all__ = ["Meters", "flat", "meters"]

_GRADER: Final = "grader"
"""Role of a model that grades: its tokens are no part of what the agent used."""
_LARGEST: Final = 2**53
"""No amount is larger: it would not be exact as a number."""
_PRICES: Final = "self-reported by inspect"


class Meters(TypedDict, total=False):
    """Fields of a trial that say what it used; unknown ones are ``None``."""

    cost_usd: float | None
    price_table: str | None
    total_tokens: int | None
    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    steps: int | None
    tool_calls: int | None
    wall_s: float | None
    waiting_s: float | None
    working_s: float | None
    started_at: dt.datetime | None
    finished_at: dt.datetime | None
    attempts: int | None


class _Sum(NamedTuple):
    """Usage of all models together."""

    input: int | None = None
    cached: int | None = None
    written: int | None = None
    output: int | None = None
    reasoning: int | None = None
    total: int | None = None
    cost: float | None = None


def meters(sample: Sample, heads: list[EventHead], tell: Callable[[NoteKind, str], None]) -> Meters:
    """Say what a sample used.

    Args:
        sample: the sample.
        heads: its events, nested ones included.
        tell: told what is unknown, and why.
    """
    if sample.error_retries:
        tell("note", "tokens, cost and time of attempts that failed are not in the log")
    used = _usage(sample, tell)
    classes = (used.input, used.cached, used.written, used.output)
    split = any(classes) or not used.total
    return {
        **_money(used, tell),
        "total_tokens": None if split else used.total,
        "input_tokens": used.input if split else None,
        "cached_tokens": used.cached,
        "cache_write_tokens": used.written,
        "output_tokens": used.output if split else None,
        "reasoning_tokens": used.reasoning,
        "steps": _steps(sample, heads),
        "tool_calls": _tool_calls(sample, heads),
        "attempts": None if sample.error_retries is None else 1 + len(sample.error_retries),
        **_times(sample, tell),
    }


def flat(heads: Iterable[EventHead]) -> Iterator[EventHead]:
    """Events with those nested in them, as older logs have them."""
    for head in heads:
        yield head
        if head.events:
            yield from flat(head.events)


def _usage(sample: Sample, tell: Callable[[NoteKind, str], None]) -> _Sum:
    whole = _sum(sample.model_usage.values())
    grader = sample.role_usage.get(_GRADER)
    if grader is None:
        return whole
    rest = _Sum(*(_less(a, b) for a, b in zip(whole, _sum([grader]), strict=True)))
    if any(value is not None and value < 0 for value in rest):
        tell("unknown", "usage of the grader that exceeds that of all models")
        return _Sum()
    tell("note", "usage of the grader is left out of the trial's")
    return rest


def _sum(usages: Iterable[Usage]) -> _Sum:
    rows = list(usages)
    return _Sum(
        _total(row.input_tokens for row in rows),
        _total(row.input_tokens_cache_read for row in rows),
        _total(row.input_tokens_cache_write for row in rows),
        _total(row.output_tokens for row in rows),
        _total(row.reasoning_tokens for row in rows),
        _total(row.total_tokens for row in rows),
        _cost(rows),
    )


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    total = sum(known)
    return total if known and abs(total) <= _LARGEST else None


def _cost(rows: list[Usage]) -> float | None:
    """NaN where only some of the models have a price."""
    known = [row.total_cost for row in rows if row.total_cost is not None]
    if not known:
        return None
    free = [row for row in rows if row.total_cost is None and row.total_tokens]
    return math.nan if free else math.fsum(known) if all(map(math.isfinite, known)) else math.nan


def _less(whole: Any, part: Any) -> Any:
    return whole if whole is None or part is None else whole - part


def _money(used: _Sum, tell: Callable[[NoteKind, str], None]) -> Meters:
    cost = used.cost
    if cost is not None and math.isnan(cost):
        tell("unknown", "cost of some models only")
        cost = None
    if cost == 0 and used.total:
        tell("note", "a cost of 0 for tokens used: read as unknown")
        cost = None
    return {"cost_usd": cost, "price_table": None if cost is None else _PRICES}


def _steps(sample: Sample, heads: list[EventHead]) -> int | None:
    """Turns; in older logs, calls of the model. No turn and no usage: the agent was a program of its own."""
    if sample.turn_count is not None:
        turns = sample.turn_count if abs(sample.turn_count) <= _LARGEST else None
        return turns if turns or sample.model_usage else None
    calls = sum(head.event == "model" for head in heads)
    return calls or None


def _tool_calls(sample: Sample, heads: list[EventHead]) -> int | None:
    """Calls of tools; none that the log saw is none only where it saw the agent's turns."""
    calls = sum(head.event == "tool" for head in heads)
    return calls if calls or (heads and _steps(sample, heads)) else None


def _times(sample: Sample, tell: Callable[[NoteKind, str], None]) -> Meters:
    wall, working = _seconds(sample.total_time), _seconds(sample.working_time)
    waiting = None if wall is None or working is None else max(0.0, round(wall - working, 6))
    return {
        "wall_s": sample.total_time,
        "working_s": sample.working_time,
        "waiting_s": waiting,
        "started_at": _time(sample.started_at, tell),
        "finished_at": _time(sample.completed_at, tell),
    }


def _seconds(value: float | None) -> float | None:
    return value if value is not None and 0 <= value < math.inf else None


def _time(text: str | None, tell: Callable[[NoteKind, str], None]) -> dt.datetime | None:
    found = time(text)
    if text and found is None:
        tell("unknown", "a time that is none")
    return found
