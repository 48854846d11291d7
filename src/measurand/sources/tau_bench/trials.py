"""A record of tau-bench becomes a trial: how it ended, what it took, and its trace."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from measurand.model.digests import agent_digest, task_digest
from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.model.trace import Draft
from measurand.model.trial import Trial
from measurand.sources.reading.chat_trace import Call, Said, chat_events, known, openai_message
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.json_lists import RecordError
from measurand.sources.reading.loose_values import list_of, number, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.sources.base import ImportLog
    from measurand.sources.tau_bench.names import Named

__all__ = ["Run", "is_success", "trial_of"]

_HARNESS: Final = "tau-bench"
_TOLERANCE: Final = 1e-6
_USER_CODE: Final = re.compile(r"envs[/\\]user\.py")
"""Where the simulated user's code stands in a traceback."""
_ACTION: Final = re.compile(r"^Action:\s*", re.MULTILINE)
_TOOL_SAID: Final = "API output: "
"""How agents without native tool calls (act, react) are told what a tool said, in the user's role."""
_RESPOND: Final = "respond"
"""Their name for speaking to the user."""


class Run(NamedTuple):
    """What all records of a file have in common."""

    suite: str
    named: Named
    where: str


class Ending(NamedTuple):
    """How a trial ended."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None


def is_success(reward: float) -> bool:
    """Whether a reward is 1, as tau-bench and tau2 tell it: within a millionth."""
    return abs(reward - 1) <= _TOLERANCE


def trial_of(record: dict[str, Any], run: Run, log: ImportLog, where: str) -> Trial:
    """Read a record.

    Raises:
        RecordError: it names no task.
    """
    task = text(record.get("task_id"))
    if task is None:
        raise RecordError("record without a task_id")
    trial = text(record.get("trial"))
    if trial is None:
        log.add("note", "record without a trial number: read as trial 0", where)
        trial = "0"
    where = f"{run.where}: task {task}, trial {trial}"
    reward = number(record.get("reward"))
    info = object_of(record.get("info"))
    end = _ending(info, reward)
    if reward is None:
        log.add("unknown", "reward that is no number", where)
    said = _messages(list_of(record.get("traj")))
    agent_says = [one for one in said if one.role == "assistant"]
    return Trial(
        suite=run.suite,
        task=task,
        task_digest=_digest(info.get("task")),
        agent=run.named.agent,
        agent_digest=agent_digest(run.named.agent, run.named.settings),
        model_requested=run.named.model,
        trial=trial,
        job=run.named.job,
        outcome=end.outcome.value,
        reason=end.reason,
        verdict=end.verdict.value if end.verdict else None,
        verdicts=None if reward is None else {"official": is_success(reward)},
        official_score=reward,
        steps=len(agent_says) if said else None,
        tool_calls=sum(len(one.calls) for one in agent_says) if said else None,
        harness=_HARNESS,
        environment_digest=task_digest({"user": run.named.user}) if run.named.user else None,
        source="tau_bench",
        source_ref=where,
        trace_digest=log.trace(lambda: _events(info, said, end, run, (task, trial))),
    )


def _digest(task: Any) -> str | None:
    return task_digest(task) if isinstance(task, dict) and task else None


def _ending(info: dict[str, Any], reward: float | None) -> Ending:
    error = info.get("error")
    if error:
        return _of_error(str(error), str(info.get("traceback") or ""))
    if reward is None:
        return Ending(Outcome.GRADER_ERROR, None, "no reward")
    if is_success(reward):
        return Ending(Outcome.COMPLETED, Verdict.PASS, None)
    if "reward_info" in info and info["reward_info"] is None:
        last = text(info.get("source"))
        reason = "the conversation did not end: no reward_info" + (f", last step {last}" if last else "")
        return Ending(Outcome.LIMIT, Verdict.FAIL, reason)
    return Ending(Outcome.COMPLETED, Verdict.FAIL, None)


def _of_error(error: str, traceback: str) -> Ending:
    outcome = Outcome.SIMULATOR_ERROR if _USER_CODE.search(traceback) else outcome_of_failure(error)
    silent = COUNTS_AS[outcome] is CountsAs.NO_VERDICT
    return Ending(outcome, None if silent else Verdict.FAIL, short(error))


def _messages(messages: list[Any]) -> list[Said]:
    """The messages; those of agents without native tool calls are read as what they mean."""
    said = [openai_message(object_of(message)) for message in messages]
    if any(one.calls or one.role == "tool" for one in said):
        return said
    written = any(one.role == "user" and (one.text or "").startswith(_TOOL_SAID) for one in said)
    return [_written(one) for one in said] if written else said


def _written(said: Said) -> Said:
    if said.role == "user" and said.text and said.text.startswith(_TOOL_SAID):
        return said._replace(role="tool", text=said.text.removeprefix(_TOOL_SAID))
    places = list(_ACTION.finditer(said.text or "")) if said.role == "assistant" else []
    if not places or said.text is None:
        return said
    try:
        action = object_of(msgspec.json.decode(said.text[places[-1].end() :]))
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return said
    tool = text(action.get("name"))
    if tool in {None, _RESPOND}:
        return said
    return said._replace(calls=(Call(None, tool, action.get("arguments", action.get("kwargs"))),))


def _events(
    info: dict[str, Any], said: list[Said], end: Ending, run: Run, identity: tuple[str, str]
) -> Iterator[Draft]:
    task, trial = identity
    wanted = object_of(info.get("task"))
    start = {
        "suite": run.suite,
        "task": task,
        "trial": trial,
        "agent": run.named.agent,
        "model": run.named.model,
        "user": run.named.user,
        "instruction": wanted.get("instruction"),
    }
    yield Draft("trial_start", known(start))
    yield from chat_events(said, first=1)
    if info.get("error"):
        yield Draft("error", known({"message": str(info["error"]), "traceback": info.get("traceback")}))
    finish = {
        "outcome": end.outcome.value,
        "verdict": end.verdict.value if end.verdict else None,
        "reason": end.reason,
        "user_cost_usd": number(info.get("user_cost")),
        "reward_info": info.get("reward_info"),
    }
    yield Draft("trial_end", known(finish))
