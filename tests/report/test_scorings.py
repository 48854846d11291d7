"""The scorings as a document: the answer first, reasons for what is missing, names that cannot harm."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from measurand.analyze.records import Finding, MethodNote
from measurand.analyze.scorings.binding import AnchorForm, Anchors, Binding, TaskBinding
from measurand.analyze.scorings.left_out import LeftOut
from measurand.analyze.scorings.rows import AgentPlaces, OrderPair, Place, ScoringRow
from measurand.analyze.scorings.scorings import Scorings
from measurand.report import render_html, render_markdown, render_text
from measurand.report.scorings.scorings import scorings_document, scorings_section

if TYPE_CHECKING:
    from measurand.report.document import Document, Section

HOSTILE = (
    "<script>alert(1)</script>",
    "quote\"d ' & </svg><b>bold</b>",
    "\u202egnp.exe\u202c",
    "x" * 500,
    "pipe | and *stars* [link](https://example.com)",
    "line\nbreak\x1b[2J",
    "=HYPERLINK(1)",
    "",
)
AGENTS = tuple(f"agent-{n}" for n in range(6))


def scoring(score: str, tiers: tuple[int, ...], **fields: Any) -> ScoringRow:
    plain: dict[str, Any] = {
        "score": score,
        "says": "",
        "family": AGENTS,
        "tiers": tiers,
        "n_tiers": max(tiers, default=None),
        "n_pairs": 15,
        "n_significant": 4,
        "index": 0.58,
        "category": "moderate",
        "r": 0.74,
        "t": 2.6,
        "n": 154,
        "k": 5,
        "first": AGENTS[0],
        "kth": AGENTS[4],
        "dominance": 0.03,
        "spread": 0.4,
    }
    return ScoringRow(**(plain | fields))


def order(b: str, tau: float | None, **fields: Any) -> OrderPair:
    plain: dict[str, Any] = {
        "a": "objective",
        "b": b,
        "tau_b": tau,
        "n_agents": 6,
        "reversed_pairs": 3,
        "moved": 4,
        "most_moved": AGENTS[3],
        "rank_a": 4,
        "rank_b": 1,
    }
    return OrderPair(**(plain | fields))


BINDING = Binding(
    trials=2000,
    passed=1800,
    valid=1800,
    unknown=0,
    beats=1400,
    at_cap=1500,
    at_clip=450,
    below_baseline=80,
    clip=3.0,
    tasks=150,
    tasks_all_capped=50,
    tasks_clipped=60,
    weak_share=0.1,
    most=(TaskBinding(task="svd", valid=10, at_cap=10, at_clip=8),),
)
ANCHORS = Anchors(
    forms=(AnchorForm(form="baseline and reference", tasks=150), AnchorForm(form="none", tasks=4)),
    units=("s",),
    reference_low=1.5,
    reference_high=20.0,
    gain_low=1.1,
    gain_median=2.0,
    gain_high=9.0,
    ids=("2026-01",),
    undated=3,
    weak=("svd",),
    weak_below=1.25,
    uneven=("fft",),
    trials=2000,
    key_official=1000,
    key_at=1.0,
)


@pytest.fixture
def record() -> Scorings:
    return Scorings(
        n_agents=6,
        n_tasks=154,
        n_trials=2000,
        standard="objective",
        rows=(
            scoring("gate", (1,) * 6, spread=0.07),
            scoring("key", (1, 1, 1, 1, 1, 2)),
            scoring("capped", (), n_tiers=None, test_reason="More than 10% of the cells are missing."),
            scoring("capped_linear", (), reason="no task has a reference", spread=None),
            scoring("objective", (1, 1, 2, 2, 3, 3), notes=("agents tie for the last place compared",)),
            scoring("official", (), reason="the data give none", spread=None),
        ),
        agents=tuple(
            AgentPlaces(
                agent=agent,
                places={
                    name: Place(rank=rank, mean=1 - rank / 10, tier=None if name == "capped" else 1)
                    for name in ("gate", "key", "capped", "objective")
                },
            )
            for rank, agent in enumerate(AGENTS, 1)
        ),
        orders=(order("gate", 0.5), order("key", 0.9), order("capped", None, reason="all equal")),
        binding=BINDING,
        anchors=ANCHORS,
        left_out=(
            LeftOut(
                what="of another suite", count=20, unit="row", effect="left out", examples=("lite: 20 rows",)
            ),
        ),
        suite="AlgoTune",
        suite_version="1.0",
        comparable=True,
        findings=(Finding(severity="info", subject="trials", text="One trial a task."),),
        methods=(MethodNote(topic="Tiers", text="Leader rule."),),
        command="measurand scorings results.parquet",
    )


def section(document: Document, key: str) -> Section:
    return next(one for one in document.sections if one.id == key)


def text_of(document: Document, key: str) -> str:
    return " ".join(section(document, key).sentences)


def test_the_answer_says_how_many_tiers_under_which_scoring(record: Scorings) -> None:
    """Most tiers first; then the orders, where the bounds bind, and what is not available and why."""
    answer = section(scorings_document(record), "answer")
    assert answer.lead
    assert answer.sentences == (
        "The first 6 agents form 3 tiers under the objective, 2 tiers under the answer key, 1 tier under the gate rate.",
        "The capped score is without tiers: More than 10% of the cells are missing.",
        "Against the objective, the order of 6 agents agrees least under the gate rate: Kendall's τ-b 0.50, 3 pairs turned round; and most under the answer key: 0.90.",
        "1,400 of 2,000 trials (70.0%) beat the reference; the cap at it binds in 83.3% of the valid ones, the clip of the objective at 3 in 25.0%.",
        "The capped linear score is not available: no task has a reference.",
        "The official score is not available: the data give none.",
    )


def test_scorings_with_one_reason_share_a_sentence(record: Scorings) -> None:
    """A reason that holds for several scorings is said once."""
    rows = tuple(
        msgspec.structs.replace(row, reason="no quantity") if row.score != "gate" else row
        for row in record.rows
    )
    alone = msgspec.structs.replace(record, rows=rows, orders=(), standard="gate")
    answer = section(scorings_document(alone), "answer")
    assert (
        answer.sentences[0]
        == "The first 6 agents form 1 tier under the gate rate, the only scoring that the data allow."
    )
    assert answer.sentences[-1] == (
        "The answer key, the capped score, the capped linear score, the objective and the official score are not available: no"
        " quantity."
    )


def test_no_tiers_anywhere_is_said(record: Scorings) -> None:
    """Where no scoring gives tiers, the answer is the reason."""
    rows = tuple(
        msgspec.structs.replace(row, n_tiers=None, tiers=(), test_reason="There is one agent.")
        for row in record.rows
    )
    answer = section(scorings_document(msgspec.structs.replace(record, rows=rows)), "answer")
    assert answer.sentences[0] == "No scoring tells the agents apart: There is one agent."


def test_every_scoring_has_a_row(record: Scorings) -> None:
    """Those not available too, marked as such, and with dashes for their numbers."""
    (tiers, saturation) = section(scorings_document(record), "scorings").tables
    shown = {row.cells[0].value: [cell.full for cell in row.cells] for row in tiers.rows}
    assert shown["objective"][:4] == ["objective", "3 (2 + 2 + 2)", "4/15", "0.400"]
    assert shown["gate"][3] == "7.0 points"
    assert shown["official"][:4] == ["official score (not available)", "–", "–", "–"]
    assert [row.cells[0].value for row in saturation.rows] == ["gate", "key", "capped", "objective"]


def test_equal_scorings_are_marked(record: Scorings) -> None:
    """A scoring that says the same as another has its row, and neither a column nor a place in the figure."""
    rows = tuple(
        msgspec.structs.replace(row, same_as="objective") if row.score == "capped" else row
        for row in record.rows
    )
    document = scorings_document(msgspec.structs.replace(record, rows=rows))
    (tiers, _) = section(document, "scorings").tables
    assert tiers.rows[2].cells[0].full == "capped (as objective)"
    (places,) = section(document, "places").tables
    assert [column.label for column in places.columns if column.shown] == [
        "Agent",
        "Gate rate",
        "Key",
        "Objective",
    ]
    assert (
        text_of(document, "orders") == "The capped score gives every agent the same numbers as the objective."
    )


def test_figure_has_a_column_a_scoring(record: Scorings) -> None:
    """Places, tiers in the discs, lines between; all text is data, so that no name is read as an expression."""
    (figure,) = section(scorings_document(record), "places").figures
    points = figure.spec["layer"][1]["data"]["values"]
    assert [p["tier"] for p in points if p["column"] == 3] == ["1", "1", "2", "2", "3", "3"]
    assert {p["tier"] for p in points if p["column"] == 2} == {""}
    assert len(figure.spec["layer"][0]["data"]["values"]) == 3 * 6
    assert "labelExpr" not in json.dumps(figure.spec)
    assert figure.narrow is not None


def test_one_scoring_needs_no_figure_and_no_section(record: Scorings) -> None:
    """With the gate rate alone there is nothing to set side by side."""
    rows = tuple(
        msgspec.structs.replace(row, reason="none") if row.score != "gate" else row for row in record.rows
    )
    alone = msgspec.structs.replace(record, rows=rows, orders=(), standard="gate")
    assert section(scorings_document(alone), "places").figures == ()
    assert scorings_section(alone) is None
    part = scorings_section(record)
    assert part is not None
    assert part.figures
    assert part.sentences[0].startswith("The first 6 agents form 3 tiers")


def test_where_the_bounds_bind(record: Scorings) -> None:
    """Counts with their shares, and the tasks on which they bind most."""
    document = scorings_document(record)
    assert text_of(document, "binding") == (
        "1,400 of 2,000 trials (70.0%) beat the reference. The cap binds in 1,500 of 1,800 valid trials (83.3%), those at or above"
        " the reference, and in every valid trial of 50 of 150 tasks: there the capped score tells no two of them apart. The clip"
        " at 3 binds in 450 (25.0%); on 60 tasks in more than 10% of the valid trials, where a stronger reference would leave"
        " room to tell agents apart. 80 valid trials are worse than the baseline, or than one e-fold below the reference where"
        " there is none: worth 0 under the objective, as a failed one is."
    )
    (table,) = section(document, "binding").tables
    assert [cell.text for cell in table.rows[0].cells] == ["svd", "10", "100.0%", "80.0%"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"reason": "no trial is valid"}, "is not known: no trial is valid."),
        (
            {"unknown": 300, "bounds_reason": "300 of 1,800"},
            "At least 1,400 of 2,000 trials (70.0%) beat the reference.",
        ),
        (
            {"unknown": 3},
            "3 trials that passed have no quantity that can be scored: left out of the shares below.",
        ),
        ({"at_cap": 0, "at_clip": 0, "most": ()}, "None of 1,800 valid trials reaches the reference"),
        ({"at_clip": 0}, "The clip at 3 binds nowhere."),
        ({"tasks_clipped": 0}, "The clip at 3 binds in 450 (25.0%)."),
        ({"tasks_all_capped": 0}, "those at or above the reference."),
    ],
)
def test_bounds_that_are_unknown_or_bind_nowhere(record: Scorings, fields: dict[str, Any], says: str) -> None:
    """Each case has its own words."""
    binding = msgspec.structs.replace(BINDING, **fields)
    assert says in text_of(scorings_document(msgspec.structs.replace(record, binding=binding)), "binding")


def test_anchors_in_words(record: Scorings) -> None:
    """Forms, range, gain, dates, weak and uneven ones, and what the key is."""
    text = text_of(scorings_document(record), "anchors")
    for words in (
        "150 tasks with baseline and reference: s = ln(q/b)/ln(r/b).",
        "4 tasks with no reference",
        "References run from 1.5 to 20 s; they improve on the baseline by 1.1 to 9 times (median 2).",
        "The anchors are those of 2026-01; those of 3 tasks bear neither version nor date",
        "on 1 task the reference improves on the baseline by less than 1.25 times: svd.",
        "On 1 task the anchors differ between trials, which is fair only if they were measured anew with each: fft.",
        "the official verdict, which 1,000 trials have; else whether the reference is reached.",
    ):
        assert words in text


def test_what_was_left_out_is_named(record: Scorings) -> None:
    """Count, reason, effect and examples; or that there is nothing."""
    (item,) = section(scorings_document(record), "left-out").items
    assert (item.label, item.text) == ("20 rows", "Of another suite: left out.")
    assert item.details == ("lite: 20 rows",)
    assert text_of(scorings_document(msgspec.structs.replace(record, left_out=())), "left-out").startswith(
        "Nothing"
    )


def test_rows_of_differing_fingerprints_are_marked(record: Scorings) -> None:
    """A ranking at the user's own risk says so above everything."""
    assert scorings_document(record).banner == ""
    assert scorings_document(msgspec.structs.replace(record, comparable=False)).banner.startswith(
        "Not comparable"
    )


