"""Percentiles: the place of a result in a frozen field of reference results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["FORMS", "percentile"]

FORMS: dict[str, Callable[[NDArray[np.float64], int], NDArray[np.float64]]] = {
    "hazen": lambda below, n: (below + 0.5) / (n + 1),
    "plain": lambda below, n: below / n,
    "ale-weibull": lambda below, n: (below + 1.0) / (n + 2),
    "ale-hazen": lambda below, n: (below + 0.5) / (n + 1),
    "ale-original": lambda below, n: np.maximum(below - 1.0, 0.0) / n,
}
"""Name of a form -> share from (#worse + ½ #equal) and the size N of the field.

ALE-Bench's three forms rank the result among the N of the field, rank = 1 + #better + ½ #equal, and give
rank/(N+2), (rank - ½)/(N+1) and rank/N, small for the best; here each is taken from 1, so that more is better.
"""


def percentile(
    quantity: ArrayLike, field: ArrayLike, *, lower_is_better: bool = False, form: str = "hazen"
) -> NDArray[np.float64]:
    """Return the share of a frozen field that each result of one task beats; ties count half.

    With N results in the field, P = (#worse + ½ #equal)/N ("plain"), or (#worse + ½ #equal + ½)/(N + 1) ("hazen"),
    which is never 0 or 1. All results better than the whole field get the same value: there is no room above it.

    Args:
        quantity: any shape; results of one task in its unit, NaN = unknown.
        field: (N,) the field; NaN is a member without a valid result, who is worse than every quantity.
        lower_is_better: direction of the quantity.
        form: "hazen", "plain", or one of ALE-Bench's rank forms "ale-weibull", "ale-hazen" (equal to "hazen") and
            "ale-original".

    Returns:
        Shares from 0 to 1 of the shape of ``quantity``; NaN where it is, and everywhere when the field is empty.

    Raises:
        UsageError: no such form, or a field that is not one-dimensional.
        InputError: an infinite member of the field.

    Source: SPEC 10.3; ALE-Bench's ``convert_rank_to_percentile`` for the rank forms.

    Example:
        >>> percentile([1.0, 3.0, 9.0], [1.0, 2.0, 3.0, 4.0], form="plain").tolist()
        [0.125, 0.625, 1.0]
        >>> percentile(2.0, [3.0, 4.0, float("nan")], lower_is_better=True).item()
        0.875
    """
    if form not in FORMS:
        raise UsageError(f"there is no form {form!r} of percentiles", hint=f"one of: {', '.join(FORMS)}")
    q, members = np.asarray(quantity, dtype=np.float64), np.asarray(field, dtype=np.float64)
    if members.ndim != 1:
        raise UsageError(f"the field has {members.ndim} dimensions", hint="pass the results of one task")
    if np.isinf(members).any():
        raise InputError("the value is infinite", where=f"member {np.flatnonzero(np.isinf(members))[0]}")
    if not len(members):
        return np.full(q.shape, np.nan)
    known = np.sort(members[~np.isnan(members)])
    failed = len(members) - len(known)
    left, right = (np.searchsorted(known, q, side=side) for side in ("left", "right"))
    worse = len(known) - right if lower_is_better else left
    below = failed + worse + 0.5 * (right - left)
    return np.where(np.isnan(q), np.nan, FORMS[form](below, len(members)))
