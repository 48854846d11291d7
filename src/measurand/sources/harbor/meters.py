"""What a Harbor trial used: tokens by class, dollars, steps and seconds, as its result has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from measurand.sources.atif.source import Usage
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time, whole

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from measurand.sources.base import ImportLog

__all__ = ["meters"]

_PRICES: Final = "self-reported by harbor"
_ZONE: Final = re.compile(r"(Z|[+-]\d\d:?\d\d)\s*")


def meters(
    result: Mapping[str, Any], used: Usage | None, attempts: int | None, log: ImportLog, where: str
) -> dict[str, Any]:
    """Fields of the trial table.

    Args:
        result: the trial's ``result.json``.
        used: what its trajectories say.
        attempts: starts of the trial.
        log: learns of values that contradict each other.
        where: the record.
    """
    contexts = _contexts(result)
    models = sorted(used.models if used and used.models else _models(contexts))
    return {
        **_tokens(contexts, used, log, where),
        "model_served": ", ".join(models) or None,
        "steps": used.model_calls if used else _sum(contexts, "metadata", "n_episodes"),
        "tool_calls": used.tool_calls if used else None,
        "attempts": attempts,
        **_times(result, log, where),
    }


def _contexts(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the agent reported: of the trial, or of each of its steps."""
    own = result.get("agent_result")
    if isinstance(own, dict):
        return [own]
    steps = [object_of(step).get("agent_result") for step in list_of(result.get("step_results"))]
    return [context for context in steps if isinstance(context, dict)]


def _sum(contexts: list[dict[str, Any]], *path: str) -> int | None:
    """Sum of a count over the contexts that have it; ``None`` where none has."""
    found = []
    for context in contexts:
        value: Any = context
        for name in path:
            value = object_of(value).get(name)
        if (count := whole(value)) is not None:
            found.append(count)
    return sum(found) if found else None


def _models(contexts: list[dict[str, Any]]) -> list[str]:
    names = {text(name) for context in contexts for name in object_of(context.get("model_usage"))}
    return [name for name in names if name]


def _tokens(contexts: list[dict[str, Any]], used: Usage | None, log: ImportLog, where: str) -> dict[str, Any]:
    read, cached, output = (
        _sum(contexts, name) for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens")
    )
    costs = [each for context in contexts if (each := number(context.get("cost_usd"))) is not None]
    cost: float | None = sum(costs) if costs else None
    trajectory = used or Usage()
    if read is None and output is None:
        return _priced(trajectory.input_tokens, trajectory.cached_tokens, trajectory, trajectory.cost_usd)
    written = trajectory.cache_write_tokens
    left = None if read is None else read - (cached or 0) - (written or 0)
    if left is not None and left < 0:
        log.add("unknown", "more cached tokens than input tokens", where)
        left = None
    if cost == 0 and (read or output):
        log.add("note", "cost of 0 beside tokens: the price is unknown", where)
        cost = None
    thought = trajectory.reasoning_tokens
    known = Usage(
        left, cached, written, output, thought if thought is None or thought <= (output or 0) else None
    )
    return _priced(left, cached, known, cost)


def _priced(left: int | None, cached: int | None, usage: Usage, cost: float | None) -> dict[str, Any]:
    return {
        "input_tokens": left,
        "cached_tokens": cached,
        "cache_write_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": cost,
        "price_table": None if cost is None else _PRICES,
    }


def _times(result: Mapping[str, Any], log: ImportLog, where: str) -> dict[str, Any]:
    """Times of the trial, and how long the agent itself worked; a time without a zone is good for durations alone."""
    began, ended = result.get("started_at"), result.get("finished_at")
    phases = [object_of(result.get("agent_execution"))]
    phases += [
        object_of(object_of(step).get("agent_execution")) for step in list_of(result.get("step_results"))
    ]
    worked = [
        seconds
        for phase in phases
        if (seconds := _seconds(phase.get("started_at"), phase.get("finished_at"))) is not None
    ]
    if isinstance(began, str) and not _ZONE.search(began[10:]):
        log.add("note", "times without a zone: durations alone are used", where)
    return {
        "started_at": _utc(began),
        "finished_at": _utc(ended),
        "wall_s": _seconds(began, ended),
        "working_s": sum(worked) if worked else None,
    }


def _utc(value: Any) -> dt.datetime | None:
    return time(value) if isinstance(value, str) and _ZONE.search(value[10:]) else None


def _seconds(began: Any, ended: Any) -> float | None:
    start, end = time(began), time(ended)
    return None if start is None or end is None else (end - start).total_seconds()
