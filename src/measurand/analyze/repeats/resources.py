"""How evenly agents spend on repeated trials of a task, and how evenly they reach their quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from measurand.analyze.repeats.records import MeterVariation
from measurand.infer.repeats.consistency import coefficients_of_variation, resource_consistency
from measurand.model.outcomes import COUNTS_AS, CountsAs

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats, Grid

__all__ = ["Spending", "quantity_consistency", "spending"]

_NO_VERDICT: Final = [o.value for o, counts in COUNTS_AS.items() if counts is CountsAs.NO_VERDICT]


class Spending(NamedTuple):
    """Evenness of what agents spend."""

    consistency: Floats
    """(n_tasks, n_agents) exp(-mean coefficient of variation); NaN where no meter is known twice."""
    meters: tuple[tuple[MeterVariation, ...], ...]
    """Of each agent, meter by meter."""


def spending(scored: pl.DataFrame, grid: Grid) -> Spending:
    """Evenness of cost, time and steps over the trials of each cell that were not lost to the harness.

    A meter that is the same in all trials of an agent does not count: it was recorded for the agent, not for the trial,
    or measures nothing.
    """
    rows = scored.filter(pl.col("outcome").is_in(_NO_VERDICT).not_())
    names = ("cost_usd", _time_meter(scored), "steps")
    tables, records = [], []
    for name in names:
        variation, reasons = _variation(rows, grid, name)
        tables.append(variation)
        records.append([_record(name, variation[:, i], reasons[i]) for i in range(len(grid.agents))])
    stacked = np.stack(tables, axis=2)
    consistency = resource_consistency(stacked.reshape(-1, len(names))).reshape(stacked.shape[:2])
    return Spending(consistency, tuple(zip(*records, strict=True)))


def _time_meter(scored: pl.DataFrame) -> str:
    """The time known for the most trials; working time where both are known alike, for waiting is not the agent's."""
    return min(("working_s", "wall_s"), key=lambda name: scored[name].null_count())


def _variation(rows: pl.DataFrame, grid: Grid, name: str) -> tuple[Floats, list[str | None]]:
    """Coefficients of variation of one meter, tasks × agents, and why it does not count for an agent."""
    known = rows.filter(pl.col(name).is_not_null())
    found = _by_cell(known, grid, name)
    facts = known.group_by("agent").agg(pl.len().alias("known"), pl.col(name).n_unique().alias("distinct"))
    by_agent = {agent: (count, distinct) for agent, count, distinct in facts.iter_rows()}
    reasons: list[str | None] = []
    for i, agent in enumerate(grid.agents):
        count, distinct = by_agent.get(agent, (0, 0))
        reason = None
        if not count:
            reason = "not recorded"
        elif np.isnan(found[:, i]).all():
            reason = "needs at least 2 known values above 0 of a task"
        elif distinct == 1:
            reason = "the same in every trial: recorded for the agent, not for the trial, or no measure"
            found[:, i] = np.nan
        reasons.append(reason)
    return found, reasons


def _record(name: str, column: Floats, reason: str | None) -> MeterVariation:
    present = column[~np.isnan(column)]
    return MeterVariation(
        name=name,
        variation=float(present.mean()) if len(present) else None,
        n_tasks=len(present),
        reason=reason,
    )


def quantity_consistency(scored: pl.DataFrame, grid: Grid) -> Floats | None:
    """D3_q of each cell, tasks × agents: exp(-CV) of the quantity over trials that did not fail; ``None`` without any.

    Only quantities of ratio kind: one whose zero is arbitrary has no coefficient of variation.
    """
    valid = scored.filter(
        pl.col("quantity").is_not_null()
        & (pl.col("kind").fill_null("ratio") == "ratio")
        & pl.col("outcome").is_in(_NO_VERDICT).not_()
        & (pl.col("gate").fill_null(1) == 1)
    )
    if valid.is_empty():
        return None
    variation = _by_cell(valid, grid, "quantity")
    return resource_consistency(variation.reshape(-1, 1)).reshape(variation.shape)


def _by_cell(rows: pl.DataFrame, grid: Grid, name: str) -> Floats:
    """Coefficient of variation of a column over the trials of each cell, tasks × agents."""
    tasks, agents = (
        rows[column].replace_strict({n: place for place, n in enumerate(names)}, return_dtype=pl.Int64)
        for column, names in (("task", grid.tasks), ("agent", grid.agents))
    )
    width = len(grid.agents)
    cells = (tasks * width + agents).to_numpy()
    values = rows[name].cast(pl.Float64).to_numpy()
    return coefficients_of_variation(values, cells, len(grid.tasks) * width).reshape(-1, width)
