"""Means of rewards and scores: Harbor (Terminal-Bench 2), OSWorld, WeirdML; and pass^k of tau-bench."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.analyze.headlines.records import COUNT, SHARE, Headline, Tally
from measurand.analyze.headlines.rows import PASSED, Group, groups, judged, rounding
from measurand.infer.repeats.passk import pass_all, pass_at
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from measurand.model.imports import Declaration

__all__ = ["harbor", "osworld", "tau", "weirdml"]

_MOST: Final = 16
"""Largest k that pass^k and pass@k are computed for."""


def _mean(group: Group, name: str, note: str) -> Headline:
    """Mean score over all trials, one without a score as 0."""
    scores = group.rows["official_score"]
    missing = scores.null_count()
    told = f"{note}; {missing} of {group.rows.height} without a score count as 0" if missing else note
    return Headline(
        agent=group.agent,
        name=name,
        value=float(scores.sum()) / group.rows.height,
        unit=SHARE,
        n=group.rows.height,
        note=told,
        suite=group.suite,
        part=group.part,
        tally=Tally(float(scores.sum()), group.rows.height, missing, whole=False),
        rounding=rounding(scores),
    )


def harbor(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Mean reward over all planned trials, and pass@k: of each job, and of all jobs."""
    note = "mean reward over all planned trials, one without a reward as 0"
    found = []
    for group in [*groups(judged(frame)), *groups(judged(frame), "job")]:
        found.append(_mean(group, "mean reward", note))
        found.append(_with_reward(group))
        found += _of_choices(group, "pass@{k}", pass_at, "a trial without a verdict counts as failed")
    return found


def _with_reward(group: Group) -> Headline:
    return Headline(
        agent=group.agent,
        name="trials with a reward",
        value=float(group.rows["official_score"].count()),
        unit=COUNT,
        n=group.rows.height,
        suite=group.suite,
        part=group.part,
        beside=True,
    )


def osworld(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Mean of scores, which may be fractions."""
    note = "mean of the scores (fractions count) over the tasks at hand; published runs differ in how many tasks they hold"
    return [_mean(group, "mean score", note) for group in groups(frame)]


def weirdml(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Mean over tasks of the mean accuracy of a task's runs."""
    found = []
    for group in groups(frame):
        means = group.rows.group_by("task", maintain_order=True).agg(
            pl.col("official_score").fill_null(0.0).mean()
        )
        found.append(
            Headline(
                agent=group.agent,
                name="average accuracy",
                value=float(means["official_score"].sum()) / means.height,
                unit=SHARE,
                n=means.height,
                note="mean over tasks of the mean accuracy of their runs",
                suite=group.suite,
                rounding=rounding(group.rows["official_score"]),
            )
        )
    return found


def tau(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """pass^k: the chance that k trials of a task all pass, C(c, k)/C(n, k), averaged over tasks."""
    found = []
    for group in groups(judged(frame)):
        known = group.rows.filter(pl.col(PASSED).is_not_null())
        left = group.rows.height - known.height
        note = "mean over tasks of C(c, k)/C(n, k)"
        if left:
            note += f"; {plural(left, 'trial')} without a verdict left out"
        found += _of_choices(group._replace(rows=known), "pass^{k}", pass_all, note)
    return found


def _of_choices(
    group: Group, name: str, chance: Callable[[int, int, int], float | None], note: str
) -> list[Headline]:
    """Mean over tasks of the chance of k trials, for every k that all tasks have trials for."""
    counts = (
        group.rows.group_by("task")
        .agg(pl.col(PASSED).fill_null(value=False).sum().alias("c"), pl.len().alias("n"))
        .sort("task")
    )
    if counts.is_empty():
        return []
    pairs = list(zip(counts["c"].to_list(), counts["n"].to_list(), strict=True))
    most = min(_MOST, *(n for _, n in pairs))
    return [
        Headline(
            agent=group.agent,
            name=name.format(k=k),
            value=sum(chance(c, n, k) or 0.0 for c, n in pairs) / len(pairs),
            unit=SHARE,
            n=len(pairs),
            note=note,
            suite=group.suite,
            part=group.part,
        )
        for k in range(1, most + 1)
    ]
