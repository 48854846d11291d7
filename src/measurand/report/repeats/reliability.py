"""Reliability over repeated trials: how often trials of a task agree, and how far any and all of them apart are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from measurand.report.document import Document, Figure, Section
from measurand.report.figures import NARROW, WIDE, ForestRow, forest_spec
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import count, finite, interval, percent, score
from measurand.report.parts import (
    GENERATOR,
    NOT_COMPARABLE,
    findings_section,
    methods_section,
    percent_level,
    suite_title,
)
from measurand.report.repeats.calibration import calibration_section
from measurand.report.repeats.figure import pass_spec
from measurand.report.repeats.tables import (
    consistency_table,
    curve_table,
    meters_sentences,
    tasks_section,
    trials_table,
)
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Collection

    from measurand.analyze.repeats.records import (
        AgentReliability,
        Reliability,
        ReliabilityPart,
    )

__all__ = ["reliability_document", "reliability_section"]

_DRAWN: Final = 20
"""Agents in the figure, the first by gate rate."""


def reliability_document(record: Reliability) -> Document:
    """Report on reliability: the answer, one line an agent, any and all trials, calibration, the tasks that flip."""
    sections = (
        _answer(record),
        _any_and_all(record),
        calibration_section(record),
        tasks_section(record),
        findings_section(record.findings),
        methods_section(record.methods),
    )
    return Document(
        title=f"Reliability: {suite_title(record.suite, record.suite_version)}",
        subtitle=f"{plural(len(record.agents), 'agent')} · {plural(record.n_tasks, 'task')}",
        banner="" if record.comparable else NOT_COMPARABLE,
        sections=tuple(section for section in sections if section is not None),
        command=visible(record.command or ""),
        generator=GENERATOR,
    )


def reliability_section(part: ReliabilityPart, shown: Collection[str]) -> Section | None:
    """What a report on a board says of reliability: one sentence where no task has two trials, or all end alike.

    Args:
        part: of all agents.
        shown: names of the agents in the tables.
    """
    if not part.agents:
        return None
    if part.reason:
        return Section(id="reliability", title="Reliability", sentences=tuple(_flipping(part)))
    if all(row.flip_rate.value in {0.0, None} for row in part.agents):
        text = "Every agent's repeated trials of a task end alike at the gate: D3 is 1 throughout, and tells no agents apart."
        return Section(id="reliability", title="Reliability", sentences=(text,))
    part = msgspec.structs.replace(part, agents=tuple(row for row in part.agents if row.agent in shown))
    more = _any_and_all(part)
    return Section(
        id="reliability",
        title="Reliability",
        sentences=(*_sentences(part), *(more.sentences if more else ())),
        figures=more.figures if more else (),
        tables=(consistency_table(part), *(more.tables if more else ())),
    )


def _short(name: str) -> str:
    return shorten(name_shown(name), 40)


def _answer(part: ReliabilityPart) -> Section:
    return Section(
        id="answer",
        title="What can be concluded",
        sentences=tuple(_sentences(part)),
        tables=(consistency_table(part),),
        lead=True,
    )


def _sentences(part: ReliabilityPart) -> list[str]:
    return [*_flipping(part), *_range(part), *_limits(part)]


def _flipping(part: ReliabilityPart) -> list[str]:
    if part.reason:
        return [f"Whether the agents would do the same again cannot be said: that {visible(part.reason)}."]
    first = next(row for row in part.agents if finite(row.flip_rate.value) is not None)
    place = ", first by gate rate," if first is part.agents[0] and _leads(part) else ""
    around = interval(first.d3.low, first.d3.high)
    level = f", {percent_level(part.level)} interval {around}" if around else ""
    flips = round(first.tasks * (first.flip_rate.value or 0))
    text = (
        f"On {count(flips)} of {plural(first.tasks, 'task')} {_short(first.agent)}{place} passes in some trials and fails in others; "
        f"D3 is {score(first.d3.value)} (1 where every task ends alike in all trials{level})."
    )
    most = f"D3_max is {score(first.d3_max.value)}: {first.d3_max_label} by the rubric."
    return [text, most]


def _leads(part: ReliabilityPart) -> bool:
    """Whether the first agent's gate rate is above that of a second."""
    rates = [row.gate.planned.value for row in part.agents[:2]]
    return len(rates) == 2 and rates[0] != rates[1]


def _range(part: ReliabilityPart) -> list[str]:
    known = [row for row in part.agents if finite(row.d3.value) is not None]
    if len(known) < 2:
        return []
    least, most = min(known, key=_d3), max(known, key=_d3)
    if least.d3.value == most.d3.value:
        return []
    text = (
        f"D3 lies between {score(least.d3.value)} ({_short(least.agent)}, gate rate {percent(least.gate.planned.value)}) and "
        f"{score(most.d3.value)} ({_short(most.agent)}, gate rate {percent(most.gate.planned.value)}). An agent that always "
        "fails has D3 = 1: read it beside the gate rate."
    )
    return [text]


