"""Harder bars: pass or fail at another height of the same quantity, and which height to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["MULTIPLIERS", "Candidate", "choose_bar", "multiplicative_bar", "reaches"]

MULTIPLIERS = (0.5, 1.0, 1.5, 2.0, 3.0)
"""Bars between the baseline and beyond the reference: λ times the reference's improvement, in logarithms."""

ROUNDING = 1e-12
"""A quantity that misses a computed bar by less than this share of it reaches it: the rest is rounding."""


def multiplicative_bar(
    baseline: ArrayLike,
    reference: ArrayLike,
    multiplier: float,
    *,
    lower_is_better: ArrayLike = False,
    interval: ArrayLike = False,
) -> NDArray[np.float64]:
    """Return the bar at ``multiplier`` times the reference's improvement, in the unit of the quantity.

    With b the baseline, ρ the reference and λ the multiplier

        β = b (ρ/b)^λ            ratio quantities: reached exactly when the unclipped objective is at least λ
        β = b + λ (ρ - b)        interval quantities
        β = ρ e^(λ-1)            ratio quantities without a baseline, or with one equal to the reference
                                 (ρ e^(1-λ) where lower is better)

    λ = 1 is the reference itself, to the last digit.

    Args:
        baseline: values in the unit of the quantity; NaN where there is none. Positive for ratio quantities.
        reference: values of the same unit; positive for ratio quantities.
        multiplier: λ, a positive number.
        lower_is_better: direction of each quantity; heeded where there is no baseline.
        interval: whether each quantity is of interval kind.

    Returns:
        Bars; NaN where an anchor is missing or not positive, where the bar is beyond any number, and for interval
        quantities without a baseline.

    Raises:
        UsageError: λ is no positive finite number.

    Source: SPEC 13b and 10.1.

    Example:
        >>> multiplicative_bar([10.0, 10.0], [5.0, 5.0], 2.0, interval=[False, True]).tolist()
        [2.5, 0.0]
        >>> multiplicative_bar(np.nan, 4.0, 1.0).item()
        4.0
    """
    if not (np.isfinite(multiplier) and multiplier > 0):
        raise UsageError(f"the bar's multiplier is {multiplier}", hint="pass a positive number")
    b, ref, lower, affine = np.broadcast_arrays(
        np.asarray(baseline, dtype=np.float64),
        np.asarray(reference, dtype=np.float64),
        np.asarray(lower_is_better, dtype=bool),
        np.asarray(interval, dtype=bool),
    )
    b = np.where(b == ref, np.nan, b)
    line = b + multiplier * (ref - b)
    positive = np.where(ref > 0, ref, np.nan)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        virtual = np.where(lower, 1 / np.e, np.e)
        step = np.where(np.isnan(b), virtual, np.where(b > 0, positive / b, np.nan))
        curve = np.where(np.isnan(step), np.nan, positive * np.power(step, multiplier - 1.0))
    bars = np.where(affine, line, curve)
    if multiplier == 1.0:
        bars = np.where(np.isnan(bars), np.nan, ref)
    return np.where(np.isfinite(bars), bars, np.nan)


def reaches(
    quantity: ArrayLike,
    bar: ArrayLike,
    *,
    lower_is_better: ArrayLike = False,
    computed: bool = False,
) -> NDArray[np.float64]:
    """Say where a quantity is at least as good as a bar: 1 or 0; NaN where either is unknown.

    Args:
        quantity: raw numbers.
        bar: bars in the same unit.
        lower_is_better: direction of each quantity.
        computed: whether the bar was computed, so that what misses it by rounding alone (a relative 1e-12) reaches it.

    Source: SPEC 13b, key_β = G · 1[q at least as good as β]; the gate is for the caller to multiply by.

    Example:
        >>> reaches([3.0, 5.0, np.nan], 4.0, lower_is_better=True).tolist()
        [1.0, 0.0, nan]
    """
    q, beta, lower = np.broadcast_arrays(
        np.asarray(quantity, dtype=np.float64),
        np.asarray(bar, dtype=np.float64),
        np.asarray(lower_is_better, dtype=bool),
    )
    slack = ROUNDING * np.maximum(np.abs(q), np.abs(beta)) if computed else 0.0
    with np.errstate(invalid="ignore"):
        reached = np.where(lower, q <= beta + slack, q >= beta - slack)
    return np.where(np.isnan(q) | np.isnan(beta), np.nan, reached.astype(np.float64))


class Candidate(NamedTuple):
    """A bar as the choice sees it."""

    multiplier: float
    n_tiers: int | None
    """Tiers of the head under it; ``None`` when nothing can be concluded, which counts as the least."""
    saturation: float | None
    """The index; ``None`` when undefined, which counts as saturated."""


def choose_bar(candidates: Sequence[Candidate]) -> int | None:
    """Choose the bar with the most tiers; of those the one with the lowest saturation, then the lowest bar.

    Returns:
        Position of the choice; ``None`` when no candidate separates anything that could be concluded.

    Source: SPEC 13b.

    Example:
        >>> choose_bar([Candidate(1.0, 2, 0.5), Candidate(2.0, 2, 0.4), Candidate(3.0, None, None)])
        1
    """
    known = [place for place, candidate in enumerate(candidates) if candidate.n_tiers is not None]

    def merit(place: int) -> tuple[int, float, float]:
        multiplier, n_tiers, saturation = candidates[place]
        return -(n_tiers or 0), 1.0 if saturation is None else saturation, multiplier

    return min(known, key=merit, default=None)
