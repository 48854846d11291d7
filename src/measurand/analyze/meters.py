"""What agents cost, each meter on its own axis. Unknown is unknown: sums over unknowns are lower bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from measurand.analyze.records import Estimate, Meter
from measurand.infer.cost.per_success import cost_per_success

if TYPE_CHECKING:
    from measurand.analyze.cells import Grid
    from measurand.analyze.settings import Settings

__all__ = ["METERS", "meters", "per_success", "with_tokens"]

METERS: Final = {
    "cost_usd": "USD",
    "repriced_usd": "USD",
    "tokens": "tokens",
    "steps": "steps",
    "tool_calls": "calls",
    "wall_s": "s",
    "working_s": "s",
}
"""Meter -> unit, in the order of display."""


def with_tokens(frame: pl.DataFrame) -> pl.DataFrame:
    """Add ``tokens``: the sum that the source gives, else input and output with what is known of the cache classes."""
    parts = pl.col("input_tokens") + pl.col("output_tokens")
    cache = pl.col("cached_tokens").fill_null(0) + pl.col("cache_write_tokens").fill_null(0)
    return frame.with_columns(pl.coalesce("total_tokens", parts + cache).alias("tokens"))


def meters(scored: pl.DataFrame) -> dict[str, tuple[Meter, ...]]:
    """Meters of each agent; a meter that no trial of the suite has is left out.

    Args:
        scored: scored rows of the trial table with ``tokens``.
    """
    names = [name for name in METERS if scored[name].null_count() < scored.height]
    groups = scored.select("agent", "gate", *names).partition_by("agent", as_dict=True)
    return {
        str(agent): tuple(_meter(name, rows[name], int(rows["gate"].sum())) for name in names)
        for (agent,), rows in groups.items()
    }


def _meter(name: str, values: pl.Series, successes: int) -> Meter:
    known = values.drop_nulls()
    total = math.fsum(known) if len(known) else None
    middle = known.median()
    return Meter(
        name=name,
        unit=METERS[name],
        known=len(known),
        trials=len(values),
        total=total,
        lower_bound=0 < len(known) < len(values),
        mean_known=None if total is None else total / len(known),
        median_known=float(middle) if isinstance(middle, (int, float)) else None,
        per_success=None if total is None or not successes else total / successes,
    )


def per_success(grid: Grid, name: str, settings: Settings) -> tuple[Estimate, ...]:
    """Cost of all trials over the passed ones, one an agent of the grid, with a bootstrap interval over tasks (SPEC 20).

    Without a success, or without a known trial, there is no value. Where a trial is unmetered the value is a lower bound
    and has no interval. An upper end that more resamples than the level allows leave without a success is ``None``.
    """
    spent, passes = grid.meter(name), grid.total("gate")
    cost = np.where(spent.known == grid.planned, spent.total, np.nan)
    found = cost_per_success(
        cost,
        passes,
        families=grid.families,
        level=1 - settings.level,
        resamples=settings.resamples,
        rng=settings.seed,
    )
    total, known, successes = spent.total.sum(axis=0), spent.known.sum(axis=0), passes.sum(axis=0)
    estimates = []
    for agent in range(len(grid.agents)):
        one, low, high = found.interval(agent), float(found.low[agent]), float(found.high[agent])
        value = None if not known[agent] or not successes[agent] else float(total[agent] / successes[agent])
        open_end = math.isinf(high)
        estimates.append(
            Estimate(
                value=value,
                low=low if math.isfinite(low) else None,
                high=high if math.isfinite(high) else None,
                level=one.level,
                method=f"{one.method}, {one.resamples} resamples, seed {one.seed}" + _few(one.caution),
                n=one.n,
                reason="no upper end: too many resamples hold no success" if open_end else one.reason,
            )
        )
    return tuple(estimates)


def _few(caution: str | None) -> str:
    return f", optimistic: {caution}" if caution else ""
