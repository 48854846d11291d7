"""Who ran in a result file of tau2, on what, against which simulated user: its header, and what its name says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest, task_digest
from measurand.sources.reading.loose_values import list_of, object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Run", "run_of"]

_BY_TAU2: Final = re.compile(
    r"(?P<model>.+?)_(?P<domain>airline|retail|telecom(?:-workflow)?|banking_knowledge|mock)"
    r"_(?P<agent>[^_]+)_(?P<user>.+)_(?P<trials>\d+)trials?.*"
)
"""As tau2 calls its files."""
_DOMAIN: Final = re.compile(r"(?:^|[-_ .])(airline|retail|telecom|banking_knowledge|mock)(?=$|[-_ .])")
_OWN: Final = (None, "llm_agent", "default")
"""The scaffold that tau2 brings."""
_OPERATION: Final = {
    "api_key",
    "api_base",
    "base_url",
    "num_retries",
    "timeout",
    "api_version",
    "extra_headers",
}
"""Settings of requests that change how they are sent, not what is answered."""
_OF_TASK: Final = ("id", "user_scenario", "initial_state", "evaluation_criteria", "ticket")
_MOST_TRIALS: Final = 10_000


class Run(NamedTuple):
    """What all simulations of a file have in common."""

    suite: str
    agent: str
    agent_digest: str
    model: str | None
    user_model: str | None
    version: str | None
    """Commit of tau2."""
    environment_digest: str | None
    trials: int | None
    """Planned of each task."""
    tasks: Mapping[str, str]
    """Task -> digest of its definition."""
    limits: Mapping[str, Any]
    where: str
    misnamed: str | None = None
    """Model in the name of the file, where the data name another."""


def run_of(header: dict[str, Any], stem: str, suite: str | None, where: str) -> Run:
    """Read a header; what it lacks is read from the name of the file.

    Args:
        header: the file without its simulations.
        stem: its name without the ending.
        suite: the suite that the user names, for data that name no domain.
        where: how notes name the file.
    """
    info = object_of(header.get("info"))
    parts = _BY_TAU2.fullmatch(stem)
    environment = object_of(info.get("environment_info"))
    scaffold = object_of(info.get("agent_info"))
    named_model = parts["model"] if parts else None
    model = text(scaffold.get("llm")) or named_model
    kind = text(scaffold.get("implementation")) or (parts["agent"] if parts else None)
    agent = model or kind or stem
    if model and kind not in _OWN:
        agent = f"{model} ({kind})"
    domain = text(environment.get("domain_name")) or _domain(stem)
    configuration = {
        "model": model,
        "implementation": kind,
        "llm_args": _settings(scaffold.get("llm_args")),
        "audio": info.get("audio_native_config"),
    }
    return Run(
        suite=f"tau2_{domain}" if domain else suite or "tau2",
        agent=agent,
        agent_digest=agent_digest(agent, _said(configuration)),
        model=model,
        user_model=text(object_of(info.get("user_info")).get("llm")),
        version=text(info.get("git_commit")),
        environment_digest=_environment(info) if info else None,
        trials=_trials(info, parts["trials"] if parts else None),
        tasks=dict(_tasks(header)),
        limits=_said({"max_steps": info.get("max_steps"), "max_errors": info.get("max_errors")}),
        where=where,
        misnamed=named_model if named_model and model and not _alike(named_model, model) else None,
    )


def _domain(stem: str) -> str | None:
    found = _DOMAIN.search(stem)
    return found[1] if found else None


def _trials(info: dict[str, Any], named: str | None) -> int | None:
    planned = whole(info.get("num_trials")) or whole(named)
    return planned if planned and planned <= _MOST_TRIALS else None


def _alike(one: str, other: str) -> bool:
    """Whether two names may mean one model, however written."""
    first, second = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (one, other))
    return first in second or second in first


def _settings(arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in object_of(arguments).items() if name not in _OPERATION}


def _said(parts: dict[str, Any]) -> dict[str, Any]:
    """Entries that say something, nested ones too: newer versions of tau2 write more nulls than older ones."""
    plain = {name: _plain(value) for name, value in parts.items()}
    return {name: value for name, value in plain.items() if value not in (None, {}, [])}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return _said(value) if isinstance(value, dict) else value


def _environment(info: dict[str, Any]) -> str:
    """Digest of what the agent meets: domain and policy, the simulated user, limits."""
    user = object_of(info.get("user_info"))
    environment = object_of(info.get("environment_info"))
    parts = {
        "domain": environment.get("domain_name"),
        "policy": environment.get("policy"),
        "user": user | {"llm_args": _settings(user.get("llm_args"))},
        "max_steps": info.get("max_steps"),
        "max_errors": info.get("max_errors"),
        "retrieval": info.get("retrieval_config"),
        "retrieval_kwargs": info.get("retrieval_config_kwargs"),
        "speech_complexity": info.get("speech_complexity"),
    }
    return task_digest(_said(parts))


def _tasks(header: dict[str, Any]) -> list[tuple[str, str]]:
    tasks = [object_of(task) for task in list_of(header.get("tasks"))]
    return [
        (name, task_digest(_said({part: task.get(part) for part in _OF_TASK})))
        for task in tasks
        if (name := text(task.get("id"))) is not None
    ]
