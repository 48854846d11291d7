"""Intervals by every method in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from measurand.analyze.intervals import intervals, intervals_of
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.load import read
from measurand.report import render_html, render_markdown, render_text
from measurand.report.intervals import intervals_document, intervals_section
from measurand.report.parts import data_rows

if TYPE_CHECKING:
    from measurand.model.table import Trials
    from measurand.report.document import Document, Section

QUICK = Settings(resamples=200)


def trials(tasks: int, each: int = 1, *, names: tuple[str, ...] = ("ada", "bob"), **columns: Any) -> Trials:
    rng = np.random.default_rng(5)
    rows = [
        {"agent": name, "task": f"t{t:02}", "trial": str(k), "passed": int(rng.random() < 0.8 - 0.3 * place)}
        for place, name in enumerate(names)
        for t in range(tasks)
        for k in range(each)
    ]
    return read(pl.DataFrame(rows).with_columns(**columns))


def document(data: Trials, **more: Any) -> Document:
    return intervals_document(intervals(data, settings=QUICK, command="measurand intervals x", **more))


def section(found: Document, key: str) -> Section:
    return next(part for part in found.sections if part.id == key)


def test_the_answer_comes_first() -> None:
    """The first mean with the interval of the standings, and why it is that one."""
    answer = section(document(trials(60)), "answer")
    assert answer.lead
    assert answer.sentences[0].startswith("ada's mean gate rate is 75.0%")
    assert "95% interval [" in answer.sentences[0]
    assert answer.sentences[1].startswith("The standings show Wilson's interval")
    assert answer.sentences[2].startswith("The ends by different methods lie at most")


def test_columns_that_nobody_has_are_not_shown() -> None:
    """Wilson takes no means of several trials; the numbers of tasks are shown only where they differ."""
    (one,) = section(document(trials(60, 3)), "answer").tables
    shown = [column.label for column in one.columns if column.shown]
    assert shown == ["Agent", "Mean", "Percentile", "BCa", "t"]
    keys = [column.key for column in one.columns]
    assert len(set(keys)) == len(keys)
    row = dict(zip(keys, data_rows(one)[0], strict=True))
    assert row["wilson_reason"] == "the cells are not each one pass or fail"
    assert row["percentile_standing"] is True
    assert isinstance(row["bca_low"], float)


def test_few_tasks_carry_a_mark_and_the_reason() -> None:
    """An interval below the number from which its method claims its level has a star, Wilson's has none."""
    answer = section(document(trials(12)), "answer")
    assert answer.sentences[-1].startswith(
        "* may cover with less than its level: the percentile bootstrap claims its level from 50"
    )
    cells = answer.tables[0].rows[0].cells
    keys = [column.key for column in answer.tables[0].columns]
    assert cells[keys.index("percentile")].text.endswith("*")
    assert not cells[keys.index("wilson")].text.endswith("*")
    assert not any(text.startswith("*") for text in section(document(trials(90)), "answer").sentences)


def test_differences_only_where_asked_for() -> None:
    """With a word on what they are not."""
    assert not [part for part in document(trials(60)).sections if part.id == "differences"]
    part = section(document(trials(60), against="bob"), "differences")
    assert "each for one pair named beforehand" in part.sentences[0]
    (row,) = part.tables[0].rows
    assert row.cells[0].text == "ada"
    assert row.cells[1].text.endswith("points")


def test_a_mean_without_interval_says_so() -> None:
    data = trials(
        6,
        names=("ada",),
        passed=pl.lit(1),
        quantity=pl.lit(2.0),
        baseline=pl.lit(1.0),
        reference=pl.lit(2.0),
        better=pl.lit("higher"),
    )
    answer = section(document(data), "answer")
    assert answer.sentences[0] == "ada's mean objective is 1.000, without interval in the standings."
    assert "–" in render_text(document(data))


def test_families_are_named() -> None:
    found = document(trials(20, family=pl.col("task").str.slice(0, 2)))
    assert "in 2 families" in found.subtitle
    assert "95% intervals over 2 families of tasks" in section(found, "answer").tables[0].note


def test_board_section() -> None:
    """The same table and sentences, without findings and methods."""
    part = intervals_section(intervals_of(prepare(trials(60), Choice(), QUICK), QUICK))
    assert part is not None
    assert (part.id, len(part.tables)) == ("intervals", 1)


@pytest.mark.parametrize("render", [render_text, render_markdown, render_html])
@pytest.mark.parametrize("name", ["ada", "<script>alert(1)</script>", "\u202egnp.exe", "line\nbreak\x1b[2J"])
def test_every_format_draws_it_whatever_the_name(render: Any, name: str) -> None:
    drawn = render(document(trials(12, names=(name, "bob")), against="bob"))
    assert "bob" in drawn
    assert "\x1b" not in drawn
    assert "\u202e" not in drawn
    assert render is not render_html or "<script>alert" not in drawn
