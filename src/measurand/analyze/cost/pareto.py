"""The cost axis: who is efficient, who leads at which exchange rate of quality and cost, and what of it is shown."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.cost.cost_axis import CostAxis, Placed, place
from measurand.analyze.cost.exchange_pair import (
    exact_interval,
    pair_rates,
    rate_test,
    shown_interval,
    tested_rates,
)
from measurand.analyze.cost.methods import pareto_methods
from measurand.analyze.cost.records import CostRow, PairRates, Pareto, ParetoPart
from measurand.analyze.findings import findings
from measurand.analyze.means import ranking_means
from measurand.analyze.meters import METERS, per_success
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.settings import Choice, Settings
from measurand.infer.cost.efficient import possibly_efficient
from measurand.infer.cost.pareto import dominators, upper_envelope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.infer.cost.efficient import PossiblyEfficient
    from measurand.infer.cost.exchange import ExchangeRates
    from measurand.model.table import Trials

__all__ = ["CostAxis", "Pareto", "pareto", "pareto_of"]

_ALL_PAIRS: Final = 10
"""Agents up to which every pair is listed; beyond, the pairs of efficient agents."""


def pareto(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    axis: CostAxis | None = None,
    command: str | None = None,
) -> Pareto:
    """Set the quality of agents against what they cost.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged; ``top`` is not looked at, for cheap agents seldom head the standings.
        axis: which cost, and who is tested: all whose cost is known, unless it says otherwise.
        command: the command that reproduces this.

    Returns:
        The efficient agents, the exchange rates at which each leads, and those at which it is shown to lead; agents
        whose cost is not known are listed apart, never placed.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite, agent, score or meter that is not there.

    Source: SPEC 14; SPEC 20, cost per success and who may be efficient.
    """
    choice, settings, axis = choice or Choice(), settings or Settings(), axis or CostAxis()
    prepared = prepare(trials, choice, settings)
    part = _part(prepared, settings, axis)
    return Pareto(
        **{name: getattr(part, name) for name in part.__struct_fields__},
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        findings=findings(trials, prepared.selection, prepared.scored, prepared.grid, settings),
        methods=pareto_methods(part, settings),
        command=command,
    )


def pareto_of(prepared: Prepared, settings: Settings, axis: CostAxis | None = None) -> ParetoPart | None:
    """Return what a board says of costs; ``None`` where no trial has the meter."""
    axis = axis or CostAxis()
    if prepared.scored[axis.meter].null_count() == prepared.scored.height:
        return None
    return _part(prepared, settings, axis)


def _part(prepared: Prepared, settings: Settings, axis: CostAxis) -> ParetoPart:
    placed = place(prepared, settings, axis)
    grid, scored = prepared.grid, prepared.scored
    names = tuple(grid.agents[i] for i in placed.columns)
    family = len(names) if axis.top is None else min(axis.top, len(names))
    rates = tested_rates(placed, family, settings)
    rows = _rows(prepared, placed, rates, settings, axis)
    known = [name for name in METERS if scored[name].null_count() < scored.height]
    return ParetoPart(
        score=prepared.scores[0],
        meter=axis.meter,
        unit=METERS[axis.meter],
        log_cost=axis.log,
        coverage=axis.coverage,
        n_tasks=len(grid.tasks),
        n_used=len(placed.tasks),
        n_fixed=int((np.ptp(placed.cost, axis=0) <= 1e-12 * placed.cost.max(axis=0)).sum()) if names else 0,
        agents=rows,
        apart=placed.apart,
        pairs=_pairs(names, rows, placed, rates),
        test=rate_test(placed, names[:family], rates) if names else None,
        other_meters=tuple(name for name in known if name != axis.meter),
        reason=None if names else f"no agent has a place on the axis of {axis.meter}",
    )


def _rows(
    prepared: Prepared, placed: Placed, rates: ExchangeRates, settings: Settings, axis: CostAxis
) -> tuple[CostRow, ...]:
    names = [prepared.grid.agents[i] for i in placed.columns]
    quality, position = ranking_means(placed.quality).tolist(), ranking_means(placed.axis).tolist()
    cost = ranking_means(placed.cost).tolist()
    better = dominators(quality, position)
    leads = upper_envelope(quality, position)
    low, high = rates.leads()
    possible, unbeaten = possibly_efficient(rates), rates.unbeaten()
    spent = per_success(prepared.grid, axis.meter, settings)
    rows = []
    for i, name in enumerate(names):
        by = better[i] or ()
        tested = i < len(low)
        rows.append(
            CostRow(
                agent=name,
                quality=quality[i],
                cost=cost[i],
                log2_cost=position[i] if axis.log else None,
                coverage=float(placed.coverage[i]),
                per_success=spent[placed.columns[i]],
                per_success_at_least=bool(placed.coverage[i] < 1),
                efficient=not by,
                dominated_by=names[by[0]] if by else None,
                lead=exact_interval(leads[i]),
                tested=tested,
                may_be_efficient=_may_be(possible, i) if tested else None,
                excluded_by=tuple(names[j] for j in possible.excluded_by[i]) if tested else (),
                supported=shown_interval(low[i], high[i]) if tested and len(low) > 1 else None,
                may_lead=tuple(found for ends in unbeaten[i] if (found := shown_interval(*ends)))
                if tested and rates.reason is None
                else None,
            )
        )
    return tuple(rows)


def _may_be(possible: PossiblyEfficient, agent: int) -> bool | None:
    return None if possible.reason is not None else bool(possible.stays[agent])


def _pairs(
    names: Sequence[str], rows: Sequence[CostRow], placed: Placed, rates: ExchangeRates
) -> tuple[PairRates, ...]:
    chosen = [i for i, row in enumerate(rows) if row.efficient or len(rows) <= _ALL_PAIRS]
    return tuple(pair_rates(names, i, j, placed, rates) for i, j in permutations(chosen, 2))
