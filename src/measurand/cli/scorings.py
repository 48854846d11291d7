"""``measurand scorings``: the scorings of a suite side by side."""

from __future__ import annotations

from typing import Any

import click

from measurand.cli import analysis, options


@click.command()
@analysis.arguments
def scorings(**values: Any) -> None:
    """Show what the choice of a score decides in RESULTS: tiers, saturation and order under each.

    Answer key, capped, linear capped, objective, gate rate and, where the data give one, the benchmark's own score, all tested in
    the same way; where the cap at the reference and the clip bind; which anchors were used; and what was left out. --score
    names the scoring that the orders of the others are compared with.
    """
    from measurand.analyze.scorings.scorings import scorings as find
    from measurand.report.scorings.scorings import scorings_document

    asked = analysis.ask(values)
    found = find(asked.trials, asked.choice, asked.settings, command=options.command_line())
    asked.form.show(found, "scorings", scorings_document)
