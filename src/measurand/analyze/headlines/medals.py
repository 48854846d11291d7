"""MLE-bench: the share of competitions with a medal, and the counts that its reports state."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.analyze.headlines.records import COUNT, SHARE, Headline, Tally
from measurand.analyze.headlines.rows import PASSED, Group, groups, judged
from measurand.model.outcomes import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.model.imports import Declaration

__all__ = ["mle_bench"]

_ANY: Final = "any medal"
_FLAGS: Final = {
    "gold medals": "gold",
    "silver medals": "silver",
    "bronze medals": "bronze",
    "above median": "above_median",
}
"""Total of a report -> the verdict that it counts."""


def mle_bench(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Any medal, mean and standard error of the mean over seeds; and totals over all trials."""
    official = judged(frame)
    return [one for group in groups(official) for one in (*_medals(group), *_totals(group))]


def _medals(group: Group) -> list[Headline]:
    shares = [
        float(rows[PASSED].fill_null(value=False).mean() or 0.0)  # type: ignore[arg-type]
        for _, rows in group.rows.group_by("trial", maintain_order=True)
    ]
    passes, n = int(group.rows[PASSED].sum() or 0), group.rows.height
    error = statistics.stdev(shares) / len(shares) ** 0.5 if len(shares) > 1 else None
    seeds = f"mean over {len(shares)} seeds" if len(shares) > 1 else "one seed"
    note = f"competitions with any medal, {seeds}; a padded seed counts as failed"
    mean = Headline(
        agent=group.agent,
        name=_ANY,
        value=sum(shares) / len(shares),
        unit=SHARE,
        n=n,
        note=note,
        suite=group.suite,
        tally=Tally(passes, n, group.rows[PASSED].null_count()),
    )
    why = "standard error of the mean over seeds" if error is not None else "one seed has no standard error"
    return [
        mean,
        Headline(
            agent=group.agent, name=f"{_ANY}, s.e.m.", value=error, n=len(shares), note=why, suite=group.suite
        ),
    ]


def _totals(group: Group) -> list[Headline]:
    rows = group.rows
    counts = {
        "runs": rows.height,
        "medals": int(rows[PASSED].sum() or 0),
        "valid submissions": rows.filter(
            (pl.col("verdict") == Verdict.PASS.value) & (pl.col("outcome") == Outcome.COMPLETED.value)
        ).height,
    }
    for name, flag in _FLAGS.items():
        found = judged(rows.with_columns(verdict=pl.lit(None, pl.String)), flag)
        counts[name] = int(found[PASSED].sum() or 0)
    return [
        Headline(
            agent=group.agent,
            name=name,
            value=float(value),
            unit=COUNT,
            n=rows.height,
            suite=group.suite,
            beside=True,
        )
        for name, value in counts.items()
    ]
