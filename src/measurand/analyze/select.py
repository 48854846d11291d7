"""Chooses the rows of one suite and says what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec
import polars as pl

from measurand.analyze.comparability import common_tasks, differences, refuse_mixed, tell_apart
from measurand.analyze.records import Finding
from measurand.errors import InputError, UsageError
from measurand.model.imports import Declaration
from measurand.model.table import Trials
from measurand.wording import listed, meant, plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from measurand.analyze.settings import Choice

__all__ = ["Selection", "select", "unknown_name"]


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Rows of one suite that will be judged together."""

    suite: str
    version: str | None
    frame: pl.DataFrame
    tasks: tuple[str, ...]
    """All tasks in the denominator, sorted; with ``absent_is_fail`` also those that no chosen agent has."""
    declared: Declaration
    comparable: bool
    findings: tuple[Finding, ...]
    fits: Mapping[str, tuple[str, ...]]
    """Name or pattern asked for -> the agents that it fits, as they are shown."""


def select(trials: Trials, choice: Choice) -> Selection:
    """Choose rows.

    Raises:
        InputError: there are no trials.
        UsageError: the suite is not named though there are several, or nothing matches a name.
        ComparabilityError: fingerprints differ and nobody said what to do.
    """
    if not isinstance(trials, Trials):
        raise UsageError(
            f"these are no Trials: {type(trials).__name__}", hint="pass what measurand.read gives"
        )
    if trials.frame.is_empty():
        read = ", ".join(path for report in trials.reports for path in report.paths)
        raise InputError("there are no trials", where=read, hint="a report needs at least one recorded trial")
    suite, frame = _one_suite(trials.frame, choice.suite)
    everyone = set(frame["agent"])
    frame, tasks_fit = _matching(frame, "task", choice.tasks, _plain_names(frame, frame, "task"))
    idle = sorted(everyone.difference(frame["agent"]))
    told = tell_apart(frame, "agent")
    frame, agents_fit = _matching(told, "agent", choice.agents, _plain_names(told, frame, "agent"))
    declared = _declared(trials.declarations, suite, set(frame["suite_version"]))
    universe = told["task"].unique().to_list()
    findings = [*_not_found(tasks_fit, "task"), *_not_found(agents_fit, "agent")]
    if idle and not choice.agents:
        findings.append(_idle(idle))
    if choice.common_tasks:
        before = frame["task"].n_unique()
        frame = common_tasks(frame)
        findings.append(_restricted(before, frame["task"].n_unique()))
    mixed = differences(frame)
    if not choice.allow_mixed and not choice.common_tasks:
        refuse_mixed(mixed)
    if mixed:
        findings.append(_mixed(mixed, only_common=choice.common_tasks))
    declared = _as_far_as_it_goes(declared, frame, choice)
    frame = tell_apart(frame, "task")
    tasks = universe if declared.absent_is_fail else frame["task"].unique().to_list()
    versions = frame["suite_version"].unique().to_list()
    return Selection(
        suite=suite,
        version=versions[0] if len(versions) == 1 else None,
        frame=frame,
        tasks=tuple(sorted(tasks)),
        declared=declared,
        comparable=not mixed or choice.common_tasks,
        findings=tuple(findings),
        fits=agents_fit,
    )


def _one_suite(frame: pl.DataFrame, chosen: str | None) -> tuple[str, pl.DataFrame]:
    suites = frame["suite"].unique().sort().to_list()
    if chosen is None and len(suites) > 1:
        raise UsageError(
            f"there are {len(suites)} suites", hint=f"choose one with --suite: {', '.join(suites)}"
        )
    suite = suites[0] if chosen is None else chosen
    if suite not in suites:
        raise UsageError(f"there is no suite {suite!r}", hint=f"suites: {', '.join(suites)}")
    return suite, frame.filter(pl.col("suite") == suite)


def _declared(
    declarations: Sequence[Declaration], suite: str, versions: Collection[str | None]
) -> Declaration:
    """What the imports declare about these versions of the suite, taken together: the largest plan wins."""
    mine = [d for d in declarations if d.suite == suite and d.suite_version in {None, *versions}]
    return Declaration(
        suite=suite,
        tasks=max((d.tasks for d in mine if d.tasks is not None), default=None),
        trials=max((d.trials for d in mine if d.trials is not None), default=None),
        absent_is_fail=any(d.absent_is_fail for d in mine),
    )


def _as_far_as_it_goes(declared: Declaration, frame: pl.DataFrame, choice: Choice) -> Declaration:
    """Drop what is declared of the whole suite where only some tasks count, or absence may mean another version."""
    versions = frame.group_by("task").agg(pl.col("task_digest").n_unique())["task_digest"]
    if choice.common_tasks or frame["suite_version"].n_unique() > 1 or (versions > 1).any():
        return msgspec.structs.replace(declared, tasks=None, absent_is_fail=False)
    return msgspec.structs.replace(declared, tasks=None) if choice.tasks else declared


def _plain_names(shown: pl.DataFrame, plain: pl.DataFrame, column: str) -> dict[str, str]:
    """Name as shown -> name in the data; they differ where versions or configurations are told apart."""
    both = pl.DataFrame({"shown": shown[column], "plain": plain[column]}).unique().sort("shown", "plain")
    return dict(both.iter_rows())


def unknown_name(column: str, name: str, names: Iterable[str]) -> UsageError:
    """Build the error for a name that fits nothing, with the nearest one there is."""
    names = list(names)
    return UsageError(
        f"no {column} is called {name!r}{meant(name, names)}", hint=f"{column}s: {listed(names, 20)}"
    )


def _matching(
    frame: pl.DataFrame, column: str, patterns: Sequence[str], names: Mapping[str, str]
) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Rows whose name is one of ``patterns`` or fits one, and the names that each pattern fits."""
    if not patterns:
        return frame, {}
    fits = {pattern: _fitting(pattern, names) for pattern in patterns}
    chosen = {name for found in fits.values() for name in found}
    if not chosen:
        raise unknown_name(column, patterns[0], names)
    return frame.filter(pl.col(column).is_in(list(chosen))), fits


def _fitting(pattern: str, names: Mapping[str, str]) -> tuple[str, ...]:
    named = tuple(shown for shown, plain in names.items() if pattern in {shown, plain})
    return named or tuple(
        shown for shown, plain in names.items() if fnmatchcase(shown, pattern) or fnmatchcase(plain, pattern)
    )


def _not_found(fits: Mapping[str, tuple[str, ...]], what: str) -> list[Finding]:
    names = tuple(name for name, found in fits.items() if not found)
    if not names:
        return []
    text = f"{plural(len(names), f'{what} asked for has', f'{what}s asked for have')} no trials: left out."
    return [Finding(severity="warning", subject="selection", text=text, examples=names)]


def _idle(agents: list[str]) -> Finding:
    return Finding(
        severity="warning",
        subject="selection",
        text=f"{plural(len(agents), 'agent has', 'agents have')} no trial of the tasks asked for: left out.",
        examples=tuple(agents),
    )


def _restricted(before: int, after: int) -> Finding:
    return Finding(
        severity="info" if before == after else "warning",
        subject="selection",
        text=f"Compared on {after} of {before} tasks: those that every agent has, equal in id and digest.",
    )


def _mixed(mixed: tuple[str, ...], *, only_common: bool) -> Finding:
    text = (
        "The rows differ in their fingerprints; only tasks equal in id and digest are compared."
        if only_common
        else "Not comparable: rows of differing fingerprints are ranked together at the user's wish."
    )
    return Finding(
        severity="warning" if only_common else "problem", subject="comparability", text=text, examples=mixed
    )
