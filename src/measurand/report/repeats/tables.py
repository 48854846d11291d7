"""Details of reliability: curves as numbers, the tasks that flip, single cells, calibration and meters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from measurand.report.document import Cell, Column, Section, Table
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import DASH, count, finite, interval, percent, ranks, score
from measurand.report.parts import (
    Field,
    build_table,
    data_column,
    estimate_cell,
    meter_label,
    name_cell,
    percent_level,
)
from measurand.wording import plural

if TYPE_CHECKING:
    from measurand.analyze.repeats.records import (
        AgentReliability,
        CellReliability,
        PassPoint,
        Reliability,
        ReliabilityPart,
        TaskFlips,
    )

__all__ = ["consistency_table", "curve_table", "meters_sentences", "tasks_section", "trials_table"]


def consistency_table(part: ReliabilityPart) -> Table:
    """D3 in its forms beside the gate rate, a line an agent."""
    fields: list[Field[AgentReliability]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        Field(
            Column("gate", "Gate rate (D1)", "right"),
            lambda row: (
                _share(row.gate.planned.value)
                if part.reason is None
                else estimate_cell(row.gate.planned, percent)
            ),
        ),
        Field(Column("d3", "D3", "right"), lambda row: estimate_cell(row.d3)),
        Field(Column("d3_unbiased", "Unbiased", "right"), lambda row: _number(row.d3_unbiased.value)),
        Field(Column("d3_max", "D3_max", "right"), lambda row: _number(row.d3_max.value)),
        Field(
            Column("label", "Label", importance=1),
            lambda row: Cell(row.d3_max_label or DASH, row.d3_max_label),
        ),
        Field(
            Column("trials", "Trials", "right", importance=2),
            lambda row: Cell(ranks(row.least_trials, row.most_trials), row.most_trials),
        ),
        *(data_column(name, partial(_field, name=name)) for name in ("least_trials", "tasks", "no_verdict")),
        data_column("one_minus_variance", lambda row: row.one_minus_variance.value),
    ]
    note = (
        "D3: (2p − 1)² of the share p passed of a task's trials, mean over tasks with two or more. Unbiased: the same without the "
        "upward bias of few trials. D3_max: max(p, 1 − p), from ½ to 1, with the label of its mean. Trials: least and most of a "
        f"task with a verdict. Brackets: {percent_level(part.level)} intervals over {'tasks' if part.unit == 'task' else 'families'}."
    )
    table = Table("reliability", "Reproducibility (D3)", (), (), note=note)
    return build_table(fields, part.agents, band=lambda _: None, table=table)


def _field(row: AgentReliability, *, name: str) -> int:
    value: int = getattr(row, name)
    return value


def trials_table(part: ReliabilityPart) -> Table:
    """pass@j and pass^j at the common j, agreement, flips and spending, a line an agent."""
    size = part.size or 1
    spent = any(finite(row.resources.value) is not None for row in part.agents)
    quantity = any(row.quantity is not None and row.quantity.value is not None for row in part.agents)
    fields: list[Field[AgentReliability]] = [
        Field(Column("agent", "Agent", name=True), lambda row: name_cell(row.agent, "strong")),
        Field(
            Column("pass_at", f"pass@{size}", "right"),
            lambda row: _pass_cell(row.point(size), any_passes=True),
        ),
        Field(
            Column("pass_all", f"pass^{size}", "right"),
            lambda row: _pass_cell(row.point(size), any_passes=False),
        ),
        Field(Column("flips", "Flips", "right"), lambda row: estimate_cell(row.flip_rate, percent)),
        Field(
            Column("agreement", "Agreement", "right", importance=2), lambda row: _share(row.agreement.value)
        ),
        Field(
            Column("resources", "Resources", "right", importance=1, shown=spent),
            lambda row: _number(row.resources.value),
        ),
        Field(
            Column("d3_q", "D3_q", "right", importance=3, shown=quantity),
            lambda row: _number(None if row.quantity is None else row.quantity.value),
        ),
    ]
    note = (
        f"pass@{size}: any of {size} trials passes; pass^{size}: all pass; in grey with a dash, bounds for want of verdicts. Flips: "
        "share of tasks with passed and failed trials. Agreement: chance that two trials of a task agree."
    )
    if spent:
        note += " Resources: exp(−mean coefficient of variation of cost, time and steps), 1 where all trials of a task cost the same."
    if quantity:
        note += " D3_q: exp(−coefficient of variation) of the quantity over valid trials."
    table = Table("trials", "Any trial, all trials", (), (), note=note)
    return build_table(fields, part.agents, band=lambda _: None, table=table)


def _number(value: float | None) -> Cell:
    value = finite(value)
    return Cell(score(value), value, "plain" if value is not None else "muted")


def _share(value: float | None) -> Cell:
    value = finite(value)
    return Cell(percent(value), value, "plain" if value is not None else "muted")


def _pass_cell(point: PassPoint | None, *, any_passes: bool) -> Cell:
    """Chance; where too few tasks have verdicts enough, its bounds."""
    if point is None:
        return Cell(DASH, None, "muted")
    estimate = point.any_passes if any_passes else point.all_pass
    if finite(estimate.value) is not None:
        return Cell(percent(estimate.value), estimate.value)
    low, high = (point.any_low, point.any_high) if any_passes else (point.all_low, point.all_high)
    if low is None or high is None:
        return Cell(DASH, None, "muted")
    return Cell(f"{percent(low).removesuffix('%')}{DASH}{percent(high)}", None, "muted")


def meters_sentences(part: ReliabilityPart) -> list[str]:
    """Which meters the consistency of resources rests on, and which do not count."""
    used: dict[str, int] = {}
    left: dict[tuple[str, str], int] = {}
    for row in part.agents:
        for meter in row.meters:
            if meter.variation is not None:
                used[meter.name] = used.get(meter.name, 0) + 1
            elif meter.reason and meter.reason != "not recorded":
                key = meter_label(meter.name).lower(), meter.reason
                left[key] = left.get(key, 0) + 1
    sentences = []
    if used:
        names = ", ".join(
            f"{meter_label(name).lower()} of {plural(number, 'agent')}" for name, number in used.items()
        )
        sentences.append(f"Resource consistency rests on {names}.")
    sentences += [
        f"{name.capitalize()} of {plural(number, 'agent')} does not count: {visible(reason)}."
        for (name, reason), number in left.items()
    ]
    return sentences


def curve_table(part: ReliabilityPart) -> Table:
    """pass@j and pass^j as numbers."""
    fields: list[Field[tuple[AgentReliability, PassPoint]]] = [
        Field(Column("agent", "Agent", name=True), lambda at: name_cell(at[0].agent)),
        Field(Column("j", "j", "right"), lambda at: Cell(count(at[1].j), at[1].j)),
        Field(Column("pass_at", "pass@j", "right"), lambda at: estimate_cell(at[1].any_passes, percent)),
        Field(Column("pass_at_bounds", "Bounds", "right"), lambda at: _bounds(at[1].any_low, at[1].any_high)),
        Field(Column("pass_all", "pass^j", "right"), lambda at: estimate_cell(at[1].all_pass, percent)),
        Field(
            Column("pass_all_bounds", "Bounds", "right"), lambda at: _bounds(at[1].all_low, at[1].all_high)
        ),
        Field(Column("tasks", "Tasks", "right"), lambda at: Cell(count(at[1].n_tasks), at[1].n_tasks)),
    ]
    points = [(row, point) for row in part.agents for point in row.passes]
    note = "Tasks: those with j trials with a verdict. Bounds: trials without a verdict all failed, and all passed, over planned trials."
    table = Table("pass-curves-data", "pass@j and pass^j", (), (), note=note, detail=True)
    return build_table(fields, points, band=lambda _: None, table=table)


def _bounds(low: float | None, high: float | None) -> Cell:
    if low is None or high is None:
        return Cell(DASH, None, "muted")
    return Cell(interval(low, high, percent), low)


def tasks_section(record: Reliability) -> Section | None:
    """The tasks on which trials disagree, and every task of a lone agent."""
    if record.reason:
        return None
    tables = [table for table in (_flips_table(record), _cells_table(record)) if table is not None]
    return Section(
        id="tasks", title="Tasks that flip", sentences=(_flips_sentence(record),), tables=tuple(tables)
    )


def _flips_sentence(record: ReliabilityPart) -> str:
    if not record.flips:
        return "On no task do trials of one agent disagree."
    first = record.flips[0]
    name = shorten(name_shown(first.task), 40)
    if len(record.agents) == 1:
        return f"Trials disagree most on {name}, where {percent(first.rate)} pass."
    return f"Trials disagree most on {name}: {count(first.flipping)} of {plural(first.agents, 'agent')} pass it in some and fail it in others."


def _flips_table(record: ReliabilityPart) -> Table | None:
    if not record.flips:
        return None
    several = len(record.agents) > 1
    fields: list[Field[TaskFlips]] = [
        Field(Column("task", "Task", name=True), lambda row: name_cell(row.task)),
        Field(
            Column("flipping", "Agents that flip", "right", shown=several),
            lambda row: Cell(count(row.flipping), row.flipping),
        ),
        Field(
            Column("agents", "of", "right", shown=several), lambda row: Cell(count(row.agents), row.agents)
        ),
        Field(Column("rate", "Gate rate", "right"), lambda row: Cell(percent(row.rate), row.rate)),
        Field(Column("d3", "D3", "right"), lambda row: Cell(score(row.d3), row.d3)),
    ]
    note = "At most twenty." + (
        " By the share of the agents with two trials or more whose trials disagree; rate and D3: means over these agents."
        if several
        else ""
    )
    table = Table("flips", "Tasks that flip most", (), (), note=note, detail=several)
    return build_table(fields, record.flips, band=lambda _: None, table=table)


def _cells_table(record: Reliability) -> Table | None:
    """Every task of the only agent; several agents' cells are in the data formats."""
    if len(record.agents) != 1:
        return None
    fields: list[Field[CellReliability]] = [
        Field(Column("task", "Task", name=True), lambda row: name_cell(row.task)),
        Field(Column("passes", "Passed", "right"), lambda row: Cell(count(row.passes), row.passes)),
        Field(Column("trials", "of", "right"), lambda row: Cell(count(row.trials), row.trials)),
        Field(Column("d3", "D3", "right"), lambda row: estimate_cell(row.d3)),
        Field(Column("d3_max", "D3_max", "right"), lambda row: estimate_cell(row.d3_max)),
        Field(Column("label", "Label"), lambda row: Cell(row.label or DASH, row.label)),
        data_column("d3_unbiased", lambda row: row.d3_unbiased),
        data_column("agreement", lambda row: row.agreement),
    ]
    note = (
        "Intervals: Clopper-Pearson of p, folded. With few trials of a task they are wide: rest conclusions on the mean over "
        "tasks."
    )
    table = Table("cells", "Every task", (), (), note=note, detail=True)
    return build_table(fields, record.cells, band=lambda _: None, table=table)
