"""Every Eval Ever's samples: which lines are one sample under several metrics, and what each line says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from measurand.model.outcomes import Outcome, Verdict
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.loose_values import list_of, number, object_of, text, truth, whole

if TYPE_CHECKING:
    from measurand.sources.every_eval_ever.logs import Evaluation

__all__ = ["Ended", "Index", "Sample", "Tokens", "ended", "tokens_of"]


class Sample(NamedTuple):
    """What a line is about."""

    id: str
    hash: str | None
    name: str
    """Of the evaluation."""
    result: str | None
    score: float | None
    correct: bool | None

    @classmethod
    def of(cls, record: dict[str, Any]) -> Sample | None:
        """Read a line; ``None`` when it names no sample."""
        id_ = text(record.get("sample_id"))
        if id_ is None:
            return None
        evaluation = object_of(record.get("evaluation"))
        return cls(
            id_,
            text(record.get("sample_hash")),
            text(record.get("evaluation_name")) or "unnamed",
            text(record.get("evaluation_result_id")),
            number(evaluation.get("score")),
            truth(evaluation.get("is_correct")),
        )

    @property
    def key(self) -> tuple[str, str]:
        """What makes it the same sample: id and content; where the content has no hash, id and evaluation."""
        return self.id, self.hash or self.name

    @property
    def metric(self) -> str:
        """Which result it belongs to."""
        return self.result or self.name


class Index:
    """All lines of a file in short: a sample that several metrics score has a line for each, and is one trial."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.order = {
            metric: place
            for place, result in enumerate(evaluation.results)
            for metric in (result.id, result.name)
            if metric
        }
        self.lines: dict[tuple[str, str], dict[str, list[bool | None]]] = {}
        self.graded: set[str] = set()
        """Metrics whose scores are not all 0 or 1."""
        self.names: dict[str, set[tuple[str, str]]] = {}
        """Id of a sample -> its keys: more than one when two evaluations number their samples alike."""

    def add(self, sample: Sample) -> None:
        """Take a line in."""
        self.lines.setdefault(sample.key, {}).setdefault(sample.metric, []).append(sample.correct)
        self.names.setdefault(sample.id, set()).add(sample.key)
        if sample.score not in {0.0, 1.0, None}:
            self.graded.add(sample.metric)

    def main(self, sample: Sample) -> str:
        """Metric that judges the sample: the first of the aggregate, else of the file."""
        metrics = self.lines[sample.key]
        return min(metrics, key=lambda metric: self.order.get(metric, len(self.order)))

    def others(self, sample: Sample, occurrence: int) -> dict[str, bool]:
        """What the other metrics say of the sample."""
        main = self.main(sample)
        found = {
            metric: said[occurrence]
            for metric, said in self.lines[sample.key].items()
            if metric != main and occurrence < len(said)
        }
        return {metric: passed for metric, passed in found.items() if passed is not None}

    def task(self, sample: Sample) -> str:
        """Id of the task: of the sample, and of the evaluation where another one has a sample of that id."""
        return sample.id if len(self.names[sample.id]) == 1 else f"{sample.name}/{sample.id}"


class Ended(NamedTuple):
    """How a trial ended."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None = None


def ended(record: dict[str, Any], sample: Sample, *, graded: bool) -> Ended:
    """Say how a trial ended.

    Args:
        record: the line.
        sample: what it is about; its score is ``None`` when unknown.
        graded: whether the metric knows more than right and wrong; then any score passes the gate.
    """
    error = text(record.get("error"))
    said = None if sample.correct is None else Verdict.PASS if sample.correct else Verdict.FAIL
    if error:
        outcome = outcome_of_failure(error)
        if outcome is Outcome.INFRA_ERROR:
            return Ended(outcome, None, short(error))
        return Ended(outcome, Verdict.PASS if said is Verdict.PASS else Verdict.FAIL, short(error))
    if sample.score is None or (said is None and not graded):
        return Ended(Outcome.GRADER_ERROR, None, "no score" if sample.score is None else "no is_correct")
    if said is not Verdict.PASS and _is_empty(record):
        return Ended(Outcome.NO_OUTPUT, Verdict.FAIL, "no output")
    return Ended(Outcome.COMPLETED, Verdict.PASS if graded else said)


def _is_empty(record: dict[str, Any]) -> bool:
    output = record.get("output")
    return isinstance(output, dict) and not any(text(one) for one in list_of(output.get("raw")))


class Tokens(NamedTuple):
    """Tokens by class; unknown is ``None``."""

    input: int | None
    cached: int | None
    written: int | None
    output: int | None
    reasoning: int | None
    total: int | None


def tokens_of(record: dict[str, Any]) -> Tokens:
    """Return the tokens of a sample, cached ones apart from the input.

    The schema does not say whether ``input_tokens`` holds cached ones; the total does.
    """
    usage = object_of(record.get("token_usage"))
    asked, output, total = (whole(usage.get(f"{name}_tokens")) for name in ("input", "output", "total"))
    cached, written = (whole(usage.get(f"input_tokens_cache_{name}")) for name in ("read", "write"))
    both = (cached or 0) + (written or 0)
    if both and None not in {asked, output, total} and total != (asked or 0) + (output or 0) + both:
        asked = (asked or 0) - both if (asked or 0) >= both else None
    return Tokens(
        asked, cached, written, output, whole(usage.get("reasoning_tokens")), total if asked is None else None
    )
