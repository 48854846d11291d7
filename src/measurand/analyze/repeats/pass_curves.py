"""pass@j and pass^j of agents as curves over j, with bounds where trials have no verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from measurand.analyze.means import column_means
from measurand.analyze.repeats.records import PassPoint
from measurand.analyze.repeats.task_means import Figure
from measurand.infer.repeats.passk import PassTable, pass_table
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from measurand.analyze.cells import Grid
    from measurand.analyze.records import Estimate

__all__ = ["REACHED_BY", "PassCurve", "common_size", "pass_curves"]

REACHED_BY: Final = 0.9
"""A curve goes as far as this share of the agent's tasks has trials enough."""
_EACH: Final = 20
"""Up to here every j is shown; beyond, steps of a quarter."""


class PassCurve(NamedTuple):
    """One agent's curve before its intervals."""

    sizes: tuple[int, ...]
    table: PassTable
    reasons: tuple[str | None, ...]
    """For each j why too few of the tasks have so many trials with a verdict; ``None`` where enough have."""
    bounds: tuple[tuple[float, float, float, float] | None, ...]
    """For each j pass@j and pass^j with all trials without a verdict failed, then all passed, as (any low, any high, all
    low, all high)."""

    def figures(self) -> Iterator[Figure]:
        """Each j: pass@j, then pass^j."""
        for place, reason in enumerate(self.reasons):
            for table in self.table:
                values = table[:, place]
                yield Figure(values if reason is None else np.full_like(values, np.nan), reason or "")

    def points(self, found: Sequence[Estimate]) -> tuple[PassPoint, ...]:
        """The curve with the means of its figures, in their order."""
        points = []
        for place, size in enumerate(self.sizes):
            ends = self.bounds[place] or (None,) * 4
            points.append(
                PassPoint(
                    j=size,
                    any_passes=found[2 * place],
                    all_pass=found[2 * place + 1],
                    n_tasks=int((~np.isnan(self.table.at[:, place])).sum()),
                    any_low=ends[0],
                    any_high=ends[1],
                    all_low=ends[2],
                    all_high=ends[3],
                )
            )
        return tuple(points)


def pass_curves(grid: Grid) -> list[PassCurve]:
    """Curve of each agent over j = 1, 2, ..., as far as :data:`REACHED_BY` of its tasks have j planned trials.

    Where fewer than that have j trials with a verdict, there are only the bounds.
    """
    evaluated, passes, planned = grid.evaluated("gate"), grid.total("gate"), grid.planned
    reach = [_reach(planned[:, i]) for i in range(len(grid.agents))]
    common = common_size(reach)
    curves = []
    for i in range(len(grid.agents)):
        sizes = sorted({*_sizes(reach[i]), *([common] if common and common <= reach[i] else [])})
        table = pass_table(passes[:, i], evaluated[:, i], sizes)
        reasons = tuple(_too_few(evaluated[:, i], planned[:, i], size) for size in sizes)
        curves.append(PassCurve(tuple(sizes), table, reasons, _bounds(grid, i, sizes)))
    return curves


def common_size(reach: Sequence[int]) -> int | None:
    """Largest j that at least half of the agents with repeated trials reach; ``None`` where none has two.

    >>> common_size([5, 1, 5, 4]), common_size([1, 1])
    (5, None)
    """
    repeated = sorted((size for size in reach if size > 1), reverse=True)
    return repeated[(len(repeated) + 1) // 2 - 1] if repeated else None


def _reach(planned: NDArray[np.int64]) -> int:
    """Largest j that enough of the tasks have planned trials for."""
    counts = np.sort(planned[planned > 0])[::-1]
    return int(counts[int(np.ceil(REACHED_BY * len(counts))) - 1]) if len(counts) else 0


def _too_few(evaluated: NDArray[np.int64], planned: NDArray[np.int64], size: int) -> str | None:
    tasks, enough = int((planned > 0).sum()), int((evaluated >= size).sum())
    if enough >= REACHED_BY * tasks and enough:
        return None
    return f"only {enough} of {tasks} tasks have {plural(size, 'trial')} with a verdict"


def _sizes(most: int) -> list[int]:
    sizes = list(range(1, min(most, _EACH) + 1))
    while sizes and sizes[-1] < most:
        sizes.append(min(most, sizes[-1] + sizes[-1] // 4))
    return sizes


def _bounds(grid: Grid, agent: int, sizes: list[int]) -> tuple[tuple[float, float, float, float] | None, ...]:
    planned, passes = grid.planned[:, agent], grid.total("gate")[:, agent]
    unknown = planned - grid.evaluated("gate")[:, agent]
    if not unknown.any():
        return (None,) * len(sizes)
    low, high = pass_table(passes, planned, sizes), pass_table(passes + unknown, planned, sizes)
    columns = [column_means(table) for table in (low.at, high.at, low.all, high.all)]
    return tuple(
        (float(ends[0]), float(ends[1]), float(ends[2]), float(ends[3]))
        for ends in zip(*columns, strict=True)
    )
