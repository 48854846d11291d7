"""p-values of several hypotheses, adjusted so that they compare with a level for all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["METHODS", "adjust"]


def adjust(p: ArrayLike, method: str = "holm") -> NDArray[np.float64]:
    """Adjust p-values that do not come from one joint resampling; where they do, `max_t` finds more.

    With m values in ascending order p_(1) ≤ ... ≤ p_(m):

    - "bonferroni": m p.
    - "holm": running maximum of (m - i + 1) p_(i); valid under any dependence.
    - "holm_sidak": running maximum of 1 - (1 - p_(i))^(m - i + 1); for independent or positively dependent values.
    - "hochberg": running minimum from the largest of (m - i + 1) p_(i); as holm_sidak.
    - "hommel": the closed test with Simes' inequality; as holm_sidak, and never larger than hochberg.
    - "bh": running minimum from the largest of m p_(i)/i; false discovery rate, as holm_sidak.
    - "by": the same times 1 + 1/2 + ... + 1/m; false discovery rate under any dependence.

    Args:
        p: (m,) p-values between 0 and 1.
        method: one of the names above. The first five bound the chance of any false finding, the last two the expected
            share of false ones among the findings.

    Returns:
        (m,) adjusted p-values in the order of the input, at most 1; empty for none.

    Raises:
        UsageError: an unknown method, or values outside 0..1.

    Source: SPEC 20 (record claim, per-task regressions); Holm (1979), Hochberg (1988), Hommel (1988), Benjamini and
    Hochberg (1995), Benjamini and Yekutieli (2001).

    Example:
        >>> adjust([0.01, 0.04, 0.03, 0.005]).tolist()
        [0.03, 0.06, 0.06, 0.02]
    """
    values = np.asarray(p, dtype=np.float64)
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}", hint=f"choose one of {', '.join(METHODS)}")
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise UsageError("p is no list of values between 0 and 1", hint="pass p-values, none of them missing")
    if not len(values):
        return values.copy()
    order = np.argsort(values, kind="stable")
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(METHODS[method](values[order]), 1.0)
    return adjusted


def _places(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many hypotheses are left at each step: m, m - 1, ..., 1."""
    return np.arange(len(p), 0.0, -1.0)


def _bonferroni(p: NDArray[np.float64]) -> NDArray[np.float64]:
    adjusted: NDArray[np.float64] = len(p) * p
    return adjusted


def _holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    adjusted: NDArray[np.float64] = np.maximum.accumulate(_places(p) * p)
    return adjusted


def _holm_sidak(p: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):  # ln 0 at p = 1 gives the 1 that it should
        adjusted: NDArray[np.float64] = np.maximum.accumulate(-np.expm1(_places(p) * np.log1p(-p)))
    return adjusted


def _hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return _from_the_largest(_places(p) * p)


def _bh(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return _from_the_largest(len(p) * p / np.arange(1, len(p) + 1))


def _by(p: NDArray[np.float64]) -> NDArray[np.float64]:
    adjusted: NDArray[np.float64] = _bh(p) * (1.0 / np.arange(1, len(p) + 1)).sum()
    return adjusted


def _hommel(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take for each size s the least that Simes' inequality gives any s hypotheses with this one among them."""
    m = len(p)
    adjusted = np.full(m, (m * p / np.arange(1, m + 1)).min())
    for size in range(m - 1, 1, -1):
        few = m - size + 1
        largest = (size * p[few:] / np.arange(2, size + 1)).min()
        at_most = np.minimum(size * p[:few], largest)
        adjusted[:few] = np.maximum(adjusted[:few], at_most)
        adjusted[few:] = np.maximum(adjusted[few:], at_most[-1])
    raised: NDArray[np.float64] = np.maximum(adjusted, p)
    return raised


def _from_the_largest(p: NDArray[np.float64]) -> NDArray[np.float64]:
    adjusted: NDArray[np.float64] = np.minimum.accumulate(p[::-1])[::-1]
    return adjusted


METHODS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "holm_sidak": _holm_sidak,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "bh": _bh,
    "by": _by,
}
"""Each adjustment of ascending p-values by its name."""
