"""A second verdict on the same trials."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.verifiers.records import SecondVerdicts, VerdictRow
from measurand.analyze.verifiers.verdicts import second_verdicts, verdicts_of
from measurand.errors import UsageError
from measurand.infer.means.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.analyze.conftest import Make

    from measurand.model.table import Trials

QUICK = Settings(resamples=300)
LETTERS = {
    "b": (True, True),
    "r": (True, False),
    "p": (True, None),
    "f": (False, None),
    "a": (False, True),
    "n": (False, False),
}
"""b passes both, r is rejected, p passed and was not re-checked; f failed, a failed and passes the second, n neither."""


def trials_of(make: Make, boards: Mapping[str, Sequence[str]], **more: Any) -> Trials:
    """One text a task, one letter a trial."""
    rows = []
    for agent, tasks in boards.items():
        for n, letters in enumerate(tasks):
            for trial, letter in enumerate(letters):
                first, second = LETTERS[letter]
                row: dict[str, Any] = {
                    "agent": agent,
                    "task": f"t{n:02}",
                    "trial": str(trial),
                    "verdict": "pass" if first else "fail",
                }
                if second is not None:
                    row["verdicts"] = {"strict": second}
                rows.append(row | more)
    return make(rows)


def row_of(found: SecondVerdicts, agent: str) -> VerdictRow:
    return next(row for row in found.agents if row.agent == agent)


def test_passes_are_rejected_and_rates_fall(make: Make) -> None:
    """Of three passes one is rejected: a third, with Wilson's interval, and the rate falls by one task."""
    found = second_verdicts(trials_of(make, {"ada": "bbrff", "bob": "bbbbf"}), settings=QUICK)
    ada = row_of(found, "ada")
    assert (ada.passes, ada.checked, ada.rejected) == (3, 3, 1)
    assert (ada.rejected_share.low, ada.rejected_share.high) == (wilson(1, 3).low, wilson(1, 3).high)
    assert (ada.first.value, ada.second.value, ada.second_low) == (0.6, 0.4, 0.4)
    assert (found.median_share, found.lowest_share, found.highest_share) == (1 / 6, 0, 1 / 3)
    assert (ada.corrected, found.errors.design) == (None, None)
    assert (found.first_name, found.second_name, found.counts_only) == ("gate", "strict", False)


def test_an_order_can_turn(make: Make) -> None:
    """The first of two falls behind: one reversal, tau-b of -1, and the ranks change."""
    found = second_verdicts(trials_of(make, {"ada": "bbrrf", "bob": "bbbff"}), settings=QUICK)
    assert (found.order.neighbours, found.order.reversed, found.order.tau_b) == (1, 1, -1.0)
    ada = row_of(found, "ada")
    assert (ada.rank_first, ada.rank_second) == (1, 2)
    assert found.order.band is not None
    assert found.order.band.share == pytest.approx(2 / 7)
    assert (found.order.band.low, found.order.band.high) == (0, 1)


def test_a_stricter_verdict_may_separate_better(make: Make) -> None:
    """Three agents of one tier by the first verdict fall into two by both; the tiers are of the same agents."""
    more = {"ada": "b" * 12 + "f", "bob": "r" * 11 + "fb", "cyd": "b" * 11 + "fb"}
    found = second_verdicts(trials_of(make, more), settings=QUICK)
    assert [row.agents for row in found.tiers.first] == [("ada", "bob", "cyd")]
    assert [row.agents for row in found.tiers.second] == [("ada", "cyd"), ("bob",)]
    assert (found.tiers.significant_first, found.tiers.significant_second) == (0, 2)
    assert (row_of(found, "bob").tier_first, row_of(found, "bob").tier_second) == (1, 2)


def test_a_few_unknown_stand_and_bound_the_rate(make: Make) -> None:
    """One unknown of ten passes stands; taken as rejected it gives the lowest rate."""
    boards = {"ada": "b" * 8 + "rp" + "ff", "bob": "b" * 10 + "ff"}
    found = second_verdicts(trials_of(make, boards), settings=QUICK)
    ada = row_of(found, "ada")
    assert (ada.passes, ada.checked, ada.rejected) == (10, 9, 1)
    assert ada.second.value == pytest.approx(9 / 12)
    assert ada.second_low == pytest.approx(8 / 12)
    assert found.order.left_out == ()
    assert any("1 of 20 passes were not re-checked" in finding.text for finding in found.findings)


