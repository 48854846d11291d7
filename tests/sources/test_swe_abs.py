"""SWE-ABS: strengthened verdicts beside the official ones, and counts of both."""

from __future__ import annotations

import json
from statistics import median
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.verifiers.counted import counted_verdicts
from measurand.analyze.verifiers.verdicts import second_verdicts
from measurand.errors import FormatError, UsageError, ValueRangeError
from measurand.load import add_verdicts, read
from measurand.sources.base import ReadOptions
from measurand.sources.swe_abs.files import read_counts, read_second_verdicts
from measurand.sources.swe_abs.source import STRENGTHENED, SweAbsSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives

SOURCE = SweAbsSource()
VERDICTS = {
    "a__a-1": {"pass": ["kite", "lark"], "fail": []},
    "a__a-2": {"pass": ["kite"], "fail": ["lark"]},
    "a__a-3": {"pass": [], "fail": ["kite"]},
}


def entry(**changes: Any) -> dict[str, Any]:
    known = {
        "modelKey": "kite",
        "model": "Kite 1",
        "orig": 60.0,
        "sweAbs": 40.0,
        "oldCount": 3,
        "newCount": 2,
    }
    return known | changes


def counts(*entries: Any, total: int = 5) -> dict[str, Any]:
    return {"metadata": {"totalInstances": total}, "data": list(entries)}


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def test_both_verdicts(tmp_path: Path, read_source: ReadSource) -> None:
    """The official tests are the gate, the strengthened ones a second verdict on what passed it; who is in no list failed."""
    table = read_source(SOURCE, write(tmp_path / "final_results.json", VERDICTS))
    official = {"name": "official", "passed": True}
    yes, no = ({"name": STRENGTHENED, "passed": value} for value in (True, False))
    assert table.rows("agent", "task", "verdict", "verdicts") == [
        ("kite", "a__a-1", "pass", [official, yes]),
        ("lark", "a__a-1", "pass", [official, yes]),
        ("kite", "a__a-2", "pass", [official, yes]),
        ("lark", "a__a-2", "pass", [official, no]),
        ("kite", "a__a-3", "pass", [official, no]),
        ("lark", "a__a-3", "fail", [official | {"passed": False}]),
    ]
    assert table.frame["reason"].to_list()[-1] == "in neither list: did not pass the official tests"
    assert set(table.rows("suite", "outcome", "trial", "source")) == {
        ("swebench", "completed", "1", "swe_abs")
    }
    assert table.frame["source_ref"][0] == "final_results.json: a__a-1: kite"
    assert table.log.rows_read == table.frame.height
    (declared,) = table.log.declarations
    assert (declared.suite, declared.tasks, declared.trials) == ("swebench", 3, 1)
    named = read_source(SOURCE, tmp_path, suite="swebench_verified")
    assert set(named.frame["suite"]) == {"swebench_verified"}
    assert named.notes() == {}


def test_second_verdict_is_analysed(tmp_path: Path) -> None:
    """What is read is what the analysis of second verdicts takes: passes, those rejected, and their shares."""
    path = write(tmp_path / "final_results.json", VERDICTS)
    found = second_verdicts(read(path, options=ReadOptions(suite="swebench_verified")), STRENGTHENED)
    rows = {row.agent: (row.passes, row.checked, row.rejected) for row in found.agents}
    assert rows == {"kite": (3, 3, 1), "lark": (2, 2, 1)}


def test_table_of_second_verdicts(tmp_path: Path) -> None:
    """The verdicts join trials of SWE-bench's own tree, whose submissions are called alike."""
    path = write(tmp_path / "final_results.json", VERDICTS)
    for name, resolved in {"kite": ["a__a-1", "a__a-2", "a__a-3"], "lark": ["a__a-1"]}.items():
        write(tmp_path / f"verified/{name}/results/results.json", {"resolved": resolved, "no_logs": []})
    trials = add_verdicts(read(tmp_path / "verified"), STRENGTHENED, read_second_verdicts(path))
    rows = {row.agent: (row.passes, row.rejected) for row in second_verdicts(trials, STRENGTHENED).agents}
    assert rows == {"kite": (3, 1), "lark": (1, 0)}


def test_odd_entries(tmp_path: Path, read_source: ReadSource) -> None:
    """An agent in both lists has no second verdict; twice in one list counts once; an entry of another shape is dropped."""
    odd = VERDICTS | {
        "b__b-1": {"pass": ["kite", "kite"], "fail": []},
        "b__b-2": {"pass": ["lark"], "fail": ["lark"]},
        "b__b-3": {"pass": ["kite"]},
        "b__b-4": {"pass": [1.5], "fail": []},
        "b__b-5": 7,
    }
    table = read_source(SOURCE, write(tmp_path / "r.json", odd))
    frame = table.frame.filter(pl.col("task") == "b__b-2")
    assert frame.select("agent", "verdict", pl.col("verdicts").list.len()).rows() == [
        ("kite", "fail", 1),
        ("lark", "pass", 1),
    ]
    assert table.notes("unknown") == {"strengthened verdict: both pass and fail": 1}
    assert table.notes("dropped") == {"instance without two lists of agents": 3}
    assert table.notes("note")["listed twice, counted once"] == 1
    assert table.log.rows_read == table.frame.height + 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not readable JSON"),
        (b"[]", "no verdicts of SWE-ABS"),
        (b"{}", "no verdicts of SWE-ABS"),
        (b'{"a": {"pass": [], "fail": []}}', "names no agent"),
        (b'{"a": {"pass": [], "fail": []}, "a": {}}', "stands twice"),
        (b'{"a": 1}', "no verdicts of SWE-ABS"),
        (json.dumps(counts(entry())).encode(), "counts of passes only"),
    ],
)
def test_files_that_are_refused(
    tmp_path: Path, read_source: ReadSource, content: bytes, message: str
) -> None:
    """What is neither verdicts nor JSON is refused; counts are no trials, and the error says what takes them."""
    with pytest.raises(FormatError, match=message):
        read_source(SOURCE, write(tmp_path / "r.json", content))


