"""Each command says what it should, on the right stream, with the right exit code."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from measurand.analyze.settings import Settings
from measurand.cli.main import COMMANDS
from measurand.cli.report import report as report_command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    Run = Callable[..., Any]


def test_report_prints_the_standings_and_writes_one_page(
    measurand: Run, results: Path, tmp_path: Path
) -> None:
    """The default is text on standard output and an HTML file whose path is told on standard error."""
    found = measurand("report", results)
    assert found.code == 0
    assert "ada" in found.out
    assert "HTML: measurand-report.html" in found.err
    assert (tmp_path / "measurand-report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_report_as_json_is_one_versioned_envelope_and_no_page(
    measurand: Run, results: Path, tmp_path: Path
) -> None:
    """Programs get JSON alone; the page is written only if it is asked for."""
    found = measurand("report", results, "--json")
    envelope = json.loads(found.out)
    assert envelope["kind"] == "report"
    assert envelope["schema"] == 1
    assert [row["agent"] for row in envelope["data"]["standings"]] == ["ada", "bob", "cyd"]
    assert not list(tmp_path.glob("*.html"))
    assert found.err == ""


def test_report_names_the_command_that_reproduces_it(measurand: Run, results: Path) -> None:
    """The command in the methods box is the one the user typed."""
    data = json.loads(measurand("report", results, "--json", "--seed", "7").out)["data"]
    assert data["command"].startswith("measurand report ")
    assert data["command"].endswith("--seed 7")
    assert data["tests"][0]["seed"] == 7


@pytest.mark.parametrize("flag", ["--markdown", "--csv"])
def test_report_speaks_markdown_and_csv(measurand: Run, results: Path, flag: str) -> None:
    """Both carry every agent."""
    found = measurand("report", results, flag)
    assert found.code == 0
    assert all(agent in found.out for agent in ("ada", "bob", "cyd"))
    if flag == "--csv":
        rows = list(csv.DictReader(io.StringIO(found.out)))
        assert [row["agent"] for row in rows] == ["ada", "bob", "cyd"]


def test_two_forms_of_output_exclude_each_other(measurand: Run, results: Path) -> None:
    """A wrong call is exit code 2 with a word on why."""
    found = measurand("report", results, "--json", "--csv")
    assert found.code == 2
    assert "exclude each other" in found.err
    assert measurand("report", results, "--html", "a.html", "--no-html").code == 2


def test_agents_come_from_names_patterns_and_lists(measurand: Run, results: Path, tmp_path: Path) -> None:
    """Names may be separated by commas, patterns are the shell's, and @FILE has one name a line."""
    listed = tmp_path / "names.txt"
    listed.write_text("# the two\nada\n\ncyd\n", encoding="utf-8")
    for given in ("ada,cyd", "[ac]*", f"@{listed}"):
        data = json.loads(measurand("report", results, "--json", "--agents", given).out)["data"]
        assert [row["agent"] for row in data["standings"]] == ["ada", "cyd"]


def test_an_unknown_agent_gets_a_suggestion(measurand: Run, results: Path) -> None:
    """A typing error names the nearest agent and what there is."""
    found = measurand("report", results, "--agents", "adda")
    assert found.code == 2
    assert "did you mean 'ada'?" in found.err


def test_import_then_report_gives_the_same_standings(measurand: Run, results: Path, tmp_path: Path) -> None:
    """A store holds what the file held."""
    store = tmp_path / "store"
    imported = measurand("import", results, "--store", store)
    assert imported.code == 0
    assert "36" in imported.out
    direct = json.loads(measurand("report", results, "--json").out)["data"]
    stored = json.loads(measurand("report", store, "--json").out)["data"]
    assert direct["standings"] == stored["standings"]


def test_import_as_json_has_the_whole_report(measurand: Run, results: Path, tmp_path: Path) -> None:
    """Rows read and kept, and which column became which field."""
    data = json.loads(measurand("import", results, "--store", tmp_path / "s", "--json").out)["data"]
    assert (data["rows_read"], data["rows_kept"]) == (36, 36)
    assert data["mapped"]["verdict"] == "passed"


def test_store_info_counts_what_is_there_and_verifies(measurand: Run, results: Path, tmp_path: Path) -> None:
    """A flipped byte is found by --verify and is a measured "no"."""
    store = tmp_path / "store"
    measurand("import", results, "--store", store)
    data = json.loads(measurand("store", "info", store, "--verify", "--json").out)["data"]
    assert (data["trials"], data["agents"], data["tasks"], data["segments"]) == (36, 3, 12, 1)
    assert measurand("store", "info", store).code == 0
    segment = next((store / "trials").glob("*.parquet"))
    content = bytearray(segment.read_bytes())
    content[6] ^= 0xFF
    segment.write_bytes(content)
    assert measurand("store", "info", store, "--verify").code in {1, 3}


