"""A test of a family as a record: pairs and tiers by name, with what they rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.detection import detectable
from measurand.analyze.means import count_units, ranking_means, unit_name
from measurand.analyze.records import Estimate, PairRow, TierRow, TierTest
from measurand.score.names import SHARES
from measurand.wording import upper_first

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats, Grid
    from measurand.analyze.settings import Settings
    from measurand.infer.permutation import MaxT
    from measurand.infer.tiers import Tiers

__all__ = ["Question", "answer", "no_answer"]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What is asked: which of these agents differ under this score?"""

    grid: Grid
    score: str
    family: tuple[int, ...]
    """Columns of the grid, best first."""
    table: Floats
    """Tasks × agents of the family."""
    settings: Settings

    @property
    def names(self) -> tuple[str, ...]:
        """The agents of the family."""
        return tuple(self.grid.agents[i] for i in self.family)

    @property
    def missing_share(self) -> float:
        """Share of the cells that are missing."""
        return float(np.isnan(self.table).mean()) if self.table.size else 0.0


def no_answer(question: Question, reason: str) -> TierTest:
    """Record that the test was not run."""
    return _record(question, None, reason=reason, detectable=Estimate(value=None, reason=_sentence(reason)))


def answer(
    question: Question,
    result: MaxT,
    shown: Tiers | None,
    *,
    family: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
) -> TierTest:
    """Record what the test found.

    Args:
        question: what was asked; its family is in the order of ``result``.
        result: the test.
        shown: the tiers, or ``None`` where even they would say too much.
        family: the agents in the order of ``shown``, where that differs.
        notes: sentences that a reader needs.
    """
    family = family or question.names
    share = question.score in SHARES
    return _record(
        question,
        result,
        family=family,
        pairs=_pairs(result, question.names),
        tiers=_tier_rows(shown, family) if shown else (),
        notes=notes,
        reason=result.reason,
        detectable=detectable(question.table, question.grid.families, question.settings, share=share),
    )


def _record(
    question: Question,
    result: MaxT | None,
    *,
    detectable: Estimate,
    reason: str | None,
    family: tuple[str, ...] | None = None,
    pairs: tuple[PairRow, ...] = (),
    tiers: tuple[TierRow, ...] = (),
    notes: tuple[str, ...] = (),
) -> TierTest:
    grid = question.grid
    means = ranking_means(question.table).tolist() if result else []
    return TierTest(
        score=question.score,
        family=family or question.names,
        null=result.null if result else "signs",
        method=result.method if result else "not run",
        level=question.settings.level,
        n_tasks=len(grid.tasks),
        n_units=count_units(grid.families, len(grid.tasks)),
        unit=unit_name(grid.families),
        n_pairs=math.comb(len(question.family), 2),
        n_significant=result.n_significant if result else 0,
        resamples=result.resamples if result else 0,
        exact=result.exact if result else False,
        seed=question.settings.seed,
        max_standard_error=float(result.standard_error.max(initial=0.0)) if result else 0.0,
        missing_cells=int(np.isnan(question.table).sum()),
        spread=means[0] - means[-1] if len(means) > 1 else None,
        largest_gap=max((a - b for a, b in pairwise(means)), default=None),
        detectable=detectable,
        pairs=pairs,
        tiers=tiers,
        notes=notes,
        reason=None if reason is None else _sentence(reason),
    )


def _sentence(text: str) -> str:
    return f"{upper_first(text).rstrip('.')}."


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
