"""The rate behind a fallible verdict: the correction of Rogan and Gladen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level, as_table, family_codes
from measurand.infer.randomness import bootstrap_weights, generator_and_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["CheckedSample", "RoganGladen", "rogan_gladen"]


class CheckedSample(NamedTuple):
    """How the second verdict judged a sample of the trials, counted by task: each (n_tasks,)."""

    passes: ArrayLike
    """Trials that pass by the first verdict."""
    passes_checked: ArrayLike
    passes_rejected: ArrayLike
    """Of those checked, the wrong accepts of the first verdict."""
    fails: ArrayLike
    """Trials that fail by the first verdict."""
    fails_checked: ArrayLike
    """All 0 where no failed trial was looked at: wrong rejects are then assumed away."""
    fails_accepted: ArrayLike
    """Of those checked, the wrong rejects of the first verdict."""


@dataclass(frozen=True, slots=True, eq=False)
class RoganGladen:
    """Result of `rogan_gladen`; arrays have one entry an agent.

    Attributes:
        estimate: (m,) corrected rate, cut to 0..1; NaN where undefined.
        low: (m,) lower ends; NaN where undefined, or where all resamples agree.
        high: (m,) upper ends.
        clipped: (m,) whether the rate fell outside 0..1 and was cut.
        sensitivity: share of truly good work that the first verdict passes; ``None`` when undefined.
        specificity: share of truly bad work that it fails; ``None`` when undefined.
        sensitivity_assumed: whether the sensitivity is 1 by assumption, no failed trial having been checked.
        checked: trials that were checked.
        level: confidence level.
        method: how it was made.
        n_units: what is resampled: tasks, or families.
        resamples: resamples drawn.
        unusable: resamples in which the correction is undefined; they are left out.
        seed: their seed; ``None`` when a generator was passed in.
        reason: why nothing is defined, or ``None``.
    """

    estimate: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    clipped: NDArray[np.bool_]
    sensitivity: float | None
    specificity: float | None
    sensitivity_assumed: bool
    checked: int
    level: float
    method: str
    n_units: int
    resamples: int
    unusable: int
    seed: int | None
    reason: str | None = None


def rogan_gladen(
    table: ArrayLike,
    sample: CheckedSample,
    *,
    families: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> RoganGladen:
    """Correct the rates of agents for the errors of the verdict, taken as the same for all of them.

    With m the observed rate, p = (m + sp - 1)/(se + sp - 1). Sensitivity se and specificity sp come from the checked sample:
    the share F of checked passes that are rejected and the share O of checked failures that are accepted are put on all
    N₁ passes and N₀ failures, se = N₁(1-F)/(N₁(1-F) + N₀O), sp = N₀(1-O)/(N₀(1-O) + N₁F), so that passes and failures may
    have been checked with different chances. Without a checked failure O = 0 and se = 1. The ends are quantiles over
    resampled tasks (or families), which carry the rates and the sample together.

    Args:
        table: (n_tasks, m) rate of each agent in each task by the first verdict; NaN = missing.
        sample: what the second verdict said of a random sample of the trials.
        families: (n_tasks,) a family id for each task.
        level: confidence level, between 0 and 1.
        resamples: resamples to draw, at least 1.
        rng: seed or generator.

    Returns:
        The corrected rates. Undefined, with the reason, where no pass was checked or se + sp ≤ 1: the first verdict then
        says nothing about the truth.

    Raises:
        UsageError: an argument of a wrong shape or outside its range.
        InputError: an infinite rate.

    Source: Rogan and Gladen (1978).

    Example:
        >>> sample = CheckedSample([1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0])
        >>> round(rogan_gladen([[1.0], [1.0], [0.0]], sample, resamples=100, rng=1).specificity, 3)
        0.5
    """
    values = as_table(table)
    level = as_level(level)
    if resamples < 1:
        raise UsageError(f"resamples is {resamples}", hint="pass at least 1")
    generator, seed = generator_and_seed(rng)
    counts = _counts(sample, len(values))
    codes = np.arange(len(values)) if families is None else family_codes(families, len(values))
    units = int(codes.max(initial=-1)) + 1
    present = ~np.isnan(values)
    columns = np.hstack([np.nan_to_num(values), present, counts])
    sums = np.zeros((units, columns.shape[1]))
    np.add.at(sums, codes, columns)
    m = values.shape[1]
    assumed = not counts[:, 4].any()
    rate, se, sp = (part[0] for part in _errors(sums.sum(axis=0, keepdims=True), m, assumed=assumed))
    reason = _why_undefined(counts, float(se), float(sp))
    ends, unusable = np.full((2, m), np.nan), 0
    raw = np.full(m, np.nan) if reason else _corrected(rate, se, sp)
    if reason is None:
        ends, unusable = _ends(sums, m, (level, resamples), generator, assumed=assumed)
    known = reason is None or not np.isnan(se + sp)
    return RoganGladen(
        estimate=np.clip(raw, 0.0, 1.0),
        low=ends[0],
        high=ends[1],
        clipped=(raw < 0) | (raw > 1),
        sensitivity=float(se) if known else None,
        specificity=float(sp) if known else None,
        sensitivity_assumed=assumed,
        checked=int(counts[:, 1].sum() + counts[:, 4].sum()),
        level=level,
        method=f"Rogan-Gladen, percentile bootstrap over {'tasks' if families is None else 'families of tasks'}",
        n_units=units,
        resamples=resamples,
        unusable=unusable,
        seed=seed,
        reason=reason,
    )


def _counts(sample: CheckedSample, tasks: int) -> NDArray[np.float64]:
    arrays = [np.asarray(part, dtype=np.float64) for part in sample]
    if any(part.shape != (tasks,) for part in arrays):
        raise UsageError(
            "the sample is not counted by task", hint=f"pass {tasks} numbers for each of its fields"
        )
    counts = np.column_stack(arrays) if tasks else np.zeros((0, len(sample)))
    for least, most in ((2, 1), (1, 0), (5, 4), (4, 3)):
        if not ((counts[:, least] >= 0) & (counts[:, least] <= counts[:, most])).all():
            names = CheckedSample._fields
            raise UsageError(f"a task has more {names[least]} than {names[most]}")
    return counts


def _errors(
    totals: NDArray[np.float64], m: int, *, assumed: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Observed rates (b, m), sensitivities and specificities (b,) of totals (b, columns)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = totals[:, :m] / totals[:, m : 2 * m]
        n1, checked, rejected, n0, looked, accepted = totals[:, 2 * m :].T
        lost = rejected / checked
        missed = np.zeros(len(totals)) if assumed else accepted / looked
        good = n1 * (1 - lost)
        sensitivity = np.ones(len(totals)) if assumed else good / (good + n0 * missed)
        specificity = n0 * (1 - missed) / (n0 * (1 - missed) + n1 * lost)
    return rate, sensitivity, specificity


def _corrected(
    rate: NDArray[np.float64], se: NDArray[np.float64], sp: NDArray[np.float64]
) -> NDArray[np.float64]:
    corrected: NDArray[np.float64] = (rate + sp - 1) / (se + sp - 1)
    return corrected


def _why_undefined(counts: NDArray[np.float64], se: float, sp: float) -> str | None:
    if not counts[:, 1].any():
        return "no pass was re-checked"
    if np.isnan(se + sp):
        return (
            "by the second verdict there is no good work, or no bad: an error of the first has no share of it"
        )
    if se + sp <= 1 + 1e-12:
        return f"sensitivity and specificity sum to {se + sp:.2f}: the first verdict says nothing about the second"
    return None


def _ends(
    sums: NDArray[np.float64],
    m: int,
    draw: tuple[float, int],
    rng: np.random.Generator,
    *,
    assumed: bool,
) -> tuple[NDArray[np.float64], int]:
    """Quantiles of the corrected rates over resampled units, (2, m), and how many resamples could not be used."""
    level, resamples = draw
    found = []
    for weight in bootstrap_weights(len(sums), resamples, rng):
        rate, se, sp = _errors(weight @ sums, m, assumed=assumed)
        usable = se + sp > 1 + 1e-12
        found.append(_corrected(rate[usable], se[usable, None], sp[usable, None]))
    rates = np.clip(np.concatenate(found), 0.0, 1.0)
    ends = np.full((2, m), np.nan)
    for column in range(m):
        known = rates[~np.isnan(rates[:, column]), column]
        if len(known) and known.min() < known.max():
            ends[:, column] = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return ends, resamples - len(rates)
