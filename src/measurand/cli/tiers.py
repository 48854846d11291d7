"""``measurand tiers``: which agents really differ, and whether the null distributions agree."""

from __future__ import annotations

from typing import Any

import click

from measurand.cli import analysis, options


@click.command()
@options.null
@analysis.arguments
def tiers(**values: Any) -> None:
    """Group the agents of RESULTS into tiers that the data support.

    Tests all pairs of the head of the standings at once. Prints the tiers, every pair with an interval that holds for all
    pairs together, and what each null distribution finds. RESULTS is a store, or files and folders of the formats that
    `measurand sources` lists.
    """
    from measurand.analyze.tiering.tiers import tiers as find
    from measurand.report.tiers import tiers_document

    asked = analysis.ask(values)
    found = find(asked.trials, asked.choice, asked.settings, command=options.command_line())
    asked.form.show(found, "tiers", tiers_document)
