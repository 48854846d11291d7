"""Which agents really differ: the max-T resampling test over all pairs of agents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level, as_table, family_codes
from measurand.infer.differences.bootstrap import TaskBootstrap
from measurand.infer.differences.labels import LabelPermutations
from measurand.infer.differences.pairs import pair_statistics, unit_table
from measurand.infer.differences.signs import SignFlips
from measurand.infer.differences.stepdown import Tally
from measurand.infer.randomness import generator_and_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from measurand.infer.differences.pairs import PairStatistics, UnitTable
    from measurand.infer.differences.stepdown import Null

__all__ = ["MaxT", "max_t"]

NULLS: dict[str, Callable[[UnitTable, PairStatistics], Null]] = {
    "signs": SignFlips,
    "labels": LabelPermutations,
    "bootstrap": TaskBootstrap,
}
"""Each null distribution by its name; a further one needs an entry here and nothing else."""

FAMILY_WORDS = {"task": "family of tasks", "tasks": "families of tasks"}


@dataclass(frozen=True, slots=True, eq=False)
class MaxT:
    """Result of `max_t`. Arrays marked (P,) have one entry a pair.

    Attributes:
        null: name of the null distribution.
        method: the test in words, for the report.
        level: family-wise level.
        n_tasks: tasks of the table.
        n_units: what is resampled: families if given, else tasks.
        n_agents: m.
        pairs: (P, 2) column indices i < j in lexicographic order, P = m(m-1)/2.
        n_common: (P,) tasks that both agents have.
        mean_difference: (P,) mean of i minus j over these tasks.
        t: (P,) paired t over the units; ±inf for a constant difference, 0 where there is none.
        u: (P,) S²/(nQ), between 0 and 1.
        difference_error: (P,) standard error of `mean_difference`, what `t` divides it by; 0 for a constant difference,
            NaN with fewer than two units.
        p_raw: (P,) p of the pair alone.
        p_single_step: (P,) p against the maximum over all pairs.
        p_adjusted: (P,) step-down p; compare it with the level.
        standard_error: (P,) Monte-Carlo standard error of `p_adjusted`; 0 when exact.
        discordant: (P,) units in which the two agents differ.
        resamples: resamples used; all there are when `exact`.
        exact: whether every resample was enumerated.
        seed: the seed, or ``None`` when a generator was passed in.
        critical_value: |t| above which a pair is significant in a single step; ``None`` when no finite value is.
        reason: why nothing can be concluded, or ``None``.
    """

    null: str
    method: str
    level: float
    n_tasks: int
    n_units: int
    n_agents: int
    pairs: NDArray[np.intp]
    n_common: NDArray[np.intp]
    mean_difference: NDArray[np.float64]
    t: NDArray[np.float64]
    u: NDArray[np.float64]
    difference_error: NDArray[np.float64]
    p_raw: NDArray[np.float64]
    p_single_step: NDArray[np.float64]
    p_adjusted: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    discordant: NDArray[np.intp]
    resamples: int
    exact: bool
    seed: int | None
    critical_value: float | None
    reason: str | None

    @property
    def least_attainable_p(self) -> NDArray[np.float64]:
        """(P,) the smallest p that sign flips of the discordant units can give the pair: min(1, 2^(1-d))."""
        least: NDArray[np.float64] = np.minimum(1.0, np.exp2(1.0 - self.discordant))
        return least

    @property
    def significant(self) -> NDArray[np.int8]:
        """(m, m): +1 where the row's agent is significantly better than the column's, -1 worse, 0 neither."""
        matrix = np.zeros((self.n_agents, self.n_agents), dtype=np.int8)
        found = self.p_adjusted <= self.level
        sign = (np.sign(self.t) * found).astype(np.int8)
        matrix[self.pairs[:, 0], self.pairs[:, 1]] = sign
        matrix[self.pairs[:, 1], self.pairs[:, 0]] = -sign
        return matrix

    @property
    def n_significant(self) -> int:
        """Number of pairs whose adjusted p is at most the level."""
        return int(np.count_nonzero((self.p_adjusted <= self.level) & (self.t != 0)))


def max_t(
    table: ArrayLike,
    *,
    null: str = "signs",
    families: ArrayLike | None = None,
    level: float = 0.05,
    resamples: int = 10_000,
    max_resamples: int = 1_000_000,
    rng: int | np.random.Generator,
) -> MaxT:
    """Test all pairs of agents at once, so that any false split has probability at most ``level``.

    For a pair i < j, d is the difference over the tasks that both have, S = Σd and Q = Σd²; u = S²/(nQ) and
    t² = (n-1)u/(1-u). The pairs are taken by |t|, the largest first; p_(r) = (1 + #{max ≥ u_(r)})/(B + 1), where
    the maximum of a resample runs over the pairs ranked r and later, and p never falls along the ranks. Values
    within a relative 1e-9 of u count as equal, and equal counts as reached. Q = 0 gives t = 0 and p = 1; a constant
    difference gives |t| = ∞, an ordinary largest value.

    All resamples are enumerated, and p = count/size, when there are at most as many as resamples are to be drawn
    (tasks on which no agents differ do not count). Otherwise ``resamples`` are drawn, and the number rises tenfold
    up to ``max_resamples`` while any adjusted p lies within three standard errors of the level.

    With families one sign belongs to a family, the statistics are those of the family sums, and n counts families;
    the mean difference stays the one per task. With missing cells each pair uses the tasks both have, and maxima
    compare |t|. How many cells may be missing is for the caller to decide.

    Args:
        table: (n_tasks, m_agents) one value a cell, the mean over trials; NaN = missing.
        null: "signs": one random sign per task shared by all pairs, valid whatever other agents do; "labels":
            agent labels permuted within tasks, needs a complete table; "bootstrap": tasks drawn with replacement,
            differences centred and t computed anew, for unbounded and skewed values; it finds little in few tasks.
        families: (n_tasks,) a family id for each task.
        level: family-wise level, between 0 and 1.
        resamples: resamples drawn at first, at least 1.
        max_resamples: highest number of resamples; the first number itself to switch off the rise.
        rng: seed or generator.

    Returns:
        The result. With fewer than two agents there are no pairs; when no data could reach the level, `reason` says
        so and nothing is significant.

    Raises:
        UsageError: an argument outside its range, or "labels" with missing cells.
        InputError: an infinite value in the table.

    Source: SPEC 12.1; Westfall and Young (1993) for the step-down maximum, Romano and Wolf (2005) for the bootstrap.

    Example:
        >>> import numpy as np
        >>> gain = np.linspace(0.1, 0.3, 12)
        >>> result = max_t(np.column_stack([gain, np.zeros(12), np.zeros(12)]), rng=1)
        >>> result.p_adjusted.tolist(), result.exact
        ([0.00048828125, 0.00048828125, 1.0], True)
        >>> result.significant.tolist()
        [[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]
    """
    values = as_table(table)
    level = as_level(level)
    _check(null, resamples, max_resamples)
    generator, seed = generator_and_seed(rng)
    units = unit_table(values, None if families is None else family_codes(families, len(values)))
    pairs = pair_statistics(units)
    distribution = NULLS[null](units, pairs)
    tally = _resample(distribution, pairs, (resamples, max_resamples), level=level, rng=generator)
    return MaxT(
        null=null,
        method=_words(distribution, tally, in_families=families is not None),
        level=level,
        n_tasks=units.n_tasks,
        n_units=units.n_units,
        n_agents=units.n_agents,
        pairs=np.column_stack([pairs.first, pairs.second]),
        n_common=pairs.n_common,
        mean_difference=pairs.mean_difference,
        t=pairs.t,
        u=pairs.u,
        difference_error=pairs.error,
        p_raw=tally.p_raw(),
        p_single_step=tally.p_single_step(),
        p_adjusted=tally.p_adjusted(),
        standard_error=tally.standard_error(),
        discordant=pairs.discordant,
        resamples=tally.total,
        exact=tally.exact,
        seed=seed,
        critical_value=tally.critical_value(level, units.n_units),
        reason=_reason(units, pairs, distribution, tally, level=level),
    )


def _check(null: str, resamples: int, max_resamples: int) -> None:
    if null not in NULLS:
        raise UsageError(f"null is {null!r}", hint=f"choose one of {', '.join(NULLS)}")
    if resamples < 1 or max_resamples < resamples:
        raise UsageError(
            f"resamples is {resamples} and max_resamples {max_resamples}",
            hint="pass at least 1 resample, and a maximum that is no smaller",
        )


def _resample(
    null: Null,
    pairs: PairStatistics,
    limits: tuple[int, int],
    *,
    level: float,
    rng: np.random.Generator,
) -> Tally:
    """Enumerate when that is no more work than drawing; else draw, and more while a p is near the level."""
    target, highest = limits
    tally = Tally.of(pairs, null.precision)
    while True:
        if null.size is not None and null.size <= target:
            exact = Tally.of(pairs, null.precision)
            for batch in null.enumerate():
                exact.add(batch)
            exact.exact = True
            return exact
        for batch in null.draw(target - tally.total, rng):
            tally.add(batch)
        if target >= highest or not tally.undecided(level):
            return tally
        target = min(10 * target, highest)


def _words(null: Null, tally: Tally, *, in_families: bool) -> str:
    what = null.words
    if in_families:
        what = re.sub(r"\btasks?\b", lambda word: FAMILY_WORDS[word[0]], what)
    how = "all enumerated" if tally.exact else "drawn at random"
    return f"step-down max-T over all pairs; null: {what}; {how}"


def _reason(units: UnitTable, pairs: PairStatistics, null: Null, tally: Tally, *, level: float) -> str | None:
    """Say why no pair can be found significant, whatever the p-values; ``None`` when one could be."""
    if units.n_agents < 2:
        return f"there is {'one agent' if units.n_agents else 'no agent'}, and so no pair to compare"
    if units.n_units == 0:
        return "there are no tasks"
    if not pairs.discordant.any():
        return "no two agents differ on any task that both have"
    nothing = f"nothing can be separated at {100 * level:g} %"
    least, why = null.least_p()
    if least > level:
        return f"{why}: {nothing}"
    if not tally.exact and 1 / (tally.total + 1) > level:
        return f"with {tally.total} resamples the least attainable p is 1/{tally.total + 1}: {nothing}"
    return None
