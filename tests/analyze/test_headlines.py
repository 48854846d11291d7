"""Each definition gives the number that a hand computes from a small table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.analyze.headlines.horizons import Curve, family_weights, fit_curve
from measurand.analyze.headlines.registry import HEADLINES, definition
from measurand.errors import UsageError
from measurand.model.imports import Declaration
from measurand.sources.registry import installed

if TYPE_CHECKING:
    from tests.analyze.conftest import Make

    from measurand.model.table import Trials


def numbers(source: str, trials: Trials) -> dict[tuple[str, str], float | None]:
    """Agent and name -> value of the headlines over all of an agent's trials."""
    found = definition(source)(trials.frame, trials.declarations)
    return {(one.agent, one.name): one.value for one in found if not one.part}


def rows(values: list[Any], **more: Any) -> list[dict[str, Any]]:
    """One row for each task: a pass for 1, a fail for 0, no verdict for None."""
    words = {1: "pass", 0: "fail", None: None}
    return [{"task": f"t{place}", "verdict": words[value], **more} for place, value in enumerate(values)]


def test_every_definition_is_of_a_source_that_is_installed() -> None:
    """No definition is for a name that no source has."""
    assert set(HEADLINES) <= {*installed().sources, *installed().broken}


def test_absent_instances_of_swebench_are_not_resolved(make: Make) -> None:
    """Two of five declared instances passed, one is absent, one has no verdict: 40 %."""
    declared = Declaration(suite="s", tasks=5, absent_is_fail=True)
    trials = make(rows([1, 1, 0, None]), declared)
    (found,) = definition("swebench")(trials.frame, trials.declarations)
    assert found.value == pytest.approx(0.4)
    assert found.tally == (2, 5, 1, 1, True)


def test_the_official_verdict_goes_before_the_gate(make: Make) -> None:
    """A trial that the benchmark fails is failed, and one that only the gate judged goes by it."""
    trials = make([{"task": "a", "verdicts": {"official": False}}, {"task": "b"}])
    assert numbers("swebench", trials)["kite", "resolved"] == 0.5
    assert numbers("webarena", trials)["kite", "success rate"] == 0.5
    assert numbers("unheard of", trials)["kite", "pass rate"] == 0.5


def test_algotune_counts_slow_and_missing_solvers_as_one(make: Make) -> None:
    """3 / (1/2 + 1 + 1)."""
    trials = make(
        [
            {"task": "a", "quantity": 2.0},
            {"task": "b", "quantity": 0.5},
            {"task": "c", "quantity": None, "verdict": "fail"},
        ]
    )
    assert numbers("algotune", trials)["kite", "harmonic mean speed-up"] == pytest.approx(3 / 2.5)


def test_swefficiency_falls_back_on_the_unpatched_code(make: Make) -> None:
    """A passed ratio of 0.5; a failed one against an expert of 4x; an absent instance at 1."""
    declared = Declaration(suite="s", tasks=3, absent_is_fail=True)
    trials = make(
        [
            {"task": "a", "official_score": -2.0, "reference": 2.0},
            {"task": "b", "verdict": "fail", "official_score": -1 / 3, "reference": 4.0},
        ],
        declared,
    )
    assert numbers("swefficiency", trials)["kite", "harmonic mean speed-up"] == pytest.approx(3 / (2 + 4 + 1))


def test_harbor_means_over_all_planned_trials(make: Make) -> None:
    """A trial without a reward counts as 0; pass@2 is of the tasks' two trials; each job has numbers of its own."""
    trials = make(
        [
            {"task": "a", "trial": "1", "job": "j", "official_score": 1.0},
            {"task": "a", "trial": "2", "job": "j", "official_score": 0.5, "verdict": "fail"},
            {"task": "b", "trial": "1", "job": "k", "official_score": None, "verdict": None},
            {"task": "b", "trial": "2", "job": "k", "official_score": 0.0, "verdict": "fail"},
        ]
    )
    found = numbers("harbor", trials)
    assert found["kite", "mean reward"] == pytest.approx(1.5 / 4)
    assert found["kite", "pass@2"] == 0.5
    assert found["kite", "trials with a reward"] == 3
    parts = {
        one.part: one.value for one in definition("harbor")(trials.frame, ()) if one.name == "mean reward"
    }
    assert parts == {"": 0.375, "j": 0.75, "k": 0.0}


