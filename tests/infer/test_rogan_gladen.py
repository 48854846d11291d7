"""Rates corrected for the errors of a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.verifiers.rogan_gladen import CheckedSample, rogan_gladen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

QUICK: dict[str, Any] = {"resamples": 200, "rng": 1}


def checked(first: Floats, truth: Floats, seen: Floats) -> CheckedSample:
    """Count by task what a sample of trials (tasks × agents) was found to be."""
    passes, fails = first == 1, first == 0
    parts = (
        passes,
        passes & (seen == 1),
        passes & (seen == 1) & (truth == 0),
        fails,
        fails & (seen == 1),
        fails & (seen == 1) & (truth == 1),
    )
    return CheckedSample(*(part.sum(axis=1) for part in parts))


def world(
    seed: int, rates: list[float], tasks: int = 200, se: float = 0.95, sp: float = 0.7
) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    truth = (rng.random((tasks, len(rates))) < rates).astype(float)
    draw = rng.random(truth.shape)
    return np.where(truth == 1, draw < se, draw < 1 - sp).astype(float), truth


def test_complete_check_of_one_agent_gives_its_true_rate() -> None:
    """When all trials of a single agent are checked, the corrected rate is the second verdict's."""
    first, truth = world(1, [0.6])
    found = rogan_gladen(first, checked(first, truth, np.ones_like(first)), **QUICK)
    assert found.estimate[0] == pytest.approx(truth.mean())
    assert found.sensitivity == pytest.approx(first[truth == 1].mean())
    assert found.specificity == pytest.approx(1 - first[truth == 0].mean())
    assert not found.sensitivity_assumed


def test_passes_alone_give_the_first_rate_times_the_accepted_share() -> None:
    """Without checked failures the sensitivity is 1 by assumption, and that is said."""
    first, truth = world(2, [0.6])
    found = rogan_gladen(first, checked(first, truth, first), **QUICK)
    accepted = truth[first == 1].mean()
    assert found.estimate[0] == pytest.approx(first.mean() * accepted)
    assert (found.sensitivity, found.sensitivity_assumed) == (1.0, True)


@given(st.integers(0, 1000))
def test_formula_of_rogan_and_gladen(seed: int) -> None:
    """The rates are (m + sp - 1)/(se + sp - 1) with the sensitivity and specificity reported, cut to 0..1."""
    first, truth = world(seed, [0.2, 0.9], tasks=30)
    seen = (np.random.default_rng(seed).random(first.shape) < 0.5).astype(float)
    found = rogan_gladen(first, checked(first, truth, seen), **QUICK)
    if found.reason is not None:
        assert np.isnan(found.estimate).all()
        return
    assert found.sensitivity is not None
    assert found.specificity is not None
    raw = (first.mean(axis=0) + found.specificity - 1) / (found.sensitivity + found.specificity - 1)
    assert found.estimate == pytest.approx(np.clip(raw, 0, 1))
    assert found.clipped.tolist() == ((raw < 0) | (raw > 1)).tolist()


def test_order_of_the_tasks_does_not_matter_but_for_the_draw() -> None:
    """Estimates do not depend on the order of tasks; families of one task are the tasks."""
    first, truth = world(3, [0.3, 0.6])
    sample = checked(first, truth, np.ones_like(first))
    turned = CheckedSample(*(np.asarray(part)[::-1] for part in sample))
    one, other = rogan_gladen(first, sample, **QUICK), rogan_gladen(first[::-1], turned, **QUICK)
    assert one.estimate == pytest.approx(other.estimate)
    alone = rogan_gladen(first, sample, families=np.arange(200), **QUICK)
    assert alone.low == pytest.approx(one.low)
    assert "families" in alone.method


def test_a_verdict_that_says_nothing_cannot_be_corrected() -> None:
    """Sensitivity and specificity that sum to 1 or less leave no rate."""
    first = np.array([[1.0], [1.0], [0.0], [0.0]])
    truth = np.array([[1.0], [0.0], [1.0], [0.0]])
    found = rogan_gladen(first, checked(first, truth, np.ones_like(first)), **QUICK)
    assert "says nothing" in (found.reason or "")
    assert np.isnan(found.estimate).all()
    assert (found.sensitivity, found.specificity) == (0.5, 0.5)


def test_nothing_checked_and_nothing_bad_have_reasons() -> None:
    """Without a checked pass, or without any bad work, there is nothing to correct with."""
    first = np.array([[1.0], [1.0], [0.0]])
    nothing = rogan_gladen(first, checked(first, first, np.zeros_like(first)), **QUICK)
    assert (nothing.reason, nothing.sensitivity) == ("no pass was re-checked", None)
    good = np.ones((3, 1))
    assert "no bad" in (rogan_gladen(good, checked(good, good, good), **QUICK).reason or "")


def test_a_rate_below_the_verdicts_own_errors_is_cut_and_marked() -> None:
    """An agent that passes less than the verifier's false accepts cannot be below 0."""
    first, truth = world(4, [0.9, 0.0], tasks=400)
    sample = checked(first[:, :1], truth[:, :1], np.ones((400, 1)))
    low = np.column_stack([first[:, 0], np.zeros(400)])
    found = rogan_gladen(low, sample, **QUICK)
    assert found.clipped.tolist() == [False, True]
    assert found.estimate[1] == 0.0


def test_wrong_samples_are_refused() -> None:
    """Counts that cannot be, or of other tasks, are named."""
    good = CheckedSample([1, 1], [1, 1], [0, 1], [0, 0], [0, 0], [0, 0])
    for bad in (
        good._replace(passes=[1]),
        good._replace(passes_rejected=[2, 0]),
        good._replace(fails_checked=[1, 0]),
    ):
        with pytest.raises(UsageError):
            rogan_gladen([[1.0], [1.0]], bad, **QUICK)
    with pytest.raises(UsageError):
        rogan_gladen([[1.0], [1.0]], good, resamples=0, rng=1)


@pytest.mark.slow
def test_intervals_cover_the_true_rate() -> None:
    """95 % intervals cover within two points of their level, for three agents and a checked third of the trials."""
    rates, reps, hits = [0.3, 0.5, 0.7], 400, 0
    rng = np.random.default_rng(12)
    for seed in range(reps):
        first, truth = world(seed, rates)
        seen = (rng.random(first.shape) < 0.35).astype(float)
        found = rogan_gladen(first, checked(first, truth, seen), resamples=1000, rng=seed)
        hits += int(((found.low <= rates) & (rates <= found.high)).sum())
    assert hits / (3 * reps) == pytest.approx(0.95, abs=0.02)
