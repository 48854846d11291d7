"""``measurand saturation``: options, forms and refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from measurand.analyze.headroom.windows import WIDTH
from measurand.analyze.settings import Settings
from measurand.cli.saturation import saturation as command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    Run = Callable[..., Any]


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    path = tmp_path / "agents.csv"
    path.write_text("agent,released\nada,2026-03-01\nbob,2026-02-01\ncyd,2026-01-01\n", encoding="utf-8")
    return path


def test_the_answer_is_printed_first(measurand: Run, results: Path) -> None:
    """Text for people; without dates the reason there is nothing over time."""
    found = measurand("saturation", results)
    assert found.code == 0
    assert "Is the head within noise?" in found.out
    assert "Saturation over time is not available" in found.out


def test_windows_come_from_a_table_of_agents(measurand: Run, results: Path, agents: Path) -> None:
    """Two windows of two, in the order of release."""
    found = measurand("saturation", results, "--agents-table", agents, "--window", "2", "--json")
    envelope = json.loads(found.out)
    assert envelope["kind"] == "saturation"
    windows = envelope["data"]["windows"]["windows"]
    assert [window["last_release"] for window in windows] == ["2026-02-01", "2026-03-01"]
    assert [sorted(window["agents"]) for window in windows] == [["bob", "cyd"], ["ada", "bob"]]
    assert envelope["data"]["command"].startswith("measurand saturation")


def test_place_and_exponent_are_options(measurand: Run, results: Path) -> None:
    """They reach the index."""
    found = measurand("saturation", results, "--places", "2", "--alpha", "1", "--json")
    row = json.loads(found.out)["data"]["saturation"][0]
    assert (row["k"], row["alpha"], row["first"], row["kth"]) == (2, 1.0, "ada", "bob")


def test_markdown_and_a_page_are_forms_too(
    measurand: Run, results: Path, agents: Path, tmp_path: Path
) -> None:
    """As of every command that analyses results."""
    page = tmp_path / "page.html"
    found = measurand(
        "saturation", results, "--agents-table", agents, "--window", "2", "--markdown", "--html", page
    )
    assert found.out.startswith("# Saturation")
    assert "<svg" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("--window", "1"), "width of a window"),
        (("--alpha", "2"), "alpha is 2.0"),
        (("--places", "1"), "places is 1"),
        (("--agents-table", "absent.csv"), "does not exist"),
    ],
)
def test_wrong_calls_are_refused(measurand: Run, results: Path, wrong: tuple[str, str], words: str) -> None:
    """Exit code 2, one message, nothing on standard output."""
    found = measurand("saturation", results, *wrong)
    assert (found.code, found.out) == (2, "")
    assert words in found.err


def test_dates_of_others_are_refused(measurand: Run, results: Path, tmp_path: Path) -> None:
    """A table that names none of the agents is a wrong call; one that cannot be read is unusable data."""
    path = tmp_path / "agents.csv"
    path.write_text("agent,released\nzoe,2026-01-01\n", encoding="utf-8")
    assert measurand("saturation", results, "--agents-table", path).code == 2
    path.write_text("agent,released\nada,soon\n", encoding="utf-8")
    found = measurand("saturation", results, "--agents-table", path)
    assert found.code == 3
    assert "agents.csv:2" in found.err


def test_defaults_are_those_of_the_library() -> None:
    """A default is decided once; the command line repeats it for its help and must not drift."""
    defaults = {parameter.name: parameter.default for parameter in command.params}
    settings = Settings()
    assert (defaults["places"], defaults["alpha"], defaults["window"]) == (
        settings.places,
        settings.alpha,
        WIDTH,
    )
