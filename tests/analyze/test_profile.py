"""Profiles of the head of a board."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from measurand.analyze.board import board
from measurand.analyze.profile import profile
from measurand.analyze.settings import Settings

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.model.table import Trials

QUICK = Settings(resamples=200)


def _graded(make: Make, agents: dict[str, float], tasks: int = 12, trials: int = 2) -> Trials:
    rng = np.random.default_rng(3)
    rows = [
        {
            "agent": agent,
            "task": f"t{task:02}",
            "trial": str(trial),
            "quantity": float(gain * np.exp(0.2 * rng.standard_normal())),
            "baseline": 1.0,
            "reference": 2.0,
            "better": "higher",
        }
        for agent, gain in agents.items()
        for task in range(tasks)
        for trial in range(trials)
    ]
    return make(rows)


def test_the_order_is_that_of_the_standings(make: Make) -> None:
    """The family, and everything in it, stands as the board has it."""
    trials = _graded(make, {"ada": 1.5, "bob": 2.5, "cyd": 2.0})
    found = profile(trials, settings=QUICK)
    assert list(found.family) == [row.agent for row in board(trials, settings=QUICK).standings]
    assert [row.agent for row in found.agents] == list(found.family)
    assert [lead.rival for lead in found.leads] == list(found.family[1:])


def test_groups_of_the_diagram_are_the_letters_of_the_board(make: Make) -> None:
    """Two agents share a group exactly when they share a letter."""
    trials = _graded(make, {"ada": 1.3, "bob": 2.5, "cyd": 2.6, "dan": 1.35})
    found, standings = profile(trials, settings=QUICK), board(trials, settings=QUICK).standings
    letters = {row.agent: set(row.letters or "") for row in standings}
    assert found.ranks.groups is not None
    for (a, of_a), (b, of_b) in product(letters.items(), repeat=2):
        together = any({a, b} <= set(group) for group in found.ranks.groups)
        assert together == bool(of_a & of_b)


def test_opt_p_at_one_is_the_share_that_reach_the_reference(make: Make) -> None:
    """The key at the reference and the curve at p = 1 are one number."""
    trials = _graded(make, {"ada": 1.9, "bob": 2.1})
    found = profile(trials, settings=QUICK)
    at = found.improvement_thresholds.index(1.0)
    key = {row.agent: row.score("key").mean.value for row in board(trials, settings=QUICK).standings}
    assert {curve.agent: curve.share[at] for curve in found.improvement} == pytest.approx(key)


def test_trials_without_a_verdict_score_nothing(make: Make) -> None:
    """A planned trial that ended in an infrastructure error is one that reaches no threshold above 0."""
    rows = [
        {
            "agent": "ada",
            "task": f"t{task}",
            "trial": str(trial),
            "quantity": 2.0,
            "baseline": 1.0,
            "reference": 2.0,
            "better": "higher",
        }
        for task in range(4)
        for trial in range(2)
    ]
    rows[0] |= {"outcome": "infra_error", "verdict": None, "quantity": None}
    found = profile(make([*rows, *({**row, "agent": "bob"} for row in rows[1:])]), settings=QUICK)
    ada = next(row for row in found.improvement if row.agent == "ada")
    assert ada.share[found.improvement_thresholds.index(1.0)] == pytest.approx(7 / 8)


def test_passes_and_fails_of_one_trial_have_no_curves(make: Make) -> None:
    """The mean says it all; ranks and leads remain."""
    rows = [
        {"agent": agent, "task": f"t{task}", "verdict": "pass" if task < passed else "fail"}
        for agent, passed in (("ada", 7), ("bob", 4))
        for task in range(8)
    ]
    found = profile(make(rows), settings=QUICK)
    assert (found.curves, found.improvement) == ((), ())
    assert found.leads[0].to_erase == 3
    assert [part.task for part in found.leads[0].carried_by] == ["t4", "t5", "t6"]


def test_one_agent_alone_leads_nobody(make: Make) -> None:
    found = profile(_graded(make, {"ada": 2.0}), settings=QUICK)
    assert (found.leads, found.chances) == ((), ())
    assert found.ranks.reason is not None
