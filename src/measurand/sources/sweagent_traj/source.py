"""Source ``sweagent_traj``: trajectories of SWE-agent, with the results of SWE-bench where these lie with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.sources.base import ImportLog, Match, ReadOptions
from measurand.sources.swebench.source import read_with_trajectories
from measurand.sources.swebench.trajectories import is_sweagent, some_trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["SweAgentSource"]


class SweAgentSource:
    """Reads ``INSTANCE.traj`` and, beside them, ``preds.json``, ``all_preds.jsonl`` and exit statuses."""

    name = "sweagent_traj"
    title = "SWE-agent: trajectories (*.traj), with the patches handed in"

    def sniff(self, path: Path) -> Match | None:
        """Claim a trajectory, or a folder that holds some; results of SWE-bench that lie with them go first."""
        found = some_trajectory(path, ".traj", is_sweagent)
        return Match(92, f"trajectory of SWE-agent: {found.name}") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each instance of a run. Heeds suite (where results do not say) and tasks.

        Raises:
            FormatError: nothing that can be read at ``path``.
        """
        yield from read_with_trajectories(path, options, log, self.name)
