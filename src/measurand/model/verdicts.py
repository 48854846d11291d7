"""Further verdicts of trials, by name, and their counts where trials are not at hand."""

from __future__ import annotations

import msgspec
import polars as pl

__all__ = ["VerdictCounts", "named_verdict", "verdict_names"]


class VerdictCounts(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's passes by two verdicts, counted."""

    agent: str
    tasks: int | None
    """Tasks tried once each, or trials; ``None`` when nobody says."""
    first: int
    """Passes by the first verdict."""
    checked: int
    """Those of them that the second verdict looked at."""
    second: int
    """Those of them that it passed too."""


def named_verdict(name: str) -> pl.Expr:
    """Give the further verdict of that name: true, false, or null where a trial has none."""
    is_it = pl.element().struct.field("name") == name
    return pl.col("verdicts").list.eval(pl.element().filter(is_it).struct.field("passed")).list.first()


def verdict_names(frame: pl.DataFrame) -> tuple[str, ...]:
    """Names of the further verdicts that any trial has, sorted."""
    if frame["verdicts"].null_count() == frame.height:
        return ()
    names = frame["verdicts"].list.eval(pl.element().struct.field("name")).explode().drop_nulls()
    return tuple(sorted(names.unique()))
