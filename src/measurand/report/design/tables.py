"""Tables of a plan: designs, other differences, neighbours, looks, and what trials say besides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from measurand.analyze.design.records import Affordable
from measurand.report.document import Cell, Column, Table
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import (
    DASH,
    UNKNOWN,
    count,
    decimal,
    dollars,
    finite,
    p_value,
    percent,
    seconds,
)
from measurand.report.parts import Field, build_table, data_column, name_cell, percent_level
from measurand.report.scores import difference_form, size_form
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.design.records import (
        Design,
        LookPlan,
        LooksPlan,
        PairOutlook,
        Plan,
        Scenario,
        TrialsRow,
    )

__all__ = [
    "cost_text",
    "designs_table",
    "looks_table",
    "neighbours_table",
    "scenarios_table",
    "spread_table",
    "trials_table",
]


def cost_text(design: Design) -> str:
    """Dollars of a design: $12, ≥ $12, or unknown."""
    if finite(design.cost_usd) is None:
        return UNKNOWN
    return f"≥ {dollars(design.cost_usd)}" if design.cost_lower_bound else dollars(design.cost_usd)


def _count(value: int | None) -> Cell:
    return Cell(DASH, None, "muted") if value is None else Cell(count(value), value)


def _number(value: float | None, form: Callable[[float | None], str]) -> Cell:
    return Cell(DASH, None, "muted") if finite(value) is None else Cell(form(value), value)


def designs_table(plan: Plan) -> Table:
    """Each number of trials with the tasks that it takes."""
    size, of_suite = size_form(plan.score), plan.on_suite.tasks
    fields: list[Field[Design]] = [
        Field(
            Column("trials", "Trials", "right"),
            lambda row: Cell(
                "as in the pilot" if row.trials is None else count(row.trials), row.trials, "strong"
            ),
        ),
        Field(Column("tasks", "Tasks", "right"), _tasks),
        data_column("tasks_low", lambda row: row.tasks_low),
        data_column("tasks_high", lambda row: row.tasks_high),
        Field(
            Column("total_trials", "Trials in all", "right", importance=1),
            lambda row: _count(row.total_trials),
        ),
        Field(Column("cost_usd", "Cost", "right"), _cost),
        Field(Column("seconds", "Time", "right", importance=3), _time),
        Field(Column("sd", "Spread of a task", "right", importance=2), lambda row: _number(row.sd, size)),
        Field(
            Column("feasible", f"Within {count(of_suite)}", importance=1),
            lambda row: Cell(
                "yes" if row.feasible else "no", row.feasible, "good" if row.feasible else "muted"
            ),
        ),
    ]
    if plan.spread.unit != "task":
        fields.insert(4, Field(Column("families", "Families", "right"), lambda row: _count(row.units)))
    if plan.budget is not None:
        fields += _budget_fields(plan)
    note = (
        f"Trials: of each agent on each task. In brackets: tasks with the spread at the ends of its {percent_level(1 - plan.level)}"
        " interval. Spread: standard deviation of one task's "
        f"{'difference' if plan.question == 'separate' else 'mean'} at so many trials."
    )
    table = Table("designs", "Tasks needed", (), (), note=note)
    return build_table(fields, plan.designs, band=lambda _: None, table=table)


def _tasks(row: Design) -> Cell:
    low, high = row.tasks_low, row.tasks_high
    minor = "" if low is None or high is None else f"[{low:,}, {high:,}]"
    return Cell(count(row.tasks), row.tasks, minor=minor)


def _cost(row: Design) -> Cell:
    text = cost_text(row)
    return Cell(text, finite(row.cost_usd), "muted" if text == UNKNOWN else "plain")


def _time(row: Design) -> Cell:
    if finite(row.seconds) is None:
        return Cell(UNKNOWN, None, "muted")
    text = seconds(row.seconds)
    return Cell(f"≥ {text}" if row.seconds_lower_bound else text, row.seconds)


def _budget_fields(plan: Plan) -> list[Field[Design]]:
    size = size_form(plan.score)
    shown = "Shows" if plan.question == "separate" else "Half-width"

    def reached(row: Design) -> Affordable:
        return row.within_budget or Affordable(tasks=0, power=None, size=None)

    fields: list[Field[Design]] = [
        Field(
            Column("budget_tasks", f"For {dollars(plan.budget)}", "right"),
            lambda row: _count(None if row.within_budget is None else row.within_budget.tasks),
        ),
        Field(Column("budget_size", shown, "right"), lambda row: _number(reached(row).size, size)),
    ]
    if plan.question == "separate":
        power = Column("budget_power", "Power", "right", importance=2)
        fields.append(Field(power, lambda row: _number(reached(row).power, percent)))
    return fields


def scenarios_table(plan: Plan) -> Table | None:
    """Tasks if the true difference is another than the pilot's."""
    if len(plan.scenarios) < 2 or plan.best is None:
        return None
    form = difference_form(plan.score)
    fields: list[Field[Scenario]] = [
        Field(Column("what", "If the truth is the"), lambda row: Cell(visible(row.what), row.what, "strong")),
        Field(Column("difference", "Difference", "right"), lambda row: _number(row.difference, form)),
        Field(Column("tasks", "Tasks", "right"), lambda row: _count(row.tasks)),
        Field(
            Column("reason", "", wraps=True),
            lambda row: Cell(visible(row.reason or ""), row.reason, "muted"),
        ),
    ]
    trials = "the pilot's trials" if plan.best.trials is None else plural(plan.best.trials, "trial")
    level = (
        ""
        if plan.observed.level is None
        else f" and the ends of its {percent_level(plan.observed.level)} interval"
    )
    note = f"The pilot's own difference{level}, at {trials} of each agent on each task."
    table = Table("scenarios", "If the true difference is another", (), (), note=note)
    return build_table(fields, plan.scenarios, band=lambda _: None, table=table)


