"""Pieces that several reports are made of: cells for estimates and meters, findings, methods, lists of names."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

import msgspec

from measurand._version import __version__
from measurand.analyze.records import SEVERITIES
from measurand.model.trial import UNNAMED
from measurand.report.document import Cell, Column, Item, Row, Section, Table
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import DASH, UNKNOWN, count, finite, interval, plain, quantity, score
from measurand.wording import upper_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from measurand.analyze.records import Estimate, Finding, Meter, MethodNote
    from measurand.report.document import Tone, Value

__all__ = [
    "GENERATOR",
    "NOT_COMPARABLE",
    "Field",
    "build_table",
    "data_column",
    "data_rows",
    "estimate_cell",
    "findings_section",
    "listed",
    "meter_cell",
    "meter_label",
    "methods_section",
    "name_cell",
    "percent_level",
    "success_cell",
    "suite_title",
    "with_power",
]

GENERATOR: Final = f"Measurand {__version__}"

SENTENCE_NAME: Final = 48
"""Longest name in a sentence, in columns; tables have it whole."""

NOT_COMPARABLE: Final = (
    "Not comparable: rows whose fingerprints differ (versions of the suite or harness, tasks, environment or anchors) were ranked together at the"
    " user's explicit wish. A difference may come from these and not from the agents."
)


Record = TypeVar("Record")


METER_WORDS: Final = MappingProxyType(
    {
        "cost_usd": "Cost",
        "repriced_usd": "Repriced cost",
        "wall_s": "Wall time",
        "working_s": "Working time",
        "tool_calls": "Tool calls",
    }
)
"""Words for meters whose name is not one already."""


class Field(NamedTuple, Generic[Record]):
    """A column of a table, and how a record fills it."""

    column: Column
    cell: Callable[[Record], Cell]


def build_table(
    fields: Sequence[Field[Record]],
    records: Iterable[Record],
    *,
    band: Callable[[Record], int | None],
    table: Table,
) -> Table:
    """Fill a table with the columns of ``fields`` and a row for each record.

    Args:
        fields: the columns.
        records: the rows.
        band: band of a row, such as its tier.
        table: the table to fill, which has its texts only.
    """
    rows = tuple(Row(tuple(field.cell(record) for field in fields), band(record)) for record in records)
    return msgspec.structs.replace(table, columns=tuple(field.column for field in fields), rows=rows)


def data_column(key: str, value: Callable[[Record], Value]) -> Field[Record]:
    """Column that only data formats have."""

    def cell(record: Record) -> Cell:
        found = value(record)
        return Cell("", finite(found) if isinstance(found, float) else found)

    return Field(Column(key, "", shown=False), cell)


def name_cell(name: str, tone: Tone = "plain") -> Cell:
    """Cell with a name that others chose."""
    return Cell(name_shown(name), name, tone)


def estimate_cell(estimate: Estimate | None, form: Callable[[float | None], str] = score) -> Cell:
    """Cell with a value and, with less weight, its interval."""
    if estimate is None or finite(estimate.value) is None:
        return Cell(DASH, None, "muted")
    return Cell(form(estimate.value), estimate.value, minor=interval(estimate.low, estimate.high, form))


def meter_label(name: str) -> str:
    """Name of a meter as a heading."""
    words = METER_WORDS.get(name) or visible(name).replace("_", " ")
    return upper_first(words)


def meter_cell(meter: Meter | None) -> Cell:
    """Total of a meter: exact, a lower bound with its coverage such as ≥ $1.50 (4/5), or unknown; never a false 0."""
    if meter is None or meter.known == 0 or finite(meter.total) is None:
        return Cell(UNKNOWN, None, "muted")
    text = quantity(meter.total, meter.unit)
    if not meter.lower_bound:
        return Cell(text, meter.total)
    return Cell(f"≥ {text}", meter.total, minor=f"({meter.known:,}/{meter.trials:,})")


def success_cell(meter: Meter | None) -> Cell:
    """Total of a meter over successes, with the words for why there is none."""
    if meter is None or meter.known == 0:
        return Cell(UNKNOWN, None, "muted")
    if finite(meter.per_success) is None:
        return Cell("no success", None, "muted")
    text = quantity(meter.per_success, meter.unit)
    return Cell(f"≥ {text}" if meter.lower_bound else text, meter.per_success)


def percent_level(level: float) -> str:
    """Level of a test or an interval: 5%, 95%."""
    return f"{plain(round(100 * level, 6))}%"


def with_power(detectable: Estimate) -> str:
    """Power at which a difference is detectable: with 80% power."""
    return "" if detectable.level is None else f"with {percent_level(detectable.level)} power"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence: all of a few, or the first of many and how many more there are."""
    shown = [shorten(name_shown(name), SENTENCE_NAME) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {count(len(names) - most)} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def suite_title(suite: str, version: str | None) -> str:
    """Name of a suite with its version."""
    if suite == UNNAMED:
        return "Unnamed suite"
    return shorten(name_shown(suite), 80) + (f", version {visible(version)}" if version else "")


def findings_section(findings: Sequence[Finding]) -> Section:
    """What must be known about the data, the gravest first."""
    tones: dict[str, Tone] = {"problem": "problem", "warning": "warning", "info": "muted"}
    items = tuple(
        Item(
            f"{finding.severity}: {visible(finding.subject)}",
            visible(finding.text),
            tones[finding.severity],
            tuple(visible(example) for example in finding.examples),
        )
        for finding in sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    )
    sentences = () if items else ("The checks of the data found nothing to report.",)
    return Section(id="data", title="Data quality", sentences=sentences, items=items)


def methods_section(methods: Sequence[MethodNote], more: Sequence[Item] = ()) -> Section:
    """How the numbers were had."""
    items = (*(Item(visible(note.topic), visible(note.text)) for note in methods), *more)
    return Section(id="methods", title="Methods", items=items)


def data_rows(table: Table) -> tuple[tuple[Value, ...], ...]:
    """Raw values of a table, row by row."""
    return tuple(tuple(cell.value for cell in row.cells) for row in table.rows)
