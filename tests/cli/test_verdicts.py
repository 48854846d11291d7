"""``measurand verdicts`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Ada passes ten of twelve tasks and keeps four; bob passes eight and keeps all."""
    path = tmp_path / "judged.csv"
    rows = [
        f"{agent},t{task:02},{int(task < first)},{int(task < second) if task < first else ''},{int(task >= second)}"
        for agent, first, second in (("ada", 10, 4), ("bob", 8, 8))
        for task in range(12)
    ]
    path.write_text("\n".join(["agent,task,passed,verdict:strict,hacked", *rows]) + "\n", encoding="utf-8")
    return path


def test_the_answer_comes_first(measurand: Run, judged: Path) -> None:
    """What is rejected and what becomes of the order, then agents, errors and method."""
    found = measurand("verdicts", judged)
    assert found.code == 0
    answer = " ".join(found.out.split("\n\n")[1].split())
    assert (
        "The second verdict (strict) rejects a median 30.0% of an agent's passes (0.0% to 60.0% over 2 agents)"
        in answer
    )
    assert "of 1 pair of neighbours 1 changes places" in answer
    assert "wrong accepts only" in answer
    assert "Rates before and after" in found.out


def test_json_is_one_envelope(measurand: Run, judged: Path) -> None:
    """The record is whole, with the command that reproduces it."""
    envelope = json.loads(measurand("verdicts", judged, "--json", "--seed", "3").out)
    assert envelope["kind"] == "verdicts"
    assert envelope["data"]["order"]["band"]["seed"] == 3
    assert envelope["data"]["command"].endswith("--json --seed 3")


def test_markdown_and_a_page(measurand: Run, judged: Path, tmp_path: Path) -> None:
    """The page is told on standard error and holds the figure; two printed forms exclude each other."""
    found = measurand("verdicts", judged, "--markdown", "--html", "v.html")
    assert any(line.startswith("|") and "bob" in line for line in found.out.splitlines())
    assert "HTML: v.html" in found.err
    assert "<svg" in (tmp_path / "v.html").read_text(encoding="utf-8")
    assert measurand("verdicts", judged, "--markdown", "--json").code == 2


def test_flags_of_what_is_wrong_are_verdicts_turned_round(measurand: Run, judged: Path) -> None:
    """A column of flags becomes a verdict by "not"."""
    arguments = ("verdicts", judged, "--map", "verdict:clean=not hacked", "--second", "clean", "--json")
    data = json.loads(measurand(*arguments).out)["data"]
    assert [row["rejected"] for row in data["agents"]] == [6, 0]
    assert data["others"] == ["strict"]


def test_a_table_of_second_verdicts(measurand: Run, results: Path, tmp_path: Path) -> None:
    """Verdicts of another file join those of RESULTS; rows that fit no trial are told."""
    second = tmp_path / "second.csv"
    lines = [f"{agent},t{task:02},{int(task > 2)}" for agent in ("ada", "bob") for task in range(12)]
    second.write_text("\n".join(["agent,task,passed", *lines, "zoe,t00,1"]) + "\n", encoding="utf-8")
    data = json.loads(measurand("verdicts", results, "--second-verdicts", second, "--json").out)["data"]
    assert data["second_name"] == "second"
    assert [(row["agent"], row["rejected"]) for row in data["agents"]] == [("ada", 3), ("bob", 3), ("cyd", 0)]
    assert any("trial that is not here" in finding["text"] for finding in data["findings"])


def test_counts_take_the_place_of_results(measurand: Run, tmp_path: Path) -> None:
    """Counts alone give shares and reversals, and say what they cannot give."""
    counts = tmp_path / "counts.csv"
    counts.write_text("model,before,after\nx,90,60\ny,80,75\nz,40,39\n", encoding="utf-8")
    arguments = ("--counts", counts, "--map", "first=before", "--map", "second=after")
    found = measurand("verdicts", *arguments, "--tasks-total", 100, "--suite", "bench", "--second", "hard")
    assert found.code == 0
    text = " ".join(found.out.split())
    assert "Second verdict: bench" in text
    assert "(hard) rejects a median 6.2%" in text
    assert "tiers need outcomes per task" in text
    shares = measurand("verdicts", *arguments)
    assert "First" not in shares.out.split("Rates before and after")[1].split("\n")[1]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "--counts FILE"),
        (["results.csv"], "no trial has a second verdict"),
        (["results.csv", "--tasks-total", "3"], "only --counts has a use for --tasks-total"),
        (["results.csv", "--counts", "results.csv"], "takes the place of RESULTS"),
        (["--counts", "results.csv", "--top", "3"], "--counts has no use for --top"),
        (["--counts", "results.csv", "--failed-too"], "--counts has no use for --failed-too"),
        (["results.csv", "--second", "strict"], "there is no verdict 'strict'"),
    ],
)
def test_wrong_calls_say_what_to_do(measurand: Run, results: Path, arguments: list[str], part: str) -> None:
    """Each wrong call ends with 2 and a word on why."""
    assert results.name == "results.csv"
    found = measurand("verdicts", *arguments)
    assert found.code == 2
    assert part in found.err


def test_a_table_without_counts_is_unusable(measurand: Run, results: Path) -> None:
    """Data that cannot be read end with 3."""
    found = measurand("verdicts", "--counts", results)
    assert found.code == 3
    assert "--map first=COLUMN" in found.err
