"""Trials of each cell counted by two verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measurand.analyze.cells import Cells, _codes, _mean
from measurand.score.verdicts import with_verdict

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats
    from measurand.analyze.prepare import Prepared

__all__ = ["Counts", "CrossedCells", "crossed_cells"]

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CrossedCells:
    """How many trials of each cell two verdicts judged how. All arrays are tasks × agents."""

    planned: Counts
    """Planned trials; 0 where the cell is missing."""
    evaluated: Counts
    """Trials with a first verdict."""
    confirmed: Counts
    """Pass by both."""
    rejected: Counts
    """Pass by the first, not by the second."""
    unchecked: Counts
    """Pass by the first; the second is unknown."""
    fails_accepted: Counts
    """Fail by the first, pass by the second."""
    fails_confirmed: Counts
    """Fail by both."""

    @property
    def passes(self) -> Counts:
        """Pass by the first verdict."""
        return self.confirmed + self.rejected + self.unchecked

    @property
    def checked(self) -> Counts:
        """Passes that the second verdict looked at."""
        return self.confirmed + self.rejected

    @property
    def fails(self) -> Counts:
        """Planned trials that do not pass by the first verdict."""
        return self.planned - self.passes

    @property
    def fails_checked(self) -> Counts:
        """Those of them that the second verdict looked at."""
        return self.fails_accepted + self.fails_confirmed

    @property
    def first(self) -> Cells:
        """Rates by the first verdict."""
        return self._cells(self.passes)

    @property
    def second(self) -> Cells:
        """Rates of trials that pass both; a pass that was not re-checked stands."""
        return self._cells(self.passes - self.rejected)

    @property
    def lowest(self) -> Floats:
        """Rates of trials that are known to pass both."""
        return _mean(self.confirmed.astype(np.float64), self.planned)

    def _cells(self, passes: Counts) -> Cells:
        total = passes.astype(np.float64)
        return Cells(_mean(total, self.planned), _mean(total, self.evaluated))

    def trials(self, agent: int, *, failures: bool) -> tuple[Floats, Floats]:
        """Second and first verdict of an agent's trials, tasks × trials; NaN where unknown, or no trial.

        Args:
            agent: column of the agent.
            failures: whether the second verdict judged failures as well. If not, a failure is one by both.
        """
        looked = self.fails_checked if failures else np.zeros_like(self.planned)
        kinds = [self.confirmed, self.rejected, self.unchecked]
        kinds += [self.fails_accepted, self.fails_confirmed] if failures else [looked, looked]
        kinds.append(self.fails - looked)
        ends = np.cumsum([kind[:, agent] for kind in kinds], axis=0)
        place = np.arange(self.planned[:, agent].max(initial=0))
        kind = (place[None, :, None] >= ends.T[:, None, :]).sum(axis=2)
        unseen = np.nan if failures else 0.0
        second = np.array([1.0, 0.0, np.nan, 1.0, 0.0, unseen, np.nan])
        first = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, np.nan])
        return second[kind], first[kind]


def crossed_cells(prepared: Prepared, first: str, second: str) -> CrossedCells:
    """Count the trials of each cell by two verdicts.

    Raises:
        UsageError: no trial has a verdict of that name.
    """
    grid = prepared.grid
    judged = with_verdict(prepared.scored, first, "__first__")
    judged = with_verdict(judged, second, "__second__", again=True)
    v, u = pl.col("__first__"), pl.col("__second__")
    groups = judged.group_by("agent", "task").agg(
        v.count().alias("evaluated"),
        ((v == 1) & (u == 1)).sum().alias("confirmed"),
        ((v == 1) & (u == 0)).sum().alias("rejected"),
        ((v == 1) & u.is_null()).sum().alias("unchecked"),
        ((v == 0) & (u == 1)).sum().alias("fails_accepted"),
        ((v == 0) & (u == 0)).sum().alias("fails_confirmed"),
    )
    at = (_codes(groups["task"], grid.tasks), _codes(groups["agent"], grid.agents))

    def scattered(column: str) -> Counts:
        table = np.zeros(grid.planned.shape, dtype=np.int64)
        table[at] = groups[column].to_numpy()
        return table

    counted = {name: scattered(name) for name in groups.columns if name not in {"agent", "task", "evaluated"}}
    evaluated = np.where(grid.recorded == 0, grid.planned, scattered("evaluated"))
    return CrossedCells(planned=grid.planned, evaluated=evaluated, **counted)
