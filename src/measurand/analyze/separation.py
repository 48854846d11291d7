"""Which agents of a family really differ: the core's max-T test and tiers, with names and sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.records import Estimate, PairRow, TierRow, TierTest
from measurand.infer.arrays import join_rounded
from measurand.infer.permutation import MaxT, max_t
from measurand.infer.power import minimal_detectable_difference
from measurand.infer.tiers import Tiers, tiers
from measurand.score.names import SHARES
from measurand.wording import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from measurand.analyze.cells import Cells, Floats, Grid
    from measurand.analyze.settings import Settings

__all__ = ["Separation", "column_means", "detectable", "head", "ranking_means", "separate"]

_TOO_FEW: Final = 5
"""Tasks up to which nothing can be split at 5 % (SPEC 12.1, point 5)."""


_LABELS_AGENTS: Final = 30
"""Family size up to which the labels null is run beside the default; it is slow beyond."""
_MOST_RESAMPLES: Final = 1_000_000
_WORK: Final = 500_000_000
"""Pairs times resamples that a test may take: some seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """A test with the core's results behind it, for the standings."""

    record: TierTest
    tiers: Tiers | None
    """``None`` when nothing can be concluded."""
    family: tuple[int, ...]
    """Columns of the grid, best first."""


def head(means: Floats, names: tuple[str, ...], size: int | None) -> tuple[int, ...]:
    """Columns of the ``size`` best means, best first; equal means in the order of the names."""
    order = sorted(range(len(names)), key=lambda i: (-np.nan_to_num(means[i], nan=-np.inf), names[i]))
    return tuple(order[:size])


def separate(grid: Grid, cells: Cells, score: str, settings: Settings) -> Separation:
    """Test all pairs of the head of the standings under one score (SPEC 12)."""
    means = ranking_means(cells.planned)
    family = head(means, grid.agents, settings.top)
    table = cells.planned[:, family]
    missing = int(np.isnan(table).sum())
    if table.size and missing / table.size > settings.missing_limit:
        refused = _coverage(grid, table, family, settings.missing_limit)
        record = _record(grid, score, family, settings, missing=missing, reason=refused)
        return Separation(record, None, family)
    result = _max_t(table, grid, settings, null="signs")
    found = tiers(means[list(family)], result.significant) if result.n_agents else None
    shown = None if found is None or _says_nothing(result) else found
    notes = (
        ()
        if shown is None
        else (*_undecided(result), *_notes(grid, cells, settings, result, shown, family=family))
    )
    record = _record(
        grid,
        score,
        family,
        settings,
        missing=missing,
        reason=result.reason,
        result=result,
        shown=shown,
        notes=notes,
        table=table,
    )
    return Separation(record, shown, family)


