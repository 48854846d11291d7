"""Where the spread of a pilot comes from: differences between tasks, and chance between trials of one task."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.errors import InputError, UsageError
from measurand.infer.arrays import family_codes
from measurand.infer.randomness import generator_and_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CellMoments",
    "VarianceComponents",
    "cell_moments",
    "resampled_variances",
    "variance_components",
]

REPLICATED = 2
"""Tasks with several trials from which the variance between trials is estimated at all."""

ROUNDING = 1e-12
"""A between-task variance that lies below 0 by less than this share of the whole is 0 but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class CellMoments:
    """The trials of one agent, task by task.

    Attributes:
        means: (n,) mean over the trials of each task; NaN without a trial.
        variances: (n,) variance of the trials of each task (divisor trials - 1); NaN below two trials.
        counts: (n,) trials of each task.
    """

    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Result of `variance_components`.

    Attributes:
        mean: mean over tasks of the value, or of the paired difference; ``None`` without a task.
        between: variance of the true values between tasks; ``None`` when it cannot be told from the trials.
        within: variance between trials of one task, the mean over tasks; of a difference the sum over both agents;
            ``None`` when undefined.
        within_each: the same for each agent.
        total: variance of one task's mean (or difference) at the pilot's trials; ``None`` for fewer than two units.
        design_effect: `total` over what it would be if tasks of a family were unrelated; ``None`` without families.
        n: tasks, in common where there are two agents.
        n_units: families if given, else tasks.
        replicated: tasks with at least two trials; of two agents the smaller number.
        truncated: whether the estimate of `between` was below 0 and set to 0.
        method: what was done, for the report.
        reason: why something is ``None``, or ``None``.
    """

    mean: float | None
    between: float | None
    within: float | None
    within_each: tuple[float | None, ...]
    total: float | None
    design_effect: float | None
    n: int
    n_units: int
    replicated: int
    truncated: bool
    method: str
    reason: str | None

    def variance(self, trials: float) -> float | None:
        """Return the variance of one task's mean (or difference) at so many trials of each agent: between + within/trials.

        Args:
            trials: trials of a task, above 0; infinity leaves the tasks alone.

        Returns:
            The variance; ``None`` where the two parts are not known apart.

        Raises:
            UsageError: trials not above 0.
        """
        if not trials > 0:
            raise UsageError(f"trials is {trials}", hint="pass a number above 0")
        if self.between is None or self.within is None:
            return None
        return self.between + self.within / trials


def cell_moments(values: ArrayLike, tasks: ArrayLike, n_tasks: int) -> CellMoments:
    """Return mean, variance and number of the trials of each task.

    Args:
        values: (N,) one value a trial.
        tasks: (N,) the task of each trial, numbered from 0.
        n_tasks: number of tasks.

    Raises:
        UsageError: shapes that do not fit, or a task that is not one of 0..n_tasks-1.
        InputError: a value that is not finite.

    Example:
        >>> cells = cell_moments([1, 0, 1], [0, 0, 1], 3)
        >>> cells.means.tolist(), cells.variances.tolist(), cells.counts.tolist()
        ([0.5, 1.0, nan], [0.5, nan, nan], [2, 1, 0])
    """
    y, given = np.asarray(values, dtype=np.float64), np.asarray(tasks)
    if y.ndim != 1 or given.shape != y.shape:
        raise UsageError(
            f"values has the shape {y.shape}, tasks {given.shape}", hint="pass one task for each value"
        )
    if given.size and not (given.dtype.kind in "iu" and given.min() >= 0 and given.max() < n_tasks):
        raise UsageError("tasks are not whole numbers below n_tasks", hint="number the tasks from 0")
    if not np.isfinite(y).all():
        raise InputError("the value is not finite", where=f"trial {int(np.argmin(np.isfinite(y)))}")
    codes = given.astype(np.intp)
    counts = np.bincount(codes, minlength=n_tasks).astype(np.int64)
    means = _ratio(_sums(y, codes, n_tasks), counts)
    squares = _sums((y - means[codes]) ** 2, codes, n_tasks)
    return CellMoments(means, _ratio(squares, counts - 1), counts)


def variance_components(
    a: CellMoments, b: CellMoments | None = None, *, families: ArrayLike | None = None
) -> VarianceComponents:
    """Split the variance of an agent's task means, or of the paired difference of two agents, into its parts.

    Let d be the mean of a task, or the difference a - b of two means, S² its variance over the n tasks (divisor
    n - 1), s² the variance between the k trials of a cell (divisor k - 1), and v the mean of s² over tasks. Then

        within = v_a + v_b          between = S² - mean over tasks of (s²_a/k_a + s²_b/k_b).

    Both are unbiased however unequal the numbers of trials and the tasks' own variances are. A cell with one trial
    enters `between` with v in place of its s², which supposes that it is a cell like the others. Where tasks come in families S² is n times the squared standard
    error of the mean, clustered by family, so that `between` holds what tasks of a family have in common.

    Args:
        a: trials of an agent.
        b: trials of another agent on the same tasks, in the same order; ``None`` for one agent's mean.
        families: (n,) a family id for each task.

    Returns:
        The components. An estimate of `between` below 0 is set to 0 and flagged. With fewer than two tasks of two
        trials (for each agent) the parts are not known apart: only `total` is given, with the reason.

    Raises:
        UsageError: shapes that do not fit.

    Source: SPEC 12.3 and 15; unweighted analysis of variance by the method of moments.

    Example:
        >>> a = cell_moments([1, 1, 0, 0, 1, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3], 4)
        >>> found = variance_components(a)
        >>> round(found.total, 4), found.within, round(found.between, 4)
        (0.2292, 0.125, 0.1667)
        >>> round(found.variance(10), 4)
        0.1792
    """
    agents = (a,) if b is None else (a, b)
    columns, n, units = _columns(agents, families)
    method = "unweighted analysis of variance" + ("" if families is None else ", clustered by family")
    replicated = min(int(columns[:, _Column.each(i).replicated].sum()) for i in range(len(agents)))
    found = _Estimates.of(np.ones((1, len(columns))), columns, units)
    within = tuple(_finite(float(part[0])) for part in found.within)
    known = replicated >= REPLICATED and units >= 2
    total, raw = _finite(float(found.total[0])), float(found.between[0])
    floor = -ROUNDING * (total or 0.0)
    return VarianceComponents(
        mean=_finite(_mean(agents)),
        between=max(raw, 0.0) if known else None,
        within=sum(part for part in within if part is not None) if known else None,
        within_each=within if known else (None,) * len(agents),
        total=total,
        design_effect=None if families is None else _design_effect(agents, total),
        n=n,
        n_units=units,
        replicated=replicated,
        truncated=known and raw < floor,
        method=method,
        reason=_reason(n, units, replicated, agents),
    )


def resampled_variances(
    a: CellMoments,
    b: CellMoments | None = None,
    *,
    trials: Sequence[float],
    families: ArrayLike | None = None,
    resamples: int = 2_000,
    rng: int | np.random.Generator,
) -> NDArray[np.float64]:
    """Return what the variance at so many trials might be: `variance_components` on resampled tasks (or families).

    Args:
        a: trials of an agent.
        b: trials of another agent on the same tasks.
        trials: (R,) numbers of trials of a task; infinity leaves the tasks alone, and NaN stands for the pilot's own.
        families: (n,) a family id for each task.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        (resamples, R) variances of one task's mean or difference; NaN where a resample has too few trials to tell.

    Raises:
        UsageError: shapes that do not fit, or resamples < 1.

    Source: SPEC 15.

    Example:
        >>> a = cell_moments([1, 1, 0, 0, 1, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3], 4)
        >>> resampled_variances(a, trials=[1, 10], resamples=3, rng=1).round(3).tolist()
        [[0.333, 0.333], [0.125, 0.012], [0.125, 0.012]]
    """
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 1")
    generator, _ = generator_and_seed(rng)
    agents = (a,) if b is None else (a, b)
    columns, _, units = _columns(agents, families)
    wanted = np.asarray(trials, dtype=np.float64)
    if units < 2:
        return np.full((resamples, len(wanted)), np.nan)
    weights = generator.multinomial(units, np.full(units, 1 / units), size=resamples).astype(np.float64)
    found = _Estimates.of(weights, columns, units)
    between = np.maximum(found.between, 0.0)[:, None]
    split = between + np.sum(found.within, axis=0)[:, None] / wanted
    return np.where(np.isnan(wanted), found.total[:, None], split)


class _Column(NamedTuple):
    """Where the sums of one agent's trials stand: after the five of the tasks, four for each agent."""

    noise: int
    """s²/k over replicated cells."""
    variance: int
    """s² over replicated cells."""
    replicated: int
    single: int
    """1/k over the other cells."""

    @classmethod
    def each(cls, agent: int) -> _Column:
        return cls(*(5 + 4 * agent + place for place in range(4)))


