"""Means of agents with intervals, chosen so that no interval has a width of zero for want of spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.means import column_means, count_units
from measurand.analyze.records import Estimate, FamilyErrors, GateRate
from measurand.infer.means.clusters import clustered_standard_error
from measurand.infer.means.coverage import CLAIMED_FROM
from measurand.infer.means.intervals import cluster_bootstrap, wilson

if TYPE_CHECKING:
    from measurand.analyze.cells import Codes, Floats, Grid
    from measurand.analyze.settings import Settings

__all__ = ["all_zero_or_one", "estimates", "family_errors", "few_units", "gate_rates"]


def estimates(table: Floats, families: Codes | None, settings: Settings, *, share: bool) -> list[Estimate]:
    """Interval for the mean of each column of ``table`` (tasks × agents; ``share``: cells between 0 and 1).

    Wilson where each cell is one pass or fail and tasks stand alone; else a percentile bootstrap over tasks, or over
    families of tasks. A column without spread has no bootstrap interval: shares fall back on Wilson over the
    resampled units, other scores say why there is none. Source: SPEC 1.
    """
    level = 1 - settings.level
    if share and families is None and all_zero_or_one(table):
        return [_wilson(column, int((~np.isnan(column)).sum()), level, "tasks") for column in table.T]
    result = cluster_bootstrap(
        table, families=families, level=level, resamples=settings.resamples, rng=settings.seed
    )
    unit = "tasks" if families is None else "families"
    few = few_units(count_units(families, len(table)), unit)
    found = []
    for place, column in enumerate(table.T):
        units = _units(column, families)
        one = result.interval(place)
        if one.low is None:
            found.append(_without_spread(column, units, level, unit, share=share))
            continue
        found.append(
            Estimate(
                value=one.estimate,
                low=one.low,
                high=one.high,
                level=level,
                method=f"percentile bootstrap over {unit}, {settings.resamples} resamples, seed {settings.seed}{few}",
                n=units,
            )
        )
    return found


def few_units(units: int, unit: str) -> str:
    """Words behind a bootstrap that has fewer units than it claims its level from; empty where it has enough."""
    least = CLAIMED_FROM["percentile"]
    return "" if units >= least else f", optimistic: claims its level from {least} {unit} on"


def _without_spread(column: Floats, units: int, level: float, unit: str, *, share: bool) -> Estimate:
    mean = float(column_means(column[:, None])[0])
    if np.isnan(mean):
        return Estimate(value=None, level=level, n=0, reason="no cell")
    if share:
        return _wilson(np.full(units, mean), units, level, unit)
    return Estimate(
        value=mean,
        level=level,
        n=units,
        reason="every task has the same score: a bootstrap has no width to give",
    )


def _wilson(column: Floats, units: int, level: float, unit: str) -> Estimate:
    if units == 0:
        return Estimate(value=None, level=level, n=0, reason="no cell")
    found = wilson(float(np.nansum(column)), units, level=level)
    return Estimate(
        value=found.estimate,
        low=found.low,
        high=found.high,
        level=level,
        method=f"Wilson over {unit}",
        n=units,
    )


def all_zero_or_one(table: Floats) -> bool:
    """Whether each cell is one pass or one fail."""
    present = table[~np.isnan(table)]
    return bool(((present == 0) | (present == 1)).all())


def _units(column: Floats, families: Codes | None) -> int:
    present = ~np.isnan(column)
    return count_units(None if families is None else families[present], int(present.sum()))


def family_errors(
    column: Floats, families: Codes | None, settings: Settings, *, share: bool
) -> FamilyErrors | None:
    """Standard errors of one agent's mean, naive and clustered; ``None`` without families. Source: SPEC 20.

    The interval of a share is cut at 0 and 1.
    """
    if families is None:
        return None
    found = clustered_standard_error(column, families, level=1 - settings.level)
    return FamilyErrors(
        mean_tasks=found.mean_tasks,
        mean_families=found.mean_families,
        naive=found.naive,
        clustered=found.clustered,
        corrected=found.corrected,
        low=max(found.low, 0.0) if share and found.low is not None else found.low,
        high=min(found.high, 1.0) if share and found.high is not None else found.high,
        level=found.level,
        families=found.clusters,
        reason=found.reason,
    )


def gate_rates(grid: Grid, settings: Settings) -> list[GateRate]:
    """Gate rate of each agent in its three forms, with denominators (SPEC 20, first row)."""
    cells = grid.cells("gate")
    planned = estimates(cells.planned, grid.families, settings, share=True)
    evaluated, upper = column_means(cells.evaluated), column_means(grid.upper("gate"))
    passes, counted, intended = grid.total("gate"), grid.evaluated("gate"), grid.planned
    return [
        GateRate(
            planned=planned[i],
            evaluated=None if np.isnan(evaluated[i]) else float(evaluated[i]),
            low=planned[i].value,
            high=None if np.isnan(upper[i]) else float(upper[i]),
            passes=int(passes[:, i].sum()),
            trials_evaluated=int(counted[:, i].sum()),
            trials_planned=int(intended[:, i].sum()),
        )
        for i in range(len(grid.agents))
    ]
