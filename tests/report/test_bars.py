"""What a report says of harder bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from measurand.analyze.headroom.bar_records import BarRow, Bars, BarWindows, Cohort, CohortResult, TunedBar
from measurand.report import render_html, render_text
from measurand.report.headroom.bars import bars_document

if TYPE_CHECKING:
    from measurand.report.document import Document

EARLY = tuple(f"early {n}" for n in range(12))
LATE = ("late <b>0</b>", "late 1\x1b[2J")


def result(cohort: str, tiers: tuple[int, ...], index: float | None, zeros: int = 0) -> CohortResult:
    agents = EARLY if cohort == "early" else LATE
    return CohortResult(
        cohort=cohort,
        n_agents=len(agents),
        n_tasks=40,
        head=agents[:10],
        tiers=tiers,
        n_tiers=max(tiers) if tiers else None,
        n_pairs=45,
        n_significant=9,
        undecided=0,
        index=index,
        category=None,
        t=1.5,
        zeros=zeros,
        zero_share=zeros / len(agents),
        reason=None if tiers else "no two agents differ on any task that both have",
    )


def row(name: str, multiplier: float | None, *results: CohortResult, graded: bool = False) -> BarRow:
    return BarRow(name=name, graded=graded, multiplier=multiplier, cohorts=results)


@pytest.fixture
def record() -> Bars:
    reference = row(
        "reference (λ = 1)", 1.0, result("early", (1,) * 8 + (2, 2), 0.5), result("late", (1, 1), 0.9)
    )
    high = row("λ = 3", 3.0, result("early", (), None, zeros=12), result("late", (1, 2), 0.2))
    objective = row(
        "objective", None, result("early", (1, 2) + (3,) * 8, 0.001), result("late", (1, 2), 0.3), graded=True
    )
    return Bars(
        cut="2026-01-01",
        cohorts=(
            Cohort(name="early", agents=EARLY, first_release="2025-01-01", last_release="2025-12-01"),
            Cohort(name="late", agents=LATE, first_release="2026-01-01", last_release="2026-02-01"),
        ),
        left_out=("undated",),
        rows=(reference, high, objective),
        tuned=TunedBar(
            bar="reference (λ = 1)",
            multiplier=1.0,
            early=reference.cohorts[0],
            late=reference.cohorts[1],
            hindsight="λ = 3",
            hindsight_late=high.cohorts[1],
        ),
        form="hazen",
        field=None,
        window=None,
        window_reason=None,
        unavailable=("Percentiles are not available: they need a frozen field.",),
        suite="suite",
        suite_version=None,
        comparable=True,
        findings=(),
        methods=(),
        command=None,
    )


def sentences(document: Document, key: str) -> tuple[str, ...]:
    return next(section.sentences for section in document.sections if section.id == key)


def test_the_answer_says_what_a_harder_bar_would_have_done(record: Bars) -> None:
    """At most how many tiers, beside the reference and the graded score, for each cohort."""
    first, second, *_ = sentences(bars_document(record), "answer")
    assert first == (
        "A harder bar would have split the first 10 of 12 early agents into no tiers that could be told (the reference: 2, "
        "objective: 3); the 2 late agents into at most 2 tiers (the reference: 1, objective: 2)."
    )
    assert second == (
        "Raising the bar from the reference to λ = 3 takes the first 10 of 12 early agents from 2 tiers (S = 0.50) to no answer "
        "on tiers; the 2 late agents from 1 tier (S = 0.90) to 2 tiers (S = 0.20)."
    )


def test_it_says_whether_one_bar_does_what_the_graded_score_does(record: Bars) -> None:
    """No bar here has as many tiers as the objective in both cohorts."""
    text = " ".join(sentences(bars_document(record), "answer"))
    assert (
        "Objective: 3 tiers (S < 0.01) among the early agents and 2 tiers (S = 0.30) among the late agents; no bar has as many "
        "tiers in both cohorts." in text
    )
    best = row("all of it", 2.0, *record.rows[2].cohorts)
    text = " ".join(
        sentences(bars_document(msgspec.structs.replace(record, rows=(*record.rows, best))), "answer")
    )
    assert "the bar all of it has as many in both cohorts." in text


def test_agents_at_zero_cohorts_and_what_is_missing_are_told(record: Bars) -> None:
    """Whom a bar says nothing about, who was left out, and why something is not there."""
    text = " ".join(sentences(bars_document(record), "answer"))
    assert "The bar λ = 3 leaves 12 of 12 agents (100.0%) of the early cohort at zero" in text
    assert "Early: 12 agents, 2025-01-01 to 2025-12-01; late: 2 agents, 2026-01-01 to 2026-02-01." in text
    assert "1 agent without a release date or cohort is left out: undated." in text
    assert "Nothing can be told apart among the early agents under λ = 3: no two agents differ" in text
    assert "Percentiles are not available" in text


def test_tuning_is_called_tuning(record: Bars) -> None:
    """In sample and out of it, what hindsight would have chosen, and the untuned scores beside them."""
    text = " ".join(sentences(bars_document(record), "tuned"))
    assert "2 tiers (S = 0.50), in sample; out of sample the late ones get 1 tier (S = 0.90)" in text
    assert "The early result flatters the bar" in text
    assert (
        "With hindsight the same rule would have chosen λ = 3 for the late cohort: 2 tiers (S = 0.20)."
        in text
    )
    assert "Untuned, on the late cohort: objective 2 tiers (S = 0.30)." in text


def test_without_tuning_the_reason_is_said(record: Bars) -> None:
    """No cohorts, no tuning."""
    none = TunedBar(
        bar=None,
        multiplier=None,
        early=None,
        late=None,
        hindsight=None,
        hindsight_late=None,
        reason="it needs a cut",
    )
    document = bars_document(msgspec.structs.replace(record, tuned=none))
    assert sentences(document, "tuned") == ("Not available: it needs a cut.",)


def test_one_cohort_needs_no_name(record: Bars) -> None:
    """Without a cut nobody is early or late."""
    alone = msgspec.structs.replace(record.rows[0].cohorts[0], cohort="all")
    everybody = Cohort(name="all", agents=EARLY, first_release=None, last_release=None)
    document = bars_document(
        msgspec.structs.replace(
            record,
            cut=None,
            cohorts=(everybody,),
            left_out=(),
            rows=(row("winner", None, alone), row("objective", None, alone, graded=True)),
        )
    )
    text = " ".join(sentences(document, "answer"))
    assert "The bar winner: 2 tiers (S = 0.50) among the agents." in text
    assert "early" not in text
    labels = [column.label for column in document.sections[0].tables[0].columns if column.shown]
    assert labels == ["Bar or score", "Kind", "Tasks", "Tiers", "Sizes", "S", "t", "At zero"]


def test_where_nothing_can_be_told_the_answer_says_so(record: Bars) -> None:
    """Not "no tiers", but why."""
    empty = [
        msgspec.structs.replace(result, tiers=(), n_tiers=None, reason="there is one agent")
        for result in record.rows[0].cohorts
    ]
    document = bars_document(
        msgspec.structs.replace(record, rows=(msgspec.structs.replace(record.rows[0], cohorts=tuple(empty)),))
    )
    first = sentences(document, "answer")[0]
    assert first == "It cannot be told what a harder bar would have done: there is one agent."


def test_windows_are_a_table_or_a_reason(record: Bars) -> None:
    """One row a bar; or why there is none."""
    seen = BarWindows(windows=7, no_answer=1, one_tier=5, median_tiers=1.0, median_index=0.996)
    rows = tuple(msgspec.structs.replace(one, windows=seen) for one in record.rows)
    document = bars_document(msgspec.structs.replace(record, rows=rows, window=10))
    table = next(section for section in document.sections if section.id == "windows").tables[0]
    assert [cell.text for cell in table.rows[0].cells] == ["reference (λ = 1)", "5", "1", "1.0", "> 0.99"]
    assert table.note == "Of 7 windows of 10 agents that follow each other by release."
    few = bars_document(msgspec.structs.replace(record, window=10, window_reason="a window holds 10 agents"))
    assert sentences(few, "windows") == ("Windows are not available: a window holds 10 agents.",)


def test_names_of_others_are_shown_and_not_obeyed(record: Bars) -> None:
    """A bar's name is the user's data."""
    hostile: dict[str, Any] = {"name": "<script>x</script>\x1b[2J"}
    rows = (msgspec.structs.replace(record.rows[1], multiplier=None, **hostile), *record.rows[2:])
    document = bars_document(msgspec.structs.replace(record, rows=rows, left_out=LATE))
    assert "<script>x" not in render_html(document)
    assert "\x1b" not in render_text(document)