def test_hostile_names_harm_nothing(record: Scorings) -> None:
    """Names of agents, tasks and units are shown in every format as text, never as markup or control characters."""
    names = dict(zip(AGENTS, HOSTILE, strict=False))
    rows = tuple(
        msgspec.structs.replace(
            row, family=tuple(names[a] for a in row.family), first=HOSTILE[0], kth=HOSTILE[3]
        )
        for row in record.rows
    )
    hostile = msgspec.structs.replace(
        record,
        rows=rows,
        agents=tuple(msgspec.structs.replace(one, agent=names[one.agent]) for one in record.agents),
        orders=tuple(msgspec.structs.replace(pair, most_moved=HOSTILE[1]) for pair in record.orders),
        anchors=msgspec.structs.replace(
            ANCHORS, units=(HOSTILE[5],), weak=HOSTILE, uneven=HOSTILE, ids=HOSTILE[:2]
        ),
        binding=msgspec.structs.replace(
            BINDING, most=(TaskBinding(task=HOSTILE[0], valid=1, at_cap=1, at_clip=1),)
        ),
        left_out=(LeftOut(what="dropped", count=1, unit="row", effect="left out", examples=HOSTILE),),
    )
    document = scorings_document(hostile)
    page = render_html(document)
    assert "<script>alert" not in page
    for text in (render_text(document), render_markdown(document), page):
        assert "\x1b[2J" not in text
        assert "\u202e" not in text
