"""The spans of a trace as events: calls of models, actions and what they gave, in the order of the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.model.trace import Draft
from measurand.sources.otlp.meaning import Role, said, structured, usage_of
from measurand.sources.reading.chat_trace import known
from measurand.sources.reading.loose_values import list_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.model.trial import Trial
    from measurand.sources.otlp.spans import Span
    from measurand.sources.otlp.tree import Node, Tree

__all__ = ["events"]


def events(tree: Tree, trial: Trial) -> Iterator[Draft]:
    """Yield the events of a trace. An event follows from that of the span above it."""
    first = tree.nodes[0].span
    yield Draft("trial_start", {"task": trial.task, "agent": trial.agent, "trace": first.trace}, first.start)
    number = 1
    places: list[int] = []
    for node in tree.nodes:
        cause = 0 if node.parent is None else places[node.parent]
        places.append(number)
        for draft in _of_span(node, number, cause):
            number += 1
            yield draft
    end = {"outcome": trial.outcome, "verdict": trial.verdict}
    yield Draft("trial_end", known(end), trial.finished_at, cause=0)


def _of_span(node: Node, number: int, cause: int) -> Iterator[Draft]:
    span = node.span
    if node.role in {Role.MODEL, Role.EMBEDDING} and not node.graded:
        yield from _model_call(span, number, cause)
    elif node.role is Role.TOOL and not node.graded:
        yield from _action(span, number, cause)
    else:
        payload = {"span": span.id, "name": span.name, "kind": node.role.value, "seconds": span.seconds}
        yield Draft("note", known(payload), span.start, cause=cause)
    if span.failed and node.role is not Role.TOOL:
        error = {"class": text(span.get("error.type")), "message": span.message or _exception(span)}
        yield Draft("error", known(error), span.end, cause=number)
    for event in span.events:
        if event.name != "exception":
            yield Draft("note", {"event": event.name, **event.attributes}, event.t, cause=number)


def _model_call(span: Span, number: int, cause: int) -> Iterator[Draft]:
    usage = usage_of(span)
    reasons = [
        found for reason in list_of(span.get("gen_ai.response.finish_reasons")) if (found := text(reason))
    ]
    payload = {
        "span": span.id,
        "model": text(span.get("gen_ai.request.model", "llm.model_name", "embedding.model_name")),
        "model_served": text(span.get("gen_ai.response.model")),
        "input_tokens": usage and usage.uncached,
        "cached_tokens": usage and usage.cached,
        "cache_write_tokens": usage and usage.written,
        "output_tokens": usage and usage.output,
        "reasoning_tokens": usage and usage.reasoning,
        "cost_usd": usage and usage.cost,
        "seconds": span.seconds,
        "stop_reason": ", ".join(reasons) or None,
    }
    yield Draft("model_call", known(payload), span.start, cause=cause)
    if answer := said(span):
        yield Draft("decision", {"text": answer}, span.end, cause=number)


def _action(span: Span, number: int, cause: int) -> Iterator[Draft]:
    id_ = text(span.get("gen_ai.tool.call.id", "tool_call.id", "tool.id")) or span.id
    asked = structured(span.get("gen_ai.tool.call.arguments", "tool.parameters", "input.value"))
    tool = text(span.get("gen_ai.tool.name", "tool.name")) or span.name
    yield Draft(
        "action",
        known({"id": id_, "span": span.id, "tool": tool, "arguments": asked}),
        span.start,
        cause=cause,
    )
    gave = structured(span.get("gen_ai.tool.call.result", "output.value"))
    error: Any = (
        (span.message or _exception(span) or text(span.get("error.type")) or "failed")
        if span.failed
        else None
    )
    payload = {"action": id_, "text": gave, "error": error, "seconds": span.seconds}
    yield Draft("observation", known(payload), span.end, cause=number)


def _exception(span: Span) -> str | None:
    found = (event.attributes.get("exception.message") for event in span.events if event.name == "exception")
    return next((message for one in found if (message := text(one))), None)
