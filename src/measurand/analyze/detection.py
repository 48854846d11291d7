"""How large a difference the data can show, and how sure one difference is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.means import count_units
from measurand.analyze.records import Estimate
from measurand.infer.clusters import standard_error
from measurand.infer.power import minimal_detectable_difference

if TYPE_CHECKING:
    from measurand.analyze.cells import Codes, Floats
    from measurand.analyze.settings import Settings
    from measurand.infer.permutation import MaxT

__all__ = ["detectable", "tested_interval"]


def detectable(table: Floats, families: Codes | None, settings: Settings, *, share: bool) -> Estimate:
    """Minimal detectable difference of one pair of agents, from the median standard error of all pairs.

    Args:
        table: tasks × agents of the tested family.
        families: family of each task; ``None`` when every task stands alone.
        settings: level and power.
        share: whether the cells lie between 0 and 1, so that no difference exceeds 1.
    """
    n, m = count_units(families, len(table)), table.shape[1]
    errors = [
        error
        for i in range(m)
        for j in range(i + 1, m)
        if (error := standard_error(table[:, i] - table[:, j], families)) is not None
    ]
    if not errors or not any(errors):
        return Estimate(value=None, n=n, reason="no pair of agents differs by varying amounts")
    units = max(n, 2)
    found = minimal_detectable_difference(
        float(np.median(errors)) * math.sqrt(units), units, m, level=settings.level, power=settings.power
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


def tested_interval(d: Floats, test: MaxT, families: Codes | None) -> Estimate:
    """Interval of the one paired difference that ``test`` tested: the mean and its critical value times standard error.

    It comes from the resamples that gave the p-value, so that it leaves out 0 exactly when the p-value is small.
    Source: SPEC 20, "one test, one answer".
    """
    mean, t = float(test.mean_difference[0]), float(test.t[0])
    level, n = 1 - test.level, test.n_units
    error = abs(mean / t) if t and math.isfinite(t) else standard_error(d, families)
    if test.n_common[0] == 0:
        return Estimate(value=None, level=level, n=0, reason="the two agents have no task in common")
    if not error or math.isinf(t):
        return Estimate(value=mean, level=level, n=n, reason="every task differs by the same amount")
    if test.critical_value is None:
        reason = "with so few tasks that differ no interval of this level is finite"
        return Estimate(value=mean, level=level, n=n, reason=reason)
    half = test.critical_value * error
    low, high = mean - half, mean + half
    if test.p_adjusted[0] > test.level:  # rounding must not lift an end over the 0 that it reaches
        low, high = min(low, 0.0), max(high, 0.0)
    method = "the difference plus and minus the sign-flip test's critical value times the standard error"
    return Estimate(value=mean, low=low, high=high, level=level, method=method, n=n)
