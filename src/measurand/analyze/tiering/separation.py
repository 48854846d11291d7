"""Which agents of a family really differ: the core's max-T test and tiers, with names and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.means import column_means, head, ranking_means
from measurand.analyze.tiering.nulls import agreement, pairs_found, run_null, said_of, undecided
from measurand.analyze.tiering.records import Question, answer, no_answer
from measurand.infer.differences.tiers import Tiers, tiers
from measurand.infer.headroom.resolution import tie_order
from measurand.wording import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from measurand.analyze.cells import Cells, Floats, Grid
    from measurand.analyze.records import NullRow, TierTest
    from measurand.analyze.settings import Settings
    from measurand.infer.differences.permutation import MaxT

__all__ = ["Separation", "separate"]

_TOO_FEW: Final = 5
"""Tasks up to which nothing can be split at 5 % (SPEC 12.1, point 5)."""


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """A test with the core's results behind it, for the standings."""

    record: TierTest
    tiers: Tiers | None
    """``None`` when nothing can be concluded."""
    family: tuple[int, ...]
    """Columns of the grid, best first, in the order of the entries of ``tiers``."""


def separate(
    grid: Grid,
    cells: Cells,
    score: str,
    settings: Settings,
    *,
    cross_check: bool = True,
    every_null: bool = False,
) -> Separation:
    """Test all pairs of the head of the standings under one score (SPEC 12).

    The notes say whether another null and evaluated trials only agree, unless there is to be no ``cross_check``; with
    ``every_null`` each other null is run, and what it finds stands in the record's ``agreement`` alone.
    """
    means = ranking_means(cells.planned)
    family = head(means, grid.agents, settings.top)
    question = Question(grid, score, family, cells.planned[:, family], settings)
    if question.missing_share > settings.missing_limit:
        return Separation(no_answer(question, _coverage(question)), None, family)
    result = run_null(question.table, question, null=settings.null)
    if _says_nothing(result):
        return Separation(answer(question, result, None), None, family)
    places = tie_order(means[list(family)], result)
    family = tuple(family[i] for i in places)
    significant = result.significant[np.ix_(places, places)]
    shown = tiers(means[list(family)], significant)
    ordered = Question(grid, score, family, cells.planned[:, family], settings)
    notes = [*_undecided(result), *_against_the_order(ordered.names, significant)]
    rows: tuple[NullRow, ...] = ()
    if cross_check:
        rows, more = _beside(ordered, result, cells.evaluated[:, family], shown, every_null=every_null)
        notes += more
    record = answer(question, result, shown, family=ordered.names, notes=tuple(notes), agreement=rows)
    return Separation(record, shown, family)


def _says_nothing(result: MaxT) -> bool:
    """Whether even the word "tier" would say too much: no pair, too few tasks, or nobody differs anywhere."""
    return result.n_agents < 2 or result.n_units <= _TOO_FEW or not result.discordant.any()


def _coverage(question: Question) -> str:
    table, limit = question.table, question.settings.missing_limit
    counts = (~np.isnan(table)).sum(axis=0)
    least = sorted(zip(counts.tolist(), question.names, strict=True))[:10]
    listed = ", ".join(f"{agent} {count}" for count, agent in least)
    return (
        f"{question.missing_share:.1%} of the cells are missing (limit {limit:.0%}); tasks per agent of {len(table)}: "
        f"{listed}. Restrict the agents or tasks, or compare on common tasks"
    )


def _beside(
    question: Question, result: MaxT, evaluated: Floats, shown: Tiers, *, every_null: bool
) -> tuple[tuple[NullRow, ...], list[str]]:
    """Say whether the tiers depend on the null, or on how trials without a verdict count."""
    rows, said = agreement(question, result, shown, every=every_null)
    notes = [] if every_null else list(said)
    if not np.array_equal(evaluated, question.table, equal_nan=True):
        notes.append(_evaluated_only(question, evaluated, shown))
    return rows, notes


def _evaluated_only(question: Question, evaluated: Floats, shown: Tiers) -> str:
    lacking = np.isnan(evaluated)
    if lacking.mean() > question.settings.missing_limit or lacking.all(axis=0).any():
        return "Over evaluated trials only, too many cells are missing for a test."
    null = "signs" if lacking.any() and question.settings.null == "labels" else question.settings.null
    result = run_null(evaluated, question, null=null)
    again = tiers(column_means(evaluated), result.significant)
    what = f"The test on evaluated trials only finds {pairs_found(result)}"
    return said_of(what, question.names, shown, again)


def _undecided(result: MaxT) -> tuple[str, ...]:
    near = undecided(result)
    if not near:
        return ()
    note = (
        f"{plural(near, 'adjusted p-value')} within three Monte-Carlo standard errors of {result.level:.0%} even with "
        f"{result.resamples} resamples: another seed may decide otherwise."
    )
    return (note,)


def _against_the_order(names: tuple[str, ...], significant: NDArray[np.int8]) -> list[str]:
    """With missing cells an agent may stand above another that is better on the tasks both have."""
    return [
        f"{names[above]} stands above {names[below]} by the mean over its own tasks, but is significantly worse on the "
        "tasks that both have: go by the pair, not by the order."
        for below, above in zip(*np.nonzero(np.tril(significant, -1) > 0), strict=True)
    ]
