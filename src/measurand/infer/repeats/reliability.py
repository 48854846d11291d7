"""Reproducibility of an agent on a task, from the passes among its trials: D3 in its named forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from measurand.errors import UsageError
from measurand.infer.means.shares import Interval, clopper_pearson

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "LEAST_TRIALS",
    "RECOMMENDED_TRIALS",
    "RUBRIC",
    "ConsistencyForms",
    "Reproducibility",
    "consistency_forms",
    "reproducibility",
    "rubric_label",
]

LEAST_TRIALS: Final = 2
"""With one trial nothing can be said of consistency."""
RECOMMENDED_TRIALS: Final = 10
"""Fewer trials carry the flag ``k_below_10``."""

RUBRIC: Final = (
    (1.0, "perfectly consistent"),
    (0.90, "rarely inconsistent"),
    (0.75, "moderately consistent"),
    (0.0, "highly stochastic"),
)
"""Least value of max(p, 1 - p) for each label."""

Floats = NDArray[np.float64]


def rubric_label(maximum: float) -> str:
    """Return the rubric's label for a value of max(p, 1 - p); 1 is granted to exactly 1 alone.

    Source: SPEC 3.

    Example:
        >>> rubric_label(1.0), rubric_label(0.9), rubric_label(0.7499)
        ('perfectly consistent', 'rarely inconsistent', 'highly stochastic')
    """
    return next(label for least, label in RUBRIC if maximum >= least)


class ConsistencyForms(NamedTuple):
    """Forms of consistency, each of the shape of the counts; NaN where there are fewer than two trials."""

    plug_in: Floats
    """D3: (2p - 1)², from 0 to 1; biased upward by 4p(1-p)/k."""
    unbiased: Floats
    """1 - 4 k/(k-1) p(1-p), from -1/(k-1) to 1: for comparisons across numbers of trials."""
    maximum: Floats
    """D3_max: max(p, 1 - p), from ½ to 1: the form that the rubric labels."""
    one_minus_variance: Floats
    """1 - p(1 - p), from ¾ to 1."""
    agreement: Floats
    """Chance that two fresh trials agree: 1 - 2c(k-c)/(k(k-1)), from 0 to 1."""
    flips: Floats
    """1 where some trials passed and some failed, else 0."""


def consistency_forms(successes: ArrayLike, trials: ArrayLike) -> ConsistencyForms:
    """Return the forms of consistency of many cells at once.

    With c passes of k trials and p = c/k, see :class:`ConsistencyForms`. The plug-in is 1 - 4p(1-p) = (2p - 1)², the
    unbiased form 2 · agreement - 1.

    Args:
        successes: passes c, whole numbers from 0 to k, of any shape.
        trials: evaluated trials k, of the same shape.

    Returns:
        Arrays of that shape; NaN where k < 2.

    Raises:
        UsageError: shapes that differ, or counts that are not whole or not 0 ≤ c ≤ k.

    Source: SPEC 3 and 20; the plug-in also in arXiv 2602.16666.

    Example:
        >>> forms = consistency_forms([3, 0, 1], [4, 4, 1])
        >>> forms.plug_in.tolist(), forms.maximum.tolist(), forms.flips.tolist()
        ([0.25, 1.0, nan], [0.75, 1.0, nan], [1.0, 0.0, nan])
    """
    c, k = checked_counts(successes, trials)
    k = np.where(k < LEAST_TRIALS, np.nan, k)
    mixed = c * (k - c)
    return ConsistencyForms(
        plug_in=((2 * c - k) / k) ** 2,
        unbiased=1 - 4 * mixed / (k * (k - 1)),
        maximum=np.maximum(c, k - c) / k,
        one_minus_variance=1 - mixed / (k * k),
        agreement=1 - 2 * mixed / (k * (k - 1)),
        flips=np.where(np.isnan(k), np.nan, mixed > 0),
    )


def checked_counts(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    """Return counts as floats of one shape.

    Raises:
        UsageError: shapes that differ, or counts that are not whole or not 0 ≤ c ≤ k.
    """
    c, k = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    if c.shape != k.shape:
        raise UsageError(
            f"successes has the shape {c.shape}, trials {k.shape}", hint="pass one count of each for a cell"
        )
    if not ((c >= 0) & (c <= k) & (c == np.floor(c)) & (k == np.floor(k)) & np.isfinite(k)).all():
        raise UsageError(
            "the counts are not whole numbers with 0 ≤ passes ≤ trials",
            hint="count evaluated trials only, those without a verdict left out",
        )
    return c, k


@dataclass(frozen=True, slots=True)
class Reproducibility:
    """Result of `reproducibility`.

    Attributes:
        successes: passes.
        trials: evaluated trials, k.
        share: their share p, with its Clopper-Pearson interval.
        plug_in: D3, the headline; ``None`` with fewer than two trials, like all below.
        low: lower end of its interval: that of p, folded through (2p - 1)².
        high: upper end.
        unbiased: 1 - 4 k/(k-1) p(1-p).
        maximum: D3_max, max(p, 1 - p).
        maximum_low: lower end of its interval: that of p, folded.
        maximum_high: upper end.
        label: the rubric's label of `maximum`.
        one_minus_variance: 1 - p(1 - p).
        agreement: chance that two fresh trials agree.
        level: confidence level of the intervals.
        flags: ``k_below_10`` with fewer than ten trials.
        reason: why the forms are ``None``, or ``None``.
    """

    successes: int
    trials: int
    share: Interval
    plug_in: float | None
    low: float | None
    high: float | None
    unbiased: float | None
    maximum: float | None
    maximum_low: float | None
    maximum_high: float | None
    label: str | None
    one_minus_variance: float | None
    agreement: float | None
    level: float
    flags: tuple[str, ...]
    reason: str | None


def reproducibility(successes: int, trials: int, *, level: float = 0.95) -> Reproducibility:
    """Return how reproducible one agent is on one task, D3 in its named forms with intervals.

    With p = c/k: D3 = 1 - 4p(1-p) = (2p - 1)², D3_max = max(p, 1 - p). The intervals are the Clopper-Pearson interval
    [l, u] of p sent through the same formula: from the lesser to the greater of its values at l and u, and down to 0
    (½ for D3_max) where l ≤ ½ ≤ u. They cover with at least their level.

    Args:
        successes: passes, from 0 to `trials`.
        trials: evaluated trials; those without a verdict are left out.
        level: confidence level, between 0 and 1.

    Returns:
        The forms; ``None`` with the reason for fewer than two trials: one trial agrees with itself, which says nothing.
        A task that always fails has D3 = 1: never read D3 without the rate beside it.

    Raises:
        UsageError: counts not whole or outside 0..trials, or a level outside 0..1.

    Source: SPEC 3; Clopper and Pearson (1934).

    Example:
        >>> result = reproducibility(9, 10)
        >>> round(result.plug_in, 2), round(result.unbiased, 2), result.label
        (0.64, 0.6, 'rarely inconsistent')
        >>> reproducibility(1, 1).reason
        'needs at least 2 trials of a task; there is 1'
    """
    forms = consistency_forms(successes, trials)
    share = clopper_pearson(successes, trials, level=level)
    known = trials >= LEAST_TRIALS and share.low is not None and share.high is not None
    d3, most = (_folded(share), _folded_maximum(share)) if known else ((None, None), (None, None))
    maximum = _known(forms.maximum)
    return Reproducibility(
        successes=int(successes),
        trials=int(trials),
        share=share,
        plug_in=_known(forms.plug_in),
        low=d3[0],
        high=d3[1],
        unbiased=_known(forms.unbiased),
        maximum=maximum,
        maximum_low=most[0],
        maximum_high=most[1],
        label=None if maximum is None else rubric_label(maximum),
        one_minus_variance=_known(forms.one_minus_variance),
        agreement=_known(forms.agreement),
        level=level,
        flags=("k_below_10",) if trials < RECOMMENDED_TRIALS else (),
        reason=None if known else f"needs at least {LEAST_TRIALS} trials of a task; there {_is(trials)}",
    )


def _folded(share: Interval) -> tuple[float, float]:
    low, high = share.low or 0.0, share.high or 0.0
    ends = (2 * low - 1) ** 2, (2 * high - 1) ** 2
    return (0.0 if low <= 0.5 <= high else min(ends)), max(ends)


def _folded_maximum(share: Interval) -> tuple[float, float]:
    low, high = share.low or 0.0, share.high or 0.0
    ends = max(low, 1 - low), max(high, 1 - high)
    return (0.5 if low <= 0.5 <= high else min(ends)), max(ends)


def _known(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)


def _is(number: int) -> str:
    return "is 1" if number == 1 else "are none"
