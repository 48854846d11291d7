"""Fixtures of the tests of sources: read a path as an import does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import polars as pl
import pytest

from measurand.model.table import SCHEMA
from measurand.sources.algotune import AlgotuneSource
from measurand.sources.base import ImportLog, ReadOptions, Source
from measurand.sources.checks import check_directions, check_rows
from measurand.sources.swebench import SwebenchSource
from measurand.sources.table import TableSource

if TYPE_CHECKING:
    from pathlib import Path


class Imported(NamedTuple):
    """Rows that an import yields, and its log."""

    frame: pl.DataFrame
    log: ImportLog

    def notes(self, kind: str = "") -> dict[str, int]:
        """What was noted, and how often."""
        report = self.log.report(rows_kept=self.frame.height, policy="refuse")
        return {note.what: note.count for note in report.notes if kind in {"", note.kind}}

    def places(self, what: str) -> tuple[str, ...]:
        """Where something was noted."""
        report = self.log.report(rows_kept=self.frame.height, policy="refuse")
        return next(note.examples for note in report.notes if note.what == what)

    def rows(self, *columns: str) -> list[tuple[Any, ...]]:
        return self.frame.select(columns).rows()


class Read(Protocol):
    """Reads a path with the options of an import."""

    def __call__(self, path: Path, **options: Any) -> Imported: ...


class ReadText(Protocol):
    """Writes a file and reads it."""

    def __call__(self, content: str | bytes, name: str = "t.csv", **options: Any) -> Imported: ...


def imported(source: Source, path: Path, **options: Any) -> Imported:
    log = ImportLog(source.name, str(path))
    batches = [check_rows(batch, log) for batch in source.read(path, ReadOptions(**options), log)]
    frame = pl.concat(batches) if batches else pl.DataFrame(schema=SCHEMA)
    check_directions(frame)
    return Imported(frame, log)


@pytest.fixture
def read_table(tmp_path: Path) -> ReadText:
    def read(content: str | bytes, name: str = "t.csv", **options: Any) -> Imported:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return imported(TableSource(), path, **options)

    return read


@pytest.fixture
def read_table_file() -> Read:
    return lambda path, **options: imported(TableSource(), path, **options)


@pytest.fixture
def read_swebench() -> Read:
    return lambda path, **options: imported(SwebenchSource(), path, **options)


@pytest.fixture
def read_algotune(tmp_path: Path) -> ReadText:
    def read(content: str | bytes, name: str = "agent_summary.json", **options: Any) -> Imported:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return imported(AlgotuneSource(), path, **options)

    return read


@pytest.fixture
def read_algotune_path() -> Read:
    return lambda path, **options: imported(AlgotuneSource(), path, **options)
