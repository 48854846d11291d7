"""A second verdict on the same trials: how many passes it rejects, and what that does to order and tiers."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from measurand.analyze.estimates import estimates
from measurand.analyze.findings import findings
from measurand.analyze.means import ranking_means
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.records import SEVERITIES, Estimate, Finding
from measurand.analyze.settings import Choice, Settings
from measurand.analyze.verifiers.cells import CrossedCells, crossed_cells
from measurand.analyze.verifiers.correction import correct, from_interval
from measurand.analyze.verifiers.notes import verdict_findings, verdict_methods
from measurand.analyze.verifiers.order import Ranked, order_change, ranked_cells, tier_change
from measurand.analyze.verifiers.records import SecondVerdict, SecondVerdicts, TierChange, VerdictRow
from measurand.errors import UsageError
from measurand.infer.verifiers.verdicts import effective_passes, equal_shares, rejection_share
from measurand.model.verdicts import verdict_names
from measurand.score.names import GATE
from measurand.wording import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.cells import Grid
    from measurand.analyze.verifiers.correction import Correction
    from measurand.model.table import Trials

__all__ = ["second_verdict_of", "second_verdicts", "tiers_by_agent", "verdicts_of"]


def second_verdicts(
    trials: Trials,
    second: str | None = None,
    choice: Choice | None = None,
    settings: Settings | None = None,
    *,
    first: str = GATE,
    failures: bool = False,
    command: str | None = None,
) -> SecondVerdicts:
    """Say what a second verdict rejects, and what is left of the order and the tiers.

    Args:
        trials: what was recorded, with further verdicts (see :func:`measurand.load.add_verdicts`).
        second: name of the second verdict; needed only where the data have several.
        choice: which rows; all when left out.
        settings: how they are judged.
        first: the first verdict: ``gate``, or the name of a further one.
        failures: whether the second verdict judged failed trials as fully as passes, so that wrong rejects are corrected
            too. Otherwise what it says of failures is counted and not used.
        command: the command that reproduces this.

    Returns:
        Rejected shares, reversals, tiers before and after, and corrected rates where a sample only was re-checked.

    Raises:
        InputError: there are no trials, or rows that must not be ranked together.
        UsageError: a suite, agent or verdict that is not there, or several further verdicts and none named.

    Source: SPEC 13c and 20, several verdicts.
    """
    choice, settings = choice or Choice(), settings or Settings()
    prepared = prepare(trials, choice, settings)
    names = verdict_names(prepared.scored)
    part = second_verdict_of(
        prepared, settings, _chosen(second, first, names), first=first, failures=failures
    )
    data = findings(trials, prepared.selection, prepared.scored, prepared.grid, settings)
    own = verdict_findings(part, settings, failures=failures)
    return SecondVerdicts(
        **{name: getattr(part, name) for name in part.__struct_fields__},
        suite=prepared.selection.suite,
        suite_version=prepared.selection.version,
        comparable=prepared.selection.comparable,
        others=tuple(name for name in names if name not in {part.first_name, part.second_name}),
        findings=_gravest_first((*own, *data)),
        methods=verdict_methods(part, settings),
        command=command,
    )


def _gravest_first(found: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def _chosen(second: str | None, first: str, names: Sequence[str]) -> str:
    """Name of the second verdict: the one asked for, or the only one there is."""
    if second == first:
        raise UsageError(f"{second!r} is both the first and the second verdict", hint="name two")
    if second is not None:
        return second
    left = [name for name in names if name != first]
    if not left:
        raise UsageError(
            "no trial has a second verdict",
            hint="give one with --map verdict:NAME=COLUMN, a column verdict:NAME, or --second-verdicts FILE",
        )
    if len(left) > 1:
        raise UsageError(
            f"there are {len(left)} further verdicts", hint=f"choose one with --second: {listed(left, 20)}"
        )
    return left[0]


def verdicts_of(prepared: Prepared, settings: Settings) -> tuple[SecondVerdict, ...]:
    """Judge every further verdict of the data against the gate; empty where there is none."""
    return tuple(second_verdict_of(prepared, settings, name) for name in verdict_names(prepared.scored))


def second_verdict_of(
    prepared: Prepared, settings: Settings, second: str, *, first: str = GATE, failures: bool = False
) -> SecondVerdict:
    """Judge one verdict against another; arguments as for :func:`second_verdicts`."""
    grid = prepared.grid
    cells = crossed_cells(prepared, first, second)
    ranked = ranked_cells(grid, cells, settings)
    left_out = [agent for agent in grid.agents if agent not in set(ranked.names)]
    tiers = tier_change(grid, cells, ranked, settings)
    correction = correct(grid, cells, settings, failures=failures)
    rows = _rows(grid, cells, ranked, tiers, (correction, settings))
    shares = [row.rejected_share.value for row in rows if row.rejected_share.value is not None]
    return SecondVerdict(
        first_name=first,
        second_name=second,
        counts_only=False,
        n_tasks=len(grid.tasks),
        agents=rows,
        median_share=median(shares) if shares else None,
        lowest_share=min(shares, default=None),
        highest_share=max(shares, default=None),
        n_shares=len(shares),
        shares_p=_shares_p(grid, cells, settings),
        resamples=settings.resamples,
        order=order_change(ranked, left_out, settings),
        tiers=tiers,
        errors=correction.errors,
    )


def _shares_p(grid: Grid, cells: CrossedCells, settings: Settings) -> float | None:
    """Whether agents' passes are rejected with one chance."""
    rejected, checked = cells.rejected, cells.checked
    numbers = [
        effective_passes(rejected[:, i], checked[:, i], families=grid.families)
        for i in range(len(grid.agents))
    ]
    shares = rejected.sum(axis=0) / np.maximum(checked.sum(axis=0), 1)
    return equal_shares(shares, numbers, resamples=settings.resamples, rng=settings.seed).p


