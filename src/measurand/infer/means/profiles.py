"""Profiles of graded scores: how often a threshold is reached, the interquartile mean, the probability of improvement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import InputError, UsageError
from measurand.infer.arrays import as_level, as_table, family_codes
from measurand.infer.means.intervals import ColumnIntervals, cluster_bootstrap
from measurand.infer.randomness import bootstrap_weights, generator_and_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["interquartile_mean", "performance_profile", "probability_of_improvement"]

CUT = 4
"""The interquartile mean leaves out the best and the worst quarter of the tasks."""


def performance_profile(
    cube: ArrayLike,
    thresholds: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> ColumnIntervals:
    """Return the share of an agent's trials that reach each threshold.

    F(τ) = (1/n) Σ_t (1/k_t) Σ_r 1[x_tr ≥ τ]: the share in a task, then the mean over tasks, so that tasks weigh equally
    whatever their numbers of trials. With the improvement over the reference as x this is the curve Opt_p over p.

    Args:
        cube: (n_tasks, k) the scores of one agent's trials; NaN = no such trial.
        thresholds: (T,) in the unit of the scores.
        families: (n_tasks,) a family id for each task.
        level: confidence level of the pointwise intervals, between 0 and 1.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        One column a threshold: the share, and its percentile interval over tasks or families. Where every task has
        the same share there is no interval, and `reasons` says so.

    Raises:
        UsageError: an argument of a wrong shape or outside its range.
        InputError: an infinite score.

    Source: SPEC 20, Opt_p; Agarwal et al. (2021) for the profile, Shetty et al. (2025) for Opt_p.

    Example:
        >>> curve = performance_profile([[0.2, 0.8], [0.9, 0.9], [0.1, 0.6]], [0.0, 0.5, 0.9], resamples=100, rng=1)
        >>> curve.estimate.round(3).tolist()
        [1.0, 0.667, 0.333]
    """
    scores = as_table(cube)
    bars = np.asarray(thresholds, dtype=np.float64)
    if bars.ndim != 1 or np.isnan(bars).any():
        raise UsageError(f"thresholds has the shape {bars.shape}", hint="pass a list of numbers")
    trials = np.count_nonzero(~np.isnan(scores), axis=1)
    reached = np.empty((len(scores), len(bars)))
    for place, bar in enumerate(bars.tolist()):
        reached[:, place] = np.count_nonzero(scores >= bar, axis=1)
    shares = np.full(reached.shape, np.nan)
    np.divide(reached, trials[:, None], out=shares, where=trials[:, None] > 0)
    return cluster_bootstrap(shares, families=families, level=level, resamples=resamples, rng=rng)


def interquartile_mean(
    table: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> ColumnIntervals:
    """Return the mean of the middle half of each column: a mean that no quarter of the tasks can carry.

    Of an agent's n cells the floor(n/4) smallest and largest are left out.

    Args:
        table: (n_tasks, m) one value a cell, the mean over trials; NaN = missing.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        One column an agent, with percentile intervals over tasks or families. Undefined, with the reason, for a column
        without cells, and without interval where every resample gives the same mean.

    Raises:
        UsageError: an argument outside its range or of a wrong shape.
        InputError: an infinite value.

    Source: Agarwal et al. (2021), on task means; SPEC 0 for the order of averaging.

    Example:
        >>> result = interquartile_mean([[0.0], [0.4], [0.6], [9.0]], resamples=200, rng=1)
        >>> result.estimate.tolist()
        [0.5]
    """
    values = as_table(table)
    level = as_level(level)
    generator, seed = generator_and_seed(rng)
    n, m = values.shape
    codes = np.arange(n) if families is None else family_codes(families, n)
    units = int(codes.max(initial=-1)) + 1
    order = np.argsort(values, axis=0, kind="stable")
    ascending = np.nan_to_num(np.take_along_axis(values, order, axis=0))
    present = np.take_along_axis(~np.isnan(values), order, axis=0).astype(np.float64)
    whole = [_middle_mean(ascending[:, c], present[None, :, c]) for c in range(m)]
    estimate = np.array([float(mean[0]) for mean in whole]).reshape(m)
    batches: list[list[NDArray[np.float64]]] = [[] for _ in range(m)]
    for weights in bootstrap_weights(units, resamples, generator) if units else ():
        for column in range(m):
            drawn = weights[:, codes[order[:, column]]] * present[:, column]
            batches[column].append(_middle_mean(ascending[:, column], drawn))
    low, high = np.full(m, np.nan), np.full(m, np.nan)
    reasons: list[str | None] = [None] * m
    for column in range(m):
        found = np.concatenate([np.zeros(0), *batches[column]])
        found = found[~np.isnan(found)]
        if np.isnan(estimate[column]):
            reasons[column] = "the column has no cells"
        elif not len(found) or found.min() == found.max():
            reasons[column] = "every resample gives the same mean: a bootstrap interval has no width"
        else:
            low[column], high[column] = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    over = "tasks" if families is None else "families of tasks"
    return ColumnIntervals(
        low=low,
        high=high,
        estimate=estimate,
        defined=~np.isnan(low),
        reasons=tuple(reasons),
        level=level,
        method=f"percentile bootstrap of the interquartile mean over {over}",
        n=n,
        n_units=units,
        resamples=resamples,
        seed=seed,
    )


def _middle_mean(ascending: NDArray[np.float64], drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the middle half where each ascending value counts ``drawn`` times, (batch,); NaN without any."""
    last = np.cumsum(drawn, axis=1)
    total = last[:, -1] if drawn.shape[1] else np.zeros(len(drawn))
    cut = np.floor(total / CUT)[:, None]
    kept = np.minimum(last, total[:, None] - cut) - np.maximum(last - drawn, cut)
    np.maximum(kept, 0.0, out=kept)
    count = total - 2.0 * cut[:, 0]
    mean = np.full(len(drawn), np.nan)
    np.divide(kept @ ascending, count, out=mean, where=count > 0)
    return mean


