"""``measurand saturation``: is the head of the board within noise, and since when?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from measurand.cli import analysis, options
from measurand.cli.agents import agents_table, read_agents_table


@click.command()
@click.option("--places", default=5, show_default=True, help="Place that is compared with the first.")
@click.option(
    "--alpha", default=0.5, show_default=True, help="Exponent of the effective number of tasks, 0 to 1."
)
@click.option("--window", default=10, show_default=True, help="Agents of a window over time.")
@agents_table
@analysis.arguments
def saturation(**values: Any) -> None:
    """Say whether the first agents of RESULTS lie within noise, under each score and over time.

    The index S compares the first agent with the one at place K: near 1 within noise, near 0 well separated. Where agents
    have release dates, windows of agents released one after the other are judged as well.
    """
    from measurand.analyze.headroom.saturation import saturation as find
    from measurand.report.headroom.saturation import saturation_document

    places, alpha, window = values.pop("places"), values.pop("alpha"), values.pop("window")
    known = read_agents_table(values)
    asked = analysis.ask(values)
    found = find(
        asked.trials,
        asked.choice,
        replace(asked.settings, places=places, alpha=alpha),
        dates=None if known is None else known.dates,
        window=window,
        command=options.command_line(),
    )
    asked.form.show(found, "saturation", saturation_document)
