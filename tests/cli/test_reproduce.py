"""``measurand reproduce`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A report of SWE-bench's harness: two of four resolved, one with an error."""
    path = tmp_path / "kite.json"
    ids = [f"a__b-{number}" for number in range(4)]
    report = {
        "total_instances": 4,
        "submitted_instances": 4,
        "completed_instances": 3,
        "resolved_instances": 2,
        "unresolved_instances": 1,
        "empty_patch_instances": 0,
        "error_instances": 1,
        "submitted_ids": ids,
        "completed_ids": ids[:3],
        "incomplete_ids": [],
        "resolved_ids": ids[:2],
        "unresolved_ids": ids[2:3],
        "empty_patch_ids": [],
        "error_ids": ids[3:],
        "schema_version": 2,
    }
    path.write_text(json.dumps(report), encoding="utf-8")
    return path


def test_the_answer_comes_first(measurand: Run, board: Path) -> None:
    """How many stated numbers agree, then each of them."""
    found = measurand("reproduce", "swebench", board)
    assert found.code == 0, found.err
    assert "1 of 1 stated number that the trials define agrees with them" in found.out.replace("\n", " ")
    assert "resolved" in found.out
    assert "50%" in found.out
    assert "an absent one counts as not" in found.out


def test_json_is_one_envelope(measurand: Run, board: Path) -> None:
    envelope = json.loads(measurand("reproduce", "swebench", board, "--json").out)
    assert envelope["kind"] == "reproduction"
    (row,) = envelope["data"]["rows"]
    assert (row["stated"], row["ours"], row["difference"], row["agreement"]) == (50.0, 50.0, 0.0, "equal")
    assert envelope["data"]["command"].startswith("measurand reproduce swebench ")


def test_markdown_and_a_page(measurand: Run, board: Path, tmp_path: Path) -> None:
    found = measurand("reproduce", "swebench", board, "--markdown", "--html", "p.html")
    assert "| resolved | 50% | 50% | 0 |" in found.out
    assert (tmp_path / "p.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_files_that_state_nothing_still_give_ours(measurand: Run, results: Path) -> None:
    """The rate of the gate, and a word that it is no benchmark's own definition."""
    found = measurand("reproduce", "table", results).out.replace("\n", " ")
    assert "The files state no headline number" in found
    assert "definition is not known here" in found


def test_wrong_calls(measurand: Run, results: Path) -> None:
    assert measurand("reproduce", "nonsense", results).code == 2
    assert measurand("reproduce", "table", "absent.csv").code == 2
    assert measurand("reproduce", "table", results, "--from", "swebench").code == 2
    assert measurand("reproduce", "table", results, "--from", "table").code == 0
