"""The board: standings, tiers, saturation, data quality and methods of one suite."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from measurand.analyze.cells import Cells, Grid
from measurand.analyze.comparability import fingerprint
from measurand.analyze.estimates import estimates, family_errors, gate_rates
from measurand.analyze.findings import findings
from measurand.analyze.means import column_means, count_units, ranking_means
from measurand.analyze.meters import meters, with_tokens
from measurand.analyze.methods import board_methods
from measurand.analyze.records import AgentRow, Board, Estimate, Meter, SaturationRow, ScoreSummary
from measurand.analyze.select import Selection, select
from measurand.analyze.separation import Separation, separate
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError
from measurand.infer.saturation import Saturation, saturation, saturation_unpaired
from measurand.score.names import GRADED, SHARES
from measurand.score.trials import score_trials

if TYPE_CHECKING:
    from measurand.load import Progress
    from measurand.model.table import Trials

__all__ = ["Prepared", "board", "prepare"]


class Prepared(NamedTuple):
    """A selection with its scores and its grid of cells: what boards and comparisons start from."""

    selection: Selection
    scored: pl.DataFrame
    grid: Grid
    scores: tuple[str, ...]
    """The scores that the data allow, the ranking one first."""


def prepare(trials: Trials, choice: Choice, settings: Settings) -> Prepared:
    """Select, score and lay out trials.

    Raises:
        UsageError: the score asked for needs anchors that the data do not have.
        InputError: see :func:`measurand.analyze.select.select`.
    """
    selection = select(trials, choice)
    scored = with_tokens(score_trials(selection.frame, settings.scoring))
    grid = Grid(selection, scored, families=settings.families)
    return Prepared(selection, scored, grid, _scores(scored, grid, settings.score))


def _scores(scored: pl.DataFrame, grid: Grid, chosen: str | None) -> tuple[str, ...]:
    """The scores that the data allow, the ranking one first; a key that says the same as the gate is left out."""
    graded = not scored.select(pl.col("reference").is_null().any()).item()
    allowed = [*(GRADED if graded else ("key",)), "gate"]
    if chosen is not None and chosen not in allowed:
        raise UsageError(
            f"the score {chosen!r} needs a reference for every task",
            hint=f"available here: {', '.join(allowed)}; add the column `reference`, or --anchors FILE",
        )
    ranking = chosen or ("objective" if graded else "gate")
    if ranking != "key" and np.array_equal(grid.total("key"), grid.total("gate")):
        allowed.remove("key")
    return tuple(sorted(allowed, key=lambda name: name != ranking))


def board(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    command: str | None = None,
    progress: Progress | None = None,
) -> Board:
    """Judge the agents of one suite.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged.
        command: the command that reproduces this, for the methods box.
        progress: told how far the work is.

    Returns:
        The board. Where the data do not suffice, parts are empty and carry the reason.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite, agent or score that is not there.
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    selection, scored, grid, scores = prepared
    cells = {score: grid.cells(score) for score in scores}
    tested = {}
    for number, score in enumerate(scores):
        if progress:
            progress(f"testing {score}", number / len(scores))
        tested[score] = separate(grid, cells[score], score, settings)
    first = tested[scores[0]]
    return Board(
        suite=selection.suite,
        suite_version=selection.version,
        score=scores[0],
        comparable=selection.comparable,
        n_agents=len(grid.agents),
        n_tasks=len(grid.tasks),
        n_trials=scored.height,
        n_families=None if grid.families is None else count_units(grid.families, len(grid.tasks)),
        started=_moment(scored["started_at"].min()),
        finished=_moment(scored["finished_at"].max() or scored["started_at"].max()),
        standings=_standings(prepared, cells, first, settings),
        tests=tuple(tested[score].record for score in scores),
        saturation=_saturation_rows(grid, cells, tested, settings),
        findings=findings(trials, selection, scored, grid, settings),
        methods=board_methods(
            settings, first.record, graded="objective" in scores, fingerprint=fingerprint(scored)
        ),
        command=command,
    )


