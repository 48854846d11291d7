"""Tables on disk: what of a file is a row, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Read, ReadText

HEAD = "agent,task,trial,passed\n"


def test_ids_stay_text(read_table: ReadText) -> None:
    """The id 007 stays 007, and 7 is another task."""
    table = read_table(HEAD + "kite,007,01,1\nkite,7,1,0\n")
    assert table.rows("task", "trial", "verdict") == [("007", "01", "pass"), ("7", "1", "fail")]


def test_each_row_knows_its_line(read_table: ReadText) -> None:
    """A row's reference is the line on which it ends, also after a cell with line ends in it."""
    table = read_table(HEAD + 'a,"t\nu",1,1\nb,"say ""x"", y",1,0\n')
    assert table.rows("task", "source_ref") == [("t\nu", "t.csv:3"), ('say "x", y', "t.csv:4")]


def test_byte_order_mark_is_no_content(read_table: ReadText) -> None:
    """A byte order mark belongs neither to the first column's name nor to the first JSON line."""
    assert read_table(b"\xef\xbb\xbf" + HEAD.encode() + b"a,t,1,1\n").rows("agent") == [("a",)]
    line = b'\xef\xbb\xbf{"agent":"a","task":"t","passed":true}\n'
    assert read_table(line, "t.jsonl").rows("agent") == [("a",)]


def test_line_ends_of_windows(read_table: ReadText) -> None:
    """Lines may end as on Windows."""
    assert read_table(HEAD.replace("\n", "\r\n") + "a,t,1,1\r\n").rows("verdict") == [("pass",)]


def test_tab_separated(read_table: ReadText) -> None:
    """A .tsv file is split at tabs only."""
    assert read_table("agent\ttask\tpassed\na\tt,1\t1\n", "t.tsv").rows("task") == [("t,1",)]


@pytest.mark.parametrize("end", ["", "\n"])
def test_cut_last_line_is_dropped_and_said(read_table: ReadText, end: str) -> None:
    """A last line with too few cells is left out, with or without a line end, and the log names it."""
    table = read_table(HEAD + "a,t,1,1\nb,t" + end)
    assert table.frame.height == 1
    assert table.notes("dropped") == {"cut last line": 1}
    assert table.places("cut last line") == ("t.csv:3",)


def test_quote_left_open_in_the_last_line_is_a_cut(read_table: ReadText) -> None:
    """A file cut within a quoted cell loses that line only."""
    table = read_table(HEAD + 'a,t,1,1\nb,"t')
    assert (table.frame.height, table.notes("dropped")) == (1, {"cut last line": 1})


def test_quote_left_open_earlier_is_refused(read_table: ReadText) -> None:
    """A quote that is never closed would swallow all lines after it, so it is refused with its line."""
    with pytest.raises(FormatError, match=r"t\.csv:2: a quote opened in this line is never closed"):
        read_table(HEAD + 'a,"t,1,1\nb,t,1,1\nc,t,1,1\n')


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        ("a,t\nb,t,1,1\n", r"t\.csv:2: the line has 2 cells, the header 4"),
        ("a,t,1,1,9\nb,t,1,1\n", r"t\.csv:2: the line has 5 cells, the header 4"),
        ("b,t,1,1\na,t,1,1,9\n", r"t\.csv:3: the line has 5 cells, the header 4"),
        ('a,"t"x,1,1\n', r"t\.csv:2: not a readable table"),
    ],
)
def test_ragged_lines_are_refused(read_table: ReadText, lines: str, where: str) -> None:
    """A line of another length that is no cut last line is refused with its number."""
    with pytest.raises(FormatError, match=where):
        read_table(HEAD + lines)


def test_blank_lines_are_said(read_table: ReadText) -> None:
    """Blank lines are no rows, and the log counts them."""
    table = read_table(HEAD + "a,t,1,1\n\nb,t,1,0\n")
    assert (table.frame.height, table.notes("dropped")) == (2, {"blank line": 1})


@pytest.mark.parametrize(
    ("line", "where"),
    [
        (b"b,\xff,1,1\n", r"t\.csv:3: not UTF-8: byte 0xff at byte 3 of the line"),
        (b"b,\xe2\x82", r"t\.csv:3: not UTF-8: the file ends within a character"),
    ],
)
def test_other_encodings_are_refused_with_their_line(read_table: ReadText, line: bytes, where: str) -> None:
    """Bytes that are not UTF-8 are refused, and the line is named."""
    with pytest.raises(FormatError, match=where):
        read_table(HEAD.encode() + b"a,t,1,1\n" + line)


