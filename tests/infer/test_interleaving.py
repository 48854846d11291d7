"""Were two agents run at the same time?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.claims.interleaving import interleaving

times = st.lists(st.integers(0, 1_000), min_size=1, max_size=20)


@given(times, times)
def test_it_equals_its_naive_twin(first: list[int], second: list[int]) -> None:
    """Shares within the other's span, counted one by one; apart exactly when no moment belongs to both spans."""
    found = interleaving(first, second)
    assert found.first_within == sum(min(second) <= t <= max(second) for t in first) / len(first)
    assert found.second_within == sum(min(first) <= t <= max(first) for t in second) / len(second)
    spans = [set(range(min(some), max(some) + 1)) for some in (first, second)]
    assert found.apart == (not spans[0] & spans[1])
    assert found.hardly == (found.apart or min(found.first_within, found.second_within) < 0.05)


@given(times, times, st.integers(-10_000, 10_000))
def test_the_origin_and_the_order_do_not_matter(first: list[int], second: list[int], shift: int) -> None:
    """Shifted times, and the agents turned, give the same answer."""
    one = interleaving(first, second)
    other = interleaving([t + shift for t in second], [t + shift for t in first])
    assert (one.apart, one.hardly, one.gap) == (other.apart, other.hardly, other.gap)
    assert (one.first_within, one.second_within) == (other.second_within, other.first_within)


def test_one_late_trial_does_not_make_two_runs_overlap() -> None:
    """A single trial run again with the other agent stretches the span, and its small share tells."""
    found = interleaving(range(100), [*range(200, 299), 50])
    assert (found.apart, found.hardly) == (False, True)
    assert found.second_within == 0.01


def test_ends_belong_to_the_span() -> None:
    """A trial that is still running when the other agent starts overlaps with it."""
    assert interleaving([0, 10], [15, 20]).apart is True
    assert interleaving([0, 10], [15, 20], first_ends=[5, 16]).apart is False
    assert interleaving([0, 10], [15, 20]).gap == 5.0


def test_unknown_times_are_left_out() -> None:
    """Trials without a time say nothing, and an agent without any makes the question unanswerable."""
    found = interleaving([0.0, np.nan, 10.0], [5.0])
    assert (found.first_within, found.second_within) == (0.0, 1.0)
    for first, second, why in (([np.nan], [1.0], "one agent's"), ([], [], "neither")):
        nothing = interleaving(first, second)
        assert (nothing.apart, nothing.hardly, nothing.first_within, nothing.gap) == (None, None, None, None)
        assert why in (nothing.reason or "")


def test_wrong_times_are_refused() -> None:
    """One time a trial."""
    with pytest.raises(UsageError, match="dimensions"):
        interleaving([[1.0]], [1.0])
