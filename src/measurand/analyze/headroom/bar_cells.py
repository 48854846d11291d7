"""Cells of scores that hold a trial's quantity against a bar or a field: the mean over planned trials, as everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from measurand.errors import UsageError
from measurand.infer.headroom.bars import multiplicative_bar, reaches
from measurand.infer.headroom.percentiles import percentile
from measurand.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from measurand.analyze.cells import Codes, Floats, Grid
    from measurand.analyze.prepare import Prepared

__all__ = ["Judged", "TrialQuantities"]


class Judged(NamedTuple):
    """Cells under one score."""

    cells: Floats
    """Tasks × agents of the grid; NaN is a missing cell."""
    tasks: NDArray[np.bool_]
    """Which tasks of the grid the score is defined on."""


@dataclass(frozen=True, slots=True, eq=False)
class TrialQuantities:
    """Quantities of the trials of a grid, one entry a trial.

    Attributes:
        grid: the agents and tasks.
        agent: column of the trial's agent.
        task: row of its task.
        gate: 1 passed, 0 not; NaN without a verdict.
        quantity: NaN where unknown.
        lower: whether less is better.
    """

    grid: Grid
    agent: Codes
    task: Codes
    gate: Floats
    quantity: Floats
    baseline: Floats
    reference: Floats
    lower: NDArray[np.bool_]
    interval: NDArray[np.bool_]

    @classmethod
    def of(cls, prepared: Prepared) -> TrialQuantities:
        """Take the quantities out of scored trials.

        Raises:
            UsageError: no trial has a quantity, or a task with quantities has no direction.
        """
        scored, grid = prepared.scored, prepared.grid
        if scored["quantity"].null_count() == scored.height:
            raise UsageError(
                "no trial has a quantity, and a bar judges quantities",
                hint="name the column: --map quantity=COLUMN; of pass and fail alone no bar can be made harder",
            )
        better = pl.col("better").drop_nulls().first().over("task")
        rows = scored.with_columns(better=better)
        lacking = rows.filter(pl.col("better").is_null() & pl.col("quantity").is_not_null())["task"].unique()
        if len(lacking):
            raise UsageError(
                f"which way is better is not known for {listed(lacking.sort(), 3)}",
                hint="add a column `better` (higher or lower), or --set better=higher",
            )
        return cls(
            grid=grid,
            agent=_codes(rows["agent"], grid.agents),
            task=_codes(rows["task"], grid.tasks),
            gate=_floats(rows, "gate"),
            quantity=_floats(rows, "quantity"),
            baseline=_floats(rows, "baseline"),
            reference=_floats(rows, "reference"),
            lower=(rows["better"] == "lower").fill_null(value=False).to_numpy(),
            interval=(rows["kind"] == "interval").fill_null(value=False).to_numpy(),
        )

    def at_multiple(self, multiplier: float) -> Judged:
        """Cells of the bar at ``multiplier`` times the reference's improvement."""
        bar = multiplicative_bar(
            self.baseline, self.reference, multiplier, lower_is_better=self.lower, interval=self.interval
        )
        computed = multiplier != 1.0
        return self._judged(reaches(self.quantity, bar, lower_is_better=self.lower, computed=computed), None)

    def at_bar(self, values: Mapping[str, float]) -> Judged:
        """Cells of a bar that is given in the unit of each task, on the tasks for which it is given."""
        bars = np.array([values.get(task, np.nan) for task in self.grid.tasks])
        reached = reaches(self.quantity, bars[self.task], lower_is_better=self.lower)
        return self._judged(reached, ~np.isnan(bars))

    def in_field(self, field: Mapping[str, Sequence[float]], form: str) -> Judged:
        """Cells of the percentiles in a frozen field, on the tasks that have one."""
        share = np.full(len(self.task), np.nan)
        has = np.array([len(field.get(task, ())) > 0 for task in self.grid.tasks], dtype=bool)
        for place in np.flatnonzero(has).tolist():
            at = np.flatnonzero(self.task == place)
            if len(at):
                lower = bool(self.lower[at[0]])
                members = field[self.grid.tasks[place]]
                share[at] = percentile(self.quantity[at], members, lower_is_better=lower, form=form)
        return self._judged(share, has)

    def field_of(self, columns: Iterable[int]) -> dict[str, list[float]]:
        """Field made of some agents: for each task the mean quantity of each one's valid trials, NaN where none is valid."""
        chosen = set(columns)
        valid = (self.gate == 1) & ~np.isnan(self.quantity)
        total, count = (
            self._summed(np.where(valid, values, 0.0)) for values in (self.quantity, np.ones(len(valid)))
        )
        means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        planned = self.grid.planned
        return {
            task: [float(means[row, column]) for column in sorted(chosen) if planned[row, column] > 0]
            for row, task in enumerate(self.grid.tasks)
        }

    def _judged(self, worth: Floats, tasks: NDArray[np.bool_] | None) -> Judged:
        """Mean over planned trials of what a passed trial is worth; a failed one is worth 0, and so is an unknown one."""
        score = np.where(self.gate == 1, np.nan_to_num(worth), 0.0)
        planned = self.grid.planned
        cells = np.where(planned > 0, self._summed(score) / np.maximum(planned, 1), np.nan)
        return Judged(cells, np.ones(len(self.grid.tasks), dtype=bool) if tasks is None else tasks)

    def _summed(self, values: Floats) -> Floats:
        total = np.zeros((len(self.grid.tasks), len(self.grid.agents)))
        np.add.at(total, (self.task, self.agent), values)
        return total


def _codes(values: pl.Series, names: tuple[str, ...]) -> Codes:
    places = {name: place for place, name in enumerate(names)}
    return values.replace_strict(places, return_dtype=pl.Int64).to_numpy()


def _floats(frame: pl.DataFrame, name: str) -> Floats:
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
