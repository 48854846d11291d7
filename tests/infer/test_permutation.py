"""The max-T test: golden values, edge cases, errors, seeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.differences import bootstrap, labels, signs
from measurand.infer.differences.pairs import pair_statistics, unit_table
from measurand.infer.differences.permutation import max_t

Oracle = Callable[[str], Any]

NULLS = {"signs": "signs", "labels": "labels", "bootstrap": "bootstrap_centred"}
"""Ours, and its name in the golden values."""

CASES = [
    "m3n4_continuous",
    "m3n4_identical_pair",
    "m3n4_all_equal",
    "m4n3_continuous",
    "m3n6_continuous",
    "m4n4_binary",
    "m6n10_binary_signs",
    "m10n13_binary_signs",
    "m3n5_inf_under_flips",
]


def binary(n: int, m: int, *, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return (np.random.default_rng(seed).random((n, m)) < 0.6).astype(np.float64)


def golden(value: float | str) -> float:
    return float(value)


@pytest.mark.parametrize("values", ["X", "X_int"])
@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("case", CASES)
def test_exact_counts_agree_with_full_enumeration(oracle: Oracle, case: str, null: str, values: str) -> None:
    expected = next(c for c in oracle("maxt_exact")["cases"] if c["id"] == case)
    if NULLS[null] not in expected["nulls"]:
        assert null != "signs"
        return
    result = max_t(expected[values], null=null, resamples=400_000, rng=1)
    assert result.exact
    counts = expected["nulls"][NULLS[null]]
    size = counts["group_size"]
    assert size % result.resamples == 0
    assert np.rint(result.p_raw * size).tolist() == counts["raw_count"]
    assert np.rint(result.p_single_step * size).tolist() == counts["ss_count"]
    assert result.p_raw == pytest.approx(counts["p_raw"], rel=1e-12)
    assert result.p_single_step == pytest.approx(counts["p_single_step"], rel=1e-12)
    assert result.p_adjusted == pytest.approx(counts["p_step_down"], rel=1e-12)
    assert not result.standard_error.any()


def test_every_golden_case_is_here(oracle: Oracle) -> None:
    cases = oracle("maxt_exact")["cases"]
    assert [case["id"] for case in cases] == CASES
    assert {null for case in cases for null in case["nulls"]} == set(NULLS.values())


@pytest.mark.parametrize("case", CASES)
def test_pair_statistics_agree_with_integer_arithmetic(oracle: Oracle, case: str) -> None:
    expected = next(c for c in oracle("maxt_exact")["cases"] if c["id"] == case)
    result = max_t(expected["X"], rng=1)
    assert result.pairs.tolist() == expected["pairs"]
    assert result.u == pytest.approx(expected["u"], rel=1e-9, abs=1e-15)
    assert result.mean_difference == pytest.approx(expected["mean_diff"], rel=1e-12, abs=1e-15)
    assert result.t == pytest.approx([golden(t) for t in expected["t"]], rel=1e-9)


def test_missing_cells_agree_with_full_enumeration(oracle: Oracle) -> None:
    for expected in oracle("maxt_missing_exact")["cases"]:
        result = max_t(np.array(expected["X"], dtype=np.float64), rng=1)
        assert result.exact
        assert result.n_common.tolist() == expected["n_common"]
        assert result.t == pytest.approx(expected["t"], rel=1e-12)
        assert result.p_single_step == pytest.approx(expected["p_single_step"], abs=1e-12)
        assert result.p_adjusted == pytest.approx(expected["p_step_down"], abs=1e-12)


def test_significant_matrix_carries_the_direction() -> None:
    gain = np.linspace(0.1, 0.4, 12)
    result = max_t(np.column_stack([-gain, 0 * gain, gain]), rng=1)
    assert result.significant.tolist() == [[0, -1, -1], [1, 0, -1], [1, 1, 0]]
    assert result.significant.dtype == np.int8
    assert result.n_significant == 3


def test_constant_difference_is_infinite_and_an_ordinary_largest_value() -> None:
    base = np.random.default_rng(3).random(10)
    result = max_t(np.column_stack([base, base + 0.1, base + 0.3]), rng=1)
    assert result.t.tolist() == [-np.inf] * 3
    assert result.u.tolist() == [1.0] * 3
    assert result.p_adjusted.tolist() == [2 / 2**10] * 3


def test_rounding_of_means_makes_no_difference_between_agents() -> None:
    """0.1 + 0.2 + 0.3 summed in another order is the same mean."""
    forward, backward = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    assert forward != backward
    result = max_t([[forward, backward]] * 12, rng=1)
    assert result.discordant.tolist() == [0]
    assert result.p_adjusted.tolist() == [1.0]


def test_least_attainable_p_counts_discordant_tasks() -> None:
    result = max_t(np.array([[1, 0, 0]] * 4 + [[1, 1, 1]] * 6), rng=1)
    assert result.discordant.tolist() == [4, 4, 0]
    assert result.least_attainable_p.tolist() == [0.125, 0.125, 1.0]
    assert result.reason is not None
    assert result.reason.startswith("no pair differs in more than 4 tasks")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_five_tasks_or_fewer_separate_nothing_and_say_so(n: int) -> None:
    result = max_t(np.random.default_rng(n).random((n, 4)), rng=1)
    assert result.n_significant == 0
    assert result.reason is not None
    assert f"{2.0 ** (1 - n):g}: nothing can be separated" in result.reason
    assert result.reason.endswith("nothing can be separated at 5 %")


def test_six_tasks_can_separate() -> None:
    result = max_t([[1.0 + t / 10, 0.0] for t in range(6)], rng=1)
    assert result.reason is None
    assert result.n_significant == 1


def test_too_few_labelings_are_named() -> None:
    result = max_t([[3.0, 2.0, 1.0], [3.0, 2.0, 1.5]], null="labels", rng=1)
    assert result.reason == (
        "agents differ in 2 tasks only, and so the least attainable p is 0.1667: nothing can be separated at 5 %"
    )


def test_too_few_resamples_are_named() -> None:
    result = max_t(binary(40, 3, seed=1), resamples=10, max_resamples=10, rng=1)
    assert result.reason == (
        "with 10 resamples the least attainable p is 1/11: nothing can be separated at 5 %"
    )


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ((0, 3), "there are no tasks"),
        ((4, 0), "there is no agent, and so no pair to compare"),
        ((4, 1), "there is one agent, and so no pair to compare"),
        ((0, 0), "there is no agent, and so no pair to compare"),
        ((9, 3), "no two agents differ on any task that both have"),
    ],
)
def test_nothing_to_test_gives_a_reason(shape: tuple[int, int], reason: str, null: str) -> None:
    result = max_t(np.ones(shape), null=null, families=np.arange(shape[0]), rng=1)
    assert result.reason == reason
    assert result.significant.shape == (shape[1], shape[1])
    assert not result.significant.any()
    assert (result.p_adjusted == 1).all()
    assert (result.t == 0).all()


def test_pairs_without_a_common_task_have_p_one() -> None:
    table = np.full((12, 3), np.nan)
    table[:6, 0], table[6:, 1] = 1.0, 2.0
    table[:, 2] = np.arange(12)
    result = max_t(table, rng=1)
    assert result.n_common.tolist() == [0, 6, 6]
    assert result.mean_difference[0] == 0
    assert result.p_adjusted[0] == 1
    assert np.isfinite(result.p_adjusted).all()


def test_one_common_task_has_t_zero_and_spoils_no_other_pair() -> None:
    table = np.column_stack([np.linspace(1, 2, 12), np.zeros(12), np.zeros(12)])
    table[1:, 2] = np.nan
    result = max_t(table, rng=1)
    assert result.t[1] == 0
    assert result.p_adjusted.tolist() == [2 / 2**12, 1.0, 1.0]


def test_a_task_that_nobody_has_changes_nothing_but_its_count() -> None:
    table = binary(9, 3, seed=5)
    wider = np.vstack([table, np.full((1, 3), np.nan)])
    assert max_t(wider, rng=1).p_adjusted.tolist() == max_t(table, rng=1).p_adjusted.tolist()


def test_singleton_families_are_tasks() -> None:
    table = binary(14, 4, seed=6)
    plain, grouped = max_t(table, rng=1), max_t(table, families=np.arange(14)[::-1], rng=1)
    assert grouped.p_adjusted.tolist() == plain.p_adjusted.tolist()
    assert grouped.t == pytest.approx(plain.t)


def test_families_test_their_sums_and_keep_the_mean_per_task() -> None:
    table, families = binary(24, 3, seed=7), np.arange(24) % 8
    grouped = max_t(table, families=families, rng=1)
    sums = np.array([table[families == f].sum(axis=0) for f in range(8)])
    of_sums = max_t(sums, rng=1)
    assert grouped.n_units == 8
    assert grouped.n_tasks == 24
    assert grouped.t == pytest.approx(of_sums.t)
    assert grouped.p_adjusted.tolist() == of_sums.p_adjusted.tolist()
    assert grouped.mean_difference == pytest.approx(of_sums.mean_difference / 3)
    assert "family of tasks" in grouped.method


def test_five_families_separate_nothing_and_say_so() -> None:
    table = np.column_stack([np.linspace(1, 2, 50), np.zeros(50)])
    result = max_t(table, families=np.arange(50) % 5, rng=1)
    assert result.reason == (
        "with 5 families the least attainable p is 2/32 = 0.0625: nothing can be separated at 5 %"
    )


@pytest.mark.parametrize("null", NULLS)
def test_same_seed_same_result_and_a_generator_leaves_no_seed(null: str) -> None:
    table = binary(30, 4, seed=8)
    one, two = (max_t(table, null=null, resamples=500, max_resamples=500, rng=11) for _ in range(2))
    assert one.p_adjusted.tolist() == two.p_adjusted.tolist()
    assert one.seed == 11
    by_generator = max_t(table, null=null, resamples=500, max_resamples=500, rng=np.random.default_rng(11))
    assert by_generator.p_adjusted.tolist() == one.p_adjusted.tolist()
    assert by_generator.seed is None
    other = max_t(table, null=null, resamples=500, max_resamples=500, rng=12)
    assert other.p_raw.tolist() != one.p_raw.tolist()


def test_result_does_not_depend_on_the_size_of_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    complete, gaps = np.random.default_rng(9).random((70, 5)), binary(70, 5, seed=9)
    gaps[::7, 1] = np.nan

    def run() -> list[list[float]]:
        return [
            max_t(table, null=null, resamples=700, max_resamples=700, rng=3).p_adjusted.tolist()
            for table, null in (
                (complete, "signs"),
                (gaps, "signs"),
                (complete, "labels"),
                (complete, "bootstrap"),
                (gaps, "bootstrap"),
            )
        ]

    usual = run()
    monkeypatch.setattr(signs, "BATCH", 13)
    monkeypatch.setattr("measurand.infer.differences.pairs.BLOCK_BYTES", 2_000)
    monkeypatch.setattr(labels, "TABLE_BYTES", 9_000)
    monkeypatch.setattr(labels, "BATCH_BYTES", 1_000)
    monkeypatch.setattr(bootstrap, "BATCH", 11)
    assert run() == usual


def test_very_many_tasks_make_smaller_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays bounded; the result is the same."""
    table = binary(300, 3, seed=4)

    def run(null: str) -> list[float]:
        p: list[float] = max_t(table, null=null, resamples=300, max_resamples=300, rng=3).p_adjusted.tolist()
        return p

    usual = [run("signs"), run("bootstrap")]
    for module in (signs, bootstrap):
        monkeypatch.setattr(module, "BATCH_BYTES", 20_000)
    assert [run("signs"), run("bootstrap")] == usual


