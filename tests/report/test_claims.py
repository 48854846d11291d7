"""Claims, margins and single tasks in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from measurand.analyze.claims.claims import claims, claims_of
from measurand.analyze.compare import compare
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.separation import separate
from measurand.load import read
from measurand.report import comparison_document, render_html, render_markdown, render_text
from measurand.report.claims.claims import claims_document, claims_section

if TYPE_CHECKING:
    from measurand.model.table import Trials
    from measurand.report.document import Document

QUICK = Settings(resamples=500)


def trials(agents: dict[str, list[str]], **columns: Any) -> Trials:
    """A text of outcomes for each task of each agent: 1 passed, 0 failed; an empty text is no trial."""
    rows = [
        {"agent": agent, "task": f"t{t:02}", "trial": str(k), "passed": int(c)}
        for agent, tasks in agents.items()
        for t, text in enumerate(tasks)
        for k, c in enumerate(text)
    ]
    return read(pl.DataFrame(rows).with_columns(**columns))


def once(**agents: str) -> Trials:
    return trials({agent: list(text) for agent, text in agents.items()})


def answer(document: Document) -> str:
    assert document.sections[0].lead
    return " ".join(document.sections[0].sentences)


def said(asked: Trials, **question: Any) -> str:
    return answer(claims_document(claims(asked, settings=QUICK, **question)))


CLEAR = {"ada": "1" * 20, "bob": "1" * 5 + "0" * 15, "cyd": "0" * 20}


def test_a_supported_claim_says_how_it_was_judged() -> None:
    """The first sentence is the answer, with its p and whether it was adjusted."""
    picked, named = said(once(**CLEAR)), said(once(**CLEAR), best="ada")
    assert picked.startswith("ada is the best of 3 agents: it beats each of the other agents tested (p ")
    assert "adjusted for all pairs, since it was picked for being first" in picked
    assert named.startswith("ada is the best of 3 agents: it beats each of all other agents (p ")
    assert "each pair alone, since it was named beforehand" in named
    assert "Hardest to beat is bob: a difference of +75.0 points" in picked
    assert "has added next to nothing to it" in picked
    assert "Named beforehand, it was not picked" in named


def test_an_unsupported_claim_names_what_it_lacks() -> None:
    """Too few differing tasks are said, with how many it takes, and of how many rivals."""
    text = said(once(ada="1" * 18 + "00", bob="1" * 17 + "000", cyd="1" * 15 + "00000", dan="0" * 20))
    assert text.startswith("That ada is the best is not shown: it beats 1 of its 3 rivals (p = 1.000")
    assert "differ on 1 task only, where the least attainable p is 1.000" in text
    assert "takes at least 6 that differ. The same holds of 1 other rival." in text
    assert "is estimated to have added" in text
    assert "optimistic: the percentile bootstrap claims its level from 50 tasks on; there are 20" in text


def test_a_shared_place_and_untested_agents_are_said() -> None:
    """Who shares the first place, and how many agents nothing is claimed against."""
    asked = once(ada="10" * 8, bob="01" * 8, cyd="0" * 16)
    text = answer(claims_document(claims(asked, settings=Settings(resamples=500, top=2))))
    assert "It shares the first place with bob." in text
    assert "1 more agent further down was not tested; --top all tests them too." in text


@pytest.mark.parametrize("best", [None, "ada"])
def test_without_an_answer_the_reason_comes_first(best: str | None) -> None:
    """One agent, or too few tasks: nothing is claimed, and nothing breaks."""
    assert said(once(ada="10"), best=best) == (
        "Whether ada is the best cannot be said: there is no other agent to beat."
    )
    text = said(once(ada="1111", bob="0000"), best=best)
    assert text.startswith("Whether ada is the best cannot be said: with 4 tasks the least attainable p is")


def test_a_margin_is_answered_in_the_standard_word() -> None:
    """Non-inferior, not shown, or not to be said; equivalent only where both bounds allow it."""
    wide = once(ada="1" * 96 + "1100", bob="1" * 96 + "0011")
    text = said(wide, best="ada", not_worse_than="bob", margin=0.1)
    assert (
        "ada is non-inferior to bob within a margin of 10.0 points: the lower bound of the difference is "
        in text
    )
    assert "(one-sided, 5%)" in text
    assert "the two are equivalent within this margin." in text
    text = said(wide, best="ada", not_worse_than="bob", margin=0.01)
    assert "ada was not shown to be non-inferior to bob within a margin of 1.0 points" in text
    assert "equivalent" not in text
    text = said(once(**CLEAR), not_worse_than="cyd", margin=0.1)
    assert (
        "Whether ada is non-inferior to cyd within a margin of 10.0 points cannot be said: every task differs"
        in text
    )


def test_without_a_margin_no_such_word_is_used() -> None:
    """Neither a claim nor a comparison speaks of inferiority or equivalence by itself."""
    asked = once(ada="1" * 96 + "1100", bob="1" * 96 + "0011")
    for document in (
        claims_document(claims(asked, settings=QUICK)),
        comparison_document(compare(asked, "ada", "bob", settings=QUICK)),
    ):
        assert not re.search("inferior|equivalent|no worse|not worse", render_text(document))


def test_times_are_said() -> None:
    """Rivals whose trials hardly overlap in time are counted; overlapping ones are said to."""
    day = pl.when(pl.col("agent") == "cyd").then(pl.lit("2026-03-09")).otherwise(pl.lit("2026-03-01"))
    when = pl.concat_str(day, pl.lit("T10:00:"), pl.col("task").str.slice(1), pl.lit("Z"))
    asked = trials({agent: list(text) for agent, text in CLEAR.items()}, started_at=when)
    text = said(asked)
    assert (
        "The trials of ada hardly overlap in time with those of 1 of 2 rivals whose times are known: drift"
        in text
    )
    assert "All trials of ada and bob were run over the same stretch of time." in answer(
        comparison_document(compare(asked, "ada", "bob", settings=QUICK))
    )
    two = claims(asked, Choice(agents=("ada", "bob")), QUICK)
    assert "The trials of ada and those of its rivals overlap in time." in answer(claims_document(two))


def test_a_board_gets_the_same_sentences() -> None:
    """The section of a board says what the command says, and is left out for one agent."""
    for asked in (once(**CLEAR), once(ada="10")):
        prepared = prepare(asked, Choice(), QUICK)
        grid = prepared.grid
        tested = separate(grid, grid.cells("gate"), "gate", QUICK)
        part = claims_section(claims_of(prepared, QUICK, tested))
        if len(grid.agents) == 1:
            assert part is None
        else:
            assert part is not None
            assert " ".join(part.sentences) == said(asked)


def test_rivals_are_a_table_with_the_hardest_first() -> None:
    """A row a rival: difference, p, differing tasks, and whether it is beaten."""
    document = claims_document(claims(once(**CLEAR), settings=QUICK))
    (table,) = next(section for section in document.sections if section.id == "rivals").tables
    rows = [[cell.value for cell in row.cells] for row in table.rows]
    assert [(row[0], row[1], row[3], row[4], row[5]) for row in rows] == [
        ("bob", 0.75, 15, 20, True),
        ("cyd", 1.0, 20, 20, True),
    ]


def test_a_comparison_shows_single_tasks_that_broke() -> None:
    """Which tasks are worse, of how many, which are gone and which are new."""
    asked = trials(
        {"new": ["00000", "11110", "", "11111"], "old": ["11111", "11111", "11111", ""]},
    )
    document = comparison_document(compare(asked, "new", "old", settings=QUICK))
    section = next(part for part in document.sections if part.id == "regressions")
    text = " ".join(section.sentences)
    assert text.startswith("new is worse on 1 of the 3 tasks of its baseline old: t00 (any false finding")
    assert "lower on 2 and higher on 0" in text
    assert "1 task of the baseline is gone or changed, and still counted in the denominator: t02." in text
    assert "1 task is new or changed, and not counted: t03." in text
    (table,) = section.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["t00", "0/5", "5/5", "0.004", "0.004", "yes"],
        ["t01", "4/5", "5/5", "0.500", "1.000", "not shown"],
    ]


def test_single_tasks_without_a_finding_are_not_cleared() -> None:
    """No finding is no evidence that nothing broke; too few trials are the reason; one trial each has no section."""
    quiet = comparison_document(
        compare(trials({"new": ["11110"] * 3, "old": ["11111"] * 3}), "new", "old", settings=QUICK)
    )
    text = " ".join(next(part for part in quiet.sections if part.id == "regressions").sentences)
    assert "cannot be said of the 3 tasks" in text
    some = trials({"new": ["00111", "11111"], "old": ["11111", "00000"]})
    text = render_text(comparison_document(compare(some, "new", "old", settings=QUICK)), width=200)
    assert (
        "new was shown to be worse on none of the 2 tasks of its baseline old; a finding was possible on 1"
        in text
    )
    assert "That is no evidence that nothing broke." in text
    two = trials({"new": ["00", "11"], "old": ["11", "11"]})
    text = render_text(comparison_document(compare(two, "new", "old", settings=QUICK)), width=200)
    assert "needs at least 3 trials of a task by each; there are 2" in text
    single = comparison_document(compare(once(new="10", old="11"), "new", "old", settings=QUICK))
    assert all(part.id != "regressions" for part in single.sections)


HOSTILE = (
    "<script>alert(1)</script>",
    "line\nbreak\x1b[2J\x00",
    "\u202egnp.exe",
    "x" * 300,
    "| *stars* [a](b)",
)


def test_hostile_names_stay_names() -> None:
    """No format lets a name of an agent or a task break out."""
    rows = [
        {
            "agent": agent,
            "task": f"{task}{number}",
            "trial": str(k),
            "passed": int((place + number + k) % 3 > 0),
        }
        for place, agent in enumerate(HOSTILE)
        for number, task in enumerate(HOSTILE * 2)
        for k in range(4)
    ]
    asked = read(pl.DataFrame(rows))
    a, b = HOSTILE[:2]
    documents = [
        claims_document(claims(asked, settings=QUICK, best=a, not_worse_than=b, margin=0.1)),
        comparison_document(compare(asked, a, b, settings=QUICK, margin=0.1)),
    ]
    for document in documents:
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", render_text(document, width=80))
        assert "<script>alert" not in render_html(document)
        assert render_markdown(document)
