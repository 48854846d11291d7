"""Harder bars over cohorts: what each bar gives, what tuning is worth, and what the data do not allow."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from measurand.analyze.board import board
from measurand.analyze.headroom.bar_cells import TrialQuantities
from measurand.analyze.headroom.bars import BarOptions, Bars, bars
from measurand.analyze.prepare import prepare
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.analyze.headroom.bar_records import BarRow
    from measurand.model.table import Trials

QUICK = Settings(resamples=5_000)
"""With twelve tasks all sign vectors are enumerated."""
EARLY = [f"early {n}" for n in range(5)]
LATE = [f"late {n}" for n in range(5)]
DATES = dict.fromkeys(EARLY, "2025-06-01") | dict.fromkeys(LATE, "2026-06-01")
CUT = BarOptions(cut="2026-01-01", dates=DATES)
TASKS = [f"t{n:02}" for n in range(12)]


def trials(make: Make, *, better: str = "higher", **more: Any) -> Trials:
    """Early agents lie about the baseline, late ones beyond the reference; every seventh cell fails."""
    rng = np.random.default_rng(6)
    rows = []
    for number, agent in enumerate([*EARLY, *LATE]):
        for place, task in enumerate(TASKS):
            gain = 4.0 ** (rng.normal(0.15 * number, 0.4))
            rows.append(
                {
                    "agent": agent,
                    "task": task,
                    "verdict": "fail" if (number + place) % 7 == 0 else "pass",
                    "quantity": gain if better == "higher" else 1 / gain,
                    "baseline": 1.0,
                    "reference": 4.0 if better == "higher" else 0.25,
                    "better": better,
                    **more,
                }
            )
    return make(rows)


def named(found: Bars, name: str) -> BarRow:
    return next(row for row in found.rows if row.name.startswith(name))


def test_the_bar_at_the_reference_is_the_answer_key(make: Make) -> None:
    """λ = 1 gives every cell of the key, so that no second row for the key is shown."""
    prepared = prepare(trials(make), Choice(), QUICK)
    cells = TrialQuantities.of(prepared).at_multiple(1.0).cells
    assert np.array_equal(cells, prepared.grid.cells("key").planned)
    assert [row.name for row in bars(trials(make), settings=QUICK).rows if not row.graded] == [
        "λ = 0.5",
        "reference (λ = 1)",
        "λ = 1.5",
        "λ = 2",
        "λ = 3",
    ]


def test_an_official_verdict_is_a_row_of_its_own(make: Make) -> None:
    """Where the key is not the reference, both are shown; the key takes no part in tuning."""
    settings = replace(QUICK, scoring=replace(QUICK.scoring, key_at=1.1))
    row = named(bars(trials(make), settings=settings), "answer key")
    assert (row.graded, row.multiplier) == (False, None)


def test_graded_rows_are_those_of_the_board(make: Make) -> None:
    """The objective's tiers and index are the board's own, at the same seed."""
    data = trials(make)
    found = named(bars(data, settings=QUICK), "objective").of("all")
    first = board(data, settings=QUICK)
    row = next(row for row in first.saturation if row.score == "objective")
    assert found is not None
    assert (found.tiers, found.index, found.t) == (row.tiers, row.index, row.t)
    assert found.head == first.test.family


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_higher_bar_leaves_more_at_zero(make: Make, better: str) -> None:
    """In both directions the share of agents at zero never falls with λ."""
    found = bars(trials(make, better=better), settings=QUICK, options=CUT)
    for cohort in ("early", "late"):
        results = [row.of(cohort) for row in found.rows if row.multiplier is not None]
        zeros = [result.zeros for result in results if result is not None]
        assert zeros == sorted(zeros)


def test_directions_are_mirrors(make: Make) -> None:
    """Quantities turned upside down with the direction turned too give the same answer."""
    one, two = (
        bars(trials(make, better=better), settings=QUICK, options=CUT) for better in ("higher", "lower")
    )
    for a, b in zip(one.rows, two.rows, strict=True):
        for mine, theirs in zip(a.cohorts, b.cohorts, strict=True):
            assert (mine.head, mine.tiers, mine.zeros) == (theirs.head, theirs.tiers, theirs.zeros)


def test_the_cut_day_belongs_to_the_late(make: Make) -> None:
    """Early is before the cut; agents without a date are left out and named."""
    dates = {**DATES, LATE[0]: "2026-01-01"}
    del dates[EARLY[4]]
    found = bars(trials(make), settings=QUICK, options=BarOptions(cut="2026-01-01", dates=dates))
    early, late = found.cohorts
    assert early.agents == tuple(EARLY[:4])
    assert late.agents == tuple(LATE)
    assert (late.first_release, late.last_release) == ("2026-01-01", "2026-06-01")
    assert found.left_out == (EARLY[4],)
    assert found.cut == "2026-01-01"


def test_cohorts_may_be_named_instead_of_cut(make: Make) -> None:
    """Named cohorts need no date."""
    named_cohorts = dict.fromkeys(EARLY, "early") | dict.fromkeys(LATE[:3], "late")
    found = bars(trials(make), settings=QUICK, options=BarOptions(cohorts=named_cohorts))
    assert [(cohort.name, len(cohort.agents)) for cohort in found.cohorts] == [("early", 5), ("late", 3)]
    assert found.left_out == tuple(LATE[3:])
    assert found.tuned.bar is not None


def test_the_tuned_bar_is_the_early_cohorts_best_and_is_tried_on_the_late(make: Make) -> None:
    """The rule sees the early cohort alone: scrambling the late agents does not change the choice."""
    data = trials(make)
    found = bars(data, settings=QUICK, options=CUT)
    tuned = found.tuned
    results = [
        (row, early)
        for row in found.rows
        if row.multiplier is not None and (early := row.of("early")) is not None
    ]
    best = max(early.n_tiers or 0 for _, early in results)
    equal = [(early.index, row.name) for row, early in results if early.n_tiers == best]
    assert tuned.bar == min(equal, key=lambda pair: pair[0] or 0.0)[1]
    row = named(found, tuned.bar or "")
    assert (tuned.early, tuned.late) == (row.of("early"), row.of("late"))
    early_only = data.with_frame(data.frame.filter(data.frame["agent"].is_in([*EARLY, LATE[0]])))
    again = bars(early_only, settings=QUICK, options=CUT)
    assert again.tuned.bar == tuned.bar


def test_without_dates_there_is_one_cohort_and_no_tuning(make: Make) -> None:
    """What cannot be had says what it needs."""
    found = bars(trials(make), settings=QUICK)
    assert [cohort.name for cohort in found.cohorts] == ["all"]
    assert found.tuned.bar is None
    assert "--cut DATE" in (found.tuned.reason or "")
    assert found.field is None
    assert any("frozen field" in text for text in found.unavailable)


def test_the_early_cohort_is_the_field_where_none_is_given(make: Make) -> None:
    """Percentiles are counted by hand among the early agents, those without a valid result last."""
    data = trials(make)
    prepared = prepare(data, Choice(), QUICK)
    quantities = TrialQuantities.of(prepared)
    columns = [prepared.grid.agents.index(agent) for agent in EARLY]
    cells = quantities.in_field(quantities.field_of(columns), "plain").cells
    frame = data.frame
    for row, task in enumerate(prepared.grid.tasks[:6]):
        members = {
            agent: (quantity, verdict)
            for agent, quantity, verdict in frame.filter(frame["task"] == task)
            .select("agent", "quantity", "verdict")
            .iter_rows()
        }
        valid = [members[agent][0] for agent in EARLY if members[agent][1] == "pass"]
        for column, agent in enumerate(prepared.grid.agents):
            quantity, verdict = members[agent]
            below = (
                len(EARLY)
                - len(valid)
                + sum(v < quantity for v in valid)
                + sum(v == quantity for v in valid) / 2
            )
            expected = below / len(EARLY) if verdict == "pass" else 0.0
            assert cells[row, column] == pytest.approx(expected)
    found = bars(data, settings=QUICK, options=CUT)
    assert found.field == "the 5 agents of the early cohort"
    assert named(found, "percentiles").graded


def test_a_given_field_judges_the_tasks_it_has(make: Make) -> None:
    """Tasks without a field are left out of the percentiles, and the reader learns how many."""
    field = dict.fromkeys(TASKS[:10], (0.5, 1.0, 4.0, math.nan)) | {"elsewhere": (1.0,)}
    found = bars(trials(make), settings=QUICK, options=BarOptions(field=field, form="ale-weibull"))
    row = named(found, "percentiles (ale-weibull)")
    assert row.cohorts[0].n_tasks == 10
    texts = [finding.text for finding in found.findings if finding.subject == "field"]
    assert any("no value for 2 tasks" in text for text in texts)
    assert any("1 task of 'field'" in text for text in texts)


def test_bars_of_ones_own_are_judged_on_their_tasks(make: Make) -> None:
    """A bar is held against the quantity in its own unit; what nobody reaches leaves all at zero."""
    given = {"winner": dict.fromkeys(TASKS, 1e9), "easy": dict.fromkeys(TASKS[:8], 0.0)}
    found = bars(trials(make), settings=QUICK, options=replace(CUT, bars=given))
    winner, easy = named(found, "winner"), named(found, "easy")
    assert [result.zero_share for result in winner.cohorts] == [1.0, 1.0]
    assert {result.n_tiers for result in winner.cohorts} == {None}
    assert [result.n_tasks for result in easy.cohorts] == [8, 8]
    assert winner.multiplier is None


def test_several_trials_are_averaged_within_a_cell(make: Make) -> None:
    """Half of an agent's trials over the bar is half a point; a trial without a quantity or verdict is none."""
    rows = [
        {
            "agent": "a",
            "task": "t",
            "trial": str(n),
            "quantity": q,
            "reference": 2.0,
            "better": "higher",
            **more,
        }
        for n, (q, more) in enumerate(
            [(3.0, {}), (1.0, {}), (None, {}), (9.0, {"outcome": "infra_error", "verdict": None})]
        )
    ]
    prepared = prepare(make(rows), Choice(), QUICK)
    assert TrialQuantities.of(prepared).at_bar({"t": 2.0}).cells.tolist() == [[0.25]]


