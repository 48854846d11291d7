"""Tasks of an upload of HAL become trials: verdicts, meters and traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.model.trial import Trial
from measurand.sources.hal.events import events
from measurand.sources.hal.usage import Logged
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time, truth, whole
from measurand.sources.tau_bench.trials import is_success

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

    from measurand.sources.base import ImportLog
    from measurand.sources.hal.runs import Upload

__all__ = ["trials_of"]

_SCORES: Final = ("reward", "score", "correct", "resolved", "success", "accuracy")
"""Fields in which benchmarks keep what they say of a task, the first that is there."""
_PRICES: Final = "self-reported by hal"
_RESPOND: Final = "respond"
"""tau-bench's action of speaking to the user: no tool."""
_CLASSES: Final = ("input", "cached", "written", "output", "reasoning")
_SIMULATED_USERS: Final = ("taubench", "colbench")


class Judged(NamedTuple):
    """What the upload says of one task."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None
    official: bool | None
    score: float | None
    entry: dict[str, Any]


class Lists(NamedTuple):
    """Tasks that the benchmark lists as solved and as failed."""

    solved: frozenset[str]
    failed: frozenset[str]


_NO_LISTS: Final = Lists(frozenset(), frozenset())
_NO_CALLS: Final = Logged([], [])


class Task(NamedTuple):
    """A task of an upload, or one variation of its prompt."""

    upload: Upload
    name: str
    trial: str
    where: str
    logged: Logged
    model: str | None


def trials_of(upload: Upload, log: ImportLog) -> Iterator[Trial]:
    """Yield the trials of an upload, and tell ``log`` of what is not kept."""
    results = object_of(upload.content.get("results"))
    lists = Lists(_ids(results.get("successful_tasks")), _ids(results.get("failed_tasks")))
    _tell(upload, log)
    model = upload.model or _only_model(upload.logged)
    for name, variants in _entries(upload, lists, log).items():
        varied = len(variants) > 1
        for place, entry in enumerate(variants):
            log.rows_read += 1
            where = f"{upload.where}: task {name}" + (f", variation {place}" if varied else "")
            judged = _judge(name, entry, _NO_LISTS if varied else lists)
            if judged is None:
                log.add("dropped", "entry that says nothing of the task", where)
                continue
            trial = f"{upload.trial}.{place}" if varied else upload.trial
            calls = _NO_CALLS if varied else upload.logged.get(name, _NO_CALLS)
            yield _trial(Task(upload, name, trial, where, calls, model), judged, log)


def _ids(value: Any) -> frozenset[str]:
    return frozenset(name for one in list_of(value) if (name := text(one)) is not None)


def _tell(upload: Upload, log: ImportLog) -> None:
    if not upload.suite_is_known:
        log.add("note", "the data do not say which benchmark: give it with --suite", upload.where)
    if upload.refused_suite:
        what = f"the data say {upload.suite}: --suite {upload.refused_suite} is not used"
        log.add("note", what, upload.where)
    if upload.suite.startswith(_SIMULATED_USERS) and upload.logged:
        log.add("note", "logged calls, and so tokens, include those of the simulated user", upload.where)


def _entries(upload: Upload, lists: Lists, log: ImportLog) -> dict[str, list[Any]]:
    """Entries of each task: several where the prompt was varied. Some benchmarks say nothing but the lists."""
    raw = upload.content["raw_eval_results"]
    listed = sorted(lists.solved | lists.failed)
    if isinstance(raw, dict):
        own = {str(task): entry for task, entry in raw.items()}
        if not listed or set(listed) & set(own):
            for task in listed:
                own.setdefault(task, {})
            varied = any(isinstance(entry, list) and len(entry) > 1 for entry in own.values())
            if varied:
                log.add("note", "prompts were varied: each variation is a trial", upload.where)
            return {task: entry if isinstance(entry, list) else [entry] for task, entry in own.items()}
    log.add("note", "verdicts from the lists of solved and failed tasks", upload.where)
    return {task: [{}] for task in listed}


def _judge(task: str, entry: Any, lists: Lists) -> Judged | None:
    if isinstance(entry, str):
        return _failed(entry)
    it = object_of(entry) if isinstance(entry, dict) else {"score": entry}
    score = next((found for key in _SCORES if (found := _score(it.get(key))) is not None), None)
    official = task in lists.solved if task in lists.solved | lists.failed else None
    if official is None and score is not None:
        official = is_success(score)
    if official is None:
        if any(key in it for key in _SCORES):
            return Judged(Outcome.GRADER_ERROR, None, "no score", None, None, it)
        return None
    verdict = Verdict.PASS if official else Verdict.FAIL
    return Judged(Outcome.COMPLETED, verdict, None, official, score, it)


def _score(value: Any) -> float | None:
    found = number(value)
    said = truth(value) if found is None else None
    return found if said is None else float(said)


def _failed(message: str) -> Judged:
    """HAL keeps the message of an error in place of the result, and counts it as failed."""
    outcome = outcome_of_failure(message)
    silent = COUNTS_AS[outcome] is CountsAs.NO_VERDICT
    return Judged(outcome, None if silent else Verdict.FAIL, short(message) or "error", False, None, {})


def _trial(task: Task, judged: Judged, log: ImportLog) -> Trial:
    upload, name, entry = task.upload, task.name, judged.entry
    results = object_of(upload.content.get("results"))
    latency = object_of(results.get("latencies")).get(name)
    taken = entry.get("taken_actions")
    tokens = _tokens(task, log)
    identity = (name, task.trial)
    return Trial(
        suite=upload.suite,
        task=name,
        agent=upload.agent,
        agent_digest=upload.agent_digest,
        model_requested=task.model,
        trial=task.trial,
        job=upload.job,
        outcome=judged.outcome.value,
        reason=judged.reason,
        verdict=judged.verdict.value if judged.verdict else None,
        verdicts=None if judged.official is None else {"official": judged.official},
        official_score=judged.score,
        **_money(task, entry, results, log),
        input_tokens=tokens["input"],
        cached_tokens=tokens["cached"],
        cache_write_tokens=tokens["written"],
        output_tokens=tokens["output"],
        reasoning_tokens=tokens["reasoning"],
        steps=_steps(task),
        tool_calls=_tool_calls(taken) if isinstance(taken, list) else None,
        wall_s=_seconds(object_of(upload.content.get("wall_clock_times")).get(name), latency),
        started_at=_moment(latency, "first_call_timestamp"),
        harness="hal",
        harness_version=upload.version,
        source="hal",
        source_ref=task.where,
        confidence=_confidence(entry, log, task.where),
        trace_digest=log.trace(lambda: events(upload, identity, judged, task.logged)),
    )


def _only_model(logged: dict[str, Logged]) -> str | None:
    """The model that was called, if there is but one: else one of them may be the simulated user's."""
    models = {call.model for one in logged.values() for call in one.calls if call.model}
    return models.pop() if len(models) == 1 else None


