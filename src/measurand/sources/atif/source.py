"""ATIF, the trajectory format of Harbor and of agents that write it (v1.0 to v1.8): what a document holds, and its sums.

``prompt_tokens`` include those read from and written to a cache. Steps marked as copied context repeat what another
document holds: they are told, and never counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from measurand.errors import FormatError
from measurand.sources.reading import loose_json
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "Trajectory",
    "Usage",
    "calls_of",
    "is_atif",
    "read_trajectory",
    "stated_usage",
    "step_usage",
    "usage",
]

_MARK: Final = re.compile(rb'"schema_version"\s*:\s*"ATIF-v\d')
_NESTED: Final = 8
"""Subagents within subagents that are read."""
_CACHE_WRITES: Final = ("cache_creation_input_tokens", "cache_write_tokens")
_REASONING: Final = ("reasoning_tokens", "reasoning_output_tokens")
"""What agents call these counts among their additional metrics; the format has no name for them."""


class _Shape(msgspec.Struct):
    """A document whose steps stay bytes until each is asked for: they may hold millions of token ids."""

    schema_version: str
    steps: list[msgspec.Raw]
    agent: Any = None
    session_id: Any = None
    trajectory_id: Any = None
    final_metrics: Any = None
    continued_trajectory_ref: Any = None
    extra: Any = None
    subagent_trajectories: list[msgspec.Raw] | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One document."""

    version: str
    where: str
    agent: dict[str, Any]
    session: str | None = None
    id: str | None = None
    final: dict[str, Any] = field(default_factory=dict)
    continued: str | None = None
    """Name of the file that goes on."""
    extra: dict[str, Any] = field(default_factory=dict)
    subagents: tuple[Trajectory, ...] = ()
    """Those embedded in the document."""
    raw_steps: tuple[Any, ...] = ()
    damaged: int = 0
    """Subagents that cannot be read."""

    @property
    def model(self) -> str | None:
        """Model of the steps that name none."""
        return text(self.agent.get("model_name"))

    def steps(self) -> Iterator[dict[str, Any]]:
        """Yield the steps; what is no object is passed over."""
        for raw in self.raw_steps:
            step = loose_json.decode(bytes(raw), self.where) if isinstance(raw, msgspec.Raw) else raw
            if isinstance(step, dict):
                yield step

    @property
    def parent(self) -> str | None:
        """Session of the trajectory that this one is a part of, where a subagent's document names it."""
        return text(object_of(self.agent.get("extra")).get("parent_session_id"))


