"""``measurand import``: foreign logs into a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from measurand.cli import codes, options, output
from measurand.wording import plural


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-s",
    "--store",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder of the store; made if there is none.",
)
@options.reading
@click.option("--traces", is_flag=True, help="Keep the traces of the trials too, where the format has them.")
@click.option("--strict", is_flag=True, help="Exit with 4 if a row was dropped or a value became unknown.")
@options.talking
def import_(
    paths: tuple[Path, ...],
    store: Path,
    *,
    traces: bool,
    strict: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **values: Any,
) -> int:
    """Add the results in PATHS to a store: all of them, or none.

    PATHS are files and folders of the formats that `measurand sources` lists. What is not kept is reported with its
    row and reason, and the report is stored with the rows.
    """
    from measurand.load import import_into
    from measurand.report import import_document, to_json

    arguments = options.read_options(values)
    arguments["on_conflict"] = arguments["on_conflict"] or "refuse"
    with output.progress(quiet=quiet, verbose=verbose) as progress:
        report = import_into(store, paths, traces=traces, progress=progress, **arguments)
    if as_json:
        output.print_data(to_json(report, "import"))
    elif quiet:
        output.print_data(f"{report.rows_kept} of {plural(report.rows_read, 'row')} kept\n")
    else:
        output.print_document(import_document(report))
    return codes.PARTIAL if strict and report.partial else codes.OK