def test_other_files_of_a_folder(tmp_path: Path, read_source: ReadSource) -> None:
    """In a folder the verdicts are read, the counts and other JSON are noted; foreign options are refused."""
    write(tmp_path / "final_results.json", VERDICTS)
    write(tmp_path / "swe_abs_data.json", counts(entry()))
    write(tmp_path / "key_map.json", {"kite": "Kite 1"})
    table = read_source(SOURCE, tmp_path)
    assert table.frame.height == 6
    assert {
        "counts alone: they are no trials",
        "JSON file without verdicts of SWE-ABS: not read",
    } < table.notes().keys()
    with pytest.raises(UsageError):
        read_source(SOURCE, tmp_path, tasks=tmp_path / "t.txt")


def test_counts(tmp_path: Path) -> None:
    """Counts become passes by both verdicts; what the file states is given as stated."""
    path = write(
        tmp_path / "swe_abs_data.json", counts(entry(), entry(modelKey="lark", oldCount=2, newCount=0))
    )
    rows = read_counts(path)
    assert [(row.agent, row.tasks, row.first, row.checked, row.second) for row in rows] == [
        ("kite", 5, 3, 3, 2),
        ("lark", 5, 2, 2, 0),
    ]
    stated = list(SOURCE.stated(path))
    assert [(one.agent, one.name, one.value, one.unit) for one in stated[:2]] == [
        ("kite", "resolved", 60.0, "percent"),
        ("kite", "resolved, strengthened tests", 40.0, "percent"),
    ]
    assert stated[0].where == "swe_abs_data.json: data[0].orig"


@pytest.mark.parametrize(
    "broken",
    [entry(oldCount=1), entry(oldCount=9), entry(newCount=None), entry(modelKey=""), entry(oldCount=-1)],
)
def test_counts_that_cannot_be(tmp_path: Path, broken: dict[str, Any]) -> None:
    """More passes than tasks, more confirmed than passes, or a missing number are refused with their place."""
    with pytest.raises(ValueRangeError, match=r"data\[1\]"):
        read_counts(write(tmp_path / "c.json", counts(entry(), broken)))


def test_no_counts(tmp_path: Path) -> None:
    """Another file holds neither counts nor verdicts."""
    path = write(tmp_path / "c.json", {"data": []})
    with pytest.raises(FormatError, match="no counts"):
        read_counts(path)
    with pytest.raises(FormatError, match="no verdicts"):
        read_second_verdicts(path)


def test_sniffing(tmp_path: Path) -> None:
    """Verdicts and counts are claimed, alone or in a folder; objects that look similar are not."""
    good = write(tmp_path / "a/final_results.json", VERDICTS)
    tally = write(tmp_path / "b/swe_abs_data.json", counts(entry()))
    for path in (good, good.parent, tally, tally.parent):
        match = SOURCE.sniff(path)
        assert match is not None
        assert match.confidence >= 90
    others = [
        write(tmp_path / "c/a.json", {"a": {"pass": 3, "fail": 1}}),
        write(tmp_path / "c/b.json", {"a": {"pass": ["x"]}}),
        write(tmp_path / "c/c.json", [VERDICTS]),
        write(tmp_path / "c/d.json", b"{"),
        tmp_path / "c",
        tmp_path / "nowhere",
    ]
    assert [SOURCE.sniff(path) for path in others] == [None] * len(others)


FILES = {
    "final_results.json": json.dumps(VERDICTS).encode(),
    "swe_abs_data.json": json.dumps(counts(entry())).encode(),
}


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged: an error on purpose, or a report that adds up."""
    survives(SOURCE, FILES, data)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(data=st.data())
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, with many more examples."""
    survives(SOURCE, FILES, data)


def test_published_counts(shared: Path, read_source: ReadSource) -> None:
    """The published counts: 30 agents, a median of 17.7 % of passes rejected, 10.8 to 23.2 %, as in the tidy table."""
    path = shared / "samples/swe_abs/swe_abs_data.json"
    rows = read_counts(path)
    tidy = pl.read_csv(shared / "data/swe_abs/swe_abs_top30.csv")
    assert [(row.agent, row.first, row.second) for row in rows] == tidy.select(
        "submission", "official_passes", "strengthened_passes"
    ).rows()
    assert {row.tasks for row in rows} == {500}
    shares = [1 - row.second / row.first for row in rows]
    assert (round(100 * median(shares), 1), round(100 * min(shares), 1), round(100 * max(shares), 1)) == (
        17.7,
        10.8,
        23.2,
    )
    found = counted_verdicts(rows)
    assert found.median_share == pytest.approx(median(shares))
    stated = list(SOURCE.stated(path))
    assert len(stated) == 60
    by_name = {(one.agent, one.name): one.value for one in stated}
    for row in tidy.iter_rows(named=True):
        assert by_name[row["submission"], "resolved"] == row["official_pct"]
        assert by_name[row["submission"], "resolved, strengthened tests"] == row["strengthened_pct"]
    with pytest.raises(FormatError, match="counts of passes only"):
        read_source(SOURCE, path)
