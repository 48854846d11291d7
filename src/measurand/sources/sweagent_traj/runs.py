"""A trajectory of SWE-agent (``.traj``): how the run ended, what it used, what happened."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome
from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import read_capped
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole
from measurand.sources.sweagent_traj.steps import attempts_in, steps_in, trajectory_events
from measurand.sources.swebench.agent_runs import AgentRun, Ended, metered_cost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.model.trace import Draft
    from measurand.sources.base import ImportLog

__all__ = ["ENDING", "SCAFFOLD", "ended_of", "read_sweagent_run"]

ENDING: Final = ".traj"
SCAFFOLD: Final = "SWE-agent"
_PRICES: Final = "self-reported by SWE-agent"
_MOST: Final = 2**29
_CAUSES: Final = {
    "exit_cost": Outcome.LIMIT,
    "exit_context": Outcome.LIMIT,
    "exit_total_execution_time": Outcome.AGENT_TIMEOUT,
    "exit_command_timeout": Outcome.AGENT_TIMEOUT,
    "exit_format": Outcome.AGENT_ERROR,
    "exit_error": Outcome.AGENT_ERROR,
    "exit_api": Outcome.INFRA_ERROR,
    "exit_environment_error": Outcome.INFRA_ERROR,
    "early_exit": Outcome.INTERRUPTED,
    "skipped": Outcome.CANCELLED,
}
"""Exit status -> what cut the run short."""
_DONE: Final = {"submitted", "exit_forfeit", "exit_command"}
"""Exit status of an agent that ended by itself: it handed in, gave up, or left."""
_RESCUED: Final = re.compile(r"submitted \((?P<word>.+)\)")
"""Exit status of a run that was cut short, and whose patch the scaffold handed in."""
_OLD_FOLDER: Final = re.compile(r".+__t-[\d.]+__.+")
"""How versions before 1.0 called the folder of a run: after its model, data and settings."""
_NOT_SETTINGS: Final = {"name", "path"}
_DEPTH: Final = 40
"""Levels of settings that are looked at."""
_SECRET: Final = re.compile(r"key|token|secret|password|api_base", re.IGNORECASE)


def ended_of(word: str | None, message: str | None = None) -> Ended:
    """Say what an exit status means; without one the run was interrupted.

    >>> ended_of("submitted (exit_cost)").cause, ended_of("submitted").cause
    (<Outcome.LIMIT: 'limit'>, None)
    """
    if word is None:
        return Ended("no exit status", Outcome.INTERRUPTED)
    rescued = _RESCUED.fullmatch(word)
    bare = rescued["word"] if rescued else word
    if bare in _DONE or bare == "None":
        return Ended(word)
    return Ended(word, _CAUSES.get(bare) or outcome_of_failure(f"{bare}: {message or ''}"), short(message))


def read_sweagent_run(file: Path, where: str, log: ImportLog) -> AgentRun:
    """Read a trajectory.

    Raises:
        FormatError: not readable, not JSON, or no trajectory of SWE-agent.
    """
    document = object_of(loose_json.decode(read_capped(file, where, _MOST), where))
    if not isinstance(document.get("trajectory"), list) and not attempts_in(document):
        raise FormatError("no trajectory of SWE-agent", where=where, hint="expected trajectory and info")
    info = object_of(document.get("info"))
    replay = _replay(document, where)
    agent = object_of(replay.get("agent"))
    model = _model(agent)
    task = text(object_of(replay.get("problem_statement")).get("id")) or file.name.removesuffix(ENDING)
    folder = file.parent.parent if file.parent.name == task else file.parent
    old = folder.name if _OLD_FOLDER.fullmatch(folder.name) else None
    name = old or (f"{model} ({SCAFFOLD})" if model else SCAFFOLD)
    patch = info.get("submission")
    return AgentRun(
        task=task,
        where=where,
        folder=folder,
        scaffold=SCAFFOLD,
        version=text(info.get("swe_agent_version")),
        agent=name,
        agent_digest=agent_digest(name, _plain(agent)),
        model=model,
        names=frozenset(known for known in (model, old) if known),
        ended=ended_of(text(info.get("exit_status")), _last_words(document)),
        handed_in=isinstance(patch, str) and bool(patch.strip()),
        meters=_meters(document, info, log, where),
        start={"limits": _limits(object_of(agent.get("model"))) or None},
        events=lambda: _events(file, where),
    )


def _replay(document: dict[str, Any], where: str) -> dict[str, Any]:
    """Read the configuration, which newer versions write as JSON within a text."""
    found = document.get("replay_config")
    if isinstance(found, str):
        try:
            found = loose_json.loads(found.encode("utf-8", errors="replace"), where).value
        except FormatError:
            return {}
    return object_of(found)


def _model(agent: dict[str, Any]) -> str | None:
    configs = [agent, *map(object_of, list_of(agent.get("agent_configs")))]
    names = [text(object_of(config.get("model")).get("name")) for config in configs]
    return ", ".join(dict.fromkeys(name for name in names if name)) or None


def _plain(settings: Any, deepest: int = _DEPTH) -> Any:
    """Settings without what differs from task to task or from machine to machine, and without secrets."""
    if isinstance(settings, list):
        return [_plain(entry, deepest - 1) for entry in settings] if deepest else None
    if not isinstance(settings, dict):
        return settings
    is_model = "per_instance_cost_limit" in settings
    kept = {
        key: value
        for key, value in settings.items()
        if (is_model or key not in _NOT_SETTINGS) and not _SECRET.search(key)
    }
    return {key: _plain(value, deepest - 1) for key, value in kept.items()} if deepest else None


def _limits(model: dict[str, Any]) -> dict[str, float]:
    names = ("per_instance_cost_limit", "per_instance_call_limit", "total_cost_limit")
    return {name: limit for name in names if (limit := number(model.get(name)))}


def _last_words(document: dict[str, Any]) -> str | None:
    """What the scaffold wrote of an error, as the last step."""
    last: dict[str, Any] = next(reversed(steps_in(document)), {})
    said = text(last.get("response"))
    return said if said and not text(last.get("action")) else None


def _meters(document: dict[str, Any], info: dict[str, Any], log: ImportLog, where: str) -> dict[str, Any]:
    attempts = attempts_in(document)
    steps = [step for one in attempts or [document] for step in steps_in(one)]
    stats = object_of(info.get("model_stats"))
    stated = [stats] if stats else [_stats_of(one) for one in attempts]
    sent, received, calls = (_sum(stated, name) for name in ("tokens_sent", "tokens_received", "api_calls"))
    cost, unpriced = metered_cost(_cost(stated), max(calls or 0, len(steps)))
    if unpriced:
        log.add("note", "cost of 0 beside calls of the model: the price is unknown", where)
    counted = bool(sent or received or not steps)
    return {
        "cost_usd": cost,
        "price_table": None if cost is None else _PRICES,
        "input_tokens": sent if counted else None,
        "output_tokens": received if counted else None,
        "steps": calls or len(steps),
        "tool_calls": sum(bool(text(step.get("action"))) for step in steps),
        "attempts": len(attempts) or None,
    }


def _stats_of(attempt: dict[str, Any]) -> dict[str, Any]:
    return object_of(object_of(attempt.get("info")).get("model_stats"))


def _sum(stated: list[dict[str, Any]], name: str) -> int | None:
    found = [count for stats in stated if (count := whole(stats.get(name))) is not None]
    return sum(found) if found else None


def _cost(stated: list[dict[str, Any]]) -> float | None:
    found = [cost for stats in stated if (cost := number(stats.get("instance_cost"))) is not None]
    return sum(found) if found else None


def _events(file: Path, where: str) -> Iterator[Draft]:
    yield from trajectory_events(object_of(loose_json.decode(read_capped(file, where, _MOST), where)))
