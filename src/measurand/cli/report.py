"""``measurand report``: from results to standings, tiers, saturation, data quality and method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from measurand.cli import analysis, codes, options, output

if TYPE_CHECKING:
    from measurand.analyze.board import Board

_HTML: Final = "measurand-report.html"


@click.command()
@analysis.results
@options.agents
@options.selecting
@options.top
@options.judging
@options.reading
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    help=f"Where the HTML file goes; - prints it instead of text. Default: {_HTML}",
)
@click.option("--no-html", is_flag=True, help="Write no HTML file.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of text.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the standings as CSV instead of text.")
@click.option("--strict", is_flag=True, help="Exit with 4 if a row was dropped or a value became unknown.")
@options.talking
def report(results: tuple[Path, ...], *, strict: bool, quiet: bool, verbose: bool, **values: Any) -> int:
    """Say which agents of RESULTS really differ.

    RESULTS is a store, or files and folders of the formats that `measurand sources` lists. Prints the report and
    writes it as one offline HTML file; with --json, --markdown or --csv the HTML file is written only if --html
    names it.
    """
    from measurand.analyze.board import board
    from measurand.load import read

    printed = _format(values)
    page = _page(values, printed)
    arguments = options.read_options(values)
    choice, settings = options.to_choice(values), options.settings(values)
    with output.progress(quiet=quiet, verbose=verbose) as progress:
        trials = read(results, progress=progress, **arguments)
        found = board(trials, choice, settings, command=options.command_line(), progress=progress)
        if page is not None:
            progress("drawing", 0.9)
            _write_page(found, page)
    _print(found, printed)
    if page is not None:
        output.note(f"HTML: {page}", quiet=quiet)
    return codes.PARTIAL if strict and any(report.partial for report in trials.reports) else codes.OK


def _format(values: dict[str, Any]) -> str:
    """Say in which form the report is printed; ``--html -`` is one more."""
    asked = [name for name in ("json", "markdown", "csv") if values.pop(f"as_{name}")]
    if str(values["html"]) == "-":
        asked.append("html -")
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} exclude each other")
    return asked[0] if asked else "text"


def _page(values: dict[str, Any], printed: str) -> Path | None:
    path, none = values.pop("html"), values.pop("no_html")
    if none and path is not None:
        raise click.UsageError("--html and --no-html exclude each other")
    if none or printed == "html -" or (path is None and printed != "text"):
        return None
    if path is not None and not path.name:
        raise click.UsageError(f"--html {str(path)!r} names no file")
    return path or Path(_HTML)


def _write_page(found: Board, page: Path) -> None:
    from measurand.report import board_document, render_html, write_text_atomic

    write_text_atomic(page, render_html(board_document(found)))


def _print(found: Board, printed: str) -> None:
    from measurand.report import board_document, render_csv, render_html, render_markdown, to_json

    if printed == "json":
        output.print_data(to_json(found, "report"))
    elif printed == "csv":
        output.print_data(render_csv(found))
    elif printed == "html -":
        output.print_data(render_html(board_document(found)))
    elif printed == "markdown":
        output.print_data(render_markdown(board_document(found)))
    else:
        output.print_document(board_document(found))
