"""Tiers, rank intervals, the possible best, and letters."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import InputError, UsageError
from measurand.infer.differences import tiers as module
from measurand.infer.differences.tiers import tiers

if TYPE_CHECKING:
    from collections.abc import Callable

Matrix = np.ndarray[Any, np.dtype[np.int8]]


def matrix(means: list[float], pairs: list[list[int]]) -> Matrix:
    significant = np.zeros((len(means), len(means)), dtype=np.int8)
    for i, j in pairs:
        sign = 1 if means[i] > means[j] else -1
        significant[i, j], significant[j, i] = sign, -sign
    return significant


def test_golden_values(oracle: Callable[[str], Any]) -> None:
    for case in oracle("tiers")["cases"]:
        result = tiers(case["mean"], matrix(case["mean"], case["sig_pairs"]))
        assert list(result.order) == case["order"], case["id"]
        assert list(result.tier) == case["leader_contiguous"], case["id"]
        assert list(result.rank_low) == case["rank_low"], case["id"]
        assert list(result.rank_high) == case["rank_high"], case["id"]
        assert list(result.possible_best) == case["possible_best"], case["id"]
        assert list(result.fully_supported) == case["boundaries_fully_supported"], case["id"]
        assert result.cliques is not None
        assert sorted(sorted(c) for c in result.cliques) == sorted(case["cliques"]), case["id"]
        assert result.n_tiers == max(case["leader_contiguous"])
        assert result.reason is None


def test_supported_boundaries_alone_give_the_golden_groups_of_full_separation(
    oracle: Callable[[str], Any],
) -> None:
    """Where every agent above a cut beats every one below, the leader rule cuts too, and marks it as supported."""
    for case in oracle("tiers")["cases"]:
        result = tiers(case["mean"], matrix(case["mean"], case["sig_pairs"]))
        group = np.cumsum([1, *result.fully_supported])
        assert [int(group[tier - 1]) for tier in result.tier] == case["full_separation"], case["id"]


def test_equal_means_share_a_rank_and_keep_the_order_of_the_input() -> None:
    result = tiers([1, 3, 3, 2], np.zeros((4, 4)))
    assert result.order == (1, 2, 3, 0)
    assert result.rank == (4, 1, 1, 3)


def test_means_that_rounding_parted_are_equal() -> None:
    assert tiers([0.1 + 0.2, 0.3, 0.2], np.zeros((3, 3))).rank == (1, 1, 3)


def test_boundary_is_fully_supported_when_all_pairs_across_it_differ() -> None:
    means = [4.0, 3.0, 2.0, 1.0]
    across = [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert tiers(means, matrix(means, across)).fully_supported == (True,)
    assert tiers(means, matrix(means, across[:3])).fully_supported == (False,)


def test_agent_better_than_the_leader_opens_no_tier() -> None:
    """With missing cells a lower mean can go with a significantly better pair."""
    assert tiers([2, 1], [[0, -1], [1, 0]]).tier == (1, 1)


@st.composite
def relations(draw: st.DrawFn) -> tuple[list[float], Matrix]:
    m = draw(st.integers(1, 8))
    means = draw(st.lists(st.integers(0, 5).map(float), min_size=m, max_size=m))
    pairs = [list(p) for p in itertools.combinations(range(m), 2) if draw(st.booleans())]
    return means, matrix(means, pairs)


@settings(max_examples=200, deadline=None)
@given(relation=relations())
def test_letters_say_exactly_which_pairs_differ(relation: tuple[list[float], Matrix]) -> None:
    means, significant = relation
    letters = tiers(means, significant).letters
    assert letters is not None
    for i, j in itertools.combinations(range(len(means)), 2):
        assert bool(set(letters[i]) & set(letters[j])) == (significant[i, j] == 0)


@settings(max_examples=200, deadline=None)
@given(relation=relations())
def test_letters_are_those_of_scikit_posthocs(relation: tuple[list[float], Matrix]) -> None:
    """It takes a matrix of p-values; which letter a group gets is the choice of each."""
    other = pytest.importorskip("scikit_posthocs")
    means, significant = relation
    shown = other.compact_letter_display(np.where(significant == 0, 1.0, 0.0))
    groups: dict[str, set[int]] = {}
    for agent, letters in enumerate(shown):
        for letter in letters.replace(" ", ""):
            groups.setdefault(letter, set()).add(agent)
    cliques = tiers(means, significant).cliques
    assert cliques is not None
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, cliques))


def test_letters_of_a_small_table_by_hand() -> None:
    """Five agents in a row, each of which differs from those two or more places away."""
    means = [5.0, 4.0, 3.0, 2.0, 1.0]
    apart = [[0, 2], [0, 3], [0, 4], [1, 3], [1, 4], [2, 4]]
    assert tiers(means, matrix(means, apart)).letters == ("a", "ab", "bc", "cd", "d")


@settings(max_examples=200, deadline=None)
@given(relation=relations())
def test_cliques_are_those_found_by_trying_all_subsets(relation: tuple[list[float], Matrix]) -> None:
    means, significant = relation
    m = len(means)
    alike = [
        set(group)
        for size in range(1, m + 1)
        for group in itertools.combinations(range(m), size)
        if all(significant[i, j] == 0 for i, j in itertools.combinations(group, 2))
    ]
    maximal = [group for group in alike if not any(group < other for other in alike)]
    cliques = tiers(means, significant).cliques
    assert cliques is not None
    assert len(cliques) == len(maximal)
    assert all(set(clique) in maximal for clique in cliques)


@settings(max_examples=100, deadline=None)
@given(relation=relations(), data=st.data())
def test_order_of_agents_does_not_matter_unless_means_tie(
    relation: tuple[list[float], Matrix], data: st.DataObject
) -> None:
    means, significant = relation
    means = [mean + place / 100 for place, mean in enumerate(means)]
    order = data.draw(st.permutations(range(len(means))))
    one = tiers(means, significant)
    two = tiers(np.array(means)[order], significant[np.ix_(order, order)])
    for name in ("tier", "rank", "rank_low", "rank_high", "letters"):
        assert getattr(two, name) == tuple(getattr(one, name)[agent] for agent in order)


def chain(m: int, reach: int) -> tuple[Any, Matrix]:
    """Agents in a row, each significantly different from those more than ``reach`` places away."""
    means = -np.arange(m)
    distance = means[:, None] - means[None, :]
    return means, (np.sign(distance) * (np.abs(distance) > reach)).astype(np.int8)


def test_many_agents_in_a_row_get_long_letters() -> None:
    result = tiers(*chain(200, 20))
    assert result.cliques is not None
    assert result.letters is not None
    assert len(result.cliques) == 180
    assert result.letters[0] == "a"
    assert result.letters[27] == " ".join([*"ghijklmnopqrstuvwxyz", "aa", "ab"][1:])


def test_all_alike_and_all_different() -> None:
    assert set(tiers(np.arange(300), np.zeros((300, 300))).letters or ()) == {"a"}
    assert tiers(*chain(300, 0)).tier == tuple(range(1, 301))


@pytest.mark.parametrize("kind", ["threes", "random"])
def test_too_many_groups_give_a_reason_in_place_of_letters(kind: str) -> None:
    """Triples that differ inside and not outside have 3^(m/3) groups."""
    m = 120
    place = np.arange(m)
    differ = place[:, None] // 3 == place[None, :] // 3
    if kind == "random":
        differ = np.random.default_rng(1).random((m, m)) < 0.3
    upper = np.triu(differ, k=1).astype(np.int8)
    result = tiers(-place, upper - upper.T)
    assert result.letters is None
    assert result.cliques is None
    assert result.reason is not None
    assert "more than 1000" in result.reason
    assert result.n_tiers > 0


def test_search_gives_up_after_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STEPS", 3)
    result = tiers(*chain(50, 5))
    assert result.letters is None
    assert result.reason is not None


def test_no_agents_and_one_agent() -> None:
    nobody = tiers([], np.zeros((0, 0)))
    assert nobody.order == ()
    assert nobody.n_tiers == 0
    assert nobody.reason == "there are no agents"
    alone = tiers([0.5], [[0]])
    assert (alone.tier, alone.letters, alone.rank_high) == ((1,), ("a",), (1,))


@pytest.mark.parametrize(
    ("means", "significant"),
    [
        ([1, 2], [[0]]),
        ([[1, 2]], [[0, 0], [0, 0]]),
        ([1, 2], [[0, 1], [1, 0]]),
        ([1, 2], [[0, 2], [-2, 0]]),
        ([1, 2], [[1, 0], [0, 0]]),
    ],
)
def test_wrong_shapes_and_matrices_are_refused(means: Any, significant: Any) -> None:
    with pytest.raises(UsageError):
        tiers(means, significant)


def test_agent_without_a_mean_is_refused() -> None:
    with pytest.raises(InputError, match="agent 1"):
        tiers([1, np.nan], np.zeros((2, 2)))
