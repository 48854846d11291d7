"""A test of a family as a record: pairs and tiers by name, with what they rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from measurand.analyze.means import count_units, ranking_means, unit_name
from measurand.analyze.records import FEW_UNITS, Estimate, PairRow, TierRow, TierTest
from measurand.analyze.tiering.detection import detectable
from measurand.infer.differences.exact import exact_pair_p
from measurand.infer.differences.simultaneous import Simultaneous, simultaneous
from measurand.score.names import SHARES
from measurand.wording import upper_first

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats, Grid
    from measurand.analyze.records import NullRow
    from measurand.analyze.settings import Settings
    from measurand.infer.differences.permutation import MaxT
    from measurand.infer.differences.tiers import Tiers

__all__ = ["Question", "answer", "no_answer"]

_INTERVAL_RESAMPLES: Final = 10_000
"""Sign flips behind the width of the intervals; more change its second decimal at most."""


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
    agreement: tuple[NullRow, ...] = (),
) -> TierTest:
    """Record what the test found.

    Args:
        question: what was asked; its family is in the order of ``result``.
        result: the test.
        shown: the tiers, or ``None`` where even they would say too much.
        family: the agents in the order of ``shown``, where that differs.
        notes: sentences that a reader needs.
        agreement: what it finds under each null.
    """
    family = family or question.names
    intervals = simultaneous(
        question.table,
        result,
        families=question.grid.families,
        resamples=min(question.settings.resamples, _INTERVAL_RESAMPLES),
        rng=question.settings.seed,
    )
    record = _record(
        question,
        result,
        family=family,
        pairs=_pairs(question, result, intervals),
        tiers=_tier_rows(shown, family) if shown else (),
        notes=notes,
        reason=result.reason,
        detectable=_detectable(question, result),
    )
    return msgspec.structs.replace(
        record,
        agreement=agreement,
        interval_level=intervals.level,
        critical_value=intervals.critical_value,
    )


def _detectable(question: Question, result: MaxT) -> Estimate:
    families = question.grid.families
    if result.reason is not None:
        n = count_units(families, len(question.table))
        return Estimate(value=None, n=n, reason=_sentence(result.reason))
    errors = result.difference_error if families is None else None
    return detectable(
        question.table, families, question.settings, share=question.score in SHARES, errors=errors
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
        null=question.settings.null,
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


def _pairs(question: Question, result: MaxT, intervals: Simultaneous) -> tuple[PairRow, ...]:
    names = question.names
    few = result.n_units < FEW_UNITS
    exact = exact_pair_p(question.table, families=question.grid.families) if few else None
    rows = []
    for number, (i, j) in enumerate(result.pairs.tolist()):
        difference, t = float(result.mean_difference[number]), float(result.t[number])
        better, worse = (i, j) if difference >= 0 else (j, i)
        most = 1.0 if question.score in SHARES else math.inf
        low, high = _ends(intervals, number, turned=difference < 0, most=most)
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
                low=low,
                high=high,
                reason=intervals.reasons[number],
                p_exact=None if exact is None else float(exact[number]),
            )
        )
    return tuple(rows)


def _ends(
    intervals: Simultaneous, number: int, *, turned: bool, most: float
) -> tuple[float | None, float | None]:
    """Ends of the interval of a difference, or of the opposite difference, no larger than differences can be."""
    if intervals.reasons[number] is not None:
        return None, None
    low, high = float(intervals.low[number]), float(intervals.high[number])
    low, high = (0.0 - high, 0.0 - low) if turned else (low, high)
    return max(low, -most), min(high, most)


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
