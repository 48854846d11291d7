"""The max-T test against plain loops in exact arithmetic, on small tables with ties, gaps and families."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from measurand.infer.differences.permutation import max_t

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = list[Fraction | None]
LOWERED = 1 - Fraction(1, 10**9)
HUGE = Fraction(10**30)


def exact_rows(table: Any) -> list[Row]:
    return [[None if math.isnan(x) else Fraction(x) for x in row] for row in np.asarray(table).tolist()]


def family_differences(rows: Sequence[Row], families: Sequence[int], i: int, j: int) -> dict[int, Fraction]:
    sums: dict[int, Fraction] = {}
    for row, family in zip(rows, families, strict=True):
        a, b = row[i], row[j]
        if a is not None and b is not None:
            sums[family] = sums.get(family, Fraction(0)) + a - b
    return sums


def squared_t(d: Iterable[Fraction], *, lowered: bool) -> Fraction:
    values = list(d)
    n, s, q = len(values), sum(values), sum(x * x for x in values)
    if q == 0 or n == 1:
        return Fraction(0)
    u = Fraction(s * s, 1) / (n * q)
    u *= LOWERED if lowered else 1
    return HUGE if u == 1 else (n - 1) * u / (1 - u)


def p_values(
    observed: list[Fraction], thresholds: list[Fraction], resampled: list[list[Fraction]], extra: int
) -> tuple[list[float], list[float], list[float]]:
    count = len(observed)
    order = sorted(range(count), key=lambda p: -observed[p])
    raw, single, down = [0] * count, [0] * count, [0] * count
    for values in resampled:
        for place, pair in enumerate(order):
            raw[pair] += values[pair] >= thresholds[pair]
            single[pair] += max(values) >= thresholds[pair]
            down[pair] += max(values[p] for p in order[place:]) >= thresholds[pair]
    for before, after in itertools.pairwise(order):
        down[after] = max(down[after], down[before])
    total = len(resampled) + extra
    return tuple([(c + extra) / total for c in counts] for counts in (raw, single, down))  # type: ignore[return-value]


def naive_signs(
    table: Any, families: Sequence[int], sign_vectors: Iterable[dict[int, int]], extra: int
) -> tuple[list[float], list[float], list[float]]:
    rows, m = exact_rows(table), np.shape(table)[1]
    pairs = list(itertools.combinations(range(m), 2))
    d = [family_differences(rows, families, i, j) for i, j in pairs]
    resampled = [
        [squared_t([signs[f] * x for f, x in of_pair.items()], lowered=False) for of_pair in d]
        for signs in sign_vectors
    ]
    observed = [squared_t(x.values(), lowered=False) for x in d]
    thresholds = [squared_t(x.values(), lowered=True) for x in d]
    return p_values(observed, thresholds, resampled, extra)


def all_signs(families: Sequence[int]) -> list[dict[int, int]]:
    ids = sorted(set(families))
    return [dict(zip(ids, s, strict=True)) for s in itertools.product((1, -1), repeat=len(ids))]


def naive_labels(table: Any) -> tuple[list[float], list[float], list[float]]:
    rows, (n, m) = exact_rows(table), np.shape(table)
    pairs = list(itertools.combinations(range(m), 2))

    def squares(of: Sequence[Sequence[Any]], *, lowered: bool = False) -> list[Fraction]:
        return [squared_t([row[i] - row[j] for row in of], lowered=lowered) for i, j in pairs]

    resampled = [
        squares(permuted) for permuted in itertools.product(*(list(itertools.permutations(r)) for r in rows))
    ]
    assert len(resampled) == math.factorial(m) ** n
    return p_values(squares(rows), squares(rows, lowered=True), resampled, 0)


def naive_bootstrap(
    table: Any, families: Sequence[int], draws: Iterable[Sequence[int]], extra: int
) -> tuple[list[float], list[float], list[float]]:
    rows, m = exact_rows(table), np.shape(table)[1]
    pairs = list(itertools.combinations(range(m), 2))
    d = [family_differences(rows, families, i, j) for i, j in pairs]
    resampled = [[_drawn_t(of_pair, drawn) for of_pair in d] for drawn in draws]
    observed = [squared_t(x.values(), lowered=False) for x in d]
    thresholds = [squared_t(x.values(), lowered=True) for x in d]
    return p_values(observed, thresholds, resampled, extra)


def _drawn_t(d: dict[int, Fraction], drawn: Sequence[int]) -> Fraction:
    """Squared t of the centred differences of the units drawn that the pair has."""
    units = [unit for unit in drawn if unit in d]
    if len(d) > 1 and len(set(d.values())) == 1 and any(d.values()):
        return HUGE if len(units) > 1 and len(set(units)) == 1 else Fraction(0)
    mean = sum(d.values(), Fraction(0)) / max(len(d), 1)
    return squared_t([d[unit] - mean for unit in units], lowered=False) if units else Fraction(0)


def small_table(seed: int, n: int, m: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(seed)
    kind = seed % 3
    if kind == 0:
        return rng.integers(0, 2, (n, m)).astype(np.float64)
    if kind == 1:
        return rng.integers(-2, 3, (n, m)) / 4
    return rng.standard_normal((n, m))


def assert_same(result: Any, expected: tuple[list[float], list[float], list[float]]) -> None:
    assert result.p_raw == pytest.approx(expected[0], rel=1e-12)
    assert result.p_single_step == pytest.approx(expected[1], rel=1e-12)
    assert result.p_adjusted == pytest.approx(expected[2], rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_signs_enumerated(seed: int) -> None:
    table = small_table(seed, 6, 4)
    result = max_t(table, rng=1)
    assert result.exact
    assert_same(result, naive_signs(table, range(6), all_signs(range(6)), 0))


@pytest.mark.parametrize("seed", range(12))
def test_signs_with_missing_cells(seed: int) -> None:
    table = small_table(seed, 7, 4)
    table[np.random.default_rng(100 + seed).random(table.shape) < 0.25] = np.nan
    result = max_t(table, rng=1)
    assert_same(result, naive_signs(table, range(7), all_signs(range(7)), 0))


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("seed", range(9))
def test_signs_with_families(seed: int, *, gaps: bool) -> None:
    table = small_table(seed, 12, 3)
    families = np.random.default_rng(seed).integers(0, 6, 12).tolist()
    if gaps:
        table[np.random.default_rng(200 + seed).random(table.shape) < 0.25] = np.nan
    result = max_t(table, families=families, rng=1)
    assert_same(result, naive_signs(table, families, all_signs(families), 0))


@pytest.mark.parametrize("seed", range(6))
def test_labels_enumerated(seed: int) -> None:
    table = small_table(seed, 4, 3)
    result = max_t(table, null="labels", rng=1)
    assert result.exact
    assert_same(result, naive_labels(table))


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("n", [18, 70])
def test_signs_drawn(n: int, *, gaps: bool) -> None:
    """The plain loop takes its signs from the same words of the generator."""
    table = small_table(2, n, 3)
    if gaps:
        table[::5, 0] = np.nan
    result = max_t(table, resamples=150, max_resamples=150, rng=5)
    assert not result.exact
    shape = (150, -(-n // 64))
    words = np.random.default_rng(5).integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)
    vectors = [
        {task: 1 if int(word[task // 64]) >> (task % 64) & 1 else -1 for task in range(n)} for word in words
    ]
    assert_same(result, naive_signs(table, range(n), vectors, 1))


def test_labels_drawn_agree_with_enumeration_within_their_error() -> None:
    table = small_table(2, 5, 3)
    drawn = max_t(table, null="labels", resamples=7_000, max_resamples=7_000, rng=6)
    exact = max_t(table, null="labels", resamples=8_000, rng=6)
    assert exact.exact
    assert not drawn.exact
    assert (np.abs(drawn.p_adjusted - exact.p_adjusted) < 4 * drawn.standard_error + 1e-3).all()


def test_labels_keep_their_digits_when_one_task_is_a_million_times_larger() -> None:
    """Agents that tie on the large task differ on the small ones alone; inner products lose those digits."""
    rng = np.random.default_rng(3)
    table = np.vstack([np.repeat([0.0, 1e9], 2)[None, :], rng.integers(0, 3, (2, 4)) + 0.1])
    result = max_t(table, null="labels", resamples=20_000, rng=1)
    assert result.exact
    assert_same(result, naive_labels(table))


def test_sums_that_cancel_up_to_rounding_are_zero() -> None:
    """Tenths that sum to nothing leave 1e-17 in floating point, which would count as a value hard to reach."""
    whole = np.array([[0, 0, 0], [0, -100, 125], [0, 0, -25], [0, 0, -200]])
    for null in ("signs", "labels"):
        exact = max_t(whole, null=null, rng=1)
        parted = max_t(whole * 1e-6, null=null, rng=1)
        assert exact.t[2] == 0
        assert parted.t[2] == 0
        assert parted.p_adjusted.tolist() == exact.p_adjusted.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_nearly_constant_differences_with_missing_cells(seed: int) -> None:
    """All |t| are in the hundreds or more, where t² is most sensitive to u."""
    rng = np.random.default_rng(seed)
    table = np.array([0.0, 1.0, 3.0]) + rng.standard_normal((8, 3)) / 100
    table[0, 0] = table[1, 2] = table[2, 2] = np.nan
    result = max_t(table, rng=1)
    assert result.u.min() > 0.999
    assert_same(result, naive_signs(table, range(8), all_signs(range(8)), 0))


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("seed", range(9))
def test_bootstrap_enumerated(seed: int, *, gaps: bool) -> None:
    """All 3,125 ways to draw five of five tasks; a task brings its gaps along."""
    table = small_table(seed, 5, 4)
    if gaps:
        table[np.random.default_rng(300 + seed).random(table.shape) < 0.25] = np.nan
    result = max_t(table, null="bootstrap", rng=1)
    assert result.exact
    assert_same(result, naive_bootstrap(table, range(5), itertools.product(range(5), repeat=5), 0))


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_bootstrap_of_families(seed: int, *, gaps: bool) -> None:
    table = small_table(seed, 12, 3)
    families = (np.random.default_rng(seed).permutation(12) % 4).tolist()
    if gaps:
        table[np.random.default_rng(400 + seed).random(table.shape) < 0.25] = np.nan
    result = max_t(table, null="bootstrap", families=families, rng=1)
    assert result.exact
    assert_same(result, naive_bootstrap(table, families, itertools.product(range(4), repeat=4), 0))


@pytest.mark.parametrize("gaps", [False, True])
def test_bootstrap_drawn(*, gaps: bool) -> None:
    """The plain loop draws the same tasks from the generator."""
    table = small_table(2, 18, 3)
    if gaps:
        table[::5, 0] = np.nan
    result = max_t(table, null="bootstrap", resamples=150, max_resamples=150, rng=5)
    assert not result.exact
    draws = np.random.default_rng(5).integers(0, 18, size=(150, 18)).tolist()
    assert_same(result, naive_bootstrap(table, range(18), draws, 1))
