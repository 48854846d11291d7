"""What a pilot tells a plan: the spread of its tasks and trials, and what a trial costs."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from measurand.analyze.design.records import Price, Spread
from measurand.analyze.means import unit_name
from measurand.analyze.meters import meters
from measurand.analyze.select import unknown_name
from measurand.infer.design.variance_components import (
    CellMoments,
    VarianceComponents,
    resampled_variances,
    variance_components,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measurand.analyze.cells import Codes, Floats, Grid
    from measurand.analyze.prepare import Prepared
    from measurand.analyze.records import Meter

__all__ = ["Pilot", "pilot_cells", "prices"]


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """The trials of one agent, or of two, and what they tell of the spread."""

    agents: tuple[str, ...]
    cells: tuple[CellMoments, ...]
    families: Codes | None
    components: VarianceComponents

    @classmethod
    def of(cls, grid: Grid, cells: Mapping[int, CellMoments]) -> Pilot:
        """Look at one or two agents: column of the grid -> its trials."""
        both = tuple(cells.values())
        return cls(
            agents=tuple(grid.agents[column] for column in cells),
            cells=both,
            families=grid.families,
            components=variance_components(*both, families=grid.families),
        )

    @property
    def there(self) -> Floats:
        """Which tasks all of them have."""
        found: Floats = np.all([cells.counts > 0 for cells in self.cells], axis=0)
        return found

    @property
    def scale(self) -> float:
        """The largest mean of a task, either sign."""
        return float(np.max([np.abs(np.nan_to_num(cells.means)).max(initial=0.0) for cells in self.cells]))

    @property
    def trials(self) -> tuple[float, ...]:
        """Planned trials of a task, the mean over tasks, of each agent."""
        there = self.there
        return tuple(float(cells.counts[there].mean()) if there.any() else 0.0 for cells in self.cells)

    def step(self, trials: int | None) -> float:
        """Spacing of a task's values if trials pass or fail; ``None`` trials are the pilot's."""
        return 1 / (max(1.0, *self.trials) if trials is None else trials)

    @property
    def tasks_per_unit(self) -> float:
        """Tasks of a family; 1 where tasks stand alone."""
        return self.components.n / max(self.components.n_units, 1)

    def spread(self) -> Spread:
        """The components as a record."""
        found = self.components
        return Spread(
            between=found.between,
            within=found.within,
            within_each=found.within_each,
            total=found.total,
            design_effect=found.design_effect,
            n_tasks=found.n,
            n_units=found.n_units,
            unit=unit_name(self.families),
            trials=self.trials,
            replicated=found.replicated,
            truncated=found.truncated,
            method=found.method,
            reason=found.reason,
        )

    def variance_ranges(
        self, trials: Sequence[int | None], *, level: float, seed: int
    ) -> list[tuple[float, float] | None]:
        """Percentile interval of the variance at each number of trials; ``None`` where it cannot be had."""
        wanted = [np.nan if number is None else float(number) for number in trials]
        drawn = resampled_variances(*self.cells, trials=wanted, families=self.families, rng=seed)
        known = np.isfinite(drawn).mean(axis=0)
        tails = [(1 - level) / 2, (1 + level) / 2]
        return [
            None if known[i] < level else tuple(np.nanquantile(drawn[:, i], tails).tolist())
            for i in range(len(wanted))
        ]


def pilot_cells(prepared: Prepared, columns: Sequence[int]) -> dict[int, CellMoments]:
    """Trials of some agents, task by task, under the ranking score: those of the standings, no verdict counted as 0."""
    grid, score = prepared.grid, prepared.scores[0]
    squares = _squares(prepared, columns)
    found = {}
    for place, column in enumerate(columns):
        recorded, planned = grid.recorded[:, column], grid.planned[:, column]
        mean = grid.total(score)[:, column] / np.maximum(recorded, 1)
        absent = recorded * (planned - recorded) / np.maximum(planned, 1) * mean**2
        found[column] = CellMoments(
            means=grid.cells(score).planned[:, column],
            variances=np.where(
                planned > 1, (squares[:, place] + absent) / np.maximum(planned - 1, 1), np.nan
            ),
            counts=planned,
        )
    return found


def _squares(prepared: Prepared, columns: Sequence[int]) -> Floats:
    """Sum of squared deviations of the recorded trials of each cell, tasks × chosen agents."""
    grid, score = prepared.grid, prepared.scores[0]
    agents = {grid.agents[column]: place for place, column in enumerate(columns)}
    tasks = {task: place for place, task in enumerate(grid.tasks)}
    value = pl.col(score).fill_null(0.0)
    groups = (
        prepared.scored.filter(pl.col("agent").is_in(list(agents)))
        .group_by("agent", "task")
        .agg((value - value.mean()).pow(2).sum().alias("squares"))
    )
    found = np.zeros((len(tasks), len(agents)))
    rows = [tasks[task] for task in groups["task"]]
    found[rows, [agents[agent] for agent in groups["agent"]]] = groups["squares"].to_numpy()
    return found


def prices(prepared: Prepared, agents: Sequence[str], given: Mapping[str, float]) -> tuple[Price, ...]:
    """Cost and time of a trial of each agent: as given, else the pilot's mean, a lower bound where some are unknown.

    Raises:
        UsageError: a price for an agent that is not there.
    """
    names = prepared.grid.agents
    for pattern in given:
        if not any(_fits(name, pattern) for name in names):
            raise unknown_name("agent", pattern, names)
    spent = meters(prepared.scored)
    found = []
    for agent in agents:
        metered = {meter.name: meter for meter in spent.get(agent, ())}
        usd, lower = _of_a_trial(metered.get("cost_usd"))
        price = _given(agent, given)
        seconds, seconds_lower = _of_a_trial(metered.get("wall_s"))
        found.append(
            Price(
                agent=agent,
                usd=usd if price is None else price,
                usd_lower_bound=lower and price is None,
                given=price is not None,
                seconds=seconds,
                seconds_lower_bound=seconds_lower,
            )
        )
    return tuple(found)


def _fits(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def _given(agent: str, given: Mapping[str, float]) -> float | None:
    """The price given for an agent by its name, else by the last pattern that fits it."""
    fitting = [price for pattern, price in given.items() if _fits(agent, pattern)]
    return given.get(agent, fitting[-1] if fitting else None)


def _of_a_trial(meter: Meter | None) -> tuple[float | None, bool]:
    """Mean over all trials, the unknown ones counted as 0, and whether it is a lower bound for that."""
    if meter is None or meter.total is None:
        return None, False
    return meter.total / meter.trials, meter.lower_bound
