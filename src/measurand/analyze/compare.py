"""Two agents side by side: the paired difference, and what it allows to say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from measurand.analyze.claims.pairing import discordance, margin_answer, pair_methods, pair_of, pair_test
from measurand.analyze.claims.regressions import regressions_of
from measurand.analyze.claims.timing import Times, timing, timing_finding, with_timing
from measurand.analyze.comparison import Comparison, TaskDifference
from measurand.analyze.cost.exchange_pair import exchange_of_pair
from measurand.analyze.estimates import estimates
from measurand.analyze.findings import findings
from measurand.analyze.means import unit_name
from measurand.analyze.meters import meters
from measurand.analyze.methods import compare_methods
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.select import unknown_name
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.tiering.detection import detectable, tested_interval
from measurand.errors import UsageError
from measurand.infer.design.power import exact_sign_p
from measurand.wording import listed, plural

if TYPE_CHECKING:
    from measurand.analyze.cells import Floats
    from measurand.analyze.records import Estimate
    from measurand.infer.differences.permutation import MaxT
    from measurand.model.table import Trials

__all__ = ["compare"]

_SHOWN: Final = 10


def compare(
    trials: Trials,
    a: str,
    b: str,
    *,
    choice: Choice | None = None,
    settings: Settings | None = None,
    margin: float | None = None,
    command: str | None = None,
) -> Comparison:
    """Compare agents ``a`` and ``b`` on the tasks that both have, task by task.

    Args:
        trials: what was recorded.
        a: name of an agent, or a pattern that fits one; the new version, where there is one.
        b: name of another agent; the baseline.
        choice: which rows; ``agents`` is replaced by the two.
        settings: how they are judged.
        margin: largest loss of a against b that does not matter, declared beforehand, in units of the score (0.02 of a
            share is 2 points). Without it nothing is said of an agent being no worse.
        command: the command that reproduces this.

    Returns:
        The paired difference a minus b with its interval, test, discordant tasks and a sentence that says what can
        be concluded; the answer on the margin, single tasks on which a is worse, and whether the two were run at the
        same time.

    Raises:
        UsageError: an agent that is not there, or the same twice, or a margin that is none.
        ComparabilityError: the two were measured with different things.
    """
    choice, settings = choice or Choice(), settings or Settings()
    both = replace(choice, agents=(a, b))
    prepared = prepare(trials, both, settings)
    first, second = _places(prepared, a, b, sorted(trials.frame["agent"].unique()))
    grid, score = prepared.grid, prepared.scores[0]
    pair = pair_of(grid, grid.cells(score).planned, score, first, second)
    test, d = pair_test(pair, settings), pair.difference
    mean_a, mean_b = estimates(pair.table, pair.families, settings, share=pair.share)
    difference = tested_interval(d, test, pair.families, share=pair.share)
    spent = meters(prepared.scored)
    when = timing(Times(prepared.scored), pair.a, pair.b)
    data = findings(trials, prepared.selection, prepared.scored, grid, settings)
    single = regressions_of(grid, first, second, settings.level)
    answer = None if margin is None else margin_answer(pair, margin, settings)
    return Comparison(
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        score=score,
        a=pair.a,
        b=pair.b,
        comparable=prepared.selection.comparable,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=difference,
        t=float(test.t[0]) if math.isfinite(test.t[0]) else None,
        p=float(test.p_adjusted[0]),
        method=test.method,
        level=settings.level,
        resamples=test.resamples,
        exact=test.exact,
        seed=settings.seed,
        n_tasks=len(pair.tasks),
        n_units=test.n_units,
        unit=unit_name(pair.families),
        a_better=int((d > 0).sum()),
        b_better=int((d < 0).sum()),
        equal=int((d == 0).sum()),
        p_discordant=_mcnemar(pair.table, d) if pair.families is None else None,
        least_attainable_p=float(test.least_attainable_p[0]),
        detectable=detectable(pair.table, pair.families, settings, share=pair.share),
        conclusion=_conclusion(pair.a, pair.b, test, difference),
        largest=_largest(pair.tasks, pair.table, d),
        exchange=exchange_of_pair(prepared, pair.a, pair.b, settings),
        meters_a=spent.get(pair.a, ()),
        meters_b=spent.get(pair.b, ()),
        findings=with_timing(data, timing_finding([when])),
        methods=(
            *compare_methods(settings, test.method, unit_name(pair.families)),
            *pair_methods(answer, single, timed=when.reason is None),
        ),
        command=command,
        discordance=discordance(int(test.discordant[0]), settings.level),
        margin=answer,
        regressions=single,
        timing=when,
    )


def _places(prepared: Prepared, a: str, b: str, names: list[str]) -> tuple[int, int]:
    """Columns of the two agents that ``a`` and ``b`` name; a pattern may also fit the agent that the other names."""
    fits = prepared.selection.fits
    if a == b or (fits[a] == fits[b] and len(fits[a]) == 1):
        raise UsageError(f"{a!r} and {b!r} are one agent", hint="name two")
    columns = []
    for name, other in ((a, b), (b, a)):
        if not fits[name]:
            raise unknown_name("agent", name, names)
        taken = fits[other] if len(fits[other]) == 1 else ()
        left = [agent for agent in fits[name] if agent not in taken]
        if len(left) > 1:
            raise UsageError(f"{name!r} fits {plural(len(left), 'agent')}: {listed(left)}", hint="name one")
        columns.append(prepared.grid.agents.index(left[0]))
    return columns[0], columns[1]


def _mcnemar(table: Floats, d: Floats) -> float | None:
    """Exact p from the discordant tasks, where every cell is one pass or fail."""
    if not table.size or not ((table == 0) | (table == 1)).all():
        return None
    return exact_sign_p(int((d > 0).sum()), int((d < 0).sum()))


def _conclusion(a: str, b: str, test: MaxT, difference: Estimate) -> str:
    if test.reason is not None or difference.value is None:
        return f"Nothing can be concluded: {test.reason or difference.reason}."
    p = float(test.p_adjusted[0])
    if p > test.level:
        return f"{a} and {b} were not shown to differ (p = {p:.3g}); this does not show that they are equal."
    better, worse = (a, b) if difference.value > 0 else (b, a)
    return f"{better} is better than {worse} at the {test.level:.0%} level (p = {p:.3g})."


def _largest(tasks: tuple[str, ...], table: Floats, d: Floats) -> tuple[TaskDifference, ...]:
    size = np.abs(d)
    order = np.argsort(-size, kind="stable")[:_SHOWN]
    return tuple(
        TaskDifference(task=tasks[i], a=float(table[i, 0]), b=float(table[i, 1]))
        for i in order
        if size[i] > 0
    )
