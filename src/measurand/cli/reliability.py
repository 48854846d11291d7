"""``measurand reliability``: agents over repeated trials."""

from __future__ import annotations

from typing import Any

import click

from measurand.cli import analysis, options


@click.command()
@click.option(
    "--abstain-below",
    type=float,
    metavar="X",
    help="A trial whose stated confidence is less than X counts as abstained.",
)
@analysis.arguments
def reliability(**values: Any) -> None:
    """Say how reliable the agents of RESULTS are over repeated trials.

    D3 in its named forms beside the gate rate, pass@j and pass^j, how often trials of a task disagree, whether stated
    confidences can be trusted, and how even the spending is. Needs at least 2 trials of a task; 10 are recommended.
    """
    from measurand.analyze.repeats.reliability import reliability as find
    from measurand.report.repeats.reliability import reliability_document

    below = values.pop("abstain_below")
    asked = analysis.ask(values)
    found = find(
        asked.trials, asked.choice, asked.settings, abstain_below=below, command=options.command_line()
    )
    asked.form.show(found, "reliability", reliability_document)
