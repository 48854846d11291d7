"""Verdicts of trials as 1, 0 or unknown: what the outcome lets each of them say."""

from __future__ import annotations

import polars as pl

from measurand.errors import UsageError
from measurand.model.outcomes import COUNTS_AS, CountsAs, Verdict
from measurand.model.verdicts import named_verdict, verdict_names
from measurand.score.names import GATE
from measurand.wording import listed, meant

__all__ = ["gate_of", "with_verdict"]


def gate_of(passed: pl.Expr) -> pl.Expr:
    """1, 0 or null: what a verdict is worth by what the trial's outcome counts as (DESIGN section 4)."""
    kinds = {outcome.value: counts.value for outcome, counts in COUNTS_AS.items()}
    counts = pl.col("outcome").replace_strict(kinds, return_dtype=pl.String)
    return (
        pl.when(counts == CountsAs.BY_GATE.value)
        .then(passed.cast(pl.Float64))
        .when(counts == CountsAs.FAIL.value)
        .then(0.0)
        .when(counts == CountsAs.FAIL_UNLESS_PASSED.value)
        .then(passed.fill_null(value=False).cast(pl.Float64))
    )


def with_verdict(frame: pl.DataFrame, name: str, column: str, *, again: bool = False) -> pl.DataFrame:
    """Add ``column`` with a verdict by name: 1 passed, 0 not, null without one.

    Args:
        frame: rows of the trial table.
        name: ``gate``, or a further verdict. By either, a trial whose outcome counts as failed has failed, and one whose
            outcome counts as no verdict has none.
        column: the column to add.
        again: take a further verdict as it was recorded, null where a trial was not judged again.

    Raises:
        UsageError: no trial has a verdict of that name.
    """
    if name == GATE:
        return frame.with_columns(gate_of(pl.col("verdict") == Verdict.PASS.value).alias(column))
    names = verdict_names(frame)
    if name not in names:
        hint = f"verdicts: {listed((GATE, *names), 20)}" if names else "no trial has a further verdict"
        raise UsageError(f"there is no verdict {name!r}{meant(name, names)}", hint=hint)
    passed = named_verdict(name)
    return frame.with_columns((passed.cast(pl.Float64) if again else gate_of(passed)).alias(column))
