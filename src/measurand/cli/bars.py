"""``measurand bars``: what a harder bar would have done."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from measurand.cli import analysis, options
from measurand.cli.agents import agents_table, read_agents_table

_FORMS: Final = ("hazen", "plain", "ale-weibull", "ale-hazen", "ale-original")
"""Those of `measurand.infer.headroom.percentiles`, which would load numpy for the sake of a help text."""
_FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.option(
    "--cut", metavar="DATE", help="First release day of the late cohort; agents released before are early."
)
@agents_table
@click.option(
    "--bars",
    "given",
    type=_FILE,
    help="Table of named bars: task, bar, value (in the unit of the task's quantity).",
)
@click.option(
    "--field", type=_FILE, help="Table of the percentiles' frozen field: task, value. Default: early cohort."
)
@click.option(
    "--percentiles",
    "form",
    type=click.Choice(list(_FORMS)),
    default="hazen",
    show_default=True,
    help="Form of the percentiles.",
)
@click.option(
    "--window", type=int, metavar="W", help="Also judge every W agents that follow each other by release."
)
@analysis.arguments
def bars(**values: Any) -> None:
    """Show what pass or fail at a harder bar would have made of RESULTS, beside graded scores.

    For each bar, and for the objective and percentiles: tiers of the first agents, saturation and the share of agents at
    zero; with --cut for early and late agents apart, and with the bar tuned on the early ones tried on the late ones.
    """
    from measurand.analyze.headroom.bars import BarOptions
    from measurand.analyze.headroom.bars import bars as find
    from measurand.report.headroom.bars import bars_document
    from measurand.sources.reading.bars_table import read_bars, read_field

    known = read_agents_table(values)
    given, field = values.pop("given"), values.pop("field")
    chosen = BarOptions(
        cut=values.pop("cut"),
        dates=known.dates if known is not None and known.dates else None,
        cohorts=known.cohorts if known is not None and known.cohorts else None,
        bars=None if given is None else read_bars(given),
        field=None if field is None else read_field(field),
        form=values.pop("form"),
        window=values.pop("window"),
    )
    asked = analysis.ask(values)
    found = find(asked.trials, asked.choice, asked.settings, options=chosen, command=options.command_line())
    asked.form.show(found, "bars", bars_document)
