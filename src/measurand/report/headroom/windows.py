"""Saturation over time in words, a figure and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.report.board.saturation import index_form, tiers_cell
from measurand.report.document import Cell, Column, Figure, Section, Table
from measurand.report.figures import NARROW, WIDE
from measurand.report.headroom.windows_figure import windows_spec
from measurand.report.names import visible
from measurand.report.numbers import DASH, count, decimal, finite
from measurand.report.parts import Field, build_table, listed, name_cell, percent_level
from measurand.report.scores import score_words
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from measurand.analyze.headroom.windows import WindowRow, Windows

__all__ = ["windows_document_section", "windows_section"]

_SHOWN: Final = 12
"""Windows that a page has room for; the table with every one is folded."""
_SATURATED: Final = 0.9
"""From here on the class is "very high"."""


def windows_section(part: Windows) -> Section | None:
    """What a report on a board says of saturation over time; ``None`` where no agent has a release date."""
    return windows_document_section(part) if part.n_dated else None


def windows_document_section(part: Windows) -> Section:
    """Saturation over time, or why it cannot be had."""
    if not part.windows:
        text = f"Saturation over time is not available: {visible(part.reason or 'there is no window')}."
        return Section(id="windows", title="Over time", sentences=(text, *_undated(part)))
    return Section(
        id="windows",
        title="Over time",
        sentences=(*_answer(part), *_caution(part), *_undated(part)),
        figures=(_figure(part),) if len(part.windows) > 1 else (),
        tables=_tables(part.windows),
    )


def _answer(part: Windows) -> list[str]:
    first, last = part.windows[0], part.windows[-1]
    if len(part.windows) == 1:
        return [f"One window of {plural(part.width, 'agent')}, {_days(first)}: {_found(first)}."]
    ends = (
        f"Under {score_words(part.score)} the latest {plural(part.width, 'agent')} ({_days(last)}) have {_found(last)}; the"
        f" earliest {count(part.width)} ({_days(first)}) have {_found(first)}."
    )
    known = [window.n_tiers for window in part.windows if window.n_tiers is not None]
    indices = [window.index for window in part.windows if window.index is not None]
    if not known or not indices:
        return [ends]
    one, high = sum(tiers == 1 for tiers in known), sum(index >= _SATURATED for index in indices)
    spread = (
        f"Of {plural(len(part.windows), 'window')} {_holds(one)} a single tier, and in {count(high) if high else 'none'} S"
        f" is 0.9 or more; tiers range from {min(known)} to {max(known)}, S from {index_form(min(indices))} to"
        f" {index_form(max(indices))}."
    )
    return [ends, spread]


def _holds(number: int) -> str:
    return "none holds" if not number else f"{count(number)} {'holds' if number == 1 else 'hold'}"


def _days(window: WindowRow) -> str:
    if window.first_release == window.last_release:
        return f"released {window.first_release}"
    return f"released {window.first_release} to {window.last_release}"


def _found(window: WindowRow) -> str:
    tiers = "no answer on tiers" if window.n_tiers is None else plural(window.n_tiers, "tier")
    if window.index is None:
        return f"{tiers}, S not available"
    text = index_form(window.index)
    return f"{tiers}, S {text if text[0] in '<>' else f'= {text}'}"


def _caution(part: Windows) -> list[str]:
    text = (
        f"Each window is tested on its own at the family-wise {percent_level(part.level)} level; the windows overlap and are"
        " not controlled together, so that among many some hold a false split. A window holds whatever was released then,"
        " weak agents too: it shows how alike neighbours in time are, not how the best ones stand."
    )
    reasons = dict.fromkeys(visible(window.reason).rstrip(".") for window in part.windows if window.reason)
    missing = sum(window.reason is not None for window in part.windows)
    if not reasons:
        return [text]
    return [text, f"In {plural(missing, 'window')} nothing can be told apart: {listed(list(reasons), 3)}."]


def _undated(part: Windows) -> list[str]:
    if not part.undated or not part.n_dated:
        return []
    verb = "is" if len(part.undated) == 1 else "are"
    return [
        f"{plural(len(part.undated), 'agent')} without a release date {verb} in no window: {listed(part.undated)}."
    ]


def _figure(part: Windows) -> Figure:
    first, last = part.windows[0], part.windows[-1]
    return Figure(
        id="windows-figure",
        title=f"Saturation and tiers of {part.width} agents at a time, by release",
        alt=f"Two lines over time. The first window, {_days(first)}: {_found(first)}. The last, {_days(last)}: {_found(last)}.",
        spec=windows_spec(part.windows, size=WIDE),
        narrow=windows_spec(part.windows, size=NARROW),
        note="S near 1: first and k-th agent of the window lie within noise. Lines join windows in the order of release.",
    )


def _tables(windows: Sequence[WindowRow]) -> tuple[Table, ...]:
    whole = _table(windows, "windows", "Windows by release", "")
    if len(windows) <= _SHOWN:
        return (whole,)
    step = -(-(len(windows) - 1) // (_SHOWN - 1))
    some = [*windows[:-1:step], windows[-1]]
    note = f"The first window, every {step}th after it, and the last of {count(len(windows))}; data formats have all."
    detail = _table(windows, "windows-all", "All windows by release", "", detail=True)
    return (_table(some, "windows", "Windows by release", note), detail)


def _table(windows: Sequence[WindowRow], key: str, title: str, note: str, *, detail: bool = False) -> Table:
    fields: list[Field[WindowRow]] = [
        Field(Column("first_release", "From"), lambda row: Cell(row.first_release, row.first_release)),
        Field(Column("last_release", "To"), lambda row: Cell(row.last_release, row.last_release)),
        Field(Column("tiers", "Tiers", "right"), lambda row: tiers_cell(row.tiers)),
        Field(Column("s", "S", "right"), lambda row: _number(row.index, index_form)),
        Field(
            Column("class", "Class", importance=2),
            lambda row: Cell(visible(row.category or DASH).replace("_", " "), row.category),
        ),
        Field(Column("t", "t", "right", importance=1), lambda row: _number(row.t, decimal)),
        Field(
            Column("n_significant", "Pairs differ", "right", importance=3),
            lambda row: Cell(f"{count(row.n_significant)} of {count(row.n_pairs)}", row.n_significant),
        ),
        Field(
            Column("best", "Best", importance=4, name=True),
            lambda row: name_cell(row.agents[0]) if row.agents else Cell(DASH, None, "muted"),
        ),
    ]
    table = Table(key, title, (), (), note=note, detail=detail)
    return build_table(fields, windows, band=lambda _: None, table=table)


def _number(value: float | None, form: Callable[[float | None], str]) -> Cell:
    return Cell(form(value), finite(value), "muted" if finite(value) is None else "plain")
