"""Options that several commands share, and what they become for the library."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

import click

from measurand.errors import UsageError
from measurand.model.imports import ConflictPolicy
from measurand.score.names import SCORES

if TYPE_CHECKING:
    from measurand.analyze.settings import Choice, Settings
    from measurand.sources.base import ReadOptions

__all__ = [
    "agents",
    "command_line",
    "decorated",
    "json_output",
    "judging",
    "null",
    "quiet",
    "read_options",
    "reading",
    "selecting",
    "settings",
    "talking",
    "to_choice",
    "top",
    "top_of_metered",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FILE: Final = click.Path(path_type=Path, exists=True, dir_okay=False)


class _Pairs(click.ParamType[tuple[str, str]]):
    """``KEY=VALUE``, given any number of times."""

    name = "KEY=VALUE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        key, sign, rest = str(value).partition("=")
        if not sign or not key.strip():
            self.fail(f"{value!r} is not of the form {self.name}", param, ctx)
        return key.strip(), rest.strip()


def _pairs(metavar: str) -> _Pairs:
    kind = _Pairs()
    kind.name = metavar
    return kind


def reading(command: _Command) -> _Command:
    """Add the options that say how foreign data are read."""
    return decorated(
        command,
        click.option(
            "--from",
            "source",
            metavar="SOURCE",
            help="Source that reads the data; by default it is recognised.",
        ),
        click.option(
            "--suite",
            metavar="NAME",
            help="Suite: the one to look at, and its name where the data give none.",
        ),
        click.option(
            "--map",
            "mapping",
            type=_pairs("FIELD=COLUMN"),
            multiple=True,
            help="Column of a field; A+B joins two text columns; an empty COLUMN leaves the field out. Repeatable.",
        ),
        click.option(
            "--set",
            "constants",
            type=_pairs("FIELD=VALUE"),
            multiple=True,
            help="Value of a field in every row, where the data do not say. Repeatable.",
        ),
        click.option(
            "--outcome",
            "outcomes",
            type=_pairs("WORD=OUTCOME"),
            multiple=True,
            help="What a word of the data's outcome column means. Repeatable.",
        ),
        click.option(
            "--anchors", type=_FILE, help="Table of anchors: task, baseline, reference, better, kind, unit."
        ),
        click.option(
            "--task-list", type=_FILE, help="Text file with the ids of all tasks of the suite, one a line."
        ),
        click.option(
            "--on-conflict",
            type=click.Choice(get_args(ConflictPolicy)),
            help="Records of one trial that disagree: refuse (default), keep without a verdict, or leave out.",
        ),
    )


def selecting(command: _Command) -> _Command:
    """Add the options that choose rows."""
    return decorated(
        command,
        click.option("--tasks", "tasks", metavar="NAMES", multiple=True, help="Tasks, as for --agents."),
        click.option(
            "--common-tasks", is_flag=True, help="Only tasks that every agent has, equal in id and digest."
        ),
        click.option(
            "--allow-mixed",
            is_flag=True,
            help="Rank rows of differing fingerprints; marked as not comparable.",
        ),
    )


def judging(command: _Command) -> _Command:
    """Add the options that say how agents are judged."""
    return decorated(
        command,
        click.option(
            "--score",
            type=click.Choice(list(SCORES)),
            help="Score to rank by; by default the objective where every task has anchors, else the gate rate.",
        ),
        click.option(
            "--level", default=0.05, show_default=True, help="Error level; intervals are at 1 minus it."
        ),
        click.option("--resamples", default=10_000, show_default=True, help="Resamples to begin with."),
        click.option("--seed", default=0, show_default=True, help="Seed of all resampling."),
        click.option(
            "--no-families", is_flag=True, help="Resample tasks even where the data name families of tasks."
        ),
        click.option(
            "--key-at", type=float, metavar="X", help="The answer key is reached at X times the reference."
        ),
        click.option("--clip", default=3.0, show_default=True, help="Upper clip of the objective."),
    )


agents = click.option(
    "--agents",
    metavar="NAMES",
    multiple=True,
    help="Agents: names or patterns, separated by commas, or @FILE with one a line. Repeatable. Default: all.",
)


class _Top(click.ParamType[int | None]):
    """A number of agents, or ``all``."""

    name = "N|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if value is None or isinstance(value, int):
            return value
        if value == "all":
            return None
        return click.IntRange(min=2).convert(value, param, ctx)


top = click.option(
    "--top",
    type=_Top(),
    metavar="N|all",
    default=10,
    show_default=True,
    help="Agents at the head of the standings that are tested.",
)
top_of_metered = click.option(
    "--top",
    type=_Top(),
    metavar="N|all",
    default="all",
    show_default=True,
    help="Agents that are tested: those with the highest score among the ones whose cost is known.",
)
null = click.option(
    "--null",
    type=click.Choice(["signs", "labels", "bootstrap"]),
    default="signs",
    show_default=True,
    help="Null distribution: one sign a task; agent labels within tasks; tasks drawn anew.",
)
json_output = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON (a versioned envelope) instead of text."
)
quiet = click.option("-q", "--quiet", is_flag=True, help="Say less: no notes, no progress.")


def talking(command: _Command) -> _Command:
    """Add the options that say how much is said, and in which form."""
    verbose = click.option("-v", "--verbose", is_flag=True, help="Say each step on standard error.")
    return decorated(command, json_output, quiet, verbose)


def decorated(command: _Command, *options: Callable[[_Command], _Command]) -> _Command:
    """Add several options, in the order in which help shows them."""
    for option in reversed(options):
        command = option(command)
    return command


def read_options(values: dict[str, Any]) -> dict[str, Any]:
    """Take the reading options out of ``values``, as arguments of :func:`measurand.load.read`."""
    from measurand.sources.base import ReadOptions

    options: ReadOptions = ReadOptions(
        suite=values["suite"],
        mapping=dict(values.pop("mapping")),
        constants=dict(values.pop("constants")),
        outcomes=dict(values.pop("outcomes")),
        anchors=values.pop("anchors"),
        tasks=values.pop("task_list"),
    )
    return {"source": values.pop("source"), "options": options, "on_conflict": values.pop("on_conflict")}


def to_choice(values: dict[str, Any]) -> Choice:
    """Take the choice of rows out of ``values``."""
    from measurand.analyze.settings import Choice

    return Choice(
        suite=values.pop("suite"),
        agents=_names(values.pop("agents", ())),
        tasks=_names(values.pop("tasks")),
        common_tasks=values.pop("common_tasks"),
        allow_mixed=values.pop("allow_mixed"),
    )


def settings(values: dict[str, Any]) -> Settings:
    """Take the settings out of ``values``."""
    from measurand.analyze.settings import Settings
    from measurand.score.trials import Scoring

    return Settings(
        score=values.pop("score"),
        top=values.pop("top", None),
        null=values.pop("null", "signs"),
        level=values.pop("level"),
        resamples=values.pop("resamples"),
        seed=values.pop("seed"),
        families=not values.pop("no_families"),
        scoring=Scoring(clip=values.pop("clip"), key_at=values.pop("key_at")),
    )


def _names(given: Iterable[str]) -> tuple[str, ...]:
    """Expand ``a,b`` and ``@FILE`` (one name a line) into names or patterns."""
    given, names = tuple(given), list[str]()
    for item in given:
        if item.startswith("@"):
            names += _listed(Path(item[1:]))
        else:
            names += [part.strip() for part in item.split(",") if part.strip()]
    if not names and tuple(given):
        raise UsageError(
            "the list names nothing", where=", ".join(given), hint="leave the option out to take all"
        )
    return tuple(dict.fromkeys(names))


def _listed(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the list of names cannot be read: {error}", where=str(path)) from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def command_line() -> str:
    """Give the command that is running, to reproduce its result."""
    typed: Sequence[str] = click.get_current_context().find_root().obj
    return shlex.join(["measurand", *typed])
