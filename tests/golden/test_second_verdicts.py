"""Second verdicts that were published: strengthened tests on SWE-bench Verified, and hacks found by GSO."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measurand.analyze.verifiers.counted import counted_verdicts
from measurand.analyze.verifiers.verdicts import second_verdicts
from measurand.load import read, read_verdict_counts
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.analyze.verifiers.records import SecondVerdicts


@pytest.fixture(scope="module")
def strengthened(shared: Path) -> SecondVerdicts:
    """Counts of 30 submissions before and after; outcomes per task are not published."""
    path = shared / "data" / "swe_abs" / "swe_abs_top30.csv"
    return counted_verdicts(read_verdict_counts(path, mapping={"agent": "submission"}, tasks=500))


@pytest.fixture(scope="module")
def hacks(shared: Path) -> SecondVerdicts:
    """One trial of 21 models on 102 tasks; hacks were looked for in 5 reports."""
    mapping = {"verdict": "passed", "verdict:no_hack": "not flagged_hack"}
    mapping |= dict.fromkeys(("quantity", "baseline", "reference", "outcome"), "")
    options = ReadOptions(suite="gso", mapping=mapping)
    return second_verdicts(read(shared / "data" / "gso" / "results.parquet", options=options))


def test_rejected_shares_of_strengthened_tests(strengthened: SecondVerdicts) -> None:
    """Median 17.7 %, from 10.8 to 23.2 %, over 30 agents, as published."""
    assert strengthened.n_shares == 30
    shares = (strengthened.median_share, strengthened.lowest_share, strengthened.highest_share)
    assert [round(100 * (share or 0), 1) for share in shares] == [17.7, 10.8, 23.2]


def test_shares_differ_by_more_than_chance(strengthened: SecondVerdicts) -> None:
    """Neighbours change places as by chance, and yet agents lose different shares of their passes."""
    assert strengthened.shares_p is not None
    assert strengthened.shares_p < 0.001


def test_reversals_are_what_chance_would_do(strengthened: SecondVerdicts) -> None:
    """8 reversals as published (of 19 neighbours apart; the paper has 18), where chance gives 7.9, band 5 to 11."""
    order = strengthened.order
    assert (order.neighbours, order.skipped, order.reversed, order.tied) == (19, 10, 8, 0)
    assert order.tau_b == pytest.approx(0.5325, abs=1e-4)
    assert order.band is not None
    assert order.band.expected == pytest.approx(7.947, abs=1e-3)
    assert order.band.mean == pytest.approx(7.947, abs=0.06)
    assert (order.band.low, order.band.high) == (5, 11)
    assert order.band.tau_low is not None
    assert order.band.tau_high is not None
    assert order.band.tau_low < 0.5325 < order.band.tau_high


def test_ranks_are_the_published_ones_but_for_ties_and_agents_not_listed(
    strengthened: SecondVerdicts,
) -> None:
    """First stays first, the third falls to eleventh, and no tiers can be had from counts."""
    ranks = {row.agent: (row.rank_first, row.rank_second) for row in strengthened.agents}
    assert ranks["20251205_sonar-foundation-agent_claude-opus-4-5"] == (1, 1)
    assert ranks["20250928_trae_doubao_seed_code"] == (3, 11)
    assert strengthened.tiers.reason is not None


def test_hacks_of_five_models(hacks: SecondVerdicts) -> None:
    """45 passes were looked at and 11 are hacks; the 16 models nobody looked at have no place in the order."""
    assert (hacks.errors.passes, hacks.errors.passes_checked, hacks.errors.passes_rejected) == (400, 45, 11)
    rejected = {row.agent: (row.rejected, row.checked) for row in hacks.agents if row.checked}
    assert rejected == {
        "gemini-3-pro": (1, 19),
        "o3": (5, 9),
        "gpt-5": (1, 7),
        "kimi-k2": (2, 5),
        "qwen3-coder": (2, 5),
    }
    assert len(hacks.order.left_out) == 16
    assert all(row.corrected is None for row in hacks.agents)


def test_hacks_turn_one_pair_and_shrink_the_top_tier(hacks: SecondVerdicts) -> None:
    """o3 and gpt-5 change places, and of the two leaders one is left."""
    assert (hacks.order.neighbours, hacks.order.reversed) == (3, 1)
    assert hacks.tiers.first[0].agents == ("gemini-3-pro", "o3")
    assert hacks.tiers.second[0].agents == ("gemini-3-pro",)
