"""The board: standings, tiers, saturation, data quality and methods of one suite."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

import msgspec

from measurand.analyze.comparability import fingerprint
from measurand.analyze.findings import findings
from measurand.analyze.means import column_means, count_units
from measurand.analyze.methods import board_methods
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.profile import ProfilePart, profile_of
from measurand.analyze.records import AgentRow, Finding, MethodNote, SaturationRow, TierTest
from measurand.analyze.reliability import reliability_of
from measurand.analyze.reliability_records import ReliabilityPart
from measurand.analyze.separation import Separation, separate
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.standings import standings
from measurand.infer.saturation import Saturation, saturation, saturation_unpaired

if TYPE_CHECKING:
    from measurand.analyze.cells import Cells, Grid
    from measurand.load import Progress
    from measurand.model.table import Trials

__all__ = ["Board", "Prepared", "board", "prepare"]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """All that a report on one suite says."""

    suite: str
    suite_version: str | None
    score: str
    """The score that orders the standings."""
    comparable: bool
    """False when rows of differing fingerprints were ranked at the user's explicit wish."""
    n_agents: int
    n_tasks: int
    n_trials: int
    """Recorded trials."""
    n_families: int | None
    started: str | None
    """Earliest start of a trial, ISO 8601."""
    finished: str | None
    standings: tuple[AgentRow, ...]
    tests: tuple[TierTest, ...]
    """The test of the ranking score first, then one for each other score."""
    saturation: tuple[SaturationRow, ...]
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None
    """The command that reproduces the report."""
    reliability: ReliabilityPart | None = None
    """Whether agents do the same again: reproducibility, pass@j, pass^j, calibration."""
    profile: ProfilePart | None = None
    """Spread of scores, ranks, and the tasks that carry the first agent's leads."""

    @property
    def test(self) -> TierTest:
        """The test of the ranking score."""
        return self.tests[0]


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
        standings=standings(prepared, cells, first, settings),
        tests=tuple(tested[score].record for score in scores),
        saturation=_saturation_rows(grid, cells, tested, settings),
        reliability=reliability_of(prepared, settings),
        profile=profile_of(prepared, settings, first),
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
