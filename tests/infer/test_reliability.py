"""D3 in its named forms: golden values, edges, and coverage of its intervals."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.repeats.reliability import consistency_forms, reproducibility, rubric_label

if TYPE_CHECKING:
    from collections.abc import Callable

counts = st.integers(2, 60).flatmap(lambda k: st.tuples(st.integers(0, k), st.just(k)))


def test_golden_values(oracle: Callable[[str], Any]) -> None:
    """Every form and interval is the one computed elsewhere; with one trial there is none, only the interval of p."""
    rows = oracle("d3_reproducibility")["rows"]
    assert len(rows) > 20
    for row in rows:
        found = reproducibility(row["s"], row["k"])
        assert (found.share.low, found.share.high) == pytest.approx(
            tuple(row["p_ci_clopper_pearson_95"]), abs=1e-12
        )
        if row["k"] == 1:
            assert (found.plug_in, found.maximum, found.low) == (None, None, None)
            continue
        forms = (found.plug_in, found.unbiased, found.agreement, found.maximum, found.one_minus_variance)
        names = ("plug_in", "unbiased", "pair_agreement", "max_form", "one_minus_var")
        assert forms == pytest.approx(tuple(row[name] for name in names), abs=1e-12)
        assert (found.low, found.high) == pytest.approx(tuple(row["d3_ci_95"]), abs=1e-12)
        assert (found.maximum_low, found.maximum_high) == pytest.approx(tuple(row["max_ci_95"]), abs=1e-12)


@given(counts)
def test_forms_agree_with_the_trials_taken_in_pairs(cell: tuple[int, int]) -> None:
    """Agreement is the share of equal pairs among all pairs of trials, and the unbiased form is twice it minus one."""
    c, k = cell
    trials = [1] * c + [0] * (k - c)
    agreement = np.mean([a == b for a, b in combinations(trials, 2)])
    found = reproducibility(c, k)
    assert found.agreement == pytest.approx(agreement)
    assert found.unbiased == pytest.approx(2 * agreement - 1)
    assert found.plug_in == pytest.approx(1 - 4 * np.var(trials))
    assert found.one_minus_variance == pytest.approx(1 - np.var(trials))


@given(counts)
def test_passes_and_fails_may_be_exchanged(cell: tuple[int, int]) -> None:
    """An agent that fails is as reproducible as one that passes as often."""
    c, k = cell
    one, other = reproducibility(c, k), reproducibility(k - c, k)
    for name in ("plug_in", "low", "high", "unbiased", "maximum", "maximum_low", "maximum_high", "agreement"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9)
    assert one.label == other.label


@given(counts)
def test_values_lie_in_their_intervals(cell: tuple[int, int]) -> None:
    """And the intervals in the ranges of the forms."""
    found = reproducibility(*cell)
    assert found.low is not None
    assert found.high is not None
    assert found.plug_in is not None
    assert found.maximum_low is not None
    assert found.maximum_high is not None
    assert found.maximum is not None
    assert 0 <= found.low <= found.plug_in + 1e-12 <= found.high + 2e-12 <= 1 + 3e-12
    assert 0.5 <= found.maximum_low <= found.maximum + 1e-12 <= found.maximum_high + 2e-12 <= 1 + 3e-12


@pytest.mark.parametrize("k", [2, 3, 5, 10, 20])
def test_unbiased_form_is_unbiased_and_the_plug_in_is_not(k: int) -> None:
    """Over all outcomes of k trials of chance p: the plug-in is upward by 4p(1-p)/k, the unbiased form by nothing."""
    from scipy.stats import binom

    c = np.arange(k + 1)
    forms = consistency_forms(c, np.full(k + 1, k))
    for p in (0.1, 0.5, 0.8):
        weight = binom.pmf(c, k, p)
        assert weight @ forms.unbiased == pytest.approx((2 * p - 1) ** 2)
        assert weight @ forms.plug_in == pytest.approx((2 * p - 1) ** 2 + 4 * p * (1 - p) / k)


@pytest.mark.parametrize("k", [2, 5, 10, 30])
def test_intervals_cover_at_least_with_their_level(k: int) -> None:
    """Exactly, for every chance p: the folded Clopper-Pearson interval holds D3 and D3_max."""
    from scipy.stats import binom

    p = (np.arange(1_000) + 0.5) / 1_000
    rows = [reproducibility(c, k) for c in range(k + 1)]
    ends: Any = np.array([[r.low, r.high, r.maximum_low, r.maximum_high] for r in rows])[:, :, None]
    weight = binom.pmf(np.arange(k + 1)[:, None], k, p)
    d3, most = (2 * p - 1) ** 2, np.maximum(p, 1 - p)
    assert (weight * ((ends[:, 0] <= d3) & (d3 <= ends[:, 1]))).sum(axis=0).min() >= 0.95
    assert (weight * ((ends[:, 2] <= most) & (most <= ends[:, 3]))).sum(axis=0).min() >= 0.95


def test_ten_equal_outcomes_do_not_certify_much() -> None:
    """Ten passes of ten leave D3 between .15 and 1; 11, 29 and 59 of them certify a D3_max of .75, .90 and .95."""
    assert reproducibility(10, 10).low == pytest.approx(0.15, abs=0.005)
    for k, most in ((11, 0.75), (29, 0.90), (59, 0.95)):
        certified, before = reproducibility(k, k, level=0.9), reproducibility(k - 1, k - 1, level=0.9)
        assert certified.maximum_low is not None
        assert before.maximum_low is not None
        assert before.maximum_low < most <= certified.maximum_low


@pytest.mark.parametrize(
    ("k", "most", "d3", "perfect"),
    [(3, 0.75, 0.33, 0.73), (5, 0.69, 0.20, 0.59), (10, 0.62, 0.10, 0.35), (20, 0.59, 0.05, 0.12)],
)
def test_published_table_of_the_bias(k: int, most: float, d3: float, perfect: float) -> None:
    """Expected forms of a fair coin, and the chance that a task of p = 0.9 looks perfect."""
    from scipy.stats import binom

    c = np.arange(k + 1)
    forms = consistency_forms(c, np.full(k + 1, k))
    fair = binom.pmf(c, k, 0.5)
    assert fair @ forms.maximum == pytest.approx(most, abs=0.006)
    assert fair @ forms.plug_in == pytest.approx(d3, abs=0.006)
    assert binom.pmf(c, k, 0.9) @ (forms.flips == 0) == pytest.approx(perfect, abs=0.006)


def test_one_trial_or_none_says_nothing() -> None:
    """Never 1: a trial that agrees with itself is no evidence."""
    one, none = reproducibility(1, 1), reproducibility(0, 0)
    assert (one.plug_in, one.unbiased, one.maximum, one.label, one.low, one.agreement) == (None,) * 6
    assert one.reason == "needs at least 2 trials of a task; there is 1"
    assert none.reason == "needs at least 2 trials of a task; there are none"
    assert one.share.low == pytest.approx(0.025)
    forms = consistency_forms([1, 0, 2], [1, 0, 2])
    for form in forms:
        assert np.isnan(form[:2]).all()
        assert not np.isnan(form[2])


def test_few_trials_are_flagged() -> None:
    """Fewer than the ten recommended trials carry the flag."""
    assert reproducibility(4, 9).flags == ("k_below_10",)
    assert reproducibility(4, 10).flags == ()


def test_labels_of_the_rubric() -> None:
    """Each label from its least value on; perfection is exact."""
    values = (1.0, 1 - 1e-12, 0.9, 0.8999, 0.75, 0.7499, 0.5)
    assert [rubric_label(value).split()[0] for value in values] == [
        "perfectly",
        "rarely",
        "rarely",
        "moderately",
        "moderately",
        "highly",
        "highly",
    ]


@pytest.mark.parametrize("wrong", [(3, 2), (-1, 2), (0.5, 2), (0, float("nan")), ([1, 2], [3])])
def test_wrong_counts_are_refused(wrong: tuple[Any, Any]) -> None:
    with pytest.raises(UsageError):
        consistency_forms(*wrong)


def test_wrong_level_is_refused() -> None:
    with pytest.raises(UsageError, match="level is 95"):
        reproducibility(1, 2, level=95)
