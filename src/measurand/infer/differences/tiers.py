"""From significant pairs to tiers, rank intervals, the possible best, and letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import InputError, UsageError
from measurand.infer.arrays import join_rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Tiers", "tiers"]

MOST_CLIQUES = 1_000
"""A letter display with more letters than this tells a reader nothing."""

MOST_STEPS = 100_000
"""Branches after which the search for cliques gives up; with so many there are too many groups in any case."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Tiers:
    """Result of `tiers`. Tuples marked (m,) have one entry an agent, in the order of the input.

    Attributes:
        order: agents by mean, the best first; equal means (up to rounding) keep the order of the input.
        rank: (m,) 1 + number of agents with a higher mean, so that equal means share a rank.
        tier: (m,) tier from 1 by the leader rule.
        fully_supported: one entry a boundary between tiers: is each agent above it significantly better than each
            agent below it?
        rank_low: (m,) best rank the agent may have: 1 + number of agents significantly better.
        rank_high: (m,) worst rank: m - number of agents significantly worse.
        possible_best: agents that nobody beats significantly.
        cliques: the largest groups without a significant pair inside, each in the order of the ranking; ``None``
            when there are too many.
        letters: (m,) one letter a group that the agent belongs to; two agents differ significantly exactly when
            they share none. Beyond 26 groups letters become a..z, aa, ab... with spaces between. ``None`` when
            there are too many groups.
        n_tiers: number of tiers.
        reason: why something is ``None`` or empty, or ``None``.
    """

    order: tuple[int, ...]
    rank: tuple[int, ...]
    tier: tuple[int, ...]
    fully_supported: tuple[bool, ...]
    rank_low: tuple[int, ...]
    rank_high: tuple[int, ...]
    possible_best: tuple[int, ...]
    cliques: tuple[tuple[int, ...], ...] | None
    letters: tuple[str, ...] | None
    n_tiers: int
    reason: str | None


def tiers(means: ArrayLike, significant: ArrayLike) -> Tiers:
    """Group agents by the leader rule and say what else the significant pairs allow.

    The best agent leads tier 1; going down by mean, the first agent significantly worse than the current leader
    opens the next tier and leads it. The rank of agent a lies in [1 + #(better than a), m - #(worse than a)].
    Same tier means not shown different, never equal.

    Args:
        means: (m,) mean of each agent, higher is better.
        significant: (m, m) +1 where the row's agent is significantly better than the column's, -1 where it is
            worse, else 0, as `MaxT.significant` gives it; antisymmetric.

    Returns:
        The tiers. Without agents all tuples are empty and `reason` says so.

    Raises:
        UsageError: shapes that do not fit, or a matrix that is not antisymmetric with entries -1, 0, 1.
        InputError: an agent without a finite mean.

    Source: SPEC 12.2; Piepho (2004) for the letters.

    Example:
        >>> result = tiers([0.9, 0.8, 0.7], [[0, 0, 1], [0, 0, 0], [-1, 0, 0]])
        >>> result.tier, result.letters, result.fully_supported
        ((1, 1, 2), ('a', 'ab', 'b'), (False,))
    """
    mean, better = _checked(means, significant)
    m = len(mean)
    order = np.argsort(-mean, kind="stable")
    tier = _leader_rule(order, better)
    low = 1 + np.count_nonzero(better, axis=0)
    high = m - np.count_nonzero(better, axis=1)
    cliques = _cliques(order, better)
    return Tiers(
        order=tuple(order.tolist()),
        rank=tuple((1 + np.searchsorted(np.sort(-mean), -mean, side="left")).tolist()),
        tier=tuple(tier.tolist()),
        fully_supported=_supported(order, tier, better),
        rank_low=tuple(low.tolist()),
        rank_high=tuple(high.tolist()),
        possible_best=tuple(np.flatnonzero(low == 1).tolist()),
        cliques=cliques,
        letters=None if cliques is None else _letters(cliques, m),
        n_tiers=int(tier.max(initial=0)),
        reason=_reason(m, cliques),
    )


