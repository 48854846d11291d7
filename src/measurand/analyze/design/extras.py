"""Beside the designs: other differences, what trials say of one task, and looks before the end."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from measurand.analyze.design.records import (
    CertifyTrials,
    LookPlan,
    LooksPlan,
    RateTrials,
    Scenario,
    TrialsRow,
)
from measurand.infer.design.planning import to_show
from measurand.infer.design.sequential import spending_boundaries
from measurand.infer.design.trial_counts import (
    best_of_bias,
    chance_of_unanimity,
    share_half_width,
    trials_for_share,
    trials_to_certify,
    wrong_order,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.design.designs import Question
    from measurand.analyze.design.records import Design
    from measurand.analyze.records import Estimate
    from measurand.infer.design.variance_components import VarianceComponents

__all__ = ["certify_trials", "looks_plan", "rate_trials", "scenarios", "tasks_alone", "trials_rows"]

_HALF_WIDTHS = (0.3, 0.2, 0.1, 0.05)
_CONSISTENCIES = (0.75, 0.9, 0.95)
_LEAST_LEVEL = 1e-6
"""Resampling tells no smaller p-value than this."""


def scenarios(question: Question, best: Design, observed: Estimate) -> tuple[Scenario, ...]:
    """Tasks at the best design's trials if the true difference is the pilot's own, or an end of its interval."""
    if observed.value is None:
        return ()
    sign = math.copysign(1.0, observed.value)
    ends = [end if end is None else sign * end for end in (observed.low, observed.value, observed.high)]
    low, middle, high = ends if sign > 0 else reversed(ends)
    named = (("lower end", low), ("observed", middle), ("upper end", high))
    return tuple(
        _scenario(question, best, what, difference) for what, difference in named if difference is not None
    )


def _scenario(question: Question, best: Design, what: str, difference: float) -> Scenario:
    if difference <= 1e-6 * best.sd:
        reason = "the pilot's interval reaches 0: no number of tasks would show that"
        return Scenario(difference=difference, tasks=None, what=what, reason=reason)
    return Scenario(difference=difference, tasks=question.tasks(best.trials, difference), what=what)


def tasks_alone(question: Question, best: Design, *, level: float, power: float) -> int | None:
    """Tasks at the best design's trials if the two are one pair named beforehand; ``None`` where they are."""
    if question.m is None or question.m == 2:
        return None
    alone = replace(
        question,
        need=to_show(question.need.size, 2, level=level, power=power),
        m=2,
    )
    return alone.tasks(best.trials)


def trials_rows(
    numbers: Sequence[int],
    components: VarianceComponents,
    *,
    share: bool,
    level: float,
    difference: float | None,
) -> tuple[TrialsRow, ...]:
    """What each number of trials says of one task, of the order, and of the best of several runs of the suite."""
    n, within, first = components.n, components.within, components.within_each[0]
    return tuple(
        TrialsRow(
            trials=k,
            half_width=share_half_width(k, level=1 - level) if share else None,
            unanimous=chance_of_unanimity(0.9, k) if share else None,
            wrong_order=None
            if within is None or difference is None
            else wrong_order(difference, within / (n * k)),
            best_of_bias=None if first is None else best_of_bias(k) * math.sqrt(first / n),
        )
        for k in sorted(set(numbers))
    )


def rate_trials(level: float) -> tuple[RateTrials, ...]:
    """Trials that give one task's pass rate with some half-widths (SPEC 15)."""
    found = [trials_for_share(half_width, level=1 - level) for half_width in _HALF_WIDTHS]
    return tuple(RateTrials(half_width=row.half_width, wilson=row.wilson, wald=row.wald) for row in found)


def certify_trials(level: float) -> tuple[CertifyTrials, ...]:
    """Trials that show some levels of consistency, when all end alike (SPEC 3)."""
    return tuple(
        CertifyTrials(consistency=consistency, trials=trials_to_certify(consistency, level=level))
        for consistency in _CONSISTENCIES
    )


def looks_plan(question: Question, best: Design, *, level: float, power: float) -> LooksPlan | None:
    """Stop rule for the best design; ``None`` without looks."""
    if question.goal.looks is None:
        return None
    bounds = spending_boundaries(
        question.goal.looks, m=question.m or 2, level=level, power=power, spending=question.goal.spending
    )
    most = math.ceil(best.tasks * bounds.inflation - 1e-9)
    looks = []
    for look in bounds.looks:
        tasks = math.ceil(most * look.fraction - 1e-9)
        looks.append(
            LookPlan(
                fraction=look.fraction,
                tasks=tasks,
                critical=look.critical if math.isfinite(look.critical) else None,
                level=look.level,
                spent=look.spent * level,
                can_stop=look.level >= max(_LEAST_LEVEL, 2.0 ** (1 - tasks)),
            )
        )
    return LooksPlan(
        spending=bounds.spending,
        looks=tuple(looks),
        most_tasks=most,
        inflation=bounds.inflation,
        expected_tasks=most * bounds.expected,
        expected_tasks_null=most * bounds.expected_null,
        method=bounds.method,
    )