def _d3(row: AgentReliability) -> float:
    return row.d3.value or 0.0


def _apart(part: ReliabilityPart) -> list[str]:
    """How far any and all trials are apart, for the first agent that has them."""
    if part.size is None:
        return []
    for row in part.agents:
        point = row.point(part.size)
        if point is not None and point.any_passes.value is not None:
            text = (
                f"{_short(row.agent)}: at least one of {count(point.j)} trials passes on {percent(point.any_passes.value)} of the "
                f"tasks (pass@{point.j}), all {count(point.j)} pass on {percent(point.all_pass.value)} (pass^{point.j}); over "
                f"{plural(point.n_tasks, 'task')} with so many trials."
            )
            return [text]
    return []


def _limits(part: ReliabilityPart) -> list[str]:
    sentences = []
    if any("k_below_10" in row.flags for row in part.agents):
        sentences.append(
            "k_below_10: some tasks have fewer than 10 trials; D3 is biased upward there, by 4p(1 − p)/k of a task. Agents with "
            "different numbers of trials are compared by the unbiased form."
        )
    lost = sum(row.no_verdict for row in part.agents)
    if lost and not part.reason:
        sentences.append(
            f"{plural(lost, 'planned trial has', 'planned trials have')} no verdict and {'is' if lost == 1 else 'are'} left out of "
            "D3, pass@j and pass^j; the bounds beside pass@j and pass^j count all of them as failed, and as passed."
        )
    return sentences


def _any_and_all(part: ReliabilityPart) -> Section | None:
    """How far any and all trials are apart; ``None`` without repeated trials."""
    if part.reason:
        return None
    figure = _curves(part) if len(part.agents) == 1 else _spans(part)
    return Section(
        id="any-and-all",
        title="Any trial and all trials",
        sentences=(*_apart(part), *meters_sentences(part)),
        figures=() if figure is None else (figure,),
        tables=(trials_table(part), curve_table(part)),
    )


def _curves(part: ReliabilityPart) -> Figure | None:
    row = part.agents[0]
    points = [point for point in row.passes if point.any_passes.value is not None]
    if len(points) < 2:
        return None
    last = points[-1]
    return Figure(
        id="pass-curves",
        title="pass@j and pass^j",
        alt=f"Two curves that start at {percent(points[0].any_passes.value)}: pass@j rises to {percent(last.any_passes.value)} "
        f"and pass^j falls to {percent(last.all_pass.value)} at j = {last.j}.",
        spec=pass_spec(points, size=WIDE),
        narrow=pass_spec(points, size=NARROW),
        note=f"Lines up and down: {percent_level(part.level)} intervals, pointwise.",
    )


def _spans(part: ReliabilityPart) -> Figure | None:
    """From pass^k over the rate of one trial to pass@k, a row an agent."""
    size = part.size
    rows = [] if size is None else [_span(row, size) for row in part.agents]
    known = [row for row in rows if row is not None]
    drawn = known[:_DRAWN]
    if not drawn or size is None:
        return None
    title = f"share of tasks: pass^{size}, one trial, pass@{size}"
    first = drawn[0]
    left = [f"{plural(len(known) - len(drawn), 'agent')} further down"] if len(known) > len(drawn) else []
    if len(known) < len(part.agents):
        left.append(f"{plural(len(part.agents) - len(known), 'agent')} with too few tasks of {size} verdicts")
    return Figure(
        id="pass-spans",
        title=f"From all {size} trials to any of them",
        alt=f"A line for each of {plural(len(drawn), 'agent')}, from pass^{size} over the rate of one trial to pass@{size}; "
        f"{_short(first.agent)}: {percent(first.low)}, {percent(first.mean)}, {percent(first.high)}.",
        spec=forest_spec(drawn, title=title, share=True, size=WIDE),
        narrow=forest_spec(drawn, title=title, share=True, size=NARROW),
        note=f"Left end: all {size} trials of a task pass; dot: one trial passes; right end: any of {size} passes. A short line is a "
        "reliable agent. These are no intervals." + (f" Not drawn: {'; '.join(left)}." if left else ""),
    )


def _span(row: AgentReliability, size: int) -> ForestRow | None:
    point, one = row.point(size), row.point(1)
    if point is None or one is None or point.any_passes.value is None or one.any_passes.value is None:
        return None
    return ForestRow(
        agent=row.agent,
        mean=one.any_passes.value,
        low=point.all_pass.value,
        high=point.any_passes.value,
        tier=None,
    )
