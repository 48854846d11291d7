"""Checks that every imported row passes, whatever its source: vocabularies, directions, quantities, anchors, costs.

What cannot be scored honestly is refused with its row; what is merely unusable becomes unknown and is logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import ValueRangeError
from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.sources.base import ImportLog

__all__ = ["check_directions", "check_rows"]

_WORDS: Final = {
    "outcome": tuple(outcome.value for outcome in Outcome),
    "verdict": tuple(verdict.value for verdict in Verdict),
    "better": ("higher", "lower"),
    "kind": ("ratio", "interval"),
}
_WORDS_SHOWN: Final = 8
_OUTCOME_HINT: Final = (
    ". Say what a word means with --outcome WORD=OUTCOME, or leave the column out with --map outcome="
)
_AMOUNTS: Final = (
    "cost_usd",
    "repriced_usd",
    "total_tokens",
    "input_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "steps",
    "tool_calls",
    "wall_s",
    "waiting_s",
    "working_s",
    "attempts",
)
_NEVER_PASS: Final = [
    o.value for o, counts in COUNTS_AS.items() if counts in {CountsAs.FAIL, CountsAs.NO_VERDICT}
]


def check_rows(frame: pl.DataFrame, log: ImportLog) -> pl.DataFrame:
    """Check a batch of rows of the trial table and return it, unusable amounts made unknown.

    Raises:
        ValueRangeError: an unknown word, a quantity or anchor that its kind does not allow, a reference that is
            worse than its baseline, an unknown direction.
    """
    _check_words(frame)
    frame = _unusable_amounts(frame, log)
    frame = _unusable_official(frame, log)
    frame = _unusable_quantities(frame, log)
    frame = _infer_direction(frame)
    _check_anchors(frame)
    return frame


def check_directions(frame: pl.DataFrame) -> None:
    """Refuse a task whose rows disagree about the direction or the kind of its quantity.

    Raises:
        ValueRangeError: naming the task and one row of each.
    """
    for column, label in (("better", "directions"), ("kind", "kinds")):
        mixed = (
            frame.filter(pl.col(column).is_not_null())
            .group_by("suite", "task", column, maintain_order=True)
            .agg(pl.col("source_ref").first())
            .filter(pl.len().over("suite", "task") > 1)
        )
        if not mixed.is_empty():
            first = mixed.filter(pl.col("task") == mixed["task"][0])
            rows = "; ".join(f"{row[column]} at {row['source_ref']}" for row in first.iter_rows(named=True))
            raise ValueRangeError(
                f"task {first['task'][0]!r} has mixed {label}: {rows}",
                hint="one task has one quantity; give every row the same, or split the task",
            )


def _refuse(frame: pl.DataFrame, wrong: pl.Expr, say: Callable[[dict[str, object]], str], hint: str) -> None:
    rows = frame.filter(wrong)
    if rows.is_empty():
        return
    first = rows.row(0, named=True)
    more = f" (and {rows.height - 1} more rows)" if rows.height > 1 else ""
    raise ValueRangeError(say(first) + more, where=str(first["source_ref"]), hint=hint)


def _check_words(frame: pl.DataFrame) -> None:
    for column, words in _WORDS.items():
        unknown = pl.col(column).is_in(words).not_()
        found = ", ".join(map(repr, frame.filter(unknown)[column].unique().sort().head(_WORDS_SHOWN)))
        _refuse(
            frame,
            unknown,
            lambda _, say=f"unknown {column}: {found}": say,  # type: ignore[misc]
            f"one of: {', '.join(words)}" + (_OUTCOME_HINT if column == "outcome" else ""),
        )
    _refuse(
        frame,
        (pl.col("confidence") < 0) | (pl.col("confidence") > 1) | pl.col("confidence").is_nan(),
        lambda row: f"confidence {row['confidence']} is not a probability",
        "give it between 0 and 1, or leave the cell empty",
    )


def _unusable_amounts(frame: pl.DataFrame, log: ImportLog) -> pl.DataFrame:
    """Negative or non-finite costs, tokens and times become unknown: they are no amounts."""
    for column in _AMOUNTS:
        values = pl.col(column)
        bad = values < 0
        if frame.schema[column].is_float():
            bad |= values.is_finite().not_()
        log.add_rows("unknown", f"{column} negative or not finite", frame.filter(bad))
        frame = frame.with_columns(pl.when(bad).then(None).otherwise(values).alias(column))
    return frame


def _unusable_official(frame: pl.DataFrame, log: ImportLog) -> pl.DataFrame:
    """An official score that is not finite becomes unknown: no mean can be taken of it."""
    official = pl.col("official_score")
    broken = official.is_finite().not_()
    log.add_rows("unknown", "official_score not finite", frame.filter(broken))
    return frame.with_columns(pl.when(broken).then(None).otherwise(official).alias("official_score"))


def _scored() -> pl.Expr:
    """Rows whose quantity would be scored: the gate did not fail and there is an anchor."""
    failed = (pl.col("verdict") == Verdict.FAIL.value) | pl.col("outcome").is_in(_NEVER_PASS)
    return failed.fill_null(value=False).not_() & pl.col("reference").is_not_null()


def _unusable_quantities(frame: pl.DataFrame, log: ImportLog) -> pl.DataFrame:
    """A non-finite quantity is refused where it would be scored, and unknown where it would not."""
    quantity = pl.col("quantity")
    broken = quantity.is_finite().not_()
    _refuse(
        frame,
        _scored() & broken,
        lambda row: f"quantity {row['quantity']} of task {row['task']!r} is not finite",
        "a trial without a result has an empty quantity and an outcome that says why",
    )
    log.add_rows("unknown", "quantity not finite", frame.filter(broken))
    return frame.with_columns(pl.when(broken).then(None).otherwise(quantity).alias("quantity"))


def _infer_direction(frame: pl.DataFrame) -> pl.DataFrame:
    """Two different anchors say which way is better."""
    lower = pl.col("reference") < pl.col("baseline")
    higher = pl.col("reference") > pl.col("baseline")
    inferred = pl.when(lower).then(pl.lit("lower")).when(higher).then(pl.lit("higher"))
    return frame.with_columns(pl.col("better").fill_null(inferred))


def _check_anchors(frame: pl.DataFrame) -> None:
    ratio = pl.col("kind").fill_null("ratio") == "ratio"
    for column in ("baseline", "reference"):
        value = pl.col(column)
        bad = value.is_finite().not_() | (ratio & (value <= 0))
        _refuse(
            frame,
            bad,
            lambda row, column=column: (
                f"{column} {row[column]} of task {row['task']!r} is not a positive number"
            ),  # type: ignore[misc]
            "anchors of ratio kind are positive; for a quantity that may be 0 or negative declare kind = interval",
        )
    _refuse(
        frame,
        _scored() & ratio & (pl.col("quantity") <= 0),
        lambda row: f"quantity {row['quantity']} of task {row['task']!r} is not positive",
        "a quantity of ratio kind is positive; for one that may be 0 or negative declare kind = interval",
    )
    _refuse(
        frame,
        pl.col("reference").is_not_null() & pl.col("better").is_null(),
        lambda row: f"task {row['task']!r} has a reference but no direction",
        "add a column `better` with higher or lower",
    )
    gain = pl.col("reference") - pl.col("baseline")
    worse = pl.when(pl.col("better") == "lower").then(gain > 0).otherwise(gain < 0)
    _refuse(
        frame,
        worse,
        lambda row: (
            f"the reference {row['reference']} of task {row['task']!r} is not better than its baseline "
            f"{row['baseline']} ({row['better']} is better)"
        ),
        "correct the anchors, or the direction",
    )
