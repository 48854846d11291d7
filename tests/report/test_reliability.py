"""Reliability in words, tables and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from measurand.analyze.prepare import prepare
from measurand.analyze.repeats.reliability import reliability, reliability_of
from measurand.analyze.settings import Choice, Settings
from measurand.load import read
from measurand.report import render_html, render_markdown, render_text
from measurand.report.parts import data_rows
from measurand.report.repeats.reliability import reliability_document, reliability_section
from measurand.report.svg import render_svg

if TYPE_CHECKING:
    from measurand.analyze.repeats.records import Reliability
    from measurand.model.table import Trials
    from measurand.report.document import Document, Section, Table

QUICK = Settings(resamples=200)


def trials(agents: dict[str, list[str]], **columns: Any) -> Trials:
    """A text of outcomes for each task of each agent: 1 passed, 0 failed, - without a verdict."""
    rows = [
        {
            "agent": agent,
            "task": f"t{t:02}",
            "trial": str(k),
            "passed": {"1": 1, "0": 0}.get(c),
            "evaluated": int(c != "-"),
        }
        for agent, tasks in agents.items()
        for t, text in enumerate(tasks)
        for k, c in enumerate(text)
    ]
    return read(pl.DataFrame(rows, infer_schema_length=None).with_columns(**columns))


def found(agents: dict[str, list[str]], **columns: Any) -> Reliability:
    return reliability(trials(agents, **columns), settings=QUICK, command="measurand reliability x")


PAIR = {"ada": ["1110", "1111", "0000", "1010"] * 3, "bob": ["1111", "1111", "0000", "0000"] * 3}


def section(document: Document, key: str) -> Section:
    return next(part for part in document.sections if part.id == key)


def table(part: Section, key: str) -> Table:
    return next(one for one in part.tables if one.id == key)


def texts(one: Table) -> list[list[str]]:
    return [
        [cell.full for cell, column in zip(row.cells, one.columns, strict=True) if column.shown]
        for row in one.rows
    ]


def test_the_answer_comes_first() -> None:
    """How often the first agent disagrees with itself, D3 with interval, its label, and D3 never without the rate."""
    answer = section(reliability_document(found(PAIR)), "answer")
    assert answer.lead
    assert answer.sentences[0].startswith(
        "On 6 of 12 tasks ada, first by gate rate, passes in some trials and fails in"
    )
    assert "95% interval [" in answer.sentences[0]
    assert answer.sentences[1].startswith("D3_max is 0.812: moderately consistent")
    assert "gate rate 56.2%" in answer.sentences[2]
    assert "An agent that always fails has D3 = 1" in answer.sentences[2]
    assert any(sentence.startswith("k_below_10") for sentence in answer.sentences)


def test_nobody_is_called_first_among_equals() -> None:
    """Two agents of one gate rate stand in the order of their names, which is no merit."""
    answer = section(reliability_document(found({"ada": ["10", "10"], "bob": ["11", "00"]})), "answer")
    assert answer.sentences[0].startswith("On 2 of 2 tasks ada passes in some trials")


def test_one_line_an_agent() -> None:
    """D1 stands beside D3, and pass@k beside pass^k."""
    document = reliability_document(found(PAIR))
    first = table(section(document, "answer"), "reliability")
    assert [column.label for column in first.columns if column.shown][:3] == ["Agent", "Gate rate (D1)", "D3"]
    assert [row[0] for row in texts(first)] == ["ada", "bob"]
    assert texts(first)[0][1] == "56.2%"
    second = table(section(document, "any-and-all"), "trials")
    assert [column.label for column in second.columns][1:3] == ["pass@4", "pass^4"]
    assert [row[1:3] for row in texts(second)] == [["75.0%", "25.0%"], ["50.0%", "50.0%"]]


def test_one_trial_a_task_is_one_sentence_in_a_board() -> None:
    """Not hidden, and without empty tables; the document has the rates with their intervals."""
    once = {"ada": ["1", "0"], "bob": ["1", "1"]}
    part = reliability_section(reliability_of(prepare(trials(once), Choice(), QUICK), QUICK), ())
    assert part is not None
    (sentence,) = part.sentences
    assert sentence.startswith(
        "Whether the agents would do the same again cannot be said: that needs at least 2 trials"
    )
    assert sentence.endswith("each has 1 (10 are recommended).")
    assert (part.tables, part.figures) == ((), ())
    rows = texts(table(section(reliability_document(found(once)), "answer"), "reliability"))
    assert rows[0][1].startswith("100.0% [")
    assert rows[0][2] == "–"


def test_board_section_has_figure_and_tables() -> None:
    part = reliability_section(found(PAIR), [row.agent for row in found(PAIR).agents])
    assert part is not None
    assert [figure.id for figure in part.figures] == ["pass-spans"]
    assert [one.id for one in part.tables] == ["reliability", "trials", "pass-curves-data"]


def test_a_lone_agent_has_curves_and_every_task() -> None:
    """The figure has both curves; its tasks are listed with label and interval."""
    document = reliability_document(found({"ada": PAIR["ada"]}))
    (figure,) = section(document, "any-and-all").figures
    assert figure.id == "pass-curves"
    assert "pass@j rises to 75.0% and pass^j falls to 25.0% at j = 4" in figure.alt
    drawn = render_svg(figure.spec, key="k", title=figure.title, description=figure.alt)
    assert "share of tasks" in drawn
    tasks = section(document, "tasks")
    assert tasks.sentences == ("Trials disagree most on t03, where 50.0% pass.",)
    cells = table(tasks, "cells")
    assert len(cells.rows) == 12
    assert texts(cells)[1][-1] == "perfectly consistent"
    assert texts(table(tasks, "flips"))[0] == ["t03", "50.0%", "0.000"]


def test_figure_says_who_is_not_drawn() -> None:
    """Agents without verdicts enough have bounds in the table and no line in the figure."""
    document = reliability_document(found({**PAIR, "cyd": ["1110", "11--", "10--", "00--"] * 3}))
    part = section(document, "any-and-all")
    (figure,) = part.figures
    assert "Not drawn: 1 agent with too few tasks of 4 verdicts." in figure.note
    row = next(row for row in texts(table(part, "trials")) if row[0] == "cyd")
    assert row[1] == "75.0–100.0%"
    assert "18 planned trials have no verdict" in " ".join(section(document, "answer").sentences)


def test_no_task_flips() -> None:
    document = reliability_document(found({"ada": ["11", "00"], "bob": ["11", "11"]}))
    assert section(document, "tasks").sentences == ("On no task do trials of one agent disagree.",)


def test_calibration_says_what_it_needs() -> None:
    """Without confidences, the column; with them and without a bound, the option."""
    none = section(reliability_document(found(PAIR)), "calibration")
    assert "need the column `confidence`" in none.sentences[0]
    stating = found(PAIR, confidence=0.3 + 0.4 * pl.col("passed"))
    part = section(reliability_document(stating), "calibration")
    assert part.sentences[0].startswith("ada states 52.5% on average and passes 56.2%")
    assert "--abstain-below" in part.sentences[-1]
    assert [one.id for one in part.tables] == ["calibration"]
    bound = reliability(
        trials(PAIR, confidence=0.3 + 0.4 * pl.col("passed")), settings=QUICK, abstain_below=0.5
    )
    part = section(reliability_document(bound), "calibration")
    assert [one.id for one in part.tables] == ["calibration", "abstention"]
    assert texts(part.tables[1])[0][2].startswith("100.0%")


def test_meters_that_do_not_count_are_told() -> None:
    """What the consistency of resources rests on, and which meter was the same in every trial."""
    part = section(
        reliability_document(found(PAIR, cost_usd=pl.lit(0.5), steps=pl.int_range(pl.len()) % 7 + 1)),
        "any-and-all",
    )
    assert "Resource consistency rests on steps of 2 agents." in part.sentences
    assert any(
        text.startswith("Cost of 2 agents does not count: the same in every trial") for text in part.sentences
    )


@pytest.mark.parametrize("render", [render_text, render_markdown, render_html])
def test_every_format_draws_it(render: Any) -> None:
    drawn = render(reliability_document(found({**PAIR, "cyd": ["11-", "0--"] * 6})))
    assert "ada" in drawn
    assert "pass^" in drawn


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "\u202egnp.exe", "line\nbreak\x1b[2J", "x" * 300]
)
def test_hostile_names_stay_names(name: str) -> None:
    """In every sentence, table and figure."""
    document = reliability_document(found({name: PAIR["ada"], "bob": PAIR["bob"]}))
    assert "<script>" not in render_html(document)
    assert "\x1b" not in render_text(document)
    assert "\u202e" not in render_text(document)


def test_data_have_what_people_do_not_see() -> None:
    """Numbers of tasks and of trials without a verdict are columns of the data."""
    first = table(section(reliability_document(found(PAIR)), "answer"), "reliability")
    keys = [column.key for column in first.columns]
    assert len(set(keys)) == len(keys)
    row = dict(zip(keys, data_rows(first)[0], strict=True))
    assert (row["tasks"], row["no_verdict"]) == (12, 0)
    assert [row["one_minus_variance"]] == pytest.approx([0.890625])
