"""Numbers for people: exact at the edges, honest about resampling, and never a false zero."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.report import numbers
from measurand.report.numbers import DASH, MINUS


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.794, "79.4%"),
        (0.0, "0.0%"),
        (1.0, "100.0%"),
        (0.9996, "> 99.9%"),
        (0.0004, "< 0.1%"),
        (-0.25, f"{MINUS}25.0%"),
        (None, DASH),
        (math.nan, DASH),
        (math.inf, DASH),
    ],
)
def test_percent(value: float | None, text: str) -> None:
    assert numbers.percent(value) == text


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_only_a_true_bound_reads_as_a_bound(share: float) -> None:
    assert numbers.percent(share) not in {"0.0%", "100.0%"}


@pytest.mark.parametrize(
    ("p", "resamples", "exact", "text"),
    [
        (0.0234, 10_000, False, "0.023"),
        (1 / 10_001, 10_000, False, "≤ 0.0001"),
        (1 / 1_000_001, 1_000_000, False, "≤ 0.000001"),
        (1 / 500, 499, False, "≤ 0.002"),
        (1 / 4096, 4096, True, "< 0.001"),
        (0.0625, 32, True, "0.062"),
        (0.05004, 10_000, False, "0.05004"),
        (0.04996, 10_000, False, "0.04996"),
        (0.05, 20, True, "0.050"),
        (1.0, 10_000, False, "1.000"),
        (None, 0, True, DASH),
    ],
)
def test_p_value(p: float | None, resamples: int, text: str, *, exact: bool) -> None:
    assert numbers.p_value(p, resamples=resamples, exact=exact) == text


def test_p_statement_names_the_value() -> None:
    assert numbers.p_statement(0.023) == "p = 0.023"
    assert numbers.p_statement(0.0001) == "p < 0.001"
    assert numbers.p_statement(1 / 10_001, resamples=10_000, exact=False) == "p ≤ 0.0001"
    assert numbers.p_statement(None) == "p not available"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "$1.50"),
        (0, "$0.00"),
        (0.01, "$0.01"),
        (0.0042, "$0.0042"),
        (0.000_031_4, "$0.000031"),
        (999.5, "$999.50"),
        (12_345.4, "$12,345"),
        (-2, f"{MINUS}$2.00"),
        (None, DASH),
    ],
)
def test_dollars(value: float | None, text: str) -> None:
    assert numbers.dollars(value) == text


@given(st.floats(1e-12, 1e9))
def test_a_cost_above_zero_never_reads_as_zero(cost: float) -> None:
    assert any(digit in numbers.dollars(cost) for digit in "123456789")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.42, "420 ms"),
        (0.00312, "3.12 ms"),
        (4.2, "4.20 s"),
        (0.0, "0.00 s"),
        (42.3, "42 s"),
        (59.6, "1 min 00 s"),
        (200, "3 min 20 s"),
        (7_500, "2 h 05 min"),
        (3_599.7, "1 h 00 min"),
        (None, DASH),
    ],
)
def test_seconds(value: float | None, text: str) -> None:
    assert numbers.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (950, "950"),
        (12_345, "12.3k"),
        (999_960, "1.00M"),
        (4_560_000, "4.56M"),
        (2.5e9, "2.50B"),
        (3.25, "3.25"),
        (None, DASH),
    ],
)
def test_compact(value: float | None, text: str) -> None:
    assert numbers.compact(value) == text


def test_quantity_follows_the_unit() -> None:
    assert numbers.quantity(1.5, "USD") == "$1.50"
    assert numbers.quantity(90, "s") == "1 min 30 s"
    assert numbers.quantity(12_345, "tokens") == "12.3k"


def test_differences_have_a_sign() -> None:
    assert numbers.difference(0.041) == "+0.041"
    assert numbers.difference(-0.041) == f"{MINUS}0.041"
    assert numbers.difference(-0.0001) == "0.000"
    assert numbers.points(0.014) == "+1.4 points"
    assert numbers.points(None) == DASH


def test_intervals_and_ranks() -> None:
    assert numbers.interval(0.1, 0.25) == "[0.100, 0.250]"
    assert numbers.interval(0.1, 0.25, numbers.percent) == "[10.0, 25.0]"
    assert numbers.interval(None, 0.25) == ""
    assert numbers.ranks(2, 5) == f"2{DASH}5"
    assert numbers.ranks(3, 3) == "3"
    assert numbers.ranks(None, None) == DASH
