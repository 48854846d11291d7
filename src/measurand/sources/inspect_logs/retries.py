"""Retries of an evaluation: a later log runs again what failed in an earlier one, and copies the rest.

Both logs carry the id of the task. A sample that was run again is one trial with one more attempt, whose use counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from measurand.model.trial import Trial
    from measurand.sources.base import ImportLog
    from measurand.sources.inspect_logs.find import Identity
    from measurand.sources.inspect_logs.trials import Read

__all__ = ["Chain", "chains"]

_ADDED: Final = (
    "cost_usd",
    "total_tokens",
    "input_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "steps",
    "tool_calls",
    "wall_s",
    "waiting_s",
    "working_s",
)


class Chain:
    """Logs of one task, oldest first, as they supersede each other."""

    def __init__(self, log: ImportLog) -> None:
        self.log = log
        self.held: dict[tuple[str, str], Read] = {}
        """Samples that a later log may run again."""

    def add(self, trials: Iterable[Read]) -> None:
        """Take an earlier log."""
        for read in trials:
            key = (read.trial.task, read.trial.trial)
            before = self.held.get(key)
            self.held[key] = read if before is None else self._united(before, read)

    def finish(self, trials: Iterable[Read]) -> Iterator[Trial]:
        """Yield the trials of the last log, then those that it lacks."""
        for read in trials:
            before = self.held.pop((read.trial.task, read.trial.trial), None)
            yield read.trial if before is None else self._united(before, read).trial
        for read in self.held.values():
            yield read.trial
        self.held.clear()

    def _united(self, before: Read, after: Read) -> Read:
        where = before.trial.source_ref or ""
        copied = before.uuid == after.uuid if before.uuid and after.uuid else not before.failed
        if copied:
            self.log.add("dropped", "copy of a sample that a later log of the evaluation holds", where)
            return after
        self.log.add("dropped", "run again in a later log: an attempt of the same trial", where)
        return after._replace(trial=_added(before.trial, after.trial))


def _added(before: Trial, after: Trial) -> Trial:
    """The later trial with what the earlier attempt used."""
    fields: dict[str, Any] = {}
    for name in _ADDED:
        values = [value for value in (getattr(before, name), getattr(after, name)) if value is not None]
        fields[name] = (
            None if not values else math.fsum(values) if isinstance(values[0], float) else sum(values)
        )
    fields["attempts"] = (before.attempts or 1) + (after.attempts or 1)
    fields["started_at"] = before.started_at or after.started_at
    fields["price_table"] = after.price_table or before.price_table
    return msgspec.structs.replace(after, **fields)


def chains(logs: Iterable[tuple[Path, Identity | None]]) -> list[list[Path]]:
    """Group logs that supersede each other, oldest first; all others stand alone.

    Logs of one evaluation (a copy, an edited one) do not supersede each other: they are read side by side.
    """
    by_task: dict[str, list[tuple[Identity, Path]]] = {}
    groups: list[list[Path]] = []
    for path, identity in logs:
        if identity is None or not identity.task:
            groups.append([path])
        else:
            by_task.setdefault(identity.task, []).append((identity, path))
    for members in by_task.values():
        members.sort()
        paths = [path for _, path in members]
        repeated = len({identity.evaluation for identity, _ in members}) < len(members)
        groups += [[path] for path in paths] if repeated else [paths]
    return groups
