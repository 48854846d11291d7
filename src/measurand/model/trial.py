"""The trial: one agent on one task, once. Its fields are the columns of the trial table.

:class:`Trial` is the only place where a column is named, typed and explained; the Arrow schema, the store and
the documentation are derived from it.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

__all__ = ["COLUMNS", "IDENTITY", "PROVENANCE", "SCHEMA_VERSION", "UNNAMED", "Column", "Trial"]

SCHEMA_VERSION: Final = 1
"""Version of the trial table. It rises when a column changes its meaning or goes; a new column does not raise it."""


def _doc(text: str) -> msgspec.Meta:
    return msgspec.Meta(description=text)


class Trial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One agent on one task, once, independent of other trials. Unknown is ``None`` and stays ``None``."""

    suite: Annotated[str, _doc("Name of the suite (benchmark).")]
    suite_version: Annotated[str | None, _doc("Version of the suite, as its maintainers name it.")] = None
    task: Annotated[str, _doc("Id of the task within the suite. Text: '007' is not '7'.")]
    task_digest: Annotated[
        str | None, _doc("Digest of the task's content; equal digests mean equal tasks.")
    ] = None
    family: Annotated[str | None, _doc("Family (cluster) of tasks that resemble each other.")] = None
    human_minutes: Annotated[
        float | None, _doc("Time that a skilled person needs for the task, minutes.")
    ] = None
    agent: Annotated[str, _doc("Name of the agent: model, scaffold and settings together.")]
    agent_digest: Annotated[
        str | None, _doc("Digest of the agent's configuration; of its name when unknown.")
    ] = None
    model_requested: Annotated[str | None, _doc("Model that was asked for.")] = None
    model_served: Annotated[str | None, _doc("Model that the provider says it served.")] = None
    released_at: Annotated[dt.datetime | None, _doc("Release of the agent, or of its model, UTC.")] = None
    trial: Annotated[str, _doc("Id of the trial among those of this agent on this task. Text.")]
    job: Annotated[str | None, _doc("Job: the set of trials planned together.")] = None
    seed: Annotated[int | None, _doc("Random seed given to the trial.")] = None
    outcome: Annotated[str, _doc("What became of the trial: a word of the outcome vocabulary.")]
    reason: Annotated[str | None, _doc("Why the outcome is what it is, in the source's words.")] = None
    verdict: Annotated[str | None, _doc("What the gate said: pass, fail, or null for no verdict.")] = None
    verdicts: Annotated[
        dict[str, bool] | None, _doc("Further verdicts by name (official, strict, ...): true is a pass.")
    ] = None
    official_score: Annotated[
        float | None, _doc("Score that the benchmark itself gives to the trial, higher is better.")
    ] = None
    quantity: Annotated[float | None, _doc("Raw number the task yields, in `unit`.")] = None
    unit: Annotated[str | None, _doc("Unit of the quantity and its anchors.")] = None
    better: Annotated[str | None, _doc("Direction of the quantity: higher or lower.")] = None
    kind: Annotated[
        str | None, _doc("Scale of the quantity: ratio (positive) or interval. Null means ratio.")
    ] = None
    baseline: Annotated[float | None, _doc("Anchor at which the objective is 0, in `unit`.")] = None
    reference: Annotated[float | None, _doc("Anchor at which the objective is 1, in `unit`.")] = None
    anchors_id: Annotated[str | None, _doc("Version or date of the anchors.")] = None
    cost_usd: Annotated[float | None, _doc("Cost of all attempts, US dollars.")] = None
    price_table: Annotated[str | None, _doc("Dated price table behind cost_usd.")] = None
    repriced_usd: Annotated[float | None, _doc("Cost by one dated price table, US dollars.")] = None
    repriced_by: Annotated[str | None, _doc("Price table behind repriced_usd, and its day.")] = None
    total_tokens: Annotated[int | None, _doc("All tokens, where the source gives only their sum.")] = None
    input_tokens: Annotated[int | None, _doc("Input tokens, cached ones left out.")] = None
    cached_tokens: Annotated[int | None, _doc("Input tokens read from the provider's cache.")] = None
    cache_write_tokens: Annotated[int | None, _doc("Input tokens written to the provider's cache.")] = None
    output_tokens: Annotated[int | None, _doc("Output tokens, reasoning included.")] = None
    reasoning_tokens: Annotated[int | None, _doc("Output tokens spent on reasoning.")] = None
    steps: Annotated[int | None, _doc("Model calls or turns of the agent.")] = None
    tool_calls: Annotated[int | None, _doc("Tool calls of the agent.")] = None
    wall_s: Annotated[float | None, _doc("Wall-clock time from start to end, seconds.")] = None
    waiting_s: Annotated[float | None, _doc("Time waiting for a provider or a queue, seconds.")] = None
    working_s: Annotated[float | None, _doc("Wall-clock time less waiting, seconds.")] = None
    started_at: Annotated[dt.datetime | None, _doc("Start of the first attempt, UTC.")] = None
    finished_at: Annotated[dt.datetime | None, _doc("End of the last attempt, UTC.")] = None
    attempts: Annotated[int | None, _doc("Starts of the trial's execution, retries included.")] = None
    harness: Annotated[str | None, _doc("Program that ran and graded the trial.")] = None
    harness_version: Annotated[str | None, _doc("Version of the harness.")] = None
    environment_digest: Annotated[str | None, _doc("Digest of the environment the trial ran in.")] = None
    source: Annotated[str | None, _doc("Name of the Measurand source that read the record.")] = None
    source_ref: Annotated[str | None, _doc("Where the record stands: file and line, or key.")] = None
    trace_digest: Annotated[str | None, _doc("Digest of the trial's trace.")] = None
    confidence: Annotated[float | None, _doc("Probability of success stated by the agent, 0 to 1.")] = None


class Column(NamedTuple):
    """A column of the trial table."""

    name: str
    type: type
    """Python type of a value: str, int, float, datetime, or dict (verdict name to pass)."""
    nullable: bool
    doc: str


def _column(name: str, hint: object) -> Column:
    kind, meta = get_args(hint)[:2]
    options = get_args(kind) if get_origin(kind) in (Union, type(str | None)) else (kind,)
    plain = next(option for option in options if option is not type(None))
    return Column(name, get_origin(plain) or plain, type(None) in options, meta.description)


COLUMNS: Final[tuple[Column, ...]] = tuple(
    _column(name, hint) for name, hint in get_type_hints(Trial, include_extras=True).items()
)
"""All columns, in the order of the table."""

IDENTITY: Final = ("suite", "suite_version", "task", "task_digest", "agent_digest", "trial", "job")
"""Columns that name a trial: rows equal in all of them (null equals null) are records of one trial."""

UNNAMED: Final = "unnamed"
"""Suite of trials whose source names none."""

PROVENANCE: Final = ("source", "source_ref")
"""Columns that say where a record was read; two records that differ only here agree."""
