"""Profiles of agents: beyond the mean, how their scores are spread, and which tasks carry a lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from measurand.analyze.findings import findings
from measurand.analyze.means import head, ranking_means
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.profile_records import (
    Curve,
    Lead,
    PairChance,
    Profile,
    ProfilePart,
    ProfileRow,
    RankDiagram,
    TaskPart,
)
from measurand.analyze.records import Estimate, MethodNote
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.separation import Separation, separate
from measurand.infer.means.influence import influence
from measurand.infer.means.profiles import interquartile_mean, performance_profile, probability_of_improvement
from measurand.infer.means.ranks import average_ranks
from measurand.score.names import SHARES

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats
    from measurand.infer.means.intervals import ColumnIntervals
    from measurand.model.table import Trials

__all__ = ["profile", "profile_of"]

_POINTS: Final = 41
"""Thresholds of a curve: enough to draw it, few enough to print."""
_CARRIERS: Final = 5
"""Tasks named for each lead."""


def profile(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    command: str | None = None,
) -> Profile:
    """Describe the agents at the head of the standings beyond their means.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged.
        command: the command that reproduces this.

    Returns:
        Interquartile means, mean ranks, performance profiles, the curve Opt_p, the probability of improvement of each
        pair, and the tasks that carry the first agent's leads. Parts that the data do not allow are empty.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite, agent or score that is not there.

    Source: SPEC 20, Opt_p; Agarwal et al. (2021); Demšar (2006); Shetty et al. (2025).
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    grid, score = prepared.grid, prepared.scores[0]
    tested = separate(grid, grid.cells(score), score, settings)
    part = profile_of(prepared, settings, tested)
    family = tuple(grid.agents.index(name) for name in part.family)
    return Profile(
        **{name: getattr(part, name) for name in part.__struct_fields__},
        chances=_chances(part.family, _cube(prepared, score, family), prepared, settings),
        ranks=_diagram(part.family, grid.cells(score).planned[:, family], tested, settings),
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        findings=findings(trials, prepared.selection, prepared.scored, grid, settings),
        methods=_methods(settings, prepared),
        command=command,
    )


def profile_of(prepared: Prepared, settings: Settings, tested: Separation) -> ProfilePart:
    """Describe the family that ``tested`` holds, under the ranking score."""
    grid, score = prepared.grid, prepared.scores[0]
    cells = grid.cells(score).planned
    family = tested.family or head(ranking_means(cells), grid.agents, settings.top)
    names = tuple(grid.agents[i] for i in family)
    cube = _cube(prepared, score, family)
    bars = _thresholds(cube)
    opt = _improvement(prepared, family)
    opt_bars = _opt_thresholds(opt)
    return ProfilePart(
        score=score,
        family=names,
        agents=_rows(names, cells[:, family], prepared, settings),
        thresholds=bars,
        curves=_curves(names, cube, bars, prepared, settings),
        improvement_thresholds=opt_bars,
        improvement=() if opt is None else _curves(names, opt, opt_bars, prepared, settings),
        leads=_leads(names, cells[:, family], grid.tasks),
    )


def _cube(prepared: Prepared, column: str, family: tuple[int, ...]) -> Floats:
    """Scores of the planned trials, tasks × agents × trials; NaN beyond them, unknown ones 0 as in the standings."""
    grid = prepared.grid
    places = {grid.agents[i]: place for place, i in enumerate(family)}
    rows = prepared.scored.filter(pl.col("agent").is_in(list(places))).select(
        pl.col("task").replace_strict(
            {task: place for place, task in enumerate(grid.tasks)}, return_dtype=pl.Int64
        ),
        pl.col("agent").replace_strict(places, return_dtype=pl.Int64),
        pl.int_range(pl.len()).over("agent", "task").alias("trial"),
        pl.col(column).cast(pl.Float64).fill_null(0.0).alias("score"),
    )
    planned = grid.planned[:, family]
    cube = np.where(np.arange(planned.max(initial=0)) < planned[:, :, None], 0.0, np.nan)
    cube[tuple(rows[name].to_numpy() for name in ("task", "agent", "trial"))] = rows["score"].to_numpy()
    return cube


def _improvement(prepared: Prepared, family: tuple[int, ...]) -> Floats | None:
    """Performance relative to the reference, 0 where the gate failed; ``None`` where no trial has a ratio to one."""
    if "objective" not in prepared.scores or not prepared.scored["improvement"].count():
        return None
    return _cube(prepared, "improvement", family)


def _thresholds(cube: Floats) -> tuple[float, ...]:
    if _all_or_nothing(cube):
        return ()
    values = cube[~np.isnan(cube)]
    return tuple(np.linspace(min(values.min(), 0.0), values.max(), _POINTS).tolist())


def _opt_thresholds(cube: Floats | None) -> tuple[float, ...]:
    """From a little of the reference's performance to twice it."""
    return () if cube is None else tuple((np.arange(1, _POINTS) * 2.0 / (_POINTS - 1)).tolist())


def _rows(
    names: tuple[str, ...], table: Floats, prepared: Prepared, settings: Settings
) -> tuple[ProfileRow, ...]:
    middle = _middles(table, prepared, settings)
    means, ranks = ranking_means(table), average_ranks(table).ranks
    return tuple(
        ProfileRow(
            agent=name,
            mean=_known(means[i]),
            middle=middle[i],
            mean_rank=_known(ranks[i]),
        )
        for i, name in enumerate(names)
    )


