"""A selection with its scores and its grid of cells: what every analysis starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.analyze.cells import Grid
from measurand.analyze.meters import with_tokens
from measurand.analyze.scorings.available import unavailable
from measurand.analyze.select import Selection, select
from measurand.errors import UsageError
from measurand.score.names import GRADED
from measurand.score.trials import score_trials

if TYPE_CHECKING:
    import polars as pl

    from measurand.analyze.settings import Choice, Settings
    from measurand.model.table import Trials

__all__ = ["Prepared", "prepare"]


class Prepared(NamedTuple):
    """A selection with its scores and its grid of cells: what boards and comparisons start from."""

    selection: Selection
    scored: pl.DataFrame
    grid: Grid
    scores: tuple[str, ...]
    """The scores that the data allow, the ranking one first."""


def prepare(trials: Trials, choice: Choice, settings: Settings) -> Prepared:
    """Select, score and lay out trials.

    Raises:
        UsageError: the score asked for needs anchors that the data do not have.
        InputError: see :func:`measurand.analyze.select.select`.
    """
    selection = select(trials, choice)
    scored = with_tokens(score_trials(selection.frame, settings.scoring))
    grid = Grid(selection, scored, families=settings.families)
    return Prepared(selection, scored, grid, _scores(scored, grid, settings))


def _scores(scored: pl.DataFrame, grid: Grid, settings: Settings) -> tuple[str, ...]:
    """The scores that the data allow, the ranking one first; a key that says the same as the gate is left out."""
    reasons = unavailable(scored, grid, settings)
    allowed = [score for score in (*GRADED, "official", "gate") if score not in reasons]
    if settings.score in reasons:
        raise UsageError(
            f"the score {settings.score!r} is not available: {reasons[settings.score]}",
            hint=f"available here: {', '.join(allowed)}",
        )
    ranking = settings.score or ("objective" if "objective" in allowed else "gate")
    if ranking != "key" and "key" in allowed and np.array_equal(grid.total("key"), grid.total("gate")):
        allowed.remove("key")
    return tuple(sorted(allowed, key=lambda name: name != ranking))
