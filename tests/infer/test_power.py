"""Critical values, detectable differences, exact sign test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import UsageError
from measurand.infer.design.power import (
    critical_value,
    exact_sign_p,
    family_wise_level,
    minimal_detectable_difference,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("row", range(6))
def test_critical_values_are_golden(oracle: Callable[[str], Any], row: int) -> None:
    """Each golden critical value is met, and lies at or below Bonferroni's."""
    rows = oracle("crit_mdd")["crit"]
    assert len(rows) == 6
    golden = rows[row]
    assert critical_value(golden["m"]) == pytest.approx(golden["crit"], abs=1e-5)
    assert critical_value(golden["m"]) <= golden["bonferroni"] + 1e-9
    assert family_wise_level(golden["crit"], golden["m"]) == pytest.approx(0.05, abs=1e-7)


@pytest.mark.parametrize("row", range(3))
def test_detectable_differences_are_golden(oracle: Callable[[str], Any], row: int) -> None:
    """Each golden detectable difference is met, in both variants; sd is the root of the discordant share."""
    rows = oracle("crit_mdd")["mdd"]
    assert len(rows) == 3
    golden = rows[row]
    assert golden["sd_d"] == pytest.approx(math.sqrt(golden["discordance"]))
    result = minimal_detectable_difference(golden["sd_d"], golden["n"], golden["m"])
    assert result.difference == pytest.approx(golden["mdd"], abs=1e-5)
    assert result.difference_var_corrected == pytest.approx(golden["mdd_var_corrected"], abs=1e-5)


@pytest.mark.parametrize("m", [2, 3, 10, 60])
@pytest.mark.parametrize("level", [0.5, 0.05, 0.001])
def test_critical_value_is_the_studentized_range_of_scipy(m: int, level: float) -> None:
    from scipy.stats import studentized_range

    expected = studentized_range.isf(level, m, np.inf) / math.sqrt(2)
    assert critical_value(m, level=level) == pytest.approx(expected, rel=1e-8)


def test_critical_value_of_two_agents_is_the_normal_quantile() -> None:
    assert critical_value(2, level=0.1) == pytest.approx(1.6448536269514722, rel=1e-10)


def test_critical_value_grows_with_agents_and_confidence() -> None:
    values = [critical_value(m) for m in (2, 5, 50, 500, 5_000)]
    assert values == sorted(values)
    assert critical_value(5, level=0.01) > critical_value(5, level=0.05)


@given(m=st.integers(2, 60), level=st.floats(1e-8, 0.9))
def test_family_wise_level_undoes_the_critical_value(m: int, level: float) -> None:
    """The level of a critical value is the level it was made for."""
    assert family_wise_level(critical_value(m, level=level), m) == pytest.approx(level, rel=1e-5)


def test_family_wise_level_at_the_ends() -> None:
    """Nothing is asked of |t| = 0, and nothing reaches an infinite one."""
    assert family_wise_level(0.0, 5) == pytest.approx(1.0)
    assert family_wise_level(math.inf, 5) < 1e-13


@pytest.mark.parametrize(("critical", "m"), [(-1.0, 5), (math.nan, 5), (2.0, 1)])
def test_family_wise_level_refuses_nonsense(critical: float, m: int) -> None:
    with pytest.raises(UsageError):
        family_wise_level(critical, m)


def test_published_check_of_the_detectable_difference() -> None:
    """Ten agents, 500 tasks, 12.4 % discordant: 6.3 points; 1.4 points would take about 10,000 tasks."""
    sd = math.sqrt(0.124)
    assert minimal_detectable_difference(sd, 500, 10).difference == pytest.approx(0.063, abs=5e-4)
    assert minimal_detectable_difference(sd, 10_000, 10).difference == pytest.approx(0.014, abs=2e-4)


@given(sd=st.floats(0.01, 10), n=st.integers(1, 10_000), m=st.integers(2, 30))
def test_corrected_difference_is_the_root_of_its_equation(sd: float, n: int, m: int) -> None:
    result = minimal_detectable_difference(sd, n, m)
    assert result.difference is not None
    assert result.difference_var_corrected is not None
    corrected = result.difference_var_corrected
    reach = result.difference * math.sqrt(n) / sd
    assert corrected == pytest.approx(reach * math.sqrt((sd**2 - corrected**2) / n), rel=1e-6)
    assert corrected < result.difference


def test_no_tasks_give_a_reason() -> None:
    result = minimal_detectable_difference(0.3, 0, 10)
    assert (result.difference, result.difference_var_corrected) == (None, None)
    assert result.reason == "there are no tasks"


@pytest.mark.parametrize(
    "arguments",
    [
        {"m": 1},
        {"sd": -0.1},
        {"sd": math.nan},
        {"level": 0.0},
        {"power": 1.0},
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        minimal_detectable_difference(**{"sd": 0.3, "n": 100, "m": 10, **arguments})


@given(a=st.integers(0, 60), b=st.integers(0, 60))
def test_exact_sign_p_sums_the_binomial_tail(a: int, b: int) -> None:
    n = a + b
    tail = sum(math.comb(n, k) for k in range(min(a, b) + 1)) / 2**n
    assert exact_sign_p(a, b) == pytest.approx(min(1.0, 2 * tail))
    assert exact_sign_p(a, b) == exact_sign_p(b, a)


def test_exact_sign_p_of_many_tasks() -> None:
    assert exact_sign_p(5_000, 5_200) == pytest.approx(0.048788, abs=1e-6)
    assert exact_sign_p(0, 0) == 1.0
    assert exact_sign_p(5, 0) == 0.0625


def test_exact_sign_p_refuses_negative_counts() -> None:
    with pytest.raises(UsageError):
        exact_sign_p(-1, 3)