def column_means(table: Floats) -> Floats:
    """Mean of each column over its present cells; NaN where there is none."""
    present = ~np.isnan(table)
    count = present.sum(axis=0)
    return np.where(count > 0, np.where(present, table, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def ranking_means(table: Floats) -> Floats:
    """Column means in which those that differ by rounding alone are equal: what ranks and ties go by."""
    means, places = np.unique(column_means(table), return_inverse=True)
    joined: Floats = join_rounded(
        means[None, :], np.abs(np.nan_to_num(means)).max(initial=0.0, keepdims=True)
    )[0]
    return joined[places]


def detectable(table: Floats, grid: Grid, settings: Settings, *, share: bool) -> Estimate:
    """Minimal detectable difference of one pair of the family, from the median standard error of its pairs.

    ``share`` says that the cells lie between 0 and 1, so that no difference exceeds 1.
    """
    n, m = (len(np.unique(grid.families)) if grid.families is not None else len(table)), table.shape[1]
    errors = [
        error
        for i in range(m)
        for j in range(i + 1, m)
        if (error := _standard_error(table[:, i] - table[:, j], grid.families)) is not None
    ]
    if not errors or not any(errors):
        return Estimate(value=None, n=n, reason="no pair of agents differs by varying amounts")
    units = max(n, 2)
    found = minimal_detectable_difference(
        float(np.median(errors)) * math.sqrt(units), units, m, level=settings.level, power=settings.power
    )
    if share and found.difference is not None and found.difference > 1:
        return Estimate(value=None, n=n, reason="not even the largest difference that two shares can have")
    return Estimate(
        value=found.difference,
        level=settings.power,
        n=n,
        method=f"normal approximation, {settings.power:.0%} power, all pairs of {m} at {settings.level:.0%}",
        reason=found.reason,
    )


def _standard_error(d: Floats, families: NDArray[np.int64] | None) -> float | None:
    """Standard error of the mean difference, clustered by family where there are families."""
    present = ~np.isnan(d)
    d = d[present]
    if len(d) < 2:
        return None
    centred = d - d.mean()
    if families is not None:
        centred = np.bincount(families[present], weights=centred)
        centred = centred[np.unique(families[present])]
    groups = len(centred)
    if groups < 2:
        return None
    return math.sqrt(float((centred**2).sum()) * groups / (groups - 1)) / len(d)


def _max_t(table: Floats, grid: Grid, settings: Settings, *, null: str) -> MaxT:
    return max_t(
        table,
        null=null,
        families=grid.families,
        level=settings.level,
        resamples=settings.resamples,
        max_resamples=_most_resamples(table.shape[1], settings.resamples)
        if null == "signs"
        else settings.resamples,
        rng=settings.seed,
    )


def _most_resamples(agents: int, resamples: int) -> int:
    """How far the resamples may rise while a p-value is too near the level to tell: up to a bounded amount of work."""
    pairs = max(agents * (agents - 1) // 2, 1)
    return max(resamples, min(_MOST_RESAMPLES, _WORK // pairs))


def _says_nothing(result: MaxT) -> bool:
    """Whether even the word "tier" would say too much: no pair, too few tasks, or nobody differs anywhere."""
    return result.n_agents < 2 or result.n_units <= _TOO_FEW or not result.discordant.any()


def _coverage(grid: Grid, table: Floats, family: tuple[int, ...], limit: float) -> str:
    share = np.isnan(table).mean()
    counts = (~np.isnan(table)).sum(axis=0)
    least = sorted(zip(counts.tolist(), (grid.agents[i] for i in family), strict=True))[:10]
    listed = ", ".join(f"{agent} {count}" for count, agent in least)
    return (
        f"{share:.1%} of the cells are missing (limit {limit:.0%}); tasks per agent of {len(table)}: {listed}. "
        "Restrict the agents or tasks, or compare on common tasks"
    )


def _notes(
    grid: Grid, cells: Cells, settings: Settings, result: MaxT, shown: Tiers, *, family: tuple[int, ...]
) -> tuple[str, ...]:
    """Sentences on whether the tiers depend on the null, or on how trials without a verdict count."""
    notes = []
    names = [grid.agents[i] for i in family]
    table = cells.planned[:, family]
    if np.isnan(table).any():
        notes.append("The labels null needs a complete table and was not run.")
        notes += _against_the_order(names, result)
    elif len(names) > _LABELS_AGENTS:
        notes.append(f"The labels null was not run: it is slow for more than {_LABELS_AGENTS} agents.")
    else:
        other = _max_t(table, grid, settings, null="labels")
        again = tiers(column_means(table), other.significant)
        what = f"The labels null (agent labels permuted within tasks) finds {_pairs_found(other)}"
        notes.append(_agreement(what, names, shown, again))
    evaluated = cells.evaluated[:, family]
    if not np.array_equal(evaluated, table, equal_nan=True):
        notes.append(_evaluated_only(evaluated, grid, settings, names, shown))
    return tuple(notes)


def _evaluated_only(evaluated: Floats, grid: Grid, settings: Settings, names: list[str], shown: Tiers) -> str:
    unevaluated = np.isnan(evaluated)
    if unevaluated.mean() > settings.missing_limit or unevaluated.all(axis=0).any():
        return "Over evaluated trials only, too many cells are missing for a test."
    result = _max_t(evaluated, grid, settings, null="signs")
    again = tiers(column_means(evaluated), result.significant)
    return _agreement(f"The test on evaluated trials only finds {_pairs_found(result)}", names, shown, again)


def _pairs_found(result: MaxT) -> str:
    return f"{result.n_significant} of {plural(len(result.pairs), 'pair')} significant"


def _undecided(result: MaxT) -> tuple[str, ...]:
    near = np.abs(result.p_adjusted - result.level) < 3 * result.standard_error
    if not near.any():
        return ()
    note = (
        f"{int(near.sum())} adjusted p-values lie within three Monte-Carlo standard errors of {result.level:.0%} even "
        f"with {result.resamples} resamples; another seed may decide them otherwise."
    )
    return (note,)


def _against_the_order(names: list[str], result: MaxT) -> list[str]:
    """With missing cells an agent may stand above another that is better on the tasks both have."""
    against = zip(*np.nonzero(np.tril(result.significant, -1) > 0), strict=True)
    return [
        f"{names[above]} stands above {names[below]} by the mean over its own tasks, but is significantly worse on the "
        "tasks that both have: go by the pair, not by the order."
        for below, above in against
    ]


def _agreement(what: str, names: list[str], shown: Tiers, again: Tiers) -> str:
    if again.tier == shown.tier:
        return f"{what}; the tiers are the same."
    moved = [f"{n} {a} to {b}" for n, a, b in zip(names, shown.tier, again.tier, strict=True) if a != b]
    return f"{what}; tiers change: {', '.join(moved)}."


def _record(
    grid: Grid,
    score: str,
    family: tuple[int, ...],
    settings: Settings,
    *,
    missing: int,
    reason: str | None,
    result: MaxT | None = None,
    shown: Tiers | None = None,
    notes: tuple[str, ...] = (),
    table: Floats | None = None,
) -> TierTest:
    names = tuple(grid.agents[i] for i in family)
    means = [] if table is None else ranking_means(table).tolist()
    gaps = [a - b for a, b in pairwise(means)]
    units = len(np.unique(grid.families)) if grid.families is not None else len(grid.tasks)
    return TierTest(
        score=score,
        family=names,
        null="signs",
        method=result.method if result else "not run",
        level=settings.level,
        n_tasks=len(grid.tasks),
        n_units=units,
        unit="task" if grid.families is None else "family",
        n_pairs=len(family) * (len(family) - 1) // 2,
        n_significant=result.n_significant if result else 0,
        resamples=result.resamples if result else 0,
        exact=result.exact if result else False,
        seed=settings.seed,
        max_standard_error=float(result.standard_error.max()) if result and len(result.pairs) else 0.0,
        missing_cells=missing,
        spread=means[0] - means[-1] if len(means) > 1 else None,
        largest_gap=max(gaps, default=None),
        detectable=Estimate(value=None, reason=reason)
        if table is None
        else detectable(table, grid, settings, share=score in SHARES),
        pairs=_pairs(result, names) if result else (),
        tiers=_tier_rows(shown, names) if shown else (),
        notes=notes,
        reason=None if reason is None else f"{reason[:1].upper()}{reason[1:].rstrip('.')}.",
    )


def _pairs(result: MaxT, names: tuple[str, ...]) -> tuple[PairRow, ...]:
    rows = []
    for number, (i, j) in enumerate(result.pairs.tolist()):
        difference, t = float(result.mean_difference[number]), float(result.t[number])
        better, worse = (i, j) if difference >= 0 else (j, i)
        rows.append(
            PairRow(
                better=names[better],
                worse=names[worse],
                difference=abs(difference),
                t=abs(t) if math.isfinite(t) else None,
                p_raw=float(result.p_raw[number]),
                p_adjusted=float(result.p_adjusted[number]),
                n_tasks=int(result.n_common[number]),
                significant=bool(result.p_adjusted[number] <= result.level),
            )
        )
    return tuple(rows)


def _tier_rows(shown: Tiers, names: tuple[str, ...]) -> tuple[TierRow, ...]:
    supported = (None, *shown.fully_supported)
    return tuple(
        TierRow(
            tier=number,
            agents=tuple(names[i] for i in shown.order if shown.tier[i] == number),
            fully_supported=supported[number - 1],
        )
        for number in range(1, shown.n_tiers + 1)
    )
