"""What a second verdict does to the order and the tiers of the agents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.cells import Cells
from measurand.analyze.means import head, ranking_means
from measurand.analyze.tiering.separation import Separation, separate
from measurand.analyze.verifiers.records import OrderChange, RemovalBand, TierChange
from measurand.infer.verifiers.kendall import kendall
from measurand.infer.verifiers.thinning import Thinning, random_removal
from measurand.infer.verifiers.verdicts import neighbour_reversals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from measurand.analyze.cells import Floats, Grid
    from measurand.analyze.records import TierRow
    from measurand.analyze.settings import Settings
    from measurand.analyze.verifiers.cells import CrossedCells

__all__ = ["Ranked", "no_tiers", "order_change", "ranked_cells", "tier_change"]


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The agents of the order, best first by the first verdict; ties by name."""

    names: tuple[str, ...]
    columns: tuple[int, ...]
    """Their places among all agents."""
    first: Floats
    """(m,) rates, or counts of passes where nobody says of how many."""
    second: Floats
    passes: NDArray[np.int64]
    """(g, m) passes by kinds that are worth differently."""
    worth: Floats
    """(g, m) what a pass of each kind adds to the rate."""
    rejected: int
    checked: int

    @property
    def ranks(self) -> tuple[dict[str, int], dict[str, int]]:
        """Rank of each agent before and after; equal rates share a rank."""
        return _ranks(self.names, self.first), _ranks(self.names, self.second)


def _ranks(names: tuple[str, ...], rates: Floats) -> dict[str, int]:
    return {name: 1 + int((rates > rate).sum()) for name, rate in zip(names, rates, strict=True)}


def ranked_cells(grid: Grid, cells: CrossedCells, settings: Settings) -> Ranked:
    """Order the agents of whose passes enough were re-checked: at most the limit of missing cells may be unknown."""
    passes, unknown = cells.passes.sum(axis=0), cells.unchecked.sum(axis=0)
    means = ranking_means(cells.first.planned)
    enough = np.flatnonzero((unknown <= settings.missing_limit * passes) & ~np.isnan(means))
    order = sorted(enough.tolist(), key=lambda i: (-means[i], grid.agents[i]))
    chosen = np.array(order, dtype=np.intp)
    kinds, worth = _kinds(cells, chosen)
    return Ranked(
        names=tuple(grid.agents[i] for i in order),
        columns=tuple(order),
        first=means[chosen],
        second=ranking_means(cells.second.planned[:, chosen]),
        passes=kinds,
        worth=worth,
        rejected=int(cells.rejected[:, chosen].sum()),
        checked=int(cells.checked[:, chosen].sum()),
    )


def _kinds(cells: CrossedCells, chosen: NDArray[np.intp]) -> tuple[NDArray[np.int64], Floats]:
    """Passes by the number of trials of their cell: each adds 1/trials/tasks to the mean over tasks."""
    planned, passes = cells.planned[:, chosen], cells.passes[:, chosen]
    tasks = np.maximum((planned > 0).sum(axis=0), 1)
    sizes = np.unique(planned[planned > 0])
    counts = [np.where(planned == size, passes, 0).sum(axis=0) for size in sizes]
    worth = [1.0 / (size * tasks) for size in sizes]
    shape = (len(sizes), len(chosen))
    return np.array(counts, dtype=np.int64).reshape(shape), np.array(worth).reshape(shape)


def order_change(ranked: Ranked, left_out: Sequence[str], settings: Settings) -> OrderChange:
    """Compare the order by the first verdict with that by both."""
    moved = neighbour_reversals(ranked.first, ranked.second)
    agreement = kendall(ranked.first, ranked.second)
    reasons = [agreement.reason] if agreement.reason else []
    band = None
    if len(ranked.names) < 2:
        limit, there = 1 - settings.missing_limit, len(ranked.names)
        need = f"an order needs 2 agents with at least {limit:.0%} of their passes re-checked"
        reasons = [f"{need}; there {'is' if there == 1 else 'are'} {there}"]
    elif ranked.checked == 0:
        reasons = ["no agent passes anything by the first verdict"]
    else:
        share = ranked.rejected / ranked.checked
        thinned = random_removal(
            ranked.passes,
            share,
            worth=ranked.worth,
            level=1 - settings.level,
            resamples=settings.resamples,
            rng=settings.seed,
        )
        band = _band(thinned)
    return OrderChange(
        n_agents=len(ranked.names),
        left_out=tuple(left_out),
        neighbours=moved.neighbours,
        skipped=moved.skipped,
        reversed=moved.reversed,
        tied=moved.tied,
        over_ties=moved.over_ties,
        tau_b=agreement.tau_b,
        band=band,
        reason="; ".join(reasons) or None,
    )


def _band(found: Thinning) -> RemovalBand:
    return RemovalBand(
        share=found.share,
        mean=found.mean,
        low=found.low,
        high=found.high,
        ties_mean=found.ties_mean,
        ties_low=found.ties_low,
        ties_high=found.ties_high,
        tau=found.tau,
        tau_low=found.tau_low,
        tau_high=found.tau_high,
        expected=found.expected,
        expected_ties=found.expected_ties,
        level=found.level,
        resamples=found.resamples,
        seed=found.seed,
    )


def tier_change(grid: Grid, cells: CrossedCells, ranked: Ranked, settings: Settings) -> TierChange:
    """Test the head of the first order under both verdicts: the same agents, so that the tiers can be compared."""
    order = {column: place for place, column in enumerate(ranked.columns)}
    means = np.full(len(grid.agents), np.nan)
    means[list(ranked.columns)] = ranked.first
    family = [i for i in head(means, grid.agents, settings.top) if i in order]
    names = tuple(grid.agents[i] for i in family)
    if len(family) < 2:
        return no_tiers(names, "tiers need 2 agents with enough of their passes re-checked", settings)
    same = replace(settings, top=len(family))
    before = separate(grid, _only(cells.first, family), "gate", same, cross_check=False)
    after = separate(grid, _only(cells.second, family), "gate", same, cross_check=False)
    reasons = [
        found.record.reason for found in (before, after) if found.tiers is None and found.record.reason
    ]
    return TierChange(
        family=names,
        level=settings.level,
        n_pairs=before.record.n_pairs,
        significant_first=before.record.n_significant,
        significant_second=after.record.n_significant,
        first=_tiers(before),
        second=_tiers(after),
        method=before.record.method,
        resamples=max(before.record.resamples, after.record.resamples),
        seed=before.record.seed,
        reason=reasons[0] if reasons else None,
    )


def _tiers(found: Separation) -> tuple[TierRow, ...]:
    return found.record.tiers if found.tiers is not None else ()


def _only(cells: Cells, family: Sequence[int]) -> Cells:
    """Cells of the family's agents; the others have none."""
    inside = np.zeros(cells.planned.shape[1], dtype=bool)
    inside[list(family)] = True
    return Cells(np.where(inside, cells.planned, np.nan), np.where(inside, cells.evaluated, np.nan))


def no_tiers(names: tuple[str, ...], reason: str, settings: Settings) -> TierChange:
    """Record that there are no tiers."""
    return TierChange(
        family=names,
        level=settings.level,
        n_pairs=len(names) * (len(names) - 1) // 2,
        significant_first=0,
        significant_second=0,
        first=(),
        second=(),
        method="not run",
        resamples=0,
        seed=settings.seed,
        reason=reason,
    )