def test_too_many_unknown_have_no_place_in_the_order(make: Make) -> None:
    """An agent of whose passes half are unknown is listed last, without rank, and its rate is estimated."""
    boards = {"ada": "bbrrppppff", "bob": "bbbbbbbfff", "cyd": "bbbbbfffff"}
    found = second_verdicts(trials_of(make, boards), settings=QUICK)
    assert found.order.left_out == ("ada",)
    assert [row.agent for row in found.agents] == ["bob", "cyd", "ada"]
    ada = row_of(found, "ada")
    assert (ada.rank_first, ada.second.value) == (None, None)
    assert "4 of 8" in (ada.second.reason or "")
    assert ada.corrected is not None
    assert ada.corrected.prediction_powered.value == pytest.approx(0.8 * 0.5)
    assert found.errors.design is not None
    assert "random sample of the passes" in found.errors.design
    assert any("cannot show" in finding.text for finding in found.findings)


def test_whole_agents_unseen_are_no_sample(make: Make) -> None:
    """Where some agents were re-checked fully and others not at all there is nothing to estimate the others from."""
    found = second_verdicts(trials_of(make, {"ada": "brff", "bob": "bbff", "cyd": "ppff"}), settings=QUICK)
    assert found.order.left_out == ("cyd",)
    assert [row.corrected for row in found.agents] == [None, None, None]


def test_failures_are_used_only_when_they_were_judged_as_well(make: Make) -> None:
    """A second verdict that passes a failure changes nothing until it is said to have judged failures."""
    trials = trials_of(make, {"ada": "bbrffna", "bob": "bbbffna"})
    plain = second_verdicts(trials, settings=QUICK)
    assert (plain.errors.fails_checked, plain.errors.fails_accepted) == (4, 2)
    assert not plain.errors.failures_used
    assert any("--failed-too" in finding.text for finding in plain.findings)
    both = second_verdicts(trials, settings=QUICK, failures=True)
    assert both.errors.failures_used
    assert both.errors.sensitivity is not None
    assert not both.errors.sensitivity_assumed
    corrected = row_of(both, "ada").corrected
    assert corrected is not None
    assert corrected.prediction_powered.value == pytest.approx(2 / 7 + 4 / 7 * 1 / 2)
    assert [row.second.value for row in both.agents] == [row.second.value for row in plain.agents]


def test_passes_looked_at_more_often_than_failures_are_strata(make: Make) -> None:
    """Where all passes and few failures were re-checked no common chance is assumed."""
    boards = {name: ["b"] * 40 + ["r"] * 10 + ["f"] * 45 + ["a"] + ["n"] * 4 for name in ("ada", "bob")}
    found = second_verdicts(trials_of(make, boards), settings=QUICK, failures=True)
    assert "different chances" in (found.errors.design or "")
    corrected = row_of(found, "ada").corrected
    assert corrected is not None
    assert corrected.power is None
    assert corrected.prediction_powered.value == pytest.approx(0.4 + 0.5 * 0.2)
    assert corrected.rogan_gladen.value == pytest.approx(0.4 + 0.5 * 0.2)


def test_a_random_sample_tunes_the_first_verdicts(make: Make) -> None:
    """With one chance for all trials the estimate is prediction-powered, and its weight is told."""
    rng = np.random.default_rng(3)
    letters = np.where(
        rng.random((2, 200)) < 0.4, rng.choice([*"bbbrnnna"], (2, 200)), rng.choice([*"pf"], (2, 200))
    )
    found = second_verdicts(
        trials_of(make, dict(zip("xy", letters.tolist(), strict=True))), settings=QUICK, failures=True
    )
    assert "all trials" in (found.errors.design or "")
    corrected = row_of(found, "x").corrected
    assert corrected is not None
    assert corrected.power is not None
    assert corrected.prediction_powered.low is not None


def test_failures_that_nobody_judged_are_said(make: Make) -> None:
    """Asked to use failures where none was re-checked, the result says so."""
    found = second_verdicts(trials_of(make, {"ada": "brff", "bob": "bbff"}), settings=QUICK, failures=True)
    assert any("No failed trial" in finding.text for finding in found.findings)
    assert not found.errors.failures_used


