"""Source ``otlp``: OpenTelemetry traces of agents (OTLP JSON) by the GenAI conventions or OpenInference; a trace is a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from measurand.errors import FormatError, UsageError
from measurand.model.digests import agent_digest
from measurand.model.table import trials_frame
from measurand.model.trial import UNNAMED, Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.otlp.events import events
from measurand.sources.otlp.meaning import Role, is_newer
from measurand.sources.otlp.outcomes import ended
from measurand.sources.otlp.spans import Span, holds_spans, read_spans
from measurand.sources.otlp.tree import Tree
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_files import head
from measurand.sources.reading.loose_values import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    import polars as pl

__all__ = ["OtlpSource"]

_ENDINGS: Final = (".json", ".jsonl", ".ndjson")
_MARKS: Final = (b'"gen_ai.', b'"openinference.', b'"llm.')
_TEXTS: Final = ("suite", "suite_version", "task", "family", "agent", "trial", "job")
_MAPPED: Final = (*_TEXTS, "verdict")
_DEFAULTS: Final = {
    "suite": ("test.suite.name",),
    "task": ("test.case.name", "task.id", "task_id", "task.name", "sample.id"),
}
"""Field -> attributes that say it, where no other is named."""
_REQUESTED: Final = ("gen_ai.request.model", "llm.model_name")
_SERVED: Final = "gen_ai.response.model"
_PRICES: Final = "self-reported by otlp"
_BATCH: Final = 500


class OtlpSource:
    """Reads exports of spans: whole, or one a line as the collector's file exporter writes them."""

    name = "otlp"
    title = "OpenTelemetry traces (OTLP JSON) with GenAI or OpenInference spans; a trace is a trial"

    def sniff(self, path: Path) -> Match | None:
        """Claim a file with resourceSpans, or a folder that holds some (at its top or one folder below)."""
        files = [file for file in some_files(path, *_ENDINGS) if holds_spans(file)]
        if any(mark in head(file) for file in files for mark in _MARKS):
            return Match(95, "OTLP JSON with GenAI or OpenInference spans")
        return Match(70, "OTLP JSON") if files else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each trace. Heeds suite, where the data name none, and mapping: a field to the attribute, or evaluator, that says it.

        Raises:
            FormatError: no spans at ``path``, or not readable.
            UsageError: a field that no attribute can give.
        """
        refuse_options(options, self.name, "constants", "outcomes", "anchors", "tasks")
        unheeded = sorted(set(options.mapping) - set(_MAPPED))
        if unheeded:
            raise UsageError(
                f"no attribute of a span can give {', '.join(unheeded)}", hint=f"one of: {', '.join(_MAPPED)}"
            )
        traces = _traces(path, log)
        trials: list[Trial] = []
        for spans in traces.values():
            log.rows_read += 1
            trial = _trial(spans, options, log)
            if trial is not None:
                trials.append(trial)
            if len(trials) >= _BATCH:
                yield trials_frame(trials)
                trials = []
        yield trials_frame(trials)


def _traces(path: Path, log: ImportLog) -> dict[str, list[Span]]:
    """Gather the spans of each trace: they may be scattered over batches and files."""
    found: dict[str, dict[str, Span]] = {}
    files = 0
    for file in files_below(path, log, *_ENDINGS):
        name = name_below(file, path)
        if not holds_spans(file):
            log.add("note", "file without resourceSpans: not read", name)
            continue
        files += 1
        for span in read_spans(file, name, contents=log.keep_trace is not None):
            if not isinstance(span, Span):
                log.rows_read += 1
                log.add("dropped", span.why, span.where)
            elif found.setdefault(span.trace, {}).setdefault(span.id, span) is not span:
                log.add("note", "span that was exported twice: counted once", span.where)
    if not files:
        raise FormatError(
            "no spans of OpenTelemetry",
            where=str(path),
            hint="expected OTLP JSON: an object with resourceSpans",
        )
    return {trace: list(spans.values()) for trace, spans in found.items()}


def _trial(spans: list[Span], options: ReadOptions, log: ImportLog) -> Trial | None:
    tree = Tree(spans)
    where = f"{spans[0].where}: trace {spans[0].trace}"
    if all(node.role is Role.OTHER for node in tree.nodes):
        log.add("dropped", "trace without a span of GenAI or OpenInference", where)
        return None
    _tell(tree, where, log)
    named = _named(tree, options, where, log)
    how = ended(tree, options.mapping.get("verdict"), lambda what: log.add("note", what, where))
    requested, served = tree.models(*_REQUESTED), tree.models(_SERVED)
    if len(served) > 1:
        log.add("note", "calls served by several models", f"{where}: {', '.join(served)}")
    start, end = tree.bounds()
    wall = (end - start).total_seconds() if start and end and end >= start else None
    cost = tree.cost()
    if cost == 0 and (tree.total("input", "output") or 0) > 0:
        log.add("unknown", "cost is 0 with tokens used: unknown", where)
        cost = None
    split = tree.total("input", "output") is not None
    trial = Trial(
        **named,
        model_requested=", ".join(requested) or None,
        model_served=", ".join(served) or None,
        outcome=how.outcome,
        reason=how.reason,
        verdict=how.verdict,
        verdicts=how.verdicts or None,
        official_score=how.score,
        cost_usd=cost,
        price_table=None if cost is None else _PRICES,
        total_tokens=None if split else tree.total("total"),
        input_tokens=tree.total("uncached"),
        cached_tokens=tree.total("cached"),
        cache_write_tokens=tree.total("written"),
        output_tokens=tree.total("output"),
        reasoning_tokens=tree.total("reasoning"),
        steps=tree.calls(),
        tool_calls=len(list(tree.of(Role.TOOL))),
        wall_s=wall,
        started_at=start,
        finished_at=end,
        source=OtlpSource.name,
        source_ref=where,
    )
    return replace(trial, trace_digest=log.trace(lambda: events(tree, trial)))


def _tell(tree: Tree, where: str, log: ImportLog) -> None:
    """Note what about a trace is not as it should be."""
    if tree.cut:
        log.add("note", "the root span is not in the data", where)
    if tree.overstated:
        log.add("note", "a span states more tokens than the calls below it: the calls count", where)
    if any(is_newer(node.span.schema) for node in tree.nodes):
        log.add("note", "written by a newer version of the GenAI conventions than 1.42.0", where)
    if any(node.span.start and node.span.end and node.span.end < node.span.start for node in tree.nodes):
        log.add("note", "a span ends before it starts: its time is not counted", where)


def _named(tree: Tree, options: ReadOptions, where: str, log: ImportLog) -> dict[str, Any]:
    """Say what trial it is: by the attributes that the user names, else by those that are usual."""
    said = {field: _mapped(tree, options.mapping, field) for field in _TEXTS}
    suite = said["suite"] or options.suite
    if suite is None:
        log.add("note", "the data name no suite; --suite NAME gives it one", where)
    if said["task"] is None:
        log.add(
            "note", "no attribute names the task: the name of the root span does; --map task=ATTRIBUTE", where
        )
    root = tree.root()
    scaffold = text(root.get("gen_ai.agent.name", "agent.name")) or text(root.resource.get("service.name"))
    models = tree.models(*_REQUESTED)
    usual = (
        f"{models[0]} ({scaffold})"
        if models and scaffold
        else scaffold or next(iter(models), "unnamed agent")
    )
    agent = said["agent"] or usual
    settings = {
        "scaffold": scaffold,
        "model": models[0] if models else None,
        "version": text(root.get("gen_ai.agent.version")) or text(root.resource.get("service.version")),
    }
    return {
        "suite": suite or UNNAMED,
        "suite_version": said["suite_version"],
        "task": said["task"] or tree.nodes[0].span.name,
        "family": said["family"],
        "agent": agent,
        "agent_digest": agent_digest(agent, settings),
        "trial": said["trial"] or tree.nodes[0].span.trace,
        "job": said["job"],
    }


def _mapped(tree: Tree, mapping: Mapping[str, str], field: str) -> str | None:
    names = (mapping[field],) if field in mapping else _DEFAULTS.get(field, ())
    return next((found for name in names if (found := text(tree.attribute(name)))), None)