def _middles(table: Floats, prepared: Prepared, settings: Settings) -> list[Estimate]:
    """Interquartile mean of each agent; of cells that are all 0 or 1 it would be 0, 1 or little in between."""
    if _all_or_nothing(table):
        reason = "every cell is 0 or 1: the middle half of an agent's tasks says less than their mean"
        return [Estimate(value=None, reason=reason)] * table.shape[1]
    found = interquartile_mean(
        table,
        families=prepared.grid.families,
        level=1 - settings.level,
        resamples=settings.resamples,
        rng=settings.seed,
    )
    return [_estimate(found, column) for column in range(table.shape[1])]


def _all_or_nothing(values: Floats) -> bool:
    present = values[~np.isnan(values)]
    return bool(((present == 0) | (present == 1)).all())


def _curves(
    names: tuple[str, ...], cube: Floats, bars: tuple[float, ...], prepared: Prepared, settings: Settings
) -> tuple[Curve, ...]:
    if not bars:
        return ()
    found = [
        performance_profile(
            cube[:, place],
            bars,
            families=prepared.grid.families,
            level=1 - settings.level,
            resamples=settings.resamples,
            rng=settings.seed,
        )
        for place in range(len(names))
    ]
    return tuple(
        Curve(agent=name, share=_listed(one.estimate), low=_listed(one.low), high=_listed(one.high))
        for name, one in zip(names, found, strict=True)
    )


def _chances(
    names: tuple[str, ...], cube: Floats, prepared: Prepared, settings: Settings
) -> tuple[PairChance, ...]:
    """Each pair of the family, the one higher in the standings first."""
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    found = probability_of_improvement(
        cube,
        pairs,
        families=prepared.grid.families,
        level=1 - settings.level,
        resamples=settings.resamples,
        rng=settings.seed,
    )
    return tuple(
        PairChance(better=names[i], worse=names[j], chance=_estimate(found, place))
        for place, (i, j) in enumerate(pairs)
    )


def _diagram(names: tuple[str, ...], table: Floats, tested: Separation, settings: Settings) -> RankDiagram:
    found = average_ranks(table, level=settings.level)
    groups = tested.tiers.cliques if tested.tiers is not None else None
    return RankDiagram(
        n_tasks=found.n,
        left_out=found.dropped,
        chi2=found.chi2,
        p=found.p,
        critical_difference=found.critical_difference,
        groups=None if groups is None else tuple(tuple(names[i] for i in group) for group in groups),
        reason=found.reason,
    )


def _leads(names: tuple[str, ...], table: Floats, tasks: tuple[str, ...]) -> tuple[Lead, ...]:
    """The first agent against each other one."""
    leads = []
    for place, rival in enumerate(names[1:], 1):
        found = influence(table[:, [0, place]])
        carriers = [int(t) for t in found.order[:_CARRIERS] if found.share[t] > 0]
        leads.append(
            Lead(
                leader=names[0],
                rival=rival,
                difference=found.difference,
                n_tasks=found.n,
                to_erase=found.to_erase,
                flips_alone=found.flips_alone,
                carried_by=tuple(
                    TaskPart(task=tasks[t], share=float(found.share[t]), without=_known(found.without[t]))
                    for t in carriers
                ),
                reason=found.reason,
            )
        )
    return tuple(leads)


def _estimate(found: ColumnIntervals, column: int) -> Estimate:
    one = found.interval(column)
    return Estimate(
        value=one.estimate,
        low=one.low,
        high=one.high,
        level=one.level,
        method=f"{one.method}, {one.resamples} resamples, seed {one.seed}",
        n=one.n,
        reason=one.reason,
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _listed(values: Floats) -> tuple[float | None, ...]:
    return tuple(_known(value) for value in values)


def _methods(settings: Settings, prepared: Prepared) -> tuple[MethodNote, ...]:
    unit = "tasks" if prepared.grid.families is None else "families of tasks"
    share = prepared.scores[0] in SHARES
    return (
        MethodNote(
            topic="Profiles",
            text="Share of the planned trials that reach each threshold, in a task and then over tasks; a trial without a "
            "verdict scores 0 as in the standings. Opt_p: the trial passes its gate and reaches p times the reference.",
        ),
        MethodNote(
            topic="Interquartile mean",
            text="Mean of the middle half of an agent's tasks: floor(n/4) are left out at either end."
            + (" Not given where every cell is 0 or 1." if share else ""),
        ),
        MethodNote(
            topic="Probability of improvement",
            text="Chance that a trial of the one beats a trial of the other on the same task, ties half; mean over tasks.",
        ),
        MethodNote(
            topic="Ranks",
            text="Mean over tasks of the rank in the family, ties share the middle rank. The groups are those of the "
            f"standings' max-T test at the family-wise {settings.level:.0%} level; Friedman's p and Nemenyi's critical "
            "difference stand beside them for comparison.",
        ),
        MethodNote(
            topic="Intervals",
            text=f"{1 - settings.level:.0%} percentile bootstrap over {unit}, {settings.resamples} resamples, seed "
            f"{settings.seed}; pointwise, not adjusted for looking at many.",
        ),
    )
