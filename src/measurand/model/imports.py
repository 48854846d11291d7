"""What an import kept, dropped and found out: the records that go with imported rows."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["Conflict", "ConflictPolicy", "Declaration", "ImportReport", "NoteGroup", "NoteKind"]

NoteKind = Literal["dropped", "unknown", "note"]
"""``dropped``: the row was not kept. ``unknown``: a value was not usable and became unknown. ``note``: nothing lost."""

ConflictPolicy = Literal["refuse", "no-verdict", "drop"]
"""What to do when two records of one trial disagree.

``refuse``: an error that names both rows. ``no-verdict``: the trial stays planned, its fields that agree are
kept, those that differ become unknown and it has no verdict. ``drop``: the trial is left out and reported. None
depends on the order of the files.
"""


class NoteGroup(msgspec.Struct, frozen=True):
    """Rows of an import to which one sentence applies."""

    kind: NoteKind
    what: str
    count: int
    examples: tuple[str, ...]
    """Where, for the first rows concerned (file and line)."""


class Conflict(msgspec.Struct, frozen=True):
    """A trial whose records disagree."""

    agent: str
    task: str
    trial: str
    fields: tuple[str, ...]
    """Columns in which the records differ."""
    rows: tuple[str, ...]
    """Where each record stands (file and line)."""


class Declaration(msgspec.Struct, frozen=True):
    """What a source knows about a suite beyond the rows it lists."""

    suite: str
    suite_version: str | None = None
    tasks: int | None = None
    """Number of tasks in the suite, when the source declares it."""
    trials: int | None = None
    """Planned trials of each agent on each task."""
    absent_is_fail: bool = False
    """The benchmark counts a task that an agent has no record of as failed."""


class ImportReport(msgspec.Struct, frozen=True):
    """What was read from one source, and what became of it."""

    source: str
    paths: tuple[str, ...]
    rows_read: int
    rows_kept: int
    duplicates: int = 0
    """Rows equal to another record of the same trial, merged with it."""
    conflicts: tuple[Conflict, ...] = ()
    conflict_policy: ConflictPolicy = "refuse"
    notes: tuple[NoteGroup, ...] = ()
    mapped: dict[str, str] = {}
    """Field of the trial table -> column of the source."""
    ignored: tuple[str, ...] = ()
    """Columns of the source that were not used."""
    declarations: tuple[Declaration, ...] = ()

    @property
    def dropped(self) -> int:
        """Number of rows that were not kept, for whatever reason but equality."""
        return sum(note.count for note in self.notes if note.kind == "dropped")

    @property
    def partial(self) -> bool:
        """Whether a row was dropped or a value became unknown: what ``--strict`` objects to."""
        return any(note.kind != "note" for note in self.notes) or bool(self.conflicts)