def test_outcomes_decide_the_first_verdict_and_not_the_second(make: Make) -> None:
    """A trial that timed out and passed counts as passed; without a second verdict it is unknown and not rejected."""
    rows: list[dict[str, Any]] = [
        {"task": "a", "outcome": "agent_timeout", "verdicts": {"other": True}},
        {"task": "b", "outcome": "infra_error", "verdict": None, "verdicts": {"strict": False}},
        {"task": "c", "outcome": "no_output", "verdict": None, "verdicts": {"strict": True}},
        {"task": "d", "verdicts": {"strict": True}},
    ]
    found = second_verdicts(make(rows), "strict", settings=QUICK)
    row = row_of(found, "kite")
    assert (row.passes, row.checked, row.rejected) == (2, 1, 0)
    assert found.errors.fails_checked == 1


def test_any_verdict_can_be_the_first(make: Make) -> None:
    """The official verdict may be first, and the gate second."""
    rows = [
        {
            "agent": agent,
            "task": f"t{n}",
            "verdict": "pass" if gate else "fail",
            "verdicts": {"official": True},
        }
        for agent in "ab"
        for n, gate in enumerate([True, False, True])
    ]
    found = second_verdicts(make(rows), "gate", first="official", settings=QUICK)
    assert row_of(found, "a").rejected_share.value == pytest.approx(1 / 3)
    assert (found.first_name, found.others) == ("official", ())


def test_trials_of_a_task_are_not_independent(make: Make) -> None:
    """Passes of one task that fall together widen the interval; families widen it more."""
    boards = {"ada": ["bbbb", "rrrr", "bbbb", "bbbb"], "bob": ["bbbb"] * 4}
    found = second_verdicts(trials_of(make, boards), settings=QUICK)
    share = row_of(found, "ada").rejected_share
    assert share.value == pytest.approx(0.25)
    assert share.high is not None
    assert share.high > (wilson(4, 16).high or 0)
    clustered = second_verdicts(trials_of(make, boards, family="x"), settings=QUICK)
    assert "family" in (row_of(clustered, "ada").rejected_share.method or "")


def test_tasks_with_more_trials_do_not_weigh_more(make: Make) -> None:
    """A pass is worth 1 over its task's trials; the band has then no short exact mean."""
    boards = {"ada": ["bb", "r", "f"], "bob": ["bf", "b", "f"], "cyd": ["bf", "f", "f"]}
    found = second_verdicts(trials_of(make, boards), settings=QUICK)
    assert row_of(found, "ada").first.value == pytest.approx(2 / 3)
    assert row_of(found, "ada").second.value == pytest.approx(1 / 3)
    assert found.order.band is not None
    assert found.order.band.expected is None


@pytest.mark.parametrize(
    ("boards", "part"),
    [
        ({"ada": "r"}, "2 agents"),
        ({"ada": "ff", "bob": "fn"}, "no agent passes"),
        ({"ada": "pp", "bob": "na"}, "2 agents"),
    ],
)
def test_too_little_has_a_reason(make: Make, boards: dict[str, str], part: str) -> None:
    """One agent, nobody who passes, nobody re-checked: no order, and the reason is said."""
    found = second_verdicts(trials_of(make, boards), settings=QUICK)
    assert part in (found.order.reason or "")
    assert found.order.band is None
    assert found.tiers.reason is not None


def test_the_second_verdict_must_be_plain(make: Make) -> None:
    """Unknown names, one name twice, several verdicts or none are refused with what there is."""
    two = make([{"verdicts": {"strict": True, "lax": True}}])
    with pytest.raises(UsageError, match="2 further verdicts"):
        second_verdicts(two)
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        second_verdicts(two, "strikt")
    with pytest.raises(UsageError, match="both"):
        second_verdicts(two, "lax", first="lax")
    with pytest.raises(UsageError, match="no trial has a second verdict"):
        second_verdicts(make([{}]))
    with pytest.raises(UsageError, match="no verdict 'official'"):
        second_verdicts(two, "lax", first="official")


