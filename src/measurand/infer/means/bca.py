"""The bias-corrected and accelerated bootstrap (BCa): which quantiles of the resampled means are the ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.infer.arrays import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bca_tails"]

ONE_SIDED = "all resampled means lie on one side of the mean: the bias correction is infinite"
TURNED = "so few units are so skewed that the accelerated quantile turns back: more units are needed"


def bca_tails(
    resampled: NDArray[np.float64], sums: NDArray[np.float64], counts: NDArray[np.float64], *, level: float
) -> tuple[float, float] | str:
    """Return the two tail probabilities between which the BCa interval of a mean lies.

    With z0 = Φ⁻¹(share of resampled means below the mean, those equal to it counted half), a the acceleration, and
    z = Φ⁻¹((1 ± level)/2), the tails are

        Φ(z0 + (z0 + z)/(1 - a (z0 + z))),      a = Σ u³ / (6 (Σ u²)^{3/2}),

    where u is the mean of the jackknifed means less each of them, leaving out one unit at a time.

    Args:
        resampled: (B,) resampled means, B at least 1.
        sums: (units,) sum of the cells of each unit.
        counts: (units,) number of its cells; at least two units have some, and their means differ.
        level: confidence level, between 0 and 1.

    Returns:
        The two tails, each between 0 and 1, or the reason why there are none.

    Source: Efron (1987); ties at the mean count half, as the share is that of a discrete distribution.

    Example:
        >>> means = np.array([0.2, 0.4, 0.4, 0.6, 0.8])
        >>> tails = bca_tails(means, np.array([0.0, 0.0, 1.0, 1.0, 0.0]), np.ones(5), level=0.5)
        >>> [round(tail, 3) for tail in tails]
        [0.124, 0.569]
    """
    from scipy.special import ndtr, ndtri

    mean = sums.sum() / counts.sum()
    near = ROUNDING * np.abs(sums).sum() / counts.sum()
    below = np.count_nonzero(resampled < mean - near)
    equal = np.count_nonzero(np.abs(resampled - mean) <= near)
    share = (below + equal / 2) / len(resampled)
    if not 0 < share < 1:
        return ONE_SIDED
    z0, z = ndtri(share), ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    stretch = 1 - _acceleration(sums, counts) * (z0 + z)
    if (stretch <= 0).any():
        return TURNED
    low, high = ndtr(z0 + (z0 + z) / stretch).tolist()
    return low, high


def _acceleration(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    """Skewness of the jackknifed means over six times the root of their number; units without cells change nothing."""
    there = counts > 0
    s, c = sums[there], counts[there]
    left_out = (s.sum() - s) / (c.sum() - c)
    u = left_out.mean() - left_out
    scale = np.abs(u).max()
    u = u / scale
    return float((u**3).sum() / (6 * (u @ u) ** 1.5))