def _rows(
    grid: Grid,
    cells: CrossedCells,
    ranked: Ranked,
    tiers: TierChange,
    done: tuple[Correction, Settings],
) -> tuple[VerdictRow, ...]:
    correction, settings = done
    first, second = (
        estimates(part.planned, grid.families, settings, share=True) for part in (cells.first, cells.second)
    )
    means = np.nan_to_num(ranking_means(cells.first.planned), nan=-np.inf)
    inside = set(ranked.columns)
    order = sorted(range(len(grid.agents)), key=lambda i: (i not in inside, -means[i], grid.agents[i]))
    ranks_first, ranks_second = ranked.ranks
    tiers_first, tiers_second = tiers_by_agent(tiers)
    lowest = ranking_means(cells.lowest)
    rows = []
    for i in order:
        agent = grid.agents[i]
        known = agent in ranks_first
        share = rejection_share(
            cells.rejected[:, i], cells.checked[:, i], families=grid.families, level=1 - settings.level
        )
        passes, checked = int(cells.passes[:, i].sum()), int(cells.checked[:, i].sum())
        rows.append(
            VerdictRow(
                agent=agent,
                passes=passes,
                checked=checked,
                rejected=int(cells.rejected[:, i].sum()),
                rejected_share=from_interval(share),
                first=first[i],
                second=second[i] if known else _too_few(passes, checked),
                second_low=float(lowest[i]) if known else None,
                rank_first=ranks_first.get(agent),
                rank_second=ranks_second.get(agent),
                tier_first=tiers_first.get(agent),
                tier_second=tiers_second.get(agent),
                corrected=correction.rates[i],
            )
        )
    return tuple(rows)


def _too_few(passes: int, checked: int) -> Estimate:
    return Estimate(value=None, reason=f"{checked} of {passes} passes were re-checked")


def tiers_by_agent(tiers: TierChange) -> tuple[dict[str, int], dict[str, int]]:
    """Tier of each agent before and after."""
    first, second = (
        {agent: row.tier for row in rows for agent in row.agents} for rows in (tiers.first, tiers.second)
    )
    return first, second
