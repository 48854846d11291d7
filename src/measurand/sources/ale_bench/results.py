"""A result of ALE-Bench becomes a trial: one configuration's program for one contest, judged and ranked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.trial import Trial
from measurand.sources.reading.loose_values import number, text, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurand.sources.base import ImportLog

__all__ = ["SOURCE", "Agent", "Place", "Result", "agent_of", "refinements_of", "result_of"]

SOURCE: Final = "ale_bench"
_PRICES: Final = f"self-reported by {SOURCE}"
_METHOD: Final = re.compile(r"self_refine_(\d{1,6})")
_ACCEPTED: Final = "ACCEPTED"
_JUDGED: Final = {
    "COMPILATION_ERROR": Outcome.INVALID_OUTPUT,
    "INTERNAL_ERROR": Outcome.GRADER_ERROR,
}
"""Word of the judge -> outcome; any other is a program that ran and was not accepted."""


class Agent(NamedTuple):
    """A configuration: a model, and how often it may refine its program."""

    model: str
    refinements: int

    @property
    def name(self) -> str:
        """Name of the agent."""
        return f"{self.model} (self-refine {self.refinements})"

    @property
    def digest(self) -> str:
        """Digest of its configuration."""
        return agent_digest(self.name, {"model": self.model, "num_self_refine": self.refinements})


class Place(NamedTuple):
    """Where a result belongs."""

    suite: str
    task: str
    where: str


class Result(NamedTuple):
    """A trial, and its rank in the contest's standings."""

    trial: Trial
    rank: float | None


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None


def agent_of(model: Any, refinements: Any) -> Agent | None:
    """Read a configuration; ``None`` when its model has no name or its refinements are no count."""
    name, times = text(model), whole(refinements)
    return None if name is None or times is None else Agent(name, times)


def refinements_of(method: str) -> int | None:
    """Number of refinements by the name of a method; repeated sampling is the first of them."""
    found = _METHOD.fullmatch(method)
    return int(found[1]) if found else 1 if method == "repeated_sampling" else None


def result_of(record: Mapping[str, Any], agent: Agent, place: Place, log: ImportLog) -> Result:
    """Turn a record into a trial.

    The gate is the judge: accepted or not. The quantity is the score of the contest; its direction is for the caller to
    say. The official score is the performance, which may be negative.
    """
    ended = _ended(record)
    score = number(record.get("overall_absolute_score")) if ended.verdict is not Verdict.FAIL else None
    performance = _unless_broken(record, "performance", place.where, log)
    cost = _unless_broken(record, "cost", place.where, log)
    trial = Trial(
        suite=place.suite,
        task=place.task,
        agent=agent.name,
        agent_digest=agent.digest,
        model_requested=agent.model,
        trial="1",
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=ended.verdict,
        official_score=performance,
        quantity=score,
        unit="score",
        kind="interval",
        cost_usd=cost,
        price_table=None if cost is None else _PRICES,
        total_tokens=whole(record.get("total_tokens")),
        input_tokens=whole(record.get("input_tokens")),
        output_tokens=whole(record.get("output_tokens")),
        harness=SOURCE,
        source=SOURCE,
        source_ref=place.where,
    )
    if cost == 0 and (trial.total_tokens or trial.output_tokens):
        log.add("note", "cost is 0 though tokens were used: a free endpoint, or no price", place.where)
    return Result(trial, number(record.get("rank")))


def _ended(record: Mapping[str, Any]) -> _Ended:
    if record.get("error") is not None:
        return _Ended(Outcome.GRADER_ERROR, None, text(record.get("error")) or "error of the evaluation")
    word = text(record.get("overall_judge_result"))
    if word is None:
        return _Ended(Outcome.COMPLETED, None, "no word of the judge")
    word = word.rpartition(".")[2]
    if word == _ACCEPTED:
        return _Ended(Outcome.COMPLETED, Verdict.PASS)
    outcome = _JUDGED.get(word, Outcome.COMPLETED)
    return _Ended(outcome, None if outcome is Outcome.GRADER_ERROR else Verdict.FAIL, word)


def _unless_broken(record: Mapping[str, Any], key: str, where: str, log: ImportLog) -> float | None:
    value = number(record.get(key))
    if value is None and record.get(key) is not None:
        log.add("unknown", f"{key} is no finite number", where)
    return value
