"""Cells of repeated trials: how many passed, which forms of consistency that gives, and where agents flip."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.records import Estimate
from measurand.analyze.repeats.records import CellReliability, TaskFlips
from measurand.infer.repeats.reliability import (
    LEAST_TRIALS,
    RUBRIC,
    ConsistencyForms,
    Reproducibility,
    consistency_forms,
    reproducibility,
    rubric_label,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from measurand.analyze.cells import Floats, Grid

__all__ = ["Counted", "cell_rows", "label_counts", "task_flips"]

_FLIPS_SHOWN: Final = 20


class Counted:
    """Passes and trials with a verdict of each cell that has a record, tasks × agents, and the forms they give.

    A task that an agent never attempted says nothing of its consistency, even where absence counts as failure.
    """

    def __init__(self, grid: Grid) -> None:
        self.trials: NDArray[np.int64] = np.where(grid.recorded > 0, grid.evaluated("gate"), 0)
        self.passes: NDArray[np.int64] = np.where(grid.recorded > 0, grid.total("gate"), 0).astype(np.int64)
        self.forms: ConsistencyForms = consistency_forms(self.passes, self.trials)

    @property
    def repeated(self) -> bool:
        """Whether any cell has trials enough."""
        return bool((self.trials >= LEAST_TRIALS).any())


def label_counts(maximum: Floats) -> dict[str, int]:
    """Tasks by their own label, the most consistent first; labels that no task has are left out."""
    own = [rubric_label(value) for value in maximum[~np.isnan(maximum)].tolist()]
    return {label: own.count(label) for _, label in RUBRIC if label in own}


def task_flips(grid: Grid, counted: Counted) -> tuple[TaskFlips, ...]:
    """Tasks on which most of the agents flip, and among these the least consistent."""
    flips, d3 = counted.forms.flips, counted.forms.plug_in
    with np.errstate(invalid="ignore"):
        rates = counted.passes / counted.trials
    rows = []
    for t, task in enumerate(grid.tasks):
        known = ~np.isnan(flips[t])
        if known.any() and flips[t][known].any():
            rows.append(
                TaskFlips(
                    task=task,
                    agents=int(known.sum()),
                    flipping=int(flips[t][known].sum()),
                    rate=float(rates[t][known].mean()),
                    d3=float(d3[t][known].mean()),
                )
            )
    return tuple(sorted(rows, key=lambda row: (-row.flipping / row.agents, row.d3, row.task))[:_FLIPS_SHOWN])


def cell_rows(grid: Grid, level: float) -> tuple[CellReliability, ...]:
    """Every agent on every task of which it has a trial with a verdict."""
    counted = Counted(grid)

    @cache
    def of(passes: int, trials: int) -> Reproducibility:
        return reproducibility(passes, trials, level=level)

    found = []
    for i, agent in enumerate(grid.agents):
        for t, task in enumerate(grid.tasks):
            trials = int(counted.trials[t, i])
            if trials:
                found.append(_cell(agent, task, of(int(counted.passes[t, i]), trials)))
    return tuple(found)


def _cell(agent: str, task: str, one: Reproducibility) -> CellReliability:
    method = "Clopper-Pearson interval of p, folded"
    return CellReliability(
        agent=agent,
        task=task,
        passes=one.successes,
        trials=one.trials,
        d3=Estimate(
            value=one.plug_in,
            low=one.low,
            high=one.high,
            level=one.level,
            method=method,
            n=one.trials,
            reason=one.reason,
        ),
        d3_unbiased=one.unbiased,
        d3_max=Estimate(
            value=one.maximum,
            low=one.maximum_low,
            high=one.maximum_high,
            level=one.level,
            method=method,
            n=one.trials,
            reason=one.reason,
        ),
        label=one.label,
        agreement=one.agreement,
    )
