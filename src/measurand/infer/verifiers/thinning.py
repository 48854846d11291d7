"""Random removal: what taking the same share of everybody's passes away would do to an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import ROUNDING, as_level
from measurand.infer.randomness import generator_and_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["MOST_AGENTS", "Thinning", "random_removal"]

MOST_AGENTS: Final = 200
"""Agents up to which tau-b is found in each resample; all pairs are looked at."""

_BATCH: Final = 1 << 18
"""Numbers of passes drawn at a time."""


@dataclass(frozen=True, slots=True)
class Thinning:
    """Result of `random_removal`.

    Attributes:
        neighbours: pairs of neighbours that are apart in the order given.
        mean: mean number of them that are reversed.
        low: lower end of the band of that number.
        high: its upper end.
        ties_mean: mean number of them that are equal after the removal.
        ties_low: lower end of the band of that number.
        ties_high: its upper end.
        tau: mean of Kendall's tau-b between the order given and that after the removal; ``None`` where there is no order,
            or more than `MOST_AGENTS` agents.
        tau_low: lower end of the band of tau-b.
        tau_high: its upper end.
        expected: exact expected number of reversals; ``None`` when undefined.
        expected_ties: exact expected number of ties; ``None`` when undefined.
        share: share removed.
        level: of the bands, such as 0.95.
        resamples: resamples drawn.
        seed: their seed; ``None`` when a generator was passed in.
        reason: why the exact numbers are ``None``, or ``None``.
    """

    neighbours: int
    mean: float
    low: int
    high: int
    ties_mean: float
    ties_low: int
    ties_high: int
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    expected: float | None
    expected_ties: float | None
    share: float
    level: float
    resamples: int
    seed: int | None
    reason: str | None = None


def random_removal(
    passes: ArrayLike,
    share: float,
    *,
    worth: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> Thinning:
    """Remove each pass of every agent with the same chance, and count the neighbours that change places.

    An agent with c passes keeps a Binomial(c, 1 - share) number of them. Removing exactly the same number from each would
    leave no chance in the totals, so each pass is drawn on its own. Neighbours are those of the order given that are
    apart there; they are reversed when the lower one has more after the removal, and tied when both have the same.

    Args:
        passes: (m,) number of passes of each agent, the best agent first; or (g, m) where passes of g kinds are worth
            differently.
        share: chance that a pass is removed, from 0 to 1.
        worth: what a pass adds to the agent's rate, of the shape of ``passes``; 1 for each when left out. It differs
            where agents have different numbers of tasks, or tasks different numbers of trials.
        level: of the bands, between 0 and 1; their ends are the (1-level)/2 and (1+level)/2 quantiles.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        Means, bands and, where all passes are worth the same, the exact expectations by convolution of binomials. Neighbours
        see the nearest agents only; tau-b sees all pairs.

    Raises:
        UsageError: an argument of a wrong shape or outside its range, or agents that are not in falling order.

    Source: SPEC 13c.

    Example:
        >>> round(random_removal([20, 18], 0.5, rng=1).expected, 4)
        0.3136
    """
    counts, values = _arguments(passes, worth)
    level = as_level(level)
    if not 0 <= share <= 1:
        raise UsageError(f"share is {share!r}", hint="pass a share from 0 to 1")
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 1")
    generator, seed = generator_and_seed(rng)
    rates = (counts * values).sum(axis=0)
    slack = ROUNDING * max(float(np.abs(rates).max(initial=0.0)), 1e-300)
    gaps = rates[:-1] - rates[1:]
    if (gaps < -slack).any():
        raise UsageError("the agents are not in falling order", hint="pass the best agent first")
    apart = np.flatnonzero(gaps > slack)
    reversals, ties, taus = [], [], []
    step = max(1, _BATCH // max(counts.size, 1))
    for start in range(0, resamples, step):
        size = (min(step, resamples - start), *counts.shape)
        kept = np.einsum("bgm,gm->bm", generator.binomial(counts, 1 - share, size), values)
        rise = kept[:, apart + 1] - kept[:, apart]
        reversals.append((rise > slack).sum(axis=1))
        ties.append((np.abs(rise) <= slack).sum(axis=1))
        if len(rates) <= MOST_AGENTS:
            taus.append(_taus(rates, kept, slack))
    swapped, tied = np.concatenate(reversals), np.concatenate(ties)
    band, tie_band = (_band(numbers, level) for numbers in (swapped, tied))
    tau, tau_low, tau_high = _tau_band(taus, level)
    equal = not counts.any() or np.ptp(values[counts > 0]) <= ROUNDING * values[counts > 0].max()
    exact = _expected(counts.sum(axis=0), apart, 1 - share) if equal else (None, None)
    return Thinning(
        neighbours=len(apart),
        mean=float(swapped.mean()),
        low=band[0],
        high=band[1],
        ties_mean=float(tied.mean()),
        ties_low=tie_band[0],
        ties_high=tie_band[1],
        tau=tau,
        tau_low=tau_low,
        tau_high=tau_high,
        expected=exact[0],
        expected_ties=exact[1],
        share=float(share),
        level=level,
        resamples=resamples,
        seed=seed,
        reason=None if equal else "passes are worth differently: there is no short exact sum",
    )


def _arguments(passes: ArrayLike, worth: ArrayLike | None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts and their worth, both (g, m)."""
    given = np.atleast_2d(np.asarray(passes, dtype=np.float64))
    values = np.ones(given.shape) if worth is None else np.atleast_2d(np.asarray(worth, dtype=np.float64))
    if given.ndim != 2 or values.shape != given.shape:
        raise UsageError(
            f"passes has the shape {given.shape}, worth {values.shape}", hint="pass one number an agent"
        )
    if not (np.isfinite(given) & (given >= 0) & (given == np.round(given))).all():
        raise UsageError("a number of passes is not a whole number, 0 or more")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise UsageError("the worth of a pass is not a number of 0 or more")
    return given.astype(np.int64), values


