"""The claim that one agent is the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.claims.record_claim import record_claim
from measurand.infer.differences.permutation import max_t

if TYPE_CHECKING:
    from random import Random

    from numpy.typing import NDArray

rivals = st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1)), min_size=1, max_size=12)


@given(rivals, st.floats(0.001, 0.5))
def test_supported_means_that_every_rival_is_beaten(pairs: list[tuple[float, float]], level: float) -> None:
    """The claim holds exactly when each pair is at most the level with the agent ahead; its p is the largest."""
    found = record_claim([p for p, _ in pairs], [d for _, d in pairs], level=level)
    assert found.supported == all(p <= level and d > 0 for p, d in pairs)
    assert found.supported == (found.p is not None and found.p <= level)
    assert found.beaten == sum(p <= level and d > 0 for p, d in pairs)


@given(rivals, st.randoms())
def test_the_order_of_the_rivals_does_not_matter(pairs: list[tuple[float, float]], random: Random) -> None:
    """Shuffled rivals give the same claim, and as hard a rival."""
    shuffled = list(pairs)
    random.shuffle(shuffled)
    one, other = (record_claim(*zip(*some, strict=True)) for some in (pairs, shuffled))
    assert (one.supported, one.p, one.beaten) == (other.supported, other.p, other.beaten)
    assert one.hardest is not None
    assert other.hardest is not None
    assert (
        pairs[one.hardest] == shuffled[other.hardest] or pairs[one.hardest][1] == shuffled[other.hardest][1]
    )


def test_a_rival_ahead_is_the_hardest_whatever_its_p() -> None:
    """A small p in the other direction supports nothing: the rival that is furthest ahead comes first."""
    found = record_claim([0.001, 0.2, 0.001], [-0.1, 0.1, -0.3])
    assert (found.supported, found.p, found.order) == (False, 1.0, (2, 0, 1))


def test_without_a_rival_there_is_no_answer() -> None:
    """One agent is not thereby the best."""
    found = record_claim([], [])
    assert (found.supported, found.p, found.hardest) == (None, None, None)
    assert found.reason


@pytest.mark.parametrize(
    ("p", "d"), [([0.1], [0.1, 0.2]), ([[0.1]], [[0.1]]), ([1.2], [0.1]), ([np.nan], [0.1])]
)
def test_wrong_arguments_are_refused(p: list[float], d: list[float]) -> None:
    """Lengths that differ, more dimensions, a p outside 0..1 or missing."""
    with pytest.raises(UsageError):
        record_claim(p, d)


def _tables(rng: np.random.Generator, offsets: list[float], n: int) -> NDArray[np.float64]:
    difficulty = rng.normal(0, 1.2, (n, 1))
    odds = difficulty + np.array(offsets)
    return np.asarray(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)), dtype=np.float64)


@pytest.mark.slow
def test_named_beforehand_it_is_falsely_claimed_at_most_at_the_level() -> None:
    """Two equal agents far above the rest, one of them named: the claim is false, and holds in at most 5 % + 1 point."""
    rng = np.random.default_rng(1)
    false = 0
    for _ in range(400):
        table = _tables(rng, [1.0, 1.0, -1.0, -1.0, -1.5], 120)
        tests = [max_t(table[:, [0, j]], resamples=500, max_resamples=500, rng=1) for j in range(1, 5)]
        found = record_claim(
            [float(test.p_raw[0]) for test in tests], [float(test.mean_difference[0]) for test in tests]
        )
        false += bool(found.supported)
    assert false / 400 <= 0.06


@pytest.mark.slow
def test_picked_for_being_first_it_is_falsely_claimed_at_most_at_the_level() -> None:
    """Two equal agents far above the rest, whichever is on top picked: the claim holds in at most 5 % + 1 point."""
    rng = np.random.default_rng(2)
    false = 0
    for _ in range(400):
        table = _tables(rng, [1.0, 1.0, -1.0, -1.0, -1.5], 120)
        test = max_t(table, resamples=500, max_resamples=500, rng=1)
        top = int(table.mean(axis=0).argmax())
        mine = (test.pairs == top).any(axis=1)
        sign = np.where(test.pairs[mine, 0] == top, 1, -1)
        found = record_claim(test.p_adjusted[mine], sign * test.mean_difference[mine])
        false += bool(found.supported)
    assert false / 400 <= 0.06