def test_quantities_without_anchors_need_a_bar(make: Make) -> None:
    """With a bar of one's own it goes without a reference, and what is missing is said."""
    data = trials(make, baseline=None, reference=None)
    with pytest.raises(UsageError, match="nothing to hold the quantities against"):
        bars(data, settings=QUICK)
    found = bars(data, settings=QUICK, options=replace(CUT, bars={"median": dict.fromkeys(TASKS, 1.5)}))
    assert [row.name for row in found.rows] == ["median", "percentiles (hazen)"]
    assert found.tuned.bar is None
    assert "Multiplicative bars" in found.unavailable[0]


def test_windows_are_summed_up_for_each_row(make: Make) -> None:
    """On request every row says how it does over windows; without enough dates the reason is said."""
    found = bars(trials(make), settings=QUICK, options=replace(CUT, window=4))
    for row in found.rows:
        assert row.windows is not None
        assert row.windows.windows == 7
        assert row.windows.one_tier + row.windows.no_answer <= 7
    few = bars(trials(make), settings=QUICK, options=replace(CUT, window=11))
    assert few.window_reason == "a window holds 11 agents, and 10 have a release date"
    assert {row.windows for row in few.rows} == {None}


def test_an_empty_cohort_is_no_crash(make: Make) -> None:
    """A cut before everybody leaves the early cohort empty: no answer there, no tuning, no field."""
    found = bars(trials(make), settings=QUICK, options=replace(CUT, cut="2020-01-01"))
    early = found.rows[0].of("early")
    assert early is not None
    assert (early.n_agents, early.zero_share, early.n_tiers) == (0, None, None)
    assert "no bar allows a conclusion" in (found.tuned.reason or "")


