"""The frame of a command that reads RESULTS and shows one record: its arguments, its reading, its forms of output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from measurand.cli import options, output

if TYPE_CHECKING:
    from collections.abc import Callable

    import msgspec

    from measurand.analyze.settings import Choice, Settings
    from measurand.model.table import Trials
    from measurand.report import Document

__all__ = ["Asked", "Form", "arguments", "ask", "asked_form", "forms", "results"]

_Command = TypeVar("_Command", bound="Callable[..., Any]")
_Record = TypeVar("_Record", bound="msgspec.Struct")

results = click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))


def arguments(command: _Command) -> _Command:
    """Add RESULTS and all options that choose, read, judge and show; the command's own come before them in its help."""
    return options.decorated(
        command,
        results,
        options.agents,
        options.selecting,
        options.top,
        options.judging,
        options.reading,
        forms,
        options.talking,
    )


def forms(command: _Command) -> _Command:
    """Add the forms of output beside text and JSON."""
    return options.decorated(
        command,
        click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown instead of text."),
        click.option(
            "--html",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Write one offline HTML file, besides what is printed.",
        ),
    )


@dataclass(frozen=True, slots=True)
class Form:
    """How a record is shown."""

    as_json: bool
    as_markdown: bool
    html: Path | None
    quiet: bool

    def show(self, record: _Record, kind: str, document: Callable[[_Record], Document]) -> None:
        """Print a record, and write its page where one is asked for.

        Args:
            record: the result.
            kind: its kind in the JSON envelope.
            document: how it becomes a document.
        """
        from measurand.report import render_html, render_markdown, to_json, write_text_atomic

        if self.html is not None:
            write_text_atomic(self.html, render_html(document(record)))
        if self.as_json:
            output.print_data(to_json(record, kind))
        elif self.as_markdown:
            output.print_data(render_markdown(document(record)))
        else:
            output.print_document(document(record))
        if self.html is not None:
            output.note(f"HTML: {self.html}", quiet=self.quiet)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command was asked: the trials that were read, which of them count, how they are judged and shown."""

    trials: Trials
    choice: Choice
    settings: Settings
    form: Form


def asked_form(values: dict[str, Any]) -> Form:
    """Take the form of output out of ``values``.

    Raises:
        click.UsageError: two forms that exclude each other.
    """
    form = Form(values.pop("as_json"), values.pop("as_markdown"), values.pop("html"), values.pop("quiet"))
    if form.as_json and form.as_markdown:
        raise click.UsageError("--json and --markdown exclude each other")
    return form


def ask(values: dict[str, Any]) -> Asked:
    """Take everything that :func:`arguments` added out of ``values``, and read RESULTS; what is left is the command's own.

    Raises:
        click.UsageError: two forms of output that exclude each other.
    """
    from measurand.load import read

    form = asked_form(values)
    paths, verbose = values.pop("results"), values.pop("verbose")
    how = options.read_options(values)
    choice, settings = options.to_choice(values), options.settings(values)
    with output.progress(quiet=form.quiet, verbose=verbose) as progress:
        trials = read(paths, progress=progress, **how)
    return Asked(trials, choice, settings, form)
