"""Quality and saving of all agents on one footing: what tests of quality against cost start from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_table, family_codes
from measurand.infer.differences.pairs import unit_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Units", "complete_units"]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Quality and saving of all agents, one column a unit: a task, or the sum over a family of tasks.

    Attributes:
        quality: (m, units) centred in every column and divided by a power of two.
        saving: (m, units) minus the cost, likewise.
        n_tasks: number of tasks.
        exponent: a rate in the units of the data is the rate here times 2^exponent.
    """

    quality: Floats
    saving: Floats
    n_tasks: int
    exponent: int

    @property
    def n_agents(self) -> int:
        """Number of agents."""
        return len(self.quality)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.quality.shape[1])

    @property
    def informative(self) -> NDArray[np.intp]:
        """Units in which any two agents differ, in quality or in cost; a sign changes nothing in the others."""
        if not self.n_agents:
            return np.zeros(0, dtype=np.intp)
        return np.flatnonzero((self.quality != 0).any(axis=0) | (self.saving != 0).any(axis=0))

    def only(self, chosen: NDArray[np.intp]) -> Units:
        """Return some of the units."""
        return replace(self, quality=self.quality[:, chosen], saving=self.saving[:, chosen])


def complete_units(quality: ArrayLike, cost: ArrayLike, families: ArrayLike | None) -> tuple[Units, int]:
    """Check both tables, and keep the tasks of which every cell is there."""
    q, c = as_table(quality), as_table(cost)
    if q.shape != c.shape:
        raise UsageError(
            f"quality has the shape {q.shape}, cost {c.shape}", hint="pass one of each for a cell"
        )
    codes = None if families is None else family_codes(families, len(q))
    there = ~(np.isnan(q) | np.isnan(c)).any(axis=1)
    kept = None if codes is None else family_codes(codes[there], int(there.sum()))
    return _units(q[there], c[there], kept), int((~there).sum())


def _units(quality: Floats, cost: Floats, families: NDArray[np.intp] | None) -> Units:
    """Prepare two complete tables of tasks by agents; ``families`` numbers the families 0..F-1, one a task."""
    gains, costs = unit_table(quality, families), unit_table(cost, families)
    return Units(gains.columns, -costs.columns, len(quality), gains.exponent - costs.exponent)
