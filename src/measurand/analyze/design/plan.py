"""A plan from a pilot: how many tasks, trials and dollars separate two agents, or give one agent's mean."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from measurand.analyze.design.designs import (
    Question,
    best_design,
    best_trials,
    best_within_budget,
    designs,
    on_suite,
)
from measurand.analyze.design.extras import (
    certify_trials,
    looks_plan,
    rate_trials,
    scenarios,
    tasks_alone,
    trials_rows,
)
from measurand.analyze.design.goal import Goal
from measurand.analyze.design.methods import plan_methods, plan_notes
from measurand.analyze.design.outlook import NO_DIFFERENCE, is_nothing, outlook, unknown_spread
from measurand.analyze.design.pilot import Pilot, pilot_cells, prices
from measurand.analyze.design.records import OnSuite, PairOutlook, Plan
from measurand.analyze.estimates import estimates
from measurand.analyze.findings import findings
from measurand.analyze.means import head, ranking_means
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.select import unknown_name
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.detection import tested_interval
from measurand.errors import UsageError
from measurand.infer.design.planning import Requirement, to_estimate, to_show
from measurand.infer.differences.permutation import max_t
from measurand.score.names import SHARES
from measurand.wording import listed, plural

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats
    from measurand.analyze.records import Estimate
    from measurand.model.table import Trials

__all__ = ["plan", "plan_of"]


def plan(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    goal: Goal | None = None,
    command: str | None = None,
) -> Plan:
    """Plan an evaluation from a pilot.

    Args:
        trials: the pilot.
        choice: which rows; all when left out.
        settings: how they are judged; its level and power are those of the plan.
        goal: what the plan is to reach; to separate the first two agents when left out.
        command: the command that reproduces this.

    Returns:
        Designs (trials, tasks, dollars, time), the cheapest of them, and what the tasks that there are can reach.
        Without an answer `best` is ``None`` and `reason` says what is needed.

    Raises:
        UsageError: an agent that is not there, or a difference that no two shares can have.
    """
    choice, settings, goal = choice or Choice(), settings or Settings(), goal or Goal()
    prepared = prepare(trials, choice, settings)
    means = _means(prepared)
    order = head(means, prepared.grid.agents, None)
    columns = _columns(prepared, goal, _first_pair(order, means) if goal.difference is None else order[:2])
    pilot = Pilot.of(prepared.grid, pilot_cells(prepared, columns))
    observed = _observed(prepared, columns, settings)
    m = goal.agents_planned or _family_size(order, settings)
    found = _empty(prepared, pilot, observed, goal, settings)
    found = msgspec.structs.replace(
        found,
        m=None if goal.half_width else m,
        neighbours=_neighbours(prepared, order, goal, settings, m=m),
        findings=findings(trials, prepared.selection, prepared.scored, prepared.grid, settings),
        command=command,
    )
    if found.reason is None and found.size is not None:
        question = Question(
            need=_need(found.size, m, goal, settings),
            pilot=pilot,
            prices=found.prices,
            goal=goal,
            max_tasks=found.on_suite.tasks,
            level=1 - settings.level,
            seed=settings.seed,
            pass_fail=found.score in SHARES,
            m=found.m,
        )
        found = _answered(found, question, settings)
    return msgspec.structs.replace(found, notes=plan_notes(found), methods=plan_methods(found, settings))


def plan_of(prepared: Prepared, settings: Settings) -> PairOutlook | None:
    """Say in short what it takes to show the lead of the first agent over the next; ``None`` for fewer than two agents.

    The next is the second, or the first of lower mean where several share the highest.
    """
    means = _means(prepared)
    order = head(means, prepared.grid.agents, None)
    if len(order) < 2:
        return None
    pilot = Pilot.of(prepared.grid, pilot_cells(prepared, _first_pair(order, means)))
    return outlook(
        pilot,
        settings,
        suite_tasks=len(prepared.grid.tasks),
        m=_family_size(order, settings),
        pass_fail=prepared.scores[0] in SHARES,
    )


def _means(prepared: Prepared) -> Floats:
    return ranking_means(prepared.grid.cells(prepared.scores[0]).planned)


def _first_pair(order: tuple[int, ...], means: Floats) -> tuple[int, ...]:
    """The first agent and the next of lower mean; the second where there is none."""
    lower = [column for column in order[1:] if means[column] < means[order[0]]]
    return (order[0], lower[0]) if lower else order[:2]


def _family_size(order: tuple[int, ...], settings: Settings) -> int:
    return max(2, min(settings.top or len(order), len(order)))


def _columns(prepared: Prepared, goal: Goal, first: tuple[int, ...]) -> tuple[int, ...]:
    """Columns of the agents planned for."""
    names = prepared.grid.agents
    if goal.half_width is not None:
        return (first[0] if goal.agent is None else _column(names, goal.agent),)
    if goal.separate is None:
        return first
    a, b = (_column(names, name, apart=other) for name, other in (goal.separate, goal.separate[::-1]))
    if a == b:
        raise UsageError(f"{goal.separate[0]!r} and {goal.separate[1]!r} are one agent", hint="name two")
    return a, b


def _column(names: tuple[str, ...], name: str, apart: str | None = None) -> int:
    """Find the agent that a name or pattern fits; ``apart`` names another, which a pattern is not taken for."""
    if name in names:
        return names.index(name)
    fits = [other for other in names if fnmatchcase(other, name)]
    fits = [other for other in fits if len(fits) == 1 or other != apart]
    if not fits:
        raise unknown_name("agent", name, names)
    if len(fits) > 1:
        raise UsageError(f"{name!r} fits {plural(len(fits), 'agent')}: {listed(fits)}", hint="name one")
    return names.index(fits[0])


def _observed(prepared: Prepared, columns: tuple[int, ...], settings: Settings) -> Estimate:
    """The pilot's own difference, or mean, with its interval."""
    grid, score = prepared.grid, prepared.scores[0]
    table = grid.cells(score).planned[:, columns]
    common = ~np.isnan(table).any(axis=1)
    table = table[common]
    families = None if grid.families is None else grid.families[common]
    if len(columns) == 1:
        return estimates(table, families, settings, share=score in SHARES)[0]
    test = max_t(
        table, families=families, level=settings.level, resamples=settings.resamples, rng=settings.seed
    )
    return tested_interval(table[:, 0] - table[:, 1], test, families, share=score in SHARES)


