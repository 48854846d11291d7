"""Digests of agents and tasks: SHA-256 over canonical JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["agent_digest", "canonical_json", "task_digest"]


def canonical_json(value: Any) -> bytes:
    """Encode ``value`` so that equal values give equal bytes: keys sorted, no white space, UTF-8.

    Raises:
        TypeError: a value that JSON cannot hold.
    """
    return msgspec.json.encode(value, order="sorted")


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
