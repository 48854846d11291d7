"""Two named agents: their test, what it could have found at all, and a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measurand.analyze.claims.pair_records import Discordance, MarginAnswer, Regressions
from measurand.analyze.records import MethodNote
from measurand.infer.claims.interleaving import HARDLY
from measurand.infer.claims.noninferiority import noninferiority
from measurand.infer.differences.attainable import attainable
from measurand.infer.differences.permutation import MaxT, max_t
from measurand.score.names import SHARES
from measurand.wording import upper_first

if TYPE_CHECKING:
    from measurand.analyze.cells import Codes, Floats, Grid
    from measurand.analyze.settings import Settings

__all__ = ["Pair", "discordance", "margin_answer", "pair_methods", "pair_of", "pair_test"]


class Pair(NamedTuple):
    """Two agents on the tasks that both have."""

    a: str
    b: str
    score: str
    table: Floats
    """(tasks, 2) cells of a and b, none of them missing."""
    families: Codes | None
    tasks: tuple[str, ...]

    @property
    def difference(self) -> Floats:
        """(tasks,) a minus b."""
        return np.asarray(self.table[:, 0] - self.table[:, 1])

    @property
    def share(self) -> bool:
        """Whether the cells are shares."""
        return self.score in SHARES


def pair_of(grid: Grid, planned: Floats, score: str, a: int, b: int) -> Pair:
    """Take two columns of the cells ``planned`` on the tasks that both have."""
    table = planned[:, [a, b]]
    common = np.flatnonzero(~np.isnan(table).any(axis=1))
    families = None if grid.families is None else grid.families[common]
    tasks = tuple(grid.tasks[i] for i in common)
    return Pair(grid.agents[a], grid.agents[b], score, table[common], families, tasks)


def pair_test(pair: Pair, settings: Settings) -> MaxT:
    """Test one pair that was named beforehand, so that there is nothing to adjust for."""
    return max_t(
        pair.table,
        null=settings.null,
        families=pair.families,
        level=settings.level,
        resamples=settings.resamples,
        rng=settings.seed,
    )


def discordance(units: int, level: float) -> Discordance:
    """Say what a test at ``level`` of a pair that differs in so many units could find at all."""
    found = attainable(units, level=level)
    return Discordance(units=found.discordant, least_p=found.p, needed=found.needed)


def margin_answer(pair: Pair, margin: float, settings: Settings) -> MarginAnswer:
    """Say whether a is not worse than b by more than ``margin``, two agents named beforehand.

    Raises:
        UsageError: a margin that is none.
    """
    found = noninferiority(pair.table, margin, families=pair.families, level=settings.level, share=pair.share)
    return MarginAnswer(
        agent=pair.a,
        than=pair.b,
        margin=found.margin,
        not_worse=found.not_worse,
        equivalent=found.equivalent,
        difference=found.difference,
        low=found.low,
        high=found.high,
        level=found.level,
        method=f"{found.method}, one-sided",
        n=found.n,
        reason=found.reason,
    )


def pair_methods(
    margin: MarginAnswer | None, single: Regressions | None, *, timed: bool
) -> tuple[MethodNote, ...]:
    """Describe how a margin, single tasks and times were judged, as far as they were."""
    notes = {}
    if margin is not None:
        notes["Margin"] = (
            f"Lower bound of the mean paired difference above minus the margin, one-sided at {margin.level:.0%}; equivalent: "
            f"the upper bound below the margin as well (two one-sided tests). {upper_first(margin.method)}. A margin holds "
            "only if it was declared before looking."
        )
    if single is not None and single.most_trials > 1:
        notes["Single tasks"] = (
            "Fisher's exact test of each task, one-sided, trials with a verdict, by the gate; Tarone's correction: a task "
            "counts only where some result could have been a finding. Any false finding has probability at most "
            f"{single.level:.0%}. Tasks of the baseline that the first agent has no trial of stay in the denominator."
        )
    if timed:
        notes["Times"] = (
            "An agent's span goes from the first start of a trial to the last end. Spans that do not meet, or hold less than "
            f"{HARDLY:.0%} of the other agent's trials, are warned of."
        )
    return tuple(MethodNote(topic=topic, text=text) for topic, text in notes.items())
