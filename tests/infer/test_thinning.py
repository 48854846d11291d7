"""Random removal of passes."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.verifiers.kendall import kendall_tau_b
from measurand.infer.verifiers.thinning import MOST_AGENTS, _taus, random_removal

if TYPE_CHECKING:
    from collections.abc import Callable

QUICK: dict[str, Any] = {"resamples": 200, "rng": 1}


def test_oracle(oracle: Callable[[str], Any]) -> None:
    """Exact expectations agree with those computed elsewhere, and the band to one reversal."""
    for row in oracle("random_removal")["rows"]:
        found = random_removal(row["passes"], row["share"], rng=3)
        assert found.neighbours == row["strict_neighbours"]
        assert found.expected == pytest.approx(row["expected_reversals_exact"], rel=1e-11, abs=1e-14)
        assert found.expected_ties == pytest.approx(row["expected_ties_exact"], rel=1e-11, abs=1e-14)
        assert found.mean == pytest.approx(row["mc_mean"], abs=0.06)
        assert abs(found.low - row["mc_band95"][0]) <= 1
        assert abs(found.high - row["mc_band95"][1]) <= 1


def _enumerated(counts: list[int], share: float) -> tuple[float, float]:
    """Every pass kept or removed, one by one."""
    owners = [agent for agent, count in enumerate(counts) for _ in range(count)]
    reversals = ties = 0.0
    for kept in product((0, 1), repeat=len(owners)):
        chance = float(np.prod([1 - share if keep else share for keep in kept]))
        after = np.bincount(owners, weights=kept, minlength=len(counts))
        for i, (above, below) in enumerate(pairwise(counts)):
            reversals += chance * bool(above > below and after[i] < after[i + 1])
            ties += chance * bool(above > below and after[i] == after[i + 1])
    return reversals, ties


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4).map(lambda x: sorted(x, reverse=True)),
    st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]),
)
def test_expectation_is_that_of_all_ways_to_remove(counts: list[int], share: float) -> None:
    """The convolution equals the sum over all ways in which passes can be removed."""
    if sum(counts) > 10:
        return
    found = random_removal(counts, share, **QUICK)
    assert (found.expected, found.expected_ties) == pytest.approx(_enumerated(counts, share), abs=1e-12)


def test_resampled_mean_is_near_the_exact_one() -> None:
    """The simulation and the convolution are two ways to one number."""
    found = random_removal([40, 38, 37, 37, 30, 29], 0.2, resamples=20_000, rng=5)
    assert found.mean == pytest.approx(found.expected, abs=0.03)
    assert found.ties_mean == pytest.approx(found.expected_ties, abs=0.02)
    assert found.ties_low <= found.ties_mean <= found.ties_high


def test_agreement_of_the_orders_is_that_of_kendall() -> None:
    """Tau-b of each removal is that of the two lists, ties included; without an order there is none."""
    rng = np.random.default_rng(2)
    rates = np.array([9.0, 8.0, 8.0, 5.0, 1.0])
    kept = rng.integers(0, 6, (50, 5)).astype(float)
    found = _taus(rates, kept, 1e-9)
    assert found.tolist() == pytest.approx([kendall_tau_b(rates, row) for row in kept])
    nothing = random_removal([4, 3], 1.0, **QUICK)
    assert (nothing.tau, nothing.tau_low) == (None, None)
    everything = random_removal([4, 3, 3], 0.0, **QUICK)
    assert (everything.tau, everything.tau_low, everything.tau_high) == (1.0, 1.0, 1.0)
    assert random_removal(np.arange(MOST_AGENTS + 1)[::-1], 0.1, resamples=10, rng=1).tau is None


def test_unit_of_the_rates_does_not_matter() -> None:
    """Passes worth 1/500 give the same counts as passes worth 1."""
    counts = [40, 38, 37, 37, 30, 29]
    one = random_removal(counts, 0.2, **QUICK)
    other = random_removal(counts, 0.2, worth=[1 / 500] * 6, **QUICK)
    assert one == other


def test_passes_of_different_worth_have_no_exact_sum() -> None:
    """Where tasks have different numbers of trials the band remains, and the reason for the rest is said."""
    counts, worth = [[10, 8], [4, 2]], [[0.1, 0.1], [0.05, 0.05]]
    found = random_removal(counts, 0.2, worth=worth, **QUICK)
    assert (found.expected, found.expected_ties) == (None, None)
    assert "worth differently" in (found.reason or "")
    assert found.neighbours == 1
    assert random_removal(counts, 0.0, worth=worth, **QUICK).mean == 0


def test_nobody_and_nothing() -> None:
    """No agent, one agent, and agents without passes have no neighbours apart."""
    for counts in ([], [5], [0, 0]):
        found = random_removal(counts, 0.3, **QUICK)
        assert (found.neighbours, found.mean, found.high, found.expected) == (0, 0, 0, 0)


def test_seed_is_recorded_and_repeats() -> None:
    """The same seed gives the same band, and a generator has none to record."""
    assert random_removal([9, 8, 7], 0.3, **QUICK) == random_removal([9, 8, 7], 0.3, **QUICK)
    assert random_removal([9, 8], 0.3, rng=np.random.default_rng(1)).seed is None


@pytest.mark.parametrize(
    ("passes", "share", "more"),
    [
        ([1, 2], 0.1, {}),
        ([2, 1], 1.5, {}),
        ([2, 1.5], 0.1, {}),
        ([2, -1], 0.1, {}),
        ([2, 1], 0.1, {"worth": [1]}),
        ([2, 1], 0.1, {"worth": [1, -1]}),
        ([[[1]]], 0.1, {}),
        ([2, 1], 0.1, {"resamples": 0}),
        ([2, 1], 0.1, {"level": 1}),
    ],
)
def test_wrong_arguments_are_refused(passes: Any, share: float, more: dict[str, Any]) -> None:
    """Rising order, shares beyond 1, broken counts and shapes that do not fit are named."""
    with pytest.raises(UsageError):
        random_removal(passes, share, **{"rng": 1, **more})
