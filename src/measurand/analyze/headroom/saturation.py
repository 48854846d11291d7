"""Is the head of a board within its noise, and how did that come about over time?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from measurand.analyze.findings import findings
from measurand.analyze.headroom.dates import Dates, releases
from measurand.analyze.headroom.saturation_rows import saturation_rows
from measurand.analyze.headroom.windows import WIDTH, Windows, windows_of
from measurand.analyze.prepare import prepare
from measurand.analyze.records import Finding, MethodNote, SaturationRow
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.separation import separate
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from measurand.model.table import Trials

__all__ = ["SaturationReport", "saturation"]


class SaturationReport(msgspec.Struct, frozen=True, kw_only=True):
    """What ``measurand saturation`` says."""

    suite: str
    suite_version: str | None
    score: str
    """The ranking score, which the windows are judged by."""
    comparable: bool
    n_agents: int
    n_tasks: int
    saturation: tuple[SaturationRow, ...]
    """The index under each score, the ranking one first."""
    windows: Windows
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None


def saturation(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    dates: Dates | None = None,
    window: int = WIDTH,
    command: str | None = None,
) -> SaturationReport:
    """Say how far the head of the standings lies within noise, under each score and over time.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged; ``places`` and ``alpha`` are those of the index.
        dates: release dates of agents; by default the column ``released_at``, which also fills in for agents that
            ``dates`` leave out.
        window: agents of a window, at least 2.
        command: the command that reproduces this.

    Returns:
        The saturation index of the first agent against the one at place k, paired under each score and unpaired
        under shares; and windows of agents that follow each other by release. Without dates there are no windows, and
        the reason is said.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite, agent or score that is not there, dates that fit no agent, or a window below 2.

    Source: SPEC 13, 13b.
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    selection, scored, grid, scores = prepared
    released = releases(prepared, dates)
    cells = {score: grid.cells(score) for score in scores}
    tested = {score: separate(grid, cells[score], score, settings, cross_check=False) for score in scores}
    over_time = windows_of(prepared, settings, width=window, released=released)
    return SaturationReport(
        suite=selection.suite,
        suite_version=selection.version,
        score=scores[0],
        comparable=selection.comparable,
        n_agents=len(grid.agents),
        n_tasks=len(grid.tasks),
        saturation=saturation_rows(grid, cells, tested, settings),
        windows=over_time,
        findings=(*released.findings, *findings(trials, selection, scored, grid, settings)),
        methods=_methods(settings, over_time, tested[scores[0]].record.method),
        command=command,
    )


def _methods(settings: Settings, over_time: Windows, method: str) -> tuple[MethodNote, ...]:
    notes = [
        ("Paired index", _paired_note(settings)),
        ("Unpaired index", _unpaired_note(settings)),
        ("Classes", _CLASSES),
        ("Tiers", _tiers_note(settings, method)),
    ]
    if over_time.windows:
        notes.append(("Windows", _windows_note(over_time, settings.null)))
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes)


_CLASSES = "very low below 0.01, low below 0.3, moderate below 0.7, high below 0.9, else very high."


def _paired_note(settings: Settings) -> str:
    alpha = settings.alpha
    return (
        f"S = exp(-R²), R = (mean d / sd d)·n^{alpha / 2:g}: d is the difference, task by task, of the first agent and the "
        f"one at place {settings.places}, both by the score judged; n tasks count as n^{alpha:g}, since tasks resemble each "
        f"other. Then t = R·n^{(1 - alpha) / 2:g}. One task's share: the largest |d| over the sum of |d|."
    )


def _unpaired_note(settings: Settings) -> str:
    return (
        f"R = (s1 - sk)/sqrt((s1(1 - s1) + sk(1 - sk))/n^{settings.alpha:g}), S = exp(-R²), from two published shares: it "
        "does not know which tasks are hard for both, and so takes more for noise than the paired one."
    )


def _tiers_note(settings: Settings, method: str) -> str:
    return (
        f"{upper_first(method)}; family-wise level {settings.level:.0%}, {settings.resamples} resamples to begin with, seed "
        f"{settings.seed}; leader rule. Same tier means not shown different, never equal."
    )


def _windows_note(over_time: Windows, null: str) -> str:
    near = plural(
        over_time.undecided, "adjusted p-value of all windows lies", "adjusted p-values of all windows lie"
    )
    return (
        f"{over_time.n_dated} dated agents by day of release, those of one day by name; {over_time.width} at a time under the "
        f"score {over_time.score}. Each window's agents have a max-T test of their own (null: {null}) at the family-wise "
        f"{over_time.level:.0%} level, {over_time.resamples} resamples, seed {over_time.seed} for each; windows overlap and "
        f"are not controlled together. {near} within three Monte-Carlo standard errors of the level."
    )
