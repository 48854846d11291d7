"""Stated confidences of agents against what came of their trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measurand.analyze.estimates import few_units
from measurand.analyze.records import Estimate
from measurand.analyze.repeats.records import ConfidenceRow
from measurand.infer.repeats.calibration import Stated, calibration

if TYPE_CHECKING:
    from measurand.analyze.prepare import Prepared
    from measurand.analyze.settings import Settings
    from measurand.infer.means.shares import Interval

__all__ = ["confidence_rows"]


def confidence_rows(
    prepared: Prepared, settings: Settings, *, abstain_below: float | None
) -> dict[str, ConfidenceRow]:
    """Calibration of each agent that states a confidence in some trial with a verdict."""
    _, scored, grid, _ = prepared
    judged = scored.filter(pl.col("gate").is_not_null()).select("agent", "task", "gate", "confidence")
    stating = judged.filter(pl.col("confidence").is_not_null())
    of_trials = dict(judged.group_by("agent").len().iter_rows())
    places = {task: place for place, task in enumerate(grid.tasks)}
    rows = {}
    for (agent,), trials in stating.sort("agent", "task").partition_by("agent", as_dict=True).items():
        tasks = trials["task"].replace_strict(places, return_dtype=pl.Int64).to_numpy()
        families = None if grid.families is None else grid.families[tasks]
        stated = Stated(trials["confidence"].to_numpy(), trials["gate"].to_numpy(), tasks, families)
        found = calibration(
            stated,
            abstain_below=abstain_below,
            level=1 - settings.level,
            resamples=settings.resamples,
            rng=settings.seed,
        )
        unit = "tasks" if families is None else "families"

        def known(one: Interval | None, unit: str = unit) -> Estimate | None:
            return None if one is None else _estimate(one, unit)

        rows[str(agent)] = ConfidenceRow(
            trials=found.trials,
            of_trials=int(of_trials[agent]),
            rate=found.rate,
            confidence=found.confidence,
            brier=_estimate(found.brier, unit),
            brier_skill=_estimate(found.brier_skill, unit),
            ece=_estimate(found.ece, unit),
            auroc=_estimate(found.auroc, unit),
            risk_coverage=_estimate(found.risk_coverage, unit),
            abstained=known(found.abstained),
            fail_given_abstain=known(found.fail_given_abstain),
            abstain_given_fail=known(found.abstain_given_fail),
            rate_on_rest=known(found.rate_on_rest),
        )
    return rows


def _estimate(one: Interval, unit: str) -> Estimate:
    drawn = f", {one.resamples} resamples, seed {one.seed}" if one.resamples is not None else ""
    few = few_units(one.n, unit) if one.low is not None else ""
    return Estimate(
        value=one.estimate,
        low=one.low,
        high=one.high,
        level=one.level,
        method=f"{one.method}{drawn}{few}",
        n=one.n,
        reason=one.reason,
    )
