"""A store of trials in a folder: ``store.json`` and ``trials/*.parquet``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from measurand.errors import FormatError, StoreError
from measurand.model.imports import Conflict, ConflictPolicy, Declaration, ImportReport
from measurand.model.merge import merge_trials
from measurand.model.table import SCHEMA, Trials
from measurand.model.trial import IDENTITY
from measurand.store.files import TEMPORARY, write_atomic
from measurand.store.segments import Segment, encode_segment, holds, is_intact, read_segment, write_segment
from measurand.store.traces import TRACES, keep_trace, read_trace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measurand.model.trace import Draft, Event

__all__ = ["FORMAT", "Store", "StoreInfo", "is_store"]

FORMAT: Final = 1
"""Version of the store's layout."""

_KIND: Final = "measurand-store"
_HEAD: Final = "store.json"
_TRIALS: Final = "trials"


class _Head(msgspec.Struct, frozen=True):
    """Content of ``store.json``."""

    format: int
    kind: str


class StoreInfo(msgspec.Struct, frozen=True):
    """What a store holds."""

    path: str
    format: int
    segments: int
    rows: int
    trials: int
    """Distinct trials."""
    duplicates: int
    suites: tuple[str, ...]
    agents: int
    tasks: int
    unfinished: tuple[str, ...]
    """Files of writers that were cut off, or are at work now; no reader looks at them."""
    damaged: tuple[str, ...]
    """Segments whose bytes are not those they were written with."""
    conflicts: tuple[Conflict, ...]
    imports: tuple[ImportReport, ...]


def is_store(path: Path) -> bool:
    """Whether ``path`` is a folder with a store's head in it."""
    return (path / _HEAD).is_file()


