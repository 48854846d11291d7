"""A record of MLE-bench's grading reports becomes a trial: a submission to one competition, graded against its medals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.digests import agent_digest
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.trial import Trial
from measurand.sources.reading.loose_values import number, text, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurand.sources.base import ImportLog

__all__ = ["HARNESS", "SOURCE", "Place", "flagged_trial", "report_trial"]

SOURCE: Final = "mle_bench"
HARNESS: Final = "mle_bench"
_MEDALS: Final = ("gold_medal", "silver_medal", "bronze_medal")
_OF_A_GRADED: Final = (
    "gold_threshold",
    "bronze_threshold",
    "median_threshold",
    "created_at",
    "submission_path",
)
"""What every graded record has, and none that was put in for a seed that never ran."""
_PADDED: Final = "padded seed: no such run"


class Place(NamedTuple):
    """Where a record belongs."""

    suite: str
    agent: str
    trial: str
    job: str | None
    where: str


class _Ended(NamedTuple):
    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None


def _is_padding(record: Mapping[str, Any]) -> bool:
    """Whether a record only stands for a seed that never ran."""
    return not truth(record.get("submission_exists")) and all(record.get(key) is None for key in _OF_A_GRADED)


def report_trial(record: Mapping[str, Any], place: Place, log: ImportLog) -> Trial | None:
    """Turn a record of a report into a trial; ``None``, and told to the log, when it names no competition.

    The gate is that the submission is valid. The quantity is the score of the competition, whose direction each record
    says; its baseline is the median of the human leaderboard and its reference the bronze medal, so that reaching the
    reference is what MLE-bench counts: any medal.
    """
    task = text(record.get("competition_id"))
    if task is None:
        log.add("dropped", "record without competition_id", place.where)
        return None
    ended = _ended(record, place.where, log)
    flags = _flags(record)
    medal = flags.get("official")
    score = _score(record, place.where, log) if ended.verdict is Verdict.PASS else None
    better = {True: "lower", False: "higher"}.get(truth(record.get("is_lower_better")))  # type: ignore[arg-type]
    baseline, reference = _anchors(record, better, place.where, log)
    if score is not None and reference is not None and medal is not None and better is not None:
        reached = score <= reference if better == "lower" else score >= reference
        if reached != medal:
            log.add("note", "medal flags contradict score and bronze_threshold; the flags hold", place.where)
    return Trial(
        suite=place.suite,
        task=task,
        agent=place.agent,
        agent_digest=agent_digest(place.agent),
        trial=place.trial,
        job=place.job,
        outcome=ended.outcome,
        reason=ended.reason,
        verdict=ended.verdict,
        verdicts=flags or None,
        official_score=None if medal is None else float(medal),
        quantity=score,
        unit="score",
        better=better,
        kind="interval",
        baseline=baseline,
        reference=reference,
        harness=HARNESS,
        source=SOURCE,
        source_ref=place.where,
    )


def _ended(record: Mapping[str, Any], where: str, log: ImportLog) -> _Ended:
    if _is_padding(record):
        log.add("note", "padded seed: MLE-bench counts it as failed, no run stands behind it", where)
        return _Ended(Outcome.MISSING, None, _PADDED)
    exists, valid = truth(record.get("submission_exists")), truth(record.get("valid_submission"))
    if exists is False:
        return _Ended(Outcome.NO_OUTPUT, Verdict.FAIL, "no submission")
    if valid is False:
        return _Ended(Outcome.INVALID_OUTPUT, Verdict.FAIL, "invalid submission")
    if valid is None:
        return _Ended(Outcome.GRADER_ERROR, None, "no word on valid_submission")
    return _Ended(Outcome.COMPLETED, Verdict.PASS)


def _flags(record: Mapping[str, Any]) -> dict[str, bool]:
    """Further verdicts; the official one is any medal."""
    medals = [medal for key in _MEDALS if (medal := truth(record.get(key))) is not None]
    stated = truth(record.get("any_medal"))
    found = {
        "official": any(medals) if medals else stated,
        "gold": truth(record.get("gold_medal")),
        "above_median": truth(record.get("above_median")),
    }
    return {name: passed for name, passed in found.items() if passed is not None}


def _score(record: Mapping[str, Any], where: str, log: ImportLog) -> float | None:
    score = number(record.get("score"))
    if score is None:
        log.add("unknown", "score of a valid submission is no finite number", where)
    return score


def _anchors(
    record: Mapping[str, Any], better: str | None, where: str, log: ImportLog
) -> tuple[float | None, float | None]:
    """Median and bronze threshold, where the latter is better; a threshold of exactly 0 is one like any other."""
    median, bronze = (number(record.get(key)) for key in ("median_threshold", "bronze_threshold"))
    if bronze is None or better is None:
        return None, None
    if median is None or median == bronze:
        return None, bronze
    if (bronze < median) != (better == "lower"):
        log.add("unknown", "bronze_threshold is not better than median_threshold: no anchors", where)
        return None, None
    return median, bronze


def flagged_trial(record: Mapping[str, Any], suite: str, where: str, log: ImportLog) -> Trial | None:
    """Turn a line of normalised results (flags and tokens, no score) into a trial."""
    task, agent = text(record.get("task_id")), text(record.get("model"))
    score, meters = (
        value if isinstance(value := record.get(key), dict) else {} for key in ("score", "metadata")
    )
    if task is None or agent is None:
        log.add("dropped", "line without task_id or model", where)
        return None
    valid = truth(score.get("valid_submission"))
    flags = {"official": truth(score.get("any_medal")), "above_median": truth(score.get("above_median"))}
    medal = flags["official"]
    reason = None if valid else "no valid submission" if valid is False else "no word on valid_submission"
    return Trial(
        suite=suite,
        task=task,
        agent=agent,
        agent_digest=agent_digest(agent),
        model_requested=agent,
        trial="1",
        outcome=_FLAGGED[valid].outcome,
        reason=reason,
        verdict=_FLAGGED[valid].verdict,
        verdicts={name: passed for name, passed in flags.items() if passed is not None} or None,
        official_score=None if medal is None else float(medal),
        input_tokens=_count(meters, "input_tokens", where, log),
        output_tokens=_output(meters, where, log),
        reasoning_tokens=_count(meters, "reasoning_tokens", where, log),
        total_tokens=_count(meters, "total_tokens", where, log),
        steps=_count(meters, "num_turns", where, log),
        source=SOURCE,
        source_ref=where,
    )


_FLAGGED: Final = {
    True: _Ended(Outcome.COMPLETED, Verdict.PASS),
    False: _Ended(Outcome.INVALID_OUTPUT, Verdict.FAIL),
    None: _Ended(Outcome.GRADER_ERROR, None),
}


def _count(meters: Mapping[str, Any], key: str, where: str, log: ImportLog) -> int | None:
    value = number(meters.get(key))
    if value is None or value < 0 or not value.is_integer():
        if meters.get(key) is not None:
            log.add("unknown", f"{key} is no count", where)
        return None
    return int(value)


def _output(meters: Mapping[str, Any], where: str, log: ImportLog) -> int | None:
    """Output with its reasoning: the source counts them apart."""
    output, reasoning = (number(meters.get(key)) for key in ("output_tokens", "reasoning_tokens"))
    if output is None:
        return None
    return _count({"output_tokens": output + max(reasoning or 0.0, 0.0)}, "output_tokens", where, log)
