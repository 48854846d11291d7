"""The sources that are installed, and which of them reads what."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.errors import FormatError, UsageError
from measurand.sources import registry
from measurand.sources.base import ImportLog, Match, ReadOptions, Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Diary:
    """A source as a third party would write it."""

    name = "diary"
    title = "diaries"

    def sniff(self, path: Path) -> Match | None:
        return Match(99, "a diary") if path.suffix == ".csv" else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        raise AssertionError(f"nothing is read in these tests: {path}, {options}, {log}")


class Rival(Diary):
    name = "rival"


class NoSource:
    """Lacks all that a source has."""


class Explodes:
    def __init__(self) -> None:
        raise RuntimeError("no licence")


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install fake distributions beside the real sources."""
    classes = {"diary": Diary, "rival": Rival, "hollow": NoSource, "bomb": Explodes}
    real = list(entry_points(group=registry.GROUP))

    class Entry(EntryPoint):
        def load(self) -> type:
            return classes[self.name]

    fake = [Entry(name, f"third_party:{cls.__name__}", registry.GROUP) for name, cls in classes.items()]
    monkeypatch.setattr(registry, "entry_points", lambda group: [*real, *fake])  # noqa: ARG005
    registry.installed.cache_clear()
    yield
    registry.installed.cache_clear()


def test_own_sources_are_installed() -> None:
    """The sources of this package are found through its entry points, under their own names."""
    sources = registry.installed().sources
    assert {"table", "swebench", "algotune"} <= sources.keys()
    assert all(source.name == name and isinstance(source, Source) for name, source in sources.items())
    assert registry.installed().broken == {}


@pytest.mark.usefixtures("plugged")
def test_plug_in_with_the_highest_claim_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third party's source is asked like our own, and the highest claim wins."""
    (tmp_path / "x.csv").touch()
    monkeypatch.setattr(Rival, "sniff", lambda _self, _path: None)
    assert registry.detect(tmp_path / "x.csv").name == "diary"


@pytest.mark.usefixtures("plugged")
def test_equal_claims_are_refused(tmp_path: Path) -> None:
    """Two sources with the same claim are named, and the user chooses."""
    (tmp_path / "x.csv").touch()
    with pytest.raises(FormatError, match=r"several sources claim this: diary, rival\n.*--from"):
        registry.detect(tmp_path / "x.csv")


@pytest.mark.usefixtures("plugged")
def test_broken_plug_ins_hinder_only_who_names_them(tmp_path: Path) -> None:
    """A plug-in that cannot be loaded, or is no source, is an error only when it is asked for."""
    (tmp_path / "x.parquet").touch()
    assert registry.detect(tmp_path / "x.parquet").name == "table"
    with pytest.raises(UsageError, match="cannot be loaded: no licence"):
        registry.get("bomb")
    with pytest.raises(UsageError, match="lacks name, title, sniff or read"):
        registry.get("hollow")


def test_unknown_name_lists_the_known() -> None:
    """A source that does not exist is refused with the names of those that do."""
    with pytest.raises(UsageError, match=r"there is no source 'tabel'\n.*table"):
        registry.get("tabel")


def test_nothing_there_and_nothing_known(tmp_path: Path) -> None:
    """A path that does not exist, and one that no source knows, are different errors."""
    with pytest.raises(FormatError, match="no such file or folder"):
        registry.detect(tmp_path / "nowhere.csv")
    (tmp_path / "x.bin").write_bytes(b"\0")
    with pytest.raises(FormatError, match="no source knows this format"):
        registry.detect(tmp_path / "x.bin")


def test_import_log_counts_all_and_shows_some() -> None:
    """The log counts every row of a note, and names the first twenty."""
    log = ImportLog("table", "x.csv")
    rows = pl.DataFrame({"source_ref": [f"x.csv:{line}" for line in range(2, 32)]})
    log.add_rows("dropped", "odd", rows)
    log.add("dropped", "odd", "x.csv:99", count=5)
    log.add_rows("unknown", "never", rows.clear())
    report = log.report(rows_kept=3, policy="refuse")
    (note,) = report.notes
    assert (note.count, len(note.examples), note.examples[0]) == (35, 20, "x.csv:2")
    assert (report.dropped, report.partial) == (35, True)


def test_a_note_alone_makes_no_import_partial() -> None:
    """Only dropped rows, unknown values and conflicts make an import partial."""
    log = ImportLog("table", "x.csv")
    log.add("note", "odd but whole", "x.csv:2")
    assert not log.report(rows_kept=1, policy="refuse").partial
    log.add("unknown", "cost", "x.csv:2")
    assert log.report(rows_kept=1, policy="refuse").partial


@pytest.mark.usefixtures("plugged")
def test_a_source_whose_look_fails_is_told_and_hinders_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failure is neither raised from an unrelated read nor swallowed."""

    def stumble(_self: Diary, _path: Path) -> Match | None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(Diary, "sniff", stumble)
    monkeypatch.setattr(Rival, "sniff", lambda _self, _path: None)
    (tmp_path / "x.csv").touch()
    assert registry.detect(tmp_path / "x.csv").name == "table"
    assert "no such luck" in registry.listing(tmp_path / "x.csv").broken["diary"]
    (tmp_path / "x.odd").touch()
    with pytest.raises(FormatError, match=r"'diary': it failed to look at .*no such luck"):
        registry.detect(tmp_path / "x.odd")
