"""A plan with names: what the report shows, and what ``--json`` prints."""

from __future__ import annotations

from typing import Literal

import msgspec

from measurand.analyze.records import Estimate, Finding, MethodNote

__all__ = [
    "Affordable",
    "CertifyTrials",
    "Design",
    "LookPlan",
    "LooksPlan",
    "OnSuite",
    "PairOutlook",
    "Plan",
    "Price",
    "RateTrials",
    "Scenario",
    "Spread",
    "TrialsRow",
]


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Where the pilot's spread comes from, in squared units of the score."""

    between: float | None
    """Variance between tasks of the true difference (or of the agent's true mean)."""
    within: float | None
    """Variance between trials of one task, summed over the agents."""
    within_each: tuple[float | None, ...]
    """The same for each agent."""
    total: float | None
    """Variance of one task's difference (or mean) at the pilot's trials."""
    design_effect: float | None
    """How much larger it is than if tasks of a family were unrelated; ``None`` where the data name no families."""
    n_tasks: int
    n_units: int
    unit: str
    """What new data come in: task, or family of tasks."""
    trials: tuple[float, ...]
    """Planned trials of a task in the pilot, the mean over tasks, of each agent."""
    replicated: int
    """Tasks with at least 2 trials of each agent."""
    truncated: bool
    """Whether the variance between tasks was estimated below 0 and set to 0."""
    method: str
    reason: str | None
    """Why something is ``None``."""


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """What a trial of one agent takes, from the pilot or as given."""

    agent: str
    usd: float | None
    usd_lower_bound: bool
    """Whether some trials' cost is unknown, so that the mean is a lower bound."""
    given: bool
    """Whether the price was given, not metered."""
    seconds: float | None
    """Wall time."""
    seconds_lower_bound: bool


class Affordable(msgspec.Struct, frozen=True, kw_only=True):
    """What a budget reaches with one number of trials."""

    tasks: int
    power: float | None
    """Probability of showing the difference; ``None`` for a half-width."""
    size: float | None
    """Difference shown with the planned power, or half-width; ``None`` when the tasks are too few for any."""


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """A number of trials, and the tasks that reach the goal with it."""

    trials: int | None
    """Trials of each agent on each task; ``None``: as many as in the pilot, since the pilot cannot tell more."""
    tasks: int
    tasks_low: int | None
    """With the spread at the lower end of its interval."""
    tasks_high: int | None
    units: int
    """Tasks, or families of as many tasks as in the pilot."""
    total_trials: int
    cost_usd: float | None
    cost_lower_bound: bool
    seconds: float | None
    """Wall time of all trials, one after the other."""
    seconds_lower_bound: bool
    sd: float
    """Standard deviation of one task's difference (or mean)."""
    feasible: bool
    """Whether there are so many tasks."""
    within_budget: Affordable | None = None
    """``None`` without a budget or without a cost."""


class OnSuite(msgspec.Struct, frozen=True, kw_only=True):
    """What the tasks that there are can reach."""

    tasks: int
    now: float | None
    """Difference or half-width that they reach with the pilot's trials."""
    limit: float | None
    """The same with trials without number; ``None`` when unknown."""
    trials: int | None
    """Fewest trials that reach the goal on these tasks."""
    least_tasks: int | None
    """Tasks that reach it with trials without number; ``None`` when unknown."""
    reason: str | None
    """Why there is no such number."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks at the best design's trials if the true difference is another."""

    difference: float
    tasks: int | None
    what: str
    """lower end, observed or upper end."""
    reason: str | None = None


class PairOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes to show the observed difference of two agents, in short."""

    better: str
    worse: str
    difference: float | None
    tasks: int | None
    """At the pilot's trials."""
    trials: float | None
    """The pilot's trials of a task, the mean over both agents."""
    suite_tasks: int
    suite_trials: int | None
    """Fewest trials that show it on the suite's tasks."""
    limit: float | None
    """Difference that the suite's tasks show with trials without number; ``None`` when unknown."""
    m: int
    level: float
    power: float
    reason: str | None = None
    """Why `tasks` is ``None``."""
    suite_reason: str | None = None
    """Why `suite_trials` is ``None``."""


class TrialsRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a number of trials of each task says besides."""

    trials: int
    half_width: float | None
    """Of the interval of one task's pass rate at worst; ``None`` for a score that is no share."""
    unanimous: float | None
    """Chance that a task passed with probability 0.9 ends alike in all trials."""
    wrong_order: float | None
    """Chance that trials alone put the worse of the two agents first on the pilot's tasks; ``None`` when unknown."""
    best_of_bias: float | None
    """How far the best of so many runs of the suite lies above the first agent's mean; ``None`` when unknown."""


class RateTrials(msgspec.Struct, frozen=True, kw_only=True):
    """Trials of one task that give its pass rate to plus or minus a half-width, at worst."""

    half_width: float
    wilson: int
    wald: int
    """By the textbook formula."""


class CertifyTrials(msgspec.Struct, frozen=True, kw_only=True):
    """Trials of one task that must all end alike to show how consistent it is."""

    consistency: float
    """max(p, 1 - p)."""
    trials: int


class LookPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One look at the results."""

    fraction: float
    tasks: int
    critical: float | None
    """|t| of the pair that stops, for many tasks; ``None`` where it is out of reach."""
    level: float
    """Adjusted p that stops: at most this."""
    spent: float
    """Error level spent up to here."""
    can_stop: bool
    """Whether so few tasks can reach the level at all."""


class LooksPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A stop rule to be registered before the first trial."""

    spending: str
    looks: tuple[LookPlan, ...]
    most_tasks: int
    inflation: float
    """Largest number of tasks relative to one look at the end."""
    expected_tasks: float
    """On average when the planned difference is true."""
    expected_tasks_null: float
    """On average when there is no difference."""
    method: str


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How many tasks, trials and dollars a goal takes."""

    suite: str
    suite_version: str | None
    score: str
    comparable: bool
    question: Literal["separate", "half_width"]
    agents: tuple[str, ...]
    """The two to be told apart, or the one whose mean is estimated."""
    size: float | None
    """Difference to be shown, or half-width."""
    size_given: bool
    """Whether it was asked for; else it is the pilot's own difference, which is optimistic."""
    observed: Estimate
    """The pilot's difference (first minus second), or the agent's mean."""
    m: int | None
    """Agents tested together; ``None`` for a half-width."""
    level: float
    power: float | None
    spread: Spread
    best: Design | None
    """The cheapest design that the tasks allow; the cheapest of all when they allow none."""
    designs: tuple[Design, ...]
    on_suite: OnSuite
    scenarios: tuple[Scenario, ...]
    """For the pilot's own difference: at its interval's ends."""
    tasks_alone: int | None
    """At the best design's trials, if the two are tested as one pair named beforehand; ``None`` where they are."""
    optimal_trials: float | None
    """Trials at which a given precision is cheapest if tasks are without number; 0 means as few as possible, ``None``
    unknown or as many as possible."""
    prices: tuple[Price, ...]
    price_task: float
    budget: float | None
    best_within_budget: Design | None
    neighbours: tuple[PairOutlook, ...]
    """Each agent of the family and the next; empty where two agents were named."""
    trials_rows: tuple[TrialsRow, ...]
    rate_trials: tuple[RateTrials, ...]
    """Empty for a score that is no share."""
    certify_trials: tuple[CertifyTrials, ...]
    looks: LooksPlan | None
    notes: tuple[str, ...]
    """What a reader must know before trusting the numbers."""
    reason: str | None
    """Why there is no plan."""
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
