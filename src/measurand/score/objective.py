"""The unit-free objective of a quantity against its anchors (SPEC 10.1): 0 at the baseline, 1 at the reference.

All functions take arrays (or scalars) of one shape and return an array of that shape; NaN in, NaN out.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CLIP",
    "Floats",
    "clipped",
    "improvement",
    "interval_score",
    "linear_score",
    "log_ratio_score",
    "reference_only_score",
]

CLIP: Final = 3.0
"""Default upper clip of the objective: room for two more improvements of the size of the reference's."""

Floats = NDArray[np.float64]


def log_ratio_score(quantity: ArrayLike, baseline: ArrayLike, reference: ArrayLike) -> Floats:
    """Unclipped log-ratio score, ``s = ln(q/b) / ln(ρ/b)``.

    The same formula serves both directions, and any unit: only ratios enter. Source: SPEC 10.1, derived from the
    functional equation f(xy) = f(x) + f(y) with f(reference) = 1.

    Args:
        quantity: positive values, in the unit of the anchors.
        baseline: positive values, different from ``reference``.
        reference: positive values.

    Returns:
        Scores on the whole real line; NaN where an argument is NaN, infinite or not positive, or the anchors are equal.

    >>> log_ratio_score([10.0, 1.0, 0.1], 10.0, 1.0).tolist()
    [0.0, 1.0, 2.0]
    """
    q, b, ref = (_positive(values) for values in (quantity, baseline, reference))
    return _ratio(_log_of_ratio(q, b), _log_of_ratio(ref, b))


def reference_only_score(quantity: ArrayLike, reference: ArrayLike, *, lower_is_better: ArrayLike) -> Floats:
    """Unclipped score without a baseline, ``s = 1 + ln(x)`` with x the improvement over the reference.

    It is the log-ratio against a virtual baseline one e-fold below the reference. Source: SPEC 10.1.

    >>> reference_only_score([1.0, np.e], 1.0, lower_is_better=False).tolist()
    [1.0, 2.0]
    """
    q, ref = _positive(quantity), _positive(reference)
    gain = np.where(np.asarray(lower_is_better, dtype=bool), _log_of_ratio(ref, q), _log_of_ratio(q, ref))
    return np.asarray(1.0 + gain)


def improvement(quantity: ArrayLike, reference: ArrayLike, *, lower_is_better: ArrayLike) -> Floats:
    """Oriented ratio to the reference: above 1 where the quantity is better than the reference.

    >>> improvement([5.0, 20.0], 10.0, lower_is_better=True).tolist()
    [2.0, 0.5]
    """
    q, ref = _positive(quantity), _positive(reference)
    with np.errstate(over="ignore", under="ignore"):
        return np.where(np.asarray(lower_is_better, dtype=bool), ref / q, q / ref)


def interval_score(quantity: ArrayLike, baseline: ArrayLike, reference: ArrayLike) -> Floats:
    """Unclipped score of an interval quantity, ``s = (q - b) / (ρ - b)``. Source: SPEC 10.1.

    For quantities that may be 0 or negative, whose unit allows shifts but whose ratios mean nothing.

    >>> interval_score([0.2, 0.5], 0.2, 0.6).round(3).tolist()
    [0.0, 0.75]
    """
    q, b, ref = (np.asarray(values, dtype=np.float64) for values in (quantity, baseline, reference))
    return _ratio(q - b, ref - b)


def linear_score(
    quantity: ArrayLike, baseline: ArrayLike, reference: ArrayLike, *, lower_is_better: ArrayLike
) -> Floats:
    """Unclipped linear score: share of the reference's improvement; the ratio to the reference without a baseline.

    Kept to reproduce published capped scores; the log form is the default. Source: SPEC 10.2.
    """
    plain = improvement(quantity, reference, lower_is_better=lower_is_better)
    share = interval_score(quantity, baseline, reference)
    return np.where(np.isnan(share), plain, share)


def clipped(score: ArrayLike, upper: float = CLIP) -> Floats:
    """Clip a score to [0, ``upper``]."""
    return np.clip(np.asarray(score, dtype=np.float64), 0.0, upper)


def _positive(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return np.where((array > 0) & (array < np.inf), array, np.nan)


def _log_of_ratio(value: Floats, base: Floats) -> Floats:
    """Logarithm of value/base: exact for powers of one number, finite also where the ratio itself is not."""
    with np.errstate(over="ignore", under="ignore"):
        ratio = value / base
    normal = (ratio >= np.finfo(np.float64).tiny) & (ratio < np.inf)
    return np.where(normal, np.log(np.where(normal, ratio, 1.0)), np.log(value) - np.log(base))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    usable = np.where(denominator == 0, np.nan, denominator)
    return np.asarray(numerator / usable + 0.0)  # no negative zero
