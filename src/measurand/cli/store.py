"""``measurand store``: what a store holds."""

from __future__ import annotations

from pathlib import Path

import click

from measurand.cli import codes, options, output


@click.group()
def store() -> None:
    """Look into a store of trials."""


@store.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--verify", is_flag=True, help="Re-read every segment and check it against its digest.")
@options.json_output
def info(path: Path, *, verify: bool, as_json: bool) -> int:
    """Say what the store at PATH holds: suites, agents, trials, imports, and what is wrong with it.

    Exits with 1 when --verify finds a damaged segment.
    """
    from measurand.report import store_document, to_json
    from measurand.store import Store

    found = Store.open(path).info(verify=verify)
    if as_json:
        output.print_data(to_json(found, "store"))
    else:
        output.print_document(store_document(found))
    return codes.NO if found.damaged else codes.OK
