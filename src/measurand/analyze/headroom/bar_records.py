"""What harder bars and graded scores make of the same trials: records."""

from __future__ import annotations

import msgspec

from measurand.analyze.records import Finding, MethodNote

__all__ = ["BarRow", "BarWindows", "Bars", "BarsPart", "Cohort", "CohortResult", "TunedBar"]


class Cohort(msgspec.Struct, frozen=True, kw_only=True):
    """Agents that are looked at together."""

    name: str
    """early, late, or all."""
    agents: tuple[str, ...]
    first_release: str | None
    """Day of the oldest agent, ISO 8601; ``None`` where no day is known."""
    last_release: str | None


class CohortResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one score says of one cohort."""

    cohort: str
    n_agents: int
    """Agents of the cohort that have a cell."""
    n_tasks: int
    head: tuple[str, ...]
    """The agents tested, best first."""
    tiers: tuple[int, ...]
    """Tier of each agent of the head; empty where nothing can be concluded."""
    n_tiers: int | None
    n_pairs: int
    n_significant: int
    undecided: int
    """Adjusted p-values within three Monte-Carlo standard errors of the level."""
    index: float | None
    """Saturation index of the cohort's first agent against its k-th."""
    category: str | None
    t: float | None
    zeros: int
    """Agents whose mean is 0."""
    zero_share: float | None
    notes: tuple[str, ...] = ()
    reason: str | None = None
    """Why no two agents can be told apart; beside it there may be one tier."""


class BarWindows(msgspec.Struct, frozen=True, kw_only=True):
    """A score over windows of agents that follow each other by release."""

    windows: int
    no_answer: int
    """Windows of which no tiers can be told."""
    one_tier: int
    """Windows whose agents are all in one tier."""
    median_tiers: float | None
    """Over the windows with an answer."""
    median_index: float | None


class BarRow(msgspec.Struct, frozen=True, kw_only=True):
    """One way of scoring the same trials."""

    name: str
    graded: bool
    """False for a bar, which gives 1 or 0; true for a score with degrees."""
    multiplier: float | None
    """λ of a multiplicative bar."""
    cohorts: tuple[CohortResult, ...]
    windows: BarWindows | None = None
    """``None`` unless windows were asked for and enough agents have dates."""

    def of(self, cohort: str) -> CohortResult | None:
        """Return the result of a cohort by its name; ``None`` when there is no such cohort."""
        return next((result for result in self.cohorts if result.cohort == cohort), None)


class TunedBar(msgspec.Struct, frozen=True, kw_only=True):
    """The bar that suits the early cohort best, tried on the late one."""

    bar: str | None
    """``None`` when none could be chosen."""
    multiplier: float | None
    early: CohortResult | None
    """In sample: it was chosen for this."""
    late: CohortResult | None
    """Out of sample."""
    hindsight: str | None
    """The bar that the same rule would choose on the late cohort itself."""
    hindsight_late: CohortResult | None
    reason: str | None = None


class BarsPart(msgspec.Struct, frozen=True, kw_only=True):
    """Harder bars and graded scores over cohorts of agents."""

    cut: str | None
    """First day of the late cohort, ISO 8601."""
    cohorts: tuple[Cohort, ...]
    left_out: tuple[str, ...]
    """Agents of no cohort: without a release date, or not named."""
    rows: tuple[BarRow, ...]
    tuned: TunedBar
    form: str
    """Form of the percentiles."""
    field: str | None
    """What the percentiles' field is; ``None`` without percentiles."""
    window: int | None
    window_reason: str | None
    """Why there are no windows though they were asked for."""
    unavailable: tuple[str, ...]
    """What the data do not allow, and what it needs."""


class Bars(BarsPart, frozen=True, kw_only=True):
    """What ``measurand bars`` says."""

    suite: str
    suite_version: str | None
    comparable: bool
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
