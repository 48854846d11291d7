"""Which agents of a family really differ: the core's max-T test and tiers, with names and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.means import column_means, head, ranking_means
from measurand.analyze.tier_records import Question, answer, no_answer
from measurand.infer.permutation import MaxT, max_t
from measurand.infer.tiers import Tiers, tiers
from measurand.wording import listed, plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from measurand.analyze.cells import Cells, Floats, Grid
    from measurand.analyze.records import TierTest
    from measurand.analyze.settings import Settings

__all__ = ["Separation", "separate"]

_TOO_FEW: Final = 5
"""Tasks up to which nothing can be split at 5 % (SPEC 12.1, point 5)."""
_LABELS_AGENTS: Final = 30
"""Family size up to which the labels null is run beside the default; it is slow beyond."""
_MOST_RESAMPLES: Final = 1_000_000
_WORK: Final = 500_000_000
"""Pairs times resamples that a test may take: some seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """A test with the core's results behind it, for the standings."""

    record: TierTest
    tiers: Tiers | None
    """``None`` when nothing can be concluded."""
    family: tuple[int, ...]
    """Columns of the grid, best first, in the order of the entries of ``tiers``."""


def separate(grid: Grid, cells: Cells, score: str, settings: Settings) -> Separation:
    """Test all pairs of the head of the standings under one score (SPEC 12)."""
    means = ranking_means(cells.planned)
    family = head(means, grid.agents, settings.top)
    question = Question(grid, score, family, cells.planned[:, family], settings)
    if question.missing_share > settings.missing_limit:
        return Separation(no_answer(question, _coverage(question)), None, family)
    result = _max_t(question.table, question, null="signs")
    if _says_nothing(result):
        return Separation(answer(question, result, None), None, family)
    places = _order_ties(means[list(family)], result)
    family = tuple(family[i] for i in places)
    significant = result.significant[np.ix_(places, places)]
    shown = tiers(means[list(family)], significant)
    ordered = Question(grid, score, family, cells.planned[:, family], settings)
    notes = [*_undecided(result), *_against_the_order(ordered.names, significant)]
    notes += _notes(ordered, cells.evaluated[:, family], shown)
    return Separation(
        answer(question, result, shown, family=ordered.names, notes=tuple(notes)), shown, family
    )


def _order_ties(means: Floats, result: MaxT) -> list[int]:
    """Order agents of equal means by what the test says of them, so that their names decide nothing it can."""
    beaten_by = (result.significant < 0).sum(axis=1)
    beats = (result.significant > 0).sum(axis=1)
    return sorted(range(len(means)), key=lambda i: (-means[i], beaten_by[i], -beats[i], i))


def _max_t(table: Floats, question: Question, *, null: str) -> MaxT:
    settings = question.settings
    most = _most_resamples(table.shape[1], settings.resamples) if null == "signs" else settings.resamples
    return max_t(
        table,
        null=null,
        families=question.grid.families,
        level=settings.level,
        resamples=settings.resamples,
        max_resamples=most,
        rng=settings.seed,
    )


def _most_resamples(agents: int, resamples: int) -> int:
    """How far the resamples may rise while a p-value is too near the level to tell: up to a bounded amount of work."""
    pairs = max(agents * (agents - 1) // 2, 1)
    return max(resamples, min(_MOST_RESAMPLES, _WORK // pairs))


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


def _notes(question: Question, evaluated: Floats, shown: Tiers) -> list[str]:
    """Sentences on whether the tiers depend on the null, or on how trials without a verdict count."""
    table, names = question.table, question.names
    if np.isnan(table).any():
        notes = ["The labels null needs a complete table and was not run."]
    elif len(names) > _LABELS_AGENTS:
        notes = [f"The labels null was not run: it is slow for more than {_LABELS_AGENTS} agents."]
    else:
        other = _max_t(table, question, null="labels")
        what = f"The labels null (agent labels permuted within tasks) finds {_pairs_found(other)}"
        notes = [_agreement(what, names, shown, tiers(ranking_means(table), other.significant))]
    if not np.array_equal(evaluated, table, equal_nan=True):
        notes.append(_evaluated_only(question, evaluated, shown))
    return notes


def _evaluated_only(question: Question, evaluated: Floats, shown: Tiers) -> str:
    lacking = np.isnan(evaluated)
    if lacking.mean() > question.settings.missing_limit or lacking.all(axis=0).any():
        return "Over evaluated trials only, too many cells are missing for a test."
    result = _max_t(evaluated, question, null="signs")
    again = tiers(column_means(evaluated), result.significant)
    what = f"The test on evaluated trials only finds {_pairs_found(result)}"
    return _agreement(what, question.names, shown, again)


def _pairs_found(result: MaxT) -> str:
    return f"{result.n_significant} of {plural(len(result.pairs), 'pair')} significant"


def _undecided(result: MaxT) -> tuple[str, ...]:
    near = int((np.abs(result.p_adjusted - result.level) < 3 * result.standard_error).sum())
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


def _agreement(what: str, names: tuple[str, ...], shown: Tiers, again: Tiers) -> str:
    if again.tier == shown.tier:
        return f"{what}; the tiers are the same."
    moved = [f"{n} {a} to {b}" for n, a, b in zip(names, shown.tier, again.tier, strict=True) if a != b]
    return f"{what}; tiers change: {listed(moved, 6)}."
