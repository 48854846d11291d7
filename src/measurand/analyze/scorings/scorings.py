"""The scorings of one suite side by side: who leads, who differs, and how far the order moves with the score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from measurand.analyze.comparability import fingerprint
from measurand.analyze.findings import findings
from measurand.analyze.methods import board_methods
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.records import Finding, MethodNote, TierTest
from measurand.analyze.scorings.available import unavailable
from measurand.analyze.scorings.binding import Anchors, Binding, anchors_of, binding_of
from measurand.analyze.scorings.left_out import ROW, LeftOut, counted_otherwise, not_chosen, not_read
from measurand.analyze.scorings.rows import (
    AgentPlaces,
    OrderPair,
    ScoringRow,
    agent_places,
    judge_all,
    order_pairs,
    scoring_row,
)
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError
from measurand.score.names import SCORES
from measurand.wording import upper_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from measurand.analyze.tiering.separation import Separation
    from measurand.model.table import Trials

__all__ = ["Scorings", "ScoringsPart", "scorings", "scorings_of"]


class ScoringsPart(msgspec.Struct, frozen=True, kw_only=True):
    """The scorings of one suite side by side."""

    n_agents: int
    n_tasks: int
    n_trials: int
    """Recorded trials."""
    standard: str
    """The scoring that the others are compared with."""
    rows: tuple[ScoringRow, ...]
    agents: tuple[AgentPlaces, ...]
    """All agents, in the order of the standard."""
    orders: tuple[OrderPair, ...]
    """Each two scorings that differ, those with the standard first."""
    binding: Binding
    anchors: Anchors
    left_out: tuple[LeftOut, ...]


class Scorings(ScoringsPart, frozen=True, kw_only=True):
    """What ``measurand scorings`` says."""

    suite: str
    suite_version: str | None
    comparable: bool
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None


def scorings(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    command: str | None = None,
) -> Scorings:
    """Judge the agents of one suite by each scoring that the data allow, all with the same test.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged; ``score`` is the scoring that the others are compared with, by default the
            objective where the data allow it, else the gate rate.
        command: the command that reproduces this.

    Returns:
        One row a scoring, with tiers, saturation and spread, or with the reason why the data do not allow it; the ranks
        of all agents, and how far any two orders agree; where cap and clip bind; the anchors; what was left out.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite or agent that is not there, or a standard that the data do not allow.

    Source: SPEC 10.2, 12, 13.
    """
    choice, settings = choice or Choice(), settings or Settings()
    indexed = trials.with_frame(trials.frame.with_row_index(ROW))
    prepared = prepare(indexed, choice, replace(settings, score=None))
    part, test = _part(prepared, settings, {})
    left_out = (
        *not_read(trials.reports),
        *not_chosen(indexed, prepared, common_tasks=choice.common_tasks),
        *part.left_out,
    )
    return Scorings(
        **{name: getattr(part, name) for name in part.__struct_fields__ if name != "left_out"},
        left_out=left_out,
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        findings=findings(trials, prepared.selection, prepared.scored, prepared.grid, settings),
        methods=_methods(test, settings, fingerprint(prepared.scored)),
        command=command,
    )


def scorings_of(
    prepared: Prepared, settings: Settings, *, tested: Mapping[str, Separation] | None = None
) -> ScoringsPart:
    """Set the scorings of a selection side by side.

    Args:
        prepared: what is judged.
        settings: how it is judged.
        tested: score -> its test, where these were run with the same settings already.

    Raises:
        UsageError: the standard that ``settings`` asks for is not available.
    """
    return _part(prepared, settings, tested or {})[0]


def _part(
    prepared: Prepared, settings: Settings, tested: Mapping[str, Separation]
) -> tuple[ScoringsPart, TierTest]:
    """The scorings, and the test of the standard among them."""
    reasons = unavailable(prepared.scored, prepared.grid, settings)
    allowed = [score for score in SCORES if score not in reasons]
    standard = _standard(settings.score, allowed, reasons)
    first = sorted(allowed, key=lambda score: score != standard)
    judged = judge_all(prepared, first, settings, tested=tested)
    agents = agent_places(prepared, judged, standard)
    part = ScoringsPart(
        n_agents=len(prepared.grid.agents),
        n_tasks=len(prepared.grid.tasks),
        n_trials=prepared.scored.height,
        standard=standard,
        rows=tuple(
            ScoringRow(score=score, says=says, reason=reasons[score])
            if score in reasons
            else scoring_row(prepared, score, judged[score])
            for score, says in SCORES.items()
        ),
        agents=agents,
        orders=order_pairs(judged, agents),
        binding=binding_of(prepared.scored, settings),
        anchors=anchors_of(prepared.scored, settings.scoring),
        left_out=tuple(counted_otherwise(prepared)),
    )
    return part, judged[standard].tested.record


def _standard(asked: str | None, allowed: Sequence[str], reasons: dict[str, str]) -> str:
    if asked in reasons:
        raise UsageError(
            f"the score {asked!r} is not available: {reasons[asked]}",
            hint=f"available here: {', '.join(allowed)}",
        )
    return asked or ("objective" if "objective" in allowed else "gate")


_TOPICS: Final = ("Gate rate", "Scores", "Official score", "Tiers", "Saturation", "Orders", "Compared under")
_ORDERS: Final = "Kendall's tau-b over all agents: equal means are ties; 1 is the same order, 0 nothing in common, -1 the reverse."
_OFFICIAL: Final = (
    "The mean of what the benchmark itself gives each trial, by its own rules: our gate changes nothing in it. Given only "
    "where every planned trial has a value, because 0 need not be the worst one."
)


def _methods(test: TierTest, settings: Settings, measured_with: str) -> tuple[MethodNote, ...]:
    family = "all agents" if settings.top is None else f"its own first {settings.top} agents"
    draws = "" if test.exact else f", {settings.resamples} resamples, seed {settings.seed}"
    tiers = (
        f"Each scoring is tested for itself on {family}, all in the same way: {upper_first(test.method)}{draws}; any false "
        f"split of one scoring has probability at most {settings.level:.0%}. Leader rule: going down, the first agent "
        "significantly worse than its tier's leader opens the next tier. Same tier means not shown different, never equal. "
        "The number of tiers of two scorings is no test of which one separates better."
    )
    known = board_methods(settings, test, graded=True, fingerprint=measured_with)
    notes = {note.topic: note.text for note in known}
    notes |= {"Official score": _OFFICIAL, "Tiers": tiers, "Orders": _ORDERS}
    return tuple(MethodNote(topic=topic, text=notes[topic]) for topic in _TOPICS if topic in notes)
