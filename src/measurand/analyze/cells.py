"""Cells: one number for each agent on each task, the mean over its trials there. The task is the unit of every test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measurand.errors import ValueRangeError
from measurand.score.names import SCORES
from measurand.score.objective import Floats

if TYPE_CHECKING:
    from measurand.analyze.select import Selection

__all__ = ["Cells", "Codes", "Floats", "Grid", "MeterCells"]

Codes = NDArray[np.int64]
"""Families of tasks as numbers, one a task."""
_UNLISTED: Final = "(unlisted task {})"


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of one score. Shape of the arrays: tasks × agents; NaN is a missing cell."""

    planned: Floats
    """Mean over planned trials; a trial without a verdict counts as 0."""
    evaluated: Floats
    """Mean over evaluated trials; NaN also where a cell has none."""


@dataclass(frozen=True, slots=True, eq=False)
class MeterCells:
    """A meter by cell. Shape of the arrays: tasks × agents."""

    total: Floats
    """Sum over the trials whose meter is known."""
    known: NDArray[np.int64]
    """Trials whose meter is known."""

    @property
    def mean(self) -> Floats:
        """Mean over the known trials; NaN where there is none."""
        return _mean(self.total, self.known)


class Grid:
    """Agents × tasks of a selection, with the trials of each cell counted and each score summed.

    Args:
        selection: the rows.
        scored: the same rows with scores (see :func:`measurand.score.trials.score_trials`).
        families: whether to look at task families.
    """

    def __init__(self, selection: Selection, scored: pl.DataFrame, *, families: bool) -> None:
        self.agents: tuple[str, ...] = tuple(scored["agent"].unique().sort())
        self.unlisted = self._count_unlisted(selection)
        named = [_UNLISTED.format(number + 1) for number in range(self.unlisted)]
        self.tasks: tuple[str, ...] = (*selection.tasks, *named)
        self.families: Codes | None = _family_codes(scored, self.tasks) if families else None
        self._absent_is_fail = selection.declared.absent_is_fail
        self._declared_trials = selection.declared.trials or 0
        self._scored = scored
        self._groups = scored.group_by("agent", "task").agg(
            pl.len().alias("recorded"),
            *(pl.col(score).sum().alias(f"{score}_sum") for score in SCORES),
            *(pl.col(score).count().alias(f"{score}_count") for score in SCORES),
        )
        self._at = (_codes(self._groups["task"], self.tasks), _codes(self._groups["agent"], self.agents))

    @staticmethod
    def _count_unlisted(selection: Selection) -> int:
        """Tasks that the suite is declared to have and no file names; all agents failed them."""
        declared = selection.declared
        if not declared.absent_is_fail or declared.tasks is None:
            return 0
        return max(declared.tasks - len(selection.tasks), 0)

    @cached_property
    def recorded(self) -> NDArray[np.int64]:
        """Recorded trials of each cell."""
        return self._scatter("recorded").astype(np.int64)

    @cached_property
    def planned(self) -> NDArray[np.int64]:
        """Planned trials of each cell: those recorded, or more where the source declares more; 0 where missing."""
        planned = np.where(self.recorded > 0, np.maximum(self.recorded, self._declared_trials), 0)
        absent = max(self._declared_trials, 1) if self._absent_is_fail else 0
        return np.where(planned == 0, absent, planned)

    def evaluated(self, score: str = "gate") -> NDArray[np.int64]:
        """Trials of each cell with a verdict; absent trials that count as failed have one."""
        counted = self._scatter(f"{score}_count").astype(np.int64)
        return np.where(self.recorded == 0, self.planned, counted)

    def total(self, score: str) -> Floats:
        """Sum of a score over the trials of each cell, unknown ones as 0."""
        return self._scatter(f"{score}_sum")

    def cells(self, score: str) -> Cells:
        """Mean score of each cell, over planned and over evaluated trials."""
        total, evaluated = self.total(score), self.evaluated(score)
        return Cells(_mean(total, self.planned), _mean(total, evaluated))

    def upper(self, score: str) -> Floats:
        """Cells with every trial that has no verdict counted as a pass (1)."""
        return _mean(self.total(score) + (self.planned - self.evaluated(score)), self.planned)

    def meter(self, name: str) -> MeterCells:
        """Sum and coverage of a meter in each cell; an unknown trial adds nothing to either."""
        groups = self._scored.group_by("agent", "task").agg(
            pl.col(name).sum().cast(pl.Float64).alias("total"), pl.col(name).count().alias("known")
        )
        at = (_codes(groups["task"], self.tasks), _codes(groups["agent"], self.agents))
        total, known = np.zeros(self._shape), np.zeros(self._shape, dtype=np.int64)
        total[at], known[at] = groups["total"].to_numpy(), groups["known"].to_numpy()
        return MeterCells(total, known)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.tasks), len(self.agents)

    def _scatter(self, column: str) -> Floats:
        table = np.zeros(self._shape)
        table[self._at] = self._groups[column].to_numpy()
        return table


def _mean(total: Floats, count: NDArray[np.int64]) -> Floats:
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _codes(values: pl.Series, names: tuple[str, ...]) -> NDArray[np.int64]:
    places = {name: place for place, name in enumerate(names)}
    return values.replace_strict(places, return_dtype=pl.Int64).to_numpy()


def _family_codes(scored: pl.DataFrame, tasks: tuple[str, ...]) -> Codes | None:
    """Family of each task as a number; a task without one is its own. ``None`` when no task names a family."""
    pairs = scored.filter(pl.col("family").is_not_null()).select("task", "family").unique()
    if pairs.is_empty():
        return None
    repeated = pairs.filter(pl.col("task").is_duplicated()).sort("task", "family")
    if repeated.height:
        task = repeated["task"][0]
        names = repeated.filter(pl.col("task") == task)["family"].to_list()
        raise ValueRangeError(f"task {task!r} belongs to several families: {', '.join(names)}")
    family = dict(pairs.iter_rows())
    labels = [("family", family[task]) if task in family else ("task", task) for task in tasks]
    places = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return np.array([places[label] for label in labels], dtype=np.int64)
