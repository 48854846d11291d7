"""What agents cost, each meter on its own axis. Unknown is unknown: sums over unknowns are lower bounds."""

from __future__ import annotations

import math
from typing import Final

import polars as pl

from measurand.analyze.records import Meter

__all__ = ["METERS", "meters", "with_tokens"]

METERS: Final = {
    "cost_usd": "USD",
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
