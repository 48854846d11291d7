"""A selection with its scores and its grid of cells: what every analysis starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from measurand.analyze.cells import Grid
from measurand.analyze.meters import with_tokens
from measurand.analyze.select import Selection, select
from measurand.errors import UsageError
from measurand.score.names import GRADED
from measurand.score.trials import score_trials

if TYPE_CHECKING:
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
    return Prepared(selection, scored, grid, _scores(scored, grid, settings.score))


def _scores(scored: pl.DataFrame, grid: Grid, chosen: str | None) -> tuple[str, ...]:
    """The scores that the data allow, the ranking one first; a key that says the same as the gate is left out."""
    graded = not scored.select(pl.col("reference").is_null().any()).item()
    allowed = [*(GRADED if graded else ("key",)), "gate"]
    if chosen is not None and chosen not in allowed:
        raise UsageError(
            f"the score {chosen!r} needs a reference for every task",
            hint=f"available here: {', '.join(allowed)}; add the column `reference`, or --anchors FILE",
        )
    ranking = chosen or ("objective" if graded else "gate")
    if ranking != "key" and np.array_equal(grid.total("key"), grid.total("gate")):
        allowed.remove("key")
    return tuple(sorted(allowed, key=lambda name: name != ranking))
