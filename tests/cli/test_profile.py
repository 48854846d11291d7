"""``measurand profile`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def test_the_answer_comes_first(measurand: Run, results: Path) -> None:
    """Whose lead rests on how many tasks, then means, pairs and method."""
    found = measurand("profile", results)
    assert found.code == 0
    first = found.out.split("\n\n")[1]
    assert "ada's lead over bob is gone when 6 tasks" in first.replace("\n", " ")
    assert "Friedman" in found.out


def test_json_is_one_envelope(measurand: Run, results: Path) -> None:
    envelope = json.loads(measurand("profile", results, "--json", "--seed", "3").out)
    assert envelope["kind"] == "profile"
    assert envelope["data"]["family"] == ["ada", "bob", "cyd"]
    assert (
        "seed 3" in envelope["data"]["chances"][0]["chance"]["method"]
        or envelope["data"]["chances"][0]["chance"]["reason"]
    )


def test_markdown_and_a_page(measurand: Run, results: Path, tmp_path: Path) -> None:
    """The page is told on standard error; two printed forms exclude each other."""
    found = measurand("profile", results, "--markdown", "--html", "p.html")
    assert "| bob" in found.out
    assert "HTML: p.html" in found.err
    assert (tmp_path / "p.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert measurand("profile", results, "--markdown", "--json").code == 2


def test_one_agent_gets_a_sentence(measurand: Run, results: Path) -> None:
    found = measurand("profile", results, "--agents", "ada")
    assert found.code == 0
    assert "one agent only" in found.out