def _money(task: Task, entry: dict[str, Any], results: dict[str, Any], log: ImportLog) -> dict[str, Any]:
    cost = number(entry.get("cost", object_of(results.get("costs")).get(task.name)))
    if cost == 0:
        log.add("unknown", "cost 0: HAL did not know the prices of the model", task.where)
        cost = None
    return {"cost_usd": cost, "price_table": None if cost is None else _PRICES}


def _tokens(task: Task, log: ImportLog) -> dict[str, int | None]:
    calls = task.logged.calls
    if any(call.input is None or call.output is None for call in calls):
        log.add("unknown", "some calls of the model have no usage: tokens unknown", task.where)
        calls = []
    return {name: _sum([getattr(call, name) for call in calls]) for name in _CLASSES}


def _sum(values: list[int | None]) -> int | None:
    """Sum, unknown when one of the values is."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers and len(numbers) == len(values) else None


def _steps(task: Task) -> int | None:
    counted = whole(object_of(task.upload.content.get("task_step_counts")).get(task.name))
    return counted if counted is not None else len(task.logged.calls) or None


def _tool_calls(taken: list[Any]) -> int:
    return sum(object_of(action).get("name") != _RESPOND for action in taken)


def _seconds(wall: Any, latency: Any) -> float | None:
    """Wall-clock time; else the time from the first call of a model to the last."""
    found = number(wall)
    if found is None:
        found = number(latency if not isinstance(latency, dict) else latency.get("total_time"))
    return found


def _moment(latency: Any, key: str) -> dt.datetime | None:
    return time(object_of(latency).get(key))


def _confidence(entry: dict[str, Any], log: ImportLog, where: str) -> float | None:
    if entry.get("confidence") is None:
        return None
    found = number(entry["confidence"])
    if found is not None and 0 <= found <= 1:
        return found
    log.add("unknown", "confidence that is no probability", where)
    return None
