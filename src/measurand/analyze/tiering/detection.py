"""How large a difference the data can show, and how sure one difference is."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.means import count_units
from measurand.analyze.records import Estimate
from measurand.infer.design.power import minimal_detectable_difference
from measurand.infer.differences.simultaneous import simultaneous
from measurand.infer.means.clusters import standard_error

if TYPE_CHECKING:
    from measurand.analyze.cells import Codes, Floats
    from measurand.analyze.settings import Settings
    from measurand.infer.differences.permutation import MaxT

__all__ = ["detectable", "tested_interval"]


def detectable(
    table: Floats,
    families: Codes | None,
    settings: Settings,
    *,
    share: bool,
    errors: Floats | None = None,
) -> Estimate:
    """Minimal detectable difference of one pair of agents, from the median standard error of all pairs.

    Args:
        table: tasks × agents of the tested family.
        families: family of each task; ``None`` when every task stands alone.
        settings: level and power.
        share: whether the cells lie between 0 and 1, so that no difference exceeds 1.
        errors: standard error of each pair's difference, NaN where undefined, where a test has them already.
    """
    n, m = count_units(families, len(table)), table.shape[1]
    known = _errors(table, families) if errors is None else errors[~np.isnan(errors)]
    if not known.any():
        return Estimate(value=None, n=n, reason="no pair of agents differs by varying amounts")
    units = max(n, 2)
    found = minimal_detectable_difference(
        float(np.median(known)) * math.sqrt(units), units, m, level=settings.level, power=settings.power
    )
    if share and found.difference is not None and found.difference > 1:
        return Estimate(value=None, n=n, reason="not even the largest difference that two shares can have")
    return Estimate(
        value=found.difference,
        level=settings.power,
        n=n,
        method=f"normal approximation, {settings.power:.0%} power, all pairs of {m} at {settings.level:.0%}",
        reason=found.reason,
    )


def _errors(table: Floats, families: Codes | None) -> Floats:
    """Standard errors of all pairs that have one."""
    pairs = combinations(range(table.shape[1]), 2)
    errors = (standard_error(table[:, i] - table[:, j], families) for i, j in pairs)
    return np.array([error for error in errors if error is not None])


def tested_interval(d: Floats, test: MaxT, families: Codes | None, *, share: bool) -> Estimate:
    """Interval of the one paired difference that ``test`` tested.

    It leaves out 0 exactly when the p-value is at most the level; the difference of two shares is at most 1. Source:
    SPEC 20, "one test, one answer".
    """
    seed = 0 if test.seed is None else test.seed
    pair = np.column_stack([d, np.zeros_like(d)])
    found = simultaneous(pair, test, families=families, rng=seed)
    level, n = found.level, test.n_units
    if test.n_common[0] == 0:
        return Estimate(value=None, level=level, n=0, reason=found.reasons[0])
    value = float(test.mean_difference[0])
    if found.reasons[0] is not None:
        return Estimate(value=value, level=level, n=n, reason=found.reasons[0])
    most = 1.0 if share else math.inf
    low, high = max(float(found.low[0]), -most), min(float(found.high[0]), most)
    return Estimate(value=value, low=low, high=high, level=level, method=found.method, n=n)
