"""Fixtures of the tests of sources: read a path as an import does."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import polars as pl
import pytest
from hypothesis import strategies as st

from measurand.errors import MeasurandError
from measurand.model.table import SCHEMA
from measurand.model.trace import chain
from measurand.sources.algotune.source import AlgotuneSource
from measurand.sources.base import ImportLog, ReadOptions, Source
from measurand.sources.checks import check_directions, check_rows
from measurand.sources.inspect_logs.source import InspectSource
from measurand.sources.swebench.source import SwebenchSource
from measurand.sources.table.source import TableSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from measurand.model.trace import Draft, Event


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


class ReadSource(Protocol):
    """Reads a path with a source, as an import does."""

    def __call__(self, source: Source, path: Path, **options: Any) -> Imported: ...


class TracesOf(Protocol):
    """Gives the traces that a source finds."""

    def __call__(self, source: Source, path: Path, **options: Any) -> list[list[Event]]: ...


class Survives(Protocol):
    """Reads a tree of which a file is damaged."""

    def __call__(self, source: Source, files: Mapping[str, bytes], data: st.DataObject) -> None: ...


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


@pytest.fixture
def read_inspect() -> Read:
    return lambda path, **options: imported(InspectSource(), path, **options)


@pytest.fixture(scope="session")
def read_source() -> ReadSource:
    return imported


@pytest.fixture(scope="session")
def traces_of() -> TracesOf:
    """Read a path with its traces, in the order of the trials that have one."""

    def traces(source: Source, path: Path, **options: Any) -> list[list[Event]]:
        kept: list[list[Event]] = []

        def keep(drafts: Iterable[Draft]) -> str:
            kept.append(list(chain(drafts)))
            return f"trace {len(kept)}"

        log = ImportLog(source.name, str(path), keep_trace=keep)
        for _ in source.read(path, ReadOptions(**options), log):
            pass
        return kept

    return traces


@pytest.fixture(scope="session")
def survives(tmp_path_factory: pytest.TempPathFactory, traces_of: TracesOf) -> Survives:
    """Damage one file of a tree: what is not refused must add up."""

    def check(source: Source, files: Mapping[str, bytes], data: st.DataObject) -> None:
        root = tmp_path_factory.mktemp("damaged")
        name = data.draw(st.sampled_from(sorted(files)))
        for file, content in files.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_bytes(damaged(data, content) if file == name else content)
        source.sniff(root)
        for file in files:
            source.sniff(root / file)
        with suppress(MeasurandError):
            table = imported(source, root)
            dropped = sum(table.notes("dropped").values())
            assert table.log.rows_read == table.frame.height + dropped
            traces_of(source, root)
        with suppress(MeasurandError):
            list(getattr(source, "stated", lambda _: ())(root))

    return check


def damaged(data: st.DataObject, content: bytes) -> bytes:
    """Cut a file, change bytes of it, or a value of one of its JSON lines."""
    how = data.draw(st.sampled_from(["cut", "bytes", "value"]))
    if how == "cut":
        return content[: data.draw(st.integers(0, len(content)))]
    if how == "bytes":
        changed = bytearray(content)
        for place in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=4)):
            changed[place : place + 1] = data.draw(st.binary(max_size=2))
        return bytes(changed)
    lines = content.split(b"\n")
    place = data.draw(st.integers(0, len(lines) - 1))
    for chosen in ([place], range(len(lines))):
        with suppress(ValueError):
            value = json.loads(b"\n".join(lines[place : place + 1] if len(chosen) == 1 else lines))
            new = json.dumps(changed_value(data, value)).encode()
            return b"\n".join([*lines[:place], new, *lines[place + 1 :]]) if len(chosen) == 1 else new
    return content + data.draw(st.binary(max_size=8))


def changed_value(data: st.DataObject, value: Any) -> Any:
    """Take a key away, or put something else in the place of a value, at any depth."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        if data.draw(st.booleans()):
            return {name: entry for name, entry in value.items() if name != key}
        return value | {key: changed_value(data, value[key])}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], changed_value(data, value[place]), *value[place + 1 :]]
    others: list[Any] = [
        None,
        True,
        -1,
        0,
        1e400,
        10**30,
        0.5,
        "",
        "NaN",
        "\udc80",
        "\x1b[2J",
        "../../etc",
        [],
        [[]],
        {},
        {"": 0},
    ]
    return data.draw(st.sampled_from(others))
