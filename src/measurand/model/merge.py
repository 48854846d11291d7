"""Records of one trial become one trial: equal ones are merged, conflicting ones refused or resolved by a named policy."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, get_args

import polars as pl

from measurand.errors import ConflictError, UsageError
from measurand.model.digests import agent_digest
from measurand.model.imports import Conflict, ConflictPolicy
from measurand.model.outcomes import Outcome
from measurand.model.trial import COLUMNS, IDENTITY, PROVENANCE
from measurand.wording import plural

__all__ = ["Merged", "merge_trials"]

_CONTENT: Final = tuple(c.name for c in COLUMNS if c.name not in IDENTITY and c.name not in PROVENANCE)
_SHOWN: Final = 5


class Merged(NamedTuple):
    """Trials, each counted once."""

    frame: pl.DataFrame
    duplicates: int
    """Rows that were merged into an equal record."""
    conflicts: tuple[Conflict, ...]


def merge_trials(frame: pl.DataFrame, policy: ConflictPolicy = "refuse") -> Merged:
    """Count each trial once, whatever the order of the rows.

    Records agree when no column of theirs holds two different known values; an unknown value agrees with any. An
    agent whose configuration is unknown has the digest of its name.

    Args:
        frame: rows of the trial table.
        policy: what to do with trials whose records disagree.

    Raises:
        ConflictError: records disagree and ``policy`` is ``refuse``; both rows are named.
        UsageError: there is no such policy.
    """
    if policy not in get_args(ConflictPolicy):
        raise UsageError(
            f"no conflict policy is called {policy!r}", hint=f"one of: {', '.join(get_args(ConflictPolicy))}"
        )
    frame = _with_agent_digests(frame)
    key = pl.struct(IDENTITY)
    repeated = frame.filter(key.is_duplicated())
    if repeated.is_empty():
        return Merged(frame, 0, ())
    merged, clashes = _merge_groups(repeated)
    conflicts = tuple(_conflict(row) for row in clashes.iter_rows(named=True))
    if conflicts and policy == "refuse":
        raise _refusal(conflicts)
    kept = merged.filter(pl.col("_differ").list.len() == 0)
    if policy == "no-verdict" and conflicts:
        kept = pl.concat([kept, _without_verdict(merged.filter(pl.col("_differ").list.len() > 0))])
    rows = pl.concat([frame.filter(~key.is_duplicated()), kept.select(frame.columns)])
    surplus = repeated.height - merged.height - sum(len(c.rows) - 1 for c in conflicts)
    return Merged(rows, surplus, conflicts)


def _with_agent_digests(frame: pl.DataFrame) -> pl.DataFrame:
    """Without a digest, agents of different names would pass for one."""
    names = frame.filter(pl.col("agent_digest").is_null())["agent"].unique()
    if names.is_empty():
        return frame
    digests = {name: agent_digest(name) for name in names}
    of_name = pl.col("agent").replace_strict(digests, default=None, return_dtype=pl.String)
    return frame.with_columns(pl.col("agent_digest").fill_null(of_name))


def _merge_groups(repeated: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row a trial (known values first), with the columns that differ; and the rows that have any."""
    known = [pl.col(name).drop_nulls() for name in _CONTENT]
    differs = [
        pl.when(values.n_unique() > 1).then(pl.lit(name)).alias(f"_differs_{name}")
        for name, values in zip(_CONTENT, known, strict=True)
    ]
    merged = (
        repeated.group_by(IDENTITY, maintain_order=True)
        .agg(
            *(
                values.min() if name == "agent" else values.first()
                for name, values in zip(_CONTENT, known, strict=True)
            ),
            *(pl.col(name).min() for name in PROVENANCE),
            pl.col("source_ref").sort().alias("_rows"),
            *differs,
        )
        .with_columns(pl.concat_list(pl.col("^_differs_.*$")).list.drop_nulls().alias("_differ"))
    )
    return merged, merged.filter(pl.col("_differ").list.len() > 0).sort(IDENTITY)


def _conflict(row: dict[str, Any]) -> Conflict:
    return Conflict(
        agent=row["agent"],
        task=row["task"],
        trial=row["trial"],
        fields=tuple(row["_differ"]),
        rows=tuple(str(where) for where in row["_rows"]),
    )


def _refusal(conflicts: tuple[Conflict, ...]) -> ConflictError:
    lines = [
        f"agent {c.agent!r}, task {c.task!r}, trial {c.trial!r}: {', '.join(c.fields)} differ between {' and '.join(c.rows)}"
        for c in conflicts[:_SHOWN]
    ]
    more = f"\n  ... and {len(conflicts) - _SHOWN} more" if len(conflicts) > _SHOWN else ""
    trials = plural(len(conflicts), "trial has", "trials have")
    return ConflictError(
        f"{trials} records that disagree:\n  " + "\n  ".join(lines) + more,
        hint="correct the rows, or name a policy: --on-conflict no-verdict (keep the trial, without a verdict) or drop",
    )


def _without_verdict(merged: pl.DataFrame) -> pl.DataFrame:
    """Keep what agrees; what differs is unknown, and the trial has no verdict. An agent always has a name."""
    reason = pl.lit("records disagree: ") + pl.col("_rows").list.join(" and ")
    return merged.with_columns(
        *(
            pl.when(pl.col("_differ").list.contains(name)).then(None).otherwise(pl.col(name)).alias(name)
            for name in _CONTENT
            if name != "agent"
        ),
    ).with_columns(
        outcome=pl.lit(Outcome.GRADER_ERROR.value), reason=reason, verdict=pl.lit(None, dtype=pl.String)
    )
