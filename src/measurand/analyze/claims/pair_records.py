"""What is said of two agents beside their difference: a margin, single tasks, and when they were run."""

from __future__ import annotations

import msgspec

__all__ = ["Discordance", "MarginAnswer", "Regressions", "TaskRegression", "Timing"]


class Discordance(msgspec.Struct, frozen=True, kw_only=True):
    """On how many tasks two agents differ, and whether that is enough for a finding."""

    units: int
    """Tasks, or families of tasks, in which they differ."""
    least_p: float
    """Least p that any result on them can give: 2^(1 - units)."""
    needed: int
    """Units that must differ for a p of the level to be possible at all."""


class MarginAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Is one agent not worse than another by more than a margin declared beforehand?"""

    agent: str
    than: str
    margin: float
    """In units of the score: 0.02 of a share is 2 points."""
    not_worse: bool | None
    """Whether the lower bound lies above -margin; ``None`` when there is no bound."""
    equivalent: bool | None
    """Whether, besides, the upper bound lies below the margin."""
    difference: float | None
    """Mean paired difference, the agent minus the other."""
    low: float | None
    """Lower bound of the difference."""
    high: float | None
    level: float
    """Level of each bound, one-sided; of all differences at once where the agent was picked for being first."""
    method: str
    n: int
    """Tasks, or families of tasks, that both have."""
    reason: str | None = None


class TaskRegression(msgspec.Struct, frozen=True, kw_only=True):
    """One task on which the new version passes less often than the baseline."""

    task: str
    passes: int
    """Of the new version, over its trials with a verdict."""
    trials: int
    baseline_passes: int
    baseline_trials: int
    p: float
    """One-sided, of this task alone."""
    p_adjusted: float
    """Times Tarone's factor; 1 where no result on the task could have been a finding."""
    found: bool


class Regressions(msgspec.Struct, frozen=True, kw_only=True):
    """On which tasks a new version is worse than its baseline, judged by the gate."""

    new: str
    baseline: str
    level: float
    """Chance of any false finding."""
    tasks: int
    """Tasks of the baseline, those deleted since included: the denominator."""
    found: int
    """Tasks on which the new version is worse."""
    lower: int
    """Tasks on which its share of passed trials is lower, by whatever amount."""
    higher: int
    testable: int
    """Tasks on which some result could have been a finding."""
    factor: int
    """Tarone's factor; 0 without a testable task."""
    most_trials: int
    """Most trials with a verdict that both have of a task."""
    trials_needed: int
    """Trials of each with which a single task could be found worse."""
    rows: tuple[TaskRegression, ...]
    """Tasks with a lower share, the least p first: all that were found, or else the first few."""
    deleted: tuple[str, ...]
    """Tasks of the baseline that the new version has no trial of."""
    added: tuple[str, ...]
    """Tasks that the baseline has no trial of; they are not in the denominator."""
    unjudged: int
    """Tasks of both on which one has no trial with a verdict."""
    reason: str | None = None
    """Why no task can be found worse."""


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Were the trials of two agents run at the same time?"""

    a: str
    b: str
    a_within: float | None
    """Share of a's trials that started while b was being run; ``None`` without times."""
    b_within: float | None
    apart: bool | None
    """Whether the two were run at times that do not meet."""
    hardly: bool | None
    """Whether they are apart, or one of the shares is below 5 %."""
    gap_s: float | None
    """Time between the two, seconds."""
    untimed: int
    """Trials of the two that carry no start."""
    trials: int
    """Trials of the two."""
    reason: str | None = None
