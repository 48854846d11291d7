"""Stated numbers find ours, and differences their reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measurand.analyze.headlines.explain import explain
from measurand.analyze.headlines.records import Headline, Tally
from measurand.analyze.reproduce import reproduce, set_beside
from measurand.errors import UsageError
from measurand.model.imports import Declaration
from measurand.model.stated import Stated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.analyze.conftest import Make


def said(value: float, unit: str = "percent", name: str = "resolved", **more: str) -> Stated:
    return Stated(**{"agent": "kite", "where": "board.json: kite", **more}, name=name, value=value, unit=unit)


def share(passes: int, n: int, no_verdict: int = 0, absent: int = 0) -> Headline:
    return Headline(
        agent="kite", name="resolved", value=passes / n, n=n, tally=Tally(passes, n, no_verdict, absent)
    )


@pytest.mark.parametrize(
    ("value", "ours", "agreement", "words"),
    [
        (50.0, share(5, 10), "equal", "equal"),
        (33.3, share(1, 3), "rounding", "stated to 1 decimal"),
        (
            62.5,
            share(5, 10, no_verdict=2),
            "counts",
            "leaves out the 2 trials without a verdict or score (5 of 8",
        ),
        (55.6, share(5, 10, absent=1), "counts", "leaves out the 1 absent task (5 of 9"),
        (71.43, share(5, 10, no_verdict=1, absent=2), "counts", "and 2 absent tasks (5 of 7"),
        (
            70.0,
            share(5, 10, no_verdict=2),
            "counts",
            "counts all 2 trials without a verdict or score as passed",
        ),
        (60.0, share(5, 10, no_verdict=3), "possible", "6 of 10, ours 5 of 10: 1 more"),
        (40.0, share(5, 10, no_verdict=3), "unexplained", "4 of 10, ours 5 of 10: 1 fewer"),
        (45.7, share(5, 10), "unexplained", "no number of passes among 10 gives it"),
    ],
)
def test_each_reason(value: float, ours: Headline, agreement: str, words: str) -> None:
    """The first reason that gives the stated digits is told, with its counts."""
    found = explain(said(value), ours)
    assert found.agreement == agreement
    assert words in found.text


def test_equal_numbers_say_what_they_count_as_not_passed() -> None:
    """Agreement on a denominator is news where it holds trials without a verdict."""
    text = explain(said(0.5, "share"), share(5, 10, 1, 2)).text
    assert text == "equal (with 1 trial without a verdict or score and 2 absent tasks counted as not passed)"


def test_stated_numbers_find_their_agent_and_name(make: Make) -> None:
    """By name; other agents and numbers are told apart, and what is not stated comes last."""
    trials = make(
        [{"task": "a"}, {"task": "b", "verdict": "fail"}, {"task": "a", "agent": "lark"}],
        Declaration(suite="s", tasks=2, absent_is_fail=True),
    )
    stated = [said(50.0), said(1.0, agent="owl"), said(2.0, name="elegance")]
    found = set_beside(trials, stated, "swebench")
    assert [row.agreement for row in found.rows] == ["equal", "not computed", "not computed", "not stated"]
    assert "no trials of this agent" in found.rows[1].explanation
    assert "not computed" in found.rows[2].explanation
    last = found.rows[3]
    assert (last.agent, last.ours, last.stated, last.n) == ("lark", 0.5, None, 2)
    assert (found.n_stated, found.own_definition, found.suites) == (3, True, ("s",))


def test_a_number_of_a_job_is_about_its_trials(make: Make) -> None:
    """By the folder of the file, where an agent has several jobs."""
    trials = make(
        [
            {"task": "a", "job": "1", "official_score": 1.0, "source_ref": "one/a/result.json"},
            {"task": "b", "job": "2", "official_score": 0.0, "source_ref": "two/b/result.json"},
        ]
    )
    stated = [
        said(value, "", "mean reward", where=f"{job}/result.json: x")
        for value, job in ((1, "one"), (0, "two"))
    ]
    found = set_beside(trials, stated, "harbor")
    assert [(row.ours, row.agreement) for row in found.rows[:2]] == [(1.0, "equal"), (0.0, "equal")]


def test_a_number_of_a_suite_names_it(make: Make) -> None:
    """In its name or its place; else it cannot be told which suite it is about."""
    trials = make([{"suite": "air"}, {"suite": "sea", "verdict": "fail"}])
    named = set_beside(trials, [said(100.0, name="pass^1 air"), said(0.0, name="pass^1 sea")], "tau2")
    assert [row.agreement for row in named.rows[:2]] == ["equal", "equal"]
    placed = set_beside(trials, [said(0.0, name="pass^1", where="sea.json: x")], "tau2")
    assert placed.rows[0].agreement == "equal"
    (lost, *_) = set_beside(trials, [said(0.0, name="pass^1", where="all.json: x")], "tau2").rows
    assert lost.agreement == "not computed"
    assert lost.explanation == "it cannot be told which trials it is about: air, sea"


def test_scores_rounded_in_the_files_explain_a_small_difference(make: Make) -> None:
    """Scores of three decimals do not give a mean of six."""
    trials = make([{"task": "a", "official_score": 0.333}, {"task": "b", "official_score": 0.5}])
    near, far = (said(value, "share", "average accuracy") for value in (0.416666, 0.43))
    assert set_beside(trials, [near], "weirdml").rows[0].agreement == "rounding"
    assert set_beside(trials, [far], "weirdml").rows[0].agreement == "unexplained"


def test_a_score_that_may_be_another_one_is_not_compared(make: Make) -> None:
    """Names that agree in their endings are compared only where the numbers do."""
    trials = make([{"official_score": 0.5}])
    same, other = (said(value, "share", "match accuracy") for value in (0.5, 0.7))
    assert set_beside(trials, [same], "inspect").rows[0].agreement == "equal"
    assert set_beside(trials, [other], "inspect").rows[0].agreement == "not computed"


def test_costs_that_are_stated_are_set_beside_ours(make: Make) -> None:
    """A mean of known costs, told when some are unknown."""
    trials = make([{"task": "a", "cost_usd": 1.0}, {"task": "b", "cost_usd": 2.0}, {"task": "c"}])
    found = set_beside(trials, [said(1.5, "USD", "cost per instance")], "swebench").rows[0]
    assert found.agreement == "equal"
    assert "1 of 3" in found.definition


def test_a_source_that_does_not_exist_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no source"):
        reproduce("nonsense", tmp_path)


def test_a_table_has_the_rate_of_its_gate(tmp_path: Path) -> None:
    """No file states a number, and no definition is known."""
    path = tmp_path / "t.csv"
    path.write_text("agent,task,passed\nkite,a,1\nkite,b,0\n", encoding="utf-8")
    found = reproduce("table", path)
    assert not found.own_definition
    assert [(row.name, row.ours, row.agreement) for row in found.rows] == [("pass rate", 0.5, "not stated")]
