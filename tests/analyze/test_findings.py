"""What a reader is told about the data before believing a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from measurand.analyze.board import board
from measurand.analyze.settings import Settings
from measurand.load import import_into, read
from measurand.model.imports import Declaration
from measurand.score.trials import Scoring

if TYPE_CHECKING:
    from pathlib import Path

    from tests.analyze.conftest import Make

    from measurand.analyze.records import Finding
    from measurand.model.table import Trials


def found(trials: Trials, settings: Settings | None = None) -> tuple[Finding, ...]:
    return board(trials, settings=settings).findings


def about(findings: tuple[Finding, ...], subject: str, words: str = "") -> list[Finding]:
    return [finding for finding in findings if finding.subject == subject and words in finding.text]


def tenfold(**fields: Any) -> list[dict[str, Any]]:
    return [{"trial": str(n), **fields} for n in range(10)]


def test_nothing_is_told_of_good_data(make: Make) -> None:
    """Ten completed trials of one task give no reason to say anything."""
    assert found(make(tenfold())) == ()


def test_gravest_findings_come_first(make: Make) -> None:
    """Problems stand before warnings, warnings before notes."""
    findings = found(
        make([{"agent": "a", "cost_usd": 1.0}, {"agent": "b", "outcome": "missing", "verdict": None}])
    )
    order = {"problem": 0, "warning": 1, "info": 2}
    ranks = [order[finding.severity] for finding in findings]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1


def test_missing_cells_are_counted_by_agent(make: Make) -> None:
    """Missing cells are counted, with their share and whose they are."""
    rows = [{"agent": agent, "task": task} for agent, task in ("ax", "ay", "az", "bx")]
    (finding,) = about(found(make(rows)), "coverage")
    assert finding.text.startswith("2 of 6 cells (33.3%) are missing")
    assert finding.examples == ("b: 2 tasks",)


def test_absence_as_failure_is_told(make: Make) -> None:
    """Where absence is failure the reader learns how many cells rest on it, and how many tasks nobody names."""
    rows = [{"agent": agent, "task": task} for agent, task in ("ax", "ay", "az", "bx")]
    findings = about(found(make(rows, Declaration(suite="s", tasks=5, absent_is_fail=True))), "coverage")
    assert "2 of the suite's 5 tasks are named by no record" in findings[0].text
    assert findings[1].examples == ("b: 2 tasks",)


def test_trials_without_a_verdict_are_counted_by_outcome(make: Make) -> None:
    """Trials without a verdict are told by outcome, together with those planned and never recorded."""
    rows: list[dict[str, Any]] = [
        {"trial": "1"},
        {"trial": "2", "outcome": "infra_error"},
        {"trial": "3", "verdict": None},
    ]
    (finding, ignored) = about(found(make(rows, Declaration(suite="s", trials=5))), "verdicts")
    assert {"4", "5", "planned", "no"} <= set(finding.text.split())
    assert finding.examples == ("completed: 1", "infra_error: 1", "planned and not recorded: 2")
    assert "no verdict" in ignored.text


def test_passes_after_a_bad_end_are_told(make: Make) -> None:
    """A trial that hit its limit and still passed counts, and is told."""
    (finding,) = about(found(make(tenfold(outcome="limit"))), "verdicts")
    assert "ended badly and still passed" in finding.text


def test_uneven_trials_are_told(make: Make) -> None:
    """Unequal numbers of trials, and too few for statements on consistency, are told."""
    texts = [
        f.text for f in about(found(make([*tenfold(), {"task": "u"}, {"task": "u", "trial": "2"}])), "trials")
    ]
    assert texts[0].startswith("Agents have between 2 and 10 trials of a task")
    assert texts[1].startswith("Some tasks have only 2 trials")


def test_costs_of_several_price_tables_are_told(make: Make) -> None:
    """Costs that rest on two price tables are no one currency."""
    rows = [
        {"trial": str(n), "cost_usd": 1.0, "price_table": table}
        for n, table in enumerate(("2026-01", "2026-02"))
    ]
    (finding,) = about(found(make(rows)), "cost")
    assert finding.examples == ("2026-01", "2026-02")


def anchored(quantity: float | None, **fields: Any) -> dict[str, Any]:
    return {"quantity": quantity, "baseline": 1.0, "reference": 2.0, "better": "higher", **fields}


def test_weak_anchors_and_references_are_told(make: Make) -> None:
    """A reference that barely beats its baseline, and one that many trials pass by up to the clip, are named."""
    rows = [
        anchored(1.1, task="barely", reference=1.2),
        anchored(2.0, task="good"),
        anchored(100.0, task="passed by"),
        anchored(None, task="lost", source_ref="a.csv:9"),
    ]
    findings = found(make(rows))
    assert [f.examples for f in about(findings, "anchors", "weak_anchors")] == [("barely",)]
    assert [f.examples for f in about(findings, "anchors", "weak_reference")] == [("passed by",)]
    assert [f.examples for f in about(findings, "anchors", "quantity that can be scored")] == [("a.csv:9",)]
    (clip,) = about(findings, "anchors", "the clip at 3 binds")
    assert "1 of 4 trials (25.00%) beat the reference" in clip.text
    assert "1 of 3 valid trials (33.3" in clip.text


def test_thresholds_of_anchors_are_settings(make: Make) -> None:
    """What counts as a weak anchor, and where the clip binds, is the user's choice."""
    rows = [anchored(3.0)]
    strict = Settings(scoring=Scoring(weak_anchor_ratio=2.5, clip=1.5))
    findings = found(make(rows), strict)
    assert about(findings, "anchors", "weak_anchors")
    assert about(findings, "anchors", "the clip at 1.5 binds in 1 of 1")
    assert not about(found(make(rows)), "anchors", "weak_anchors")


