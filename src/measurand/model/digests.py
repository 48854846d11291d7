"""Digests of agents and tasks: SHA-256 over canonical JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["agent_digest", "canonical_json", "task_digest", "without_surrogates"]


def canonical_json(value: Any) -> bytes:
    """Encode ``value`` so that equal values give equal bytes: keys sorted, no white space, UTF-8.

    Halves of surrogate pairs, which UTF-8 cannot hold, are written as escapes; numbers that are not finite become null.

    Raises:
        TypeError: a value that JSON cannot hold.
    """
    try:
        return msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:
        return msgspec.json.encode(without_surrogates(msgspec.to_builtins(value)), order="sorted")


def without_surrogates(value: Any) -> Any:
    """Replace halves of surrogate pairs by escapes, in every text of ``value``."""
    match value:
        case str():
            return value.encode("utf-8", errors="backslashreplace").decode("utf-8")
        case list() | tuple():
            return [without_surrogates(entry) for entry in value]
        case dict():
            return {without_surrogates(key): without_surrogates(entry) for key, entry in value.items()}
        case _:
            return value


def agent_digest(agent: str, configuration: Mapping[str, Any] | None = None) -> str:
    """Digest of an agent: its name and, where known, its whole configuration (model, scaffold, settings).

    >>> agent_digest("kite") == agent_digest("kite", {})
    True
    >>> agent_digest("kite") == agent_digest("kite", {"temperature": 0})
    False
    """
    return _digest({"agent": agent, "configuration": dict(configuration or {})})


def task_digest(content: Mapping[str, Any] | bytes) -> str:
    """Digest of a task's content: its files' bytes, or a mapping of all that defines it."""
    return _digest(dict(content)) if isinstance(content, Mapping) else _sha256(content)


def _digest(value: Mapping[str, Any]) -> str:
    return _sha256(canonical_json(value))


def _sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