def _moment(value: object) -> str | None:
    return value.isoformat() if isinstance(value, dt.datetime) else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _standings(
    prepared: Prepared, cells: dict[str, Cells], first: Separation, settings: Settings
) -> tuple[AgentRow, ...]:
    """All agents by the ranking score, the tested ones with what the test says of them."""
    _, scored, grid, scores = prepared
    rates = gate_rates(grid, settings)
    summaries = _summaries(prepared, cells, settings)
    spent: dict[str, tuple[Meter, ...]] = meters(scored)
    ended = _outcomes(scored)
    means = np.nan_to_num(ranking_means(cells[scores[0]].planned), nan=-np.inf)
    recorded = grid.recorded
    places = {column: place for place, column in enumerate(first.family)}
    order = sorted(
        range(len(grid.agents)), key=lambda i: (-means[i], places.get(i, len(places)), grid.agents[i])
    )
    rows = []
    for i in order:
        agent = grid.agents[i]
        place = _place(first, places.get(i))
        rows.append(
            AgentRow(
                agent=agent,
                rank=1 + int((means > means[i]).sum()),
                tested=i in places,
                rank_low=place.rank_low,
                rank_high=place.rank_high,
                tier=place.tier,
                letters=place.letters,
                possible_best=place.possible_best,
                gate=rates[i],
                scores=summaries[agent],
                family_errors=family_errors(
                    cells[scores[0]].planned[:, i], grid.families, settings, share=scores[0] in SHARES
                ),
                meters=spent[agent],
                tasks=int((recorded[:, i] > 0).sum()),
                trials=int(recorded[:, i].sum()),
                outcomes=ended[agent],
            )
        )
    return tuple(rows)


class _Place(NamedTuple):
    """What the test says of one agent."""

    rank_low: int | None = None
    rank_high: int | None = None
    tier: int | None = None
    letters: str | None = None
    possible_best: bool | None = None


def _place(tested: Separation, entry: int | None) -> _Place:
    """Look up an entry of the tested family; nothing is said of an agent outside it, or without an answer."""
    tiers = tested.tiers
    if tiers is None or entry is None:
        return _Place()
    return _Place(
        rank_low=tiers.rank_low[entry],
        rank_high=tiers.rank_high[entry],
        tier=tiers.tier[entry],
        letters=tiers.letters[entry] if tiers.letters else None,
        possible_best=entry in tiers.possible_best,
    )


def _outcomes(scored: pl.DataFrame) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for agent, outcome, count in (
        scored.group_by("agent", "outcome").len().sort("agent", "outcome").iter_rows()
    ):
        counts.setdefault(agent, {})[outcome] = count
    return counts


def _summaries(
    prepared: Prepared, cells: dict[str, Cells], settings: Settings
) -> dict[str, tuple[ScoreSummary, ...]]:
    """Mean of each agent under each score but the gate rate, which the standings show in its three forms."""
    _, scored, grid, scores = prepared
    means: dict[str, list[Estimate]] = {
        score: estimates(cells[score].planned, grid.families, settings, share=score in SHARES)
        for score in scores
        if score != "gate"
    }
    facts = scored.group_by("agent").agg(
        pl.col("clip_bound").sum(),
        pl.col("below_baseline").sum(),
        pl.col("valid").sum(),
        *(pl.col(score).filter("valid").mean().alias(f"{score}_valid") for score in means),
    )
    by_agent = {row["agent"]: row for row in facts.iter_rows(named=True)}
    return {
        agent: tuple(
            ScoreSummary(
                score=score,
                mean=means[score][place],
                given_pass=by_agent[agent][f"{score}_valid"],
                clipped=by_agent[agent]["clip_bound"],
                below_baseline=by_agent[agent]["below_baseline"],
                valid=by_agent[agent]["valid"],
            )
            for score in means
        )
        for place, agent in enumerate(grid.agents)
    }


def _saturation_rows(
    grid: Grid, cells: dict[str, Cells], tested: dict[str, Separation], settings: Settings
) -> tuple[SaturationRow, ...]:
    """The paired index under each score; for the gate rate also the unpaired one of the literature."""
    rows = []
    for score, table in cells.items():
        result = saturation(table.planned, k=settings.places, alpha=settings.alpha)
        rows.append(_saturation_row(score, result, grid, tested[score]))
        if score == "gate" and result.first is not None and result.kth is not None:
            means = column_means(table.planned)
            unpaired = saturation_unpaired(
                float(means[result.first]), float(means[result.kth]), result.n, alpha=settings.alpha
            )
            rows.append(_saturation_row(score, unpaired, grid, tested[score], paired=result))
    return tuple(rows)


def _saturation_row(
    score: str, result: Saturation, grid: Grid, tested: Separation, paired: Saturation | None = None
) -> SaturationRow:
    """Name a result; an unpaired one, which sees two shares only, takes its agents from the ``paired`` one."""
    places = paired or result
    first, kth = places.first, places.kth
    notes = list(result.flags)
    if result.value_if_tied is not None:
        notes.append(
            f"agents tie for the last place compared; with another of them S = {result.value_if_tied:.3f}"
        )
    return SaturationRow(
        score=score,
        variant=result.variant,
        index=result.index,
        category=result.category,
        r=_finite(result.r),
        t=_finite(result.t),
        n=result.n,
        k=places.k,
        alpha=result.alpha,
        first=None if first is None else grid.agents[first],
        kth=None if kth is None else grid.agents[kth],
        dominance=result.dominance,
        tiers=() if tested.tiers is None else tuple(tested.tiers.tier[i] for i in tested.tiers.order),
        notes=tuple(notes),
        reason=result.reason,
    )
