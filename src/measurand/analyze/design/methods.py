"""How a plan was made, and what must be known before it is trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.analyze.records import MethodNote
from measurand.score.names import SHARES
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.analyze.design.records import Plan
    from measurand.analyze.settings import Settings

__all__ = ["plan_methods", "plan_notes"]

_ENOUGH = 20
"""Tasks, or replicated tasks, below which a pilot's spread is hardly known."""


def plan_notes(plan: Plan) -> tuple[str, ...]:
    """What a reader must know before trusting the numbers, the gravest first."""
    return () if plan.best is None else tuple(_notes(plan))


def _notes(plan: Plan) -> Iterator[str]:
    spread = plan.spread
    if plan.question == "separate" and not plan.size_given:
        yield (
            "The difference is the pilot's own, which is optimistic: agents are looked at because they seem to differ. "
            "Name the smallest difference that matters with --difference."
        )
    if spread.between is None:
        yield (
            f"The split of the spread into tasks and trials is not available: it {spread.reason}. "
            "Tasks are planned for as many trials as in the pilot."
        )
    if spread.truncated:
        yield (
            "The variance between tasks was estimated below 0 and set to 0: the pilot does not tell it from the noise between "
            "trials, and what more trials bring is overstated."
        )
    if spread.n_units < _ENOUGH:
        units = plural(spread.n_units, *_unit_words(spread.unit))
        yield f"The pilot has {units}: its spread is hardly known; see the ranges."
    elif spread.between is not None and spread.replicated < _ENOUGH:
        yield f"The noise between trials is known from {plural(spread.replicated, 'task')} only."
    if plan.best is not None and plan.best.cost_lower_bound:
        yield "Some trials of the pilot have no known cost: dollars are lower bounds. Give a price with --price."


def plan_methods(plan: Plan, settings: Settings) -> tuple[MethodNote, ...]:
    """Describe the methods of a plan; without an answer there is only the spread."""
    if plan.best is None:
        return (MethodNote(topic="Spread", text=_spread(plan)),)
    notes = [("Tasks", _tasks(plan)), ("Spread", _spread(plan)), ("Ranges", _ranges(settings))]
    notes.append(("Costs", _COSTS))
    if plan.question == "separate":
        notes.insert(1, ("Family", _family(plan)))
    if plan.looks is not None:
        notes.append(("Looks", _looks(plan)))
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes)


_COSTS = (
    "Mean over the pilot's trials of each agent, times the trials planned; a trial of unknown cost counts 0 and makes the sum a "
    "lower bound. Time is the wall time of all trials one after the other."
)


_STEPS = " The p-values of a single pair of pass/fail agents are discrete, which takes about 2/(D·trials) tasks more; they are counted."


def _unit_words(unit: str) -> tuple[str, str]:
    return ("task", "tasks") if unit == "task" else ("family of tasks", "families of tasks")


def _tasks(plan: Plan) -> str:
    correction = "c²/2 stands for the t distribution"
    if plan.question == "half_width":
        return f"n = (c/H)²·sd² + c²/2, c the normal quantile of the {1 - plan.level:.0%} interval, H the half-width; {correction}."
    return (
        f"n = ((c + z)/D)²·sd² + c²/2: D the true difference, z the normal quantile of {plan.power:.0%} power, c the critical "
        f"value of the max-T test of all pairs of {plan.m} agents at {plan.level:.0%}; {correction}. Power is that of showing this "
        f"one difference, in its direction.{_STEPS if plan.m == 2 and plan.score in SHARES else ''}"
    )


def _family(plan: Plan) -> str:
    return (
        f"All pairs of {plan.m} agents are tested together, with a family-wise level of {plan.level:.0%}. Two agents named before "
        "the trials are made are a family of their own: --agents-planned 2."
    )


def _spread(plan: Plan) -> str:
    spread = plan.spread
    of = "the paired difference" if plan.question == "separate" else "a task's mean"
    families = (
        ""
        if spread.unit == "task"
        else f" New data come in families of tasks: the variance has what tasks of a family have in common (design effect "
        f"{spread.design_effect or 1:.2f})."
    )
    return (
        f"sd² = between + within/trials for {of}: {spread.method}, {plural(spread.n_tasks, 'task')}. A cell is the mean over "
        f"planned trials, no verdict counted as not passed.{families}"
    )


def _ranges(settings: Settings) -> str:
    return (
        f"{1 - settings.level:.0%} of 2,000 resamples of the pilot's tasks (with all their trials) give a number of tasks in the "
        f"range; seed {settings.seed}. The difference is held fixed."
    )


def _looks(plan: Plan) -> str:
    if plan.looks is None:
        return ""
    return (
        f"{plan.looks.method}; bounds by recursive integration. Tasks come in a random order fixed beforehand, each with all its "
        "trials of all agents before it counts. The report may be read only at the looks, with the level of the look as its level."
    )
