"""What a source is: the protocol, its options, and the log of what an import kept and dropped.

A third party adds a format by a class with this protocol and an entry point in the group ``measurand.sources``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from measurand.errors import UsageError
from measurand.model.imports import Conflict, ConflictPolicy, Declaration, ImportReport, NoteGroup, NoteKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from measurand.model.trace import Draft

__all__ = ["ImportLog", "Match", "ReadOptions", "Source", "refuse_options"]

_FLAGS: Final = {
    "mapping": "--map",
    "constants": "--set",
    "outcomes": "--outcome",
    "anchors": "--anchors",
    "tasks": "--task-list",
}
"""Field of the options -> how the command line calls it."""
_EXAMPLES: Final = 20
"""Rows named per note; the count is always complete."""


@dataclass(frozen=True, slots=True)
class Match:
    """A source's claim that it can read a path."""

    confidence: int
    """0 to 100; the source with the highest claim reads. A format with a mark of its own claims 90 or more."""
    why: str
    """What was recognised, for the user."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user tells a source about the data; each source documents which it heeds."""

    suite: str | None = None
    """Name of the suite, where the data do not say."""
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Field of the trial table -> column of the source."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """Field of the trial table -> its value in every row, where the data do not say (``kind``: ``interval``)."""
    outcomes: Mapping[str, str] = field(default_factory=dict)
    """Word of the source -> outcome."""
    anchors: Path | None = None
    """Table of anchors: task, baseline, reference, better, kind, unit."""
    tasks: Path | None = None
    """Text file with the ids of all tasks of the suite, one a line."""


def refuse_options(options: ReadOptions, source: str, *unheeded: str) -> None:
    """Refuse options that ``source`` does not heed, rather than ignoring them in silence.

    Args:
        options: what the user gave.
        source: name of the source.
        unheeded: fields of :class:`ReadOptions`.

    Raises:
        UsageError: one of them was given.
    """
    given = [_FLAGS[name] for name in unheeded if getattr(options, name)]
    if given:
        raise UsageError(f"the source {source!r} has no use for {', '.join(given)}", hint="leave it out")


@runtime_checkable
class Source(Protocol):
    """Reads one foreign format."""

    name: str
    """Short name, as in ``--from NAME``."""
    title: str
    """One line: what it reads."""

    def sniff(self, path: Path) -> Match | None:
        """Say whether ``path`` is of this format, reading no more than its beginning. Never raises on foreign data."""
        ...

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield rows of the trial table in batches of bounded size, and tell ``log`` all that is not kept.

        Raises:
            InputError: the data cannot be used; nothing of them is imported then.
        """
        ...


@dataclass(slots=True)
class ImportLog:
    """Collects what happened to the rows of one import."""

    source: str
    path: str
    """What is being read now."""
    paths: list[str] = field(default_factory=list)
    """All that was read, where it is more than ``path``."""
    rows_read: int = 0
    mapped: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    declarations: list[Declaration] = field(default_factory=list)
    keep_trace: Callable[[Iterable[Draft]], str | None] | None = None
    """Keeps the events of a trial and gives the digest of the trace; ``None`` when traces are not wanted."""
    _counts: dict[tuple[NoteKind, str], int] = field(default_factory=dict)
    _examples: dict[tuple[NoteKind, str], list[str]] = field(default_factory=dict)

    def add(self, kind: NoteKind, what: str, where: str, *, count: int = 1) -> None:
        """Note that ``what`` happened at ``where`` (file and line), ``count`` times in all."""
        key = (kind, what)
        self._counts[key] = self._counts.get(key, 0) + count
        examples = self._examples.setdefault(key, [])
        if len(examples) < _EXAMPLES and where:
            examples.append(where)

    def add_rows(self, kind: NoteKind, what: str, rows: pl.DataFrame) -> None:
        """Note that ``what`` happened at each of ``rows`` (their ``source_ref`` says where)."""
        if rows.is_empty():
            return
        first, *others = rows["source_ref"].head(_EXAMPLES).to_list()
        self.add(kind, what, first, count=rows.height)
        room = _EXAMPLES - len(self._examples[kind, what])
        self._examples[kind, what].extend(others[:room])

    def trace(self, events: Callable[[], Iterable[Draft]]) -> str | None:
        """Keep the trace of a trial, where traces are wanted: else ``events`` is never called.

        Returns:
            What belongs into the trial's ``trace_digest``.
        """
        return None if self.keep_trace is None else self.keep_trace(events())

    def report(
        self,
        *,
        rows_kept: int,
        duplicates: int = 0,
        conflicts: tuple[Conflict, ...] = (),
        policy: ConflictPolicy,
    ) -> ImportReport:
        """Freeze the log."""
        notes = tuple(
            NoteGroup(kind=kind, what=what, count=count, examples=tuple(self._examples[kind, what]))
            for (kind, what), count in self._counts.items()
        )
        return ImportReport(
            source=self.source,
            paths=tuple(self.paths or [self.path]),
            rows_read=self.rows_read,
            rows_kept=rows_kept,
            duplicates=duplicates,
            conflicts=conflicts,
            conflict_policy=policy,
            notes=notes,
            mapped=dict(self.mapped),
            ignored=self.ignored,
            declarations=tuple(self.declarations),
        )
