"""Records of profiles: agents beyond their means."""

from __future__ import annotations

import msgspec

from measurand.analyze.records import Estimate, Finding, MethodNote

__all__ = [
    "Curve",
    "Lead",
    "PairChance",
    "Profile",
    "ProfilePart",
    "ProfileRow",
    "RankDiagram",
    "TaskPart",
]


class ProfileRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent of the family."""

    agent: str
    mean: float | None
    middle: Estimate
    """Interquartile mean: over the middle half of the tasks."""
    mean_rank: float | None
    """Mean rank over the tasks that every agent of the family has; 1 is best."""


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Share of an agent's trials that reach each threshold, tasks weighing equally."""

    agent: str
    share: tuple[float | None, ...]
    low: tuple[float | None, ...]
    """Pointwise lower ends; ``None`` where a threshold is reached equally often on every task."""
    high: tuple[float | None, ...]


class PairChance(msgspec.Struct, frozen=True, kw_only=True):
    """How often a fresh trial of one agent beats one of the other, on a task drawn at random; ties count half."""

    better: str
    worse: str
    chance: Estimate


class TaskPart(msgspec.Struct, frozen=True, kw_only=True):
    """A task that carries a part of a lead."""

    task: str
    share: float
    """Its part of the sum of differences; parts may exceed 1 where other tasks point the other way."""
    without: float | None
    """The difference when the task is left out."""


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """The lead of the first agent over another, and the tasks it rests on."""

    leader: str
    rival: str
    difference: float | None
    n_tasks: int
    to_erase: int | None
    """Least number of tasks whose removal takes the lead away."""
    flips_alone: int
    """Tasks each of which alone carries the lead."""
    carried_by: tuple[TaskPart, ...]
    reason: str | None = None


class RankDiagram(msgspec.Struct, frozen=True, kw_only=True):
    """What a critical-difference diagram draws."""

    n_tasks: int
    """Tasks that every agent of the family has."""
    left_out: int
    chi2: float | None
    p: float | None
    """Friedman's test: are any two of the agents different?"""
    critical_difference: float | None
    """Nemenyi's, as a yardstick; the groups come from the board's own test."""
    groups: tuple[tuple[str, ...], ...] | None
    """Largest groups without a significant pair, from the max-T test; ``None`` where it gives no answer."""
    reason: str | None


class ProfilePart(msgspec.Struct, frozen=True, kw_only=True):
    """The profiles of the agents of one family."""

    score: str
    family: tuple[str, ...]
    agents: tuple[ProfileRow, ...]
    thresholds: tuple[float, ...]
    """Of the ranking score; empty when every trial scores 0 or 1, so that the mean says it all."""
    curves: tuple[Curve, ...]
    improvement_thresholds: tuple[float, ...]
    """Shares p of the reference's performance; empty without a reference."""
    improvement: tuple[Curve, ...]
    """Opt_p: share of trials that pass and reach p times the reference."""
    leads: tuple[Lead, ...]


class Profile(ProfilePart, frozen=True, kw_only=True):
    """What ``measurand profile`` says."""

    chances: tuple[PairChance, ...]
    """Each pair of the family, the one higher in the standings first."""
    ranks: RankDiagram
    suite: str
    suite_version: str | None
    comparable: bool
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
