"""Intervals of the agents' means by every method side by side, and of differences from one agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from measurand.analyze.estimates import all_zero_or_one, estimates
from measurand.analyze.findings import findings
from measurand.analyze.interval_records import (
    DifferenceRow,
    IntervalRow,
    Intervals,
    IntervalsPart,
    MethodInterval,
)
from measurand.analyze.means import count_units, head, ranking_means, unit_name
from measurand.analyze.naming import agent_place
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.records import Estimate, MethodNote
from measurand.analyze.settings import Choice, Settings
from measurand.infer.means.clusters import clustered_standard_error
from measurand.infer.means.coverage import CLAIMED_FROM, LEAST_DIFFERENT
from measurand.infer.means.intervals import cluster_bootstrap, wilson
from measurand.score.names import SHARES
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.cells import Codes, Floats
    from measurand.infer.means.shares import Interval
    from measurand.model.table import Trials

__all__ = ["Intervals", "IntervalsPart", "intervals", "intervals_of"]


def intervals(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    against: str | None = None,
    command: str | None = None,
) -> Intervals:
    """Give each agent's mean its interval by every method, side by side.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged; its ``level`` is the error, intervals are at 1 minus it.
        against: an agent, or a pattern that fits one, from which the others' paired differences are given too.
        command: the command that reproduces this.

    Returns:
        Wilson's interval (where every cell is one pass or fail), the percentile and the BCa bootstrap and the clustered
        t-interval; each with its n, and a caution where it does not claim its level. A method that does not apply has no
        interval and says why.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite, agent or score that is not there.

    Source: SPEC 1, 15 and 20.
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    part = intervals_of(prepared, settings, against=against)
    return Intervals(
        **{name: getattr(part, name) for name in part.__struct_fields__},
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        findings=findings(trials, prepared.selection, prepared.scored, prepared.grid, settings),
        methods=_methods(part),
        command=command,
    )


def intervals_of(prepared: Prepared, settings: Settings, *, against: str | None = None) -> IntervalsPart:
    """Give the intervals of a prepared selection under its ranking score."""
    grid, score = prepared.grid, prepared.scores[0]
    table, share = grid.cells(score).planned, score in SHARES
    order = list(head(ranking_means(table), grid.agents, None))
    standing = estimates(table, grid.families, settings, share=share)
    methods = _all_methods(table, grid.families, settings, share=share)
    return IntervalsPart(
        score=score,
        level=1 - settings.level,
        n_tasks=len(grid.tasks),
        n_units=count_units(grid.families, len(grid.tasks)),
        unit=unit_name(grid.families),
        resamples=settings.resamples,
        seed=settings.seed,
        agents=tuple(
            IntervalRow(
                agent=grid.agents[i],
                mean=standing[i].value,
                n_tasks=int((~np.isnan(table[:, i])).sum()),
                methods=(_wilson(table[:, i], grid.families, standing[i], share=share), *methods[i]),
            )
            for i in order
        ),
        why=_why(table, grid.families, share=share),
        differences=() if against is None else _differences(prepared, table, order, against, settings),
    )


def _all_methods(
    table: Floats, families: Codes | None, settings: Settings, *, share: bool
) -> list[tuple[MethodInterval, ...]]:
    """Bootstraps and t-interval of each column; the standings show the percentile bootstrap where there is one."""
    level = 1 - settings.level
    tail = f", {settings.resamples} resamples, seed {settings.seed}"
    found = [
        cluster_bootstrap(
            table,
            families=families,
            level=level,
            resamples=settings.resamples,
            method=name,
            rng=settings.seed,
        )
        for name in ("percentile", "bca")
    ]
    shown = not (share and families is None and all_zero_or_one(table))
    rows: list[tuple[MethodInterval, ...]] = []
    for column in range(table.shape[1]):
        one, other = (result.interval(column) for result in found)
        rows.append(
            (
                _record("percentile", one, one.method + tail, standing=shown and one.low is not None),
                _record("bca", other, other.method + tail),
                _t_interval(table[:, column], families, level, share=share),
            )
        )
    return rows


def _record(name: str, found: Interval, method: str, *, standing: bool = False) -> MethodInterval:
    return MethodInterval(
        name=name,
        interval=Estimate(
            value=found.estimate,
            low=found.low,
            high=found.high,
            level=found.level,
            method=method,
            n=found.n,
            reason=found.reason,
        ),
        caution=found.caution,
        standing=standing,
    )


