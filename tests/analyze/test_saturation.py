"""Saturation under each score and over time, with names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.board import board
from measurand.analyze.headroom.saturation import SaturationReport, saturation
from measurand.analyze.settings import Settings
from measurand.errors import UsageError
from measurand.infer.headroom.saturation import saturation as index_of

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.model.table import Trials

QUICK = Settings(resamples=5_000)
"""With twelve tasks all sign vectors are enumerated."""
AGENTS = [f"agent {letter}" for letter in "abcdefgh"]
DATES = {agent: f"2026-05-{number + 1:02}" for number, agent in enumerate(AGENTS)}


def passes(n_tasks: int = 12) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Later agents pass more tasks."""
    rng = np.random.default_rng(8)
    return rng.random((n_tasks, len(AGENTS))) < np.linspace(0.2, 0.9, len(AGENTS))


def trials(make: Make, **more: Any) -> Trials:
    return make(
        {"agent": agent, "task": f"t{row:02}", "verdict": "pass" if passed else "fail", **more}
        for row, line in enumerate(passes())
        for agent, passed in zip(AGENTS, line.tolist(), strict=True)
    )


def test_rows_are_those_of_the_board(make: Make) -> None:
    """The index and its tiers are one number in the whole of Measurand."""
    data = trials(make)
    assert saturation(data, settings=QUICK).saturation == board(data, settings=QUICK).saturation


def test_places_and_alpha_are_the_users(make: Make) -> None:
    """Third instead of fifth, another exponent: what the core gives for them."""
    found = saturation(trials(make), settings=replace(QUICK, places=3, alpha=1.0)).saturation[0]
    by_hand = index_of(passes().astype(np.float64), k=3, alpha=1.0)
    assert (found.k, found.alpha) == (3, 1.0)
    assert found.index == pytest.approx(by_hand.index)
    assert found.r == found.t


def test_shares_have_the_index_of_the_literature_beside_it(make: Make) -> None:
    """Unpaired from two shares, for the gate rate and for the key."""
    data = trials(make, quantity=2.0, reference=1.0, better="higher")
    found = saturation(data, settings=replace(QUICK, scoring=replace(QUICK.scoring, key_at=3.0)))
    unpaired = {row.score for row in found.saturation if row.variant == "unpaired"}
    assert unpaired == {"gate", "key"}


def test_windows_follow_the_releases(make: Make) -> None:
    """Eight agents in windows of three: six windows, each with its own days and agents."""
    found = saturation(trials(make), settings=QUICK, dates=DATES, window=3).windows
    assert (found.n_dated, found.width, len(found.windows), found.reason) == (8, 3, 6, None)
    assert [(w.first_release[-2:], w.last_release[-2:]) for w in found.windows[:2]] == [
        ("01", "03"),
        ("02", "04"),
    ]
    for number, window in enumerate(found.windows):
        assert set(window.agents) == set(AGENTS[number : number + 3])
        assert len(window.tiers) == 3
        assert window.n_pairs == 3


def test_a_window_is_a_board_of_its_agents(make: Make) -> None:
    """Tiers and index of a window are those of a board that has only its agents."""
    data = trials(make)
    found = saturation(data, settings=QUICK, dates=DATES, window=4).windows
    last = found.windows[-1]
    only = data.with_frame(data.frame.filter(data.frame["agent"].is_in(last.agents)))
    alone = board(only, settings=QUICK)
    assert alone.saturation[0].index == last.index
    assert alone.saturation[0].tiers == last.tiers


def test_undated_agents_are_in_no_window_and_are_counted(make: Make) -> None:
    """Six of eight dated: three windows of four, and two names beside them."""
    some = {agent: DATES[agent] for agent in AGENTS[:6]}
    found = saturation(trials(make), settings=QUICK, dates=some, window=4).windows
    assert (found.n_dated, found.undated, len(found.windows)) == (6, tuple(AGENTS[6:]), 3)


def test_without_dates_the_reason_is_said(make: Make) -> None:
    """No window, and what is needed for one."""
    found = saturation(trials(make), settings=QUICK).windows
    assert found.windows == ()
    assert "add a column released_at" in (found.reason or "")
    few = saturation(trials(make), settings=QUICK, dates={AGENTS[0]: DATES[AGENTS[0]]}).windows
    assert few.reason == "a window holds 10 agents, and 1 has a release date"


def test_too_few_tasks_are_no_finding(make: Make) -> None:
    """Windows over four tasks have no tiers, and each says why."""
    data = trials(make)
    few = data.with_frame(data.frame.filter(data.frame["task"] < "t04"))
    found = saturation(few, settings=QUICK, dates=DATES, window=4).windows
    assert {window.n_tiers for window in found.windows} == {None}
    assert all(window.reason for window in found.windows)


def test_one_agent_has_no_saturation(make: Make) -> None:
    """Neither an index nor a window, and no crash."""
    found = saturation(make([{"agent": "a", "task": "t"}]), settings=QUICK)
    assert found.saturation[0].index is None
    assert found.saturation[0].reason


def test_a_window_of_one_is_refused(make: Make) -> None:
    """Also without dates, for it can never be meant."""
    with pytest.raises(UsageError, match="width of a window"):
        saturation(trials(make), settings=QUICK, window=1)


def test_the_record_survives_json(make: Make) -> None:
    """What is printed with --json reads back as the same record."""
    found = saturation(trials(make), settings=QUICK, dates=DATES, window=5)
    assert msgspec.json.decode(msgspec.json.encode(found), type=SaturationReport) == found


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(len(AGENTS))))
def test_names_of_agents_change_no_window(make: Make, order: list[int]) -> None:
    """Under other names, with the same days, windows hold the same agents with the same numbers."""
    names = {agent: f"name {order[number]}" for number, agent in enumerate(AGENTS)}
    data = trials(make)
    frame = data.frame.with_columns(
        data.frame["agent"].replace(names), data.frame["agent"].replace(names).alias("agent_digest")
    )
    one = saturation(data, settings=QUICK, dates=DATES, window=4).windows
    two = saturation(
        data.with_frame(frame),
        settings=QUICK,
        dates={names[agent]: day for agent, day in DATES.items()},
        window=4,
    ).windows
    for mine, theirs in zip(one.windows, two.windows, strict=True):
        assert theirs.n_significant == mine.n_significant
        assert theirs.last_release == mine.last_release
        assert {names[agent] for agent in mine.agents} == set(theirs.agents)