def test_a_board_has_every_further_verdict(make: Make) -> None:
    """Each further verdict is judged against the gate; without one there is nothing."""
    rows = [
        {"agent": agent, "task": f"t{n}", "verdicts": {"strict": n > 0, "lax": True}}
        for agent in "ab"
        for n in range(4)
    ]
    parts = verdicts_of(prepare(make(rows), Choice(), QUICK), QUICK)
    assert [(part.second_name, part.median_share) for part in parts] == [("lax", 0.0), ("strict", 0.25)]
    assert verdicts_of(prepare(make([{}]), Choice(), QUICK), QUICK) == ()


board_letters = st.lists(st.text("brpfan", min_size=1, max_size=2), min_size=4, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.lists(board_letters, min_size=1, max_size=4), st.booleans())
def test_it_equals_its_naive_twin(make: Make, boards: list[list[str]], failures: bool) -> None:  # noqa: FBT001 - drawn
    """Counts, rates, ranks and reversals are those counted by hand, and nothing is NaN."""
    named = {f"a{n}": board for n, board in enumerate(boards)}
    if not any(letter in "bran" for board in boards for letter in "".join(board)):
        return
    found = second_verdicts(trials_of(make, named), "strict", settings=QUICK, failures=failures)
    firsts, boths = {}, {}
    for agent, board in named.items():
        letters = "".join(board)
        passes, unknown = sum(map(letters.count, "brp")), letters.count("p")
        row = row_of(found, agent)
        assert (row.passes, row.checked, row.rejected) == (passes, passes - unknown, letters.count("r"))
        first = np.mean([np.mean([x in "brp" for x in cell]) for cell in board])
        assert row.first.value == pytest.approx(first)
        if unknown <= 0.1 * passes:
            firsts[agent] = round(float(first), 9)
            boths[agent] = round(float(np.mean([np.mean([x in "bp" for x in cell]) for cell in board])), 9)
            assert row.second.value == pytest.approx(boths[agent])
            assert row.second_low == pytest.approx(
                np.mean([np.mean([x == "b" for x in cell]) for cell in board])
            )
        else:
            assert agent in found.order.left_out
    order = sorted(firsts, key=lambda agent: (-firsts[agent], agent))
    assert [row.agent for row in found.agents if row.rank_first is not None] == order
    apart = [(i, j) for i, j in pairwise(order) if firsts[i] > firsts[j]]
    assert found.order.neighbours == len(apart)
    assert found.order.reversed == sum(boths[i] < boths[j] for i, j in apart)
    assert found.order.tied == sum(boths[i] == boths[j] for i, j in apart)
    for agent in order:
        assert row_of(found, agent).rank_second == 1 + sum(boths[o] > boths[agent] for o in order)
    encoded = msgspec.json.encode(found)
    assert msgspec.json.decode(encoded, type=SecondVerdicts) == found
    assert b"NaN" not in encoded


def test_order_of_rows_and_names_of_tasks_do_not_matter(make: Make) -> None:
    """The same trials in another order, under other names of tasks, give the same record."""
    trials = trials_of(make, {"ada": "bbrrpfna", "bob": "brbrbbff", "cyd": "brbbfnan"})
    one = second_verdicts(trials, settings=QUICK)
    turned = trials.with_frame(trials.frame.reverse())
    assert second_verdicts(turned, settings=QUICK) == one
    renamed = trials.with_frame(trials.frame.with_columns(task="x" + trials.frame["task"]))
    assert second_verdicts(renamed, settings=QUICK) == one


def test_settings_hold(make: Make) -> None:
    """Level, seed, resamples and the size of the family are those asked for, and the methods name them."""
    boards = {"ada": "bbbbbbbr", "bob": "bbbbbrff", "cyd": "bbbfffff"}
    asked = replace(QUICK, level=0.1, seed=5, top=2)
    found = second_verdicts(trials_of(make, boards), settings=asked, command="measurand verdicts")
    assert found.tiers.family == ("ada", "bob")
    assert found.order.band is not None
    assert (found.order.band.level, found.order.band.seed, found.order.band.resamples) == (0.9, 5, 300)
    assert row_of(found, "ada").rejected_share.level == 0.9
    notes = {note.topic: note.text for note in found.methods}
    assert "seed 5" in notes["Random removal"]
    assert found.command == "measurand verdicts"
