"""Exit codes and streams: 0 ok, 2 wrong call, 3 unusable data, 4 partial under --strict, 130 interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from measurand import __version__

if TYPE_CHECKING:
    from tests.e2e.conftest import Terminal

PLAIN = "agent,task,trial,verdict\n" + "".join(
    f"{agent},t{task},1,{'pass' if (task + shift) % 3 else 'fail'}\n"
    for shift, agent in enumerate(("kite", "lark", "wren"))
    for task in range(8)
)


def test_the_version_is_data_on_standard_output(terminal: Terminal) -> None:
    done = terminal.run("--version")
    assert (done.code, done.out, done.err) == (0, f"measurand {__version__}\n", "")


def test_a_good_report_exits_with_0_and_writes_its_page_beside(terminal: Terminal) -> None:
    done = terminal.run("report", terminal.write("runs.csv", PLAIN))
    assert done.code == 0
    assert "kite" in done.out
    assert done.err == "HTML: measurand-report.html\n"
    assert terminal.files() == {"runs.csv", "measurand-report.html"}


def test_data_formats_keep_standard_output_clean_and_write_no_page(terminal: Terminal) -> None:
    table = terminal.write("runs.csv", PLAIN)
    as_json, as_csv, as_markdown = terminal.run_all(
        *(("report", table, f"--{form}") for form in ("json", "csv", "markdown"))
    )
    assert json.loads(as_json.out)["kind"] == "report"
    assert as_csv.out.splitlines()[1:]
    assert as_markdown.out.startswith("# ")
    assert [done.err for done in (as_json, as_csv, as_markdown)] == ["", "", ""]
    assert terminal.files() == {"runs.csv"}


WRONG = {
    "unknown command": ("frobnicate",),
    "no results": ("report",),
    "no store to import into": ("import", "runs.csv"),
    "unknown option": ("report", "runs.csv", "--frobnicate"),
    "two formats at once": ("report", "runs.csv", "--json", "--csv"),
    "page and no page": ("report", "runs.csv", "--html", "x.html", "--no-html"),
    "a family of one": ("report", "runs.csv", "--top", "1"),
    "an error level of 7": ("report", "runs.csv", "--level", "7"),
    "no resamples": ("report", "runs.csv", "--resamples", "0"),
    "a map without a column": ("report", "runs.csv", "--map", "agent"),
    "an unknown score": ("report", "runs.csv", "--score", "beauty"),
    "an unknown agent": ("report", "runs.csv", "--agents", "zzz"),
    "an unknown source": ("report", "runs.csv", "--from", "nowhere"),
    "an agent that is not there to compare": ("compare", "kite", "zzz", "runs.csv"),
    "an unreadable list of names": ("report", "runs.csv", "--agents", "@gone.txt"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_call_exits_with_2_and_says_why(terminal: Terminal, name: str) -> None:
    terminal.write("runs.csv", PLAIN)
    done = terminal.run(*WRONG[name])
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.lower().count("error: ") == 1
    assert "Traceback" not in done.err
    assert terminal.files() == {"runs.csv"}


SLIPS = {
    "a negative cost": (
        "agent,task,verdict,cost_usd\nkite,t1,pass,-1\nlark,t1,fail,2\n",
        "negative",
        "runs.csv:2",
    ),
    "a cut last line": ("agent,task,verdict\nkite,t1,pass\nlark,t1,fail\nla", "cut last line", "runs.csv:4"),
    "a blank line": ("agent,task,verdict\nkite,t1,pass\n\nlark,t1,fail\n", "blank line", "runs.csv:3"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_reported_and_fatal_only_under_strict(terminal: Terminal, name: str) -> None:
    content, what, where = SLIPS[name]
    table = terminal.write("runs.csv", content)
    calls = [("import", table, "--store", "runs"), ("report", table, "--no-html")]
    for done in terminal.run_all(*calls):
        assert done.code == 0, done
        assert what in done.out
        assert where in done.out
    for done in terminal.run_all(("import", table, "--store", "strict", "--strict"), (*calls[1], "--strict")):
        assert done.code == 4, done
        assert what in done.out


def test_what_an_import_lost_is_in_the_report_on_its_store_too(terminal: Terminal) -> None:
    table = terminal.write("runs.csv", SLIPS["a cut last line"][0])
    assert terminal.run("import", table, "--store", "runs").code == 0
    plain, strict = terminal.run_all(
        ("report", "runs", "--no-html"), ("report", "runs", "--no-html", "--strict")
    )
    assert (plain.code, strict.code) == (0, 4)
    assert "cut last line" in plain.out


def test_an_interrupt_exits_with_130_and_leaves_nothing_behind(terminal: Terminal) -> None:
    rows = (f"kite,t{number},1,pass\n" for number in range(100_000))
    table = terminal.write("runs.csv", "agent,task,trial,verdict\n" + "".join(rows))
    process = terminal.start("import", table, "--store", "store", "-v")
    assert process.stderr is not None
    assert "reading" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err
    assert terminal.files() == {"runs.csv"}


@pytest.mark.parametrize("form", [("--no-html",), ("--json",)])
def test_a_reader_that_has_gone_is_no_error(terminal: Terminal, form: tuple[str, ...]) -> None:
    """As in `measurand report ... | head -1`, but surely closed before the first write."""
    table = terminal.write("runs.csv", PLAIN)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        process = terminal.start_into(pipe, "report", table, *form)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")


def test_head_gets_its_line(terminal: Terminal) -> None:
    table = terminal.write("runs.csv", PLAIN)
    with terminal.start("report", table, "--no-html") as process:
        head = subprocess.run(
            ["/usr/bin/env", "head", "-1"], stdin=process.stdout, capture_output=True, check=True
        )
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
    assert head.stdout.strip()
    assert (process.returncode, err) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is absent")  # noqa: PTH110
def test_a_full_disk_under_standard_output_is_an_error(terminal: Terminal) -> None:
    table = terminal.write("runs.csv", PLAIN)
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        process = terminal.start_into(full, "report", table, "--no-html")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert "Exception ignored" not in err
