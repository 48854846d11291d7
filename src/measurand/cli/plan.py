"""``measurand plan``: how many tasks, trials and dollars an answer takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from measurand.cli import analysis, options


class _Numbers(click.ParamType[tuple[int, ...]]):
    """Whole numbers, separated by commas."""

    name = "LIST"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of whole numbers such as 1,2,5", param, ctx)


class _Price(click.ParamType[tuple[str, float]]):
    """Dollars, of every agent or of one: ``0.40`` or ``AGENT=0.40``."""

    name = "[AGENT=]USD"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        agent, _, amount = str(value).rpartition("=")
        try:
            return agent or "*", float(amount)
        except ValueError:
            self.fail(f"{value!r} is no amount of dollars such as 0.40 or AGENT=0.40", param, ctx)


_goal = (
    click.option(
        "--separate",
        nargs=2,
        metavar="A B",
        help="Two agents to be told apart. Default: the first two of the standings.",
    ),
    click.option(
        "--difference",
        type=float,
        metavar="D",
        help="True difference to be shown (0.03 is 3 points). Default: the pilot's own.",
    ),
    click.option(
        "--half-width",
        type=float,
        metavar="H",
        help="Plan for one agent's mean to plus or minus H, instead of a difference.",
    ),
    click.option("--agent", metavar="NAME", help="The agent of --half-width. Default: the first."),
    click.option(
        "--agents-planned",
        type=int,
        metavar="M",
        help="Agents that will be tested together. Default: the tested family of the standings.",
    ),
    click.option("--power", default=0.8, show_default=True, help="Probability of showing the difference."),
)
_means = (
    click.option(
        "--trials", type=_Numbers(), help="Trials of each task to try out.  [default: 1,2,3,5,10,20]"
    ),
    click.option(
        "--max-tasks", type=int, metavar="N", help="Tasks that there can be. Default: those of the suite."
    ),
    click.option("--budget", type=float, metavar="USD", help="Say what so many dollars reach."),
    click.option(
        "--price",
        "prices",
        type=_Price(),
        multiple=True,
        help="Dollars of a trial, where the pilot does not say or not well. Repeatable.",
    ),
    click.option(
        "--price-task", default=0.0, metavar="USD", help="Dollars of a further task, without its trials."
    ),
    click.option(
        "--looks", type=int, metavar="K", help="Give a stop rule for K looks, the one at the end included."
    ),
    click.option(
        "--spending",
        type=click.Choice(["obf", "pocock"]),
        default="obf",
        show_default=True,
        help="Spend the error late (O'Brien-Fleming type) or evenly (Pocock type).",
    ),
)
_OWN = (
    "separate",
    "difference",
    "half_width",
    "agent",
    "agents_planned",
    "trials",
    "max_tasks",
    "budget",
    "prices",
    "price_task",
    "looks",
    "spending",
)


def _own(command: Any) -> Any:
    return options.decorated(command, *_goal, *_means)


@click.command()
@_own
@analysis.arguments
def plan(**values: Any) -> None:
    """Plan an evaluation from the pilot RESULTS: tasks, trials and dollars.

    How many tasks, at how many trials of each, separate two agents or give one agent's mean; what that costs; and what the tasks
    that there are can reach at all.
    """
    from measurand.analyze.design.goal import TRIALS, Goal
    from measurand.analyze.design.plan import plan as make
    from measurand.report.design.plan import plan_document

    own = {name: values.pop(name) for name in _OWN}
    power = values.pop("power")
    goal = Goal(**{**own, "trials": own["trials"] or TRIALS, "prices": dict(own["prices"])})
    asked = analysis.ask(values)
    found = make(
        asked.trials,
        asked.choice,
        replace(asked.settings, power=power),
        goal=goal,
        command=options.command_line(),
    )
    asked.form.show(found, "plan", plan_document)