def neighbours_table(plan: Plan) -> Table | None:
    """What it takes to tell each agent from the next."""
    if not plan.neighbours:
        return None
    size = size_form(plan.score)

    def more_trials(row: PairOutlook) -> Cell:
        if row.suite_trials is not None:
            return Cell(count(row.suite_trials), row.suite_trials)
        return Cell("none" if row.limit is not None else "not known", None, "muted")

    fields: list[Field[PairOutlook]] = [
        Field(Column("better", "Better agent", name=True), lambda row: name_cell(row.better)),
        Field(Column("worse", "than", importance=3, name=True), lambda row: name_cell(row.worse)),
        Field(Column("difference", "Difference", "right"), lambda row: _number(row.difference, size)),
        Field(Column("tasks", "Tasks", "right"), lambda row: _count(row.tasks)),
        data_column("trials", lambda row: row.trials),
        Field(Column("suite_trials", f"Trials on {count(plan.on_suite.tasks)} tasks", "right"), more_trials),
        Field(Column("limit", "Limit", "right", importance=1), lambda row: _number(row.limit, size)),
        data_column("reason", lambda row: row.reason or row.suite_reason),
    ]
    what = "the pair's own difference" if not plan.size_given else f"a difference of {size(plan.size)}"
    note = (
        f"Tasks that show {what} at the pilot's trials, as one pair of {plural(plan.m or 2, 'agent')}. Trials: how many of each agent "
        f"would show it on the {plural(plan.on_suite.tasks, 'task')} that there are; limit: the difference that these show with trials "
        "without number. Not known: the pilot does not tell tasks from trials."
    )
    table = Table("neighbours", "Each agent and the next", (), (), note=note)
    return build_table(fields, plan.neighbours, band=lambda _: None, table=table)