def _taus(rates: NDArray[np.float64], kept: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
    """Kendall's tau-b of each resample with the order given, (b,); NaN where one of the two has no order."""
    agree, apart = np.zeros(len(kept)), np.zeros(len(kept))
    ordered = 0
    for i in range(len(rates) - 1):
        before = rates[i] - rates[i + 1 :] > slack
        after = kept[:, i, None] - kept[:, i + 1 :]
        sign = (after > slack).astype(np.int8) - (after < -slack)
        agree += sign @ before.astype(np.int64)
        apart += np.count_nonzero(sign, axis=1)
        ordered += int(before.sum())
    tau = np.full(len(kept), np.nan)
    np.divide(agree, np.sqrt(ordered * apart), out=tau, where=ordered * apart > 0)
    return tau


def _tau_band(
    batches: list[NDArray[np.float64]], level: float
) -> tuple[float | None, float | None, float | None]:
    found = np.concatenate([np.zeros(0), *batches])
    found = found[~np.isnan(found)]
    if not len(found):
        return None, None, None
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(found.mean()), float(low), float(high)


def _band(numbers: NDArray[np.int64], level: float) -> tuple[int, int]:
    ends = np.quantile(numbers, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return int(ends[0]), int(ends[1])


def _expected(counts: NDArray[np.int64], apart: NDArray[np.intp], kept: float) -> tuple[float, float]:
    """Sum over neighbours of the chances that the lower one has more, and that both have the same."""
    reversed_, tied = 0.0, 0.0
    for place in apart.tolist():
        above, below = _binomial(int(counts[place]), kept), _binomial(int(counts[place + 1]), kept)
        above = above[: len(below)]
        more = np.append(np.cumsum(below[::-1])[::-1][1:], 0.0)
        reversed_ += float(above @ more)
        tied += float(above @ below)
    return reversed_, tied


def _binomial(n: int, p: float) -> NDArray[np.float64]:
    """Chances of 0..n successes."""
    k = np.arange(n + 1)
    chances: NDArray[np.float64]
    if p in {0.0, 1.0}:
        chances = (k == n * p) * 1.0
        return chances
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    chances = np.exp(ways + xlogy(k, p) + xlog1py(n - k, -p))
    return chances
