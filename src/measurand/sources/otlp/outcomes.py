"""How a trace ended, and what evaluators said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.model.outcomes import Outcome, Verdict
from measurand.sources.otlp.meaning import Judgement, judgements, passes
from measurand.sources.reading.failure_words import outcome_of_failure, short
from measurand.sources.reading.loose_values import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.sources.otlp.spans import Span
    from measurand.sources.otlp.tree import Tree

__all__ = ["Ended", "ended"]

_STATUS: Final = "test.case.result.status"


class Ended(NamedTuple):
    """How a trial ended."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None
    verdicts: dict[str, bool]
    score: float | None


def ended(tree: Tree, chosen: str | None, tell: Callable[[str], None]) -> Ended:
    """Say how a trace ended.

    Args:
        tree: the trace.
        chosen: evaluator, or attribute, whose word is the verdict; else ``test.case.result.status``, else the only evaluator.
        tell: told what is doubtful.
    """
    found = _by_evaluator(tree, tell)
    main = _main(tree, found, chosen, tell)
    verdict = None if main.passed is None else Verdict.PASS if main.passed else Verdict.FAIL
    verdicts = {
        name: one.passed for name, one in found.items() if one.passed is not None and name != main.name
    }
    failed = next((span for span in (tree.root(), tree.nodes[0].span) if span.failed), None)
    if failed is None:
        return Ended(Outcome.COMPLETED, verdict, None, verdicts, main.score)
    reason = _reason(failed)
    outcome = outcome_of_failure(reason)
    if outcome is Outcome.INFRA_ERROR:
        verdict = None
    elif verdict is None:
        verdict = Verdict.FAIL
    return Ended(outcome, verdict, short(reason), verdicts, main.score)


def _reason(span: Span) -> str:
    """What failed, in the trace's words."""
    exceptions = [event.attributes for event in span.events if event.name == "exception"]
    words = (
        text(span.get("error.type")),
        span.message,
        *(text(one.get("exception.message")) for one in exceptions[:1]),
    )
    return ": ".join(dict.fromkeys(filter(None, words))) or "error"


def _by_evaluator(tree: Tree, tell: Callable[[str], None]) -> dict[str, Judgement]:
    """Gather what each evaluator said; one that contradicts itself said nothing."""
    found: dict[str, Judgement] = {}
    for node in tree.nodes:
        for judgement in judgements(node.span):
            before = found.setdefault(judgement.name, judgement)
            if before != judgement:
                tell(f"{judgement.name} judged more than once, and not alike: no verdict")
                found[judgement.name] = Judgement(judgement.name, None, None)
    return found


def _main(
    tree: Tree, found: dict[str, Judgement], chosen: str | None, tell: Callable[[str], None]
) -> Judgement:
    """Whose word is the verdict."""
    if chosen is not None:
        return found.get(chosen) or Judgement(chosen, passes(tree.attribute(chosen)), None)
    status = passes(tree.attribute(_STATUS))
    if status is not None:
        return Judgement(_STATUS, status, None)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        tell(f"several evaluators ({', '.join(sorted(found))}): no verdict; --map verdict=NAME")
    return Judgement("", None, None)
