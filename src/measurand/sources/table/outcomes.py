"""How each trial of a table ended: from its outcome column, its verdict, or its quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import MappingError, UsageError
from measurand.model.outcomes import Outcome, Verdict
from measurand.sources.table.columns import EVALUATED, verdict_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurand.sources.base import ImportLog

__all__ = ["gather_verdicts", "say_outcomes"]

_OUTCOMES: Final = {
    "ok": Outcome.COMPLETED,
    "done": Outcome.COMPLETED,
    "finished": Outcome.COMPLETED,
    "complete": Outcome.COMPLETED,
    "success": Outcome.COMPLETED,
    "passed": Outcome.COMPLETED,
    "failed": Outcome.COMPLETED,
    "test_failed": Outcome.COMPLETED,
    "tests_failed": Outcome.COMPLETED,
    "resolved": Outcome.COMPLETED,
    "unresolved": Outcome.COMPLETED,
    "no_submission": Outcome.NO_OUTPUT,
    "not_submitted": Outcome.NO_OUTPUT,
    "no_generation": Outcome.NO_OUTPUT,
    "no_prediction": Outcome.NO_OUTPUT,
    "empty": Outcome.NO_OUTPUT,
    "invalid": Outcome.INVALID_OUTPUT,
    "invalid_submission": Outcome.INVALID_OUTPUT,
    "timeout": Outcome.AGENT_TIMEOUT,
    "timed_out": Outcome.AGENT_TIMEOUT,
    "environment_error": Outcome.INFRA_ERROR,
    "env_error": Outcome.INFRA_ERROR,
    "infrastructure_error": Outcome.INFRA_ERROR,
    "verifier_error": Outcome.GRADER_ERROR,
    "evaluation_error": Outcome.GRADER_ERROR,
    "eval_error": Outcome.GRADER_ERROR,
    "judge_error": Outcome.GRADER_ERROR,
    "verifier_timeout": Outcome.GRADER_ERROR,
    "test_timeout": Outcome.GRADER_ERROR,
    "canceled": Outcome.CANCELLED,
    "not_run": Outcome.MISSING,
}
"""Words of other tools whose meaning is plain. A bare "error" is not: whose error it was decides what it counts as."""

_PASSED: Final = ["passed", "resolved"]
_NOT_PASSED: Final = ["failed", "test_failed", "tests_failed", "unresolved"]
"""Words for how a trial ended that also say what the gate said."""


def say_outcomes(frame: pl.DataFrame, words: Mapping[str, str], log: ImportLog) -> pl.DataFrame:
    """Say how each trial ended. Without an outcome column the verdict says it, and failing that the quantity."""
    if "verdict" not in frame.columns:
        frame = frame.with_columns(_implied_verdict(frame, log))
    passed = pl.col("verdict")
    graded = pl.col(EVALUATED).fill_null(value=True) if EVALUATED in frame.columns else pl.lit(value=True)
    known = pl.when(graded).then(passed)
    plain = (
        pl.when(known.is_null())
        .then(pl.lit(Outcome.MISSING.value))
        .otherwise(pl.lit(Outcome.COMPLETED.value))
    )
    outcome = plain
    _check_meanings(words)
    if "outcome" in frame.columns:
        meant = pl.DataFrame({"outcome": list(words)}, schema={"outcome": pl.String}).select(_plain_word())
        table = {word: o.value for word, o in _OUTCOMES.items()}
        table |= dict(zip(meant["outcome"].to_list(), words.values(), strict=True))
        outcome = pl.coalesce(_plain_word().replace(table), plain)
    ungraded = frame.filter(graded.not_())
    log.add_rows("note", "not evaluated: no verdict", ungraded)
    verdict = (
        pl.when(known).then(pl.lit(Verdict.PASS.value)).when(known.not_()).then(pl.lit(Verdict.FAIL.value))
    )
    return frame.with_columns(
        pl.when(graded).then(outcome).otherwise(pl.lit(Outcome.MISSING.value)).alias("outcome"),
        verdict.alias("verdict"),
    )


def _check_meanings(words: Mapping[str, str]) -> None:
    known = [outcome.value for outcome in Outcome]
    for word, meaning in words.items():
        if meaning not in known:
            raise UsageError(
                f"there is no outcome {meaning!r} for {word!r}", hint=f"one of: {', '.join(known)}"
            )


def _plain_word() -> pl.Expr:
    return pl.col("outcome").str.strip_chars().str.to_lowercase().str.replace_all(r"[\s-]+", "_")


def _implied_verdict(frame: pl.DataFrame, log: ImportLog) -> pl.Expr:
    """Without a verdict column, the outcome's word may name the verdict; else a recorded quantity is a passed gate.

    A quantity is taken for that only where something says that it counts: an outcome column, or a reference.
    """
    has = frame.columns
    if "outcome" not in has and not {"quantity", "reference"} <= set(has):
        raise MappingError(
            "no column says whether a trial passed, and the quantity has no reference to judge it by",
            where=log.path,
            hint=(
                "a column of pass and fail (0 and 1 will do): --map verdict=COLUMN; else give anchors with --anchors FILE, or "
                "for a quantity from 0 to 1 --set kind=interval --set baseline=0 --set reference=1 --set better=higher"
            ),
        )
    verdict = _passed_by_quantity(frame, log)
    if "outcome" not in has:
        return verdict.alias("verdict")
    word = _plain_word()
    named = frame.filter(word.is_in(_PASSED + _NOT_PASSED))
    log.add_rows("note", "no verdict column: the outcome says passed or failed", named)
    passed = pl.when(word.is_in(_PASSED)).then(pl.lit(value=True))
    return passed.when(word.is_in(_NOT_PASSED)).then(pl.lit(value=False)).otherwise(verdict).alias("verdict")


def _passed_by_quantity(frame: pl.DataFrame, log: ImportLog) -> pl.Expr:
    if "quantity" not in frame.columns:
        return pl.lit(None, dtype=pl.Boolean)
    counts = pl.col("quantity").is_not_null()
    if "outcome" not in frame.columns:
        counts &= pl.col("reference").is_not_null()
    implied = frame.filter(counts).height
    if implied:
        log.add("note", "no verdict column: a recorded quantity counts as a passed gate", "", count=implied)
    return pl.when(counts).then(pl.lit(value=True))


def gather_verdicts(frame: pl.DataFrame) -> pl.DataFrame:
    """Gather the columns ``verdict:NAME`` into the map of further verdicts."""
    names = sorted(verdict_columns(frame.columns))
    if not names:
        return frame
    entries = [
        pl.when(pl.col(f"verdict:{name}").is_not_null()).then(
            pl.struct(pl.lit(name).alias("name"), pl.col(f"verdict:{name}").alias("passed"))
        )
        for name in names
    ]
    return frame.with_columns(pl.concat_list(entries).list.drop_nulls().alias("verdicts"))
