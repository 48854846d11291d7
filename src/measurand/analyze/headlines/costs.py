"""Costs that files state beside their headline: a sum over the trials, or a mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.analyze.headlines.records import USD, Headline
from measurand.analyze.headlines.rows import groups

if TYPE_CHECKING:
    import polars as pl

__all__ = ["costs"]


class _Stated(NamedTuple):
    name: str
    summed: bool = False
    part: str | None = None


_COSTS: Final = {
    "ale_bench": _Stated("average cost"),
    "harbor": _Stated("cost", summed=True, part="job"),
    "swebench": _Stated("cost per instance"),
    "weirdml": _Stated("cost of a run"),
}
"""Name of a source -> how its files state costs."""


def costs(frame: pl.DataFrame, source: str) -> list[Headline]:
    """Give the costs of agents as the files of ``source`` state them; none where no trial has a cost."""
    form = _COSTS.get(source)
    if form is None:
        return []
    found = []
    for group in groups(frame, form.part):
        known = group.rows["cost_usd"].drop_nulls()
        if known.is_empty():
            continue
        left = group.rows.height - known.len()
        told = f"; {left} of {group.rows.height} trials have no known cost and are left out" if left else ""
        found.append(
            Headline(
                agent=group.agent,
                name=form.name,
                value=float(known.sum()) / (1 if form.summed else known.len()),
                unit=USD,
                n=known.len(),
                note=f"{'sum' if form.summed else 'mean'} of the trials' costs{told}",
                suite=group.suite,
                part=group.part,
                beside=True,
            )
        )
    return found
