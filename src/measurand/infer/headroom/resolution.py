"""How well a score resolves the agents at its head: tiers, saturation, and how many agents it leaves at zero."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_table, join_rounded
from measurand.infer.differences.permutation import MaxT, max_t
from measurand.infer.differences.tiers import tiers
from measurand.infer.headroom.saturation import Saturation, saturation
from measurand.wording import plural

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["TOO_FEW", "HeadTest", "Resolution", "most_resamples", "resolution", "tie_order"]

TOO_FEW = 5
"""Units up to which nothing can be split at 5 % (SPEC 12.1, point 5)."""

MOST_RESAMPLES = 1_000_000
WORK = 500_000_000
"""Pairs times resamples that a test may take: some seconds."""


@dataclass(frozen=True, slots=True)
class HeadTest:
    """How heads are tested and saturation is measured.

    Attributes:
        top: agents at the head that are tested; ``None`` for all.
        null: null distribution of `max_t`.
        level: family-wise level.
        resamples: resamples drawn at first.
        most: highest number of resamples; ``None`` for as many as `most_resamples` allows under the null "signs", and no
            rise under the slower ones.
        missing_limit: largest share of missing cells of the head at which it is tested.
        k: place that saturation compares with the first.
        alpha: exponent of the effective number of tasks.
    """

    top: int | None = 10
    null: str = "signs"
    level: float = 0.05
    resamples: int = 10_000
    most: int | None = None
    missing_limit: float = 0.10
    k: int = 5
    alpha: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Resolution:
    """Result of `resolution`.

    Attributes:
        head: columns that were tested, best first; equal means are ordered by what the test says of them.
        tier: tier of each entry of `head`; empty when nothing can be concluded.
        n_tiers: number of tiers; ``None`` when nothing can be concluded.
        n_pairs: pairs tested.
        n_significant: pairs that differ at the level.
        undecided: adjusted p-values within three Monte-Carlo standard errors of the level.
        n_tasks: tasks of the table.
        n_units: independent units (tasks, or families of tasks).
        n_agents: columns that have a value.
        zeros: columns with a value that are 0 on every task they have.
        zero_share: `zeros` over `n_agents`; ``None`` without an agent.
        saturation: index of the first against the k-th column of the whole table.
        method: the test in words; empty when none was made.
        resamples: resamples used; 0 when no test was made.
        exact: whether all resamples were enumerated.
        seed: the seed, or ``None`` when a generator was passed in.
        level: family-wise level.
        reason: why no two agents can be told apart, whatever the p-values, or ``None``. Beside it there may be one tier.
    """

    head: tuple[int, ...]
    tier: tuple[int, ...]
    n_tiers: int | None
    n_pairs: int
    n_significant: int
    undecided: int
    n_tasks: int
    n_units: int
    n_agents: int
    zeros: int
    zero_share: float | None
    saturation: Saturation
    method: str
    resamples: int
    exact: bool
    seed: int | None
    level: float
    reason: str | None


def most_resamples(agents: int, resamples: int) -> int:
    """Return how far resamples may rise while a p-value is too near the level: a bounded amount of work.

    Example:
        >>> most_resamples(10, 10_000), most_resamples(174, 10_000)
        (1000000, 33220)
    """
    pairs = max(agents * (agents - 1) // 2, 1)
    return max(resamples, min(MOST_RESAMPLES, WORK // pairs))


def tie_order(means: NDArray[np.float64], test: MaxT) -> list[int]:
    """Order entries by mean, equal ones by how few beat them and how many they beat, then as they came.

    Names then decide no tier that the test can decide.
    """
    found = test.significant
    beaten, beats = (found < 0).sum(axis=1), (found > 0).sum(axis=1)
    return sorted(range(len(means)), key=lambda i: (-means[i], beaten[i], -beats[i], i))


def resolution(
    table: ArrayLike,
    *,
    test: HeadTest | None = None,
    families: ArrayLike | None = None,
    rng: int | np.random.Generator,
) -> Resolution:
    """Say how well a score resolves the agents of a table.

    The ``top`` columns by mean over their own tasks are tested pair by pair with `max_t` and grouped
    by the leader rule; the saturation index compares the first column of the table with the k-th; the share of
    columns that are 0 everywhere tells how many agents the score says nothing about.

    Args:
        table: (n_tasks, m_agents) one value a cell, higher is better; NaN = missing.
        test: how the head is tested; the defaults when left out.
        families: (n_tasks,) a family id for each task.
        rng: seed or generator.

    Returns:
        The resolution. Tiers are ``None``, with the reason, for fewer than two agents, for at most five units, when no
        two agents differ, and above the limit of missing cells. When no result could reach the level, all are in one
        tier, and the reason says so.

    Raises:
        UsageError: an argument outside its range.
        InputError: an infinite value in the table.

    Source: SPEC 12.1, 12.2, 13 and 13b.

    Example:
        >>> import numpy as np
        >>> gain = np.linspace(0.1, 0.3, 12)
        >>> found = resolution(np.column_stack([np.zeros(12), gain, 2 * gain]), rng=1)
        >>> found.head, found.tier, round(found.zero_share, 3), found.saturation.category
        ((2, 1, 0), (1, 2, 3), 0.333, 'very_low')
    """
    values, test = as_table(table), test or HeadTest()
    if test.top is not None and test.top < 2:
        raise UsageError(f"top is {test.top}", hint="a family has at least 2 agents; None tests all")
    means = _means(values)
    present = np.flatnonzero(~np.isnan(means))
    head = sorted(present.tolist(), key=lambda i: (-means[i], i))[: test.top]
    zeros = sum(not np.nan_to_num(values[:, i]).any() for i in present.tolist())
    base = Resolution(
        head=tuple(head),
        tier=(),
        n_tiers=None,
        n_pairs=len(head) * (len(head) - 1) // 2,
        n_significant=0,
        undecided=0,
        n_tasks=len(values),
        n_units=len(values) if families is None else len(np.unique(np.asarray(families))),
        n_agents=len(present),
        zeros=zeros,
        zero_share=zeros / len(present) if len(present) else None,
        saturation=saturation(values, k=test.k, alpha=test.alpha),
        method="",
        resamples=0,
        exact=False,
        seed=None,
        level=test.level,
        reason=None,
    )
    chosen = values[:, head]
    missing = float(np.isnan(chosen).mean()) if chosen.size else 0.0
    if missing > test.missing_limit:
        return replace(
            base, reason=f"{missing:.1%} of the cells are missing (limit {test.missing_limit:.0%})"
        )
    return _tested(base, chosen, means[head], test=test, families=families, rng=rng)


def _tested(
    base: Resolution,
    chosen: NDArray[np.float64],
    means: NDArray[np.float64],
    *,
    test: HeadTest,
    families: ArrayLike | None,
    rng: int | np.random.Generator,
) -> Resolution:
    if test.null == "labels" and np.isnan(chosen).any():
        return replace(base, reason="the labels null needs a complete table")
    result = max_t(
        chosen,
        null=test.null,
        families=families,
        level=test.level,
        resamples=test.resamples,
        max_resamples=_most(test, len(means)),
        rng=rng,
    )
    known = replace(
        base,
        method=result.method,
        resamples=result.resamples,
        exact=result.exact,
        seed=result.seed,
    )
    if result.n_agents < 2 or result.n_units <= TOO_FEW or not result.discordant.any():
        few = f"with {plural(result.n_units, 'independent unit')} nothing can be separated"
        return replace(known, reason=result.reason or few)
    order = tie_order(means, result)
    shown = tiers(means[order], result.significant[np.ix_(order, order)])
    near = np.abs(result.p_adjusted - result.level) < 3 * result.standard_error
    return replace(
        known,
        head=tuple(base.head[i] for i in order),
        tier=tuple(shown.tier[i] for i in shown.order),
        n_tiers=shown.n_tiers,
        n_significant=result.n_significant,
        undecided=int(np.count_nonzero(near)),
        reason=result.reason,
    )


def _most(test: HeadTest, agents: int) -> int:
    if test.most is not None:
        return test.most
    return most_resamples(agents, test.resamples) if test.null == "signs" else test.resamples


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each column over the cells it has, equal where they differ by rounding alone; NaN without a cell."""
    present = ~np.isnan(values)
    count = present.sum(axis=0)
    total = np.where(present, values, 0.0).sum(axis=0)
    means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    scale = np.abs(np.nan_to_num(means)).max(initial=0.0, keepdims=True)
    joined: NDArray[np.float64] = join_rounded(means[None, :], scale)[0]
    return joined
