"""``measurand reliability`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def repeated(tmp_path: Path) -> Path:
    """Two agents on six tasks, four trials each, with stated confidences."""
    path = tmp_path / "repeated.csv"
    rows = [
        f"{agent},t{task},{trial},{passed},{0.8 if passed else 0.3}"
        for agent, threshold in (("ada", 3), ("bob", 1))
        for task in range(6)
        for trial in range(4)
        for passed in [int((task + trial) % 4 < threshold)]
    ]
    path.write_text("\n".join(["agent,task,trial,passed,confidence", *rows]) + "\n", encoding="utf-8")
    return path


def test_the_answer_comes_first(measurand: Run, repeated: Path) -> None:
    """How often the first agent disagrees with itself, then the forms of D3."""
    found = measurand("reliability", repeated)
    assert found.code == 0
    first = found.out.split("\n\n")[1].replace("\n", " ")
    assert "On 6 of 6 tasks ada, first by gate rate," in first
    assert "Reproducibility (D3)" in found.out
    assert "pass^4" in found.out


def test_json_is_one_envelope(measurand: Run, repeated: Path) -> None:
    """With every cell, the seed and the flag."""
    envelope = json.loads(
        measurand("reliability", repeated, "--json", "--seed", "3", "--abstain-below", "0.5").out
    )
    assert envelope["kind"] == "reliability"
    data = envelope["data"]
    assert (data["seed"], data["size"], data["abstain_below"]) == (3, 4, 0.5)
    assert len(data["cells"]) == 12
    assert data["agents"][0]["flags"] == ["k_below_10"]
    assert data["agents"][0]["calibration"]["fail_given_abstain"]["value"] == 1.0


def test_agents_are_chosen(measurand: Run, repeated: Path) -> None:
    found = measurand("reliability", repeated, "--agents", "bob")
    assert "ada" not in found.out
    assert "Trials disagree most on" in found.out


def test_one_trial_a_task_is_told_with_what_is_needed(measurand: Run, results: Path) -> None:
    found = measurand("reliability", results)
    assert found.code == 0
    assert "that needs at least 2 trials" in found.out.replace("\n", " ")


def test_markdown_and_a_page(measurand: Run, repeated: Path, tmp_path: Path) -> None:
    """The page is told on standard error and has the figure; two printed forms exclude each other."""
    found = measurand("reliability", repeated, "--markdown", "--html", "p.html")
    assert "| bob" in found.out
    assert "HTML: p.html" in found.err
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<svg" in page
    assert measurand("reliability", repeated, "--markdown", "--json").code == 2


@pytest.mark.parametrize("wrong", ["2", "0", "-0.1", "x", "nan"])
def test_wrong_bounds_are_wrong_calls(measurand: Run, repeated: Path, wrong: str) -> None:
    found = measurand("reliability", repeated, "--abstain-below", wrong)
    assert (found.code, found.out) == (2, "")
    assert "error: " in found.err
