"""Who ran in an upload of HAL, on which benchmark, with which arguments: its header, or else the name of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest
from measurand.sources.reading.loose_values import object_of, text

if TYPE_CHECKING:
    from measurand.sources.hal.usage import Logged

__all__ = ["Upload", "upload_of"]

_BENCHMARKS: Final = (
    "appworld_test_challenge",
    "appworld_test_normal",
    "assistantbench",
    "colbench_backend_programming",
    "colbench_frontend_design",
    "corebench_easy",
    "corebench_hard",
    "corebench_medium",
    "gaia",
    "mlagentbench",
    "scicode_easy",
    "scicode_hard",
    "scicode",
    "scienceagentbench",
    "swebench_verified_mini",
    "swebench_verified",
    "taubench_airline",
    "taubench_retail",
    "taubench",
    "usaco",
)
"""Names that begin the names of files; of two that fit, the longer stands first."""
_UPLOAD: Final = re.compile(r"_UPLOAD$", re.IGNORECASE)
_REPEAT: Final = re.compile(r"_r(\d+)$")
"""Repetition of a run, as HAL's reliability evaluation numbers them."""
_STAMP: Final = re.compile(r"_\d{9,}$")
_COMMIT: Final = ("commit", "commit_hash", "sha", "hash")


class Upload(NamedTuple):
    """An upload."""

    content: dict[str, Any]
    logged: dict[str, Logged]
    """Calls of models, by task."""
    suite: str
    agent: str
    agent_digest: str
    model: str | None
    trial: str
    job: str | None
    version: str | None
    """Commit of the harness."""
    where: str
    suite_is_known: bool = True
    refused_suite: str | None = None
    """What the user wanted to call a suite that the data name."""


def upload_of(
    content: dict[str, Any], logged: dict[str, Logged], stem: str, suite: str | None, *, where: str
) -> Upload:
    """Read the header of an upload.

    Args:
        content: the upload, without a list of its calls.
        logged: the calls, by task.
        stem: name of its file, without the ending.
        suite: the suite that the user names, for data that name no benchmark.
        where: how notes name the file.
    """
    config = object_of(content.get("config")) | object_of(content.get("metadata"))
    name = _UPLOAD.sub("", stem)
    repeat = _REPEAT.search(name)
    name = _REPEAT.sub("", name)
    said = text(config.get("benchmark_name"))
    prefix = next((one for one in _BENCHMARKS if name.lower().startswith(one)), None)
    known = said or prefix
    agent = text(config.get("agent_name")) or _agent(name, said if said and name.startswith(said) else prefix)
    arguments = object_of(config.get("agent_args"))
    configuration = {
        "agent_args": {key: value for key, value in arguments.items() if "key" not in key.lower()},
        "agent_version": text(config.get("agent_version")),
        "agent_hash": text(content.get("agent_hash")),
    }
    git = object_of(content.get("git_info"))
    return Upload(
        content=content,
        logged=logged,
        suite=known or suite or "hal",
        agent=agent,
        agent_digest=agent_digest(agent, {key: value for key, value in configuration.items() if value}),
        model=text(arguments.get("model_name")) or text(arguments.get("model")),
        trial=repeat[1] if repeat else "0",
        job=text(config.get("run_id")),
        version=next((found for key in _COMMIT if (found := text(git.get(key)))), None),
        where=where,
        suite_is_known=known is not None or suite is not None,
        refused_suite=suite if known is not None and suite not in {None, known} else None,
    )


def _agent(name: str, benchmark: str | None) -> str:
    """The rest of a file's name: after the benchmark, without the time."""
    rest = name.removeprefix(benchmark) if benchmark else name
    return _STAMP.sub("", rest.strip("_-")) or name