def probability_of_improvement(
    cube: ArrayLike,
    pairs: ArrayLike,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> ColumnIntervals:
    """Return how often a fresh trial of one agent is better than one of another, on a task drawn at random.

    P = (1/n) Σ_t (#{x > y} + ½ #{x = y})/(k_x k_y), over all pairs of trials x of the first and y of the second agent on
    task t, and then over the tasks that both have.

    Args:
        cube: (n_tasks, m_agents, k) scores of the trials, higher is better; NaN = no such trial.
        pairs: (P, 2) columns of the two agents of each pair.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        One column a pair: the probability with its percentile interval over tasks or families. A probability is no
        size: an agent that wins every task by a hair has 1.

    Raises:
        UsageError: an argument of a wrong shape or outside its range.
        InputError: an infinite score.

    Source: Agarwal et al. (2021); Mann and Whitney (1947).

    Example:
        >>> scores = [[[0.9, 0.5], [0.5, 0.1]], [[0.3, 0.3], [0.4, 0.2]]]
        >>> probability_of_improvement(scores, [[0, 1]], resamples=100, rng=1).estimate.tolist()
        [0.6875]
    """
    scores = np.asarray(cube, dtype=np.float64)
    chosen = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    if scores.ndim != 3:
        raise UsageError(
            f"the cube has {scores.ndim} dimensions", hint="pass an array of tasks by agents by trials"
        )
    if len(chosen) and not (chosen.min() >= 0 and chosen.max() < scores.shape[1]):
        raise UsageError("a pair names an agent that is not there", hint="pass columns of the cube")
    if np.isinf(scores).any():
        task, agent, _ = np.argwhere(np.isinf(scores))[0]
        raise InputError("the score is infinite", where=f"task {task}, agent {agent}")
    table = np.empty((len(scores), len(chosen)))
    for place, (a, b) in enumerate(chosen.tolist()):
        table[:, place] = _win_share(scores[:, a], scores[:, b])
    return cluster_bootstrap(table, families=families, level=level, resamples=resamples, rng=rng)


def _win_share(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of pairs of trials that the first wins, ties half, (n_tasks,); NaN where one has no trial."""
    wins = np.count_nonzero(x[:, :, None] > y[:, None, :], axis=(1, 2))
    ties = np.count_nonzero(x[:, :, None] == y[:, None, :], axis=(1, 2))
    meetings = np.count_nonzero(~np.isnan(x), axis=1) * np.count_nonzero(~np.isnan(y), axis=1)
    share = np.full(len(x), np.nan)
    np.divide(wins + 0.5 * ties, meetings, out=share, where=meetings > 0)
    return share
