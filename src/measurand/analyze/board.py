"""The board: standings, tiers, saturation, data quality and methods of one suite."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec

from measurand.analyze.claims.claims import claims_of
from measurand.analyze.claims.records import ClaimsPart
from measurand.analyze.claims.timing import timing_finding, with_timing
from measurand.analyze.comparability import fingerprint
from measurand.analyze.cost.pareto import pareto_of
from measurand.analyze.cost.records import ParetoPart
from measurand.analyze.design.plan import plan_of
from measurand.analyze.design.records import PairOutlook
from measurand.analyze.findings import findings
from measurand.analyze.headroom.saturation_rows import saturation_rows
from measurand.analyze.headroom.windows import Windows, windows_of
from measurand.analyze.means import count_units
from measurand.analyze.methods import board_methods
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.profile import profile_of
from measurand.analyze.profile_records import ProfilePart
from measurand.analyze.records import AgentRow, Finding, MethodNote, SaturationRow, TierTest
from measurand.analyze.repeats.records import ReliabilityPart
from measurand.analyze.repeats.reliability import reliability_of
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.standings import standings
from measurand.analyze.tiering.separation import separate
from measurand.analyze.verifiers.records import SecondVerdict
from measurand.analyze.verifiers.verdicts import verdicts_of

if TYPE_CHECKING:
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
    claims: ClaimsPart | None = None
    """Whether the first is the best, and its score corrected for having been picked."""
    outlook: PairOutlook | None = None
    """What it would take to show the gap between the first two agents."""
    cost: ParetoPart | None = None
    """Quality against cost; ``None`` where no trial has a cost."""
    windows: Windows | None = None
    """Tiers and saturation of neighbours in release; ``None`` where no agent has a date."""
    verdicts: tuple[SecondVerdict, ...] = ()
    """Each further verdict that the data have, set against the gate's."""
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
    claims = claims_of(prepared, settings, first)
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
        saturation=saturation_rows(grid, cells, tested, settings),
        claims=claims,
        outlook=plan_of(prepared, settings),
        cost=pareto_of(prepared, settings),
        windows=windows_of(prepared, settings) if scored["released_at"].count() else None,
        verdicts=verdicts_of(prepared, settings),
        reliability=reliability_of(prepared, settings),
        profile=profile_of(prepared, settings, first),
        findings=with_timing(
            findings(trials, selection, scored, grid, settings), timing_finding(claims.timings)
        ),
        methods=board_methods(
            settings, first.record, graded="objective" in scores, fingerprint=fingerprint(scored)
        ),
        command=command,
    )


def _moment(value: object) -> str | None:
    return value.isoformat() if isinstance(value, dt.datetime) else None
