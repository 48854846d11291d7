"""What is read of a log of Inspect AI: its header, its samples and the heads of their events.

Field names are those of the log; what is not named here is skipped without being built.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

__all__ = ["EventHead", "Failure", "Header", "Metrics", "Sample", "SampleScores", "Score", "Spec", "Usage"]

_EMPTY: Final = msgspec.Raw(b"null")


class _Something(msgspec.Struct):
    """An object of which it only matters that it is there."""


class Dataset(msgspec.Struct):
    """The samples that were planned."""

    samples: int | None = None
    sample_ids: list[Any] | None = None


class Spec(msgspec.Struct):
    """What was evaluated, and how."""

    task: str
    model: str
    task_id: str = ""
    eval_id: str = ""
    run_id: str = ""
    created: str = ""
    task_version: Any = None
    task_args: dict[str, Any] = {}
    task_args_passed: dict[str, Any] | None = None
    solver: str | None = None
    solver_args: Any = None
    model_args: dict[str, Any] = {}
    model_generate_config: dict[str, Any] = {}
    model_roles: Any = None
    dataset: Dataset = msgspec.field(default_factory=Dataset)
    sandbox: Any = None
    config: dict[str, Any] = {}
    packages: dict[str, Any] = {}
    scorers: list[dict[str, Any]] | None = None


class Metrics(msgspec.Struct):
    """What the log itself states of a score."""

    name: str = ""
    scorer: str = ""
    reducer: str | None = None
    metrics: dict[str, dict[str, Any]] = {}


class Headline(msgspec.Struct):
    """The score that sums up the evaluation."""

    scorer: str | None = None
    score: str | None = None


class Results(msgspec.Struct):
    """What the log itself states."""

    scores: list[Metrics] = []
    headline: Headline | None = None


class Header(msgspec.Struct):
    """A log without its samples."""

    eval: Spec
    status: str = "started"
    plan: dict[str, Any] = {}
    results: Results | None = None


class Usage(msgspec.Struct):
    """Tokens of one model. ``input_tokens`` leaves cached ones out."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    input_tokens_cache_read: int | None = None
    input_tokens_cache_write: int | None = None
    reasoning_tokens: int | None = None
    total_cost: float | None = None


class Score(msgspec.Struct):
    """What a scorer said. ``history`` holds earlier values, where the score was edited."""

    value: Any = None
    explanation: Any = None
    reason: Any = None
    metadata: Any = None
    history: list[Any] | None = None


class Failure(msgspec.Struct):
    """An error that ended an attempt."""

    message: str = ""
    traceback: str = ""


class Limit(msgspec.Struct):
    """The limit that ended the sample."""

    type: str = "unknown"
    reason: str | None = None


class Output(msgspec.Struct):
    """The last output of the model."""

    model: str | None = None
    choices: list[_Something] = []


class EventHead(msgspec.Struct):
    """What an event is, without what it holds."""

    event: str = ""
    type: Any = None
    action: Any = None
    events: list[EventHead] | None = None


class SampleScores(msgspec.Struct):
    """The scores of a sample, without the rest."""

    scores: dict[str, Score] | None = None


class Sample(msgspec.Struct):
    """One sample in one epoch."""

    id: str | int
    epoch: int
    input: Any = None
    choices: Any = None
    target: Any = None
    setup: Any = None
    files: Any = None
    sandbox: Any = None
    output: Output | None = None
    scores: dict[str, Score] | None = None
    score: Score | None = None
    """Where logs of 2023 have it."""
    metadata: dict[str, Any] = {}
    model_usage: dict[str, Usage] = {}
    role_usage: dict[str, Usage] = {}
    started_at: str | None = None
    completed_at: str | None = None
    total_time: float | None = None
    working_time: float | None = None
    uuid: str | None = None
    error: Failure | None = None
    error_retries: list[Failure] | None = None
    limit: Limit | None = None
    invalidation: dict[str, Any] | None = None
    turn_count: int | None = None
    store: msgspec.Raw = _EMPTY
    events: msgspec.Raw = _EMPTY
    attachments: msgspec.Raw = _EMPTY