def test_many_examples_are_cut(make: Make) -> None:
    """A finding names some cases; its count is complete."""
    rows = [{"agent": f"a{n:02}", "task": "x" if n < 20 else "y"} for n in range(21)]
    (finding,) = about(found(make(rows)), "coverage")
    assert finding.text.startswith("21 of 42 cells")
    assert len(finding.examples) == 10


def test_what_an_import_resolved_is_told_from_a_store_too(tmp_path: Path) -> None:
    """Conflicts and duplicates merged at import are told when the trials come from a store, as from the file."""
    data = pl.DataFrame(
        {
            "agent": ["kite"] * 4,
            "task": ["t", "t", "u", "u"],
            "trial": ["1"] * 4,
            "passed": [1, 0, 1, 1],
        }
    )
    direct = read(data, on_conflict="no-verdict")
    import_into(tmp_path / "store", data, on_conflict="no-verdict")
    stored = read(tmp_path / "store")
    for trials in (direct, stored):
        texts = [finding.text for finding in about(found(trials), "import")]
        assert any("equal" in text and "record of" in text for text in texts)
        assert any("records that disagree" in text for text in texts)
    assert [f.text for f in found(direct)] == [f.text for f in found(stored)]


def test_anchors_of_their_own_are_told(make: Make) -> None:
    """Where a task has other anchors in other rows, the scores rest on other scales, and that is told."""
    rows = [
        anchored(2.0, agent="a"),
        anchored(2.0, agent="b", reference=3.0),
        anchored(2.0, task="u", agent="a"),
    ]
    findings = about(found(make(rows)), "anchors", "the anchors differ between trials")
    assert [finding.examples for finding in findings] == [("t",)]


def test_passes_of_invalid_hand_ins_are_told(make: Make) -> None:
    """A trial that handed in nothing valid counts as failed whatever its verdict, and that is told."""
    trials = make(tenfold(outcome="invalid_output", source_ref="a.csv:2"))
    (finding,) = about(found(trials), "verdicts", "nothing valid")
    assert finding.text.startswith("10 trials")
    assert finding.examples == ("a.csv:2",) * 10
    assert board(trials).standings[0].gate.planned.value == 0


def test_interval_quantity_without_a_baseline_is_told(make: Make) -> None:
    """An interval quantity without a baseline cannot be scored, and the reader learns of each such trial."""
    rows = [{"trial": "1", "quantity": 1.0, "reference": 2.0, "kind": "interval", "better": "higher"}]
    valid = [
        {
            "task": "u",
            "quantity": 1.0,
            "baseline": 0.0,
            "reference": 2.0,
            "kind": "interval",
            "better": "higher",
        }
    ]
    (finding,) = about(found(make([*rows, *valid])), "anchors", "quantity that can be scored")
    assert finding.examples == ("kite, t, 1",)


def test_what_only_looks_like_one_trial_is_left_alone(make: Make) -> None:
    """Two jobs of one trial number are two trials of the cell."""
    row = board(make([{"job": "1"}, {"job": "2", "verdict": "fail"}])).standings[0]
    assert (row.gate.planned.value, row.gate.trials_planned) == (0.5, 2)


def test_agents_that_passed_nothing_are_named(make: Make) -> None:
    """A score of 0 for want of a single pass is told apart from a valid and poor hand-in."""
    trials = make([*tenfold(), *tenfold(agent="cheat", verdict="fail")])
    (told,) = about(found(trials), "verdicts", "passed no trial")
    assert told.examples == ("cheat",)


def test_a_missing_reference_is_said_to_cost_the_graded_scores(make: Make) -> None:
    """One task without a reference turns the board to the gate rate, and the reader learns why."""
    graded = {"quantity": 2.0, "baseline": 1.0, "reference": 2.0, "better": "higher"}
    trials = make([*tenfold(**graded), *tenfold(task="u", quantity=2.0)])
    (told,) = about(found(trials), "anchors", "no reference")
    assert told.examples == ("u",)
    assert board(trials).score == "gate"


def test_a_baseline_that_is_the_reference_is_told(make: Make) -> None:
    """The reference-only form is used on such tasks, and said to be."""
    trials = make(tenfold(quantity=2.0, baseline=1.0, reference=1.0, better="higher"))
    (told,) = about(found(trials), "anchors", "the baseline is the reference")
    assert told.examples == ("t",)


def test_a_quantity_without_any_reference_is_said_to_enter_no_score(make: Make) -> None:
    """The reader learns that what was measured was not judged, and how to have it judged."""
    (told,) = about(found(make(tenfold(quantity=0.5))), "anchors", "enters no score")
    assert "--set kind=interval" in told.text