def _t_interval(column: Floats, families: Codes | None, level: float, *, share: bool) -> MethodInterval:
    """Clustered where tasks come in families; a share's is cut at 0 and 1."""
    units = np.arange(len(column)) if families is None else families
    found = clustered_standard_error(column, units, level=level)
    low, high = found.low, found.high
    if share and low is not None and high is not None:
        low, high = max(low, 0.0), min(high, 1.0)
    by_family = "" if families is None else ", standard error clustered by family"
    alone = "a single task has no spread" if found.n == 1 else found.reason
    return MethodInterval(
        name="t",
        interval=Estimate(
            value=found.mean_tasks,
            low=low,
            high=high,
            level=level,
            method=f"t-interval with {plural(found.degrees, 'degree')} of freedom{by_family}",
            n=found.clusters,
            reason=alone,
        ),
        caution=found.caution,
    )


def _wilson(column: Floats, families: Codes | None, standing: Estimate, *, share: bool) -> MethodInterval:
    """Wilson's where it applies, or where the standings fall back on it for want of spread."""
    shown = (standing.method or "").startswith("Wilson")
    if shown:
        return MethodInterval(name="wilson", interval=standing, caution=None, standing=True)
    present = column[~np.isnan(column)]
    level = standing.level or 0.95
    if families is None and share and len(present) and all_zero_or_one(present):
        found = wilson(float(present.sum()), len(present), level=level)
        return _record("wilson", found, "Wilson over tasks")
    reason = (
        "tasks come in families, which Wilson would take as independent"
        if share and families is not None
        else "the cells are not each one pass or fail"
    )
    empty = Estimate(value=standing.value, level=level, n=standing.n, reason=reason)
    return MethodInterval(name="wilson", interval=empty, caution=None)


def _why(table: Floats, families: Codes | None, *, share: bool) -> str:
    if share and families is None and all_zero_or_one(table):
        return (
            "The standings show Wilson's interval: every cell is one pass or fail and tasks stand alone, and its "
            "coverage is near the level on average however few the tasks."
        )
    cause = (
        "tasks come in families, which are resampled whole"
        if families is not None
        else "cells are means of several trials, or graded"
    )
    return f"The standings show the percentile bootstrap: {cause}. " + (
        "An agent whose units all have one mean has none; a share falls back on Wilson over the units."
        if share
        else "An agent whose units all have one mean has no interval."
    )


def _differences(
    prepared: Prepared, table: Floats, order: list[int], against: str, settings: Settings
) -> tuple[DifferenceRow, ...]:
    agents = prepared.grid.agents
    base = agent_place(against, agents)
    others = [i for i in order if i != base]
    if not others:
        return ()
    apart = table[:, others] - table[:, [base]]
    methods = _all_methods(apart, prepared.grid.families, settings, share=False)
    return tuple(
        DifferenceRow(
            agent=agents[i],
            against=agents[base],
            difference=methods[place][0].interval.value,
            n_tasks=int((~np.isnan(apart[:, place])).sum()),
            methods=tuple(msgspec.structs.replace(one, standing=False) for one in methods[place]),
        )
        for place, i in enumerate(others)
    )


def _methods(part: IntervalsPart) -> tuple[MethodNote, ...]:
    unit = "tasks" if part.unit == "task" else "families of tasks"
    notes = {
        "Wilson": f"Score interval of a share over n tasks, {part.level:.0%}.",
        "Percentile and BCa": f"Bootstrap over {unit} with all their trials, {part.resamples} resamples, seed {part.seed}, the "
        f"same for both; {part.level:.0%}. BCa shifts the quantiles for bias (ties at the mean count half) and for "
        "skewness (jackknife over the same units).",
        "t": "Mean plus and minus Student's t times the standard error"
        + (", clustered by family, with families - 1" if part.unit == "family" else " over tasks, with n - 1")
        + " degrees of freedom; a share's ends are cut at 0 and 1.",
        "Coverage": f"In seeded simulations the bootstraps cover within two points of their level from {CLAIMED_FROM['percentile']} "
        f"{unit} on of which at least {LEAST_DIFFERENT['percentile']} differ from the commonest value, and the t-interval from "
        f"{CLAIMED_FROM['t']} on with {LEAST_DIFFERENT['t']}. Below that they say so.",
    }
    if part.differences:
        notes["Differences"] = (
            "Paired, task by task, each for one pair named beforehand and not adjusted for looking at several. The tiers "
            "and `measurand compare` rest on the sign-flip test; where they disagree with an interval here, go by the test."
        )
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes.items())
