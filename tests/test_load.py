"""Trials from wherever they are: frames of any library, files of any format, stores."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

from measurand.errors import (
    ConflictError,
    FormatError,
    MappingError,
    MissingExtraError,
    StoreError,
    UsageError,
    ValueRangeError,
)
from measurand.load import import_into, open_store, read
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA: dict[str, list[Any]] = {
    "agent": ["kite", "kite", "lark"],
    "task": ["007", "8", "007"],
    "trial": [1, 1, 1],
    "passed": [True, False, None],
    "cost_usd": [0.5, None, 0.25],
}
CSV = "agent,task,trial,passed,cost_usd\nkite,007,1,1,0.5\nkite,8,1,0,\nlark,007,1,,0.25\n"
ROWS = [
    ("kite", "007", "1", "completed", "pass", 0.5),
    ("kite", "8", "1", "completed", "fail", None),
    ("lark", "007", "1", "missing", None, 0.25),
]
FRAMES: dict[str, Callable[[], Any]] = {
    "polars": lambda: pl.DataFrame(DATA),
    "polars lazy": lambda: pl.LazyFrame(DATA),
    "pandas": lambda: pd.DataFrame(DATA),
    "pandas with an index": lambda: pd.DataFrame(DATA, index=["x", "y", "z"]),
    "pandas with Arrow columns": lambda: pd.DataFrame(DATA).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categories": lambda: pd.DataFrame(DATA).astype({"agent": "category"}),
    "pyarrow": lambda: pa.table(DATA),
    "narwhals": lambda: nw.from_native(pl.DataFrame(DATA)),
}


def rows(trials: Any) -> list[tuple[Any, ...]]:
    columns = ("agent", "task", "trial", "outcome", "verdict", "cost_usd")
    return sorted(trials.frame.select(columns).rows(), key=repr)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text(CSV)
    return path


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_all_libraries_are_read_alike(kind: str) -> None:
    """A frame of Polars, pandas, pyarrow or narwhals gives the trials that the same file gives."""
    assert rows(read(FRAMES[kind]())) == ROWS


def test_files_are_read_as_frames_are(csv: Path) -> None:
    """A path, its text, and a list of paths give the same trials, with a report of each import."""
    for data in (csv, str(csv), [csv], (str(csv),)):
        trials = read(data)
        assert rows(trials) == ROWS
        assert trials.reports[0].rows_read == trials.reports[0].rows_kept == 3


@pytest.mark.parametrize(
    "nonsense",
    [
        None,
        3,
        1.5,
        b"results.csv",
        object(),
        {"agent": ["a"]},
        [1, 2],
        {"a.csv"},
        np.zeros(3),
        pl.Series([1]),
        pd.Series([1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_nonsense_is_refused(nonsense: object) -> None:
    """What is neither a path nor a frame is refused by the name of its type."""
    with pytest.raises(UsageError, match=f"neither a path nor a data frame: {type(nonsense).__name__}"):
        read(nonsense)


def test_nothing_is_refused() -> None:
    """An empty list of paths is nothing to read."""
    with pytest.raises(UsageError, match="nothing to read"):
        read([])


def test_missing_file_is_named(tmp_path: Path) -> None:
    """A path that does not exist is named."""
    with pytest.raises(FormatError, match="no such file"):
        read(tmp_path / "nowhere.csv")


def test_frame_that_its_library_cannot_hand_over_is_refused() -> None:
    """A column of mixed types, or two of one name, are told as an error of the data."""
    mixed = pd.DataFrame({"agent": ["a", "a"], "task": [1, "b"], "passed": [1, 0]})
    twice = pd.DataFrame([["a", "t", 1, 1]], columns=["agent", "task", "passed", "passed"])
    broken = pl.LazyFrame({"agent": ["a"]}).select("nothing")
    for frame in (mixed, twice, broken):
        with pytest.raises(FormatError, match="the data frame cannot be read"):
            read(frame)


def test_frame_that_needs_pyarrow_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another library lacks pyarrow, the error names what to install."""

    def lacking(_: object) -> None:
        raise ModuleNotFoundError("No module named 'pyarrow'")

    monkeypatch.setattr(nw.DataFrame, "to_polars", lacking)
    with pytest.raises(MissingExtraError, match="pyarrow"):
        read(pl.DataFrame(DATA))


def test_frame_needs_its_columns() -> None:
    """A frame without agent, task or a result is refused by what it lacks."""
    for lacking in ("agent", "task", "passed"):
        with pytest.raises(MappingError):
            read(pl.DataFrame(DATA).drop(lacking))


def test_empty_frame_has_no_trials() -> None:
    """A frame without rows gives no trials, and no error."""
    assert len(read(pl.DataFrame(DATA).clear())) == 0


def test_missing_values_of_every_kind_are_unknown() -> None:
    """None, NaN and NaT are unknown, in any column that may be."""
    frame = pd.DataFrame(
        {
            "agent": ["a"],
            "task": ["t"],
            "passed": [np.nan],
            "cost_usd": [np.nan],
            "steps": [np.nan],
            "started_at": [pd.NaT],
            "reason": [None],
        }
    )
    row = read(frame).frame.row(0, named=True)
    assert [row[n] for n in ("verdict", "cost_usd", "steps", "started_at", "reason")] == [None] * 5