def near_the_level() -> np.ndarray[Any, np.dtype[np.float64]]:
    """25 discordant tasks against 12: the exact two-sided p is 0.0470."""
    table = np.zeros((60, 2))
    table[:25, 0] = 1
    table[25:37, 1] = 1
    return table


def test_more_resamples_are_drawn_while_p_is_near_the_level() -> None:
    rising = max_t(near_the_level(), resamples=1_000, max_resamples=100_000, rng=2)
    assert rising.resamples == 100_000
    assert rising.p_adjusted[0] == pytest.approx(0.0470, abs=0.0025)
    fixed = max_t(near_the_level(), resamples=1_000, max_resamples=1_000, rng=2)
    assert fixed.resamples == 1_000
    assert fixed.standard_error[0] > 5 * rising.standard_error[0] > 0


def test_a_clear_p_needs_no_further_resamples() -> None:
    table = np.zeros((60, 2))
    table[:30, 0] = 1
    assert max_t(table, resamples=1_000, rng=2).resamples == 1_000


def test_rise_goes_on_from_the_same_stream() -> None:
    """Drawing 1,000 and then more gives what drawing them all at once gives."""
    rising = max_t(near_the_level(), resamples=1_000, max_resamples=100_000, rng=2)
    at_once = max_t(near_the_level(), resamples=100_000, max_resamples=100_000, rng=2)
    assert rising.p_adjusted.tolist() == at_once.p_adjusted.tolist()


