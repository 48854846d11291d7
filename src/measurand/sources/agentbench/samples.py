"""A sample that AgentBench ran becomes a trial, with the dialogue as its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.trace import Draft
from measurand.model.trial import Trial
from measurand.sources.agentbench.sets import Environment, Graded, environment_of, split_of
from measurand.sources.reading.chat_trace import Said, chat_events, content_text, known
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.loose_values import list_of, object_of, text, time

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping

    from measurand.sources.base import ImportLog

__all__ = ["SOURCE", "Sample", "TaskSet", "failed_trial", "sample_trial", "task_set"]

SOURCE: Final = "agentbench"
_STATUS: Final = {
    "completed": Outcome.COMPLETED,
    "agent context limit": Outcome.LIMIT,
    "agent validation failed": Outcome.INVALID_OUTPUT,
    "agent invalid action": Outcome.AGENT_ERROR,
    "task limit reached": Outcome.LIMIT,
    "unknown": Outcome.INFRA_ERROR,
    "task error": Outcome.INFRA_ERROR,
    "running": Outcome.INTERRUPTED,
    "cancelled": Outcome.CANCELLED,
}
_BY_THE_AGENT: Final = {Outcome.LIMIT, Outcome.INVALID_OUTPUT, Outcome.AGENT_ERROR}
_RIGHT: Final = "completedcorrect"
"""Status after grading of a sample that was answered right."""
_AGENT_FAILED: Final = "AGENT_FAILED"


class TaskSet(NamedTuple):
    """A task set that an agent ran on."""

    agent: str
    name: str
    suite: str
    environment: Environment | None
    job: str | None = None
    """Folders above that of the agent."""

    @property
    def split(self) -> str | None:
        """``std`` or ``dev``, where the name says it."""
        return split_of(self.name)

    def task(self, index: str) -> str:
        """Id of a sample: in AgentBench's suite, equal indices of different sets are different tasks."""
        return index if self.environment is None else f"{self.environment.name}/{index}"


def task_set(agent: str, name: str, suite: str | None, job: str | None = None) -> TaskSet:
    """Describe a task set; one that is none of the eight environments is a suite of its own."""
    environment, split = environment_of(name), split_of(name)
    own = name[: -len(split) - 1] if split else name
    return TaskSet(agent, name, suite or (SOURCE if environment else own), environment, job)


class Sample(NamedTuple):
    """A line of a file, and what other files say of it."""

    line: Mapping[str, Any]
    number: str
    where: str
    attempts: int = 1
    judged: str | None = None
    """Status that ``overall.json`` gives it."""

    @property
    def finished(self) -> dt.datetime | None:
        """When the line was written."""
        return time(object_of(self.line.get("time")).get("timestamp"))


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None
    steps: int | None = None
    passed: bool | None = None
    """What AgentBench itself says, whatever ended the sample."""
    official_score: float | None = None


def sample_trial(sample: Sample, of: TaskSet, log: ImportLog) -> Trial:
    """Turn a line of ``runs.jsonl`` into a trial."""
    output = object_of(sample.line.get("output"))
    history = [object_of(message) for message in list_of(output.get("history"))]
    graded = of.environment.grade(object_of(output.get("result"))) if of.environment else None
    ended = _ended(output, graded, sample, log)
    if graded is not None and of.environment is not None:
        score = of.environment.official_score(graded.score, of.split)
        ended = ended._replace(steps=graded.steps, official_score=score)
    if ended.steps is None and of.environment is None:
        ended = ended._replace(steps=sum(message.get("role") == "agent" for message in history))
    digest = log.trace(lambda: _events(sample, of, history, ended))
    return _trial(sample, of, ended, digest)


def failed_trial(sample: Sample, of: TaskSet) -> Trial:
    """Turn a sample none of whose starts came to a result into a trial, by the last of its errors."""
    error, info = text(sample.line.get("error")) or "unknown error", short(text(sample.line.get("info")))
    outcome = outcome_of_failure(info or "") if error == _AGENT_FAILED else Outcome.INFRA_ERROR
    verdict = None if outcome is Outcome.INFRA_ERROR else Verdict.FAIL
    return _trial(sample, of, _Ended(outcome, verdict, f"{error}: {info}" if info else error), None)


def _ended(output: Mapping[str, Any], graded: Graded | None, sample: Sample, log: ImportLog) -> _Ended:
    word = text(output.get("status"))
    outcome = _STATUS.get((word or "").lower())
    if outcome is None:
        log.add("note", f"unknown status, read as a fault of the harness: {short(word)}", sample.where)
        return _Ended(Outcome.INFRA_ERROR, None, word or "no status")
    passed = graded.passed if graded is not None else None
    if sample.judged is not None:
        passed = sample.judged.lower() == _RIGHT
    if outcome is Outcome.COMPLETED and passed is None:
        return _Ended(outcome, None, "not graded in these files")
    if outcome is Outcome.COMPLETED:
        return _Ended(outcome, Verdict.PASS if passed else Verdict.FAIL, passed=passed)
    if outcome in _BY_THE_AGENT:
        right = passed and outcome is not Outcome.INVALID_OUTPUT
        return _Ended(outcome, Verdict.PASS if right else Verdict.FAIL, word, passed=passed)
    return _Ended(outcome, None, word, passed=passed)


def _trial(sample: Sample, of: TaskSet, ended: _Ended, trace_digest: str | None) -> Trial:
    return Trial(
        suite=of.suite,
        suite_version=of.split,
        task=of.task(sample.number),
        family=of.environment.name if of.environment else None,
        agent=of.agent,
        agent_digest=agent_digest(of.agent),
        model_requested=of.agent,
        trial="1",
        job=of.job,
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=ended.verdict,
        verdicts=None if ended.passed is None else {"official": ended.passed},
        official_score=ended.official_score,
        steps=ended.steps,
        finished_at=sample.finished,
        attempts=sample.attempts,
        harness=SOURCE,
        source=SOURCE,
        source_ref=sample.where,
        trace_digest=trace_digest,
    )


def _events(sample: Sample, of: TaskSet, history: list[dict[str, Any]], ended: _Ended) -> Iterator[Draft]:
    """The dialogue in its order; examples that the task set puts before it look like any other turn."""
    yield Draft("trial_start", {"task": of.task(sample.number), "agent": of.agent, "set": of.name})
    said = (Said(_role(message), content_text(message.get("content"))) for message in history)
    yield from chat_events(said, first=1)
    end = {"outcome": ended.outcome, "verdict": ended.verdict, "reason": ended.reason}
    yield Draft("trial_end", known(end), sample.finished)


def _role(message: Mapping[str, Any]) -> str:
    role = text(message.get("role")) or "unknown"
    return "assistant" if role == "agent" else role
