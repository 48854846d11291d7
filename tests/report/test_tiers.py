"""The document on tiers, and the intervals of differences in the big report."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl
import pytest

from measurand.analyze.records import NullRow, TierMove
from measurand.analyze.settings import Settings
from measurand.analyze.tiering.tiers import tiers
from measurand.load import read
from measurand.report import render_html, render_markdown, render_pairs_csv
from measurand.report.board.tests import pairs_section
from measurand.report.tiers import tiers_document

if TYPE_CHECKING:
    from measurand.analyze.board import Board
    from measurand.analyze.tiering.tiers import TierBoard
    from measurand.report.document import Document, Section, Table

HOSTILE = "<b>bold</b>\x1b[2J | =1+1"


def found(agents: int, tasks: int, *, seed: int = 1, step: float = 0.12, **settings: Any) -> TierBoard:
    """Tiers of agents of which the first has a name to be afraid of."""
    rng = np.random.default_rng(seed)
    rows = [
        (HOSTILE if agent == 0 else f"agent-{agent}", f"t{task}", bool(rng.random() < 0.9 - step * agent))
        for agent in range(agents)
        for task in range(tasks)
    ]
    frame = pl.DataFrame(rows, schema=["agent", "task", "passed"], orient="row")
    return tiers(read(frame), settings=Settings(**{"resamples": 2_000, **settings}))


def section(document: Document, name: str) -> Section:
    return next(section for section in document.sections if section.id == name)


def table(document: Document, name: str) -> Table:
    return next(t for s in document.sections for t in s.tables if t.id == name)


def texts(of: Table, key: str) -> list[str]:
    place = [column.key for column in of.columns].index(key)
    return [row.cells[place].full for row in of.rows]


@pytest.fixture(scope="module")
def shown() -> TierBoard:
    return found(6, 60)


def test_the_answer_names_pairs_tiers_and_who_may_be_best(shown: TierBoard) -> None:
    """First sentence: how many pairs of how many agents differ."""
    sentences = section(tiers_document(shown), "answer").sentences
    assert sentences[0].startswith("The 6 agents tested fall into ")
    assert any("may be the best" in sentence or "no other beats" in sentence for sentence in sentences)


def test_an_untested_rest_is_counted() -> None:
    """With the option that takes it in."""
    sentences = section(tiers_document(found(4, 30, top=3)), "answer").sentences
    assert any(s.startswith("1 more agent not tested: --top") for s in sentences)


def test_agents_stand_in_bands_of_tiers(shown: TierBoard) -> None:
    """Rank, mean, tier, ranks and letters of each."""
    agents = table(tiers_document(shown), "agents")
    assert [row.band for row in agents.rows] == [agent.tier for agent in shown.agents]
    assert texts(agents, "letters") == [agent.letters for agent in shown.agents]


def test_each_pair_shows_its_interval(shown: TierBoard) -> None:
    """Difference and interval in one cell, in points where the score is a share."""
    pairs = table(tiers_document(shown), "pairs")
    assert not pairs.detail
    largest = max(shown.test.pairs, key=lambda pair: pair.difference)
    assert largest.low is not None
    assert largest.high is not None
    expected = f"+{100 * largest.difference:.1f} [{100 * largest.low:.1f}, {100 * largest.high:.1f}]"
    assert texts(pairs, "difference")[0] == expected
    (label,) = [column.label for column in pairs.columns if column.key == "difference"]
    assert label == "Difference, points"


def test_an_end_that_is_zero_and_left_out_has_a_round_bracket(shown: TierBoard) -> None:
    """And a sentence says what the bracket means; without such a pair it is not said."""
    pair = msgspec.structs.replace(shown.test.pairs[0], significant=True, low=0.0, high=0.25)
    test = msgspec.structs.replace(shown.test, pairs=(pair,))
    part = pairs_section(test, most=10, detail=False)
    assert part is not None
    assert texts(part.tables[0], "difference")[0].endswith(" (0, 25.0]")
    assert any("round bracket" in sentence for sentence in part.sentences)
    closed = msgspec.structs.replace(pair, significant=False)
    plain = pairs_section(msgspec.structs.replace(test, pairs=(closed,)), most=10, detail=False)
    assert plain is not None
    assert texts(plain.tables[0], "difference")[0].endswith(" [0.0, 25.0]")
    assert not any("round bracket" in sentence for sentence in plain.sentences)


def test_below_twenty_tasks_the_exact_p_has_a_column_of_its_own() -> None:
    """It is never left out for want of width; the interval may be."""
    pairs = table(tiers_document(found(3, 15)), "pairs")
    columns = {column.key: column for column in pairs.columns if column.shown}
    assert columns["p_exact"].importance == 0
    assert columns["low"].label == "Interval"
    assert "p_raw" not in columns


def test_missing_intervals_are_counted_with_their_reason() -> None:
    """A sentence for each reason."""
    part = section(tiers_document(found(2, 4, step=0.5)), "differences")
    assert any(s.startswith("1 difference without an interval: ") for s in part.sentences)


def test_many_pairs_are_cut_and_said_to_be() -> None:
    """The largest 45 differences are shown; JSON has all."""
    document = tiers_document(found(11, 30, step=0.05, top=None))
    assert len(table(document, "pairs").rows) == 45
    assert any(
        "45 pairs with the largest differences of 55" in s for s in section(document, "differences").sentences
    )


def test_nulls_that_agree_are_said_to(shown: TierBoard) -> None:
    """One sentence, and a row each with resamples, error and seed."""
    rows = tuple(msgspec.structs.replace(row, moves=(), n_significant=3) for row in shown.test.agreement)
    board = msgspec.structs.replace(shown, test=msgspec.structs.replace(shown.test, agreement=rows))
    part = section(tiers_document(board), "agreement")
    assert part.sentences[0] == (
        "The tiers are the same under signs, labels and bootstrap, and so is the number of pairs found."
    )
    assert texts(part.tables[0], "moves") == ["none"] * 3
    assert all(text != "–" for text in texts(part.tables[0], "resamples"))
    fewer = (msgspec.structs.replace(rows[0], n_significant=2), *rows[1:])
    other = msgspec.structs.replace(shown, test=msgspec.structs.replace(shown.test, agreement=fewer))
    assert (
        section(tiers_document(other), "agreement")
        .sentences[0]
        .endswith("; the number of pairs found is not.")
    )


def test_nulls_that_disagree_name_the_agents_that_move(shown: TierBoard) -> None:
    """And one that was not run says why."""
    signs = shown.test.agreement[0]
    moved = msgspec.structs.replace(
        signs, null="labels", moves=(TierMove(agent=HOSTILE, tier=1, other=2),), exact=True
    )
    not_run = NullRow(
        null="bootstrap",
        method="not run",
        n_significant=0,
        n_tiers=0,
        tiers=(),
        moves=(),
        resamples=0,
        exact=False,
        seed=None,
        max_standard_error=0.0,
        undecided=0,
        reason="was not run.",
    )
    test = msgspec.structs.replace(shown.test, agreement=(signs, moved, not_run))
    part = section(tiers_document(msgspec.structs.replace(shown, test=test)), "agreement")
    assert part.sentences[0] == "The tiers depend on the null: they change under labels (1 agent elsewhere)."
    moves = texts(part.tables[0], "moves")
    assert moves[0] == "none"
    assert "1 to 2" in moves[1]
    assert "\x1b" not in moves[1]
    assert moves[2] == "was not run."
    assert texts(part.tables[0], "standard_error")[1:] == ["exact", "–"]
    alone = msgspec.structs.replace(shown.test, agreement=(signs, not_run))
    part = section(tiers_document(msgspec.structs.replace(shown, test=alone)), "agreement")
    assert part.sentences[0] == "No other null was run."


def test_without_tiers_nothing_is_said_of_agreement() -> None:
    """Four tasks give no tier, by any null."""
    document = tiers_document(found(2, 4))
    assert all(part.id != "agreement" for part in document.sections)
    assert document.sections[0].sentences[0].startswith("It cannot be said which agents differ.")


def test_hostile_names_are_escaped_in_every_form(shown: TierBoard) -> None:
    """A name is data."""
    document = tiers_document(shown)
    page, text = render_html(document), render_markdown(document)
    assert "<b>bold</b>" not in page
    assert "\x1b" not in page + text


def test_a_ranking_of_mixed_rows_has_its_banner(shown: TierBoard) -> None:
    """The reader cannot miss it."""
    board = msgspec.structs.replace(shown, comparable=False)
    assert tiers_document(board).banner.startswith("Not comparable")


def test_pairs_csv_has_the_ends_of_the_intervals(board: Board, shown: TierBoard) -> None:
    """Columns low, high and p_exact, empty where there is none."""
    both = msgspec.structs.replace(board, tests=(board.test, shown.test))
    rows = list(csv.DictReader(io.StringIO(render_pairs_csv(both))))
    assert (rows[0]["low"], rows[0]["p_exact"]) == ("", "")
    assert float(rows[-1]["low"]) == shown.test.pairs[-1].low
    assert float(rows[-1]["high"]) == shown.test.pairs[-1].high
