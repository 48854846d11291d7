"""Means of cells, and the order that they give. Tables are tasks × agents; NaN is a missing cell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from measurand.infer.arrays import join_rounded

if TYPE_CHECKING:
    from measurand.analyze.cells import Codes, Floats

__all__ = ["column_means", "count_units", "finite", "head", "ranking_means", "unit_name"]


def count_units(families: Codes | None, tasks: int) -> int:
    """Independent units of so many tasks: their families where there are any, else the tasks themselves."""
    return tasks if families is None else len(np.unique(families))


def unit_name(families: Codes | None) -> str:
    """What a unit is called: task, or family (of tasks)."""
    return "task" if families is None else "family"


def column_means(table: Floats) -> Floats:
    """Mean of each column over its present cells; NaN where there is none."""
    present = ~np.isnan(table)
    count = present.sum(axis=0)
    return np.where(count > 0, np.where(present, table, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def ranking_means(table: Floats) -> Floats:
    """Column means in which those that differ by rounding alone are equal: what ranks and ties go by."""
    means, places = np.unique(column_means(table), return_inverse=True)
    joined: Floats = join_rounded(
        means[None, :], np.abs(np.nan_to_num(means)).max(initial=0.0, keepdims=True)
    )[0]
    return joined[places]


def head(means: Floats, names: tuple[str, ...], size: int | None) -> tuple[int, ...]:
    """Columns of the ``size`` best means, best first; equal means in the order of the names."""
    order = sorted(range(len(names)), key=lambda i: (-np.nan_to_num(means[i], nan=-np.inf), names[i]))
    return tuple(order[:size])


def finite(value: float | None) -> float | None:
    """Give a number as a record holds it: ``None`` where it is infinite or undefined."""
    return value if value is not None and math.isfinite(value) else None
