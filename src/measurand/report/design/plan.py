"""A plan in words: what it takes, what the tasks that there are can reach, and what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.design.figure import tasks_spec
from measurand.report.design.tables import (
    cost_text,
    designs_table,
    looks_table,
    neighbours_table,
    scenarios_table,
    spread_table,
    trials_table,
)
from measurand.report.document import Document, Figure, Section
from measurand.report.figures import NARROW, WIDE
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import count, dollars, finite, interval, percent, plain
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    findings_section,
    listed,
    methods_section,
    percent_level,
    suite_title,
)
from measurand.report.scores import difference_form, score_words, size_form, value_form
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from measurand.analyze.design.records import Design, PairOutlook, Plan
    from measurand.report.document import Table

__all__ = ["outlook_sentence", "plan_document"]


def plan_document(plan: Plan) -> Document:
    """Report on a plan: the answer first, then designs, neighbours, looks, and what the numbers rest on."""
    sections = (
        _answer(plan),
        _designs(plan),
        _looks(plan),
        _section("neighbours", "Neighbours", neighbours_table(plan)),
        _besides(plan),
        _section("spread", "Spread", spread_table(plan) if plan.best is not None else None),
        findings_section(plan.findings),
        methods_section(plan.methods),
    )
    names = " and ".join(_short(agent) for agent in plan.agents)
    return Document(
        title=f"Plan: {names}",
        subtitle=f"{suite_title(plan.suite, plan.suite_version)} · pilot of {plural(plan.spread.n_tasks, 'task')}"
        f" · by {score_words(plan.score)}",
        banner="" if plan.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(plan.command or ""),
        generator=GENERATOR,
    )


def outlook_sentence(outlook: PairOutlook | None, score: str) -> str | None:
    """Say what it takes to show the first agent's lead over the next; ``None`` where there is nothing to say."""
    if outlook is None or outlook.tasks is None or outlook.trials is None:
        return None
    size = size_form(score)
    text = (
        f"To show the gap of {size(outlook.difference)} between {listed([outlook.better, outlook.worse])} with"
        f" {percent_level(outlook.power)} power takes about {plural(_about(outlook.tasks), 'task')} at"
        f" {_trials(outlook.trials)} each; there are {count(outlook.suite_tasks)}"
    )
    if outlook.tasks <= outlook.suite_tasks:
        return f"{text}."
    if outlook.suite_trials is not None:
        return f"{text}, which would take {plural(outlook.suite_trials, 'trial')} each."
    if outlook.limit is not None:
        return f"{text}, and no number of trials on these shows less than {size(outlook.limit)}."
    return f"{text}."


def _about(number: int) -> int:
    """Three digits of a number."""
    return round(number, min(0, 3 - len(str(number))))


def _trials(number: float) -> str:
    whole = round(number)
    return plural(whole, "trial") if abs(number - whole) < 0.05 else f"{plain(round(number, 1))} trials"


def _short(name: str, width: int = 40) -> str:
    return shorten(name_shown(name), width)


def _answer(plan: Plan) -> Section:
    if plan.best is None:
        why = visible(plan.reason or "the pilot does not tell").rstrip(".")
        sentences = [f"There is no plan: {why}."]
    else:
        sentences = [
            _takes(plan, plan.best),
            *_suite(plan),
            *_pilot(plan),
            *_alone(plan),
            *_money(plan, plan.best),
            *_stopping(plan),
        ]
    notes = [visible(note) for note in plan.notes]
    return Section(id="answer", title="What it takes", sentences=(*sentences, *notes), lead=True)


def _goal(plan: Plan) -> str:
    size = size_form(plan.score)(plan.size)
    if plan.question == "half_width":
        return f"To know the mean of {_short(plan.agents[0])} to ±{size} ({percent_level(1 - plan.level)} interval)"
    a, b = (_short(agent) for agent in plan.agents)
    power = "" if plan.power is None else f" with {percent_level(plan.power)} power"
    return f"To show a difference of {size} between {a} and {b}{power}"


