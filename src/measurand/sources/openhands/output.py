"""Lines of an OpenHands ``output.jsonl`` become trials; several attempts at an instance are one trial."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.sources.openhands.clock import clock_of
from measurand.sources.openhands.endings import ended_by_error
from measurand.sources.openhands.events import events_in, history_events
from measurand.sources.openhands.meters import meters_of, usage_by_response
from measurand.sources.openhands.names import Setup, setup_of
from measurand.sources.openhands.results import mark_in
from measurand.sources.reading import loose_json
from measurand.sources.reading.json_lines import read_lines
from measurand.sources.reading.loose_values import object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.model.trace import Draft
    from measurand.sources.base import ImportLog
    from measurand.sources.reading.json_lines import Line
    from measurand.sources.swebench.agent_runs import Ended
    from measurand.sources.swebench.records import Mark

__all__ = ["Attempt", "Tried", "attempt_events", "is_output", "read_attempts"]

_NEEDED: Final = ("instance_id", "test_result")
_NAMED: Final = re.compile(rb'"(?:instance_id|test_result)"\s*:')
_BESIDE: Final = ("history", "metrics", "git_patch", "instruction", "artifacts_url", "error")
_MOST: Final = 2**28
_SUMMED: Final = (
    "cost_usd",
    "input_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "steps",
    "tool_calls",
    "wall_s",
)


class Attempt(NamedTuple):
    """One line."""

    task: str
    number: int
    file: Path
    line: int
    where: str
    setup: Setup
    ended: Ended
    handed_in: bool
    mark: Mark | None
    meters: dict[str, Any]
    has_history: bool


@dataclass(slots=True)
class Tried:
    """A trial: all attempts at one instance."""

    attempts: list[Attempt]
    """By number, each once."""
    chosen: Attempt
    """The one that was handed in."""

    @property
    def complete(self) -> bool:
        """Whether no attempt is missing."""
        numbers = [attempt.number for attempt in self.attempts]
        return numbers == list(range(1, len(numbers) + 1))

    def add(self, attempt: Attempt) -> None:
        """Add an attempt."""
        self.attempts = sorted([*self.attempts, attempt], key=lambda one: one.number)

    def has(self, number: int) -> bool:
        """Whether an attempt is here."""
        return any(attempt.number == number for attempt in self.attempts)

    def meters(self, log: ImportLog) -> dict[str, Any]:
        """Fields of the trial table: sums over the attempts, unknown where one of them is."""
        found = {**self.chosen.meters, "attempts": self.attempts[-1].number}
        if not self.complete:
            what = "cost, tokens and steps: not every attempt is recorded"
            log.add("unknown", what, self.chosen.where)
        for name in _SUMMED:
            values = [attempt.meters.get(name) for attempt in self.attempts]
            known = [value for value in values if value is not None]
            found[name] = sum(known) if self.complete and len(known) == len(values) else None
        found["price_table"] = None if found["cost_usd"] is None else self.chosen.meters.get("price_table")
        found["started_at"] = self.attempts[0].meters.get("started_at") if self.complete else None
        found["finished_at"] = self.attempts[-1].meters.get("finished_at")
        return found


def is_output(beginning: bytes) -> bool:
    """Whether a file that begins so has lines of OpenHands's evaluations."""
    first = beginning.split(b"\n", 1)[0]
    named = {found.group().split(b'"')[1].decode() for found in _NAMED.finditer(first)}
    return named.issuperset(_NEEDED) and sum(f'"{name}"'.encode() in first for name in _BESIDE) >= 2


def read_attempts(file: Path, where: str, common: dict[str, Any], log: ImportLog) -> Iterator[Attempt]:
    """Read the lines of a file; a damaged one is dropped.

    Args:
        file: the file.
        where: how places name it.
        common: metadata of lines that have none.
        log: of the import.

    Raises:
        FormatError: it cannot be read.
    """
    for line in read_lines(file, where, most=_MOST):
        log.rows_read += 1
        value = line.value
        if value is None:
            log.add("dropped", f"line {line.why or 'damaged'}", line.where)
            continue
        task = text(value.get("instance_id"))
        if task is None:
            log.add("dropped", "line without an instance_id", line.where)
            continue
        yield _attempt(task, line, file, common, log)


def _attempt(task: str, line: Line, file: Path, common: dict[str, Any], log: ImportLog) -> Attempt:
    value, where = line.value or {}, line.where
    metadata = object_of(value.get("metadata")) or common
    events = events_in(value.get("history"))
    metrics = object_of(value.get("metrics"))
    meters = meters_of(metrics or _standard(value), events, log, where)
    clock = clock_of(events, metrics)
    if not clock.steady:
        log.add("unknown", "wall_s: the clock went back", where)
    return Attempt(
        task=task,
        number=whole(value.get("attempt")) or 1,
        file=file,
        line=int(where.rpartition(":")[2]),
        where=f"{where}: {task}",
        setup=setup_of(metadata),
        ended=ended_by_error(value.get("error")),
        handed_in=_handed_in(value),
        mark=mark_in(value),
        meters={**meters, **clock.ends()},
        has_history=bool(events),
    )


def _standard(value: dict[str, Any]) -> dict[str, Any]:
    """Costs as lines without a history have them."""
    cost = object_of(value.get("cost"))
    tokens = {"prompt_tokens": cost.get("input_tokens"), "completion_tokens": cost.get("output_tokens")}
    return {"cost": cost, "accumulated_token_usage": tokens} if cost else {}


def _handed_in(value: dict[str, Any]) -> bool:
    """Whether there is something to grade: a patch, or whatever else other benchmarks ask for."""
    result = object_of(value.get("test_result"))
    patch = result.get("git_patch", value.get("git_patch", value.get("model_patch")))
    if patch is None and "git_patch" not in result:
        return any(name not in {"report", "metadata"} and entry for name, entry in result.items())
    return isinstance(patch, str) and bool(patch.strip())


def attempt_events(attempt: Attempt, first: int, offsets: dict[Path, list[int]]) -> Iterator[Draft]:
    """Yield the events of an attempt, read again from its line.

    Args:
        attempt: the attempt.
        first: number of the first event.
        offsets: where the lines of each file begin; filled as files are needed.
    """
    value = _line(attempt, offsets)
    events, metrics = events_in(value.get("history")), object_of(value.get("metrics"))
    yield from history_events(events, usage_by_response(metrics), first, clock_of(events, metrics))


def _line(attempt: Attempt, offsets: dict[Path, list[int]]) -> dict[str, Any]:
    try:
        with attempt.file.open("rb") as file:
            if attempt.file not in offsets:
                offsets[attempt.file] = _beginnings(file)
            file.seek(offsets[attempt.file][attempt.line - 1])
            return object_of(loose_json.decode(file.readline(_MOST + 1), attempt.where))
    except (OSError, IndexError) as error:
        raise FormatError("changed while it was read", where=attempt.where) from error


def _beginnings(file: Any) -> list[int]:
    found = [0]
    for line in file:
        found.append(found[-1] + len(line))
    return found
