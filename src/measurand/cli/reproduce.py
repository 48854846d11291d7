"""``measurand reproduce``: do a benchmark's trials give the number that its files state?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from measurand.cli import analysis, options, output


@click.command()
@click.argument("reader", metavar="SOURCE")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@options.reading
@analysis.forms
@options.talking
def reproduce(**values: Any) -> None:
    """Set the headline numbers that files state beside those computed from their trials.

    SOURCE is a name of `measurand sources`; PATH is a file or folder that it reads. Ours follow the benchmark's own definition;
    where the two differ, the difference is explained by rounding or by what is counted, as far as the trials can tell.
    """
    from measurand.analyze.reproduce import reproduce as find
    from measurand.report.reproduce import reproduction_document

    form = analysis.asked_form(values)
    how = options.read_options(values)
    if how["source"] not in {None, values["reader"]}:
        raise click.UsageError(f"the source is {values['reader']}: leave --from out")
    with output.progress(quiet=form.quiet, verbose=values["verbose"]) as progress:
        found = find(
            values["reader"],
            values["path"],
            options=how["options"],
            on_conflict=how["on_conflict"],
            command=options.command_line(),
            progress=progress,
        )
    form.show(found, "reproduction", reproduction_document)
