"""``measurand scorings`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """Three agents on twelve tasks: ada at the reference, bob far above it on half of the tasks, cyd below it."""
    path = tmp_path / "graded.csv"
    speeds = {
        "ada": [2.0] * 12,
        "bob": [1.1, 64.0] * 6,
        "cyd": [1.2 + n / 100 for n in range(12)],
    }
    rows = [
        f"{agent},t{n:02},1,{speed},2,1" for agent, values in speeds.items() for n, speed in enumerate(values)
    ]
    head = "agent,task,passed,value,reference,baseline"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def test_the_answer_comes_first(measurand: Run, graded: Path) -> None:
    """How many tiers under which scoring, then how the order moves and where the bounds bind."""
    found = measurand("scorings", graded)
    assert found.code == 0
    answer = " ".join(found.out.split("\n\n")[1].split())
    assert "The first 3 agents form" in answer
    assert "beat the reference; the cap at it binds in 50.0% of the valid ones" in answer
    assert "To reproduce: measurand scorings" in found.out


def test_verdicts_alone_are_no_error(measurand: Run, results: Path) -> None:
    """On passed and failed alone the gate rate stands, and each other scoring says what it wants."""
    found = measurand("scorings", results)
    assert found.code == 0
    text = " ".join(found.out.split())
    assert "under the gate rate, the only scoring that the data allow." in text
    assert "are not available: the data say passed or failed only" in text
    assert "objective (not available)" in text


def test_a_standard_that_cannot_be_had_is_a_wrong_call(measurand: Run, results: Path) -> None:
    """The message says why, and which scores there are."""
    found = measurand("scorings", results, "--score", "objective")
    assert found.code == 2
    assert "'objective' is not available" in found.err
    assert "available here: gate" in found.err


def test_json_is_one_envelope(measurand: Run, graded: Path) -> None:
    """Every scoring, pair and count is there for programs; the standard is the one asked for."""
    envelope = json.loads(measurand("scorings", graded, "--json", "--score", "key").out)
    assert envelope["kind"] == "scorings"
    data = envelope["data"]
    assert data["standard"] == "key"
    assert [row["score"] for row in data["rows"]][-1] == "official"
    assert {pair["a"] for pair in data["orders"]} >= {"key"}
    assert data["binding"]["at_cap"] == 18


def test_official_score_of_a_table(measurand: Run, graded: Path) -> None:
    """A column official_score, or one mapped to it, is one more scoring."""
    found = measurand("scorings", graded, "--map", "official_score=value", "--map", "quantity=", "--json")
    assert found.code == 0
    rows = {row["score"]: row for row in json.loads(found.out)["data"]["rows"]}
    assert rows["official"]["reason"] is None
    assert rows["official"]["first"] == "bob"
    assert rows["objective"]["reason"] is not None


def test_markdown_and_a_page(measurand: Run, graded: Path, tmp_path: Path) -> None:
    """The page is told on standard error; two printed forms exclude each other."""
    found = measurand("scorings", graded, "--markdown", "--html", "s.html")
    assert "| objective" in found.out.replace("**", "")
    assert "HTML: s.html" in found.err
    assert (tmp_path / "s.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert measurand("scorings", graded, "--markdown", "--json").code == 2
