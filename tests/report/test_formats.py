"""Text, Markdown, CSV and JSON: valid, and unmoved by hostile names."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import measurand.report
from measurand._version import __version__
from measurand.report import (
    board_document,
    comparison_document,
    render_csv,
    render_markdown,
    render_pairs_csv,
    render_text,
    to_json,
    write_text_atomic,
)
from measurand.report.document import Cell, Column, Document, Row, Section, Table
from measurand.report.markdown import escape
from measurand.report.names import cell_width
from measurand.report.numbers import DASH

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from measurand.analyze.board import Board
    from measurand.analyze.comparison import Comparison

    Change = Callable[..., Any]

FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("width", [24, 40, 80, 120, 250])
def test_text_keeps_its_width(board: Board, hostile_board: Board, comparison: Comparison, width: int) -> None:
    for document in (board_document(board), board_document(hostile_board), comparison_document(comparison)):
        text = render_text(document, width=width)
        assert max(cell_width(line) for line in text.splitlines()) <= width
        assert not FORBIDDEN.search(text)


def test_text_at_eighty_columns_has_what_matters_and_names_the_rest(board: Board) -> None:
    lines = render_text(board_document(board)).splitlines()
    assert "Rank  Tier  Agent                         objective  Ranks            Gate rate" in lines
    assert f"   1     1  claude-sonnet-3.0  1.200 [1.150, 1.250]    1{DASH}3  94.8% [88.8, 100.0]" in lines
    assert "Left out for want of width: Letters, Passed/planned, Of evaluated, key, Cost, Tasks." in " ".join(
        lines
    )


def test_wide_text_leaves_nothing_out(board: Board) -> None:
    assert "Left out" not in render_text(board_document(board), width=250)


def test_narrow_text_turns_rows_into_blocks(board: Board) -> None:
    assert "Agent: claude-sonnet-3.0" in render_text(board_document(board), width=30).splitlines()


def test_an_empty_table_says_so() -> None:
    table = Table("t", "Nothing", (Column("a", "A"),), ())
    document = Document(title="x", sections=(Section(id="s", title="S", tables=(table,)),), generator="g")
    assert "(no rows)" in render_text(document)


def test_a_terminal_gets_colour_unless_it_is_off(board: Board) -> None:
    document = board_document(board)
    colour = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=80, _environ={})
    off = Console(file=io.StringIO(), force_terminal=True, width=80, _environ={"NO_COLOR": "1"})
    pipe = Console(file=io.StringIO(), width=80, _environ={})
    assert "\x1b[1;31mproblem: coverage" in render_text(document, console=colour)
    assert "\x1b[1;31m" not in render_text(document, console=off)
    assert render_text(document, console=pipe) == render_text(document, width=80)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", render_text(document, console=colour))
    assert plain == render_text(document, width=80)


def test_names_cannot_send_styles_to_a_terminal(hostile_board: Board, changed: Change) -> None:
    row = changed(hostile_board.standings[0], agent="[bold red]x[/] \x1b[31m")
    board = changed(hostile_board, standings=(row,))
    console = Console(file=io.StringIO(), force_terminal=True, width=120, _environ={})
    assert r"[bold red]x[/] \x1b[31m" in render_text(board_document(board), console=console)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("*a* _b_ `c`", r"\*a\* \_b\_ \`c\`"),
        ("<script>", r"\<script\>"),
        ("[x](y)", r"\[x\](y)"),
        ("# title", r"\# title"),
        ("- item", r"\- item"),
        ("--- ---", r"\--- ---"),
        ("1. item", r"1\. item"),
        ("1.200 [1, 2]", r"1.200 \[1, 2\]"),
        ("a\n\nb", "a b"),
        ("@someone #12", r"\@someone \#12"),
        ("https://example.com www.x.org", r"https\://example.com www\.x.org"),
        ("&lt;", r"\&lt;"),
        ("a\\", "a\\\\"),
    ],
)
def test_markdown_escapes(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_markdown_tables_have_the_same_number_of_cells_in_every_line(hostile_board: Board) -> None:
    text = render_markdown(board_document(hostile_board))
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(blocks) >= 4
    for lines in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
    assert "<script>" not in text.replace(r"\<script\>", "")


def test_markdown_cuts_long_details_and_says_so(board: Board, changed: Change) -> None:
    pairs = board.test.pairs * 2
    text = render_markdown(board_document(changed(board, tests=(changed(board.test, pairs=pairs),))))
    assert "The first 50 of 90 rows." in text


def test_markdown_fences_the_command(board: Board, changed: Change) -> None:
    text = render_markdown(board_document(changed(board, command="x ``` y")))
    assert "````\nx ``` y\n````" in text


def test_csv_has_one_row_an_agent_with_raw_values(board: Board) -> None:
    rows = list(csv.DictReader(io.StringIO(render_csv(board))))
    assert len(rows) == len(board.standings)
    first, third, last = rows[0], rows[2], rows[-1]
    assert first["agent"] == board.standings[0].agent
    assert float(first["score_objective"]) == board.standings[0].score("objective").mean.value
    assert float(first["score_objective_low"]) < float(first["score_objective"])
    assert (first["tested"], last["tested"], last["tier"]) == ("true", "false", "")
    assert (third["cost_usd_total"], third["cost_usd_known_trials"]) == ("", "0")
    assert rows[1]["cost_usd_is_lower_bound"] == "true"


def test_csv_survives_hostile_names(hostile_board: Board) -> None:
    rows = list(csv.DictReader(io.StringIO(render_csv(hostile_board), newline="")))
    names = [row["agent"] for row in rows]
    assert names[7] == hostile_board.standings[7].agent
    assert names[8] == "'=HYPERLINK(1)"


def test_pairs_csv_has_all_pairs_of_all_tests(board: Board) -> None:
    rows = list(csv.DictReader(io.StringIO(render_pairs_csv(board))))
    assert len(rows) == 90
    assert {row["score"] for row in rows} == {"objective", "key"}
    assert float(rows[0]["p_adjusted"]) == board.test.pairs[0].p_adjusted


def test_json_is_a_versioned_envelope(board: Board, hostile_board: Board) -> None:
    parsed = json.loads(to_json(board, "report"))
    assert {key: parsed[key] for key in ("measurand", "kind", "schema")} == {
        "measurand": __version__,
        "kind": "report",
        "schema": 1,
    }
    assert parsed["data"]["standings"][0]["agent"] == board.standings[0].agent
    names = [row["agent"] for row in json.loads(to_json(hostile_board, "report"))["data"]["standings"]]
    assert names == [row.agent for row in hostile_board.standings]


def test_json_has_no_number_that_json_does_not_know(board: Board, changed: Change) -> None:
    test = changed(board.test, spread=math.nan, largest_gap=math.inf)
    text = to_json(changed(board, tests=(test,)), "report")

    def refuse(name: str) -> None:
        pytest.fail(f"{name} in JSON")

    assert json.loads(text, parse_constant=refuse)["data"]["tests"][0]["spread"] is None


def test_numbers_that_are_not_finite_are_dashes_and_empty_fields(board: Board, changed: Change) -> None:
    row = board.standings[0]
    gap = changed(row, scores=(changed(row.scores[0], mean=changed(row.scores[0].mean, value=math.nan)),))
    bad = changed(board, standings=(gap, *board.standings[1:]), tests=(changed(board.test, spread=math.inf),))
    assert next(csv.DictReader(io.StringIO(render_csv(bad))))["score_objective"] == ""
    text = render_text(board_document(bad))
    assert not re.search(r"\b(nan|inf)\b", text)


def test_half_a_surrogate_pair_breaks_no_format(board: Board, changed: Change, tmp_path: Path) -> None:
    odd = changed(board, standings=(changed(board.standings[0], agent="a\udcffb"), *board.standings[1:]))
    assert json.loads(to_json(odd, "report"))["data"]["standings"][0]["agent"] == r"a\udcffb"
    write_text_atomic(tmp_path / "a.csv", render_csv(odd))
    assert r"a\udcffb" in (tmp_path / "a.csv").read_text(encoding="utf-8")
    render_text(board_document(odd)).encode("utf-8")
    render_markdown(board_document(odd)).encode("utf-8")


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    write_text_atomic(target, "one")
    write_text_atomic(target, "two\n")
    assert target.read_bytes() == b"two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["report.txt"]


def test_a_file_in_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_text_atomic(tmp_path / "absent" / "report.txt", "x")


def test_a_cell_reads_in_one_line() -> None:
    assert Row((Cell("1", 1, minor="[0, 2]"),)).cells[0].full == "1 [0, 2]"


def test_the_public_names_exist() -> None:
    assert sorted(measurand.report.__all__) == measurand.report.__all__
    assert all(hasattr(measurand.report, name) for name in measurand.report.__all__)


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, measurand.report; print(sorted({'jinja2', 'vl_convert', 'rich', 'polars'} & set(sys.modules)))"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
