"""``measurand intervals``: means with intervals by every method."""

from __future__ import annotations

from typing import Any

import click

from measurand.cli import analysis, options


@click.command()
@click.option(
    "--against",
    metavar="AGENT",
    help="Show the paired differences of all others from this agent too: a name, or a pattern that fits one.",
)
@analysis.arguments
def intervals(**values: Any) -> None:
    """Show how sure the means of the agents of RESULTS are.

    Intervals by every method side by side: Wilson where each task is one pass or fail, percentile and BCa bootstrap over tasks or families, and the t-interval,
    clustered by family; and which of them the standings show, and why.
    """
    from measurand.analyze.intervals import intervals as find
    from measurand.report.intervals import intervals_document

    against = values.pop("against")
    asked = analysis.ask(values)
    found = find(asked.trials, asked.choice, asked.settings, against=against, command=options.command_line())
    asked.form.show(found, "intervals", intervals_document)
