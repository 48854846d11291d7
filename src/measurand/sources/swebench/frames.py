"""Records of SWE-bench's instances as rows of the trial table, gathered column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

from measurand.model.digests import agent_digest
from measurand.model.outcomes import Verdict
from measurand.model.table import SCHEMA, conform
from measurand.sources.swebench.agent_runs import run_events

if TYPE_CHECKING:
    from measurand.sources.base import ImportLog
    from measurand.sources.swebench.agent_runs import AgentRun
    from measurand.sources.swebench.records import Record, Unit

__all__ = ["Batch"]

_SCHEMA: Final = {
    "suite": pl.String,
    "task": pl.String,
    "agent": pl.String,
    "agent_digest": pl.String,
    "model_requested": pl.String,
    "job": pl.String,
    "outcome": pl.String,
    "reason": pl.String,
    "passed": pl.Boolean,
    "judged": pl.Boolean,
    "cost_usd": pl.Float64,
    "steps": pl.Int64,
    "harness": pl.String,
    "harness_version": pl.String,
    "source_ref": pl.String,
}
_OF_RUNS: Final = (
    "price_table",
    "input_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
    "tool_calls",
    "wall_s",
    "started_at",
    "finished_at",
    "attempts",
    "model_served",
    "trace_digest",
)
"""Fields that trajectories alone have."""


class Batch:
    """Rows that are being gathered."""

    def __init__(self, source: str, log: ImportLog) -> None:
        self.source = source
        self.log = log
        self.columns: dict[str, list[Any]] = {name: [] for name in _SCHEMA}
        self.runs: dict[int, dict[str, Any]] = {}
        """Place of a row -> what its trajectory says."""

    def __len__(self) -> int:
        return len(self.columns["task"])

    def append(self, unit: Unit, records: list[tuple[str, Record]]) -> None:
        """Add records of a unit, each with its instance."""
        for instance, record in records:
            if record.run is not None:
                self.runs[len(self)] = self._of_run(record, record.run, unit.suite)
            self._append(record, instance)
        same = {
            "suite": unit.suite,
            "agent": unit.agent,
            "agent_digest": unit.digest or agent_digest(unit.agent),
            "model_requested": ", ".join(unit.models) or None,
            "job": unit.job,
            "harness": unit.harness,
            "harness_version": unit.harness_version,
        }
        for name, value in same.items():
            self.columns[name].extend([value] * len(records))

    def _append(self, record: Record, instance: str) -> None:
        columns = self.columns
        columns["task"].append(instance)
        columns["outcome"].append(record.mark.outcome.value)
        columns["reason"].append(record.mark.reason)
        columns["passed"].append(record.mark.passed)
        columns["judged"].append(record.mark.judged)
        columns["cost_usd"].append(record.cost)
        columns["steps"].append(record.steps)
        columns["source_ref"].append(f"{record.file}: {instance}")

    def _of_run(self, record: Record, run: AgentRun, suite: str) -> dict[str, Any]:
        found = {name: run.meters.get(name) for name in _OF_RUNS}
        if run.events is not None:
            found["trace_digest"] = self.log.trace(lambda: run_events(run, record.mark, suite))
        return found

    def frame(self) -> pl.DataFrame:
        """Give the rows of the trial table."""
        passed = pl.col("passed")
        official = pl.struct(pl.lit("official").alias("name"), passed.fill_null(value=False).alias("passed"))
        rows = pl.DataFrame(self.columns, schema=_SCHEMA).with_columns(
            pl.lit("1").alias("trial"),
            pl.lit(self.source).alias("source"),
            pl.when(passed)
            .then(pl.lit(Verdict.PASS.value))
            .when(passed.not_())
            .then(pl.lit(Verdict.FAIL.value))
            .alias("verdict"),
            pl.when("judged").then(pl.concat_list(official)).alias("verdicts"),
        )
        return conform(rows.with_columns(self._of_runs()))

    def _of_runs(self) -> list[pl.Series]:
        if not self.runs:
            return []
        nothing: dict[str, Any] = {}
        told = [self.runs.get(place, nothing) for place in range(len(self))]
        return [pl.Series(name, [one.get(name) for one in told], dtype=SCHEMA[name]) for name in _OF_RUNS]
