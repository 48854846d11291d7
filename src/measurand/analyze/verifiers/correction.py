"""Rates by a second verdict that only a sample of the trials has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from measurand.analyze.estimates import few_units
from measurand.analyze.records import Estimate
from measurand.analyze.verifiers.records import CorrectedRate, VerdictErrors
from measurand.infer.verifiers.prediction_powered import prediction_powered_mean, stratified_mean
from measurand.infer.verifiers.rogan_gladen import CheckedSample, RoganGladen, rogan_gladen
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats, Grid
    from measurand.analyze.settings import Settings
    from measurand.analyze.verifiers.cells import CrossedCells
    from measurand.infer.means.intervals import Interval

__all__ = ["DESIGNS", "Correction", "correct", "from_interval"]

Design = Literal["passes", "trials", "strata"]

DESIGNS: Final[dict[str, str]] = {
    "passes": "a random sample of the passes; failures count as failed, unseen",
    "trials": "a random sample of all trials",
    "strata": "random samples of the passes and of the failures, with different chances",
}
"""How the re-checked trials are taken to have been chosen."""

_CLAIMED: Final[dict[Design, int]] = {"passes": 30, "trials": 50, "strata": 30}
"""Re-checked tasks from which a prediction-powered interval claims its level; found by simulation."""

_RARER: Final = 10
"""Re-checked trials of the rarer verdict that a tuned interval needs as well."""

_UNEVEN: Final = 2.0
"""Standard errors apart from which the re-checked shares of passes and of failures are not taken for one chance; strata hold
in either case."""


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """Corrected rates, and the errors of the first verdict behind them."""

    rates: tuple[CorrectedRate | None, ...]
    """One an agent."""
    errors: VerdictErrors


def correct(grid: Grid, cells: CrossedCells, settings: Settings, *, failures: bool) -> Correction:
    """Estimate each agent's rate by the second verdict from the trials that were re-checked.

    Args:
        grid: the cells' agents, tasks and families.
        cells: trials of each cell by both verdicts.
        settings: level, resamples and seed.
        failures: whether the second verdict judged failures as well.

    Returns:
        The rates; ``None`` for an agent of whose passes none was re-checked, and for all where no agent's passes were
        re-checked in part and failures were not judged, for then nothing is left to estimate.
    """
    failures = failures and bool(cells.fails_checked.any())
    seen = cells.checked.sum(axis=0) > 0
    sampled = bool(cells.unchecked[:, seen].any()) or failures
    design = _design(cells, failures=failures)
    if not sampled or not cells.checked.any():
        reason = None if cells.checked.any() or not cells.passes.any() else "no pass was re-checked"
        return Correction((None,) * len(grid.agents), _errors(cells, None, None, reason))
    pooled = _pooled(grid, cells, settings, failures=failures)
    rates = tuple(
        _rate(grid, cells, column, pooled, design) if seen[column] else None
        for column in range(len(grid.agents))
    )
    return Correction(rates, _errors(cells, pooled, DESIGNS[design], pooled.reason))


def _design(cells: CrossedCells, *, failures: bool) -> Design:
    """Whether passes and failures can have been re-checked with the same chance."""
    if not failures:
        return "passes"
    n1, n0 = int(cells.passes.sum()), int(cells.fails.sum())
    c1, c0 = int(cells.checked.sum()), int(cells.fails_checked.sum())
    share = (c1 + c0) / max(n1 + n0, 1)
    error = math.sqrt(share * (1 - share) * (1 / max(n1, 1) + 1 / max(n0, 1)))
    apart = abs(c1 / max(n1, 1) - c0 / max(n0, 1))
    return "strata" if apart > _UNEVEN * error else "trials"


def _pooled(grid: Grid, cells: CrossedCells, settings: Settings, *, failures: bool) -> RoganGladen:
    """Correct all agents with the errors seen on those of whom anything was re-checked."""
    seen = cells.checked.any(axis=0)
    nothing = np.zeros(len(grid.tasks))
    sample = CheckedSample(
        passes=cells.passes[:, seen].sum(axis=1),
        passes_checked=cells.checked[:, seen].sum(axis=1),
        passes_rejected=cells.rejected[:, seen].sum(axis=1),
        fails=cells.fails[:, seen].sum(axis=1),
        fails_checked=cells.fails_checked[:, seen].sum(axis=1) if failures else nothing,
        fails_accepted=cells.fails_accepted[:, seen].sum(axis=1) if failures else nothing,
    )
    return rogan_gladen(
        cells.first.planned,
        sample,
        families=grid.families,
        level=1 - settings.level,
        resamples=settings.resamples,
        rng=settings.seed,
    )


def _rate(grid: Grid, cells: CrossedCells, column: int, pooled: RoganGladen, design: Design) -> CorrectedRate:
    labels, first = cells.trials(column, failures=design != "passes")
    level = pooled.level
    if design == "trials":
        own = prediction_powered_mean(labels, first, families=grid.families, level=level)
    else:
        own = stratified_mean(labels, first, families=grid.families, level=level)
    return CorrectedRate(
        rogan_gladen=_from_pooled(pooled, column, few_units(pooled.n_units, _units(grid))),
        rogan_gladen_clipped=bool(pooled.clipped[column]),
        prediction_powered=from_interval(own.interval),
        prediction_powered_clipped=own.clipped,
        power=own.power,
        labelled=own.labelled,
        trials=own.trials,
        notes=_notes(labels, own.interval.n, design),
    )


def _units(grid: Grid) -> str:
    return "tasks" if grid.families is None else "families"


def _notes(labels: Floats, units: int, design: Design) -> tuple[str, ...]:
    """Why a prediction-powered interval may cover with less than its level."""
    least = _CLAIMED[design]
    if 0 < units < least:
        return (
            f"{plural(units, 're-checked task')} or families, where {least} are needed for an interval's level",
        )
    known = labels[~np.isnan(labels)]
    rarer = int(min((known == 1).sum(), (known == 0).sum()))
    if design == "trials" and len(known) and rarer < _RARER:
        return (
            f"{rarer} re-checked trials of the rarer verdict, where {_RARER} are needed for an interval's level",
        )
    return ()


def _from_pooled(pooled: RoganGladen, column: int, few: str) -> Estimate:
    value, low, high = (float(part[column]) for part in (pooled.estimate, pooled.low, pooled.high))
    defined = not math.isnan(low)
    no_width = (
        None if math.isnan(value) else "every resample gives the same rate: a bootstrap has no width to give"
    )
    return Estimate(
        value=None if math.isnan(value) else value,
        low=low if defined else None,
        high=high if defined else None,
        level=pooled.level,
        method=f"{pooled.method}, {pooled.resamples} resamples, seed {pooled.seed}{few}",
        n=pooled.n_units,
        reason=None if defined else pooled.reason or no_width,
    )


def from_interval(found: Interval) -> Estimate:
    """Give an interval of the core as a record."""
    return Estimate(
        value=found.estimate,
        low=found.low,
        high=found.high,
        level=found.level,
        method=found.method,
        n=found.n,
        reason=found.reason,
    )


def _errors(
    cells: CrossedCells, pooled: RoganGladen | None, design: str | None, reason: str | None
) -> VerdictErrors:
    return VerdictErrors(
        passes=int(cells.passes.sum()),
        passes_checked=int(cells.checked.sum()),
        passes_rejected=int(cells.rejected.sum()),
        fails=int(cells.fails.sum()),
        fails_checked=int(cells.fails_checked.sum()),
        fails_accepted=int(cells.fails_accepted.sum()),
        sensitivity=None if pooled is None else pooled.sensitivity,
        specificity=None if pooled is None else pooled.specificity,
        sensitivity_assumed=pooled is not None and pooled.sensitivity_assumed,
        failures_used=design is not None and design != DESIGNS["passes"],
        design=design,
        reason=reason,
    )
