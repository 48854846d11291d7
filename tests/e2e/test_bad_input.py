"""Unusable data: exit code 3, one message that says what, where and what to do, and nothing written."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

import polars as pl
import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Done, Terminal

GRADED = "agent,task,trial,verdict,quantity,better,baseline,reference\n"
PLAIN = "agent,task,trial,verdict\nkite,t1,1,pass\nlark,t1,1,fail\n"


def _parquet(columns: dict[str, list[str]]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


TABLE = _parquet({"agent": ["kite"] * 500, "task": [f"t{n}" for n in range(500)], "verdict": ["pass"] * 500})


class Bad(NamedTuple):
    """An unusable file, and what its message must name."""

    name: str
    content: str | bytes
    what: str
    where: str
    hint: str


CASES = {
    "a column that cannot be mapped": Bad(
        "a.csv", "x,y\n1,2\n", "mapped to 'agent'", "a.csv", "--map agent="
    ),
    "an infinite quantity": Bad(
        "a.csv", GRADED + "kite,t1,1,pass,inf,lower,10,5\n", "not finite", "a.csv:2", "empty quantity"
    ),
    "a quantity that is not a number": Bad(
        "a.csv", GRADED + "kite,t1,1,pass,NaN,lower,10,5\n", "not finite", "a.csv:2", "empty quantity"
    ),
    "a quantity of 0 of ratio kind": Bad(
        "a.csv", GRADED + "kite,t1,1,pass,0,lower,10,5\n", "not positive", "a.csv:2", "interval"
    ),
    "a negative quantity of ratio kind": Bad(
        "a.csv", GRADED + "kite,t1,1,pass,-3,lower,10,5\n", "not positive", "a.csv:2", "interval"
    ),
    "a reference worse than its baseline": Bad(
        "a.csv",
        GRADED + "kite,t1,1,pass,7,lower,5,10\n",
        "not better than its baseline",
        "a.csv:2",
        "anchors",
    ),
    "mixed directions in one task": Bad(
        "a.csv",
        GRADED + "kite,t1,1,pass,7,lower,10,5\nlark,t1,1,pass,7,higher,5,10\n",
        "mixed directions",
        "a.csv:3",
        "split the task",
    ),
    "an unknown outcome word": Bad(
        "a.csv",
        "agent,task,outcome,verdict\nkite,t1,exploded,fail\n",
        "'exploded'",
        "a.csv:2",
        "--outcome WORD=OUTCOME",
    ),
    "a truncated Parquet file": Bad(
        "a.parquet", TABLE[: len(TABLE) // 2], "not a readable Parquet file", "a.parquet", "cut"
    ),
    "a foreign Parquet file": Bad(
        "a.parquet", _parquet({"x": ["1"], "y": ["2"]}), "mapped to 'agent'", "a.parquet", "--map agent="
    ),
    "text renamed to Parquet": Bad(
        "a.parquet", PLAIN, "not a readable Parquet file", "a.parquet", "another format"
    ),
    "Parquet renamed to CSV": Bad("a.csv", TABLE, "not UTF-8", "a.csv:1", "UTF-8"),
    "invalid UTF-8": Bad("a.csv", PLAIN.encode() + b"k\xe9te,t2,1,pass\n", "not UTF-8", "a.csv:4", "UTF-8"),
    "conflicting duplicates": Bad(
        "a.csv", PLAIN + "kite,t1,1,fail\n", "disagree", "a.csv:2 and a.csv:4", "--on-conflict"
    ),
    "a line of another length": Bad(
        "a.csv", PLAIN + "kite\nlark,t2,1,pass\n", "1 cells", "a.csv:4", "quotes"
    ),
    "a row without a task": Bad("a.csv", PLAIN + "kite,,1,pass\n", "task is empty", "a.csv:4", "remove"),
    "no data rows": Bad("a.csv", "agent,task,verdict\n", "no trials", "", ""),
    "an empty file": Bad("a.csv", "", "empty", "a.csv", "column names"),
    "a format that no source knows": Bad("a.xyz", "?", "no source knows", "a.xyz", "measurand sources"),
}


def refused(done: Done, code: int = 3) -> str:
    """Check that a command was refused in one message, and return it."""
    assert done.code == code, done
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("error:") == 1
    assert "Traceback" not in done.err
    return done.err


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_refused_with_what_where_and_hint_and_nothing_is_written(
    terminal: Terminal, name: str
) -> None:
    bad = CASES[name]
    terminal.write(bad.name, bad.content)
    before = terminal.files()
    for done in terminal.run_all(("import", bad.name, "--store", "runs"), ("report", bad.name)):
        message = refused(done)
        for part in (bad.what, bad.where, bad.hint):
            assert part in message
    assert terminal.files() == before


def test_a_missing_file_is_named(terminal: Terminal) -> None:
    for done in terminal.run_all(("import", "gone.csv", "--store", "runs"), ("report", "gone.csv")):
        assert "gone.csv: no such file" in refused(done)
    assert terminal.files() == set()


def test_one_bad_file_among_good_ones_imports_nothing(terminal: Terminal) -> None:
    good = terminal.write("good.csv", PLAIN)
    bad = terminal.write("bad.csv", PLAIN + "kite,t1,1,fail\n")
    assert "bad.csv:4" in refused(terminal.run("import", good, bad, "--store", "runs"))
    assert terminal.files() == {"good.csv", "bad.csv"}


def test_a_refused_import_leaves_a_store_as_it_was(terminal: Terminal) -> None:
    good, bad = terminal.write("good.csv", PLAIN), terminal.write("bad.csv", "x\n1\n")
    assert terminal.run("import", good, "--store", "runs").code == 0
    before = terminal.files()
    refused(terminal.run("import", bad, "--store", "runs"))
    assert terminal.files() == before


def test_rows_that_contradict_the_store_are_refused(terminal: Terminal) -> None:
    first = terminal.write("first.csv", PLAIN)
    second = terminal.write("second.csv", PLAIN.replace("kite,t1,1,pass", "kite,t1,1,fail"))
    assert terminal.run("import", first, "--store", "runs").code == 0
    before = terminal.files()
    message = refused(terminal.run("import", second, "--store", "runs"))
    assert "first.csv:2" in message
    assert "second.csv:2" in message
    assert terminal.files() == before


VERSIONS = (
    "agent,task,task_digest,suite,suite_version,verdict\n"
    "kite,t1,d1,s,1,pass\nkite,t2,d2,s,1,fail\nlark,t1,d1,s,2,fail\nlark,t2,d3,s,2,fail\n"
)


def test_mixed_suite_versions_are_refused_until_the_user_says_how(terminal: Terminal) -> None:
    table = terminal.write("mixed.csv", VERSIONS)
    plain, common, mixed = terminal.run_all(
        ("report", table),
        ("report", table, "--common-tasks", "--json"),
        ("report", table, "--allow-mixed", "--no-html"),
    )
    message = refused(plain)
    assert "suite version: 1 (kite); 2 (lark)" in message
    assert "--common-tasks" in message
    assert "--allow-mixed" in message
    assert (common.code, mixed.code) == (0, 0)
    assert '"n_tasks": 1' in common.out
    assert "not comparable" in mixed.out.lower()
    assert terminal.files() == {"mixed.csv"}


def test_a_store_of_a_newer_version_is_refused_and_left_alone(terminal: Terminal) -> None:
    table = terminal.write("good.csv", PLAIN)
    head = terminal.folder / "runs" / "store.json"
    head.parent.mkdir()
    head.write_text('{"format": 99, "kind": "measurand-store", "more": [1]}', encoding="utf-8")
    before = terminal.files()
    for done in terminal.run_all(
        ("report", "runs"), ("import", table, "--store", "runs"), ("store", "info", "runs")
    ):
        message = refused(done)
        assert "newer version" in message
        assert "store.json" in message
        assert "upgrade" in message
    assert terminal.files() == before


def test_a_segment_of_a_newer_version_is_refused(terminal: Terminal) -> None:
    table = terminal.write("good.csv", PLAIN)
    assert terminal.run("import", table, "--store", "runs").code == 0
    segment = next((terminal.folder / "runs" / "trials").glob("*.parquet"))
    frame, metadata = pl.read_parquet(segment), pl.read_parquet_metadata(segment)
    newer = {"measurand.schema_version": "99", "measurand.import_report": metadata["measurand.import_report"]}
    frame.write_parquet(segment, metadata=newer)
    message = refused(terminal.run("report", "runs"))
    assert "version 99" in message
    assert segment.name in message
    assert "upgrade" in message


def test_a_damaged_segment_is_named(terminal: Terminal) -> None:
    table = terminal.write("good.csv", PLAIN)
    assert terminal.run("import", table, "--store", "runs").code == 0
    segment = next((terminal.folder / "runs" / "trials").glob("*.parquet"))
    segment.write_bytes(segment.read_bytes()[:-20])
    for done in terminal.run_all(("report", "runs"), ("store", "info", "runs", "--verify")):
        assert segment.name in refused(done)


@pytest.mark.parametrize("path", ["absent/page.html", "good.csv/page.html"])
def test_a_page_that_cannot_be_written_is_named_by_the_users_path(terminal: Terminal, path: str) -> None:
    table = terminal.write("good.csv", PLAIN)
    done = terminal.run("report", table, "--html", path)
    assert done.code == 3
    assert "Traceback" not in done.err
    assert f"error: {path}: " in done.err
    assert terminal.files() == {"good.csv"}


def test_a_store_is_not_made_among_foreign_files_or_below_a_file(terminal: Terminal) -> None:
    table = terminal.write("good.csv", PLAIN)
    (terminal.folder / "other").mkdir()
    terminal.write("other/letter.txt", "dear reader")
    before = terminal.files()
    among, below = terminal.run_all(
        ("import", table, "--store", "other"), ("import", table, "--store", "good.csv/runs")
    )
    assert "holds other files and no store" in refused(among)
    assert "good.csv/runs" in refused(below)
    assert terminal.files() == before
