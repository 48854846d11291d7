"""``measurand bars``: options, files and refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from measurand.analyze.headroom.bars import BarOptions
from measurand.cli.bars import bars as command
from measurand.infer.headroom.percentiles import FORMS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    import click

    Run = Callable[..., Any]


@pytest.fixture
def quantities(tmp_path: Path) -> Path:
    """Four agents on ten tasks; each has half as much again as the one before it, and a release of its own."""
    path = tmp_path / "quantities.csv"
    rows = [
        f"{agent},t{task:02},{1.5**place * (1 + task / 10):.4f},1,2,higher,2026-0{place + 1}-01"
        for place, agent in enumerate(("ada", "bob", "cyd", "dee"))
        for task in range(10)
    ]
    header = "agent,task,value,baseline,reference,better,released"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_bars_are_shown_for_each_cohort(measurand: Run, quantities: Path) -> None:
    """With a cut: early and late, tuned on the one and tried on the other."""
    found = measurand("bars", quantities, "--cut", "2026-03-01")
    assert found.code == 0
    assert "What a harder bar would have done" in found.out
    data = json.loads(measurand("bars", quantities, "--cut", "2026-03-01", "--json").out)["data"]
    assert [cohort["agents"] for cohort in data["cohorts"]] == [["ada", "bob"], ["cyd", "dee"]]
    assert data["tuned"]["bar"] is not None


def test_bars_and_fields_come_from_files(measurand: Run, quantities: Path, tmp_path: Path) -> None:
    """Bars in the unit of the task; a field for percentiles, in the form asked for."""
    bars, field = tmp_path / "bars.csv", tmp_path / "field.csv"
    bars.write_text("task,bar,value\n" + "".join(f"t{n:02},winner,99\n" for n in range(10)), encoding="utf-8")
    field.write_text("task,value\n" + "".join(f"t{n:02},1.2\n" for n in range(10)), encoding="utf-8")
    found = measurand(
        "bars", quantities, "--bars", bars, "--field", field, "--percentiles", "plain", "--json"
    )
    rows = {row["name"]: row for row in json.loads(found.out)["data"]["rows"]}
    assert rows["winner"]["cohorts"][0]["zero_share"] == 1.0
    assert "percentiles (plain)" in rows


def test_cohorts_come_from_a_table_of_agents(measurand: Run, quantities: Path, tmp_path: Path) -> None:
    """The column cohort splits without a cut."""
    path = tmp_path / "agents.csv"
    path.write_text("agent,cohort\nada,early\ndee,late\n", encoding="utf-8")
    data = json.loads(measurand("bars", quantities, "--agents-table", path, "--json").out)["data"]
    assert [cohort["agents"] for cohort in data["cohorts"]] == [["ada"], ["dee"]]
    assert data["left_out"] == ["bob", "cyd"]
    assert measurand("bars", quantities, "--agents-table", path, "--cut", "2026-01-01").code == 2


def test_windows_on_request(measurand: Run, quantities: Path) -> None:
    """A table more."""
    assert "Bars over time" in measurand("bars", quantities, "--window", "2").out
    assert "Bars over time" not in measurand("bars", quantities).out


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("--cut", "soon"), "which is no date"),
        (("--score", "gate"), "leave --score out"),
        (("--percentiles", "best"), "'best' is not one of"),
        (("--window", "1"), "at least 2"),
        (("--field", "absent.csv"), "does not exist"),
    ],
)
def test_wrong_calls_are_refused(
    measurand: Run, quantities: Path, wrong: tuple[str, str], words: str
) -> None:
    """Exit code 2, one message, nothing on standard output."""
    found = measurand("bars", quantities, *wrong)
    assert (found.code, found.out) == (2, "")
    assert words in found.err


def test_pass_and_fail_alone_have_no_harder_bar(measurand: Run, results: Path) -> None:
    """Without quantities there is nothing to hold against a bar."""
    found = measurand("bars", results)
    assert found.code == 2
    assert "no trial has a quantity" in found.err


def test_forms_and_defaults_are_those_of_the_library() -> None:
    """The command line repeats them for its help and must not drift."""
    parameter: click.Parameter = next(p for p in command.params if p.name == "form")
    assert list(getattr(parameter.type, "choices", ())) == list(FORMS)
    assert parameter.default == BarOptions().form
