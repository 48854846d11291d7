"""May these rows be ranked together? Only when what they were measured with is the same (DESIGN section 4)."""

from __future__ import annotations

from typing import Final

import polars as pl

from measurand.errors import ComparabilityError
from measurand.wording import listed, plural

__all__ = ["common_tasks", "differences", "fingerprint", "refuse_mixed", "tell_apart"]

_WHOLE: Final = {"suite_version": "suite version", "harness": "harness", "harness_version": "harness version"}
"""Fields that have one value over all rows of a ranking."""
_PER_TASK: Final = {
    "task_digest": "task digest",
    "environment_digest": "environment digest",
    "anchors_id": "anchors",
}
"""Fields that have one value over all rows of a task."""
_DIGITS: Final = 8


def differences(frame: pl.DataFrame) -> tuple[str, ...]:
    """Say in which fields of the fingerprint the rows differ; empty when they may be ranked together."""
    found = [text for column, label in _WHOLE.items() if (text := _whole(frame, column, label))]
    found += [text for column, label in _PER_TASK.items() if (text := _per_task(frame, column, label))]
    if found:
        found += _unmatched(frame)
    return tuple(found)


def fingerprint(frame: pl.DataFrame) -> str:
    """Say what the rows were measured with: the fields that must not differ in a ranking."""
    parts = [f"{label} {listed(_known(frame[column]))}" for column, label in _WHOLE.items()]
    for column, label in _PER_TASK.items():
        known = frame.filter(pl.col(column).is_not_null())["task"].n_unique()
        parts.append(f"{label} known for {known} of {plural(frame['task'].n_unique(), 'task')}")
    return "; ".join(parts) + "."


def _known(values: pl.Series) -> list[str]:
    return [value or "unknown" for value in values.unique().sort(nulls_last=True)]


def refuse_mixed(found: tuple[str, ...]) -> None:
    """Refuse a ranking across differing fingerprints.

    Raises:
        ComparabilityError: naming each field that differs.
    """
    if found:
        raise ComparabilityError(
            "these rows must not be ranked together; they differ in\n  " + "\n  ".join(found),
            hint=(
                "--common-tasks compares on tasks equal in id and digest; --agents or --suite restricts the rows; "
                "--allow-mixed ranks them anyway and marks the result not comparable"
            ),
        )


def common_tasks(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep the tasks that every agent has, equal in id and digest.

    Raises:
        ComparabilityError: no task is left, or the rows differ and do not say by digest which tasks are equal.
    """
    if differences(frame) and frame["task_digest"].null_count():
        raise ComparabilityError(
            "the rows differ and some have no task digest, so that no task can be shown to be the same",
            hint="import with a task_digest column, or --allow-mixed",
        )
    agents = frame["agent"].n_unique()
    shared = (
        frame.group_by("task")
        .agg(pl.col("agent").n_unique().alias("agents"), pl.col("task_digest").n_unique().alias("digests"))
        .filter((pl.col("agents") == agents) & (pl.col("digests") == 1))
    )
    if shared.is_empty():
        raise ComparabilityError(
            "no task is common to all agents, equal in id and digest", hint="compare fewer agents"
        )
    return frame.join(shared.select("task"), on="task", how="semi", maintain_order="left")


def tell_apart(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Rename what only looks the same: versions of a task under one id, configurations of an agent under one name.

    Args:
        frame: rows of the trial table.
        name: ``task`` or ``agent``; its digest says what is the same.
    """
    digest = f"{name}_digest"
    ambiguous = frame.select(name, digest).unique().filter(pl.len().over(name) > 1).sort(name, digest)
    if ambiguous.is_empty():
        return frame
    shown = [
        (plain, value, f"{plain}@{short}")
        for (plain,), versions in ambiguous.group_by(name, maintain_order=True)
        for value, short in zip(versions[digest], _shortened(versions[digest].to_list()), strict=True)
    ]
    names = pl.DataFrame(
        shown, schema={name: pl.String, digest: pl.String, "_shown": pl.String}, orient="row"
    )
    return (
        frame.join(names, on=[name, digest], how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.coalesce("_shown", name).alias(name))
        .drop("_shown")
    )


def _shortened(digests: list[str | None]) -> list[str]:
    """As much of each digest as tells them apart, at least eight characters."""
    whole = [digest or "unknown" for digest in digests]
    tails = [digest.rpartition(":")[2] for digest in whole]
    for length in range(_DIGITS, max(map(len, tails)) + 1):
        if len({tail[:length] for tail in tails}) == len(tails):
            return [tail[:length] for tail in tails]
    return tails if len(set(tails)) == len(tails) else whole


def _whole(frame: pl.DataFrame, column: str, label: str) -> str | None:
    values = frame.group_by(column).agg(pl.col("agent").unique().sort()).sort(column, nulls_last=True)
    if values.height <= 1:
        return None
    parts = [f"{value or 'unknown'} ({listed(agents)})" for value, agents in values.iter_rows()]
    return f"{label}: {'; '.join(parts)}"


def _per_task(frame: pl.DataFrame, column: str, label: str) -> str | None:
    tasks = frame.group_by("task").agg(pl.col(column).n_unique()).filter(pl.col(column) > 1)["task"].sort()
    return f"{label} of {plural(len(tasks), 'task')}: {listed(tasks)}" if len(tasks) else None


def _unmatched(frame: pl.DataFrame) -> list[str]:
    """Tasks that only some agents have, by the agents that have them."""
    agents = frame["agent"].n_unique()
    partial = (
        frame.group_by("task")
        .agg(pl.col("agent").unique().sort())
        .filter(pl.col("agent").list.len() < agents)
        .group_by("agent")
        .agg(pl.col("task").sort())
        .sort("agent")
    )
    return [f"tasks only of {listed(who)}: {listed(tasks)}" for who, tasks in partial.head(10).iter_rows()]
