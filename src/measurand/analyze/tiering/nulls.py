"""The max-T test under each null distribution, and how far the nulls agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.means import ranking_means
from measurand.analyze.records import NullRow, TierMove
from measurand.infer.differences.permutation import NULLS, MaxT, max_t
from measurand.infer.differences.tiers import Tiers, tiers
from measurand.wording import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.analyze.cells import Floats
    from measurand.analyze.tiering.records import Question

__all__ = ["agreement", "pairs_found", "run_null", "said_of", "undecided"]

_LABELS_AGENTS: Final = 30
"""Family size up to which the labels null is run beside the default on every board; it is slow beyond."""
_MOST_RESAMPLES: Final = 1_000_000
_FEWEST_RESAMPLES: Final = 1_000
_SECONDS: Final = 2.5
"""What a test may take, roughly, before resamples beyond those asked for are no longer worth their time."""
_LONGEST: Final = 60.0
"""What a test beside the one shown may take with the fewest resamples; it is left out beyond."""

_WORDS: Final = {
    "signs": "The signs null (one random sign per task)",
    "labels": "The labels null (agent labels permuted within tasks)",
    "bootstrap": "The bootstrap null (tasks drawn with replacement)",
}


def run_null(table: Floats, question: Question, *, null: str, start: int | None = None) -> MaxT:
    """Run the test; more resamples than at the ``start`` are drawn while a p-value is too near the level to tell.

    Args:
        table: tasks × agents of the tested family.
        question: what is asked.
        null: name of the null distribution.
        start: resamples to begin with; those of the settings when left out.
    """
    settings = question.settings
    start = start or settings.resamples
    highest = max(start, min(_MOST_RESAMPLES, int(_SECONDS / _seconds(null, table))))
    return max_t(
        table,
        null=null,
        families=question.grid.families,
        level=settings.level,
        resamples=start,
        max_resamples=highest,
        rng=settings.seed,
    )


def _seconds(null: str, table: Floats) -> float:
    """Rough time of one resample: it depends on the sizes alone, so that the number of resamples does too."""
    n, m = len(table), len(table.T)
    pairs = max(m * (m - 1) // 2, 1)
    match null:
        case "labels":
            return 9e-9 * n * m + 1e-10 * n * m * m + 1e-8 * pairs
        case "bootstrap":
            return 2e-10 * n * pairs + 8e-9 * pairs
        case _:
            return 5e-9 * pairs


def agreement(
    question: Question, result: MaxT, shown: Tiers, *, every: bool
) -> tuple[tuple[NullRow, ...], tuple[str, ...]]:
    """Run the other nulls beside the one shown.

    Args:
        question: what was asked, its family in the order of ``shown``.
        result: the test shown.
        shown: its tiers.
        every: whether each other null is run, with fewer resamples where they take long; else only the one that a
            reader is most likely to have in mind.

    Returns:
        One row a null, the one shown first, and a sentence on each of the others.
    """
    rows = [_row(question, result, shown)]
    notes = []
    for null in _others(result.null, every=every):
        reason = _why_not(question.table, null, every=every)
        if reason is not None:
            notes.append(f"The {null} null {reason}")
            rows.append(_not_run(null, reason))
            continue
        start = question.settings.resamples
        if every:
            start = min(start, max(_FEWEST_RESAMPLES, int(_SECONDS / _seconds(null, question.table))))
        other = run_null(question.table, question, null=null, start=start)
        rows.append(_row(question, other, shown))
        notes.append(
            said_of(
                f"{_WORDS[null]} finds {pairs_found(other)}",
                question.names,
                shown,
                _tiers(question.table, other),
            )
        )
    return tuple(rows), tuple(notes)


def _others(null: str, *, every: bool) -> Iterator[str]:
    if every:
        yield from (name for name in NULLS if name != null)
    else:
        yield "labels" if null == "signs" else "signs"


def _why_not(table: Floats, null: str, *, every: bool) -> str | None:
    """Say why a null is not run beside the one shown; ``None`` when it is."""
    if null == "labels" and np.isnan(table).any():
        return "needs a complete table and was not run."
    if null == "labels" and not every and table.shape[1] > _LABELS_AGENTS:
        return f"was not run: it is slow for more than {_LABELS_AGENTS} agents."
    if _FEWEST_RESAMPLES * _seconds(null, table) > _LONGEST:
        return f"was not run: {_FEWEST_RESAMPLES} resamples of {plural(table.shape[1], 'agent')} would take minutes."
    return None


def pairs_found(result: MaxT) -> str:
    """Number of significant pairs, in words."""
    return f"{result.n_significant} of {plural(len(result.pairs), 'pair')} significant"


def said_of(what: str, names: tuple[str, ...], shown: Tiers, again: Tiers) -> str:
    """End a sentence on another test with what it does to the tiers."""
    if again.tier == shown.tier:
        return f"{what}; the tiers are the same."
    moved = [f"{move.agent} {move.tier} to {move.other}" for move in _moves(names, shown, again)]
    return f"{what}; tiers change: {listed(moved, 6)}."


def _moves(names: tuple[str, ...], shown: Tiers, again: Tiers) -> tuple[TierMove, ...]:
    return tuple(
        TierMove(agent=name, tier=tier, other=other)
        for name, tier, other in zip(names, shown.tier, again.tier, strict=True)
        if tier != other
    )


def _tiers(table: Floats, result: MaxT) -> Tiers:
    return tiers(ranking_means(table), result.significant)


def _row(question: Question, result: MaxT, shown: Tiers) -> NullRow:
    again = shown if result.null == question.settings.null else _tiers(question.table, result)
    return NullRow(
        null=result.null,
        method=result.method,
        n_significant=result.n_significant,
        n_tiers=again.n_tiers,
        tiers=again.tier,
        moves=_moves(question.names, shown, again),
        resamples=result.resamples,
        exact=result.exact,
        seed=question.settings.seed,
        max_standard_error=float(result.standard_error.max(initial=0.0)),
        undecided=undecided(result),
    )


def undecided(result: MaxT) -> int:
    """Count the adjusted p-values within three Monte-Carlo standard errors of the level."""
    return int((np.abs(result.p_adjusted - result.level) < 3 * result.standard_error).sum())


def _not_run(null: str, reason: str) -> NullRow:
    return NullRow(
        null=null,
        method="not run",
        n_significant=0,
        n_tiers=0,
        tiers=(),
        moves=(),
        resamples=0,
        exact=False,
        seed=None,
        max_standard_error=0.0,
        undecided=0,
        reason=reason,
    )
