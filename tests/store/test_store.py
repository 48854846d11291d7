"""The run store: opened, appended to, read, merged by copying."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import ConflictError, StoreError
from measurand.model.imports import ConflictPolicy, ImportReport
from measurand.model.merge import merge_trials
from measurand.model.table import SCHEMA, Trials, trials_frame
from measurand.model.trial import Trial
from measurand.store import Store, is_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.store.conftest import Add

POLICIES: tuple[ConflictPolicy, ...] = ("no-verdict", "drop")


def merge(source: Store, target: Store) -> None:
    """Merge two stores as the documentation says: copy the segments."""
    for segment in (source.path / "trials").glob("*.parquet"):
        shutil.copy(segment, target.path / "trials")


def test_open_makes_a_store_only_when_told(tmp_path: Path) -> None:
    """Without ``create`` a folder that is no store is refused, and nothing is made."""
    with pytest.raises(StoreError, match="there is no store here"):
        Store.open(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    made = Store.open(tmp_path / "new" / "deep", create=True)
    assert is_store(made.path)
    assert Store.open(str(made.path)) == made


def test_creating_again_keeps_what_is_there(store: Store, add: Add) -> None:
    """Opening an existing store with ``create`` changes nothing in it."""
    add(store, {})
    before = {path.name: path.read_bytes() for path in store.path.rglob("*") if path.is_file()}
    again = Store.open(store.path, create=True)
    assert {path.name: path.read_bytes() for path in again.path.rglob("*") if path.is_file()} == before


def test_foreign_folder_is_not_taken_over(tmp_path: Path) -> None:
    """A folder with other files in it is refused, and stays as it is."""
    (tmp_path / "thesis.tex").write_text("text")
    with pytest.raises(StoreError, match="holds other files"):
        Store.open(tmp_path, create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_file_in_the_place_of_a_store_is_refused(tmp_path: Path) -> None:
    """A file cannot become a store."""
    (tmp_path / "store").write_text("text")
    with pytest.raises(StoreError, match="a file, not a folder"):
        Store.open(tmp_path / "store", create=True)


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (b'{"format":2,"kind":"measurand-store"}', "newer version"),
        (b'{"format":1,"kind":"bookshop"}', "not a store's head but that of a 'bookshop'"),
        (b'{"format":1}', "not a store's head"),
        (b'{"format":"one","kind":"measurand-store"}', "not a store's head"),
        (b'{"format":', "not a store's head"),
        (b"\xff\xfe", "not a store's head"),
        (b"", "not a store's head"),
    ],
)
def test_foreign_or_newer_head_is_refused(store: Store, head: bytes, says: str) -> None:
    """A store of a newer version, or a head that is none of ours, is refused."""
    (store.path / "store.json").write_bytes(head)
    with pytest.raises(StoreError, match=says):
        Store.open(store.path)


def test_empty_store_reads_as_no_trials(store: Store) -> None:
    """An empty store has no trials, and the schema of the trial table."""
    trials = store.read()
    assert (len(trials), trials.reports, trials.frame.schema) == (0, (), SCHEMA)
    info = store.info(verify=True)
    assert (info.segments, info.rows, info.trials, info.tasks, info.suites) == (0, 0, 0, 0, ())


def test_what_was_appended_is_read(store: Store, add: Add) -> None:
    """Rows come back as they were written, by read and by scan."""
    add(store, {"task": "007", "cost_usd": 0.5, "verdicts": {"strict": True}}, {"task": "8"})
    row = store.read().frame.filter(task="007").row(0, named=True)
    assert (row["cost_usd"], row["steps"], row["verdicts"]) == (
        0.5,
        None,
        [{"name": "strict", "passed": True}],
    )
    scanned = store.scan()
    assert isinstance(scanned, pl.LazyFrame)
    assert scanned.select(pl.len()).collect().item() == 2


def test_nothing_is_appended_without_rows(store: Store) -> None:
    """Appending no trials writes no segment."""
    report = ImportReport(source="table", paths=("a.csv",), rows_read=0, rows_kept=0)
    assert store.append(Trials(trials_frame([])), report) is None
    assert store.segments() == []


def test_importing_the_same_again_changes_nothing(store: Store, add: Add) -> None:
    """The same import again is the same segment."""
    first = add(store, {"task": "t"}, {"task": "u"})
    again = add(store, {"task": "t"}, {"task": "u"})
    assert first == again
    assert (store.info().segments, store.info().rows) == (1, 2)


def test_append_adds_segments(store: Store, add: Add) -> None:
    """Each import is a segment of its own; a read gives all trials with all reports."""
    add(store, {"task": "t"}, path="a.csv")
    add(store, {"task": "u"}, path="b.csv")
    trials = store.read()
    assert sorted(trials.frame["task"]) == ["t", "u"]
    assert sorted(report.paths[0] for report in trials.reports) == ["a.csv", "b.csv"]
    assert len(trials.declarations) == 1


def test_records_equal_across_segments_count_once(store: Store, add: Add) -> None:
    """A trial that two imports brought is one trial, and what one of them knew is kept."""
    add(store, {"cost_usd": 0.5}, path="a.csv")
    add(store, {"steps": 3}, path="b.csv")
    trials = store.read()
    assert trials.frame.select("cost_usd", "steps").rows() == [(0.5, 3)]
    assert trials.duplicates == 1
    info = store.info()
    assert (info.rows, info.trials, info.duplicates) == (2, 1, 1)


def test_stores_merge_by_copying_segments(store: Store, other: Store, add: Add) -> None:
    """Copying the segments of one store into another gives all trials, each once, in either direction."""
    add(store, {"task": "t"}, {"task": "u"}, path="a.csv")
    add(other, {"task": "u"}, {"task": "v"}, path="b.csv")
    merge(store, other)
    merge(other, store)
    for merged in (store, other):
        assert sorted(merged.read().frame["task"]) == ["t", "u", "v"]
    assert store.read().frame.sort("task").equals(other.read().frame.sort("task"))


def test_conflict_with_the_store_is_refused_before_anything_is_written(store: Store, add: Add) -> None:
    """An import that disagrees with the store is refused as a whole."""
    add(store, {})
    with pytest.raises(ConflictError, match=r"verdict differ between a\.csv and b\.csv"):
        add(store, {"task": "u"}, {"verdict": "fail"}, path="b.csv")
    assert store.info().rows == 1


@pytest.mark.parametrize(("policy", "verdicts"), [("no-verdict", [None, "pass"]), ("drop", ["pass"])])
def test_named_policy_holds_for_later_reads(
    store: Store, add: Add, policy: ConflictPolicy, verdicts: list[str | None]
) -> None:
    """A policy named at import is the one that reads use, and the conflict stays reported."""
    add(store, {}, {"task": "u"})
    add(store, {"verdict": "fail"}, policy=policy, path="b.csv")
    trials = store.read()
    assert trials.frame.sort("task")["verdict"].to_list() == verdicts
    assert [conflict.fields for conflict in trials.conflicts] == [("verdict",)]
    assert store.info().conflicts == trials.conflicts


def test_conflict_between_copied_segments_is_refused_at_reading(store: Store, other: Store, add: Add) -> None:
    """Two stores that disagree can be copied together; reading then refuses, or follows a named policy."""
    add(store, {}, path="a.csv")
    add(other, {"verdict": "fail"}, path="b.csv")
    merge(other, store)
    with pytest.raises(ConflictError, match=r"a\.csv and b\.csv"):
        store.read()
    assert store.read(on_conflict="no-verdict").frame.select("outcome", "verdict").rows() == [
        ("grader_error", None)
    ]
    assert len(store.read(on_conflict="drop")) == 0
    info = store.info()
    assert (info.rows, info.trials, len(info.conflicts)) == (2, 1, 1)


def test_of_two_named_policies_the_one_that_keeps_the_trial_wins(
    store: Store, other: Store, add: Add
) -> None:
    """Where one import said drop and another no-verdict, the trial stays in the denominator."""
    add(store, {}, policy="drop", path="a.csv")
    add(other, {"verdict": "fail"}, policy="no-verdict", path="b.csv")
    merge(other, store)
    assert store.read().frame["outcome"].to_list() == ["grader_error"]


def test_conflicts_and_duplicates_found_at_import_stay_known(store: Store) -> None:
    """What an import merged or resolved is still told when the store is read."""
    report = ImportReport(source="table", paths=("a.csv",), rows_read=3, rows_kept=1, duplicates=2)
    rows = Trials(pl.concat([trials_frame([]), pl.DataFrame({n: [None] for n in SCHEMA}, schema=SCHEMA)]))
    named = rows.frame.with_columns(
        pl.lit("x").alias(name) for name in ("suite", "task", "agent", "agent_digest", "trial")
    ).with_columns(pl.lit("missing").alias("outcome"))
    store.append(Trials(named), report)
    assert store.read().duplicates == 2


def test_info_says_what_the_store_holds(store: Store, add: Add) -> None:
    """The summary counts segments, rows, agents, and tasks of each suite."""
    add(
        store, {"task": "t"}, {"task": "u"}, {"task": "t", "suite": "z", "agent": "lark", "agent_digest": "l"}
    )
    info = store.info(verify=True)
    assert (info.suites, info.agents, info.tasks, info.rows) == (("s", "z"), 2, 3, 3)
    assert (info.damaged, info.unfinished, info.format) == ((), (), 1)
    assert info.imports[0].source == "table"


def test_store_without_its_folder_of_segments_takes_trials(store: Store, add: Add) -> None:
    """A copy that lost its empty folder is an empty store, and can be appended to."""
    (store.path / "trials").rmdir()
    assert len(store.read()) == 0
    add(store, {})
    assert len(store.read()) == 1


records = st.fixed_dictionaries(
    {
        "task": st.sampled_from("tu"),
        "agent": st.sampled_from("ab"),
        "verdict": st.sampled_from(["pass", "fail"]),
        "cost_usd": st.sampled_from([None, 0.5]),
        "source_ref": st.sampled_from(["a.csv:2", "b.csv:3", "c.csv:4"]),
    }
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(records, min_size=1, max_size=4), min_size=1, max_size=4), st.sampled_from(POLICIES))
def test_reading_is_merging_all_segments(
    tmp_path_factory: pytest.TempPathFactory, imports: list[list[dict[str, Any]]], policy: ConflictPolicy
) -> None:
    """However the records were spread over imports, a read gives what merging all of them at once gives."""
    store = Store.open(tmp_path_factory.mktemp("store"), create=True)
    frames = [
        trials_frame(Trial(suite="s", trial="1", outcome="completed", **row) for row in rows)
        for rows in imports
    ]
    for number, frame in enumerate(frames):
        report = ImportReport(
            source="table", paths=(str(number),), rows_read=0, rows_kept=0, conflict_policy=policy
        )
        store.append(Trials(frame), report, on_conflict=policy)
    found, expected = store.read().frame, merge_trials(pl.concat(frames), policy).frame
    order = ["task", "agent"]
    assert found.sort(order).equals(expected.sort(order))
    assert store.info().trials == expected.height


def test_importing_again_repairs_a_damaged_segment(store: Store, add: Add) -> None:
    """The same rows give the same name; bytes that are not theirs are written anew."""
    add(store, {})
    segment = next((store.path / "trials").glob("*.parquet"))
    whole = segment.read_bytes()
    segment.write_bytes(whole[:-30])
    add(store, {})
    assert segment.read_bytes() == whole
    assert len(store.read()) == 1


def test_a_policy_named_once_does_not_settle_later_conflicts(store: Store, add: Add) -> None:
    """Each import says for itself what becomes of records that disagree with the store's."""
    add(store, {"verdict": "pass"})
    add(store, {"verdict": "fail"}, policy="drop")
    add(store, {"trial": "2", "verdict": "pass"})
    with pytest.raises(ConflictError):
        add(store, {"trial": "2", "verdict": "fail"})
