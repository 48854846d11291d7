"""Trajectories in the folder of a Harbor trial: read once for what was used, and again for the trace of the trial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError
from measurand.sources.atif.events import Events
from measurand.sources.atif.source import Trajectory, Usage, read_trajectory, stated_usage, usage
from measurand.sources.reading.capped_files import is_file, is_inside, read_capped
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.loose_values import list_of, object_of, text, time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from measurand.model.trace import Draft
    from measurand.sources.base import ImportLog
    from measurand.sources.harbor.outcomes import Ending

__all__ = ["Recording", "chain", "finder", "record_trial", "total_usage", "trial_events"]

_FIRST: Final = "trajectory.json"
_MOST: Final = 2**29
_SEGMENTS: Final = 200
"""Documents that may continue one another."""


@dataclass(slots=True)
class Recording:
    """Trajectories of a trial, one for each step of the task that left one."""

    parts: list[tuple[str | None, tuple[Trajectory, ...]]] = field(default_factory=list)
    """Name of the step, and the documents that continue one another."""
    folders: dict[str | None, Path] = field(default_factory=dict)
    """Step -> folder of its documents."""

    @property
    def used(self) -> Usage | None:
        """What all steps used; ``None`` without a trajectory."""
        if not self.parts:
            return None
        total = Usage()
        for _, segments in self.parts:
            total += total_usage(segments)
        return total


def total_usage(segments: tuple[Trajectory, ...]) -> Usage:
    """What a trajectory used: tokens and cost as its last document sums them up, else the sum of its steps."""
    counted, stated = usage(segments), stated_usage(segments[-1])
    if stated.output_tokens is None and stated.input_tokens is None:
        return counted
    return Usage(
        stated.input_tokens,
        stated.cached_tokens,
        counted.cache_write_tokens if stated.cache_write_tokens is None else stated.cache_write_tokens,
        stated.output_tokens,
        counted.reasoning_tokens if stated.reasoning_tokens is None else stated.reasoning_tokens,
        counted.cost_usd if stated.cost_usd is None else stated.cost_usd,
        counted.model_calls,
        counted.tool_calls,
        counted.models,
    )


def record_trial(folder: Path, result: dict[str, Any], root: Path, log: ImportLog) -> Recording:
    """Read the trajectories of a trial; one that cannot be read is noted."""
    recording = Recording()
    names = [
        text(step.get("step_name")) for step in list_of(result.get("step_results")) if isinstance(step, dict)
    ]
    places: list[tuple[str | None, Path]] = [(None, folder / "agent")]
    places += [
        (name, folder / "steps" / name / "agent") for name in dict.fromkeys(names) if name and _is_plain(name)
    ]
    for step, place in places:
        if not is_file(place / _FIRST):
            continue
        try:
            segments = chain(place / _FIRST, root)
            usage(segments)
        except FormatError as error:
            log.add("note", f"trajectory that is not read: {error.what}", error.where)
            continue
        recording.parts.append((step, segments))
        recording.folders[step] = place
        if damaged := sum(one.damaged for one in segments):
            log.add("note", "trajectories of subagents that cannot be read", segments[0].where, count=damaged)
    return recording


def _is_plain(name: str) -> bool:
    """Whether a name is that of an entry of a folder, and leads nowhere else."""
    return name not in {".", ".."} and not any(sign in name for sign in "/\\\0:")


def chain(first: Path, root: Path) -> tuple[Trajectory, ...]:
    """Read a document and those that continue it, as far as they stand beside it.

    Raises:
        FormatError: the first one cannot be read.
    """
    segments = [_read(first, root)]
    seen = {first.name}
    while (following := segments[-1].continued) and len(segments) < _SEGMENTS:
        if following in seen or not _is_plain(following) or not is_file(first.parent / following):
            break
        seen.add(following)
        try:
            segments.append(_read(first.parent / following, root))
        except FormatError:
            break
    return tuple(segments)


def _read(file: Path, root: Path) -> Trajectory:
    where = name_below(file, root)
    if not is_inside(file, root):
        raise FormatError("link that leaves the folder: not followed", where=where)
    return read_trajectory(read_capped(file, where, _MOST), where)


def finder(folder: Path, root: Path) -> Callable[[str], Trajectory | None]:
    """Return what reads the document of a subagent by the name of its file in ``folder``."""

    def find(name: str) -> Trajectory | None:
        try:
            return _read(folder / name, root) if _is_plain(name) and is_file(folder / name) else None
        except FormatError:
            return None

    return find


def trial_events(
    recording: Recording, start: dict[str, Any], result: dict[str, Any], ended: Ending, root: Path
) -> Iterator[Draft]:
    """Yield the events of a trial: its beginning, the trajectories of its steps, what failed, and its end.

    Args:
        recording: its trajectories.
        start: payload of the first event.
        result: the trial's ``result.json``.
        ended: what became of it.
        root: nothing outside is read.
    """
    events = Events()
    yield events.draft("trial_start", start, time(result.get("started_at")))
    by_step = dict(recording.parts)
    phases = [(None, result)] + [
        (text(step.get("step_name")), step)
        for step in list_of(result.get("step_results"))
        if isinstance(step, dict)
    ]
    for step, phase in phases:
        if step is not None:
            began = time(object_of(phase.get("agent_execution")).get("started_at"))
            yield events.draft("note", {"what": "step", "step": step}, began)
        if segments := by_step.get(step):
            inner = Events(events.number, finder(recording.folders[step], root))
            yield from inner.of(segments)
            events.number = inner.number
        yield from _failure(events, phase, step)
    rewards = object_of(object_of(result.get("verifier_result")).get("rewards"))
    end = {"outcome": ended.outcome.value, "verdict": ended.verdict, "reason": ended.reason}
    yield events.draft("trial_end", {**end, "rewards": rewards or None}, time(result.get("finished_at")))


def _failure(events: Events, phase: dict[str, Any], step: str | None) -> Iterator[Draft]:
    info = phase.get("exception_info")
    if isinstance(info, dict):
        payload = {
            "class": info.get("exception_type"),
            "message": info.get("exception_message"),
            "step": step,
            "traceback": info.get("exception_traceback"),
        }
        yield events.draft("error", payload, time(info.get("occurred_at")))
