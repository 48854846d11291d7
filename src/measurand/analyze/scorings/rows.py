"""One scoring at a time, and any two: tiers, saturation and ranks under each, and how far their orders agree."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from measurand.analyze.means import finite, ranking_means
from measurand.analyze.scorings.available import passed_unknown
from measurand.analyze.tiering.separation import Separation, separate
from measurand.infer.headroom.saturation import Saturation, saturation
from measurand.infer.verifiers.kendall import kendall
from measurand.score.names import SCORES
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from measurand.analyze.cells import Floats
    from measurand.analyze.prepare import Prepared
    from measurand.analyze.settings import Settings

__all__ = [
    "AgentPlaces",
    "Judged",
    "OrderPair",
    "Place",
    "ScoringRow",
    "agent_places",
    "judge_all",
    "order_pairs",
    "scoring_row",
]


class ScoringRow(msgspec.Struct, frozen=True, kw_only=True):
    """The head of the standings under one scoring; each scoring chooses its own family of agents."""

    score: str
    says: str
    """What the score is, in a few words."""
    reason: str | None = None
    """Why the scoring cannot be had from the data; ``None`` where it can."""
    same_as: str | None = None
    """A scoring that gives every agent the same number on every task: the standard, or an earlier one."""
    family: tuple[str, ...] = ()
    """The agents tested, best first."""
    tiers: tuple[int, ...] = ()
    """Tier of each agent of the family; empty where the test gives no answer."""
    n_tiers: int | None = None
    n_pairs: int = 0
    n_significant: int = 0
    test_reason: str | None = None
    """Why the test gives no answer."""
    index: float | None = None
    """Saturation index S, paired, of the first agent and the one at place ``k``."""
    category: str | None = None
    r: float | None = None
    t: float | None = None
    """Paired t; ``None`` also when it is infinite (every task differs by the same amount)."""
    n: int = 0
    k: int = 0
    first: str | None = None
    kth: str | None = None
    dominance: float | None = None
    """Share of the whole difference of these two that one task carries."""
    spread: float | None = None
    """First mean minus last mean of the family."""
    notes: tuple[str, ...] = ()
    """On the saturation index, and on trials that count as 0."""
    test_notes: tuple[str, ...] = ()
    """On the tiers: whether they depend on the null, or on how trials without a verdict count."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where an agent stands under one scoring."""

    rank: int
    """Equal means share a rank."""
    mean: float
    tier: int | None
    """``None`` outside the tested family, or where the test gives no answer."""


class AgentPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where one agent stands under each scoring."""

    agent: str
    places: dict[str, Place]
    """Score -> place, of the scorings that the data allow."""


class OrderPair(msgspec.Struct, frozen=True, kw_only=True):
    """How far the orders of all agents under two scorings agree."""

    a: str
    b: str
    tau_b: float | None
    n_agents: int
    reversed_pairs: int
    """Pairs of agents that stand in opposite orders."""
    moved: int | None
    """Agents whose rank differs; ``None`` where one of the two has no order."""
    most_moved: str | None
    """The agent whose rank differs most."""
    rank_a: int | None
    rank_b: int | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A scoring with the core's results behind it."""

    table: Floats
    means: Floats
    tested: Separation
    saturation: Saturation
    same_as: str | None


def judge_all(
    prepared: Prepared, scores: Iterable[str], settings: Settings, *, tested: Mapping[str, Separation]
) -> dict[str, Judged]:
    """Test each scoring for itself, all with the same settings; those that give the same numbers once.

    Args:
        prepared: what is judged.
        scores: the scorings; of two that give the same numbers, the later one is said to be the same as the earlier.
        settings: how they are judged.
        tested: tests that were run with these settings already.
    """
    judged: dict[str, Judged] = {}
    for score in scores:
        cells = prepared.grid.cells(score)
        same = next((name for name, one in judged.items() if _equal(one.table, cells.planned)), None)
        if same is not None:
            judged[score] = replace(judged[same], same_as=judged[same].same_as or same)
            continue
        judged[score] = Judged(
            table=cells.planned,
            means=ranking_means(cells.planned),
            tested=tested.get(score) or separate(prepared.grid, cells, score, settings),
            saturation=saturation(cells.planned, k=settings.places, alpha=settings.alpha),
            same_as=None,
        )
    return judged


