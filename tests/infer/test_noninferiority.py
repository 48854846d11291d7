"""Not worse by more than a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.claims.noninferiority import noninferiority
from measurand.infer.means.clusters import clustered_standard_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

counts = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 60)).filter(lambda c: sum(c) > 0)


def passes(won: int, lost: int, equal: int) -> Floats:
    rows = [[1, 0]] * won + [[0, 1]] * lost + [[1, 1]] * equal
    return np.array(rows, dtype=float).reshape(-1, 2)


def score_by_search(won: int, lost: int, n: int, theta: float) -> float:
    """Score at θ with the likeliest share of lost tasks found by trying many, not by the formula."""
    q = np.linspace(max(0.0, -theta), (1 - theta) / 2, 200_001)
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = sum(
            np.where(k > 0, k * np.log(p), 0.0)
            for k, p in ((won, q + theta), (lost, q), (n - won - lost, 1 - 2 * q - theta))
        )
    best = q[np.nanargmax(likelihood)]
    return float((won - lost - n * theta) / np.sqrt(n * (2 * best + theta - theta**2)))


@settings(max_examples=30, deadline=None)
@given(counts)
def test_at_the_score_bound_the_score_is_the_quantile(count: tuple[int, int, int]) -> None:
    """A likelihood maximised by search gives the score 1.645 at the lower bound, and -1.645 at the upper one."""
    won, lost, equal = count
    found = noninferiority(passes(*count), 0.1, share=True)
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low < found.high <= 1
    for end, value in ((found.low, 1.6449), (found.high, -1.6449)):
        if -0.99 < end < 0.99:
            assert score_by_search(won, lost, won + lost + equal, end) == pytest.approx(value, abs=0.01)


@given(counts, st.floats(0.01, 0.9))
def test_the_answer_is_the_bounds(count: tuple[int, int, int], margin: float) -> None:
    """Not worse when the lower bound lies above -margin; equivalent when the upper one lies below it as well."""
    found = noninferiority(passes(*count), margin, share=True)
    assert found.low is not None
    assert found.high is not None
    assert found.not_worse == (found.low > -margin)
    assert found.equivalent == (found.not_worse and found.high < margin)


@given(counts)
def test_turning_the_agents_turns_the_bounds(count: tuple[int, int, int]) -> None:
    """The second against the first has the opposite bounds."""
    one, other = (noninferiority(passes(*count)[:, columns], 0.1, share=True) for columns in ([0, 1], [1, 0]))
    assert one.low is not None
    assert other.high is not None
    assert one.low == pytest.approx(-other.high, abs=1e-12)
    assert (one.difference or 0.0) == -(other.difference or 0.0)


def test_no_task_that_differs_is_no_certainty() -> None:
    """Two agents equal on all of 100 pass-or-fail tasks still have bounds with a width."""
    found = noninferiority(passes(0, 0, 100), 0.05, share=True)
    assert found.low == pytest.approx(-(1.6449**2) / (100 + 1.6449**2), abs=1e-4)
    assert (found.not_worse, found.equivalent) == (True, True)


def test_more_tasks_narrow_the_bound() -> None:
    """With the same shares, ten times the tasks bring the bound nearer to the difference."""
    few, many = (noninferiority(passes(3 * k, 4 * k, 40 * k), 0.05, share=True) for k in (1, 10))
    assert few.low is not None
    assert many.low is not None
    assert few.low < many.low < (many.difference or 0.0)
    assert (few.not_worse, many.not_worse) == (False, False)


def test_graded_cells_get_the_t_bounds() -> None:
    """Cells of several trials that differ on many tasks: mean less the one-sided quantile of t times the error."""
    rng = np.random.default_rng(1)
    table = rng.binomial(4, 0.6, (60, 2)) / 4
    found = noninferiority(table, 0.1, share=True)
    twin = clustered_standard_error(table[:, 0] - table[:, 1], np.arange(60), level=0.9)
    assert (found.low, found.high, found.method) == (twin.low, twin.high, "t-bounds over tasks")


def test_families_are_the_unit() -> None:
    """Copies of a task in its family are no more information."""
    rng = np.random.default_rng(2)
    table = (rng.random((50, 2)) < 0.6).astype(float)
    whole = noninferiority(np.repeat(table, 4, axis=0), 0.1, families=np.repeat(np.arange(50), 4), share=True)
    graded = noninferiority(table * 0.999, 0.1, share=True)
    assert whole.n == 50
    assert whole.low == pytest.approx((graded.low or 0.0) / 0.999)
    assert "clustered by family" in whole.method


def test_shares_that_hardly_differ_are_padded() -> None:
    """Cells of three trials that differ on few tasks: two tasks of +1 and -1 are added, so that the bound has a width."""
    table = np.full((40, 2), 2 / 3)
    table[:3, 1] = 1.0
    found = noninferiority(table, 0.2, share=True)
    twin = clustered_standard_error(np.append(table[:, 0] - table[:, 1], [1, -1]), np.arange(42), level=0.9)
    assert (found.low, found.discordant) == (twin.low, 3)


def test_a_change_of_unit_changes_nothing_but_the_unit() -> None:
    """Scores and margin times 1000 give the same answer."""
    table = np.random.default_rng(3).normal(size=(30, 2))
    one, other = noninferiority(table, 0.4), noninferiority(table * 1000, 400.0)
    assert (one.not_worse, one.equivalent) == (other.not_worse, other.equivalent)
    assert other.low == pytest.approx((one.low or 0.0) * 1000)


@pytest.mark.parametrize(
    ("table", "options", "reason"),
    [
        (np.zeros((0, 2)), {"share": True}, "there are 0"),
        ([[0.5, 0.2]], {"share": True}, "needs at least 2 tasks that both have; there is 1"),
        ([[1.0, np.nan], [np.nan, 1.0]], {"share": True}, "there are 0"),
        ([[0.5, 0.2]] * 4, {"families": [1, 1, 1, 1]}, "needs at least 2 families"),
        ([[2.5, 0.2], [1.0, 1.0]], {}, "needs at least 15 tasks in which the two differ; there is 1"),
        ([[2.5, 0.5]] * 20, {}, "no width"),
    ],
)
def test_what_is_undefined_says_why(table: Floats, options: dict[str, object], reason: str) -> None:
    """Too few tasks, families or differences give no bound and no answer."""
    found = noninferiority(table, 0.1, **options)  # type: ignore[arg-type]
    assert (found.not_worse, found.equivalent, found.low, found.high) == (None, None, None, None)
    assert reason in (found.reason or "")


@pytest.mark.parametrize(
    ("table", "margin", "options"),
    [
        ([[1, 0]], 0.0, {}),
        ([[1, 0]], float("nan"), {}),
        ([[1, 0]], 2.0, {"share": True}),
        ([[1, 0]], 0.1, {"level": 0.5}),
        ([[1, 0, 1]], 0.1, {}),
        ([[1.5, 0]], 0.1, {"share": True}),
        ([[1, 0]], 0.1, {"families": [1, 2]}),
    ],
)
def test_wrong_arguments_are_refused(table: Floats, margin: float, options: dict[str, object]) -> None:
    """A margin of nothing or of more than two shares can differ by, a level too high, no pair of columns."""
    with pytest.raises(UsageError):
        noninferiority(table, margin, **options)  # type: ignore[arg-type]


def test_an_infinite_cell_is_bad_data() -> None:
    """It has no mean."""
    with pytest.raises(InputError, match="infinite"):
        noninferiority([[np.inf, 0.0]], 0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "differing", "margin"), [(50, 0.2, 0.1), (100, 0.06, 0.05), (200, 0.1, 0.1), (500, 0.06, 0.02)]
)
def test_at_the_margin_it_is_found_at_most_at_the_level(n: int, differing: float, margin: float) -> None:
    """Pass or fail, truly worse by just the margin: called not worse in at most 5 % + 1 point of 4,000 tables."""
    rng = np.random.default_rng(4)
    drawn = rng.multinomial(
        n, [(differing - margin) / 2, (differing + margin) / 2, 1 - differing], size=4_000
    )
    rows, times = np.unique(drawn, axis=0, return_counts=True)
    found = [noninferiority(passes(*row), margin, share=True).not_worse for row in rows.tolist()]
    assert times[np.array(found, dtype=bool)].sum() / 4_000 <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("trials", [3, 5])
def test_repeated_trials_at_the_margin_too(trials: int) -> None:
    """Several trials of tasks that are mostly passed, truly worse by just the margin: at most 5 % + 1 point."""
    rng, margin, wrong = np.random.default_rng(5), 0.05, 0
    for _ in range(1_500):
        rate = rng.beta(4, 0.3, 60)
        worse = rate * (1 - margin / (4 / 4.3))
        table = np.column_stack([rng.binomial(trials, worse), rng.binomial(trials, rate)]) / trials
        wrong += bool(noninferiority(table, margin, share=True).not_worse)
    assert wrong / 1_500 <= 0.06
