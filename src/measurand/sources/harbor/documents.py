"""ATIF documents that belong to no trial folder: each trajectory is a trial without a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome
from measurand.model.trial import UNNAMED, Trial
from measurand.sources.atif.events import Events
from measurand.sources.harbor.traces import chain, finder, total_usage
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.loose_values import list_of, object_of, text, time

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from measurand.model.trace import Draft
    from measurand.sources.atif.source import Trajectory
    from measurand.sources.base import ImportLog
    from measurand.sources.harbor.rows import Choices

__all__ = ["document_trials"]

_REASON: Final = "a trajectory alone says nothing of success"
_PRICES: Final = "self-reported by harbor"


class _Read(NamedTuple):
    """A document without its steps."""

    path: Path
    where: str
    is_part: bool
    """Whether it says itself that it is a part of another trajectory."""
    parts: frozenset[Path]
    """Documents that it names as its continuation or as those of subagents."""


def document_trials(
    documents: Sequence[Path], root: Path, choices: Choices, log: ImportLog
) -> Iterator[Trial]:
    """Yield a trial for each document that is no part of another."""
    read = [one for path in documents if (one := _look(path, root, log)) is not None]
    parts = {part for one in read for part in one.parts if part != one.path}
    for one in read:
        if len(read) > 1 and (one.is_part or one.path in parts):
            log.add("dropped", "part of another trajectory", one.where)
        else:
            yield _trial(one, root, choices, log)


def _look(path: Path, root: Path, log: ImportLog) -> _Read | None:
    where = name_below(path, root)
    log.rows_read += 1
    try:
        document = chain(path, root)[0]
        names = {document.continued, *_subagents(document)}
    except FormatError as error:
        log.add("dropped", error.what, where)
        return None
    parts = frozenset(path.parent / name for name in names if name)
    return _Read(path, where, document.parent is not None, parts)


def _subagents(document: Trajectory) -> Iterator[str]:
    for step in document.steps():
        for result in list_of(object_of(step.get("observation")).get("results")):
            for reference in list_of(object_of(result).get("subagent_trajectory_ref")):
                if name := text(object_of(reference).get("trajectory_path")):
                    yield name


def _trial(one: _Read, root: Path, choices: Choices, log: ImportLog) -> Trial:
    segments = chain(one.path, root)
    first, used = segments[0], total_usage(segments)
    scaffold = text(first.agent.get("name")) or "agent"
    name = f"{first.model} ({scaffold})" if first.model else scaffold
    times = [moment for segment in segments for moment in _times(segment)]
    settings = {"version": first.agent.get("version"), "extra": first.agent.get("extra")}
    task = one.where.removesuffix(".json")
    start = {"task": task, "agent": name, "session_id": first.session}
    return Trial(
        suite=choices.suite or UNNAMED,
        suite_version=choices.version,
        task=task,
        agent=name,
        agent_digest=agent_digest(name, {key: value for key, value in settings.items() if value}),
        model_requested=first.model,
        model_served=", ".join(used.models) or None,
        trial="1",
        outcome=Outcome.COMPLETED,
        reason=_REASON,
        input_tokens=used.input_tokens,
        cached_tokens=used.cached_tokens,
        cache_write_tokens=used.cache_write_tokens,
        output_tokens=used.output_tokens,
        reasoning_tokens=used.reasoning_tokens,
        cost_usd=used.cost_usd,
        price_table=None if used.cost_usd is None else _PRICES,
        steps=used.model_calls,
        tool_calls=used.tool_calls,
        wall_s=(times[-1] - times[0]).total_seconds() if len(times) > 1 else None,
        started_at=times[0] if times else None,
        finished_at=times[-1] if len(times) > 1 else None,
        source="harbor",
        source_ref=one.where,
        trace_digest=log.trace(lambda: _events(segments, start, one.path.parent, root)),
    )


def _times(segment: Trajectory) -> Iterator[dt.datetime]:
    for step in segment.steps():
        if step.get("is_copied_context") is not True and (moment := time(step.get("timestamp"))):
            yield moment


def _events(
    segments: Sequence[Trajectory], start: dict[str, Any], folder: Path, root: Path
) -> Iterator[Draft]:
    events = Events(find=finder(folder, root))
    yield events.draft("trial_start", start)
    yield from events.of(segments)
    yield events.draft("trial_end", {"outcome": Outcome.COMPLETED.value, "reason": _REASON})
