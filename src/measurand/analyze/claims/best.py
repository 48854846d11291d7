"""Does one agent beat every other? Judged by the board's test, or by pairs alone for an agent named beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from measurand.analyze.claims.pairing import discordance, pair_of, pair_test
from measurand.analyze.claims.records import BestClaim, RivalRow
from measurand.analyze.means import count_units, ranking_means
from measurand.analyze.tiering.detection import tested_interval
from measurand.infer.claims.record_claim import record_claim
from measurand.infer.differences.attainable import attainable
from measurand.infer.differences.pairs import pair_statistics, unit_table
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats, Grid
    from measurand.analyze.records import PairRow, TierTest
    from measurand.analyze.settings import Settings
    from measurand.analyze.tiering.separation import Separation

__all__ = ["Source", "named", "picked"]


class Source(NamedTuple):
    """What a claim is about: the cells under one score, and how they are judged."""

    grid: Grid
    score: str
    planned: Floats
    settings: Settings


def picked(source: Source, tested: Separation, order: tuple[int, ...]) -> BestClaim:
    """Judge the agent on top by the board's own test: any agent of the family might have been on top."""
    grid, settings, test = source.grid, source.settings, tested.record
    agent = grid.agents[order[0]]
    rows = [_rival(source, pair, agent, test) for pair in test.pairs if agent in {pair.better, pair.worse}]
    found = record_claim(
        [row.p for row in rows], [row.difference or 0.0 for row in rows], level=settings.level
    )
    known = test.reason is None and found.supported is not None
    return BestClaim(
        agent=agent,
        named=False,
        supported=found.supported if known else None,
        p=found.p if known else None,
        level=settings.level,
        method=f"{test.method}; the largest adjusted p of its pairs",
        rivals=len(order) - 1,
        beaten=found.beaten,
        untested=len(grid.agents) - len(order),
        shares_first_with=_level_with(source, order[0]),
        rows=tuple(rows[i] for i in found.order),
        seed=test.seed,
        reason=found.reason if len(order) < 2 else test.reason,
    )


def _rival(source: Source, pair: PairRow, agent: str, test: TierTest) -> RivalRow:
    """Turn a pair of the test so that ``agent`` comes first."""
    ahead = pair.better == agent
    rival = pair.worse if ahead else pair.better
    low, high = (pair.low, pair.high) if ahead else (_opposite(pair.high), _opposite(pair.low))
    return RivalRow(
        rival=rival,
        difference=pair.difference if ahead else _opposite(pair.difference),
        low=low,
        high=high,
        p=pair.p_adjusted if ahead and pair.difference > 0 else 1.0,
        beaten=ahead and pair.significant,
        n_tasks=pair.n_tasks,
        discordance=discordance(_discordant(source, agent, rival), source.settings.level),
        resamples=test.resamples,
        exact=test.exact,
        reason=pair.reason,
    )


def _opposite(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _discordant(source: Source, a: str, b: str) -> int:
    agents = source.grid.agents
    pair = pair_of(source.grid, source.planned, source.score, agents.index(a), agents.index(b))
    return int(pair_statistics(unit_table(pair.table, pair.families)).discordant[0])


def named(source: Source, place: int, first: int) -> BestClaim:
    """Judge an agent that was named beforehand against each other one, nothing adjusted: all pairs must agree."""
    grid, settings = source.grid, source.settings
    rows = [_alone(source, place, other) for other in range(len(grid.agents)) if other != place]
    found = record_claim(
        [row.p for row in rows], [row.difference or 0.0 for row in rows], level=settings.level
    )
    units = count_units(grid.families, len(grid.tasks))
    most = attainable(units, level=settings.level)
    of = plural(units, *(("task",) if grid.families is None else ("family of tasks", "families of tasks")))
    too_few = f"with {of} the least attainable p is {most.p:g}" if most.missing else None
    reason = found.reason or too_few
    return BestClaim(
        agent=grid.agents[place],
        named=True,
        supported=found.supported if reason is None else None,
        p=found.p,
        level=settings.level,
        method=f"intersection-union test of the pairs with all others, nothing adjusted, null: {settings.null}; the largest p",
        rivals=len(rows),
        beaten=found.beaten,
        untested=0,
        shares_first_with=_level_with(source, place) if place == first else (),
        rows=tuple(rows[i] for i in found.order),
        seed=settings.seed,
        reason=reason,
    )


def _alone(source: Source, place: int, other: int) -> RivalRow:
    pair = pair_of(source.grid, source.planned, source.score, place, other)
    test = pair_test(pair, source.settings)
    difference = tested_interval(pair.difference, test, pair.families, share=pair.share)
    p = float(test.p_adjusted[0]) if (difference.value or 0.0) > 0 else 1.0
    return RivalRow(
        rival=pair.b,
        difference=difference.value,
        low=difference.low,
        high=difference.high,
        p=p,
        beaten=p <= test.level,
        n_tasks=len(pair.tasks),
        discordance=discordance(int(test.discordant[0]), test.level),
        resamples=test.resamples,
        exact=test.exact,
        reason=difference.reason,
    )


def _level_with(source: Source, place: int) -> tuple[str, ...]:
    means = ranking_means(source.planned)
    return tuple(
        agent for i, agent in enumerate(source.grid.agents) if i != place and means[i] == means[place]
    )
