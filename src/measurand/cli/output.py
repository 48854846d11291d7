"""What goes where: data on standard output, notes and progress on standard error."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    import rich.progress

    from measurand.load import Progress
    from measurand.report import Document

__all__ = ["note", "print_data", "print_document", "progress"]

_PATIENCE: Final = 0.4
"""Seconds of work before a progress bar appears."""
_WIDEST: Final = 160


def print_document(document: Document) -> None:
    """Print a document, in colour on a terminal that wants it."""
    from measurand.report import render_text

    if not sys.stdout.isatty():
        print_data(render_text(document))
        return
    from rich.console import Console

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    print_data(render_text(document, console=Console(width=width)))


def print_data(text: str) -> None:
    """Print data as they are. A reader that has gone away (``| head``) is no error, and ends nothing else."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(text: str, *, quiet: bool = False) -> None:
    """Say something about the work on standard error."""
    if not quiet:
        click.echo(text, err=True)


@contextmanager
def progress(*, quiet: bool, verbose: bool) -> Iterator[Progress]:
    """Show on standard error what is going on: every step when ``verbose``; else a bar, on a terminal, if it takes long."""
    if verbose:
        yield _tell
        return
    if quiet or not sys.stderr.isatty():
        yield _ignore
        return
    bar = _Bar()
    try:
        yield bar.update
    finally:
        bar.close()


def _tell(what: str, share: float | None) -> None:
    """Say each step in a line."""
    click.echo(f"{what} ({share:.0%})" if share is not None else what, err=True)


def _ignore(_what: str, _share: float | None) -> None:
    """Tell nobody."""


class _Bar:
    """A progress bar that is made only when it is needed, and leaves no trace."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._shown: rich.progress.Progress | None = None

    def update(self, what: str, share: float | None) -> None:
        if time.monotonic() - self._begun < _PATIENCE and self._shown is None:
            return
        shown = self._shown or self._start(what)
        shown.update(shown.task_ids[0], description=what, completed=share)

    def _start(self, what: str) -> rich.progress.Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self._shown.start()
        self._shown.add_task(what, total=1.0)
        return self._shown

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.stop()
