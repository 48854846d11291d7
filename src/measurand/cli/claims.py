"""``measurand claims``: what may be claimed of the best agent."""

from __future__ import annotations

from typing import Any

import click

from measurand.cli import analysis, options


@click.command()
@click.option(
    "--best",
    metavar="AGENT",
    help="Agent of which it was claimed beforehand that it is the best: a name, or a pattern that fits one. Default: the agent on top, picked for being first.",
)
@click.option(
    "--not-worse-than",
    metavar="AGENT",
    help="Also say whether it is not worse than this agent by as much as --margin.",
)
@click.option(
    "--margin",
    type=float,
    metavar="M",
    help="Largest loss that does not matter, declared beforehand, in units of the score: 0.02 of a gate rate is 2 points.",
)
@analysis.arguments
def claims(**values: Any) -> None:
    """Say what may be claimed of the best agent of RESULTS.

    Whether it beats every other; how much of its score comes from having picked the highest; on how many tasks agents must
    differ for a finding; whether it is no worse than another by a margin; and whether trials were run at the same times.
    """
    from measurand.analyze.claims.claims import claims as find
    from measurand.report.claims.claims import claims_document

    own = {name: values.pop(name) for name in ("best", "not_worse_than", "margin")}
    asked = analysis.ask(values)
    found = find(asked.trials, asked.choice, asked.settings, **own, command=options.command_line())
    asked.form.show(found, "claims", claims_document)
