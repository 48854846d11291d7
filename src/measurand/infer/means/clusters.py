"""The standard error of a mean over tasks that come in families."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from measurand.infer.arrays import ROUNDING, as_level, as_table, family_codes
from measurand.infer.means.coverage import caution

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ClusteredError", "clustered_standard_error", "standard_error"]


@dataclass(frozen=True, slots=True)
class ClusteredError:
    """Result of `clustered_standard_error`.

    Attributes:
        mean_tasks: mean over tasks; ``None`` without values.
        mean_families: mean of the family means, another question; ``None`` without values.
        naive: standard error with every task independent; ``None`` for fewer than two tasks.
        clustered: Miller's standard error; ``None`` for fewer than two families.
        corrected: the same with the naive part corrected by n/(n-1); ``None`` for fewer than two families.
        small_sample: `clustered` times sqrt(G/(G-1)), used for the interval; ``None`` for fewer than two families.
        low: lower end of the t-interval of `mean_tasks`; ``None`` for fewer than two families.
        high: its upper end.
        level: its confidence level.
        degrees: its degrees of freedom, G - 1.
        n: tasks.
        clusters: families, G.
        method: what was done, for the report.
        reason: why something is ``None``, or ``None``.
        caution: why the interval may cover with less than its level, or ``None`` where it claims its level.
    """

    mean_tasks: float | None
    mean_families: float | None
    naive: float | None
    clustered: float | None
    corrected: float | None
    small_sample: float | None
    low: float | None
    high: float | None
    level: float
    degrees: int
    n: int
    clusters: int
    method: str
    reason: str | None
    caution: str | None = None


def clustered_standard_error(
    values: ArrayLike, families: ArrayLike, *, level: float = 0.95
) -> ClusteredError:
    """Return the standard error of a mean over tasks that come in families.

    With d the deviations from the mean over all n tasks, f the G families and s_f the sum of d over family f,

        naive = sqrt(Σd²/(n(n-1)))           clustered = sqrt(Σ s_f²)/n
        corrected² = naive² + Σ_f (s_f² - Σ_f d²)/n²      small sample = clustered sqrt(G/(G-1)).

    The interval is mean ± t small_sample with G - 1 degrees of freedom; when every family is one task it is the
    usual t-interval. `caution` says where the families are too few for the level to be claimed.

    Args:
        values: (n,) one value a task; NaN = missing, left out.
        families: (n,) a family id for each task.
        level: confidence level, between 0 and 1.

    Returns:
        The standard errors; undefined, with the reason, for fewer than two tasks or families. Where the means
        of all families are equal the standard error is 0 and there is no interval, for no width would mean certainty.

    Raises:
        UsageError: shapes that do not fit, or a level outside 0..1.
        InputError: an infinite value.

    Source: SPEC section 20, clustered standard error; Miller (2024).

    Example:
        >>> result = clustered_standard_error([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"])
        >>> [round(x, 4) for x in (result.mean_tasks, result.naive, result.clustered)]
        [0.5, 0.2236, 0.2357]
    """
    level = as_level(level)
    y, codes = _present(values, families)
    n = len(y)
    sizes = np.bincount(codes)
    mean = float(y.mean()) if n else None
    known = ClusteredError(
        mean_tasks=mean,
        mean_families=float((np.bincount(codes, weights=y) / sizes).mean()) if n else None,
        naive=None,
        clustered=None,
        corrected=None,
        small_sample=None,
        low=None,
        high=None,
        level=level,
        degrees=max(0, len(sizes) - 1),
        n=n,
        clusters=len(sizes),
        method="t-interval of the mean over tasks, standard error clustered by family",
        reason=_too_few(n, len(sizes)),
    )
    return known if mean is None or n == 1 else _with_errors(known, y - mean, codes, mean=mean)


def standard_error(values: ArrayLike, families: ArrayLike | None = None) -> float | None:
    """Return the standard error of a mean over tasks, clustered by family where families are given.

    It is `small_sample` of :func:`clustered_standard_error`, without the rest: sqrt(G/(G-1) Σ s_f²)/n; with one task a
    family it is the usual sd/sqrt(n).

    Args:
        values: (n,) one value a task; NaN = missing, left out.
        families: (n,) a family id for each task; ``None`` when every task stands alone.

    Returns:
        The standard error; ``None`` for fewer than two tasks or families.

    Source: SPEC section 20; Miller (2024).

    Example:
        >>> round(standard_error([1, 1, 0, 0, 1, 0]), 4), round(standard_error([1, 1, 0, 0], [1, 1, 2, 2]), 4)
        (0.2236, 0.5)
    """
    y, codes = _present(values, np.arange(np.size(values)) if families is None else families)
    clusters = int(codes.max(initial=-1)) + 1
    return None if clusters < 2 else _small_sample(y - y.mean(), codes, clusters)


def _small_sample(d: NDArray[np.float64], codes: NDArray[np.intp], clusters: int) -> float:
    sums = np.bincount(codes, weights=d)
    return math.sqrt(float(sums @ sums) * clusters / (clusters - 1)) / len(d)


def _present(values: ArrayLike, families: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the values that are there, and the families among them numbered from 0."""
    y = as_table(np.reshape(np.asarray(values, dtype=np.float64), (-1, 1)))[:, 0]
    codes = family_codes(families, len(y))
    there = ~np.isnan(y)
    return y[there], family_codes(codes[there], int(there.sum()))


def _with_errors(
    known: ClusteredError, d: NDArray[np.float64], codes: NDArray[np.intp], *, mean: float
) -> ClusteredError:
    n, clusters = known.n, known.clusters
    squares = float(d @ d)
    naive = math.sqrt(squares / (n * (n - 1)))
    if clusters == 1:
        return replace(known, naive=naive)
    family_squares = float((np.bincount(codes, weights=d) ** 2).sum())
    clustered = math.sqrt(family_squares) / n
    small = _small_sample(d, codes, clusters)
    found = replace(
        known,
        naive=naive,
        clustered=clustered,
        corrected=math.sqrt(max(0.0, naive**2 + (family_squares - squares) / n**2)),
        small_sample=small,
    )
    unit = "tasks" if clusters == n else "families"
    if small <= ROUNDING * np.abs(d + mean).max():
        return replace(found, reason=f"the means of all {unit} are equal: a t-interval has no width")
    half = _t_quantile((1 + known.level) / 2, clusters - 1) * small
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, weights=d + mean).astype(np.float64)
    return replace(found, low=mean - half, high=mean + half, caution=caution("t", sums, sizes, unit=unit))


def _too_few(n: int, clusters: int) -> str | None:
    if n == 0:
        return "there are no values"
    if clusters == 1:
        return "all tasks belong to one family: nothing is known about other families"
    return None


def _t_quantile(p: float, degrees: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, p))