def trials_table(plan: Plan) -> Table | None:
    """What a number of trials says of one task and of the order; columns without a number are left out."""
    if not plan.trials_rows:
        return None
    size = size_form(plan.score)
    explained: list[tuple[Field[TrialsRow], str]] = [
        (
            Field(
                Column("half_width", "One task's rate ±", "right"), lambda row: _number(row.half_width, size)
            ),
            f"One task's rate: half-width of its {percent_level(1 - plan.level)} interval (Wilson) at worst.",
        ),
        (
            Field(
                Column("unanimous", "Looks consistent", "right"), lambda row: _number(row.unanimous, percent)
            ),
            "Looks consistent: chance that all trials of a task that passes with probability 0.9 end alike.",
        ),
        (
            Field(
                Column("wrong_order", "Wrong order", "right"), lambda row: _number(row.wrong_order, percent)
            ),
            f"Wrong order: chance that trial noise puts the worse agent first on the pilot's {plural(plan.spread.n_tasks, 'task')}.",
        ),
        (
            Field(
                Column("best_of_bias", "Best of them", "right"), lambda row: _number(row.best_of_bias, size)
            ),
            f"Best of them: how far the best of so many runs of the suite by {_short(plan.agents[0])} lies above its mean.",
        ),
    ]
    kept = [
        (field, text)
        for field, text in explained
        if any(field.cell(row).value is not None for row in plan.trials_rows)
    ]
    if not kept:
        return None
    trials: Field[TrialsRow] = Field(
        Column("trials", "Trials", "right"), lambda row: Cell(count(row.trials), row.trials, "strong")
    )
    note = " ".join(text for _, text in kept)
    table = Table("trials", "What trials say besides", (), (), note=note)
    return build_table(
        [trials, *(field for field, _ in kept)], plan.trials_rows, band=lambda _: None, table=table
    )


class _Part(NamedTuple):
    """One source of the spread."""

    what: str
    variance: float
    share: float | None


def spread_table(plan: Plan) -> Table | None:
    """Where the spread of one task's difference (or mean) comes from; ``None`` when it is not known."""
    spread = plan.spread
    if spread.between is None:
        return None
    form = size_form(plan.score)
    each = [
        (f"between trials of {_short(agent)}", variance, trials)
        for agent, variance, trials in zip(plan.agents, spread.within_each, spread.trials, strict=True)
        if variance is not None
    ]
    whole = spread.between + sum(variance / trials for _, variance, trials in each)
    rows = [
        _Part(what, variance, variance / trials / whole if whole > 0 else None)
        for what, variance, trials in [("between tasks", spread.between, 1.0), *each]
    ]
    fields: list[Field[_Part]] = [
        Field(Column("source", "Spread"), lambda row: Cell(row.what, row.what, "strong")),
        Field(
            Column("sd", "Standard deviation", "right"), lambda row: _number(math.sqrt(row.variance), form)
        ),
        Field(Column("share", "Share in the pilot", "right"), lambda row: _number(row.share, percent)),
    ]
    note = (
        "More trials make the part between trials smaller; the part between tasks is the same for any number of them. Shares: of the "
        f"variance of one task's {'difference' if plan.question == 'separate' else 'mean'} at the pilot's trials."
    )
    table = Table("spread", "Where the spread comes from", (), (), note=note)
    return build_table(fields, rows, band=lambda _: None, table=table)


def _short(name: str) -> str:
    return shorten(name_shown(name), 40)


def looks_table(plan: Plan, looks: LooksPlan) -> Table:
    """When to look, and what stops."""

    def level(row: LookPlan) -> Cell:
        if not row.can_stop:
            return Cell("cannot stop", row.level, "muted")
        return Cell(f"{row.level:.3g}", row.level, "strong")

    def bound(row: LookPlan) -> Cell:
        if not row.can_stop or row.critical is None:
            return Cell(DASH, None, "muted")
        return Cell(decimal(row.critical, 3), row.critical)

    fields: list[Field[LookPlan]] = [
        Field(Column("fraction", "Share of tasks", "right"), lambda row: _number(row.fraction, percent)),
        Field(Column("tasks", "Tasks so far", "right"), lambda row: _count(row.tasks)),
        Field(Column("level", "Stop at p ≤", "right"), level),
        Field(Column("critical", "or |t| ≥", "right"), bound),
        Field(
            Column("spent", "Error spent", "right", importance=1),
            lambda row: _number(row.spent, p_value),
        ),
    ]
    p = "p-value" if plan.m == 2 else f"adjusted p-value among {plural(plan.m or 2, 'agent')}"
    note = f"{upper_first(visible(looks.method))}. The rule is the {p}; |t| is the same for many tasks. Register it before the first trial."
    table = Table("looks", "Stop rule", (), (), note=note)
    return build_table(fields, looks.looks, band=lambda _: None, table=table)