@pytest.mark.parametrize("content", ["", "\n\n", " , \n"])
def test_empty_file_is_refused(read_table: ReadText, content: str) -> None:
    """A file without column names is no table."""
    with pytest.raises(FormatError, match="the file is empty"):
        read_table(content)


def test_header_alone_is_an_empty_table(read_table: ReadText) -> None:
    """A table without rows yields no trials."""
    assert read_table(HEAD).frame.is_empty()


def test_repeated_column_is_refused(read_table: ReadText) -> None:
    """Two columns of one name are refused."""
    with pytest.raises(FormatError, match=r"t\.csv:1: repeated column names: task"):
        read_table("agent,task,task,passed\na,b,c,1\n")


def test_unknown_ending_is_refused(read_table: ReadText) -> None:
    """A file whose ending is that of no table is refused."""
    with pytest.raises(FormatError, match="a table ends in one of"):
        read_table("x", "t.xlsx")


def test_json_lines(read_table: ReadText) -> None:
    """JSON Lines keep text, numbers and truth; nested values are no trouble; null is unknown."""
    lines = '{"agent":"a","task":"007","passed":true,"cost":0.5,"extra":{"x":[1]}}\n{"agent":"a","task":7,"passed":null}\n'
    table = read_table(lines, "t.jsonl")
    assert table.rows("task", "verdict", "cost_usd") == [("007", "pass", 0.5), ("7", None, None)]
    assert table.log.ignored == ("extra",)


def test_nested_values_stay_json_text(read_table: ReadText) -> None:
    """A nested value that is mapped to a text field is kept as JSON."""
    table = read_table('{"agent":{"m":1},"task":"t","passed":1}\n', "t.jsonl")
    assert table.rows("agent") == [('{"m":1}',)]


def test_cut_last_json_line_is_dropped(read_table: ReadText) -> None:
    """A last JSON line without its end is left out and said."""
    table = read_table('{"agent":"a","task":"t","passed":true}\n{"agent":"b","ta', "t.jsonl")
    assert (table.frame.height, table.notes("dropped")) == (1, {"cut last line": 1})


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b'{"agent":"a"\n{"agent":"a","task":"t","passed":true}\n', r"t\.jsonl:1: not a JSON object"),
        (b'{"agent":"a","task":"t","passed":true}\n{"agent"\n', r"t\.jsonl:2: not a JSON object"),
        (b"[1]\n", r"t\.jsonl:1: a line of JSON Lines must be an object"),
        (b'{"agent":"\xff"}\n', r"t\.jsonl:1: not UTF-8"),
    ],
)
def test_broken_json_lines_are_refused(read_table: ReadText, content: bytes, where: str) -> None:
    """A broken JSON line that was not merely cut is refused with its number."""
    with pytest.raises(FormatError, match=where):
        read_table(content, "t.jsonl")


def test_parquet(tmp_path: Path, read_table_file: Read) -> None:
    """Parquet is read with its types, ids become text, and rows are numbered."""
    path = tmp_path / "t.parquet"
    pl.DataFrame({"agent": ["a"], "task": [7], "passed": [True], "cost": [0.25]}).write_parquet(path)
    assert read_table_file(path).rows("task", "verdict", "cost_usd", "source_ref") == [
        ("7", "pass", 0.25, "t.parquet:row 1")
    ]


@pytest.mark.parametrize("keep", [0, 4, 12, -20])
def test_cut_parquet_is_refused(tmp_path: Path, read_table: ReadText, keep: int) -> None:
    """Parquet that was cut is refused, however much of it is left."""
    path = tmp_path / "whole.parquet"
    pl.DataFrame({"agent": ["a"], "task": ["t"], "passed": [True]}).write_parquet(path)
    with pytest.raises(FormatError, match="not a readable Parquet file"):
        read_table(path.read_bytes()[:keep], "cut.parquet")


def test_foreign_parquet_is_refused(read_table: ReadText) -> None:
    """Text under the name of a Parquet file is refused."""
    with pytest.raises(FormatError, match="not a readable Parquet file"):
        read_table(HEAD, "t.parquet")


ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(lambda text: text.strip())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(names=st.lists(st.tuples(ids, ids), min_size=1, max_size=5, unique=True))
def test_any_id_survives_csv(names: list[tuple[str, str]], tmp_path: Path, read_table_file: Read) -> None:
    """Any ids, with quotes, commas and line ends in them, come out of a CSV file as they went in."""
    path = tmp_path / "any.csv"
    frame = pl.DataFrame(names, schema=["agent", "task"], orient="row").with_columns(passed=1)
    frame.write_csv(path, quote_style="always")
    assert read_table_file(path).rows("agent", "task") == names