def _takes(plan: Plan, best: Design) -> str:
    each = "the pilot's trials of each" if best.trials is None else f"{plural(best.trials, 'trial')} each"
    cost = "" if finite(best.cost_usd) is None else f", {cost_text(best)}"
    families = (
        ""
        if plan.spread.unit == "task"
        else f" in {plural(best.units, 'family of the usual size', 'families of the usual size')}"
    )
    what = f"{plural(best.tasks, 'task')}{families} at {each} ({plural(best.total_trials, 'trial')} in all{cost})"
    if best.feasible:
        return f"{_goal(plan)}: {what}."
    return f"{_goal(plan)} takes {what}; there are only {count(plan.on_suite.tasks)}."


def _suite(plan: Plan) -> list[str]:
    """What the tasks that there are can reach with more trials."""
    suite, size = plan.on_suite, size_form(plan.score)
    what = "difference" if plan.question == "separate" else "half-width"
    now = (
        f"with the pilot's trials they {'show' if what == 'difference' else 'give'} {size(suite.now)}"
        if finite(suite.now) is not None
        else ""
    )
    these = f"these {plural(suite.tasks, 'task')}"
    if suite.trials is not None:
        text = f"On {these} it takes {plural(suite.trials, 'trial')} each"
        limit = "" if suite.limit is None else f", with trials without number {size(suite.limit)}"
        return [f"{text}; {now}{limit}." if now else f"{text}."]
    if suite.least_tasks is None:
        more = f"what more trials on {these} would bring is not known" if plan.spread.truncated else ""
        text = "; ".join(part for part in (now.replace("they", these), more) if part)
        return [f"{upper_first(text)}."] if text else []
    reach = f"; {now}" if now else ""
    if finite(suite.limit) is None:
        return [f"No number of trials makes up for the tasks: it takes at least {count(suite.least_tasks)}."]
    least = f"it takes at least {count(suite.least_tasks)}"
    return [f"However many trials, {these} reach no {what} below {size(suite.limit)}{reach}; {least}."]


def _pilot(plan: Plan) -> list[str]:
    """What the pilot itself shows, and what follows at the ends of its interval."""
    value = plan.observed
    if finite(value.value) is None:
        return []
    of_two = plan.question == "separate"
    form = difference_form(plan.score) if of_two else value_form(plan.score)
    ends = interval(value.low, value.high, form)
    level = "" if value.level is None or not ends else f" ({percent_level(value.level)} interval {ends})"
    what = "The pilot's own difference" if of_two else "The pilot's mean"
    text = f"{what} is {form(value.value)}{level}"
    parts = [
        f"at the {row.what} it takes {plural(row.tasks, 'task')}"
        if row.tasks is not None
        else f"at the {row.what} no number of tasks is enough"
        for row in plan.scenarios
        if row.what != "observed"
    ]
    return [f"{text}: {', '.join(parts)}." if parts else f"{text}."]


