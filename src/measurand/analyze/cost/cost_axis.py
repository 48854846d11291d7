"""The cost axis: which agents have a place on it, and their quality and cost on the tasks that all of them have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.cost.records import CostApart
from measurand.analyze.means import column_means, ranking_means
from measurand.analyze.meters import METERS
from measurand.errors import UsageError
from measurand.wording import meant, plural

if TYPE_CHECKING:
    from collections.abc import Collection

    from measurand.analyze.cells import Codes, Floats, MeterCells
    from measurand.analyze.prepare import Prepared
    from measurand.analyze.settings import Settings

__all__ = ["CostAxis", "Placed", "place"]


@dataclass(frozen=True, slots=True)
class CostAxis:
    """Which cost counts, and who takes part.

    Raises:
        UsageError: a meter that does not exist, or a value outside its range.
    """

    meter: str = "cost_usd"
    log: bool = False
    """Take the logarithm of each cell's cost, so that an exchange rate is per doubling of cost."""
    coverage: float = 1.0
    """Share of an agent's planned trials whose cost must be known for a place. Below 1, tasks on which a placed agent has no
    known cost are left out for all, and the known trials of a task stand for its unknown ones."""
    top: int | None = None
    """Tested agents: so many with the highest quality among those that have a place; ``None``: all of these."""

    def __post_init__(self) -> None:
        if self.meter not in METERS:
            raise UsageError(
                f"there is no meter {self.meter!r}{meant(self.meter, METERS)}",
                hint=f"one of: {', '.join(METERS)}",
            )
        if not 0 < self.coverage <= 1:
            raise UsageError(f"coverage is {self.coverage}: it is a share above 0, at most 1")
        if self.top is not None and self.top < 2:
            raise UsageError(f"top is {self.top}: a family has at least 2 agents")


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The agents that have a place, by quality and then by cost.

    Attributes:
        columns: their columns in the grid.
        tasks: rows of the grid that are used.
        quality: (tasks, agents) cells of the ranking score.
        cost: (tasks, agents) mean cost of a trial.
        axis: (tasks, agents) the same, or its logarithm to base 2.
        families: family of each task, or ``None``.
        coverage: (agents,) share of the planned trials whose cost is known.
        apart: the others.
    """

    columns: tuple[int, ...]
    tasks: tuple[int, ...]
    quality: Floats
    cost: Floats
    axis: Floats
    families: Codes | None
    coverage: Floats
    apart: tuple[CostApart, ...]


def place(
    prepared: Prepared, settings: Settings, axis: CostAxis, *, among: Collection[str] | None = None
) -> Placed:
    """Give each agent whose cost is known well enough its place, and say of the others why they have none.

    Args:
        prepared: what was chosen.
        settings: how many tasks an agent may lack.
        axis: which cost, and how well it must be known.
        among: the agents to look at; all when left out.
    """
    grid = prepared.grid
    quality, spent = grid.cells(prepared.scores[0]).planned, grid.meter(axis.meter)
    asked = [i for i, agent in enumerate(grid.agents) if among is None or agent in among]
    reasons = {column: _why_apart(prepared, spent, column, settings, axis) for column in asked}
    columns = [column for column, reason in reasons.items() if reason is None]
    cost = spent.mean
    there = ~np.isnan(quality[:, columns]).any(axis=1) & (spent.known[:, columns] > 0).all(axis=1)
    tasks = np.flatnonzero(there)
    if columns and not len(tasks):
        for column in columns:
            reasons[column] = "no task has a known cost for every agent that would have a place"
        columns = []
    quality, cost = quality[tasks][:, columns], cost[tasks][:, columns]
    means = ranking_means(quality), ranking_means(cost)
    order = sorted(range(len(columns)), key=lambda i: (-means[0][i], means[1][i], grid.agents[columns[i]]))
    chosen = tuple(columns[i] for i in order)
    planned = grid.planned[:, chosen].sum(axis=0)
    return Placed(
        columns=chosen,
        tasks=tuple(tasks.tolist()) if columns else (),
        quality=quality[:, order],
        cost=cost[:, order],
        axis=np.log2(cost[:, order]) if axis.log else cost[:, order],
        families=None if grid.families is None else grid.families[tasks],
        coverage=spent.known[:, chosen].sum(axis=0) / np.maximum(planned, 1),
        apart=_apart(prepared, spent, reasons),
    )


def _why_apart(
    prepared: Prepared, spent: MeterCells, column: int, settings: Settings, axis: CostAxis
) -> str | None:
    """Say why an agent has no place; ``None`` where it has one."""
    planned, known = prepared.grid.planned[:, column], spent.known[:, column]
    trials, counted = int(planned.sum()), int(known.sum())
    if not counted:
        return "no trial has a known cost"
    if counted < axis.coverage * trials:
        needed = "all" if axis.coverage == 1 else f"{axis.coverage:.0%}"
        return f"the cost of {counted:,} of {plural(trials, 'trial')} is known; a place needs {needed}"
    missing = int((planned == 0).sum())
    if missing > settings.missing_limit * len(planned):
        return f"it has no trial of {missing:,} of {plural(len(planned), 'task')}"
    free = int((spent.total[:, column][known > 0] <= 0).sum())
    if axis.log and free:
        return f"its cost is 0 on {plural(free, 'task')}, and 0 has no logarithm"
    return None


def _apart(prepared: Prepared, spent: MeterCells, reasons: dict[int, str | None]) -> tuple[CostApart, ...]:
    grid = prepared.grid
    quality = column_means(grid.cells(prepared.scores[0]).planned)
    least = column_means(np.where(grid.planned > 0, spent.total / np.maximum(grid.planned, 1), np.nan))
    known, planned = spent.known.sum(axis=0), grid.planned.sum(axis=0)
    found = [
        CostApart(
            agent=grid.agents[i],
            quality=None if np.isnan(quality[i]) else float(quality[i]),
            known=int(known[i]),
            trials=int(planned[i]),
            at_least=float(least[i]) if known[i] else None,
            reason=reason,
        )
        for i, reason in reasons.items()
        if reason is not None
    ]
    return tuple(sorted(found, key=lambda row: (-(row.quality or 0.0), row.agent)))
