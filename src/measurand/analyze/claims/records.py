"""What may be claimed of the agent on top, or of one that was named beforehand."""

from __future__ import annotations

import msgspec

from measurand.analyze.claims.pair_records import Discordance, MarginAnswer, Timing
from measurand.analyze.records import Finding, MethodNote

__all__ = ["BestClaim", "Claims", "ClaimsPart", "RivalRow", "TopScore"]


class RivalRow(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that the claim must hold against."""

    rival: str
    difference: float | None
    """Mean paired difference, the claimant minus the rival; ``None`` without a common task."""
    low: float | None
    """Lower end of its interval: of this pair alone for an agent named beforehand, else of all pairs at once."""
    high: float | None
    p: float
    """Two-sided: of this pair alone for an agent named beforehand, else adjusted for all pairs of the family."""
    beaten: bool
    n_tasks: int
    discordance: Discordance
    resamples: int
    exact: bool
    """Whether all resamples were enumerated."""
    reason: str | None = None
    """Why there is no interval."""


class BestClaim(msgspec.Struct, frozen=True, kw_only=True):
    """The claim that one agent is the best of all: it beats every other."""

    agent: str
    named: bool
    """Whether the agent was named beforehand; else it was picked for being first."""
    supported: bool | None
    """``None`` when the data allow no answer."""
    p: float | None
    """The largest p of its rivals; 1 where one of them is not even behind."""
    level: float
    method: str
    rivals: int
    beaten: int
    untested: int
    """Agents outside the tested family, against which nothing is claimed."""
    shares_first_with: tuple[str, ...]
    """Agents of the same mean, where the claimant is on top."""
    rows: tuple[RivalRow, ...]
    """The hardest to beat first."""
    seed: int | None
    reason: str | None = None
    """Why there is no answer."""

    @property
    def hardest(self) -> RivalRow | None:
        """The rival that is hardest to beat."""
        return self.rows[0] if self.rows else None


class TopScore(msgspec.Struct, frozen=True, kw_only=True):
    """The top score without what picking the agent for its score has added to it (winner's curse)."""

    agent: str
    raw: float | None
    """Mean of the agent on top."""
    bias: float | None
    """What is subtracted from it."""
    corrected: float | None
    low: float | None
    """Lower end of the interval for the agent's true mean."""
    high: float | None
    level: float
    agents: int
    """Agents that it was the best of."""
    contenders: int
    """Agents that come first in at least one resample, this one included."""
    method: str
    n_units: int
    resamples: int
    seed: int | None
    reason: str | None = None
    """Why something is ``None``."""
    caution: str | None = None
    """Why the interval may cover with less than its level."""


class ClaimsPart(msgspec.Struct, frozen=True, kw_only=True):
    """What may be claimed under one score."""

    score: str
    unit: str
    """What a unit of the tests is: task, or family (of tasks)."""
    best: BestClaim
    top: TopScore
    margin: MarginAnswer | None
    """``None`` unless a margin was declared."""
    timings: tuple[Timing, ...]
    """The claimant against each rival; empty where no trial carries a time."""


class Claims(ClaimsPart, frozen=True, kw_only=True):
    """What ``measurand claims`` says."""

    suite: str
    suite_version: str | None
    comparable: bool
    n_agents: int
    n_tasks: int
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
