"""What is said of a second verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.report.conftest import HOSTILE

from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.verifiers.counted import counted_verdicts
from measurand.analyze.verifiers.verdicts import second_verdicts, verdicts_of
from measurand.load import read
from measurand.model.verdicts import VerdictCounts
from measurand.report import render_html, render_markdown, render_text
from measurand.report.verifiers.figure import LONGEST
from measurand.report.verifiers.verdicts import verdicts_document, verdicts_section

if TYPE_CHECKING:
    from measurand.analyze.verifiers.records import SecondVerdicts
    from measurand.report.document import Document

QUICK = Settings(resamples=300)
LETTERS = {"b": (True, True), "r": (True, False), "p": (True, None), "f": (False, None), "n": (False, False)}


def record(boards: dict[str, str], second: str = "strict", **more: Any) -> SecondVerdicts:
    return second_verdicts(read(table(boards, second)), second, settings=QUICK, **more)


def table(boards: dict[str, str], second: str = "strict") -> pl.DataFrame:
    rows = [
        {
            "agent": agent,
            "task": f"t{n}",
            "trial": "1",
            "passed": LETTERS[x][0],
            f"verdict:{second}": LETTERS[x][1],
        }
        for agent, letters in boards.items()
        for n, x in enumerate(letters)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def answers(found: SecondVerdicts) -> str:
    return " ".join(verdicts_document(found).sections[0].sentences)


def section(document: Document, name: str) -> Any:
    return next((part for part in document.sections if part.id == name), None)


def test_reversals_beyond_chance_are_called_so() -> None:
    """Where the leaders lose most and the last ones least, that is more than random removal would do."""
    counts = [
        VerdictCounts(agent=f"a{n:02}", tasks=500, first=400 - n, checked=400 - n, second=200 + 10 * n)
        for n in range(12)
    ]
    text = answers(counted_verdicts(counts, QUICK))
    assert "more: the second verdict treats agents differently" in text
    assert "agents lose different shares" in text


def test_reversals_as_by_chance_and_fewer_are_called_so() -> None:
    """The number seen is set beside the band, in words."""
    counts = [
        VerdictCounts(agent=f"a{n:02}", tasks=500, first=400 - n, checked=400 - n, second=300 - n)
        for n in range(12)
    ]
    assert "the 0 seen are fewer" in answers(counted_verdicts(counts, QUICK))
    assert "within it" in answers(record({"x": "bbrrf", "y": "bbbff"}))


def test_both_facts_are_said() -> None:
    """Neighbours may move by chance alone while both verdicts tell more pairs apart."""
    text = answers(record({"x": "b" * 13 + "ff", "y": "r" * 11 + "bff" + "f", "z": "b" * 11 + "ffff"}))
    assert "and yet both verdicts together tell more pairs apart" in text
    fewer = answers(record({"x": "b" * 3 + "r" * 11 + "f", "y": "b" * 2 + "f" * 13}))
    assert "fewer pairs apart" in fewer


def test_ties_are_counted_apart() -> None:
    """Ties before and after are said, and what listing them otherwise would give."""
    text = answers(record({"w": "bbbf", "x": "rrbf", "y": "bbff", "z": "brff"}))
    assert "2 pairs of neighbours tie before and are left out" in text
    assert "over all ways to list agents that tie" in text
    assert "ties after" in answers(record({"x": "bbr", "y": "bbf"}))


def test_what_cannot_be_said_has_a_sentence() -> None:
    """Nobody passes; one agent; no tiers: each is said with its reason."""
    assert "nobody passes anything" in answers(record({"x": "nf", "y": "ff"}))
    assert "an order needs 2 agents" in answers(record({"x": "br"}))
    assert "of the passes of x that it looked at" in answers(record({"x": "br"}))
    assert "rejects none of the 4 re-checked passes" in answers(record({"x": "bb", "y": "bb"}))
    assert "no two agents were apart" in answers(record({"x": "bb", "y": "bb"}))


def test_corrected_rates_have_a_section_only_where_there_are_any() -> None:
    """A sample gives both corrections with their assumption; a full check needs none."""
    complete = verdicts_document(record({"x": "bbrf", "y": "bbbf"}))
    assert section(complete, "corrected") is None
    sampled = verdicts_document(record({"x": "bbrppppf", "y": "bbbpppff"}))
    part = section(sampled, "corrected")
    assert "random sample of the passes" in part.sentences[0]
    assert "Too few re-checked trials" in " ".join(part.sentences)
    assert [column.label for column in part.tables[0].columns][:3] == ["Agent", "First", "Rogan-Gladen"]
    assert "are given below" in " ".join(sampled.sections[0].sentences)


def test_wrong_rejects_are_claimed_only_where_they_were_looked_for() -> None:
    """With failures used the limits are other ones, and the weight of the first verdicts may be shown."""
    boards = {"x": "bbbrrnnnbbpfpfpf", "y": "bbbbrnnnbrpfpfpf"}
    assert "wrong accepts only" in answers(record(boards))
    assert "allow for wrong accepts and wrong rejects" in answers(record(boards, failures=True))
    every = section(verdicts_document(record({"x": "brnnb", "y": "bbnnn"}, failures=True)), "corrected")
    assert "Every trial was judged again" in every.sentences[0]
    some = {"x": "brnf", "y": "bbff", "z": "brnf"}
    lacking = section(verdicts_document(record(some, failures=True)), "corrected")
    assert "for want of re-checked failures: y" in " ".join(lacking.sentences)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_data(name: str) -> None:
    """Names of agents and verdicts reach no page as markup and move no cursor."""
    shown = verdicts_document(record({name: "bbrrf", "plain": "bbbff"}, second=f"by {name}"))
    html, text = render_html(shown), render_text(shown)
    assert "<script>alert" not in html
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert render_markdown(shown)


def test_the_figure_holds_the_first_agents() -> None:
    """Both rates of each agent are drawn; of very many the first ones, and the note says so."""
    boards = {f"a{n:03}": "b" * (n % 5) + "r" + "f" * (6 - n % 5) for n in range(LONGEST + 3)}
    (figure,) = section(verdicts_document(record(boards)), "agents").figures
    assert len(figure.spec["layer"][0]["data"]["values"]) == LONGEST
    assert f"The first {LONGEST} of {LONGEST + 3} agents" in figure.note
    assert figure.narrow is not None
    assert not section(verdicts_document(record({"x": "br"})), "agents").figures


def test_a_board_gets_one_row_a_verdict() -> None:
    """The section of a report names each verdict once; without one there is no section."""
    prepared = prepare(read(table({"x": "bbrrf", "y": "bbbff"})), Choice(), QUICK)
    part = verdicts_section(verdicts_of(prepared, QUICK))
    assert part is not None
    assert "rejects a median 25.0%" in part.sentences[0]
    assert [row.cells[0].text for row in part.tables[0].rows] == ["strict"]
    assert [cell.text for cell in part.tables[0].rows[0].cells][3] == "1 of 1"
    assert verdicts_section(()) is None
    unseen = verdicts_section(verdicts_of(prepare(read(table({"x": "pn"})), Choice(), QUICK), QUICK))
    assert unseen is not None
    assert "cannot be said" in unseen.sentences[0]
