"""``measurand pareto``: quality against cost."""

from __future__ import annotations

from typing import Any, Final

import click

from measurand.cli import analysis, options

_METERS: Final = ("cost_usd", "repriced_usd", "tokens", "steps", "tool_calls", "wall_s", "working_s")
"""Those of `measurand.analyze.meters`, which would load Polars for the sake of a help text."""


def _arguments(command: Any) -> Any:
    """Add what every analysis has, but for who is tested: cheap agents seldom head the standings."""
    return options.decorated(
        command,
        analysis.results,
        options.agents,
        options.selecting,
        options.top_of_metered,
        options.judging,
        options.reading,
        analysis.forms,
        options.talking,
    )


@click.command()
@click.option(
    "--meter",
    type=click.Choice(_METERS),
    default="cost_usd",
    show_default=True,
    help="Which cost is set against quality.",
)
@click.option(
    "--log-cost", is_flag=True, help="Take the logarithm of each cost: exchange rates are then per doubling."
)
@click.option(
    "--coverage",
    type=float,
    metavar="SHARE",
    default=1.0,
    show_default=True,
    help="Share of an agent's trials whose cost must be known for a place.",
)
@_arguments
def pareto(**values: Any) -> None:
    """Set the quality of the agents of RESULTS against what they cost.

    Who is efficient; who leads when a point of the score is worth so many dollars of a trial; at which of these exchange
    rates one agent is shown to beat another, with one error level for all pairs and rates. Agents whose cost is unknown
    are listed apart.
    """
    from measurand.analyze.cost.pareto import CostAxis
    from measurand.analyze.cost.pareto import pareto as find
    from measurand.report.cost.pareto import pareto_document

    meter, log, coverage = values.pop("meter"), values.pop("log_cost"), values.pop("coverage")
    asked = analysis.ask(values)
    axis = CostAxis(meter=meter, log=log, coverage=coverage, top=asked.settings.top)
    found = find(asked.trials, asked.choice, asked.settings, axis=axis, command=options.command_line())
    asked.form.show(found, "pareto", pareto_document)