def test_the_record_survives_json(make: Make) -> None:
    """What is printed with --json reads back as the same record."""
    found = bars(trials(make), settings=QUICK, options=replace(CUT, window=5))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Bars) == found


def test_names_of_agents_and_order_of_rows_change_no_number(make: Make) -> None:
    """Agents called otherwise, rows in another order: the same tiers, indices and choice."""
    data = trials(make)
    names = {agent: f"agent {number}" for number, agent in enumerate(reversed([*EARLY, *LATE]))}
    renamed = data.frame.with_columns(
        data.frame["agent"].replace(names), data.frame["agent"].replace(names).alias("agent_digest")
    ).sort("task", "agent", descending=True)
    one = bars(data, settings=QUICK, options=CUT)
    two = bars(
        data.with_frame(renamed),
        settings=QUICK,
        options=replace(CUT, dates={names[agent]: day for agent, day in DATES.items()}),
    )
    assert two.tuned.bar == one.tuned.bar
    for a, b in zip(one.rows, two.rows, strict=True):
        for mine, theirs in zip(a.cohorts, b.cohorts, strict=True):
            assert theirs.zeros == mine.zeros
            assert theirs.n_significant == mine.n_significant


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cut": "2026-01-01", "cohorts": {"early 0": "early"}}, "both split"),
        ({"form": "best"}, "no form 'best'"),
        ({"window": 1}, "at least 2"),
        ({"cohorts": {"early 0": "middle"}}, "no cohort 'middle'"),
    ],
)
def test_options_are_checked(options: dict[str, Any], words: str) -> None:
    """A wrong choice is refused when it is made."""
    with pytest.raises(UsageError, match=words):
        BarOptions(**options)


def test_wrong_calls_are_refused(make: Make) -> None:
    """A cut without dates, a chosen score, no quantity, no direction, a bar for none of the tasks."""
    data = trials(make)
    with pytest.raises(UsageError, match="cannot be cut"):
        bars(data, settings=QUICK, options=BarOptions(cut="2026-01-01"))
    with pytest.raises(UsageError, match="no score is chosen"):
        bars(data, settings=replace(QUICK, score="gate"))
    with pytest.raises(UsageError, match="no trial has a quantity"):
        bars(trials(make, quantity=None), settings=QUICK)
    with pytest.raises(UsageError, match="which way is better is not known for t00"):
        bars(
            make([{"agent": "a", "task": "t00", "quantity": 1.0}]),
            settings=QUICK,
            options=BarOptions(bars={"b": {"t00": 1.0}}),
        )
    with pytest.raises(UsageError, match="'b' has a value for none of the tasks"):
        bars(data, settings=QUICK, options=BarOptions(bars={"b": {"elsewhere": 1.0}}))
