"""``measurand pareto`` from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from measurand.analyze.meters import METERS
from measurand.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def costly(tmp_path: Path) -> Path:
    """Ada passes all of twelve tasks for four dollars each, bob eight for one, cyd four for two; dan is unmetered."""
    path = tmp_path / "costly.csv"
    lines = [
        f"{agent},t{task:02},{int(task < passed)},{'' if cost is None else cost + 0.01 * task},{steps}"
        for agent, passed, cost, steps in (
            ("ada", 12, 4.0, 9),
            ("bob", 8, 1.0, 3),
            ("cyd", 4, 2.0, 5),
            ("dan", 12, None, 1),
        )
        for task in range(12)
    ]
    path.write_text("\n".join(["agent,task,passed,cost_usd,steps", *lines]) + "\n", encoding="utf-8")
    return path


def test_the_answer_comes_first(measurand: Run, costly: Path) -> None:
    """Who is efficient; then prices, the error level, who has no place, λ and the method."""
    found = measurand("pareto", costly)
    assert found.code == 0
    first = found.out.split("\n\n")[1].replace("\n", " ")
    assert "Of 3 agents whose cost is known, 2 are efficient" in first
    text = " ".join(found.out.split())
    assert "By the means: ada at $0.09 and more; bob at up to $0.09." in text
    assert "at most a 5% chance of any false statement over 6 ordered pairs" in text
    assert "1 agent has no recorded cost and no place: unknown, not zero (dan)." in text
    assert "Leads at λ" in text
    assert "[0, 0.111]" in text


def test_json_is_one_envelope(measurand: Run, costly: Path) -> None:
    envelope = json.loads(measurand("pareto", costly, "--json", "--seed", "3", "--top", "2").out)
    assert envelope["kind"] == "pareto"
    data = envelope["data"]
    assert data["test"]["family"] == ["ada", "bob"]
    assert data["test"]["seed"] == 3
    assert data["agents"][1]["lead"] == {"low": pytest.approx(1 / 9), "high": None}
    assert data["command"].startswith("measurand pareto")


def test_another_meter_and_a_logarithm(measurand: Run, costly: Path) -> None:
    found = json.loads(measurand("pareto", costly, "--meter", "steps", "--log-cost", "--json").out)["data"]
    assert (found["meter"], found["log_cost"], len(found["agents"])) == ("steps", True, 4)
    text = measurand("pareto", costly, "--meter", "tokens").out
    assert "No trial records its tokens" in text
    assert "cost_usd, steps (--meter)" in " ".join(text.split())


def test_coverage_lets_agents_in(measurand: Run, tmp_path: Path, costly: Path) -> None:
    """An agent with one unknown cost of twelve is apart by default."""
    path = tmp_path / "gap.csv"
    path.write_text(
        costly.read_text(encoding="utf-8").replace("bob,t03,1,1.03,3", "bob,t03,1,,3"), encoding="utf-8"
    )
    apart = json.loads(measurand("pareto", path, "--json").out)["data"]
    assert [row["agent"] for row in apart["apart"]] == ["dan", "bob"]
    placed = json.loads(measurand("pareto", path, "--json", "--coverage", "0.9").out)["data"]
    assert (len(placed["agents"]), placed["n_used"]) == (3, 11)


def test_a_page_and_wrong_calls(measurand: Run, costly: Path, tmp_path: Path) -> None:
    assert "HTML: p.html" in measurand("pareto", costly, "--html", "p.html").err
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<svg" in page
    assert measurand("pareto", costly, "--meter", "euros").code == 2
    wrong = measurand("pareto", costly, "--coverage", "1.5")
    assert (wrong.code, "coverage is 1.5" in wrong.err) == (2, True)
    assert measurand("pareto", costly, "--top", "1").code == 2


def test_the_meters_offered_are_those_there_are() -> None:
    command = main.get_command(None, "pareto")  # type: ignore[arg-type]
    assert command is not None
    meter = next(option for option in command.params if option.name == "meter")
    assert list(meter.type.choices) == list(METERS)  # type: ignore[attr-defined]