def test_tau_takes_the_chance_that_all_of_k_pass(make: Make) -> None:
    """Three of four, and four of four: pass^2 is (3/6 + 1)/2."""
    trials = make(
        {"task": task, "trial": str(place), "verdict": "pass" if place < passed else "fail"}
        for task, passed in (("a", 3), ("b", 4))
        for place in range(4)
    )
    found = numbers("tau2", trials)
    assert [found["kite", f"pass^{k}"] for k in (1, 2, 3, 4)] == [0.875, 0.75, 0.625, 0.5]
    assert found == numbers("tau_bench", trials)


def test_mle_bench_has_a_standard_error_over_seeds(make: Make) -> None:
    """Seeds of one half and one: mean 3/4, s.e.m. 1/4; one seed alone has none."""
    seeds = rows([1, 0], trial="1") + rows([1, 1], trial="2")
    found = numbers("mle_bench", make(seeds))
    assert found["kite", "any medal"] == 0.75
    assert found["kite", "any medal, s.e.m."] == pytest.approx(0.25)
    assert found["kite", "medals"] == 3
    assert numbers("mle_bench", make(rows([1, 0])))["kite", "any medal, s.e.m."] is None


def test_mle_bench_counts_a_padded_seed_as_failed(make: Make) -> None:
    """A seed that never ran has no medal."""
    padded = {"task": "t0", "trial": "2", "outcome": "missing", "verdict": None}
    assert numbers("mle_bench", make([*rows([1], trial="1"), padded]))["kite", "any medal"] == 0.5


def test_ale_bench_averages_and_rates(make: Make) -> None:
    """A mean of performances; a contest without one is left out and told."""
    trials = make(
        [
            {"task": "a", "official_score": 2000.0},
            {"task": "b", "official_score": 1000.0},
            {"task": "c", "official_score": None},
        ]
    )
    found = {one.name: one for one in definition("ale_bench")(trials.frame, ())}
    assert found["average performance"].value == 1500
    assert "1 of 3" in found["average performance"].note
    alone = numbers("ale_bench", make([{"task": "a", "official_score": 2000.0}]))["kite", "rating"]
    assert alone == pytest.approx(1150.3, abs=1)
    both = found["rating"].value
    assert both is not None
    assert alone is not None
    assert both > alone


def test_osworld_counts_fractions_and_weirdml_weighs_tasks_equally(make: Make) -> None:
    """0.25 of a task is a quarter; a task with two runs counts once."""
    trials = make(
        [
            {"task": "a", "trial": "1", "official_score": 0.25},
            {"task": "a", "trial": "2", "official_score": 0.75},
            {"task": "b", "official_score": 1.0},
        ]
    )
    assert numbers("osworld", trials)["kite", "mean score"] == pytest.approx(2 / 3)
    assert numbers("weirdml", trials)["kite", "average accuracy"] == pytest.approx(0.75)


def test_gaia_has_a_number_for_each_level(make: Make) -> None:
    """Two levels and all of them."""
    trials = make([*rows([1, 0], family="level 1"), {"task": "z", "family": "level 2", "verdict": "fail"}])
    found = {(one.name, one.part): one.value for one in definition("gaia")(trials.frame, ())}
    assert found["accuracy", ""] == pytest.approx(1 / 3)
    assert found["accuracy level 1", "level 1"] == 0.5
    assert found["accuracy level 2", "level 2"] == 0


def test_agentbench_weighs_sets_by_the_inverse_of_their_means(make: Make) -> None:
    """kite: 1/0.75 and 0.5/0.25; lark: 0.5/0.75 and 0."""
    table = {("kite", "os"): [1, 1], ("kite", "db"): [1, 0], ("lark", "os"): [1, 0], ("lark", "db"): [0, 0]}
    trials = make(
        row for (agent, suite), passed in table.items() for row in rows(passed, agent=agent, suite=suite)
    )
    found = numbers("agentbench", trials)
    assert found["kite", "os: accuracy"] == 1
    assert found["kite", "weighted average"] == pytest.approx((1 / 0.75 + 0.5 / 0.25) / 2)
    assert found["lark", "weighted average"] == pytest.approx((0.5 / 0.75) / 2)


