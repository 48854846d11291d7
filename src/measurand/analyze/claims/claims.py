"""Claims people make: the best agent, its true score, and being no worse than another (SPEC 20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from measurand.analyze.claims.best import Source, named, picked
from measurand.analyze.claims.pair_records import MarginAnswer
from measurand.analyze.claims.pairing import margin_answer, pair_methods, pair_of
from measurand.analyze.claims.records import BestClaim, Claims, ClaimsPart, TopScore
from measurand.analyze.claims.timing import Times, timing, timing_finding, with_timing
from measurand.analyze.findings import findings
from measurand.analyze.means import head, ranking_means, unit_name
from measurand.analyze.naming import agent_place
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.records import MethodNote
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.separation import Separation, separate
from measurand.errors import UsageError
from measurand.infer.claims.selection_bias import selection_bias

if TYPE_CHECKING:
    from measurand.analyze.claims.pair_records import Timing
    from measurand.analyze.records import TierTest
    from measurand.model.table import Trials

__all__ = ["Claims", "ClaimsPart", "claims", "claims_of"]

_RESAMPLES: Final = 2_000
"""Resamples at each of the two levels behind the selection bias; its own noise is far larger than theirs."""


def claims(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    best: str | None = None,
    not_worse_than: str | None = None,
    margin: float | None = None,
    command: str | None = None,
) -> Claims:
    """Say what may be claimed of the agent on top, or of one that was named beforehand.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged.
        best: the agent of which it was claimed beforehand that it is the best, or a pattern that fits one; without it the
            claim is about the agent on top, picked for being first.
        not_worse_than: another agent, than which the claimant is to be no worse by more than ``margin``.
        margin: the largest loss that does not matter, declared beforehand, in units of the score (0.02 of a share is 2
            points).
        command: the command that reproduces this.

    Returns:
        Whether the agent beats every other, with the rival that is hardest to beat; the top score less what picking it has
        added; the answer on the margin; whether the trials were run at the same times.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: an agent or score that is not there; a margin without an agent, or an agent without a margin.

    Source: SPEC 20, record claim, selection-corrected top score, non-inferiority, interleaving guard.
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    grid, score = prepared.grid, prepared.scores[0]
    tested = separate(grid, grid.cells(score), score, settings, cross_check=False)
    part = claims_of(prepared, settings, tested, best=best, declared=_declared(not_worse_than, margin))
    data = findings(trials, prepared.selection, prepared.scored, grid, settings)
    return Claims(
        **{name: getattr(part, name) for name in part.__struct_fields__},
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        n_agents=len(grid.agents),
        n_tasks=len(grid.tasks),
        findings=with_timing(data, timing_finding(part.timings)),
        methods=_methods(part),
        command=command,
    )


class Declared(NamedTuple):
    """A margin declared beforehand, and against whom."""

    than: str
    margin: float


def _declared(than: str | None, margin: float | None) -> Declared | None:
    if than is None and margin is None:
        return None
    if than is None or margin is None:
        raise UsageError(
            "a margin and an agent to hold it against belong together",
            hint="give both: not_worse_than (--not-worse-than AGENT) and margin (--margin M)",
        )
    return Declared(than, margin)


def claims_of(
    prepared: Prepared,
    settings: Settings,
    tested: Separation,
    *,
    best: str | None = None,
    declared: Declared | None = None,
) -> ClaimsPart:
    """Say what may be claimed under the ranking score, by the test that the standings rest on."""
    grid, score = prepared.grid, prepared.scores[0]
    planned = grid.cells(score).planned
    order = tested.family or head(ranking_means(planned), grid.agents, settings.top)
    place = order[0] if best is None else agent_place(best, grid.agents)
    source = Source(grid, score, planned, settings)
    claim = picked(source, tested, order) if best is None else named(source, place, order[0])
    return ClaimsPart(
        score=score,
        unit=unit_name(grid.families),
        best=claim,
        top=_top(source, tested.record, order[0]),
        margin=None if declared is None else _margin(source, place, declared, claim),
        timings=_timings(prepared, claim),
    )


