"""``measurand plan`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

import click
import pytest

from measurand.cli.plan import plan as command
from measurand.infer.design.sequential import Spending

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    """Three agents, twelve tasks, three trials of each, ten cents a trial."""
    path = tmp_path / "pilot.csv"
    rows = [
        f"{agent},t{task:02},{trial},{int((task * 7 + trial * 5 + offset) % 12 < passed)},0.10"
        for agent, passed, offset in (("ada", 9, 0), ("bob", 6, 3), ("cyd", 3, 1))
        for task in range(12)
        for trial in range(3)
    ]
    path.write_text("\n".join(["agent,task,trial,passed,cost_usd", *rows]) + "\n", encoding="utf-8")
    return path


def test_the_answer_comes_first(measurand: Run, pilot: Path) -> None:
    """Tasks, trials and dollars that separate the first two, then designs and what they rest on."""
    found = measurand("plan", pilot)
    assert found.code == 0
    first = found.out.split("\n\n")[1].replace("\n", " ")
    assert "To show a difference of 25.0 points between ada and bob with 80% power" in first
    assert "$" in first
    assert "Where the spread comes from" in found.out


def test_json_is_one_envelope(measurand: Run, pilot: Path) -> None:
    """Programs get every number, and the command."""
    envelope = json.loads(measurand("plan", pilot, "--json", "--difference", "0.2", "--power", "0.9").out)
    assert envelope["kind"] == "plan"
    data = envelope["data"]
    assert (data["size"], data["power"], data["m"]) == (0.2, 0.9, 3)
    assert data["command"].endswith("--power 0.9")


def test_all_options_reach_the_plan(measurand: Run, pilot: Path) -> None:
    """Each option of the command changes what it says."""
    asked = (
        "plan", pilot, "--json", "--separate", "cyd", "a*", "--difference", "0.3", "--agents-planned", "5",
        "--trials", "2,4", "--max-tasks", "40", "--budget", "50", "--price", "0.5", "--price", "cyd=2",
        "--price-task", "1.5", "--looks", "2", "--spending", "pocock",
    )  # fmt: skip
    data = json.loads(measurand(*asked).out)["data"]
    assert (data["agents"], data["m"], data["on_suite"]["tasks"]) == (["cyd", "ada"], 5, 40)
    assert [design["trials"] for design in data["designs"]] == [2, 4]
    assert [price["usd"] for price in data["prices"]] == [2.0, 0.5]
    assert (data["budget"], data["price_task"], data["looks"]["spending"]) == (50.0, 1.5, "pocock")
    assert len(data["looks"]["looks"]) == 2
    half = json.loads(measurand("plan", pilot, "--json", "--half-width", "0.05", "--agent", "bob").out)[
        "data"
    ]
    assert (half["question"], half["agents"]) == ("half_width", ["bob"])


def test_markdown_and_a_page(measurand: Run, pilot: Path, tmp_path: Path) -> None:
    """The page is told on standard error, and has the figure."""
    found = measurand("plan", pilot, "--markdown", "--html", "p.html")
    assert "| ada" in found.out
    assert "HTML: p.html" in found.err
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "trials of each agent on each task" in page


@pytest.mark.parametrize(
    "arguments",
    [
        ("--difference", "3"),
        ("--trials", "1,x"),
        ("--trials", "0"),
        ("--price", "x"),
        ("--price", "nobody=1"),
        ("--separate", "ada", "ada"),
        ("--half-width", "0.1", "--looks", "3"),
        ("--agent", "ada"),
        ("--looks", "0"),
        ("--power", "1"),
    ],
)
def test_wrong_calls_are_refused(measurand: Run, pilot: Path, arguments: tuple[str, ...]) -> None:
    """Exit code 2 and a message; nothing is printed."""
    found = measurand("plan", pilot, *arguments)
    assert (found.code, found.out) == (2, "")
    assert "error: " in found.err


def test_too_little_data_gets_a_sentence(measurand: Run, pilot: Path) -> None:
    """One agent is no error, and no plan."""
    found = measurand("plan", pilot, "--agents", "ada")
    assert found.code == 0
    assert "There is no plan: needs at least 2 agents" in found.out


def test_spendings_are_those_of_the_library() -> None:
    """The command offers what the library has, without loading it for its help."""
    (option,) = [parameter for parameter in command.params if parameter.name == "spending"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == get_args(Spending)