def test_rise_ends_in_enumeration_when_that_is_no_more_work() -> None:
    table = np.zeros((40, 2))
    table[:10, 0] = 1
    table[10:12, 1] = 1
    result = max_t(table, resamples=100, max_resamples=10_000, rng=1)
    assert result.exact
    assert result.resamples == 2**12
    assert result.p_adjusted[0] == pytest.approx(158 / 4096)


def test_critical_value_parts_significant_from_not_in_a_single_step() -> None:
    for null in NULLS:
        result = max_t(binary(60, 6, seed=10) + np.arange(6) / 8, null=null, rng=1, max_resamples=10_000)
        assert result.critical_value is not None
        found = np.abs(result.t) > result.critical_value
        assert found.any()
        assert not found.all()
        assert found.tolist() == (result.p_single_step <= 0.05).tolist()


def test_no_critical_value_where_no_t_could_be_significant() -> None:
    assert max_t(np.random.default_rng(1).random((5, 3)), rng=1).critical_value is None
    assert max_t(np.random.default_rng(1).random((20, 1)), rng=1).critical_value is None


def test_huge_and_tiny_values_neither_overflow_nor_vanish() -> None:
    table = binary(12, 4, seed=13)
    usual = max_t(table, rng=1)
    for factor in (1e300, 1e-300):
        result = max_t(table * factor, rng=1)
        assert result.p_adjusted.tolist() == usual.p_adjusted.tolist()
        assert result.mean_difference == pytest.approx(usual.mean_difference * factor)


