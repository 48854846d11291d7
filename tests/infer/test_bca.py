"""The BCa tails against another library, and where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from measurand.infer.means.bca import bca_tails
from measurand.infer.means.intervals import cluster_bootstrap


@pytest.mark.parametrize("kind", ["skewed", "passes", "few"])
def test_tails_are_those_of_scipy_on_the_same_resamples(kind: str) -> None:
    """On the resampled means that scipy drew, the quantiles at our tails are its BCa interval; ties included."""
    from scipy.stats import bootstrap

    rng = np.random.default_rng(5)
    x = {
        "skewed": rng.exponential(size=40),
        "passes": (rng.random(60) < 0.8) * 1.0,
        "few": np.array([0.0, 0.2, 0.2, 1.0, 3.0]),
    }[kind]
    other = bootstrap((x,), np.mean, n_resamples=3_000, confidence_level=0.9, method="BCa", rng=rng)
    tails = bca_tails(other.bootstrap_distribution, x, np.ones(len(x)), level=0.9)
    assert not isinstance(tails, str)
    found = np.quantile(other.bootstrap_distribution, tails)
    assert found == pytest.approx(tuple(other.confidence_interval), rel=1e-9)


def test_interval_agrees_with_scipy_up_to_the_resamples() -> None:
    """Drawn with other random numbers, the ends differ by the Monte-Carlo error only."""
    from scipy.stats import bootstrap

    x = np.random.default_rng(6).exponential(size=80)
    other = bootstrap((x,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1))
    ours = cluster_bootstrap(x[:, None], resamples=20_000, method="bca", rng=2).interval(0)
    assert (ours.low, ours.high) == pytest.approx(tuple(other.confidence_interval), abs=0.02)


def test_families_are_left_out_whole() -> None:
    """The acceleration comes from leaving out one family at a time: sums and counts of families stand for their tasks."""
    sums, counts = np.array([3.0, 0.5, 4.0, 1.0]), np.array([4.0, 1.0, 5.0, 2.0])
    means = np.random.default_rng(8).normal(sums.sum() / counts.sum(), 0.1, 2_000)
    tails = bca_tails(means, sums, counts, level=0.95)
    left_out = [(sums.sum() - s) / (counts.sum() - c) for s, c in zip(sums, counts, strict=True)]
    u = np.mean(left_out) - np.array(left_out)
    a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    from scipy.stats import norm

    z0 = norm.ppf(np.mean(means < sums.sum() / counts.sum()))
    z = np.array([norm.ppf(0.025), norm.ppf(0.975)])
    expected = norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))).tolist()
    assert tails == pytest.approx(expected, rel=1e-9)


def test_units_without_cells_change_nothing() -> None:
    """A task that the agent lacks is no unit of the jackknife."""
    means = np.random.default_rng(9).normal(0.5, 0.1, 500)
    sums, counts = np.array([1.0, 0.0, 0.5]), np.ones(3)
    with_gap = bca_tails(means, np.r_[sums, 0.0], np.r_[counts, 0.0], level=0.9)
    assert with_gap == bca_tails(means, sums, counts, level=0.9)


def test_one_sided_resamples_give_a_reason() -> None:
    """All resampled means above the mean: the bias is not to be measured."""
    assert bca_tails(np.array([0.9, 1.0]), np.array([0.0, 1.0]), np.ones(2), level=0.9) == (
        "all resampled means lie on one side of the mean: the bias correction is infinite"
    )


def test_overstretched_tails_give_a_reason() -> None:
    """A level next to 1 on one far unit bends the quantile back."""
    x = np.r_[np.zeros(200), 1.0]
    means = np.r_[np.zeros(40), np.full(60, x.mean() * 2)]
    found = bca_tails(means, x, np.ones(len(x)), level=1 - 1e-12)
    assert (
        found == "so few units are so skewed that the accelerated quantile turns back: more units are needed"
    )
