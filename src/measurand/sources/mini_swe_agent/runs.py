"""A trajectory of mini-SWE-agent (formats 1 and 1.1, or bare messages): how the run ended, what it used, what happened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome
from measurand.sources.mini_swe_agent.messages import is_call, said_in, submits, times_of, usage_in
from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import read_capped
from measurand.sources.reading.chat_trace import chat_events
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.litellm_usage import sum_of_calls
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole
from measurand.sources.swebench.agent_runs import AgentRun, Ended, metered_cost

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.model.trace import Draft
    from measurand.sources.base import ImportLog

__all__ = ["ENDING", "SCAFFOLD", "ended_of", "named_agent", "read_mini_run"]

ENDING: Final = ".traj.json"
SCAFFOLD: Final = "mini-swe-agent"
_PRICES: Final = "self-reported by mini-swe-agent"
_MOST: Final = 2**29
_DONE: Final = "Submitted"
_CAUSES: Final = {
    Outcome.LIMIT: (
        "LimitsExceeded",
        "ContextWindowExceeded",
        "ContextWindowExceededError",
    ),
    Outcome.AGENT_TIMEOUT: ("TimeExceeded",),
    Outcome.AGENT_ERROR: ("FormatError", "RepeatedFormatError", "ContentPolicyViolationError"),
    Outcome.CANCELLED: ("UserInterruption", "KeyboardInterrupt", "CancelledError"),
    Outcome.INFRA_ERROR: (
        "Timeout",
        "InternalServerError",
        "RateLimitError",
        "APIError",
        "APIConnectionError",
        "APIResponseValidationError",
        "ServiceUnavailableError",
        "BadGatewayError",
        "AuthenticationError",
        "PermissionDeniedError",
        "NotFoundError",
        "BudgetExceededError",
        "CalledProcessError",
        "TimeoutExpired",
        "ConnectionError",
        "ReadTimeout",
    ),
}
_BY_WORD: Final = {word: cause for cause, words in _CAUSES.items() for word in words}
"""Exit status -> what cut the run short; other exceptions are judged by their message."""
_NOT_SETTINGS: Final = {"output_path", "image", "litellm_model_registry", "model_registry"}
"""Settings that differ from task to task, or from machine to machine."""
_SECRET: Final = re.compile(r"key|token|secret|password", re.IGNORECASE)


def ended_of(word: str | None, message: str | None = None) -> Ended:
    """Say what an exit status means; without one the run was interrupted.

    >>> ended_of("LimitsExceeded").cause, ended_of("Submitted").cause
    (<Outcome.LIMIT: 'limit'>, None)
    """
    if word is None:
        return Ended("no exit status", Outcome.INTERRUPTED)
    if word == _DONE:
        return Ended(word)
    cause = _BY_WORD.get(word) or outcome_of_failure(f"{word}: {message or ''}")
    return Ended(word, cause, short(message))


def named_agent(model: str | None) -> str:
    """Return the name of an agent: model and scaffold."""
    return f"{model} ({SCAFFOLD})" if model else SCAFFOLD


def read_mini_run(file: Path, where: str, log: ImportLog) -> AgentRun:
    """Read a trajectory.

    Raises:
        FormatError: not readable, not JSON, or no trajectory of mini-SWE-agent.
    """
    content = loose_json.decode(read_capped(file, where, _MOST), where)
    document = {"messages": content} if isinstance(content, list) else object_of(content)
    messages = [object_of(message) for message in list_of(document.get("messages"))]
    if not isinstance(document.get("messages"), list) or not (messages or "info" in document):
        raise FormatError("no trajectory of mini-SWE-agent", where=where, hint="expected info and messages")
    info = object_of(document.get("info"))
    config = object_of(info.get("config"))
    settings = object_of(config.get("model"))
    model = text(settings.get("model_name"))
    task = text(document.get("instance_id")) or _stem(file)
    name = named_agent(model)
    patch = info.get("submission")
    bare = isinstance(content, list)
    return AgentRun(
        task=task,
        where=where,
        folder=file.parent.parent if file.parent.name == task else file.parent,
        scaffold=SCAFFOLD,
        version=text(info.get("mini_version")),
        agent=name,
        agent_digest=agent_digest(name, _configuration(config, info)),
        model=model,
        names=frozenset({model} if model else ()),
        ended=_of_messages(messages) if bare else _of_info(info),
        handed_in=submits(messages) if bare else isinstance(patch, str) and bool(patch.strip()),
        meters=_meters(messages, info, log, where),
        start={"limits": _limits(object_of(config.get("agent"))) or None},
        events=lambda: _events(file, where),
    )


def _stem(file: Path) -> str:
    return file.name.removesuffix(ENDING).removesuffix(".json") or file.name


def _of_info(info: dict[str, Any]) -> Ended:
    message = text(info.get("exception_str")) or _last_line(text(info.get("traceback")))
    return ended_of(text(info.get("exit_status")), message)


def _last_line(traceback: str | None) -> str | None:
    return traceback.splitlines()[-1] if traceback else None


def _of_messages(messages: list[dict[str, Any]]) -> Ended:
    return ended_of(_DONE if submits(messages) else None)


def _configuration(config: dict[str, Any], info: dict[str, Any]) -> dict[str, Any]:
    """What the agent is made of, without what differs from task to task, and without secrets."""
    kept: dict[str, Any] = {}
    for part in ("agent", "model", "environment"):
        settings = object_of(config.get(part))
        kept[part] = {
            key: value
            for key, value in settings.items()
            if key not in _NOT_SETTINGS and not _SECRET.search(key)
        }
        kept[f"{part}_type"] = config.get(f"{part}_type")
    kept["version"] = info.get("mini_version")
    return kept if config else {}


def _limits(agent: dict[str, Any]) -> dict[str, float]:
    limits = {name: number(agent.get(name)) for name in ("step_limit", "cost_limit", "wall_time_limit")}
    return {name: limit for name, limit in limits.items() if limit}


def _meters(
    messages: list[dict[str, Any]], info: dict[str, Any], log: ImportLog, where: str
) -> dict[str, Any]:
    answers = [message for message in messages if is_call(message)]
    used, silent = sum_of_calls(usage_in(message) for message in answers)
    if silent:
        log.add("unknown", "tokens, which not every call of the model says", where)
    stats = object_of(info.get("model_stats"))
    counted = whole(stats.get("api_calls"))
    calls = counted if counted or not answers else len(answers)
    cost, unpriced = metered_cost(number(stats.get("instance_cost")), calls or 0)
    if unpriced:
        log.add("note", "cost of 0 beside calls of the model: the price is unknown", where)
    served = {text(object_of(object_of(one.get("extra")).get("response")).get("model")) for one in answers}
    tools = sum(len(one.calls) for one in said_in(messages) if one.role == "assistant")
    return {
        "cost_usd": cost,
        "price_table": None if cost is None else _PRICES,
        "input_tokens": used.input_tokens,
        "cached_tokens": used.cached_tokens,
        "cache_write_tokens": used.cache_write_tokens,
        "output_tokens": used.output_tokens,
        "reasoning_tokens": used.reasoning_tokens,
        "steps": calls,
        "tool_calls": tools,
        "model_served": ", ".join(sorted(name for name in served if name)) or None,
        **_clock(times_of(messages), log, where),
    }


def _clock(times: list[dt.datetime], log: ImportLog, where: str) -> dict[str, Any]:
    if len(times) < 2:
        return {"started_at": times[0]} if times else {}
    seconds = (times[-1] - times[0]).total_seconds()
    if seconds < 0:
        log.add("unknown", "wall_s: the clock went back", where)
        return {}
    return {"started_at": times[0], "finished_at": times[-1], "wall_s": seconds}


def _events(file: Path, where: str) -> Iterator[Draft]:
    content = loose_json.decode(read_capped(file, where, _MOST), where)
    messages = content if isinstance(content, list) else list_of(object_of(content).get("messages"))
    yield from chat_events(said_in([object_of(message) for message in messages]), first=1)
