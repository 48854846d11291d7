"""The saturation index of a grid's head, under each score, with names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.analyze.means import column_means, finite
from measurand.analyze.records import SaturationRow
from measurand.infer.headroom.saturation import Saturation, saturation, saturation_unpaired
from measurand.score.names import SHARES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurand.analyze.cells import Cells, Grid
    from measurand.analyze.settings import Settings
    from measurand.analyze.tiering.separation import Separation

__all__ = ["saturation_notes", "saturation_rows"]


def saturation_rows(
    grid: Grid, cells: Mapping[str, Cells], tested: Mapping[str, Separation], settings: Settings
) -> tuple[SaturationRow, ...]:
    """The paired index under each score; under shares of tasks also the unpaired one of the literature.

    Args:
        grid: agents and tasks.
        cells: score -> its cells.
        tested: score -> the test of its head, for the tiers.
        settings: place compared, and exponent.
    """
    rows = []
    for score, table in cells.items():
        result = saturation(table.planned, k=settings.places, alpha=settings.alpha)
        rows.append(_row(score, result, grid, tested[score]))
        if score in SHARES and result.first is not None and result.kth is not None:
            means = column_means(table.planned)
            unpaired = saturation_unpaired(
                float(means[result.first]), float(means[result.kth]), result.n, alpha=settings.alpha
            )
            rows.append(_row(score, unpaired, grid, tested[score], paired=result))
    return tuple(rows)


def saturation_notes(result: Saturation) -> tuple[str, ...]:
    """Remarks that a reader of the index should see."""
    if result.value_if_tied is None:
        return result.flags
    other = f"agents tie for a place that is compared; with another of them S = {result.value_if_tied:.3f}"
    return (*result.flags, other)


def _row(
    score: str, result: Saturation, grid: Grid, tested: Separation, paired: Saturation | None = None
) -> SaturationRow:
    """Name a result; an unpaired one, which sees two shares only, takes its agents from the ``paired`` one."""
    places = paired or result
    first, kth = places.first, places.kth
    return SaturationRow(
        score=score,
        variant=result.variant,
        index=result.index,
        category=result.category,
        r=finite(result.r),
        t=finite(result.t),
        n=result.n,
        k=places.k,
        alpha=result.alpha,
        first=None if first is None else grid.agents[first],
        kth=None if kth is None else grid.agents[kth],
        dominance=result.dominance,
        tiers=() if tested.tiers is None else tuple(tested.tiers.tier[i] for i in tested.tiers.order),
        notes=saturation_notes(result),
        reason=result.reason,
    )
