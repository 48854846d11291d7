"""What spans mean: the GenAI semantic conventions of OpenTelemetry, and the span kinds of OpenInference.

Read by version 1.42.0 of the GenAI conventions (schema ``https://opentelemetry.io/schemas/gen-ai/1.42.0``), with the names that
earlier ones had for tokens.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.sources.otlp.spans import Span

__all__ = [
    "GENAI_VERSION",
    "Judgement",
    "Role",
    "Usage",
    "is_newer",
    "judgements",
    "passes",
    "role_of",
    "said",
    "structured",
    "usage_of",
]

GENAI_VERSION: Final = (1, 42, 0)
_SCHEMA: Final = re.compile(r".*/schemas/gen-ai/(\d+)\.(\d+)\.(\d+)")


class Role(Enum):
    """What a span stands for."""

    MODEL = "model"
    EMBEDDING = "embedding"
    TOOL = "tool"
    AGENT = "agent"
    EVALUATOR = "evaluator"
    STEP = "step"
    """Any other step of an agent: chain, retriever, guardrail."""
    OTHER = "other"
    """Nothing of either convention: HTTP, databases."""


_OPERATIONS: Final = {
    "chat": Role.MODEL,
    "generate_content": Role.MODEL,
    "text_completion": Role.MODEL,
    "embeddings": Role.EMBEDDING,
    "execute_tool": Role.TOOL,
    "invoke_agent": Role.AGENT,
    "create_agent": Role.STEP,
    "invoke_workflow": Role.AGENT,
}
_KINDS: Final = {
    "LLM": Role.MODEL,
    "EMBEDDING": Role.EMBEDDING,
    "TOOL": Role.TOOL,
    "AGENT": Role.AGENT,
    "EVALUATOR": Role.EVALUATOR,
}
_TOKENS: Final = {
    "input": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "output": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    "cached": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ),
    "written": (
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ),
    "reasoning": (
        "gen_ai.usage.reasoning.output_tokens",
        "llm.token_count.completion_details.reasoning",
    ),
    "total": ("llm.token_count.total",),
}
_COST: Final = ("llm.cost.total", "gen_ai.usage.cost")
_RESULT: Final = "gen_ai.evaluation.result"
_FEEDBACK: Final = re.compile(r"(?:trace\.)?(annotation|evaluation)s\.(\d+)\.\1\.(name|label|score)")
_PASSED: Final = {"pass", "passed", "correct", "true", "success", "succeeded", "yes"}
_FAILED: Final = {"fail", "failed", "incorrect", "false", "failure", "no"}


def is_newer(schema: str | None) -> bool:
    """Whether a schema's URL names a version of the GenAI conventions beyond the one read here."""
    found = _SCHEMA.fullmatch(schema or "")
    return found is not None and tuple(map(int, found.groups())) > GENAI_VERSION


def role_of(span: Span) -> Role:
    """Say what a span stands for; where it follows both conventions, OpenInference's kind holds."""
    kind = text(span.get("openinference.span.kind"))
    if kind:
        return _KINDS.get(kind.upper(), Role.STEP)
    operation = text(span.get("gen_ai.operation.name"))
    if operation:
        return _OPERATIONS.get(operation, Role.STEP)
    return (
        Role.MODEL
        if span.get("gen_ai.request.model") and span.get(*_TOKENS["output"]) is not None
        else Role.OTHER
    )


class Usage(NamedTuple):
    """Tokens and dollars that a span states; unknown is ``None``."""

    input: int | None
    """All input tokens, cached ones included, as both conventions have it."""
    output: int | None
    cached: int | None
    written: int | None
    reasoning: int | None
    total: int | None
    cost: float | None

    @property
    def tokens(self) -> int:
        """Input and output together; their total where only that is known."""
        return (self.input or 0) + (self.output or 0) or self.total or 0

    @property
    def uncached(self) -> int | None:
        """Input tokens without cached ones; a span that counts less than those left them out itself."""
        cached = (self.cached or 0) + (self.written or 0)
        return self.input if self.input is None or self.input < cached else self.input - cached


def usage_of(span: Span) -> Usage | None:
    """Return what a span states, ``None`` when it states nothing."""
    counts = {name: whole(span.get(*keys)) for name, keys in _TOKENS.items()}
    cost = number(span.get(*_COST))
    if cost is None and all(count is None for count in counts.values()):
        return None
    return Usage(**counts, cost=cost)


class Judgement(NamedTuple):
    """What an evaluator said."""

    name: str
    passed: bool | None
    score: float | None


def passes(value: Any) -> bool | None:
    """Take a label, a truth value, or a score of 0 or 1 for a verdict; ``None`` for anything else."""
    if isinstance(value, bool):
        return value
    word = (text(value) or "").lower() if isinstance(value, str) else ""
    if word in _PASSED | _FAILED:
        return word in _PASSED
    return {0.0: False, 1.0: True}.get(number(value))  # type: ignore[arg-type]


def judgements(span: Span) -> Iterator[Judgement]:
    """Yield what evaluators said: results as events (GenAI), and annotations or evaluations (OpenInference)."""
    for event in span.events:
        if event.name == _RESULT:
            found = {key.removeprefix("gen_ai.evaluation."): value for key, value in event.attributes.items()}
            yield _judgement(found.get("name"), found.get("score.label"), found.get("score.value"))
    feedback: dict[str, dict[str, Any]] = {}
    for key, value in span.attributes.items():
        if match := _FEEDBACK.fullmatch(key):
            feedback.setdefault(key.rpartition(f".{match[1]}.")[0], {})[match[3]] = value
    for found in feedback.values():
        yield _judgement(found.get("name"), found.get("label"), found.get("score"))


def _judgement(name: Any, label: Any, score: Any) -> Judgement:
    by_label = passes(label)
    return Judgement(
        text(name) or "evaluation", passes(score) if by_label is None else by_label, number(score)
    )


def said(span: Span) -> str | None:
    """Return the text that a model answered, as far as it was recorded."""
    messages = structured(span.get("gen_ai.output.messages"))
    parts = [
        object_of(part) for message in list_of(messages) for part in list_of(object_of(message).get("parts"))
    ]
    texts = [text(part.get("content")) for part in parts if part.get("type") == "text"]
    if any(texts):
        return "\n".join(filter(None, texts))
    flat = (f"llm.output_messages.{place}.message.content" for place in range(8))
    flattened = [found for key in flat if (found := text(span.get(key)))]
    return "\n".join(flattened) or text(span.get("output.value"))


def structured(value: Any) -> Any:
    """Return an attribute that may be JSON in a text."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return value