def test_compare_says_who_is_better(measurand: Run, results: Path) -> None:
    """The sentence comes with its p-value, and JSON has the difference."""
    found = measurand("compare", "ada", "cyd", results)
    assert found.code == 0
    assert "ada is better than cyd" in found.out
    data = json.loads(measurand("compare", "cyd", "ada", results, "--json").out)["data"]
    assert data["difference"]["value"] == pytest.approx(-1.0)
    assert data["a"] == "cyd"


def test_compare_wants_two_agents(measurand: Run, results: Path) -> None:
    """One agent twice, or one that is not there, is a wrong call."""
    assert measurand("compare", "ada", "ada", results).code == 2
    assert measurand("compare", "ada", "eve", results).code == 2


def test_sources_lists_the_formats_and_who_claims_a_path(measurand: Run, results: Path) -> None:
    """The built-in sources are there; a CSV file is claimed by the table source."""
    rows = json.loads(measurand("sources", "--json").out)["data"]["sources"]
    assert {"table", "swebench", "algotune"} <= {row["name"] for row in rows}
    assert "table" in measurand("sources", results).out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(measurand: Run, shell: str) -> None:
    """Each shell gets its own."""
    found = measurand("completion", shell)
    assert found.code == 0
    assert "_MEASURAND_COMPLETE" in found.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(measurand: Run, name: str) -> None:
    """--help works on each command."""
    found = measurand(name, "--help")
    assert found.code == 0
    assert "Usage:" in found.out


def test_verbose_tells_the_steps_and_quiet_tells_nothing(measurand: Run, results: Path) -> None:
    """Notes go to standard error, so that standard output stays data."""
    assert "testing gate" in measurand("report", results, "--no-html", "--verbose").err
    assert measurand("report", results, "--quiet").err == ""


def test_top_is_a_number_or_all(measurand: Run, results: Path) -> None:
    """The tested family is the head of the standings."""
    data = json.loads(measurand("report", results, "--json", "--top", "2").out)["data"]
    assert data["tests"][0]["family"] == ["ada", "bob"]
    data = json.loads(measurand("report", results, "--json", "--top", "all").out)["data"]
    assert data["tests"][0]["family"] == ["ada", "bob", "cyd"]
    assert measurand("report", results, "--top", "1").code == 2
    assert measurand("report", results, "--top", "some").code == 2


def test_options_of_the_form_key_value_are_checked(measurand: Run, results: Path) -> None:
    """A mapping without an equals sign is a wrong call."""
    found = measurand("report", results, "--map", "verdict")
    assert found.code == 2
    assert "FIELD=COLUMN" in found.err


def test_html_can_be_printed_instead_of_text(measurand: Run, results: Path, tmp_path: Path) -> None:
    """``--html -`` gives the page alone on standard output, and writes no file."""
    found = measurand("report", results, "--html", "-")
    assert found.out.startswith("<!DOCTYPE html>")
    assert "What can be concluded\n===" not in found.out
    assert found.err == ""
    assert not list(tmp_path.glob("*.html"))
    assert measurand("report", results, "--html", "-", "--json").code == 2


def test_a_store_takes_no_reading_options(measurand: Run, results: Path, tmp_path: Path) -> None:
    """What says how foreign data are read has nothing to do on a store, and is not ignored in silence."""
    measurand("import", results, "--store", tmp_path / "s")
    found = measurand("report", tmp_path / "s", "--map", "verdict=passed")
    assert found.code == 2
    assert "measurand import" in found.err


def test_quiet_import_says_one_line(measurand: Run, results: Path, tmp_path: Path) -> None:
    """Enough for a log."""
    assert measurand("import", results, "--store", tmp_path / "s", "--quiet").out == "36 of 36 rows kept\n"


@pytest.mark.parametrize(
    "wrong",
    [
        ("--clip", "-1"),
        ("--clip", "nan"),
        ("--key-at", "0"),
        ("--key-at", "inf"),
        ("--seed", "-1"),
        ("--level", "1e-300"),
        ("--resamples", "1000000000"),
        ("--html", "."),
        ("--agents", ""),
        ("--outcome", "timeout=bogus"),
    ],
)
def test_values_outside_their_range_are_wrong_calls(
    measurand: Run, results: Path, wrong: tuple[str, str]
) -> None:
    """Nonsense is refused in the words of the option; nothing is ranked by it."""
    found = measurand("report", results, *wrong)
    assert found.code == 2
    assert found.out == ""
    assert "error: " in found.err


def test_an_option_without_a_use_is_refused(measurand: Run, results: Path, tmp_path: Path) -> None:
    """A table names its own tasks; a list of tasks is not ignored in silence."""
    listed = tmp_path / "tasks.txt"
    listed.write_text("t00\n", encoding="utf-8")
    found = measurand("report", results, "--task-list", listed)
    assert found.code == 2
    assert "--task-list" in found.err


def test_defaults_of_the_options_are_those_of_the_library() -> None:
    """A default is decided once; the command line repeats it for its help and must not drift."""
    defaults = {parameter.name: parameter.default for parameter in report_command.params}
    settings = Settings()
    names = ("level", "resamples", "seed", "top")
    assert {name: defaults[name] for name in names} == {name: getattr(settings, name) for name in names}
    assert defaults["clip"] == settings.scoring.clip
