"""Pairs of agents on the cost axis: at which exchange rates the one beats the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.cost.cost_axis import CostAxis, Placed, place
from measurand.analyze.cost.records import PairExchange, PairRates, RateInterval, RateTest
from measurand.analyze.means import column_means, count_units, ranking_means, unit_name
from measurand.analyze.meters import METERS
from measurand.infer.cost.exchange import ExchangeRates, exchange_rates
from measurand.infer.cost.pareto import upper_envelope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.prepare import Prepared
    from measurand.analyze.settings import Settings
    from measurand.infer.cost.pareto import LeadInterval

__all__ = [
    "exact_interval",
    "exchange_of_pair",
    "pair_rates",
    "rate_test",
    "shown_interval",
    "tested_rates",
]


def exchange_of_pair(
    prepared: Prepared, a: str, b: str, settings: Settings, axis: CostAxis | None = None
) -> PairExchange:
    """Say at which exchange rates ``a`` beats ``b``, and ``b`` beats ``a``; two agents named beforehand.

    Args:
        prepared: a selection that holds both.
        a: name of an agent of the grid.
        b: name of another one.
        settings: how they are judged.
        axis: which cost; dollars when left out.

    Returns:
        Both directions; without them, and with a reason, where the cost of either is not known well enough.
    """
    axis = axis or CostAxis()
    placed = place(prepared, settings, replace(axis, top=None), among=(a, b))
    names = [prepared.grid.agents[i] for i in placed.columns]
    apart = {row.agent: row.reason for row in placed.apart}
    record = PairExchange(
        a=a,
        b=b,
        score=prepared.scores[0],
        meter=axis.meter,
        unit=METERS[axis.meter],
        log_cost=axis.log,
        n_tasks=len(placed.tasks),
        cost_a=None,
        cost_b=None,
        a_over_b=None,
        b_over_a=None,
        test=None,
        reason="; ".join(f"{name}: {apart[name]}" for name in (a, b) if name in apart) or None,
    )
    if record.reason is not None:
        return record
    rates = tested_rates(placed, 2, settings)
    cost = dict(zip(names, column_means(placed.cost).tolist(), strict=True))
    first, second = names.index(a), names.index(b)
    return PairExchange(
        **{name: getattr(record, name) for name in record.__struct_fields__ if name not in _FOUND},
        cost_a=cost[a],
        cost_b=cost[b],
        a_over_b=pair_rates(names, first, second, placed, rates),
        b_over_a=pair_rates(names, second, first, placed, rates),
        test=rate_test(placed, names, rates),
    )


_FOUND = frozenset({"cost_a", "cost_b", "a_over_b", "b_over_a", "test"})


def tested_rates(placed: Placed, family: int, settings: Settings) -> ExchangeRates:
    """Test the first ``family`` of the placed agents."""
    return exchange_rates(
        placed.quality[:, :family],
        placed.axis[:, :family],
        families=placed.families,
        level=settings.level,
        resamples=settings.resamples,
        rng=settings.seed,
    )


def rate_test(placed: Placed, names: Sequence[str], rates: ExchangeRates) -> RateTest:
    """Record what the shown exchange rates rest on."""
    return RateTest(
        family=tuple(names),
        level=rates.level,
        critical_value=rates.critical_value,
        method=rates.method,
        n_tasks=rates.n_tasks,
        n_units=count_units(placed.families, rates.n_tasks),
        unit=unit_name(placed.families),
        resamples=rates.resamples,
        exact=rates.exact,
        seed=rates.seed,
        reason=rates.reason,
        caution=rates.caution,
    )


def pair_rates(names: Sequence[str], i: int, j: int, placed: Placed, rates: ExchangeRates) -> PairRates:
    """Record where placed agent ``i`` beats ``j``."""
    both = [i, j]
    means = (ranking_means(table[:, both]).tolist() for table in (placed.quality, placed.axis))
    tested = max(both) < len(rates.p)
    return PairRates(
        agent=names[i],
        rival=names[j],
        rates=exact_interval(upper_envelope(*means)[0]),
        supported=shown_interval(rates.low[i, j], rates.high[i, j]) if tested else None,
        p=float(rates.p[i, j]) if tested else None,
    )


def exact_interval(lead: LeadInterval | None) -> RateInterval | None:
    """Turn the interval of the means into a record."""
    if lead is None:
        return None
    return RateInterval(low=float(lead.low), high=None if lead.high is None else float(lead.high))


def shown_interval(low: float, high: float) -> RateInterval | None:
    """Turn the ends of a shown interval into a record; NaN is none, infinity no end."""
    if np.isnan(low):
        return None
    return RateInterval(low=float(low), high=None if np.isinf(high) else float(high))
