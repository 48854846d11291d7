"""``measurand reprice``: a second bill by one dated price table."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from measurand.cli import analysis, options, output

if TYPE_CHECKING:
    from measurand.model.table import Trials


@click.command()
@click.option(
    "--prices",
    required=True,
    metavar="FILE|genai",
    help="Price table: a JSON file, or genai for the package genai-prices.",
)
@click.option(
    "--at",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Day whose prices count for all trials, such as 2026-06-01; by default the start of each trial.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the trials with both bills into a new store there.",
)
@analysis.results
@options.reading
@analysis.forms
@options.talking
def reprice(**values: Any) -> None:
    """Set what the trials of RESULTS report to have cost beside their cost by one dated price table.

    Both bills of each agent, their difference, and which models have no price. A price that is not known is unknown, never 0.
    """
    from measurand.analyze.cost.bills import two_bills
    from measurand.load import read
    from measurand.report.cost.bills import bills_document
    from measurand.score.prices import price_table

    form = analysis.asked_form(values)
    paths, store, at, suite = (values.pop(name) for name in ("results", "store", "at", "suite"))
    at = None if at is None else at.replace(tzinfo=dt.UTC)
    if store is not None:
        _refuse_stores([*paths, store])
    table = price_table(values["prices"])
    how = options.read_options(values | {"suite": suite})
    with output.progress(quiet=form.quiet, verbose=values["verbose"]) as progress:
        trials = _of_suite(read(paths, progress=progress, **how), suite)
    form.show(two_bills(trials, table, at=at, command=options.command_line()), "reprice", bills_document)
    if store is not None:
        from measurand.score.reprice import reprice as priced
        from measurand.store import Store

        Store.open(store, create=True).append(priced(trials, table, at=at), trials.reports[0])
        output.note(f"store: {store}", quiet=form.quiet)


def _refuse_stores(paths: list[Path]) -> None:
    """A trial with a second bill would disagree with the same trial without one."""
    from measurand.store import is_store

    found = [str(path) for path in paths if is_store(path)]
    if found:
        raise click.UsageError(
            f"--store writes results into a new store, and this is one already: {', '.join(found)}"
        )


def _of_suite(trials: Trials, suite: str | None) -> Trials:
    """Only the trials of a suite, where one is asked for."""
    from measurand.errors import UsageError

    if suite is None:
        return trials
    frame = trials.frame
    rows = frame.filter(frame["suite"] == suite)
    if rows.is_empty() and not frame.is_empty():
        names = ", ".join(sorted(set(frame["suite"])))
        raise UsageError(f"there is no suite {suite!r}", hint=f"suites: {names}")
    return trials.with_frame(rows)
