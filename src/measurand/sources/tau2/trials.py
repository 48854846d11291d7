"""A simulation of tau2 becomes a trial: how it ended, what it took, and its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

from measurand.model.trace import Draft
from measurand.model.trial import Trial
from measurand.sources.reading.chat_trace import chat_events, known
from measurand.sources.reading.json_lists import RecordError
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time, whole
from measurand.sources.tau2.messages import (
    Tokens,
    clock_offset,
    is_scripted,
    moment,
    said_by_messages,
    said_in_ticks,
    tokens_of,
)
from measurand.sources.tau2.outcomes import Ending, ending, verdicts

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator

    from measurand.model.imports import NoteKind
    from measurand.sources.base import ImportLog
    from measurand.sources.reading.chat_trace import Said
    from measurand.sources.tau2.runs import Run

    Tell = Callable[[NoteKind, str], None]

__all__ = ["trial_of"]

_PRICES: Final = "self-reported by tau2"
_CLASSES: Final = ("input", "cached", "written", "output", "reasoning")


class Meters(TypedDict):
    """Fields of a trial that say what the agent took."""

    input_tokens: int | None
    cached_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    steps: int | None
    tool_calls: int | None


class Conversation(NamedTuple):
    """The messages of a simulation."""

    messages: list[dict[str, Any]]
    ticks: list[Any]
    """Where it was a voice call, in place of the messages."""
    offset: dt.timedelta | None
    """By how much the clock must be set forward to show UTC."""

    @property
    def own(self) -> list[dict[str, Any]]:
        """Messages of the agent for which a model was called."""
        return [
            message
            for place, message in enumerate(self.messages)
            if message.get("role") == "assistant" and not (place == 0 and is_scripted(message))
        ]

    def said(self) -> Iterator[Said]:
        if self.messages:
            return said_by_messages(self.messages, self.offset)
        return said_in_ticks(self.ticks, self.offset)


def trial_of(record: dict[str, Any], run: Run, log: ImportLog, *, position: int) -> Trial:
    """Read a simulation, or its entry in the index.

    Args:
        record: what the file holds.
        run: what all simulations of the file have in common.
        log: told what is unknown.
        position: number of the trial, where the record has none.

    Raises:
        RecordError: it names no task.
    """
    task = text(record.get("task_id"))
    if task is None:
        raise RecordError("simulation without a task_id")
    trial = text(record.get("trial"))
    where = f"{run.where}: task {task}, trial {position if trial is None else trial}"

    def tell(kind: NoteKind, what: str) -> None:
        log.add(kind, what, where)

    if trial is None:
        tell("note", "simulation without a trial number: numbered in the order of the file")
        trial = str(position)
    chat = _conversation(record)
    info = object_of(record.get("reward_info"))
    end = ending(record, number(info.get("reward", record.get("reward"))), tell)
    own = chat.own
    seed = whole(record.get("seed"))
    _tell_of_user(record, tell)
    return Trial(
        suite=run.suite,
        task=task,
        task_digest=run.tasks.get(task),
        agent=run.agent,
        agent_digest=run.agent_digest,
        model_requested=run.model,
        model_served=_served(own),
        trial=trial,
        seed=seed,
        outcome=end.outcome.value,
        reason=end.reason,
        verdict=end.verdict.value if end.verdict else None,
        verdicts=verdicts(record, end.reward),
        official_score=end.reward,
        **_money(record, tell),
        **_meters(own, chat, tell),
        wall_s=number(record.get("duration")),
        started_at=_moment(record.get("start_time"), chat, tell),
        finished_at=moment(record.get("end_time"), chat.offset),
        attempts=_attempts(record, tell),
        harness="tau2-bench",
        harness_version=run.version,
        environment_digest=run.environment_digest,
        source="tau2",
        source_ref=where,
        trace_digest=log.trace(lambda: _events(record, chat, end, run, trial))
        if "messages" in record or chat.ticks
        else None,
    )


def _conversation(record: dict[str, Any]) -> Conversation:
    messages = [one for one in list_of(record.get("messages")) if isinstance(one, dict)]
    return Conversation(messages, list_of(record.get("ticks")), clock_offset(messages))


def _money(record: dict[str, Any], tell: Tell) -> dict[str, Any]:
    cost = number(record.get("agent_cost"))
    if cost == 0:
        tell("unknown", "agent_cost 0: tau2 did not know the prices of the model")
        cost = None
    return {"cost_usd": cost, "price_table": None if cost is None else _PRICES}


def _meters(own: list[dict[str, Any]], chat: Conversation, tell: Tell) -> Meters:
    used = [tokens_of(message) for message in own]
    if any(one is None for one in used):
        if any(used):
            tell("unknown", "some calls of the model have no usage: tokens unknown")
        used = []
    sums = {name: _sum([getattr(one or Tokens(), name) for one in used]) for name in _CLASSES}
    turns = own or [{"tool_calls": object_of(tick).get("agent_tool_calls")} for tick in chat.ticks]
    return Meters(
        input_tokens=sums["input"],
        cached_tokens=sums["cached"],
        cache_write_tokens=sums["written"],
        output_tokens=sums["output"],
        reasoning_tokens=sums["reasoning"],
        steps=len(own) if chat.messages else None,
        tool_calls=sum(len(list_of(turn.get("tool_calls"))) for turn in turns)
        if chat.messages or chat.ticks
        else None,
    )


def _sum(values: list[int | None]) -> int | None:
    """Sum, unknown when one of the values is."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers and len(numbers) == len(values) else None


