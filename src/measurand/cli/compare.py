"""``measurand compare``: two agents side by side."""

from __future__ import annotations

from typing import Any

import click

from measurand.cli import analysis, options


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--margin",
    type=float,
    metavar="M",
    help="Say whether A is not worse than B by as much as M, declared beforehand, in units of the score: 0.02 of a gate rate is 2 points.",
)
@analysis.results
@options.selecting
@options.judging
@options.reading
@analysis.forms
@options.talking
def compare(a: str, b: str, margin: float | None, **values: Any) -> None:
    """Compare agents A and B of RESULTS, task by task.

    Only tasks that both have count. A and B are names, or patterns that fit one agent each; of two versions, A is the new one and B
    the baseline. RESULTS is a store, or files and folders of the formats that `measurand sources` lists.
    """
    from measurand.analyze.compare import compare as compare_agents
    from measurand.report import comparison_document

    asked = analysis.ask(values)
    found = compare_agents(
        asked.trials,
        a,
        b,
        choice=asked.choice,
        settings=asked.settings,
        margin=margin,
        command=options.command_line(),
    )
    asked.form.show(found, "compare", comparison_document)
