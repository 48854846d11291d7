"""Intervals of means by every method, with names: what ``measurand intervals`` shows."""

from __future__ import annotations

import msgspec

from measurand.analyze.records import Estimate, Finding, MethodNote
from measurand.errors import UsageError

__all__ = ["DifferenceRow", "IntervalRow", "Intervals", "IntervalsPart", "MethodInterval"]


class MethodInterval(msgspec.Struct, frozen=True, kw_only=True):
    """One interval of one number."""

    name: str
    """wilson, percentile, bca or t."""
    interval: Estimate
    caution: str | None
    """Why it may cover with less than its level here; ``None`` where it claims its level."""
    standing: bool = False
    """Whether it is the one that the standings show."""


class IntervalRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's mean under the ranking score."""

    agent: str
    mean: float | None
    n_tasks: int
    methods: tuple[MethodInterval, ...]

    def method(self, name: str) -> MethodInterval:
        """Return the interval by the method ``name``.

        Raises:
            UsageError: there is no such method.
        """
        return _method(self.methods, name)


class DifferenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """Mean paired difference of an agent from the named one, over the tasks that both have."""

    agent: str
    against: str
    difference: float | None
    """``agent`` minus ``against``."""
    n_tasks: int
    methods: tuple[MethodInterval, ...]

    def method(self, name: str) -> MethodInterval:
        """Return the interval by the method ``name``.

        Raises:
            UsageError: there is no such method.
        """
        return _method(self.methods, name)


def _method(methods: tuple[MethodInterval, ...], name: str) -> MethodInterval:
    for one in methods:
        if one.name == name:
            return one
    raise UsageError(f"there is no method {name!r}", hint=f"one of: {', '.join(m.name for m in methods)}")


class IntervalsPart(msgspec.Struct, frozen=True, kw_only=True):
    """Intervals of all agents' means under one score."""

    score: str
    level: float
    """Confidence level."""
    n_tasks: int
    n_units: int
    unit: str
    """What is resampled: task, or family (of tasks)."""
    resamples: int
    seed: int
    agents: tuple[IntervalRow, ...]
    """Best mean first."""
    why: str
    """Which interval the standings show, and why."""
    differences: tuple[DifferenceRow, ...]
    """Empty unless an agent to compare with was named."""


class Intervals(IntervalsPart, frozen=True, kw_only=True):
    """What ``measurand intervals`` says."""

    suite: str
    suite_version: str | None
    comparable: bool
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