@dataclass(frozen=True, slots=True)
class Usage:
    """Sums over steps. ``None`` is unknown: no step says it."""

    input_tokens: int | None = None
    """Without those read from or written to a cache."""
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    model_calls: int = 0
    tool_calls: int = 0
    models: tuple[str, ...] = ()
    """Models that steps name, sorted."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _plus(self.input_tokens, other.input_tokens),
            _plus(self.cached_tokens, other.cached_tokens),
            _plus(self.cache_write_tokens, other.cache_write_tokens),
            _plus(self.output_tokens, other.output_tokens),
            _plus(self.reasoning_tokens, other.reasoning_tokens),
            _plus(self.cost_usd, other.cost_usd),
            self.model_calls + other.model_calls,
            self.tool_calls + other.tool_calls,
            tuple(sorted({*self.models, *other.models})),
        )


def is_atif(beginning: bytes) -> bool:
    """Whether a file that begins so is an ATIF document: its version stands in the outermost object."""
    found = _MARK.search(beginning)
    return found is not None and beginning.count(b"{", 0, found.start()) == 1 + beginning.count(
        b"}", 0, found.start()
    )


def read_trajectory(data: bytes, where: str) -> Trajectory:
    """Read a document.

    Args:
        data: JSON.
        where: how errors name it.

    Raises:
        FormatError: not JSON, of another format, or without steps.
    """
    return _read(data, where, _NESTED)


def _read(data: bytes, where: str, depth: int) -> Trajectory:
    try:
        shape = msgspec.json.decode(data, type=_Shape)
        found: dict[str, Any] = {name: getattr(shape, name) for name in shape.__struct_fields__}
    except (msgspec.MsgspecError, RecursionError):
        found = object_of(loose_json.loads(data, where).value)
    return _build(found, where, depth)


def _build(found: dict[str, Any], where: str, depth: int) -> Trajectory:
    version = found.get("schema_version")
    if not isinstance(version, str) or not version.startswith("ATIF-v"):
        raise FormatError("no ATIF document", where=where, hint="expected schema_version ATIF-v1.0 to v1.8")
    if not isinstance(found.get("steps"), list):
        raise FormatError("there is no list of steps", where=where)
    subagents, damaged = _subagents(list_of(found.get("subagent_trajectories")), where, depth)
    return Trajectory(
        version=version,
        where=where,
        agent=object_of(found.get("agent")),
        session=text(found.get("session_id")),
        id=text(found.get("trajectory_id")),
        final=object_of(found.get("final_metrics")),
        continued=text(found.get("continued_trajectory_ref")),
        extra=object_of(found.get("extra")),
        subagents=subagents,
        raw_steps=tuple(found["steps"]),
        damaged=damaged,
    )


def _subagents(entries: list[Any], where: str, depth: int) -> tuple[tuple[Trajectory, ...], int]:
    read: dict[str, Trajectory] = {}
    damaged = 0
    for place, entry in enumerate(entries):
        inner = f"{where}: subagent_trajectories[{place}]"
        try:
            one = _embedded(entry, inner, depth - 1)
        except FormatError:
            damaged += 1
            continue
        read.setdefault(one.id or inner, one)
    return tuple(read.values()), damaged


def _embedded(entry: Any, where: str, depth: int) -> Trajectory:
    if depth < 0:
        raise FormatError("nested too deeply", where=where)
    return (
        _read(bytes(entry), where, depth)
        if isinstance(entry, msgspec.Raw)
        else _build(object_of(entry), where, depth)
    )


def usage(trajectories: Iterable[Trajectory]) -> Usage:
    """Add up the steps of documents and of the subagents embedded in them, copied context left out."""
    total = Usage()
    for one in trajectories:
        for step in one.steps():
            if step.get("is_copied_context") is not True:
                total += step_usage(step, one.model)
        total += usage(one.subagents)
    return total


def step_usage(step: dict[str, Any], model: str | None) -> Usage:
    """What one step used. A step of the agent is one call of the model, unless it says how many."""
    if step.get("source") != "agent":
        return Usage()
    counted = whole(step.get("llm_call_count"))
    calls = 1 if counted is None else counted
    named = text(step.get("model_name")) or model
    metrics = object_of(step.get("metrics"))
    return replace(
        _tokens(metrics, "", object_of(metrics.get("extra"))),
        model_calls=calls,
        tool_calls=len(calls_of(step)),
        models=(named,) if named and calls else (),
    )


def calls_of(step: dict[str, Any]) -> list[dict[str, Any]]:
    """Calls of tools in a step."""
    return [call for call in list_of(step.get("tool_calls")) if isinstance(call, dict)]


def stated_usage(trajectory: Trajectory) -> Usage:
    """What ``final_metrics`` say of the whole trajectory, subagents included."""
    final = trajectory.final
    more = object_of(final.get("extra"))
    extra = more | {
        name.removeprefix("total_"): value for name, value in more.items() if name.startswith("total_")
    }
    return _tokens(final, "total_", extra)


def _tokens(metrics: dict[str, Any], start: str, extra: dict[str, Any]) -> Usage:
    """Take cached tokens out of the prompt's; where the parts exceed the whole, the rest is unknown."""
    prompt, cached, output = (
        whole(metrics.get(f"{start}{name}"))
        for name in ("prompt_tokens", "cached_tokens", "completion_tokens")
    )
    written = next((count for name in _CACHE_WRITES if (count := whole(extra.get(name))) is not None), None)
    thought = next((count for name in _REASONING if (count := whole(extra.get(name))) is not None), None)
    left = None if prompt is None else prompt - (cached or 0) - (written or 0)
    return Usage(
        input_tokens=left if left is not None and left >= 0 else None,
        cached_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        reasoning_tokens=thought if output is None or (thought or 0) <= output else None,
        cost_usd=number(metrics.get(f"{start}cost_usd")),
    )


def _plus(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other
