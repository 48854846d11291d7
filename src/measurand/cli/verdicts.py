"""``measurand verdicts``: what a second verdict rejects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from measurand.cli import analysis, options

if TYPE_CHECKING:
    from measurand.analyze.verifiers.records import SecondVerdicts

_FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False)
_OF_COUNTS: Final = frozenset(
    {"counts", "tasks_total", "second", "mapping", "suite", "level", "resamples", "seed"}
    | {"as_json", "as_markdown", "html", "quiet", "verbose"}
)
"""Options that counts have a use for."""
_OF_TRIALS: Final = frozenset({"tasks_total"})


@click.command()
@click.option("--second", metavar="NAME", help="The second verdict; needed only where there are several.")
@click.option(
    "--first",
    metavar="NAME",
    default="gate",
    show_default=True,
    help="The first verdict: gate, official, or the name of another.",
)
@click.option(
    "--second-verdicts",
    "file",
    type=_FILE,
    help="Table with the second verdicts: agent, task, trial where a task has several, passed.",
)
@click.option(
    "--failed-too",
    is_flag=True,
    help="The second verdict judged failed trials as fully as passes: correct wrong rejects as well.",
)
@click.option(
    "--counts",
    type=_FILE,
    help="Instead of RESULTS: table of counts: agent, first, second; tasks and checked where known.",
)
@click.option(
    "--tasks-total",
    type=click.IntRange(min=1),
    metavar="N",
    help="Tasks behind the counts, where no column says so.",
)
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@options.agents
@options.selecting
@options.top
@options.judging
@options.reading
@analysis.forms
@options.talking
def verdicts(**values: Any) -> None:
    """Say how many of the passes a second verdict rejects, and what that does to the order.

    The second verdict stands beside the first: in a column verdict:NAME of RESULTS, in any column with --map verdict:NAME=COLUMN (or
    "verdict:NAME=not COLUMN" for a flag of what is wrong), or in a table of its own. Where only numbers of passes are published,
    --counts FILE takes the place of RESULTS.
    """
    from measurand.report.verifiers.verdicts import verdicts_document

    if values["counts"] is not None:
        found, form = _of_counts(values)
    else:
        found, form = _of_trials(values)
    form.show(found, "verdicts", verdicts_document)


def _of_counts(values: dict[str, Any]) -> tuple[SecondVerdicts, analysis.Form]:
    from measurand.analyze.verifiers.counted import counted_verdicts
    from measurand.load import read_verdict_counts

    if values["results"]:
        raise click.UsageError("--counts takes the place of RESULTS: give one of them")
    _refuse(_OF_COUNTS, "--counts has no use for", only=True)
    form = analysis.asked_form(values)
    counts = read_verdict_counts(
        values["counts"], mapping=dict(values["mapping"]), tasks=values["tasks_total"]
    )
    suite, second = values["suite"], values["second"]
    found = counted_verdicts(
        counts, options.settings(values), suite=suite, second=second, command=options.command_line()
    )
    return found, form


def _of_trials(values: dict[str, Any]) -> tuple[SecondVerdicts, analysis.Form]:
    from measurand.analyze.verifiers.verdicts import second_verdicts
    from measurand.load import add_verdicts

    if not values["results"]:
        raise click.UsageError("Missing argument 'RESULTS...', or --counts FILE")
    _refuse(_OF_TRIALS, "only --counts has a use for", only=False)
    second, first, failures, file = (values.pop(name) for name in ("second", "first", "failed_too", "file"))
    asked = analysis.ask(values)
    trials = asked.trials
    if file is not None:
        second = second or "second"
        trials = add_verdicts(trials, second, file)
    found = second_verdicts(
        trials,
        second,
        asked.choice,
        asked.settings,
        first=first,
        failures=failures,
        command=options.command_line(),
    )
    return found, asked.form


def _refuse(names: frozenset[str], what: str, *, only: bool) -> None:
    """Refuse options that would be ignored: all that were given but ``names``, or ``names`` alone."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and (name not in names if only else name in names):
            raise click.UsageError(f"{what} {parameter.opts[0]}", context)