def test_missing_names_are_refused_with_their_row() -> None:
    """A trial without an agent or a task is no trial."""
    for column in ("agent", "task"):
        frame = pl.DataFrame({**DATA, column: ["x", None, "y"]})
        with pytest.raises(ValueRangeError, match=f"row 2: {column} is empty"):
            read(frame)


def test_source_of_a_frame_is_the_table() -> None:
    """A frame is read as a table; another source is refused rather than ignored."""
    assert rows(read(pl.DataFrame(DATA), source="table")) == ROWS
    with pytest.raises(UsageError, match="'swebench'"):
        read(pl.DataFrame(DATA), source="swebench")


def test_options_reach_the_frame() -> None:
    """Mapping and suite given by the user hold for frames."""
    frame = pl.DataFrame(DATA).rename({"agent": "who"})
    trials = read(frame, options=ReadOptions(suite="mine", mapping={"agent": "who"}))
    assert trials.frame["suite"].unique().to_list() == ["mine"]
    assert trials.reports[0].mapped["agent"] == "who"


def test_policy_for_conflicts_holds_everywhere(csv: Path, tmp_path: Path) -> None:
    """A conflict is refused, or resolved by the policy named, in a frame, in files and in a store."""
    csv.write_text("agent,task,trial,passed\na,t,1,1\na,t,1,0\n")
    frame = pl.read_csv(csv)
    for data in (csv, frame):
        with pytest.raises(ConflictError):
            read(data)
        assert len(read(data, on_conflict="drop")) == 0
        kept = read(data, on_conflict="no-verdict")
        assert (kept.frame["outcome"].to_list(), len(kept.conflicts)) == (["grader_error"], 1)
    with pytest.raises(ConflictError):
        import_into(tmp_path / "store", csv)
    assert not (tmp_path / "store").exists()
    assert import_into(tmp_path / "store", csv, on_conflict="no-verdict").conflict_policy == "no-verdict"
    assert read(tmp_path / "store").frame["outcome"].to_list() == ["grader_error"]


def test_store_is_read_like_a_file(csv: Path, tmp_path: Path) -> None:
    """A store given by its path is read, and nothing about its trials is lost on the way."""
    report = import_into(tmp_path / "store", csv)
    assert report.rows_kept == 3
    stored = read(str(tmp_path / "store"))
    assert rows(stored) == ROWS
    assert stored.reports == (report,)
    assert rows(open_store(tmp_path / "store").read()) == ROWS
    assert (
        stored.frame.drop("source_ref")
        .sort("agent", "task")
        .equals(read(csv).frame.drop("source_ref").sort("agent", "task"))
    )


def test_importing_twice_changes_nothing(csv: Path, tmp_path: Path) -> None:
    """The same file again is no new trial; from another place it is a duplicate."""
    for _ in range(2):
        import_into(tmp_path / "store", csv)
    assert open_store(tmp_path / "store").info().segments == 1
    moved = tmp_path / "moved.csv"
    shutil.copy(csv, moved)
    import_into(tmp_path / "store", moved)
    trials = read(tmp_path / "store")
    assert (len(trials), trials.duplicates) == (3, 3)


def test_a_store_is_not_imported_into_another(csv: Path, tmp_path: Path) -> None:
    """Stores are merged by copying segments; importing one would lose its reports."""
    import_into(tmp_path / "one", csv)
    for data in (tmp_path / "one", [str(tmp_path / "one")]):
        with pytest.raises(UsageError, match="merged by copying"):
            import_into(tmp_path / "two", data)
    assert not (tmp_path / "two").exists()


def test_one_store_at_a_time(csv: Path, tmp_path: Path) -> None:
    """A store together with other paths is refused."""
    import_into(tmp_path / "store", csv)
    with pytest.raises(UsageError, match="one store at a time"):
        read([tmp_path / "store", csv])


def test_import_of_nothing_makes_no_store(csv: Path, tmp_path: Path) -> None:
    """A file without trials is refused, and no store is made for it."""
    csv.write_text("agent,task,passed\n")
    with pytest.raises(FormatError):
        import_into(tmp_path / "store", csv)
    assert not (tmp_path / "store").exists()


def test_open_store_refuses_what_is_none(tmp_path: Path) -> None:
    """Opening a folder that is no store is refused, unless one is to be made."""
    with pytest.raises(StoreError):
        open_store(tmp_path / "store")
    assert open_store(tmp_path / "store", create=True).path == tmp_path / "store"


def test_progress_names_each_file(csv: Path, tmp_path: Path) -> None:
    """The caller learns which file is being read and how far the reading is."""
    second = tmp_path / "b.csv"
    second.write_text(CSV.replace("kite", "newt"))
    told: list[tuple[str, float | None]] = []
    assert len(read([csv, second], progress=lambda what, done: told.append((what, done)))) == 5
    assert told == [("reading results.csv", 0.0), ("reading b.csv", 0.5)]


def test_order_of_files_changes_nothing(csv: Path, tmp_path: Path) -> None:
    """Files in any order give the same trials."""
    second = tmp_path / "b.csv"
    second.write_text(CSV.replace("kite", "newt"))
    assert rows(read([csv, second])) == rows(read([second, csv]))


def test_reading_leaves_the_frame_as_it_was() -> None:
    """The frame handed in is not changed."""
    frame = pd.DataFrame(DATA)
    before = frame.copy()
    read(frame)
    assert frame.equals(before)
