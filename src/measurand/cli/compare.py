"""``measurand compare``: two agents side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from measurand.cli import options, output


@click.command()
@click.argument("a")
@click.argument("b")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.selecting
@options.judging
@options.reading
@options.talking
def compare(
    a: str, b: str, results: tuple[Path, ...], *, as_json: bool, quiet: bool, verbose: bool, **values: Any
) -> None:
    """Compare agents A and B of RESULTS, task by task.

    Only tasks that both have count. A and B are names, or patterns that fit one agent each. RESULTS is a store, or files and folders of the formats
    that `measurand sources` lists.
    """
    from measurand.analyze.compare import compare as compare_agents
    from measurand.load import read
    from measurand.report import comparison_document, to_json

    arguments = options.read_options(values)
    choice, settings = options.to_choice(values), options.settings(values)
    with output.progress(quiet=quiet, verbose=verbose) as progress:
        trials = read(results, progress=progress, **arguments)
    found = compare_agents(trials, a, b, choice=choice, settings=settings, command=options.command_line())
    if as_json:
        output.print_data(to_json(found, "compare"))
    else:
        output.print_document(comparison_document(found))
