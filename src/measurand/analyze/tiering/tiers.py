"""Tiers of the head of the standings: every pair with its interval, and how far the null distributions agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from measurand.analyze.comparability import fingerprint
from measurand.analyze.estimates import estimates
from measurand.analyze.findings import findings
from measurand.analyze.means import ranking_means
from measurand.analyze.methods import tier_methods
from measurand.analyze.prepare import prepare
from measurand.analyze.records import Estimate, Finding, MethodNote, TierTest
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.separation import Separation, separate
from measurand.score.names import SHARES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from measurand.analyze.cells import Floats
    from measurand.model.table import Trials

__all__ = ["TierBoard", "TieredAgent", "tiers"]


class TieredAgent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent of the tested family, with what the significant pairs say of it."""

    agent: str
    rank: int
    """By the mean; equal means share a rank."""
    mean: Estimate
    tier: int | None
    """``None``, as all that follows, where the test gives no answer."""
    letters: str | None
    """Agents that share a letter were not shown to differ."""
    rank_low: int | None
    rank_high: int | None
    possible_best: bool | None


class TierBoard(msgspec.Struct, frozen=True, kw_only=True):
    """Which agents really differ under one score, by the null asked for and beside it by the others."""

    suite: str
    suite_version: str | None
    score: str
    comparable: bool
    """False when rows of differing fingerprints were ranked at the user's explicit wish."""
    n_agents: int
    """Agents of the suite; those tested are in ``agents``."""
    n_tasks: int
    n_trials: int
    agents: tuple[TieredAgent, ...]
    """The tested family, best first."""
    test: TierTest
    findings: tuple[Finding, ...]
    methods: tuple[MethodNote, ...]
    command: str | None


def tiers(
    trials: Trials,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    command: str | None = None,
) -> TierBoard:
    """Test all pairs of the head of the standings under one score, by every null distribution.

    Args:
        trials: what was recorded.
        choice: which rows; all when left out.
        settings: how they are judged; ``top`` is the size of the family and ``null`` the null that is shown.
        command: the command that reproduces this.

    Returns:
        The tested agents with tier, letters and range of ranks; all pairs with adjusted p and simultaneous interval,
        which never contradict each other; and what the other nulls find. Where nothing can be concluded the places are
        ``None`` and ``test.reason`` says why.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite, agent or score that is not there; the null "labels" where cells are missing.

    Source: SPEC 12.

    Example:
        >>> import polars as pl, measurand
        >>> rows = [(a, f"t{t}", t < n) for a, n in (("ada", 20), ("bob", 2)) for t in range(20)]
        >>> table = pl.DataFrame(rows, schema=["agent", "task", "passed"], orient="row")
        >>> found = measurand.tiers(measurand.read(table))
        >>> [(one.agent, one.tier, one.letters) for one in found.agents]
        [('ada', 1, 'a'), ('bob', 2, 'b')]
        >>> [(row.null, row.n_significant) for row in found.test.agreement][:2]
        [('signs', 1), ('labels', 1)]
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    selection, scored, grid, scores = prepared
    score = scores[0]
    cells = grid.cells(score)
    tested = separate(grid, cells, score, settings, every_null=True)
    columns = list(tested.family)
    means = estimates(cells.planned[:, columns], grid.families, settings, share=score in SHARES)
    return TierBoard(
        suite=selection.suite,
        suite_version=selection.version,
        score=score,
        comparable=selection.comparable,
        n_agents=len(grid.agents),
        n_tasks=len(grid.tasks),
        n_trials=scored.height,
        agents=_agents(tested, means, _ranks(cells.planned)[columns]),
        test=tested.record,
        findings=findings(trials, selection, scored, grid, settings),
        methods=tier_methods(settings, tested.record, fingerprint=fingerprint(scored)),
        command=command,
    )


def _ranks(table: Floats) -> NDArray[np.intp]:
    """Rank of each agent among all of the suite, tested or not."""
    means = np.nan_to_num(ranking_means(table), nan=-np.inf)
    ranks: NDArray[np.intp] = 1 + np.searchsorted(np.sort(-means), -means, side="left")
    return ranks


def _agents(tested: Separation, means: list[Estimate], ranks: NDArray[np.intp]) -> tuple[TieredAgent, ...]:
    """Name what the test says of each agent of the family."""
    shown = tested.tiers
    return tuple(
        TieredAgent(
            agent=agent,
            rank=int(ranks[place]),
            mean=means[place],
            tier=shown.tier[place] if shown else None,
            letters=shown.letters[place] if shown and shown.letters else None,
            rank_low=shown.rank_low[place] if shown else None,
            rank_high=shown.rank_high[place] if shown else None,
            possible_best=place in shown.possible_best if shown else None,
        )
        for place, agent in enumerate(tested.record.family)
    )