def _top(source: Source, test: TierTest, first: int) -> TopScore:
    """Correct the top score; every agent that could have come first counts, whether tested or not."""
    grid, settings = source.grid, source.settings
    others = [i for i in range(len(grid.agents)) if i != first]
    found = selection_bias(
        source.planned[:, [first, *others]],
        families=grid.families,
        level=1 - settings.level,
        resamples=min(settings.resamples, _RESAMPLES),
        rng=settings.seed,
    )
    # Means over different tasks are not those of one contest.
    refused = test.reason if test.n_pairs and not test.pairs else None
    return TopScore(
        agent=grid.agents[first],
        raw=found.raw,
        bias=found.bias if refused is None else None,
        corrected=found.corrected if refused is None else None,
        low=found.low if refused is None else None,
        high=found.high if refused is None else None,
        level=found.level,
        agents=len(grid.agents),
        contenders=len(found.first_often),
        method=found.method,
        n_units=found.n_units,
        resamples=found.resamples,
        seed=found.seed,
        reason=refused or found.reason,
        caution=found.caution,
    )


def _margin(source: Source, place: int, declared: Declared, claim: BestClaim) -> MarginAnswer:
    """Hold the margin against another agent; by the interval of all pairs at once where the agent was picked."""
    other = agent_place(declared.than, source.grid.agents)
    pair = pair_of(source.grid, source.planned, source.score, place, other)
    if other == place:
        raise UsageError(f"the claim is about {pair.a} itself", hint="hold the margin against another agent")
    alone = margin_answer(pair, declared.margin, source.settings)
    if claim.named:
        return alone
    row = next((row for row in claim.rows if row.rival == pair.b), None)
    if row is None:
        return _without(
            alone,
            claim.reason or f"{pair.b} is not in the tested family; take a larger one, or name {pair.a}",
        )
    if row.low is None or row.high is None:
        return _without(alone, row.reason or "there is no interval")
    return MarginAnswer(
        agent=pair.a,
        than=pair.b,
        margin=alone.margin,
        not_worse=row.low > -alone.margin,
        equivalent=row.low > -alone.margin and row.high < alone.margin,
        difference=row.difference,
        low=row.low,
        high=row.high,
        level=alone.level,
        method=_ALL_PAIRS,
        n=alone.n,
    )


_ALL_PAIRS: Final = "ends of the interval that holds for all pairs at once, two-sided, since the agent was picked for being first"


def _without(answer: MarginAnswer, reason: str) -> MarginAnswer:
    return msgspec.structs.replace(
        answer, not_worse=None, equivalent=None, low=None, high=None, method=_ALL_PAIRS, reason=reason
    )


def _timings(prepared: Prepared, claim: BestClaim) -> tuple[Timing, ...]:
    if prepared.scored["started_at"].is_null().all():
        return ()
    times = Times(prepared.scored)
    return tuple(timing(times, claim.agent, row.rival) for row in claim.rows)


def _methods(part: ClaimsPart) -> tuple[MethodNote, ...]:
    best, top = part.best, part.top
    if best.named:
        claim = (
            f"The agent was named beforehand and must beat every other. {best.method[:1].upper()}{best.method[1:]} is the p of the claim. "
            f"Two-sided at {best.level:.0%} with the sign of the claim, as in `measurand compare`: the chance of a false claim "
            "is about half of that."
        )
    else:
        claim = (
            "The agent was picked for being first, so that any agent of the family might have been in its place: each of its "
            f"pairs must be significant at the family-wise {best.level:.0%} level of the tiers. {best.method[:1].upper()}{best.method[1:]} is "
            "the p of the claim."
        )
    score = (
        f"{top.method[:1].upper()}{top.method[1:]}, all {top.agents} agents together, {top.resamples} resamples at each of two levels, seed {top.seed}: "
        "what picking the first adds to its mean in resamples, plus what one level misses. The interval is for the true mean "
        "of the agent on top; it goes further down than up by as much as other agents come first in resamples."
    )
    notes = {"Best": claim, "Top score": score}
    notes["Least attainable p"] = (
        "With d tasks (or families of tasks) that differ, sign flips of a pair give 2^(1 - d) at best, whatever the result."
    )
    more = pair_methods(part.margin, None, timed=bool(part.timings))
    return (*(MethodNote(topic=topic, text=text) for topic, text in notes.items()), *more)
