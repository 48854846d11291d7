"""ALE-Bench: average performance over contests, and the rating made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.analyze.headlines.records import COUNT, Headline
from measurand.analyze.headlines.rows import groups
from measurand.sources.ale_bench.rating import Contest, rating

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from measurand.model.imports import Declaration

__all__ = ["ale_bench"]


def ale_bench(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Mean of performances, and the rating; a contest without a performance is left out and told."""
    found = []
    for group in groups(frame):
        known = [float(value) for value in group.rows["official_score"].drop_nulls()]
        left = group.rows.height - len(known)
        told = f"; {left} of {group.rows.height} contests have no performance" if left else ""
        average = sum(known) / len(known) if known else None
        overall = rating(Contest(value, 0.0) for value in known)
        ageless = "rating of the performances; days of contests are not among the trials, so none has aged"
        for name, value, note in (
            ("average performance", average, f"mean of performances{told}"),
            ("rating", overall, f"{ageless}{told}"),
        ):
            found.append(
                Headline(
                    agent=group.agent,
                    name=name,
                    value=value,
                    unit=COUNT,
                    n=len(known),
                    note=note,
                    suite=group.suite,
                )
            )
    return found