def test_labels_refuse_missing_cells() -> None:
    table = binary(8, 3, seed=1)
    table[0, 0] = np.nan
    with pytest.raises(UsageError, match="complete table"):
        max_t(table, null="labels", rng=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"null": "flips"}, "choose one of signs, labels, bootstrap"),
        ({"level": 0.0}, "level is 0.0"),
        ({"level": 1.5}, "level is 1.5"),
        ({"resamples": 0}, "resamples is 0"),
        ({"resamples": 100, "max_resamples": 10}, "max_resamples 10"),
        ({"families": [1, 2]}, "one family id a task"),
        ({"rng": -1}, "rng is -1"),
        ({"rng": None}, "rng is None"),
        ({"rng": True}, "rng is True"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        max_t(binary(8, 3, seed=1), **{"rng": 1, **arguments})


@pytest.mark.parametrize("table", [[1, 2, 3], [["a", "b"]], [[[1.0]]]])
def test_what_is_no_table_of_numbers_is_refused(table: Any) -> None:
    with pytest.raises(UsageError):
        max_t(table, rng=1)


def test_infinite_values_are_refused_with_their_place() -> None:
    with pytest.raises(InputError, match="task 1, agent 0: the value is infinite"):
        max_t([[1.0, 2.0], [np.inf, 1.0]], rng=1)


@pytest.mark.parametrize(("n", "least"), [(2, "0.5"), (3, "0.1111")])
def test_bootstrap_of_two_or_three_tasks_separates_nothing_and_says_so(n: int, least: str) -> None:
    result = max_t([[1.0 + t, 0.0] for t in range(n)], null="bootstrap", rng=1)
    assert result.n_significant == 0
    assert result.reason == (
        f"with {n} tasks to draw from the least attainable p is {least}: nothing can be separated at 5 %"
    )


def test_constant_difference_has_the_least_p_of_the_bootstrap() -> None:
    """Nothing varies, so that only a draw of one and the same task, every time, gives an infinite t."""
    result = max_t([[1.0, 0.0]] * 5, null="bootstrap", rng=1)
    assert result.exact
    assert result.t.tolist() == [np.inf]
    assert result.p_adjusted.tolist() == [5 / 5**5]
    gaps = [[1.0, 0.0]] * 5 + [[np.nan, 1.0]]
    with_gap = max_t(gaps, null="bootstrap", resamples=50_000, rng=1)
    draws = sum(5 * math.comb(6, k) for k in range(2, 7)) / 6**6
    assert with_gap.p_adjusted == pytest.approx([draws])


def test_difference_error_is_what_t_divides_by() -> None:
    table = np.random.default_rng(4).random((20, 3))
    table[3, 1] = np.nan
    for families in (None, np.arange(20) % 7):
        result = max_t(table, families=families, resamples=100, max_resamples=100, rng=1)
        assert result.difference_error * result.t == pytest.approx(result.mean_difference)
    d = table[:, 0] - table[:, 2]
    plain = max_t(table, resamples=100, max_resamples=100, rng=1)
    assert plain.difference_error[1] == pytest.approx(d.std(ddof=1) / np.sqrt(20))


def test_difference_error_is_undefined_for_one_task_and_zero_without_spread() -> None:
    assert np.isnan(max_t([[1.0, 0.0]], rng=1).difference_error).all()
    assert max_t([[1.0, 0.0]] * 7, rng=1).difference_error.tolist() == [0.0]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), high=st.sampled_from([1, 1, 3, 9]))
