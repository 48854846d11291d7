"""``measurand intervals`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def test_the_answer_comes_first(measurand: Run, results: Path) -> None:
    """The first mean with its interval, why it is that one, then all methods side by side."""
    found = measurand("intervals", results)
    assert found.code == 0
    first = found.out.split("\n\n")[1].replace("\n", " ")
    assert "ada's mean gate rate is 100.0%, 95% interval [75.8, 100.0]." in first
    assert "The standings show Wilson's interval" in first
    assert "Percentile" in found.out


def test_json_is_one_envelope(measurand: Run, results: Path) -> None:
    """Every method with its level, n, seed, reason and caution."""
    envelope = json.loads(measurand("intervals", results, "--json", "--seed", "3", "--level", "0.1").out)
    assert envelope["kind"] == "intervals"
    data = envelope["data"]
    assert (data["level"], data["seed"], data["n_units"], data["unit"]) == (0.9, 3, 12, "task")
    methods = {one["name"]: one for one in data["agents"][1]["methods"]}
    assert list(methods) == ["wilson", "percentile", "bca", "t"]
    assert methods["wilson"]["standing"]
    assert "seed 3" in methods["bca"]["interval"]["method"]
    assert methods["t"]["caution"] == "the t-interval claims its level from 30 tasks on; there are 12"
    assert data["differences"] == []


def test_differences_from_an_agent(measurand: Run, results: Path) -> None:
    """Named, or found by a pattern; a name that fits nothing or several is a wrong call."""
    found = measurand("intervals", results, "--against", "bob")
    assert "Difference from bob" in found.out
    assert "+50.0 points" in found.out
    unknown = measurand("intervals", results, "--against", "bop")
    assert (unknown.code, unknown.out) == (2, "")
    assert "did you mean 'bob'?" in unknown.err
    assert "fits 3 agents" in measurand("intervals", results, "--against", "*").err


def test_markdown_and_a_page(measurand: Run, results: Path, tmp_path: Path) -> None:
    found = measurand("intervals", results, "--markdown", "--html", "p.html")
    assert "| **bob** | 50.0%" in found.out
    assert (tmp_path / "p.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert measurand("intervals", results, "--markdown", "--json").code == 2