def _alone(plan: Plan) -> list[str]:
    if plan.tasks_alone is None or plan.m is None:
        return []
    pairs = plural(plan.m * (plan.m - 1) // 2, "pair")
    text = (
        f"This is as one of {pairs} of {plan.m} agents tested together; as the only pair, named before the trials"
        f" (--agents-planned 2), it takes {plural(plan.tasks_alone, 'task')}."
    )
    return [text]


def _money(plan: Plan, best: Design) -> list[str]:
    sentences = []
    if finite(best.cost_usd) is None:
        sentences.append(
            "The cost is not available: no trial of the pilot has a known cost. Give one with --price."
        )
    if plan.budget is not None:
        sentences += _budget(plan)
    if plan.optimal_trials is None:
        return sentences
    if plan.price_task > 0:
        number = max(1, round(plan.optimal_trials))
        sentences.append(
            f"With {dollars(plan.price_task)} for a further task, about {plural(number, 'trial')} of each are cheapest, were"
            " there tasks without number."
        )
    elif len(plan.designs) > 1:
        sentences.append(
            "Where a further task costs nothing but its trials, one trial of many tasks is always cheaper than many trials of few;"
            " --price-task says what it costs."
        )
    return sentences


def _budget(plan: Plan) -> list[str]:
    found = plan.best_within_budget
    if found is None or found.within_budget is None:
        why = (
            "its cost is unknown"
            if not any(design.within_budget for design in plan.designs)
            else "it is too little"
        )
        return [f"What {dollars(plan.budget)} reach is not available: {why}."]
    reach = found.within_budget
    each = "the pilot's trials of each" if found.trials is None else f"{plural(found.trials, 'trial')} each"
    text = f"For {dollars(plan.budget)}: {plural(reach.tasks, 'task')} at {each}"
    if plan.question == "half_width":
        return [f"{text} give ±{size_form(plan.score)(reach.size)}."]
    power = "" if reach.power is None else f", and the difference planned for with {percent(reach.power)}"
    return [
        f"{text} show {size_form(plan.score)(reach.size)} with {percent_level(plan.power or 0)} power{power}."
    ]


def _stopping(plan: Plan) -> list[str]:
    looks = plan.looks
    if looks is None:
        return []
    text = (
        f"With {plural(len(looks.looks), 'look')} it takes at most {plural(looks.most_tasks, 'task')} (×{looks.inflation:.3f}), on"
        f" average {count(round(looks.expected_tasks))} if the difference is real and"
        f" {count(round(looks.expected_tasks_null))} if there is none."
    )
    return [text]


def _designs(plan: Plan) -> Section | None:
    if not plan.designs:
        return None
    tables = [designs_table(plan), scenarios_table(plan)]
    return Section(
        id="designs",
        title="Tasks and trials",
        figures=_figure(plan),
        tables=tuple(table for table in tables if table is not None),
    )


def _figure(plan: Plan) -> tuple[Figure, ...]:
    designs = [design for design in plan.designs if design.trials is not None]
    if len(designs) < 2:
        return ()
    least, there = plan.on_suite.least_tasks, plan.on_suite.tasks
    first, last = designs[0], designs[-1]
    limit = "" if least is None else f" and would stay above {count(least)} however many trials there were"
    alt = (
        f"The tasks needed fall from {count(first.tasks)} at {plural(first.trials or 1, 'trial')} to {count(last.tasks)} at"
        f" {plural(last.trials or 1, 'trial')}{limit}."
    )
    return (
        Figure(
            id="tasks-figure",
            title="Tasks needed by trials of each",
            alt=alt,
            spec=tasks_spec(designs, least=least, there=there, size=WIDE),
            narrow=tasks_spec(designs, least=least, there=there, size=NARROW),
            note=f"Band: with the spread at the ends of its {percent_level(1 - plan.level)} interval.",
        ),
    )


def _looks(plan: Plan) -> Section | None:
    if plan.looks is None:
        return None
    text = (
        "Looking at every result until one pleases splits equal agents far more often than the level says. These looks, and no others,"
        f" keep the error at {percent_level(plan.level)} in all. At each look test as always, with the level of that look (--level)."
    )
    return Section(
        id="looks", title="Looks before the end", sentences=(text,), tables=(looks_table(plan, plan.looks),)
    )


def _besides(plan: Plan) -> Section | None:
    """What trials say of one task, of the order, and of the best of several."""
    table = trials_table(plan)
    if table is None:
        return None
    sentences = []
    if plan.rate_trials:
        rates = [f"±{plain(100 * row.half_width)} points {count(row.wilson)}" for row in plan.rate_trials]
        sentences.append(f"Trials that give one task's pass rate: {', '.join(rates)}.")
        shares = [f"{plain(100 * row.consistency)}% {count(row.trials)}" for row in plan.certify_trials]
        sentences.append(
            f"Equal trials that show that a task ends alike at least so often: {', '.join(shares)}."
        )
    return Section(id="besides", title="One task, and the order", sentences=tuple(sentences), tables=(table,))


def _section(name: str, title: str, table: Table | None) -> Section | None:
    return None if table is None else Section(id=name, title=title, tables=(table,))
