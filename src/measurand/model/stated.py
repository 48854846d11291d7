"""A number that the files of a benchmark state themselves, to be set beside the one computed from their trials."""

from __future__ import annotations

import msgspec

__all__ = ["Stated"]


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """A headline number as its maintainers wrote it."""

    agent: str
    name: str
    """What it is, in the benchmark's words: resolved, mean reward, pass^1."""
    value: float
    unit: str = ""
    """Unit: share (0 to 1), percent, USD, points; empty for a plain number."""
    where: str
    """File and key."""