def test_a_curve_that_is_known_is_found_again() -> None:
    """Fractional successes on a curve give its coefficients back; the small penalty moves them little."""
    minutes = 2.0 ** np.arange(-2, 12)
    truth = Curve(3.0, -0.6)
    share = 1 / (1 + np.exp(-(truth.intercept + truth.slope * np.log2(minutes))))
    found = fit_curve(minutes, share, np.ones(minutes.size))
    assert found == pytest.approx(truth, abs=1e-3)
    assert truth.horizon(0.5) == pytest.approx(32)
    assert truth.horizon(0.8) == pytest.approx(2 ** ((math.log(4) - 3) / -0.6))


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6), st.floats(0.1, 10))
def test_a_fraction_is_a_weighted_success_and_a_weighted_failure(shares: list[float], scale: float) -> None:
    """Splitting fractional runs, and scaling all weights, changes nothing."""
    minutes, y = np.array([1.0, 2, 4, 30, 60, 480]), np.array(shares)
    whole = fit_curve(minutes, y, np.ones(6))
    split = fit_curve(np.tile(minutes, 2), np.repeat([1.0, 0.0], 6), scale * np.concatenate([y, 1 - y]))
    assert (whole is None) == (split is None)
    if whole is not None and split is not None:
        assert split == pytest.approx(whole, rel=1e-3, abs=1e-3)


def test_a_sharp_end_has_a_horizon_in_the_gap() -> None:
    """All short tasks pass, all long ones fail: the penalty keeps the curve finite."""
    found = fit_curve([1, 2, 4, 64, 128, 256], [1, 1, 1, 0, 0, 0], np.ones(6))
    assert found is not None
    assert found.horizon() == pytest.approx(16, rel=0.05)


def test_without_successes_or_failures_there_is_no_curve() -> None:
    assert fit_curve([1, 2], [0, 0], [1, 1]) is None
    assert fit_curve([1, 2], [1, 1], [1, 1]) is None
    assert Curve(0.0, 0.1).horizon() is None
    assert Curve(100.0, -0.1).horizon() is None


@pytest.mark.parametrize(
    ("minutes", "successes", "weights"), [([0], [1], [1]), ([1], [2], [1]), ([1], [1], [-1]), ([1], [1], [0])]
)
def test_a_curve_of_nonsense_is_refused(minutes: list[int], successes: list[int], weights: list[int]) -> None:
    with pytest.raises(UsageError):
        fit_curve(minutes, successes, weights)


def test_weights_spare_tasks_with_many_trials_and_families_with_many_tasks(make: Make) -> None:
    """Family f has four tasks, of which one has two trials; task z stands alone."""
    trials = make(
        [
            *({"task": task, "family": "f"} for task in "abcd"),
            {"task": "a", "family": "f", "trial": "2"},
            {"task": "z", "family": None},
        ]
    )
    weights = family_weights(trials.frame)
    assert weights.sum() == pytest.approx(1)
    assert (weights * 3).to_list() == pytest.approx([0.25, 0.5, 0.5, 0.5, 0.25, 1.0])


def test_metr_names_the_horizons_of_extreme_agents(make: Make) -> None:
    """Never: 0 minutes. Always: none. A run without human time is left out."""

    def runs(agent: str, *passed: int) -> list[dict[str, Any]]:
        minutes = [1.0, 8.0, 64.0]
        return [
            {**row, "human_minutes": time}
            for row, time in zip(rows(list(passed), agent=agent), minutes, strict=True)
        ]

    trials = make([*runs("never", 0, 0, 0), *runs("always", 1, 1, 1), *runs("short", 1, 1, 0)])
    trials = trials.with_frame(pl.concat([trials.frame, make([{"agent": "short"}]).frame]))
    found = {(one.agent, one.name): one for one in definition("metr")(trials.frame, ())}
    assert found["never", "50% time horizon"].value == 0
    assert found["always", "80% time horizon"].value is None
    assert "every trial succeeded" in found["always", "80% time horizon"].note
    assert found["short", "50% time horizon"].value == pytest.approx(math.sqrt(8 * 64), rel=0.1)
    assert "1 trial without" in found["short", "50% time horizon"].note
    assert found["short", "average score"].value == pytest.approx(2 / 3)
