"""The standings: one row an agent, with its rates, means, costs and what the test says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from measurand.analyze.estimates import estimates, family_errors, gate_rates
from measurand.analyze.means import ranking_means
from measurand.analyze.meters import meters
from measurand.analyze.records import AgentRow, Estimate, Meter, ScoreSummary
from measurand.score.names import SHARES

if TYPE_CHECKING:
    from measurand.analyze.cells import Cells
    from measurand.analyze.prepare import Prepared
    from measurand.analyze.settings import Settings
    from measurand.analyze.tiering.separation import Separation

__all__ = ["standings"]


def standings(
    prepared: Prepared, cells: dict[str, Cells], first: Separation, settings: Settings
) -> tuple[AgentRow, ...]:
    """All agents by the ranking score, the tested ones with what the test says of them."""
    _, scored, grid, scores = prepared
    rates = gate_rates(grid, settings)
    summaries = _summaries(prepared, cells, settings)
    spent: dict[str, tuple[Meter, ...]] = meters(scored)
    ended = _outcomes(scored)
    means = np.nan_to_num(ranking_means(cells[scores[0]].planned), nan=-np.inf)
    recorded = grid.recorded
    places = {column: place for place, column in enumerate(first.family)}
    order = sorted(
        range(len(grid.agents)), key=lambda i: (-means[i], places.get(i, len(places)), grid.agents[i])
    )
    rows = []
    for i in order:
        agent = grid.agents[i]
        place = _place(first, places.get(i))
        rows.append(
            AgentRow(
                agent=agent,
                rank=1 + int((means > means[i]).sum()),
                tested=i in places,
                rank_low=place.rank_low,
                rank_high=place.rank_high,
                tier=place.tier,
                letters=place.letters,
                possible_best=place.possible_best,
                gate=rates[i],
                scores=summaries[agent],
                family_errors=family_errors(
                    cells[scores[0]].planned[:, i], grid.families, settings, share=scores[0] in SHARES
                ),
                meters=spent[agent],
                tasks=int((recorded[:, i] > 0).sum()),
                trials=int(recorded[:, i].sum()),
                outcomes=ended[agent],
            )
        )
    return tuple(rows)


class _Place(NamedTuple):
    """What the test says of one agent."""

    rank_low: int | None = None
    rank_high: int | None = None
    tier: int | None = None
    letters: str | None = None
    possible_best: bool | None = None


def _place(tested: Separation, entry: int | None) -> _Place:
    """Look up an entry of the tested family; nothing is said of an agent outside it, or without an answer."""
    tiers = tested.tiers
    if tiers is None or entry is None:
        return _Place()
    return _Place(
        rank_low=tiers.rank_low[entry],
        rank_high=tiers.rank_high[entry],
        tier=tiers.tier[entry],
        letters=tiers.letters[entry] if tiers.letters else None,
        possible_best=entry in tiers.possible_best,
    )


def _outcomes(scored: pl.DataFrame) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for agent, outcome, count in (
        scored.group_by("agent", "outcome").len().sort("agent", "outcome").iter_rows()
    ):
        counts.setdefault(agent, {})[outcome] = count
    return counts


def _summaries(
    prepared: Prepared, cells: dict[str, Cells], settings: Settings
) -> dict[str, tuple[ScoreSummary, ...]]:
    """Mean of each agent under each score but the gate rate, which the standings show in its three forms."""
    _, scored, grid, scores = prepared
    means: dict[str, list[Estimate]] = {
        score: estimates(cells[score].planned, grid.families, settings, share=score in SHARES)
        for score in scores
        if score != "gate"
    }
    facts = scored.group_by("agent").agg(
        pl.col("clip_bound").sum(),
        pl.col("below_baseline").sum(),
        pl.col("valid").sum(),
        *(pl.col(score).filter("valid").mean().alias(f"{score}_valid") for score in means),
    )
    by_agent = {row["agent"]: row for row in facts.iter_rows(named=True)}
    return {
        agent: tuple(
            ScoreSummary(
                score=score,
                mean=means[score][place],
                given_pass=by_agent[agent][f"{score}_valid"],
                clipped=by_agent[agent]["clip_bound"],
                below_baseline=by_agent[agent]["below_baseline"],
                valid=by_agent[agent]["valid"],
            )
            for score in means
        )
        for place, agent in enumerate(grid.agents)
    }