def test_single_precision_changes_no_comparison(seed: int, n: int, high: int) -> None:
    """Whole numbers are compared in single precision where no two values lie near enough to be confused."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, high + 1, (n, 6)).astype(np.float64)
    families = rng.integers(0, 20, n) if seed % 3 == 0 else None
    with pytest.MonkeyPatch.context() as patch:
        whole = max_t(table, families=families, resamples=400, max_resamples=400, rng=2)
        patch.setattr(signs, "MOST_BITS", -1)
        double = max_t(table, families=families, resamples=400, max_resamples=400, rng=2)
    for name in ("p_raw", "p_single_step", "p_adjusted"):
        assert getattr(whole, name).tolist() == getattr(double, name).tolist()
    assert (whole.critical_value is None) == (double.critical_value is None)
    if whole.critical_value is not None:
        assert whole.critical_value == pytest.approx(double.critical_value, rel=1e-5)


def test_single_precision_is_used_where_it_suffices_and_nowhere_else() -> None:
    def precision(table: Any) -> object:
        units = unit_table(np.asarray(table, dtype=np.float64), None)
        return signs.SignFlips(units, pair_statistics(units)).precision

    wins = binary(60, 4, seed=3)
    assert precision(wins) is np.float32
    assert precision(wins / 3) is np.float64
    assert precision(np.where(np.eye(60, 4) > 0, np.nan, wins)) is np.float64
    assert precision(wins * 2.0**30) is np.float64
    apart = np.repeat([[1000.0, 1.0], [1001.0, 3.0]], 30, axis=0)
    assert precision(apart) is np.float64