class _Estimates(NamedTuple):
    """Estimates for each row of weights."""

    total: NDArray[np.float64]
    within: list[NDArray[np.float64]]
    between: NDArray[np.float64]

    @classmethod
    def of(cls, weights: NDArray[np.float64], columns: NDArray[np.float64], units: int) -> _Estimates:
        """Estimate from sums over units; every one is linear in the weights."""
        sums = weights @ columns
        tasks = sums[:, 1]
        mean = _ratio(sums[:, 0], tasks)
        squares = np.maximum(sums[:, 2] - 2 * mean * sums[:, 3] + mean**2 * sums[:, 4], 0.0)
        total = _ratio(squares, tasks) * (units / (units - 1) if units > 1 else math.nan)
        within, noise = [], np.zeros(len(sums))
        for agent in range((columns.shape[1] - 5) // 4):
            at = _Column.each(agent)
            part = _ratio(sums[:, at.variance], sums[:, at.replicated])
            lacking = np.where(sums[:, at.single] > 0, part * sums[:, at.single], 0.0)
            noise = noise + _ratio(sums[:, at.noise] + lacking, tasks)
            within.append(part)
        return cls(total, within, total - noise)


def _columns(
    agents: Sequence[CellMoments], families: ArrayLike | None
) -> tuple[NDArray[np.float64], int, int]:
    """Return sums for each unit (units, 5 + 4 agents), the number of tasks and the number of units."""
    size = len(agents[0].means)
    if any(
        part.shape != (size,) for cells in agents for part in (cells.means, cells.variances, cells.counts)
    ):
        raise UsageError(
            "the two agents have different numbers of tasks", hint="pass the same tasks for both"
        )
    codes = None if families is None else family_codes(families, size)
    there = np.all([cells.counts > 0 for cells in agents], axis=0)
    d = _differences(agents)[there]
    d = d - d.mean() if len(d) else d
    parts = [d, np.ones(len(d))]
    for cells in agents:
        counts, variances = cells.counts[there], cells.variances[there]
        several = counts > 1
        spread = np.where(several, variances, 0.0)
        parts += [spread / counts, spread, several.astype(np.float64), np.where(several, 0.0, 1 / counts)]
    units = np.arange(len(d)) if codes is None else family_codes(codes[there], len(d))
    sums = np.stack([np.bincount(units, weights=part) for part in parts], axis=1)
    s, g = sums[:, 0], sums[:, 1]
    squares = np.stack([s, g, s * s, s * g, g * g], axis=1)
    return np.concatenate([squares, sums[:, 2:]], axis=1), len(d), len(sums)


def _differences(agents: Sequence[CellMoments]) -> NDArray[np.float64]:
    return agents[0].means if len(agents) == 1 else agents[0].means - agents[1].means


def _mean(agents: Sequence[CellMoments]) -> float:
    d = _differences(agents)
    d = d[~np.isnan(d)]
    return float(d.mean()) if len(d) else math.nan


def _design_effect(agents: Sequence[CellMoments], total: float | None) -> float | None:
    """Return the variance with families over that of unrelated tasks."""
    d = _differences(agents)
    d = d[~np.isnan(d)]
    unrelated = float(d.var(ddof=1)) if len(d) > 1 else 0.0
    return None if total is None or unrelated == 0 else total / unrelated


def _reason(n: int, units: int, replicated: int, agents: Sequence[CellMoments]) -> str | None:
    if n == 0:
        return "there are no tasks" if len(agents) == 1 else "the two agents have no task in common"
    if units < 2:
        return f"needs at least 2 {'tasks' if n == units else 'families of tasks'}; there is 1"
    if replicated < REPLICATED:
        who = " by each agent" if len(agents) > 1 else ""
        have = "1 task has them" if replicated == 1 else f"{replicated} tasks have them"
        return f"needs at least 2 trials of a task, on {REPLICATED} tasks or more{who}; {have}"
    return None


def _sums(values: NDArray[np.float64], codes: NDArray[np.intp], n: int) -> NDArray[np.float64]:
    return np.bincount(codes, weights=values, minlength=n).astype(np.float64)


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    found = np.full(np.shape(part), np.nan)
    np.divide(part, whole, out=found, where=np.asarray(whole) > 0)
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
