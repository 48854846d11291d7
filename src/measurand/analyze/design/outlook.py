"""What it takes to show the observed difference of two agents, in short."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from measurand.analyze.design.records import PairOutlook
from measurand.infer.design.planning import tasks_needed, to_show, trials_needed

if TYPE_CHECKING:
    from measurand.analyze.design.pilot import Pilot
    from measurand.analyze.settings import Settings

__all__ = ["NO_DIFFERENCE", "UNTOLD", "is_nothing", "outlook", "unknown_spread"]

NO_DIFFERENCE = "the pilot shows no difference to plan for"
UNTOLD = "the pilot does not tell the differences between tasks from the noise between trials"
_NOTHING = 1e-6
"""A difference of so few standard deviations of a task is none: rounding, or no number of tasks would do."""
_ROUNDING = 1e-9
"""Values of tasks that differ by this share of the largest differ by rounding."""


def unknown_spread(pilot: Pilot) -> str | None:
    """Why nothing can be planned from a pilot's spread, or ``None``."""
    total = pilot.components.total
    if total is None:
        return pilot.components.reason
    if math.sqrt(total) <= _ROUNDING * pilot.scale:
        same = "has the same mean" if len(pilot.agents) == 1 else "differs by the same amount"
        return f"every task of the pilot {same}: it tells nothing of the spread"
    return None


def is_nothing(difference: float, variance: float) -> bool:
    """Whether a difference is none beside the variance of one task."""
    return abs(difference) <= _NOTHING * math.sqrt(variance)


def outlook(
    pilot: Pilot,
    settings: Settings,
    *,
    suite_tasks: int,
    m: int,
    pass_fail: bool,
    difference: float | None = None,
) -> PairOutlook:
    """Say what it takes to show a difference of two agents, their own when none is given."""
    components = pilot.components
    mean = components.mean
    better, worse = pilot.agents if mean is None or mean >= 0 else pilot.agents[::-1]
    size = abs(mean or 0.0) if difference is None else difference
    reason = unknown_spread(pilot)
    if reason is None and is_nothing(size, components.total or 0.0):
        reason = NO_DIFFERENCE
    known = PairOutlook(
        better=better,
        worse=worse,
        difference=None if mean is None else abs(mean),
        tasks=None,
        trials=float(np.mean(pilot.trials)) if components.n else None,
        suite_tasks=suite_tasks,
        suite_trials=None,
        limit=None,
        m=m,
        level=settings.level,
        power=settings.power,
        reason=reason,
    )
    if reason is not None or components.total is None:
        return known
    need = to_show(size, m, level=settings.level, power=settings.power)
    stepped = pass_fail and m == 2
    step = pilot.step(None) if stepped else 0.0
    found = msgspec.structs.replace(known, tasks=tasks_needed(need, components.total, step=step))
    if components.truncated:
        return msgspec.structs.replace(found, suite_reason=UNTOLD)
    suite = trials_needed(need, components, suite_tasks, stepped=stepped)
    return msgspec.structs.replace(
        found, suite_trials=suite.trials, limit=suite.limit, suite_reason=suite.reason
    )
