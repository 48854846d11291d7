"""Harmonic means of speed-ups: AlgoTune and SWE-fficiency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.analyze.headlines.records import Headline, X
from measurand.analyze.headlines.rows import PASSED, Group, declared, groups, judged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.model.imports import Declaration

__all__ = ["algotune", "swefficiency"]

_NAME: Final = "harmonic mean speed-up"


def algotune(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Harmonic mean of speed-ups over the reference solver; no valid solver, and one slower than it, count as 1."""
    speed = pl.max_horizontal(pl.col("quantity").fill_null(1.0), pl.lit(1.0))
    tasks = frame["task"].n_unique()
    return [
        _harmonic(
            group, speed, max(0, tasks - group.rows["task"].n_unique()), "N/A and less than 1 count as 1"
        )
        for group in groups(frame)
    ]


def swefficiency(frame: pl.DataFrame, declarations: Sequence[Declaration]) -> list[Headline]:
    """Harmonic mean of the agent's speed-up over the expert's; without a patch that passes, the agent's speed-up is 1."""
    fallback = (1.0 / pl.col("reference")).fill_null(1.0)
    ratio = (
        pl.when(pl.col(PASSED).fill_null(value=False))
        .then(-1.0 / pl.col("official_score"))
        .otherwise(fallback)
    )
    note = "speed-up over the expert's; failed tests or no patch count as a speed-up of 1"
    return [
        _harmonic(group, ratio.fill_null(fallback), declared(group.suite, group.rows, declarations), note)
        for group in groups(judged(frame))
    ]


def _harmonic(group: Group, speed: pl.Expr, absent: int, note: str) -> Headline:
    """Divide n by the sum of inverses. An absent task has a speed-up of 1."""
    inverses = float(group.rows.select((1.0 / speed).sum()).item()) + absent
    n = group.rows.height + absent
    told = f"{note}; {absent} absent tasks too" if absent else note
    return Headline(
        agent=group.agent, name=_NAME, value=n / inverses, unit=X, n=n, note=told, suite=group.suite
    )
