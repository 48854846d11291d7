"""Data that suffice for little: a sentence says so, and no format crashes or prints a number that is none."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from measurand.cli.main import run

if TYPE_CHECKING:
    from tests.e2e.conftest import Terminal


FORMS = ("json", "csv", "markdown")
UNDEFINED = re.compile(r"\bnan\b|\binfinity\b|[-\s\[:,]inf\b|traceback|(?-i:\bNone\b(?! of))", re.IGNORECASE)
UNDEFINED_IN_PAGE = re.compile(r">[^<]*\b(?:nan|NaN|inf)\b|\"(?:nan|NaN)\"|>\s*None\s*<")


class Done(NamedTuple):
    """A command that has ended in this process."""

    code: int
    out: str
    err: str


def _plain(agents: str, tasks: int, passed: str = "") -> str:
    """Rows of agents (a letter each) on tasks; agents named in ``passed`` pass every task, the others none."""
    lines = [f"{a},t{n},1,{'pass' if a in passed else 'fail'}" for a in agents for n in range(tasks)]
    return "\n".join(["agent,task,trial,verdict", *lines, ""])


def _graded(quantities: dict[str, float], tasks: int) -> str:
    lines = [f"{a},t{n},1,pass,{q},lower,16,4" for a, q in quantities.items() for n in range(tasks)]
    return "\n".join(["agent,task,trial,verdict,quantity,better,baseline,reference", *lines, ""])


def _unfinished(agents: str, tasks: int) -> str:
    lines = [f"{a},t{n},1,infra_error," for a in agents for n in range(tasks)]
    return "\n".join(["agent,task,trial,outcome,verdict", *lines, ""])


CASES = {
    "one task": _plain("abc", 1, "a"),
    "five tasks": _plain("abc", 5, "a"),
    "one agent": _plain("a", 12, "a"),
    "one agent, one task, one trial": _plain("a", 1),
    "all agents equal, all passed": _plain("abc", 12, "abc"),
    "all agents equal, none passed": _plain("abc", 12),
    "all agents equal in quantity": _graded({"a": 8, "b": 8, "c": 8}, 12),
    "differences without variance": _plain("abc", 12, "ab"),
    "differences in quantity without variance": _graded({"a": 4, "b": 8, "c": 16}, 12),
    "two agents that differ by a constant on two tasks": _graded({"a": 4, "b": 8}, 2),
    "no trial with a verdict": _unfinished("abc", 6),
    "disjoint tasks": "agent,task,verdict\na,t1,pass\nb,t2,fail\n",
}
DIFFERENT = {"differences without variance", "differences in quantity without variance"}
"""Cases in which pairs of agents do differ."""


def _no_constant(word: str) -> Any:
    raise AssertionError(f"JSON holds {word}")


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Done:
    """Run the command in this process: as a process of its own each of these would cost half a second."""
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    captured = capsys.readouterr()
    return Done(int(str(ended.value.code)), captured.out, captured.err)


def _lead(text: str) -> str:
    """The first sentence of what can be concluded."""
    _, _, conclusions = text.partition("What can be concluded\n=====================\n")
    return conclusions.partition("\n- ")[0]


@pytest.mark.parametrize("name", CASES)
def test_little_data_give_sentences_and_no_undefined_number_in_any_format(
    terminal: Terminal, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    table = terminal.write("runs.csv", CASES[name])
    done = {form: _printed(capsys, "report", str(terminal.folder / table), f"--{form}") for form in FORMS}
    text = terminal.run("report", table, "--html", "page.html", "-q")
    done["text"] = Done(text.code, text.out, text.err)
    for form, ended in done.items():
        assert (ended.code, ended.err) == (0, ""), form
        found = UNDEFINED.search(ended.out)
        assert found is None, f"{form}: {ended.out[max(found.start() - 200, 0) : found.end() + 50]}"
    page = (terminal.folder / "page.html").read_text(encoding="utf-8")
    assert UNDEFINED_IN_PAGE.search(page) is None
    board = json.loads(done["json"].out, parse_constant=_no_constant)["data"]
    assert (board["tests"][0]["n_significant"] > 0) == (name in DIFFERENT)
    if name not in DIFFERENT:
        assert re.match(r"None of|It cannot be said|The one pair", _lead(done["text"].out))
        assert not any("one tier" in ended.out.lower() for ended in done.values())


def test_numbers_agree_with_their_nouns(terminal: Terminal) -> None:
    """One agent, task, trial or row takes no plural."""
    table = terminal.write("runs.csv", CASES["one agent, one task, one trial"])
    out = terminal.run("report", table, "--no-html").out
    wrong = r"\b1 (?:agents|tasks|trials|rows|pairs|resamples)\b|\ball 1\b|\b1 more agent\b"
    assert re.findall(wrong, " ".join(out.split())) == []


@pytest.mark.parametrize("name", ["one task", "differences without variance", "no trial with a verdict"])
def test_a_comparison_of_little_data_is_a_sentence(terminal: Terminal, name: str) -> None:
    table = terminal.write("runs.csv", CASES[name])
    for done in terminal.run_all(("compare", "a", "c", table), ("compare", "a", "c", table, "--json")):
        assert done.code == 0, done
        assert done.err == ""
        assert UNDEFINED.search(done.out) is None, done.out


def test_no_data_rows_exit_with_3_in_every_format(
    terminal: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    table = str(terminal.folder / terminal.write("runs.csv", "agent,task,verdict\n"))
    for form in ("no-html", *FORMS):
        done = _printed(capsys, "report", table, f"--{form}")
        assert (done.code, done.out) == (3, ""), form
        assert "no trials" in done.err
