"""Rows of the trial table as definitions need them: whether a trial officially passed, and whose trials belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from measurand.analyze.headlines.records import Tally
from measurand.model.outcomes import Verdict
from measurand.model.verdicts import named_verdict
from measurand.score.verdicts import gate_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from measurand.model.imports import Declaration

__all__ = ["PASSED", "Group", "declared", "groups", "judged", "rounding", "tally"]

PASSED = "passed"
_FEW = 4
"""Decimals up to which a score counts as rounded."""


class Group(NamedTuple):
    """Trials of an agent in a suite, or in a part of it."""

    agent: str
    suite: str
    part: str
    rows: pl.DataFrame


def judged(frame: pl.DataFrame, name: str = "official") -> pl.DataFrame:
    """Add the column ``passed``: the verdict called ``name``, else what the gate is worth; null without either."""
    gate = gate_of(pl.col("verdict") == Verdict.PASS.value) == 1.0
    return frame.with_columns(pl.coalesce(named_verdict(name), gate).alias(PASSED))


def groups(frame: pl.DataFrame, part: str | None = None) -> Iterator[Group]:
    """Yield the trials of each agent and suite, and of each value of the column ``part`` where one is named."""
    by = ["agent", "suite", *([part] if part else [])]
    for key, rows in frame.sort("agent", "suite", maintain_order=True).group_by(by, maintain_order=True):
        if part is None or key[2] is not None:
            yield Group(str(key[0]), str(key[1]), "" if part is None else str(key[2]), rows)


def declared(suite: str, rows: pl.DataFrame, declarations: Sequence[Declaration]) -> int:
    """Tasks that the suite has beyond those in ``rows``, where its source declares them and an absent one is a fail."""
    sizes = [one.tasks for one in declarations if one.suite == suite and one.absent_is_fail and one.tasks]
    return max(0, max(sizes, default=0) - rows["task"].n_unique())


def rounding(scores: pl.Series) -> float:
    """Half a unit of the last decimal that scores are written with; 0 where they are whole, or not rounded to few decimals."""
    digits = max((_decimals(score) for score in scores.drop_nulls().unique()), default=0)
    return 0.5 * 10.0**-digits if 0 < digits <= _FEW else 0.0


def _decimals(value: float) -> int:
    text = repr(float(value))
    return _FEW + 1 if "e" in text else len(text.partition(".")[2].rstrip("0"))


def tally(rows: pl.DataFrame, absent: int = 0) -> Tally:
    """Count passes; a trial without a verdict and an absent task count as not passed."""
    return Tally(int(rows[PASSED].sum() or 0), rows.height + absent, rows[PASSED].null_count(), absent)
