"""Where cap and clip bind, the anchors they go by, and what was left out, in words and tables."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from measurand.report.document import Cell, Column, Item, Section, Table
from measurand.report.names import name_shown, visible
from measurand.report.numbers import count, percent, plain
from measurand.report.parts import Field, build_table, listed, name_cell, percent_level
from measurand.wording import plural, upper_first

if TYPE_CHECKING:
    from measurand.analyze.scorings.binding import Anchors, Binding, TaskBinding
    from measurand.analyze.scorings.left_out import LeftOut

__all__ = ["anchors_section", "binding_section", "binding_summary", "left_out_section"]

FORMS: Final = MappingProxyType(
    {
        "baseline and reference": "baseline and reference: s = ln(q/b)/ln(r/b)",
        "reference only": "reference only: s = 1 + ln(improvement over the reference)",
        "interval": "interval quantities: s = (q − b)/(r − b)",
        "none": "no reference: the graded scores cannot be had",
    }
)
"""Form of the objective -> how a quantity becomes the score s before it is clipped."""


def binding_summary(binding: Binding) -> list[str]:
    """The facts that a reader needs before believing a capped score, in a sentence; none where nothing is known."""
    if binding.reason is not None:
        return []
    if binding.bounds_reason is not None:
        return [f"{_beats(binding)}."]
    if not binding.at_cap:
        return [_cap(binding)]
    cap = f"the cap at it binds in {percent(binding.at_cap / binding.valid)} of the valid ones"
    clip = f"in {percent(binding.at_clip / binding.valid)}" if binding.at_clip else "nowhere"
    return [f"{_beats(binding)}; {cap}, the clip of the objective at {plain(binding.clip)} {clip}."]


def _beats(binding: Binding) -> str:
    least = "At least " if binding.unknown else ""
    share = percent(binding.beats / binding.trials)
    return f"{least}{count(binding.beats)} of {plural(binding.trials, 'trial')} ({share}) beat the reference"


def binding_section(binding: Binding) -> Section:
    """How often trials beat the reference, and how often a bound of a score hides by how much."""
    if binding.reason is not None:
        sentences = [f"Where cap and clip bind is not known: {visible(binding.reason)}."]
        return Section(id="binding", title="Where cap and clip bind", sentences=tuple(sentences))
    sentences = [f"{_beats(binding)}."]
    if binding.bounds_reason is not None:
        sentences.append(f"How often cap and clip bind is not known: {visible(binding.bounds_reason)}.")
        return Section(id="binding", title="Where cap and clip bind", sentences=tuple(sentences))
    if binding.unknown:
        sentences.append(
            f"{plural(binding.unknown, 'trial')} that passed {'has' if binding.unknown == 1 else 'have'} no quantity that can be"
            " scored: left out of the shares below."
        )
    sentences += [_cap(binding), *([_clip(binding)] if binding.at_cap else [])]
    if binding.below_baseline:
        sentences.append(
            f"{plural(binding.below_baseline, 'valid trial')} {'is' if binding.below_baseline == 1 else 'are'} worse than the"
            " baseline, or than one e-fold below the reference where there is none: worth 0 under the objective, as a failed one is."
        )
    tables = (_most(binding),) if binding.most else ()
    return Section(id="binding", title="Where cap and clip bind", sentences=tuple(sentences), tables=tables)


def _cap(binding: Binding) -> str:
    if not binding.at_cap:
        return f"None of {plural(binding.valid, 'valid trial')} reaches the reference: cap and clip bind nowhere."
    text = (
        f"The cap binds in {count(binding.at_cap)} of {plural(binding.valid, 'valid trial')}"
        f" ({percent(binding.at_cap / binding.valid)}), those at or above the reference"
    )
    if not binding.tasks_all_capped:
        return f"{text}."
    return (
        f"{text}, and in every valid trial of {count(binding.tasks_all_capped)} of {plural(binding.tasks, 'task')}: there the"
        " capped score tells no two of them apart."
    )


def _clip(binding: Binding) -> str:
    clip = plain(binding.clip)
    if not binding.at_clip:
        return f"The clip at {clip} binds nowhere."
    text = (
        f"The clip at {clip} binds in {count(binding.at_clip)} ({percent(binding.at_clip / binding.valid)})"
    )
    if not binding.tasks_clipped:
        return f"{text}."
    return (
        f"{text}; on {plural(binding.tasks_clipped, 'task')} in more than {percent_level(binding.weak_share)} of the valid trials, where"
        " a stronger reference would leave room to tell agents apart."
    )


def _most(binding: Binding) -> Table:
    fields: list[Field[TaskBinding]] = [
        Field(Column("task", "Task", name=True), lambda row: name_cell(row.task)),
        Field(Column("valid", "Valid trials", "right"), lambda row: Cell(count(row.valid), row.valid)),
        Field(
            Column("at_cap", "At the cap", "right"),
            lambda row: Cell(percent(row.at_cap / row.valid), row.at_cap / row.valid),
        ),
        Field(
            Column("at_clip", "Above the clip", "right"),
            lambda row: Cell(percent(row.at_clip / row.valid), row.at_clip / row.valid),
        ),
    ]
    note = f"The {plural(len(binding.most), 'task')} where they bind most, by the share above the clip and then at the cap."
    table = Table("binding", "Tasks on which they bind most", (), (), note=note)
    return build_table(fields, binding.most, band=lambda _: None, table=table)


def anchors_section(anchors: Anchors) -> Section:
    """Which anchors the quantities were judged by."""
    sentences = [
        f"{plural(form.tasks, 'task')} with {FORMS.get(form.form, form.form)}." for form in anchors.forms
    ]
    if anchors.reference_low is not None:
        sentences += [_references(anchors), _dates(anchors)]
    if anchors.weak:
        sentences.append(
            f"weak_anchors: on {plural(len(anchors.weak), 'task')} the reference improves on the baseline by less than"
            f" {plain(anchors.weak_below)} times: {listed(anchors.weak)}."
        )
    if anchors.uneven:
        sentences.append(
            f"On {plural(len(anchors.uneven), 'task')} the anchors differ between trials, which is fair only if they were"
            f" measured anew with each: {listed(anchors.uneven)}."
        )
    if anchors.key_official or anchors.reference_low is not None:
        sentences.append(_key(anchors))
    return Section(id="anchors", title="Anchors", sentences=tuple(sentences))


def _references(anchors: Anchors) -> str:
    low, high = anchors.reference_low or 0.0, anchors.reference_high or 0.0
    unit = f" {listed(anchors.units)}" if anchors.units else ""
    text = (
        f"Every reference is {plain(low)}{unit}"
        if low == high
        else f"References run from {plain(low)} to {plain(high)}{unit}"
    )
    if anchors.gain_low is None or anchors.gain_high is None or anchors.gain_median is None:
        return f"{text}."
    gain = (
        f"{plain(anchors.gain_low)} times"
        if anchors.gain_low == anchors.gain_high
        else f"{plain(anchors.gain_low)} to {plain(anchors.gain_high)} times (median {plain(anchors.gain_median)})"
    )
    return f"{text}; they improve on the baseline by {gain}."


def _dates(anchors: Anchors) -> str:
    undated = f"of {plural(anchors.undated, 'task')} bear neither version nor date (column anchors_id)"
    if not anchors.ids:
        return f"The anchors {undated}."
    named = f"The anchors are those of {listed(anchors.ids)}"
    return f"{named}; those {undated}." if anchors.undated else f"{named}."


def _key(anchors: Anchors) -> str:
    reached = (
        "the reference is reached"
        if anchors.key_at == 1
        else f"{plain(anchors.key_at)} times the reference is reached"
    )
    if not anchors.key_official:
        return f"The answer key: {reached}."
    if anchors.key_official == anchors.trials:
        return "The answer key: the official verdict."
    return f"The answer key: the official verdict, which {plural(anchors.key_official, 'trial')} have; else whether {reached}."


def left_out_section(rows: tuple[LeftOut, ...]) -> Section:
    """What was left out of the result, or counted by a rule, and why."""
    if not rows:
        text = "Nothing: every record read is a trial with a verdict, and with a quantity where it passed."
        return Section(id="left-out", title="Left out, or counted by a rule", sentences=(text,))
    items = tuple(
        Item(
            plural(row.count, row.unit),
            f"{upper_first(visible(row.what))}: {visible(row.effect)}.",
            details=tuple(name_shown(example) for example in row.examples),
        )
        for row in rows
    )
    return Section(id="left-out", title="Left out, or counted by a rule", items=items)