def _served(own: list[dict[str, Any]]) -> str | None:
    """Models that answered, as they called themselves."""
    names = [text(object_of(message.get("raw_data")).get("model")) for message in own]
    return ", ".join(dict.fromkeys(name for name in names if name)) or None


def _moment(value: Any, chat: Conversation, tell: Tell) -> dt.datetime | None:
    found = moment(value, chat.offset)
    if found is not None and chat.offset is None and found == time(f"{value}+00:00"):
        tell("note", "times name no zone: taken for UTC")
    return found


def _attempts(record: dict[str, Any], tell: Tell) -> int | None:
    """tau2 runs a simulation again when the simulated user made things up."""
    retries = whole(record.get("hallucination_retries_used"))
    if retries:
        tell(
            "note",
            "retried for the simulated user's sake: cost and tokens of earlier attempts are not in the file",
        )
    return None if retries is None or retries > 10_000 else 1 + retries


def _tell_of_user(record: dict[str, Any], tell: Tell) -> None:
    reviews = (object_of(record.get(name)) for name in ("review", "user_only_review"))
    if any(review.get("critical_user_error") is True for review in reviews):
        tell("note", "tau2's review finds a critical error of the simulated user: the verdict stands")


def _events(record: dict[str, Any], chat: Conversation, end: Ending, run: Run, trial: str) -> Iterator[Draft]:
    start = {
        "suite": run.suite,
        "task": text(record.get("task_id")),
        "trial": trial,
        "simulation": text(record.get("id")),
        "agent": run.agent,
        "model": run.model,
        "user_model": run.user_model,
        "limits": dict(run.limits) or None,
    }
    yield Draft("trial_start", known(start), moment(record.get("start_time"), chat.offset))
    yield from chat_events(chat.said(), first=1)
    reward = object_of(record.get("reward_info"))
    finish = {
        "outcome": end.outcome.value,
        "verdict": end.verdict.value if end.verdict else None,
        "reason": end.reason,
        "user_cost_usd": number(record.get("user_cost")) or None,
        "reward": number(reward.get("reward")),
        "reward_breakdown": reward.get("reward_breakdown"),
    }
    yield Draft("trial_end", known(finish), moment(record.get("end_time"), chat.offset))
