"""Segments: appear whole or not at all, say what they are, and are told when damaged."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.errors import FormatError, StoreError
from measurand.model.imports import Conflict, Declaration, ImportReport, NoteGroup
from measurand.model.table import SCHEMA, trials_frame
from measurand.model.trial import Trial
from measurand.store import segments
from measurand.store.files import TEMPORARY, write_atomic
from measurand.store.segments import encode_segment, read_segment, write_segment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.store.conftest import Add

    from measurand.store import Store

FRAME = trials_frame(
    [Trial(suite="s", task="é", agent="kite", agent_digest="k", trial="1", outcome="completed")]
)
REPORT = ImportReport(
    source="table",
    paths=("a.csv", "b.csv"),
    rows_read=5,
    rows_kept=1,
    duplicates=1,
    conflicts=(Conflict(agent="kite", task="é", trial="1", fields=("verdict",), rows=("a:1", "b:2")),),
    conflict_policy="drop",
    notes=(NoteGroup(kind="dropped", what="a line cut off", count=2, examples=("a:9",)),),
    mapped={"agent": "submission"},
    ignored=("note",),
    declarations=(Declaration(suite="s", suite_version="1", tasks=3, trials=2, absent_is_fail=True),),
)


def test_report_comes_back_as_it_was_written(tmp_path: Path) -> None:
    """A segment carries the whole report of its import."""
    path = write_segment(tmp_path, encode_segment(FRAME, REPORT))
    assert read_segment(path).report == REPORT
    assert pl.read_parquet(path).equals(FRAME)


def test_same_content_is_the_same_file(tmp_path: Path) -> None:
    """The name of a segment is made of its bytes: written again it is the same, other rows are another."""
    first = write_segment(tmp_path, encode_segment(FRAME, REPORT))
    stamp = first.stat().st_mtime_ns
    assert write_segment(tmp_path, encode_segment(FRAME, REPORT)) == first
    assert first.stat().st_mtime_ns == stamp
    assert write_segment(tmp_path, encode_segment(FRAME.clear(), REPORT)) != first


def test_older_segment_that_lacks_a_column_is_read(store: Store, add: Add) -> None:
    """A segment from before a column was added reads as unknown there; a column of later days is passed over."""
    add(store, {"task": "new"})
    folder = store.path / "trials"
    old = FRAME.drop("confidence", "trace_digest").with_columns(pl.lit(1).alias("of_later_days"))
    write_segment(folder, encode_segment(old, REPORT))
    trials = store.read()
    assert trials.frame.schema == SCHEMA
    assert trials.frame.filter(task="é")["confidence"].to_list() == [None]


def test_newer_table_version_is_refused(store: Store, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment with a newer version of the trial table is refused, whatever the call."""
    monkeypatch.setattr(segments, "SCHEMA_VERSION", 2)
    add(store, {})
    monkeypatch.undo()
    for call in (store.read, store.info, store.segments):
        with pytest.raises(StoreError, match="version 2 of the trial table"):
            call()
    with pytest.raises(StoreError, match="version 2 of the trial table"):
        add(store, {"task": "u"}, policy="drop")


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.99])
def test_truncated_segment_is_refused(store: Store, add: Add, keep: float) -> None:
    """A segment that was cut off is refused by name, never read in part."""
    path = add(store, {})
    assert path is not None
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(FormatError, match=path.name):
        store.read()


def test_foreign_parquet_file_is_refused(store: Store) -> None:
    """A Parquet file that another program wrote is no segment."""
    pl.DataFrame({"a": [1]}).write_parquet(store.path / "trials" / "a.parquet")
    with pytest.raises(FormatError, match="Measurand did not write"):
        store.read()


def test_unreadable_report_is_refused(store: Store) -> None:
    """A segment whose report cannot be decoded is refused."""
    metadata = {"measurand.import_report": "{", "measurand.schema_version": "1"}
    FRAME.write_parquet(store.path / "trials" / "a.parquet", metadata=metadata)
    with pytest.raises(FormatError, match="import report cannot be read"):
        store.read()


def test_verification_finds_a_changed_byte(store: Store, add: Add) -> None:
    """Verifying names a segment whose bytes are not those it was written with."""
    path = add(store, {})
    assert path is not None
    assert store.info(verify=True).damaged == ()
    data = bytearray(path.read_bytes())
    place = data.index(b"submission")
    data[place : place + 10] = b"subversion"
    path.write_bytes(bytes(data))
    assert store.info(verify=True).damaged == (path.name,)
    assert store.info().damaged == ()


def test_damaged_pages_are_refused(store: Store, add: Add) -> None:
    """A segment whose pages cannot be decoded is refused by name."""
    path = add(store, *({"task": f"task {n} of many"} for n in range(200)))
    assert path is not None
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 4] = bytes(len(data) // 4 - 4)
    path.write_bytes(bytes(data))
    with pytest.raises(FormatError, match=path.name):
        store.read()


def test_unfinished_files_are_passed_over(store: Store, add: Add) -> None:
    """What a writer left half done is no segment; the summary names it."""
    add(store, {})
    (store.path / "trials" / f"{TEMPORARY}1-ab-x.parquet").write_bytes(b"half")
    assert len(store.read()) == 1
    assert store.info().unfinished == (f"{TEMPORARY}1-ab-x.parquet",)


def test_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fails, the old file stays and no half file is left."""
    target = tmp_path / "file"
    write_atomic(target, b"old")

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        write_atomic(target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems flush folders")
def test_new_file_replaces_the_old_one(tmp_path: Path) -> None:
    """A file that is written again has the new content."""
    write_atomic(tmp_path / "file", b"old")
    write_atomic(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
