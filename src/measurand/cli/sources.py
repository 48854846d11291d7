"""``measurand sources``: the formats that can be read."""

from __future__ import annotations

from pathlib import Path

import click

from measurand.cli import options, output


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path, exists=True))
@options.json_output
@options.quiet
def sources(path: Path | None, *, as_json: bool, quiet: bool) -> None:
    """List the formats that can be read, or say which of them claims PATH."""
    from measurand.report import sources_document, to_json
    from measurand.sources.registry import listing

    found = listing(path)
    if as_json:
        output.print_data(to_json(found, "sources"))
    else:
        output.print_document(sources_document(found))
    for name, why in found.broken.items():
        output.note(f"warning: the source {name!r} is not available: {why}", quiet=quiet)
