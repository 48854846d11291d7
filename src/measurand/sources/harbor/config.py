"""Settings of a Harbor trial, as its configuration or the lock of its job has them: agent, task, environment, suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest, canonical_json, task_digest
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Agent", "agent_key", "agent_of", "environment_digest", "suite_version", "task_key", "task_name"]

ADHOC: Final = "adhoc"
"""What Harbor calls tasks that belong to no dataset."""
_OPERATION: Final = {"n_concurrent", "concurrency_group", "model_api_key_name"}
"""Settings of an agent that change how its trials are scheduled, not what it does."""
_RESOURCES: Final = (
    "type",
    "import_path",
    "override_cpus",
    "override_memory_mb",
    "override_storage_mb",
    "override_gpus",
    "override_tpu",
    "cpu_enforcement_policy",
    "memory_enforcement_policy",
)
_MULTIPLIERS: Final = (
    "timeout_multiplier",
    "agent_timeout_multiplier",
    "verifier_timeout_multiplier",
    "agent_setup_timeout_multiplier",
    "environment_build_timeout_multiplier",
)
_TIMEOUTS: Final = ("override_timeout_sec", "max_timeout_sec")


class Agent(NamedTuple):
    """Who was evaluated."""

    name: str
    """``MODEL (SCAFFOLD)``, or the scaffold alone where there is no model."""
    digest: str
    model: str | None


def agent_of(info: Mapping[str, Any], config: Mapping[str, Any], user: Any = None) -> Agent:
    """Name an agent.

    Args:
        info: ``agent_info`` of a result; empty where there is none.
        config: the agent's configuration; also what it is told to be where ``info`` is empty.
        user: configuration of a simulated user.
    """
    configured = text(config.get("name")) or text(config.get("import_path")) or "agent"
    scaffold = text(info.get("name")) or configured.rpartition(":")[2]
    model = text(object_of(info.get("model_info")).get("name")) or text(config.get("model_name"))
    asked = text(config.get("model_name")) or model
    name = f"{asked} ({scaffold})" if asked else scaffold
    settings: dict[str, Any] = {"agent": _settings(config)}
    if version := text(info.get("version")):
        settings["version"] = version
    if isinstance(user, dict):
        settings["user"] = _settings(user)
    return Agent(name, agent_digest(name, settings), asked)


def agent_key(config: Mapping[str, Any]) -> bytes:
    """The same for equal configurations, whether they are written in full or without what is empty."""
    return canonical_json(_settings(config))


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if not _is_empty(value) and name not in _OPERATION}


def task_key(task: Mapping[str, Any]) -> str:
    """What tells the tasks of a job apart: the path, or the name of a package."""
    return text(task.get("path")) or text(task.get("name")) or ""


def task_name(task: Mapping[str, Any]) -> str:
    """Name of a task of which there is no result: that of the package, or the last part of the path."""
    return text(task.get("name")) or task_key(task).rstrip("/").rpartition("/")[2] or "task without a name"


def environment_digest(config: Mapping[str, Any]) -> str | None:
    """Digest of what a trial was given: kind of environment, its size, and all that changes time limits."""
    environment = object_of(config.get("environment"))
    given = {name: environment.get(name) for name in _RESOURCES}
    given |= {name: config.get(name) for name in _MULTIPLIERS if config.get(name) != 1}
    for part in ("agent", "verifier"):
        given |= {f"{part} {name}": object_of(config.get(part)).get(name) for name in _TIMEOUTS}
    said = {name: value for name, value in given.items() if not _is_empty(value) and value != "auto"}
    return task_digest(said) if said else None


def _is_empty(value: Any) -> bool:
    """Whether a setting says nothing; 0 says something."""
    return value is None or value is False or value in ("", [], {})


def suite_version(source: str | None, datasets: Any) -> str | None:
    """Version of the dataset called ``source`` in the configuration of the job."""
    for one in list_of(datasets):
        if isinstance(one, dict) and text(one.get("name")) == source and source is not None:
            return text(one.get("version")) or text(one.get("ref"))
    return None
