"""AlgoTune's generation.json: the size of each task's problems, and how long the reference solver takes on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import canonical_json, task_digest
from measurand.sources.reading.json_files import read_json
from measurand.sources.reading.loose_values import number, object_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TIMINGS", "Timing", "Timings", "read_timings"]

TIMINGS: Final = "generation.json"
_RUNS: Final = "baseline_runs"
_SIZE: Final = ("n", "dataset_size", "target_time_ms")
_SHOWN: Final = 19
"""Characters of a digest that name a version: ``sha256:`` and twelve."""


class Timing(NamedTuple):
    """What is known of a task."""

    digest: str
    """Of its name and the size of its problems: speed-ups at another size are of another task."""
    seconds: tuple[float, ...]
    """Of each run of the reference solver: seconds a problem, by the least of several measurements."""
    failed: int
    """Runs of the reference solver that failed."""

    @property
    def spread(self) -> float:
        """By how much the slowest run of the reference solver exceeds the fastest; 0 for a single run."""
        return max(self.seconds) / min(self.seconds) - 1 if self.seconds else 0.0


class Timings(NamedTuple):
    """The whole file."""

    version: str
    """File and beginning of its digest."""
    tasks: dict[str, Timing]


def read_timings(path: Path) -> Timings:
    """Read the file.

    Raises:
        FormatError: not readable, or not task -> size and runs.
    """
    data = read_json(path, path.name)
    if not isinstance(data, dict):
        raise FormatError("not a JSON object", where=path.name)
    digest = task_digest(canonical_json(data))
    return Timings(
        f"{path.name} {digest[:_SHOWN]}",
        {task: _timing(task, object_of(entry)) for task, entry in data.items()},
    )


def _timing(task: str, entry: dict[str, Any]) -> Timing:
    runs = [object_of(run) for run in object_of(entry.get(_RUNS)).values()]
    times = [number(run.get("avg_min_ms")) for run in runs if run.get("success") is True]
    good = tuple(ms / 1000 for ms in times if ms is not None and ms > 0)
    size = {"task": task} | {name: entry.get(name) for name in _SIZE}
    return Timing(task_digest(size), good, len(runs) - len(good))
