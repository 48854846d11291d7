"""What GAIA's files say of a question: a record of an answer, and the questions with their levels and references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest, task_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.trial import Trial
from measurand.sources.gaia.match import quasi_exact
from measurand.sources.reading.json_lines import read_lines
from measurand.sources.reading.loose_values import number, text, truth, whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["SOURCE", "Agent", "Question", "Run", "read_questions", "trial_of"]

SOURCE: Final = "gaia"
_ANSWER: Final = ("model_answer", "answer", "prediction", "finalAnswer", "final_answer")
_TASK: Final = ("task_id", "taskId", "id")
_LEVEL: Final = ("level", "Level")
_CORRECT: Final = ("score", "correct", "is_correct", "isCorrect")
_STEPS: Final = ("steps", "Steps")
_MILLISECONDS: Final = ("durationMs", "duration_ms", "Duration (ms)")
_TOOLS: Final = ("toolsUsed", "tools_used", "tools", "Tools Used")
_UNKNOWN: Final = "?"
"""Reference of a question of the test set."""


class Question(NamedTuple):
    """A question of GAIA."""

    level: str | None
    reference: str | None
    digest: str | None


class Agent(NamedTuple):
    """Who answered."""

    name: str
    model: str | None = None
    settings: str | None = None


class Run(NamedTuple):
    """What holds for all answers of a file or of a section of it."""

    suite: str
    agent: Agent
    job: str | None = None
    official: bool = False
    """Whether the leaderboard gave the verdicts."""
    graded_here: bool = True
    """Whether an answer without a verdict may be matched with the reference (a cut or redacted one may not)."""


def read_questions(file: Path, where: str) -> dict[str, Question]:
    """Read ``metadata.jsonl``: id of a question -> what is known of it; lines that cannot be read are passed over."""
    found = {}
    for line in read_lines(file, where):
        entry = line.value or {}
        task = text(entry.get("task_id"))
        if task is not None:
            reference = entry.get("Final answer")
            known = text(reference) if reference != _UNKNOWN else None
            asked = text(entry.get("Question"))
            digest = None if asked is None else task_digest({"question": asked, "reference": known})
            found[task] = Question(text(entry.get("Level")), known, digest)
    return found


def trial_of(
    record: Mapping[str, Any], run: Run, questions: Mapping[str, Question], where: str, log: ImportLog
) -> Trial | None:
    """Turn an answer into a trial; ``None``, and told to the log, when it names no question."""
    task = _first(record, _TASK, text)
    if task is None:
        log.add("dropped", "record without task_id", where)
        return None
    question = questions.get(task, Question(None, None, None))
    level = _first(record, _LEVEL, text) or question.level
    outcome, verdict, reason = _ended(record, run, question)
    milliseconds = _first(record, _MILLISECONDS, _amount)
    return Trial(
        suite=run.suite,
        task=task,
        task_digest=question.digest,
        family=None if level is None else f"level {level.removeprefix('level ')}",
        agent=run.agent.name,
        agent_digest=agent_digest(run.agent.name, {"model": run.agent.model, "settings": run.agent.settings}),
        model_requested=run.agent.model,
        trial="1",
        job=run.job,
        outcome=outcome,
        reason=reason,
        verdict=verdict,
        verdicts={"official": verdict is Verdict.PASS} if run.official and verdict is not None else None,
        steps=_first(record, _STEPS, whole),
        tool_calls=_tool_calls(record),
        wall_s=None if milliseconds is None else milliseconds / 1000,
        source=SOURCE,
        source_ref=where,
    )


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None


def _ended(record: Mapping[str, Any], run: Run, question: Question) -> _Ended:
    answered = any(name in record for name in _ANSWER)
    answer = _first(record, _ANSWER, text)
    correct = _first(record, _CORRECT, truth)
    if answered and answer is None and not correct:
        return _Ended(Outcome.NO_OUTPUT, Verdict.FAIL, "no answer")
    if correct is not None:
        return _Ended(Outcome.COMPLETED, Verdict.PASS if correct else Verdict.FAIL)
    if answer is None or question.reference is None or not run.graded_here:
        return _Ended(Outcome.COMPLETED, None, "not graded: no score, and no reference")
    right = quasi_exact(answer, question.reference)
    return _Ended(Outcome.COMPLETED, Verdict.PASS if right else Verdict.FAIL, "quasi-exact match")


def _first(record: Mapping[str, Any], names: tuple[str, ...], read: Any) -> Any:
    """First of several names under which something that can be read stands."""
    return next((found for name in names if (found := read(record.get(name))) is not None), None)


def _amount(value: Any) -> float | None:
    """A number, also one with commas between the thousands."""
    return number(value.replace(",", "")) if isinstance(value, str) else number(value)


def _tool_calls(record: Mapping[str, Any]) -> int | None:
    value = next((record[name] for name in _TOOLS if name in record), None)
    if isinstance(value, str):
        return 0 if value.strip() in {"", "-"} else len(value.split(","))
    return len(value) if isinstance(value, list) else None
