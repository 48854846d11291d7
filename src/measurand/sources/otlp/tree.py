"""The spans of one trace as a tree, and what they used: each token counted once, where no span below states it too."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from measurand.sources.otlp.meaning import Role, Usage, role_of, usage_of
from measurand.sources.reading.loose_values import text

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator

    from measurand.sources.otlp.spans import Span

__all__ = ["Node", "Tree"]


class Node(NamedTuple):
    """A span in its place."""

    span: Span
    role: Role
    parent: int | None
    """Number of the node above it."""
    graded: bool
    """Whether it belongs to an evaluator, and so not to what the agent did."""


class Tree:
    """A trace: parents before children, siblings in the order of the file.

    Attributes:
        nodes: the spans.
        counted: what is stated by spans below which no other span states anything.
        overstated: spans that state more tokens than all that is stated below them.
        cut: whether the root is missing: a parent that is not in the data.
    """

    def __init__(self, spans: list[Span]) -> None:
        self.nodes = list(_in_order(spans))
        self.cut = all(span.parent is not None for span in spans)
        self.counted: list[Usage] = []
        self.overstated = 0
        self._count()

    def _count(self) -> None:
        below = [0] * len(self.nodes)
        has = [False] * len(self.nodes)
        for place in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[place]
            usage = usage_of(node.span)
            if usage and not has[place]:
                below[place], has[place] = usage.tokens, True
                if not node.graded:
                    self.counted.append(usage)
            elif usage and usage.tokens > below[place]:
                self.overstated += 1
            if node.parent is not None:
                below[node.parent] += below[place]
                has[node.parent] |= has[place]

    def total(self, *names: str) -> int | None:
        """Sum a class of tokens over all that counts; ``None`` when none of it is known."""
        found = [
            value for usage in self.counted for name in names if (value := getattr(usage, name)) is not None
        ]
        return sum(found) if found else None

    def cost(self) -> float | None:
        """Sum the dollars; ``None`` when a counted span has tokens and no price."""
        costs = [usage.cost for usage in self.counted if usage.cost is not None or usage.tokens]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known and len(known) == len(costs) else None

    def of(self, role: Role) -> Iterator[Node]:
        """Yield the nodes of a role that belong to the agent and have none of the same role and name right above."""
        for node in self.nodes:
            above = self.nodes[node.parent] if node.parent is not None else None
            twice = above is not None and above.role is role and _label(above.span) == _label(node.span)
            if node.role is role and not node.graded and not twice:
                yield node

    def calls(self) -> int:
        """Count the calls of models: spans of models below which there is none."""
        above = {node.parent for node in self.nodes if node.role is Role.MODEL}
        outer = _with_ancestors(self.nodes, above)
        return sum(
            node.role is Role.MODEL and not node.graded and place not in outer
            for place, node in enumerate(self.nodes)
        )

    def models(self, *names: str) -> list[str]:
        """Models named by these attributes of the agent's calls, most frequent first."""
        found = Counter(
            model
            for node in self.nodes
            if node.role is Role.MODEL and not node.graded and (model := text(node.span.get(*names)))
        )
        return [model for model, _ in found.most_common()]

    def root(self) -> Span:
        """Return the span of the agent nearest to the root; the root where none is an agent's."""
        return next((node.span for node in self.nodes if node.role is Role.AGENT), self.nodes[0].span)

    def attribute(self, name: str) -> Any:
        """Find an attribute: on the root, on what produced it, or on any span, in this order."""
        first = self.nodes[0].span
        places: Iterable[dict[str, Any]] = (
            first.attributes,
            first.resource,
            *(node.span.attributes for node in self.nodes),
        )
        return next((found[name] for found in places if found.get(name) is not None), None)

    def bounds(self) -> tuple[dt.datetime | None, dt.datetime | None]:
        """First start and last end."""
        starts = [node.span.start for node in self.nodes if node.span.start]
        ends = [node.span.end for node in self.nodes if node.span.end]
        return min(starts, default=None), max(ends, default=None)


def _label(span: Span) -> str | None:
    return text(span.get("gen_ai.tool.name", "tool.name", "gen_ai.request.model", "llm.model_name"))


def _with_ancestors(nodes: list[Node], places: set[int | None]) -> set[int]:
    found: set[int] = set()
    for place in places:
        while place is not None and place not in found:
            found.add(place)
            place = nodes[place].parent  # noqa: PLW2901 - climbs
    return found


def _in_order(spans: list[Span]) -> Iterator[Node]:
    """Walk from the roots; spans that are each other's ancestors begin at the first of the file."""
    ids = {span.id for span in spans}
    children: dict[str | None, list[Span]] = {}
    for span in spans:
        children.setdefault(
            span.parent if span.parent in ids and span.parent != span.id else None, []
        ).append(span)
    seen: set[str] = set()
    graded: list[bool] = []
    for start in (*children.get(None, ()), *spans):
        pending: list[tuple[Span, int | None]] = [(start, None)]
        while pending:
            span, parent = pending.pop()
            if span.id in seen:
                continue
            seen.add(span.id)
            role = role_of(span)
            graded.append(role is Role.EVALUATOR or (parent is not None and graded[parent]))
            yield Node(span, role, parent, graded[-1])
            place = len(graded) - 1
            pending.extend((child, place) for child in reversed(children.get(span.id, ())))