class _Aim(NamedTuple):
    size: float | None
    reason: str | None


def _aim(goal: Goal, pilot: Pilot, observed: Estimate, *, share: bool) -> _Aim:
    """What must be shown or known, or why there is nothing to plan."""
    asked = goal.difference if goal.half_width is None else goal.half_width
    if asked is not None and share and asked >= 1:
        raise UsageError(
            f"{'difference' if goal.half_width is None else 'half_width'} is {asked:g}",
            hint=f"shares lie between 0 and 1: {asked:g} points are {asked / 100:g}",
        )
    if goal.half_width is None and len(pilot.agents) < 2:
        return _Aim(None, "needs at least 2 agents; there is 1 (a half-width is planned for one)")
    reason = unknown_spread(pilot)
    if reason is not None or asked is not None:
        return _Aim(asked, reason)
    if observed.value is None or is_nothing(observed.value, pilot.components.total or 0.0):
        return _Aim(None, f"{NO_DIFFERENCE}: name one with --difference")
    return _Aim(abs(observed.value), None)


def _need(size: float, m: int, goal: Goal, settings: Settings) -> Requirement:
    if goal.half_width is not None:
        return to_estimate(size, level=1 - settings.level)
    return to_show(size, m, level=settings.level, power=settings.power)


def _empty(prepared: Prepared, pilot: Pilot, observed: Estimate, goal: Goal, settings: Settings) -> Plan:
    """Return a plan without an answer."""
    size, reason = _aim(goal, pilot, observed, share=prepared.scores[0] in SHARES)
    return Plan(
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        score=prepared.scores[0],
        comparable=prepared.selection.comparable,
        question="separate" if goal.half_width is None else "half_width",
        agents=pilot.agents,
        size=size,
        size_given=goal.difference is not None or goal.half_width is not None,
        observed=observed,
        m=None,
        level=settings.level,
        power=settings.power if goal.half_width is None else None,
        spread=pilot.spread(),
        best=None,
        designs=(),
        on_suite=OnSuite(
            tasks=goal.max_tasks or len(prepared.grid.tasks),
            now=None,
            limit=None,
            trials=None,
            least_tasks=None,
            reason=reason,
        ),
        scenarios=(),
        tasks_alone=None,
        optimal_trials=None,
        prices=prices(prepared, pilot.agents, goal.prices),
        price_task=goal.price_task,
        budget=goal.budget,
        best_within_budget=None,
        neighbours=(),
        trials_rows=(),
        rate_trials=(),
        certify_trials=(),
        looks=None,
        notes=(),
        reason=reason,
        findings=(),
        methods=(),
        command=None,
    )


def _answered(found: Plan, question: Question, settings: Settings) -> Plan:
    """Fill in what a plan with a goal and a spread can say."""
    suite = on_suite(question)
    tried = designs(question, suite)
    best = best_design(tried)
    level, power = settings.level, settings.power
    of_two, share = found.question == "separate", found.score in SHARES
    return msgspec.structs.replace(
        found,
        best=best,
        designs=tried,
        on_suite=suite,
        scenarios=scenarios(question, best, found.observed) if of_two and not found.size_given else (),
        tasks_alone=tasks_alone(question, best, level=level, power=power),
        optimal_trials=best_trials(question),
        best_within_budget=best_within_budget(tried),
        trials_rows=trials_rows(
            question.goal.trials,
            question.pilot.components,
            share=share,
            level=level,
            difference=found.size if of_two else None,
        ),
        rate_trials=rate_trials(level) if share else (),
        certify_trials=certify_trials(level) if share else (),
        looks=looks_plan(question, best, level=level, power=power),
    )


def _neighbours(
    prepared: Prepared, order: tuple[int, ...], goal: Goal, settings: Settings, *, m: int
) -> tuple[PairOutlook, ...]:
    """Each agent of the family and the next; nothing where two agents were named or there are only two."""
    family = order[: settings.top]
    if goal.half_width is not None or goal.separate is not None or len(family) < 3:
        return ()
    cells, tasks = pilot_cells(prepared, family), goal.max_tasks or len(prepared.grid.tasks)
    pilots = [Pilot.of(prepared.grid, {i: cells[i], j: cells[j]}) for i, j in pairwise(family)]
    share = prepared.scores[0] in SHARES
    return tuple(
        outlook(pilot, settings, suite_tasks=tasks, m=m, pass_fail=share, difference=goal.difference)
        for pilot in pilots
    )
