"""Figures of stated confidences, each a function of how much weight passed and failed at each level of confidence."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINS", "FIGURES", "Levels", "figures"]

Floats = NDArray[np.float64]

BINS: Final = 10
"""Equal bins of the calibration error: [0, 0.1), ..., [0.9, 1]."""


class Levels(NamedTuple):
    """Weights at each distinct confidence, for one sample or a batch of resamples."""

    confidence: Floats
    """(L,) distinct confidences, ascending."""
    passed: Floats
    """(B, L) weight of the passed trials."""
    failed: Floats
    """(B, L) weight of the failed ones. All weights together are about the number of trials."""


def figures(levels: Levels, *, abstain_below: float | None = None) -> dict[str, Floats]:
    """Return every figure, each (B,); NaN where it is not defined.

    Args:
        levels: weights by confidence.
        abstain_below: trials of a lesser confidence count as abstained; ``None`` leaves the figures of abstention out.
    """
    found = {name: figure(levels) for name, figure in FIGURES.items()}
    return found if abstain_below is None else found | _abstention(levels, abstain_below)


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


def _totals(levels: Levels) -> tuple[Floats, Floats]:
    return levels.passed.sum(axis=1), levels.failed.sum(axis=1)


def _brier(levels: Levels) -> Floats:
    x = levels.confidence
    passed, failed = _totals(levels)
    return _quotient(levels.passed @ (1 - x) ** 2 + levels.failed @ x**2, passed + failed)


def _skill(levels: Levels) -> Floats:
    """1 - Brier/(p(1-p)): against stating the rate p every time."""
    passed, failed = _totals(levels)
    total = passed + failed
    return 1 - _quotient(_brier(levels) * total * total, passed * failed)


def _calibration_error(levels: Levels) -> Floats:
    """Σ over bins of |sum of confidences - weight passed|, over all weight."""
    x = levels.confidence
    bins = np.minimum((x * BINS).astype(np.intp), BINS - 1)
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    excess = (levels.passed + levels.failed) * x - levels.passed
    passed, failed = _totals(levels)
    return _quotient(np.abs(np.add.reduceat(excess, starts, axis=1)).sum(axis=1), passed + failed)


def _auroc(levels: Levels) -> Floats:
    """Chance that a passed trial states more than a failed one, ties half."""
    below = levels.failed.cumsum(axis=1) - levels.failed / 2
    passed, failed = _totals(levels)
    return _quotient((levels.passed * below).sum(axis=1), passed * failed)


def _risk_coverage(levels: Levels) -> Floats:
    """1 - (AuRC - best)/(error - best), AuRC the mean risk of the i most confident trials over i = 1..n.

    Within a level every order is equally likely, so that the expected number of failures grows evenly there. The sum of
    1/i that this needs goes over to weights that are not whole by way of the digamma function.
    """
    from scipy.special import digamma

    passed, failed = _totals(levels)
    total = passed + failed
    weight = levels.passed + levels.failed
    above = np.maximum(total[:, None] - weight.cumsum(axis=1), 0.0)
    failed_above = np.maximum(failed[:, None] - levels.failed.cumsum(axis=1), 0.0)
    share = np.divide(levels.failed, weight, out=np.zeros_like(weight), where=weight > 0)
    harmonic = digamma(above + weight + 1) - digamma(above + 1)
    area = (levels.failed + (failed_above - above * share) * harmonic).sum(axis=1)
    best = failed - passed * (digamma(total + 1) - digamma(passed + 1))
    room = failed - best
    room[(passed <= 0) | (failed <= 0)] = 0.0
    return 1 - _quotient(area - best, room)


def _abstention(levels: Levels, below: float) -> dict[str, Floats]:
    silent = levels.confidence < below
    failed_silent, passed_silent = (w[:, silent].sum(axis=1) for w in (levels.failed, levels.passed))
    failed_rest, passed_rest = (w[:, ~silent].sum(axis=1) for w in (levels.failed, levels.passed))
    abstained, answered = failed_silent + passed_silent, failed_rest + passed_rest
    return {
        "abstained": _quotient(abstained, abstained + answered),
        "fail_given_abstain": _quotient(failed_silent, abstained),
        "abstain_given_fail": _quotient(failed_silent, failed_silent + failed_rest),
        "rate_on_rest": _quotient(passed_rest, answered),
    }


FIGURES: Final = {
    "brier": _brier,
    "brier_skill": _skill,
    "ece": _calibration_error,
    "auroc": _auroc,
    "risk_coverage": _risk_coverage,
}
"""Figure -> how it is computed."""