@dataclass(frozen=True, slots=True)
class Store:
    """An open store. Holds no file handle and no lock; any number of writers may append at once."""

    path: Path

    @classmethod
    def open(cls, path: str | Path, *, create: bool = False) -> Store:
        """Open the store in folder ``path``, making one there if ``create``.

        Raises:
            StoreError: no store, a foreign folder, or a store of a newer version.
        """
        store = cls(Path(path))
        head = store.path / _HEAD
        if not head.is_file():
            store._require_room(create=create)
            (store.path / _TRIALS).mkdir(parents=True, exist_ok=True)
            write_atomic(head, msgspec.json.encode(_Head(format=FORMAT, kind=_KIND)) + b"\n")
        store._check_version(head)
        return store

    def _require_room(self, *, create: bool) -> None:
        if not create:
            raise StoreError(
                "there is no store here",
                where=str(self.path),
                hint="`measurand import FILE --store DIR` makes one",
            )
        if self.path.exists() and not self.path.is_dir():
            raise StoreError("a file, not a folder", where=str(self.path), hint="name an empty or new folder")
        if self.path.exists() and any(self._foreign()):
            raise StoreError(
                "the folder holds other files and no store",
                where=str(self.path),
                hint="name an empty or new folder",
            )

    def _foreign(self) -> list[Path]:
        ours = {_TRIALS, _HEAD, TRACES}
        return [p for p in self.path.iterdir() if p.name not in ours and not p.name.startswith(TEMPORARY)]

    @staticmethod
    def _check_version(head: Path) -> None:
        try:
            found = msgspec.json.decode(head.read_bytes(), type=_Head)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StoreError(f"not a store's head: {error}", where=str(head)) from error
        if found.kind != _KIND:
            raise StoreError(f"not a store's head but that of a {found.kind!r}", where=str(head))
        version = found.format
        if version > FORMAT:
            raise StoreError(
                f"written by a newer version (store format {version}; this one knows {FORMAT})",
                where=str(head),
                hint="upgrade Measurand",
            )

    def segments(self) -> list[Segment]:
        """Return the segments in the order of their names.

        Raises:
            FormatError: a segment is damaged or foreign.
        """
        return [read_segment(path) for path in self._paths()]

    def _paths(self) -> list[Path]:
        return sorted(p for p in (self.path / _TRIALS).glob("*.parquet") if not p.name.startswith(TEMPORARY))

    def scan(self) -> pl.LazyFrame:
        """Scan all rows lazily, as they were written: repeated records are not merged yet."""
        return _scan(self._paths())

    def read(self, *, on_conflict: ConflictPolicy | None = None) -> Trials:
        """Read all trials, each counted once.

        Args:
            on_conflict: what to do with records that disagree; by default what the imports named.

        Raises:
            ConflictError: records disagree and no policy was named.
            FormatError: a segment is damaged or foreign.
        """
        segments = self.segments()
        reports = tuple(segment.report for segment in segments)
        merged = merge_trials(self._collect(self.scan()), on_conflict or _named_policy(reports))
        duplicates = merged.duplicates + sum(report.duplicates for report in reports)
        conflicts = (conflict for report in reports for conflict in report.conflicts)
        return Trials(
            merged.frame,
            reports,
            _declarations(reports),
            duplicates,
            tuple(dict.fromkeys((*conflicts, *merged.conflicts))),
        )

    def _collect(self, rows: pl.LazyFrame) -> pl.DataFrame:
        try:
            return rows.collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            damaged = [path.name for path in self._paths() if not is_intact(path)]
            raise FormatError(
                f"a segment cannot be read: {', '.join(damaged) or error}",
                where=str(self.path / _TRIALS),
                hint="copy the segment again from where it was made, or move it out of the store",
            ) from error

    def append(
        self, trials: Trials, report: ImportReport, *, on_conflict: ConflictPolicy = "refuse"
    ) -> Path | None:
        """Add trials as one segment: all of them, or none. Returns its path; ``None`` when there is nothing to add.

        Raises:
            ConflictError: a trial disagrees with one in the store and ``on_conflict`` is ``refuse``.
        """
        if trials.frame.is_empty():
            return None
        segment = encode_segment(trials.frame, report)
        path = self.path / _TRIALS / segment.name
        if holds(path, segment):
            return path
        others = [other for other in self._paths() if other != path]
        reports = [read_segment(other).report for other in others]
        same = trials.frame.lazy().select(IDENTITY).unique()
        known = self._collect(_scan(others).join(same, on=list(IDENTITY), how="semi", nulls_equal=True))
        named = _named_policy(reports)
        settled = merge_trials(known, on_conflict if named == "refuse" else named).frame
        merge_trials(pl.concat([settled, trials.frame]), on_conflict)
        return write_segment(path.parent, segment)

    def keep_trace(self, events: Iterable[Draft]) -> str | None:
        """Keep a trace; returns its digest, or ``None`` when it has no event. See :func:`measurand.store.traces.keep_trace`."""
        return keep_trace(self.path, events)

    def trace(self, digest: str) -> tuple[Event, ...]:
        """Read the trace with this digest (a trial's ``trace_digest``).

        Raises:
            FormatError: there is none, or it was changed after it was written.
        """
        return read_trace(self.path, digest)

    def info(self, *, verify: bool = False) -> StoreInfo:
        """Say what the store holds; ``verify`` re-reads every byte against the digests."""
        segments = self.segments()
        reports = tuple(segment.report for segment in segments)
        frame = self._collect(self.scan())
        policy = _named_policy(reports)
        merged = merge_trials(frame, "no-verdict" if policy == "refuse" else policy)
        return StoreInfo(
            path=str(self.path),
            format=FORMAT,
            segments=len(segments),
            rows=frame.height,
            trials=merged.frame.height,
            duplicates=merged.duplicates,
            suites=tuple(frame["suite"].unique().sort()),
            agents=frame["agent_digest"].n_unique(),
            tasks=frame.select(pl.struct("suite", "task").n_unique()).item() if frame.height else 0,
            unfinished=tuple(sorted(p.name for p in (self.path / _TRIALS).glob(f"{TEMPORARY}*"))),
            damaged=tuple(p.name for p in self._paths() if not is_intact(p)) if verify else (),
            conflicts=merged.conflicts,
            imports=reports,
        )


def _scan(paths: list[Path]) -> pl.LazyFrame:
    if not paths:
        return pl.LazyFrame(schema=SCHEMA)
    return pl.scan_parquet(paths, schema=SCHEMA, missing_columns="insert", extra_columns="ignore")


def _named_policy(reports: tuple[ImportReport, ...] | list[ImportReport]) -> ConflictPolicy:
    """The policy that imports into this store named; of two, the one that keeps the trial in the denominator."""
    named = {report.conflict_policy for report in reports}
    return "no-verdict" if "no-verdict" in named else "drop" if "drop" in named else "refuse"


def _declarations(reports: tuple[ImportReport, ...]) -> tuple[Declaration, ...]:
    return tuple(dict.fromkeys(d for report in reports for d in report.declarations))
