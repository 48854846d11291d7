"""The interleaving guard: agents that were run at different times may differ by the time alone (SPEC 20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from measurand.analyze.claims.pair_records import Timing
from measurand.analyze.records import SEVERITIES, Finding
from measurand.infer.claims.interleaving import interleaving
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.cells import Floats

__all__ = ["Times", "timing", "timing_finding", "with_timing"]

_SHOWN: Final = 10
_DAY: Final = 86_400.0


class _Arm(NamedTuple):
    """When the trials of one agent were run, seconds; NaN where unknown."""

    starts: Floats
    ends: Floats
    untimed: int


class Times:
    """Starts and ends of the trials of each agent.

    Args:
        scored: scored rows of the trial table.
    """

    def __init__(self, scored: pl.DataFrame) -> None:
        columns = {"start": "started_at", "end": "finished_at"}
        rows = scored.select("agent", *(_seconds(column).alias(name) for name, column in columns.items()))
        self._arms = {
            str(agent): _Arm(_floats(part["start"]), _floats(part["end"]), part["start"].null_count())
            for (agent,), part in rows.partition_by("agent", as_dict=True).items()
        }

    def of(self, agent: str) -> _Arm:
        """Return when the trials of ``agent`` were run."""
        return self._arms[agent]


def _seconds(column: str) -> pl.Expr:
    return pl.col(column).dt.timestamp("us") / 1e6


def _floats(values: pl.Series) -> Floats:
    return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def timing(times: Times, a: str, b: str) -> Timing:
    """Say whether the trials of two agents were run at the same time."""
    first, second = times.of(a), times.of(b)
    found = interleaving(first.starts, second.starts, first_ends=first.ends, second_ends=second.ends)
    return Timing(
        a=a,
        b=b,
        a_within=found.first_within,
        b_within=found.second_within,
        apart=found.apart,
        hardly=found.hardly,
        gap_s=found.gap,
        untimed=first.untimed + second.untimed,
        trials=len(first.starts) + len(second.starts),
        reason=found.reason,
    )


def timing_finding(timings: Sequence[Timing]) -> Finding | None:
    """Warn of comparisons of one agent whose two arms hardly overlap in time; ``None`` where all do, or nobody knows."""
    known = [one for one in timings if one.reason is None]
    hardly = [one for one in known if one.hardly]
    if not hardly:
        return None
    drift = "drift of the provider or the machine cannot be told from the agent"
    overlap = "do not overlap in time" if all(one.apart for one in hardly) else "hardly overlap in time"
    if len(timings) == 1:
        one = hardly[0]
        gap = f" ({_duration(one.gap_s or 0.0)} lie between)" if one.apart else ""
        text = f"The trials of {one.a} and {one.b} {overlap}{gap}: {drift}."
    else:
        rivals = f"{len(hardly)} of {plural(len(known), 'rival')} whose times are known"
        text = f"The trials of {hardly[0].a} {overlap} with those of {rivals}: {drift}."
    return Finding(
        severity="warning",
        subject="time",
        text=text,
        examples=tuple(one.b for one in hardly[:_SHOWN]) if len(timings) > 1 else (),
    )


def with_timing(found: tuple[Finding, ...], more: Finding | None) -> tuple[Finding, ...]:
    """Put a finding on times among the others, the gravest first."""
    if more is None:
        return found
    return tuple(sorted((*found, more), key=lambda finding: SEVERITIES.index(finding.severity)))


def _duration(seconds: float) -> str:
    """Time in the largest unit of which there is one at least."""
    for size, unit in ((_DAY, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= size:
            return plural(round(seconds / size), unit)
    return plural(max(round(seconds), 1), "second")
