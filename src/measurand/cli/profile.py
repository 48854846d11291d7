"""``measurand profile``: agents beyond their means."""

from __future__ import annotations

from typing import Any

import click

from measurand.cli import analysis, options


@click.command()
@analysis.arguments
def profile(**values: Any) -> None:
    """Show how the scores of the agents of RESULTS are spread, and which tasks carry a lead.

    Interquartile means, mean ranks, performance profiles, the curve Opt_p, the probability of improvement of each pair
    of the first agents, and the fewest tasks without which a lead is gone.
    """
    from measurand.analyze.profile import profile as describe
    from measurand.report.profile import profile_document

    asked = analysis.ask(values)
    found = describe(asked.trials, asked.choice, asked.settings, command=options.command_line())
    asked.form.show(found, "profile", profile_document)
