"""``measurand claims`` and ``measurand compare --margin`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def test_the_answer_comes_first(measurand: Run, results: Path) -> None:
    """Picked for being first ada needs more than named beforehand; its rivals follow."""
    found = measurand("claims", results)
    assert found.code == 0
    assert "That ada is the best is not shown" in found.out.split("\n\n")[1]
    assert "Against each rival" in found.out
    assert "ada is the best of 3 agents" in measurand("claims", results, "--best", "ada").out


def test_json_is_one_envelope(measurand: Run, results: Path) -> None:
    """All of it for programs, the question included."""
    found = measurand(
        "claims",
        results,
        "--best",
        "bob",
        "--not-worse-than",
        "a*",
        "--margin",
        "0.1",
        "--seed",
        "3",
        "--json",
    )
    envelope = json.loads(found.out)
    assert envelope["kind"] == "claims"
    data = envelope["data"]
    assert (data["best"]["agent"], data["best"]["named"], data["best"]["supported"]) == ("bob", True, False)
    assert (data["margin"]["than"], data["margin"]["not_worse"]) == ("ada", False)
    assert data["top"]["agent"] == "ada"
    assert data["command"].startswith("measurand claims")


def test_a_comparison_takes_a_margin(measurand: Run, results: Path) -> None:
    """The word is used where a margin was declared."""
    assert "ada is non-inferior to bob within a margin of 10.0 points" in measurand(
        "compare", "ada", "bob", results, "--margin", "0.1"
    ).out.replace("\n", " ").replace("  ", " ")
    assert "inferior" not in measurand("compare", "ada", "bob", results).out


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--margin", "0.1"), "--not-worse-than"),
        (("--not-worse-than", "bob"), "--margin"),
        (("--margin", "2", "--not-worse-than", "bob"), "2 points are 0.02"),
        (("--margin", "0", "--not-worse-than", "bob"), "above 0"),
        (("--best", "adda"), "did you mean 'ada'?"),
        (("--best", "*"), "name one"),
    ],
)
def test_wrong_calls_say_what_to_do(
    measurand: Run, results: Path, options: tuple[str, ...], hint: str
) -> None:
    """Each has the exit code of a wrong call."""
    found = measurand("claims", results, *options)
    assert found.code == 2
    assert hint in found.err
