"""What may be claimed of the best agent."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from measurand.analyze.board import board, prepare
from measurand.analyze.claims.claims import claims, claims_of
from measurand.analyze.claims.records import Claims
from measurand.analyze.compare import compare
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.separation import separate
from measurand.errors import UsageError

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

QUICK = Settings(resamples=500)


def passing(**verdicts: str) -> list[dict[str, Any]]:
    """One letter a task: p passed, f failed, a dot was never attempted."""
    words = {"p": "pass", "f": "fail"}
    return [
        {"agent": agent, "task": f"t{n:02}", "verdict": words[letter]}
        for agent, letters in verdicts.items()
        for n, letter in enumerate(letters)
        if letter != "."
    ]


def drawn(seed: int, rates: dict[str, float], tasks: int = 60) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return passing(
        **{agent: "".join(rng.choice(["p", "f"], tasks, p=[rate, 1 - rate])) for agent, rate in rates.items()}
    )


def test_a_clear_best_agent_is_claimed(make: Make) -> None:
    """An agent that beats every other on many tasks is the best, and picking it has added nothing to its score."""
    found = claims(make(passing(a="p" * 20, b="p" * 5 + "f" * 15, c="f" * 20)), settings=QUICK)
    best = found.best
    assert (best.agent, best.named, best.supported, best.beaten, best.rivals) == ("a", False, True, 2, 2)
    assert best.hardest is not None
    assert (best.hardest.rival, best.hardest.difference) == ("b", 0.75)
    assert (found.top.agent, found.top.bias, found.top.corrected) == ("a", 0.0, 1.0)


def test_a_close_rival_spoils_the_claim(make: Make) -> None:
    """One rival that is not beaten is enough, and it is named as the hardest."""
    found = claims(make(passing(a="p" * 18 + "ff", b="p" * 17 + "fff", c="f" * 20)), settings=QUICK).best
    assert (found.supported, found.beaten, found.rivals) == (False, 1, 2)
    assert found.hardest is not None
    assert (found.hardest.rival, found.hardest.discordance.units, found.hardest.discordance.needed) == (
        "b",
        1,
        6,
    )
    assert found.p == found.hardest.p == 1.0


@hypothesis_settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 0.45))
def test_a_picked_claim_never_contradicts_the_board(make: Make, seed: int, lead: float) -> None:
    """The claim holds exactly when the board finds all pairs of its first agent significant, with the same p and intervals."""
    trials = make(drawn(seed, {"a": 0.5 + lead, "b": 0.5, "c": 0.45, "d": 0.3}, 30))
    found, shown = claims(trials, settings=QUICK).best, board(trials, settings=QUICK)
    pairs = [pair for pair in shown.test.pairs if found.agent in {pair.better, pair.worse}]
    assert found.agent == shown.standings[0].agent
    if shown.test.reason is not None:
        assert (found.supported, found.p) == (None, None)
        return
    assert found.supported == all(pair.significant and pair.better == found.agent for pair in pairs)
    assert found.p == max(pair.p_adjusted if pair.difference > 0 else 1.0 for pair in pairs)
    assert {(row.rival, row.low, row.high) for row in found.rows} == {
        (pair.worse, pair.low, pair.high) for pair in pairs if pair.better == found.agent
    } | {
        (
            pair.better,
            None if pair.high is None else 0.0 - pair.high,
            None if pair.low is None else 0.0 - pair.low,
        )
        for pair in pairs
        if pair.worse == found.agent
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_named_claim_never_contradicts_a_comparison(make: Make, seed: int) -> None:
    """It holds exactly when a comparison with each other agent finds the named one better; same p, same intervals."""
    trials = make(drawn(seed, {"a": 0.85, "b": 0.6, "c": 0.55, "d": 0.3}))
    found = claims(trials, settings=QUICK, best="a").best
    pairs = {other: compare(trials, "a", other, settings=QUICK) for other in "bcd"}
    assert (found.named, found.untested, found.rivals) == (True, 0, 3)
    assert found.supported == all("a is better" in pair.conclusion for pair in pairs.values())
    for row in found.rows:
        pair = pairs[row.rival]
        assert (row.p, row.low, row.high, row.difference) == (
            pair.p,
            pair.difference.low,
            pair.difference.high,
            pair.difference.value,
        )


def test_named_beforehand_needs_less(make: Make) -> None:
    """The p of an agent named beforehand is not adjusted for the other pairs."""
    trials = make(drawn(4, {"a": 0.7, "b": 0.5, "c": 0.5, "d": 0.5, "e": 0.5}))
    picked, named = claims(trials, settings=QUICK), claims(trials, settings=QUICK, best="a*")
    assert picked.best.agent == named.best.agent == "a"
    assert named.best.p is not None
    assert picked.best.p is not None
    assert named.best.p < picked.best.p
    assert named.top == picked.top


def test_an_agent_that_is_not_first_can_be_named(make: Make) -> None:
    """The claim is about it, while the corrected score is that of the agent on top."""
    found = claims(make(passing(a="p" * 20, b="p" * 10 + "f" * 10)), settings=QUICK, best="b")
    assert (found.best.agent, found.best.supported, found.best.p) == ("b", False, 1.0)
    assert found.top.agent == "a"


def test_every_agent_is_a_rival_of_a_named_one(make: Make) -> None:
    """The tested family bounds the claim of a picked agent, and says so; not that of a named one."""
    trials = make(drawn(5, dict.fromkeys("abcdef", 0.5)))
    small = Settings(resamples=500, top=3)
    assert (claims(trials, settings=small).best.rivals, claims(trials, settings=small).best.untested) == (
        2,
        3,
    )
    assert claims(trials, settings=small, best="a").best.rivals == 5
    assert claims(trials, settings=small).top.agents == 6


def test_a_shared_first_place_is_said(make: Make) -> None:
    """Agents of the same mean are no record, and are named."""
    best = claims(make(passing(a="pf" * 8, b="fp" * 8, c="f" * 16)), settings=QUICK).best
    assert (best.supported, best.shares_first_with) == (False, ("b",))


def test_one_agent_is_not_thereby_the_best(make: Make) -> None:
    """Without a rival there is no answer, and nothing was picked."""
    for name in (None, "a"):
        found = claims(make(passing(a="pfpf")), settings=QUICK, best=name)
        assert (found.best.supported, found.best.p, found.best.rivals) == (None, None, 0)
        assert found.best.reason == "there is no other agent to beat"
        assert (found.top.raw, found.top.bias) == (0.5, 0.0)


def test_too_few_tasks_give_no_answer(make: Make) -> None:
    """Five tasks cannot support the claim, whichever way the agent was chosen."""
    for name in (None, "a"):
        best = claims(make(passing(a="ppppp", b="fffff")), settings=QUICK, best=name).best
        assert best.supported is None
        assert "5 tasks the least attainable p is" in (best.reason or "")


def test_too_many_missing_cells_give_no_answer(make: Make) -> None:
    """Where the board refuses a test, neither the claim nor a corrected score is given."""
    found = claims(make(passing(a="pppppppp", b="ffff....", c="....pppp")), settings=QUICK)
    assert (found.best.supported, found.top.corrected, found.top.bias) == (None, None, None)
    assert "missing" in (found.best.reason or "")
    assert "missing" in (found.top.reason or "")


def test_equal_agents_are_corrected_downward(make: Make) -> None:
    """The best of ten alike stands too high, and its interval goes further down than up."""
    top = claims(make(drawn(6, dict.fromkeys("abcdefghij", 0.6))), settings=QUICK).top
    assert top.raw is not None
    assert top.bias is not None
    assert top.low is not None
    assert top.high is not None
    assert top.bias > 0.02
    assert top.corrected == pytest.approx(top.raw - top.bias)
    assert top.contenders > 3
    assert top.raw - top.low > top.high - top.raw


def test_a_margin_of_a_named_agent_is_that_of_a_comparison(make: Make) -> None:
    """The same bounds as `compare` gives."""
    trials = make(drawn(7, {"a": 0.7, "b": 0.68, "c": 0.3}))
    found = claims(trials, settings=QUICK, best="a", not_worse_than="b", margin=0.3)
    assert found.margin == compare(trials, "a", "b", settings=QUICK, margin=0.3).margin
    assert found.margin is not None
    assert found.margin.low is not None
    assert found.margin.not_worse == (found.margin.low > -0.3)


def test_a_margin_of_a_picked_agent_goes_by_all_pairs_at_once(make: Make) -> None:
    """An agent picked for being first is held against the interval of the whole family, which is wider."""
    trials = make(drawn(7, {"a": 0.7, "b": 0.68, "c": 0.3}))
    top = claims(trials, settings=QUICK).best
    rival = next(row for row in top.rows if row.rival != "c")
    picked = claims(trials, settings=QUICK, not_worse_than=rival.rival, margin=0.3).margin
    alone = claims(trials, settings=QUICK, best=top.agent, not_worse_than=rival.rival, margin=0.3).margin
    assert picked is not None
    assert alone is not None
    assert (picked.low, picked.high) == (rival.low, rival.high)
    assert picked.low is not None
    assert alone.low is not None
    assert picked.low < alone.low
    assert "all pairs at once" in picked.method


def test_a_margin_needs_an_interval(make: Make) -> None:
    """Outside the tested family, or where every task differs by the same, there is no answer, and the reason."""
    trials = make(drawn(8, {"a": 0.9, "b": 0.6, "c": 0.55, "d": 0.1}))
    outside = claims(trials, settings=Settings(resamples=500, top=2), not_worse_than="d", margin=0.1).margin
    assert outside is not None
    assert (outside.not_worse, outside.low) == (None, None)
    assert "not in the tested family" in (outside.reason or "")
    constant = claims(
        make(passing(a="p" * 9, b="f" * 9)), settings=QUICK, not_worse_than="b", margin=0.1
    ).margin
    assert constant is not None
    assert constant.not_worse is None
    assert "the same amount" in (constant.reason or "")


@pytest.mark.parametrize(
    "asked",
    [
        {"margin": 0.1},
        {"not_worse_than": "b"},
        {"not_worse_than": "a", "margin": 0.1},
        {"not_worse_than": "nobody", "margin": 0.1},
        {"not_worse_than": "b", "margin": 5.0},
        {"best": "nobody"},
        {"best": "*"},
    ],
)
def test_wrong_questions_are_refused(make: Make, asked: dict[str, Any]) -> None:
    """A margin and an agent belong together; names fit one agent, and not the claimant itself."""
    with pytest.raises(UsageError):
        claims(make(passing(a="p" * 8, b="f" * 8)), settings=QUICK, **asked)


def test_rivals_run_at_another_time_are_warned_of(make: Make) -> None:
    """A claim whose arms do not overlap in time is flagged with the rivals; without times nothing is said."""
    day = {"a": 1, "b": 1, "c": 9}
    rows = [
        {**row, "started_at": dt.datetime(2026, 3, day[row["agent"]], 8, int(row["task"][1:]), tzinfo=dt.UTC)}
        for row in passing(a="p" * 20, b="p" * 5 + "f" * 15, c="f" * 20)
    ]
    found = claims(make(rows), settings=QUICK)
    assert {one.b: one.apart for one in found.timings} == {"b": False, "c": True}
    warned = [finding for finding in found.findings if finding.subject == "time"]
    assert [finding.examples for finding in warned] == [("c",)]
    assert "drift" in warned[0].text
    assert claims(make(passing(a="pf", b="fp")), settings=QUICK).timings == ()


def test_families_are_the_unit_of_a_claim(make: Make) -> None:
    """Differing families are counted, not differing tasks."""
    rows = [
        {**row, "family": f"f{int(row['task'][1:]) // 4}"} for row in passing(a="p" * 40, b="f" * 39 + "p")
    ]
    found = claims(make(rows), settings=QUICK)
    assert found.unit == "family"
    assert found.best.hardest is not None
    assert (found.best.hardest.discordance.units, found.best.hardest.n_tasks, found.top.n_units) == (
        10,
        40,
        10,
    )


@pytest.mark.parametrize("best", [None, "a"])
def test_the_record_survives_json_and_is_reproducible(make: Make, best: str | None) -> None:
    """It holds no NaN, can be read back, and the same seed gives the same."""
    trials = make(drawn(9, {"a": 0.7, "b": 0.5, "c": 0.5}))
    one, other = (claims(trials, settings=QUICK, best=best, command="measurand claims") for _ in range(2))
    data = msgspec.json.encode(one)
    assert msgspec.json.decode(data, type=Claims) == one == other
    assert b"NaN" not in data
    assert all(math.isfinite(row.difference or 0.0) for row in one.best.rows)
    assert {note.topic for note in one.methods} >= {"Best", "Top score", "Least attainable p"}


def test_the_part_of_a_board_is_that_of_the_command(make: Make) -> None:
    """With the board's own separation the part says what the command says."""
    trials = make(drawn(10, {"a": 0.7, "b": 0.5, "c": 0.5}))
    prepared = prepare(trials, Choice(), QUICK)
    cells = prepared.grid.cells(prepared.scores[0])
    part = claims_of(prepared, QUICK, separate(prepared.grid, cells, prepared.scores[0], QUICK))
    whole = claims(trials, settings=QUICK)
    assert (part.best, part.top, part.timings) == (whole.best, whole.top, whole.timings)