def _checked(means: ArrayLike, significant: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the means and the matrix "row is significantly better than column"."""
    mean = np.asarray(means, dtype=np.float64)
    matrix = np.asarray(significant)
    if mean.ndim != 1 or matrix.size != len(mean) ** 2:
        raise UsageError(
            f"means has the shape {mean.shape}, significant {matrix.shape}",
            hint="pass m means and an m by m matrix",
        )
    matrix = matrix.reshape(len(mean), len(mean))
    if not np.isin(matrix, (-1, 0, 1)).all() or (matrix != -matrix.T).any():
        raise UsageError(
            "significant is no antisymmetric matrix of -1, 0 and 1", hint="pass MaxT.significant as it is"
        )
    undefined = np.flatnonzero(~np.isfinite(mean))
    if len(undefined):
        raise InputError("the agent has no finite mean", where=f"agent {undefined[0]}")
    return join_rounded(mean[None, :], np.abs(mean).max(initial=0.0, keepdims=True))[0], matrix == 1


def _leader_rule(order: NDArray[np.intp], better: NDArray[np.bool_]) -> NDArray[np.intp]:
    tier = np.zeros(len(order), dtype=np.intp)
    current, leader = 0, -1
    for agent in order.tolist():
        if current == 0 or better[leader, agent]:
            current, leader = current + 1, agent
        tier[agent] = current
    return tier


def _supported(
    order: NDArray[np.intp], tier: NDArray[np.intp], better: NDArray[np.bool_]
) -> tuple[bool, ...]:
    ranked = tier[order]
    cuts = np.flatnonzero(np.diff(ranked)) + 1
    return tuple(bool(better[np.ix_(order[:cut], order[cut:])].all()) for cut in cuts.tolist())


def _reason(m: int, cliques: tuple[tuple[int, ...], ...] | None) -> str | None:
    if m == 0:
        return "there are no agents"
    if cliques is None:
        return f"no letters: the groups without a significant pair are too many to list (more than {MOST_CLIQUES})"
    return None


def _cliques(order: NDArray[np.intp], better: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...] | None:
    """Return the maximal sets of agents without a significant pair, or ``None`` when they are too many."""
    if not len(order):
        return ()
    ranked = better[np.ix_(order, order)]
    alike = ~(ranked | ranked.T)
    np.fill_diagonal(alike, val=False)
    neighbours = [_as_bits(np.flatnonzero(row).tolist()) for row in alike]
    found: list[list[int]] = []
    for clique in _maximal_cliques(neighbours):
        if clique is None or len(found) == MOST_CLIQUES:
            return None
        found.append(_members(clique))
    return tuple(tuple(int(order[place]) for place in clique) for clique in sorted(found))


def _as_bits(places: list[int]) -> int:
    return sum(1 << place for place in places)


def _members(bits: int) -> list[int]:
    places = []
    while bits:
        lowest = bits & -bits
        places.append(lowest.bit_length() - 1)
        bits ^= lowest
    return places


def _maximal_cliques(neighbours: list[int]) -> Iterator[int | None]:
    """Enumerate maximal cliques by Bron and Kerbosch with Tomita's pivot, without recursion.

    Sets of nodes are whole numbers with one bit a node. The outer level takes the nodes one by one with their later
    neighbours as candidates: groups of neighbours in rank, the usual case, are then found in one step each. A
    ``None`` ends the enumeration when it takes too many steps.
    """
    stack = [
        (1 << node, near >> node << node, near & ((1 << node) - 1)) for node, near in enumerate(neighbours)
    ]
    for _ in range(MOST_STEPS):
        if not stack:
            return
        clique, candidates, excluded = stack.pop()
        if any(not candidates & ~neighbours[node] for node in _members(excluded)):
            continue
        covered, pivot = _pivot(neighbours, candidates)
        if covered:
            yield clique | candidates
            continue
        for node in _members(candidates & ~neighbours[pivot]):
            bit = 1 << node
            stack.append((clique | bit, candidates & neighbours[node], excluded & neighbours[node]))
            candidates ^= bit
            excluded |= bit
    if stack:
        yield None


def _pivot(neighbours: list[int], candidates: int) -> tuple[bool, int]:
    """Return whether the candidates are a clique, and the candidate with the most neighbours among them."""
    members = _members(candidates)
    counts = [(candidates & neighbours[node]).bit_count() for node in members]
    if not members or min(counts) == len(members) - 1:
        return True, -1
    return False, members[counts.index(max(counts))]


def _letters(cliques: tuple[tuple[int, ...], ...], m: int) -> tuple[str, ...]:
    of_agent: list[list[str]] = [[] for _ in range(m)]
    for number, clique in enumerate(cliques):
        for agent in clique:
            of_agent[agent].append(_letter(number))
    between = "" if len(cliques) <= len(ALPHABET) else " "
    return tuple(between.join(letters) for letters in of_agent)


def _letter(number: int) -> str:
    """Name group 0, 1, ... as a, ..., z, aa, ab, ..."""
    name = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, len(ALPHABET))
        name = ALPHABET[digit] + name
    return name
