"""Means over tasks of several figures at once, each with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import numpy as np

from measurand.analyze.estimates import all_zero_or_one, estimates
from measurand.analyze.records import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.cells import Codes, Floats
    from measurand.analyze.settings import Settings

__all__ = ["Figure", "task_means"]

_TOGETHER: Final = 200
"""Figures resampled at once, so that their resampled means fit the memory."""


class Figure(NamedTuple):
    """One number for each task."""

    values: Floats
    """(n_tasks,); NaN where a task has none."""
    reason: str
    """Why it is undefined when no task has any."""
    bounds: tuple[float, float] | None = (0.0, 1.0)
    """Least and greatest value that a task can have; ``None`` when they are not the same for all tasks."""


def task_means(figures: Sequence[Figure], families: Codes | None, settings: Settings) -> list[Estimate]:
    """Give the mean over tasks of each figure with the interval that a mean of the standings would have.

    Wilson where each task has 0 or 1 and tasks stand alone, else the percentile bootstrap over tasks or families. Without
    spread a bounded figure falls back on Wilson over the units, on its own scale.
    """
    found: list[Estimate | None] = [None] * len(figures)
    kinds: dict[tuple[bool, bool], list[int]] = {}
    for place, figure in enumerate(figures):
        if np.isnan(figure.values).all():
            found[place] = Estimate(value=None, level=1 - settings.level, n=0, reason=figure.reason)
        else:
            ones = families is None and figure.bounds == (0.0, 1.0) and all_zero_or_one(figure.values)
            kinds.setdefault((ones, figure.bounds is not None), []).append(place)
    for (_, bounded), places in kinds.items():
        for start in range(0, len(places), _TOGETHER):
            some = places[start : start + _TOGETHER]
            for place, estimate in zip(
                some, _means([figures[i] for i in some], families, settings, share=bounded), strict=True
            ):
                found[place] = estimate
    return [estimate for estimate in found if estimate is not None]


def _means(
    figures: Sequence[Figure], families: Codes | None, settings: Settings, *, share: bool
) -> list[Estimate]:
    scales = [figure.bounds or (0.0, 1.0) for figure in figures]
    table = np.column_stack(
        [(f.values - low) / (high - low) for f, (low, high) in zip(figures, scales, strict=True)]
    )
    return [
        _rescaled(estimate, low, high)
        for estimate, (low, high) in zip(
            estimates(table, families, settings, share=share), scales, strict=True
        )
    ]


def _rescaled(estimate: Estimate, low: float, high: float) -> Estimate:
    if (low, high) == (0.0, 1.0):
        return estimate

    def back(value: float | None) -> float | None:
        return None if value is None else low + value * (high - low)

    return msgspec.structs.replace(
        estimate, value=back(estimate.value), low=back(estimate.low), high=back(estimate.high)
    )