def _equal(a: Floats, b: Floats) -> bool:
    return np.array_equal(a, b, equal_nan=True)


def scoring_row(prepared: Prepared, score: str, judged: Judged) -> ScoringRow:
    """Say with names what the test and the saturation index of one scoring found."""
    names, test, found = prepared.grid.agents, judged.tested.record, judged.saturation
    shown = judged.tested.tiers
    return ScoringRow(
        score=score,
        says=SCORES[score],
        same_as=judged.same_as,
        family=test.family,
        tiers=() if shown is None else tuple(shown.tier[i] for i in shown.order),
        n_tiers=None if shown is None else shown.n_tiers,
        n_pairs=test.n_pairs,
        n_significant=test.n_significant,
        test_reason=test.reason,
        index=found.index,
        category=found.category,
        r=finite(found.r),
        t=finite(found.t),
        n=found.n,
        k=found.k,
        first=None if found.first is None else names[found.first],
        kth=None if found.kth is None else names[found.kth],
        dominance=found.dominance,
        spread=test.spread,
        notes=tuple(_notes(prepared, score, found)),
        test_notes=test.notes,
    )


def _notes(prepared: Prepared, score: str, found: Saturation) -> list[str]:
    notes = [*([f"{found.reason}"] if found.reason else []), *found.flags]
    if found.value_if_tied is not None:
        notes.append(
            f"agents tie for the last place compared; with another of them S = {found.value_if_tied:.3f}"
        )
    unknown = passed_unknown(prepared.scored, score) if score not in {"gate", "official"} else 0
    if unknown:
        text = f"{plural(unknown, 'trial')} that passed without a quantity that can be scored "
        notes.append(text + ("counts as 0" if unknown == 1 else "count as 0"))
    return notes


def agent_places(prepared: Prepared, judged: dict[str, Judged], standard: str) -> tuple[AgentPlaces, ...]:
    """Where each agent stands, in the order of the standard and of the tested family within it."""
    names = prepared.grid.agents
    places = {score: _places(one) for score, one in judged.items()}
    head = {column: place for place, column in enumerate(judged[standard].tested.family)}
    means = np.nan_to_num(judged[standard].means, nan=-np.inf)
    order = sorted(range(len(names)), key=lambda i: (-means[i], head.get(i, len(head)), names[i]))
    return tuple(
        AgentPlaces(agent=names[i], places={score: of[i] for score, of in places.items() if i in of})
        for i in order
    )


def _places(judged: Judged) -> dict[int, Place]:
    shown = judged.tested.tiers
    tiers = {} if shown is None else dict(zip(judged.tested.family, shown.tier, strict=True))
    return {
        i: Place(rank=1 + int((judged.means > mean).sum()), mean=float(mean), tier=tiers.get(i))
        for i, mean in enumerate(judged.means)
        if not math.isnan(mean)
    }


def order_pairs(judged: dict[str, Judged], agents: tuple[AgentPlaces, ...]) -> tuple[OrderPair, ...]:
    """Each two scorings that differ, in the order of ``judged``."""
    distinct = [score for score, one in judged.items() if one.same_as is None]
    return tuple(_order_pair(a, b, judged, agents) for a, b in combinations(distinct, 2))


def _order_pair(a: str, b: str, judged: dict[str, Judged], agents: tuple[AgentPlaces, ...]) -> OrderPair:
    found = kendall(judged[a].means, judged[b].means)
    pair = OrderPair(
        a=a,
        b=b,
        tau_b=found.tau_b,
        n_agents=found.n,
        reversed_pairs=found.discordant,
        moved=None,
        most_moved=None,
        rank_a=None,
        rank_b=None,
        reason=found.reason,
    )
    if found.tau_b is None:
        return pair
    both = [
        (one.agent, one.places[a].rank, one.places[b].rank) for one in agents if {a, b} <= set(one.places)
    ]
    pair = msgspec.structs.replace(pair, moved=sum(x != y for _, x, y in both))
    agent, rank_a, rank_b = max(both, key=lambda one: abs(one[1] - one[2]))
    if rank_a == rank_b:
        return pair
    return msgspec.structs.replace(pair, most_moved=agent, rank_a=rank_a, rank_b=rank_b)
