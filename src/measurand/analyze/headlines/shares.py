"""Shares of passed trials: SWE-bench, Terminal-Bench, WebArena, GAIA, AgentBench, KernelBench, GSO, and any other gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.analyze.headlines.records import COUNT, SHARE, Headline
from measurand.analyze.headlines.rows import Group, declared, groups, judged, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.headlines.records import Define
    from measurand.model.imports import Declaration

__all__ = [
    "agentbench",
    "gaia",
    "gate_rate",
    "gso",
    "inspect",
    "kernelbench",
    "resolved",
    "success_rate",
    "terminal_bench",
]

_OPT: Final = (
    ("opt@1", "official", False),
    ("opt@1 without hacks", "hack_control", False),
    ("as fast as the expert's commit", "official", True),
    ("faster than the unpatched code", "beats_base", True),
)
"""Name of a number of GSO, the verdict that it counts, and whether it is a count."""
_PLANNED: Final = "passes over all trials; one without a verdict counts as not passed"


def _share(group: Group, name: str, note: str = _PLANNED, absent: int = 0) -> Headline:
    counts = tally(group.rows, absent)
    return Headline(
        agent=group.agent,
        name=name,
        value=counts.passes / counts.n if counts.n else None,
        unit=SHARE,
        n=counts.n,
        note=note,
        suite=group.suite,
        part=group.part,
        tally=counts,
    )


def _count(group: Group, name: str, value: float) -> Headline:
    return Headline(
        agent=group.agent,
        name=name,
        value=float(value),
        unit=COUNT,
        n=group.rows.height,
        suite=group.suite,
        part=group.part,
        beside=True,
    )


def _rate(name: str, note: str = _PLANNED) -> Define:
    def define(frame: pl.DataFrame, declarations: Sequence[Declaration]) -> list[Headline]:
        return [
            _share(group, name, note, declared(group.suite, group.rows, declarations))
            for group in groups(judged(frame))
        ]

    return define


resolved: Final = _rate(
    "resolved", "resolved instances over all of the suite; an absent one counts as not resolved"
)
success_rate: Final = _rate("success rate")
gate_rate: Final = _rate("pass rate", f"no definition of this benchmark's own is known: {_PLANNED}")


def terminal_bench(frame: pl.DataFrame, declarations: Sequence[Declaration]) -> list[Headline]:
    """Accuracy: the mean of 0/1 rewards over all planned trials, with the counts that a run states; each job by itself."""
    note = "mean of the rewards 0 and 1 over all planned trials, whatever their failure mode"
    found = []
    for group in [*groups(judged(frame)), *groups(judged(frame), "job")]:
        absent = 0 if group.part else declared(group.suite, group.rows, declarations)
        share = _share(group, "accuracy", note, absent)
        passes = share.tally.passes if share.tally else 0
        found += [
            share,
            _count(group, "n_resolved", passes),
            _count(group, "n_unresolved", group.rows.height - passes),
        ]
    return found


def gaia(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Share of correct answers by level, and over all questions."""
    note = "correct answers over all questions; no answer is not correct"
    found = []
    for group in [*groups(judged(frame)), *groups(judged(frame), "family")]:
        name = f"accuracy {group.part}" if group.part else "accuracy"
        counts = tally(group.rows)
        found += [
            _share(group, name, note),
            _count(group, "correct", counts.passes),
            _count(group, "questions", counts.n),
        ]
    return found


def agentbench(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Success rate on each task set, and the weighted average over them where every agent has all sets.

    The weight of a set is the inverse of the mean of its score over the agents: a hard set counts as much as an easy one.
    """
    sets = [
        _share(group, f"{group.suite}-{group.part}: accuracy" if group.part else f"{group.suite}: accuracy")
        for group in _versions(judged(frame))
    ]
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for one in sets:
        scores.setdefault((one.suite, one.part), {})[one.agent] = one.value or 0.0
    agents = sorted({one.agent for one in sets})
    means = {key: sum(of.values()) / len(of) for key, of in scores.items()}
    whole = [key for key in scores if len(scores[key]) == len(agents) and means[key] > 0]
    if len(whole) < 2:
        return sets
    note = f"mean over {len(whole)} task sets of the score over the mean score of the {len(agents)} agents here; the "
    note += "benchmark's weights come from its own models"
    return sets + [
        Headline(
            agent=agent,
            name="weighted average",
            value=sum(scores[key][agent] / means[key] for key in whole) / len(whole),
            unit=COUNT,
            n=len(whole),
            note=note,
        )
        for agent in agents
    ]


def _versions(frame: pl.DataFrame) -> list[Group]:
    """Trials of each agent on each task set: a suite, and its split where there is one."""
    return list(groups(frame.with_columns(pl.col("suite_version").fill_null("")), "suite_version"))


def kernelbench(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Runs, and those that passed."""
    return [
        one
        for group in groups(judged(frame))
        for one in (
            _count(group, "passed", tally(group.rows).passes),
            _count(group, "runs", group.rows.height),
            _share(group, "pass rate"),
        )
    ]


def gso(frame: pl.DataFrame, declarations: Sequence[Declaration]) -> list[Headline]:
    """Opt@1: the share of instances whose patch is as fast as the expert's commit, with and without hacks."""
    note = "over all instances; an absent one counts as failed"
    found = []
    for name, verdict, counted in _OPT:
        for group in groups(judged(frame, verdict)):
            if counted:
                found.append(_count(group, name, tally(group.rows).passes))
            else:
                absent = declared(group.suite, group.rows, declarations)
                found.append(_share(group, name, note, absent))
    return found


def inspect(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Mean of the score that ranks, over samples that have one, as Inspect's metrics ``accuracy`` and ``mean`` take it."""
    found = []
    for group in [*groups(frame), *groups(frame, "job")]:
        scores = group.rows["official_score"].drop_nulls()
        left = group.rows.height - scores.len()
        note = "mean of the score that ranks, over samples that have one"
        note += f"; {left} of {group.rows.height} have none and are left out" if left else ""
        found += [
            Headline(
                agent=group.agent,
                name=name,
                value=float(scores.sum()) / scores.len() if scores.len() else None,
                unit=SHARE,
                n=scores.len(),
                note=note,
                suite=group.suite,
                part=group.part,
            )
            for name in ("accuracy", "mean")
        ]
    return found
