"""A second verdict of which only counts are published: passes of each agent before and after."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.records import Estimate
from measurand.analyze.settings import Settings
from measurand.analyze.verifiers.correction import from_interval
from measurand.analyze.verifiers.notes import verdict_findings, verdict_methods
from measurand.analyze.verifiers.order import Ranked, no_tiers, order_change
from measurand.analyze.verifiers.records import SecondVerdicts, VerdictErrors, VerdictRow
from measurand.errors import InputError, UsageError
from measurand.infer.means.intervals import wilson
from measurand.infer.verifiers.verdicts import equal_shares
from measurand.model.trial import UNNAMED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.model.verdicts import VerdictCounts

__all__ = ["counted_verdicts"]

_NO_TASKS = "tiers need outcomes per task; here are counts only"


def counted_verdicts(
    counts: Sequence[VerdictCounts],
    settings: Settings | None = None,
    *,
    suite: str | None = None,
    second: str | None = None,
    command: str | None = None,
) -> SecondVerdicts:
    """Say what a second verdict rejects, from counts of passes alone.

    Args:
        counts: one row an agent; see :func:`measurand.load.read_verdict_counts`.
        settings: level, resamples and seed.
        suite: name of the suite.
        second: what the second verdict is called.
        command: the command that reproduces this.

    Returns:
        Rejected shares, reversals and the random-removal band. Tiers, and rates corrected for a sample, are not
        available: they need outcomes per task.

    Raises:
        UsageError: there is no agent, or an agent twice.
        InputError: the number of tasks is known of some agents only.

    Source: SPEC 13c.
    """
    settings = settings or Settings()
    names = [row.agent for row in counts]
    if not names or len(set(names)) < len(names):
        raise UsageError("the counts name no agent, or one twice", hint="give one row an agent")
    sized = [row for row in counts if row.tasks]
    if sized and len(sized) < len(counts):
        without = next(row.agent for row in counts if not row.tasks)
        raise InputError(
            f"the number of tasks is known of {len(sized)} of {len(counts)} agents, not of {without!r}",
            hint="complete the column, or say it with --tasks-total",
        )
    counts = sorted(counts, key=lambda row: row.agent)
    ordered = sorted(counts, key=lambda row: (-row.first / (row.tasks or 1), row.agent))
    enough = [row for row in ordered if row.first - row.checked <= settings.missing_limit * row.first]
    ranked = _ranked(enough)
    left_out = [row.agent for row in ordered if row not in enough]
    rows = _rows(sorted(ordered, key=lambda row: row not in enough), ranked, 1 - settings.level)
    shares = [row.rejected_share.value for row in rows if row.rejected_share.value is not None]
    tasks = {row.tasks for row in counts}
    found = SecondVerdicts(
        first_name="first",
        second_name=second or "second",
        counts_only=True,
        n_tasks=tasks.pop() if len(tasks) == 1 else None,
        agents=rows,
        median_share=median(shares) if shares else None,
        lowest_share=min(shares, default=None),
        highest_share=max(shares, default=None),
        n_shares=len(shares),
        shares_p=equal_shares(
            [(row.checked - row.second) / max(row.checked, 1) for row in counts],
            [row.checked for row in counts],
            resamples=settings.resamples,
            rng=settings.seed,
        ).p,
        resamples=settings.resamples,
        order=order_change(ranked, left_out, settings),
        tiers=no_tiers(ranked.names, _NO_TASKS, settings),
        errors=_errors(counts),
        suite=suite or UNNAMED,
        suite_version=None,
        comparable=True,
        others=(),
        findings=(),
        methods=(),
        command=command,
    )
    return _described(found, settings)


def _described(found: SecondVerdicts, settings: Settings) -> SecondVerdicts:
    from msgspec.structs import replace

    return replace(
        found,
        findings=verdict_findings(found, settings, failures=False),
        methods=verdict_methods(found, settings),
    )


def _ranked(rows: Sequence[VerdictCounts]) -> Ranked:
    sizes = np.array([row.tasks or 1 for row in rows], dtype=np.float64)
    passes = np.array([row.first for row in rows], dtype=np.int64)
    stand = np.array([row.first - row.checked + row.second for row in rows], dtype=np.float64)
    return Ranked(
        names=tuple(row.agent for row in rows),
        columns=tuple(range(len(rows))),
        first=passes / sizes,
        second=stand / sizes,
        passes=passes[None, :],
        worth=1 / sizes[None, :],
        rejected=sum(row.checked - row.second for row in rows),
        checked=sum(row.checked for row in rows),
    )


def _rows(rows: Sequence[VerdictCounts], ranked: Ranked, level: float) -> tuple[VerdictRow, ...]:
    before, after = ranked.ranks
    return tuple(
        VerdictRow(
            agent=row.agent,
            passes=row.first,
            checked=row.checked,
            rejected=row.checked - row.second,
            rejected_share=from_interval(wilson(row.checked - row.second, row.checked, level=level)),
            first=_rate(row.first, row.tasks, level),
            second=_rate(row.first - row.checked + row.second, row.tasks, level)
            if row.agent in before
            else Estimate(value=None, reason=f"{row.checked} of {row.first} passes were re-checked"),
            second_low=row.second / row.tasks if row.tasks and row.agent in before else None,
            rank_first=before.get(row.agent),
            rank_second=after.get(row.agent),
            tier_first=None,
            tier_second=None,
            corrected=None,
        )
        for row in rows
    )


def _rate(passes: int, tasks: int | None, level: float) -> Estimate:
    if not tasks:
        return Estimate(value=None, reason="nobody says how many tasks there are")
    return from_interval(wilson(passes, tasks, level=level))


def _errors(counts: Sequence[VerdictCounts]) -> VerdictErrors:
    tasks = [row.tasks for row in counts if row.tasks]
    passes = sum(row.first for row in counts)
    return VerdictErrors(
        passes=passes,
        passes_checked=sum(row.checked for row in counts),
        passes_rejected=sum(row.checked - row.second for row in counts),
        fails=sum(tasks) - passes if tasks else None,
        fails_checked=0,
        fails_accepted=0,
        sensitivity=None,
        specificity=None,
        sensitivity_assumed=False,
        failures_used=False,
        design=None,
        reason=None,
    )
