"""How each number of the cost axis was had, in sentences for the methods box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.analyze.records import MethodNote
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from measurand.analyze.cost.records import ParetoPart, RateTest
    from measurand.analyze.settings import Settings

__all__ = ["pareto_methods", "shown_rates"]


def pareto_methods(part: ParetoPart, settings: Settings) -> tuple[MethodNote, ...]:
    """Describe the methods of the cost axis."""
    notes = [
        ("Quality and cost", _means(part)),
        ("Efficient", _EFFICIENT),
        ("Exchange rates", _rates(part)),
        ("Cost per success", _per_success(settings, part)),
    ]
    if part.test is not None:
        notes.insert(3, ("Shown exchange rates", shown_rates(part.test)))
        notes.insert(4, ("May be efficient", _POSSIBLE))
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes)


_EFFICIENT = (
    "An agent is dominated when another has no lower mean and no higher cost, and differs in one of them. Agents equal in both "
    "are kept side by side. An agent whose cost is not known is not placed: unknown is not free."
)
_POSSIBLE = (
    "An agent leaves only when one other agent is shown to be better and shown to be cheaper, or one of the two while equal in "
    "the other on every task: both beyond the critical value of the shown exchange rates. So an agent that is truly efficient "
    "is missing with a probability of at most the same level."
)


def _means(part: ParetoPart) -> str:
    logarithm = (
        " The axis is the mean over tasks of the logarithm (base 2) of that cost, so that its place is the geometric mean."
        if part.log_cost
        else ""
    )
    partly = (
        ""
        if part.coverage == 1
        else f" Agents have a place when the cost of {part.coverage:.0%} of their trials is known; the known trials of a task "
        "stand for its unknown ones."
    )
    return (
        f"Means over the {plural(part.n_used, 'task')} that every placed agent has with known cost, tasks weighing equally: "
        f"score {part.score}, and {part.meter} of a trial (the mean over the trials of a task, then over tasks).{logarithm}{partly}"
    )


def _rates(part: ParetoPart) -> str:
    what = f"log2 {part.meter}" if part.log_cost else part.meter
    return (
        f"An agent leads at the exchange rate λ when no other has a higher mean score - λ·{what}; upper envelope in exact "
        "fractions, ends included. Agents that are efficient and inside the hull of the others lead nowhere."
    )


def shown_rates(test: RateTest) -> str:
    """Say how shown exchange rates were found, with level, n and seed."""
    units = plural(test.n_units, *(("task",) if test.unit == "task" else ("family", "families")))
    drawn = "" if test.exact else f", {test.resamples} resamples, seed {test.seed}"
    needed = "" if test.critical_value is None else f"; |t| > {test.critical_value:.2f} is needed"
    return (
        f"Family: {plural(len(test.family), 'agent')}, every ordered pair at every exchange rate from 0 on. "
        f"{upper_first(test.method)}{drawn}; n = {units}{needed}. The probability that any statement of the form "
        f'"A beats B at this exchange rate" is false is at most {test.level:.0%}.'
    )


def _per_success(settings: Settings, part: ParetoPart) -> str:
    unit = "tasks" if part.test is None or part.test.unit == "task" else "families of tasks"
    return (
        "Cost of all trials, failed ones too, over the trials that passed the gate; all tasks of the agent. "
        f"{1 - settings.level:.0%} percentile bootstrap over {unit}, {settings.resamples} resamples, seed {settings.seed}. A "
        "lower bound (>=), without an interval, where a trial is unmetered."
    )
