"""Counts of passes by two verdicts: one row an agent, where outcomes per task are not published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from measurand.errors import FormatError, MappingError, ValueRangeError
from measurand.model.verdicts import VerdictCounts
from measurand.sources.table.columns import ALIASES
from measurand.sources.table.files import WHERE
from measurand.wording import meant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurand.sources.base import ImportLog

__all__ = ["COUNT_FIELDS", "verdict_counts"]

COUNT_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "agent": (*ALIASES["agent"], *ALIASES["model_requested"]),
    "first": ("first_passes", "passes", "official_passes"),
    "second": ("second_passes", "confirmed_passes", "strengthened_passes", "strict_passes"),
    "checked": ("checked_passes", "rechecked_passes"),
    "tasks": ("n_tasks", "trials", "n_trials"),
}
"""Field -> names that its column may have, in order of preference; one named as the field comes first."""

_NEEDED: Final = ("agent", "first", "second")


def verdict_counts(
    rows: pl.DataFrame, mapping: Mapping[str, str], log: ImportLog, *, tasks: int | None
) -> tuple[VerdictCounts, ...]:
    """Read counts; see :func:`measurand.load.read_verdict_counts`."""
    columns = _columns(rows, mapping, log)
    agents = rows[columns["agent"]].cast(pl.String).to_list()
    numbers = {field: _whole(rows, column) for field, column in columns.items() if field != "agent"}
    found: dict[str, VerdictCounts] = {}
    for place, (agent, where) in enumerate(zip(agents, rows[WHERE].to_list(), strict=True)):
        if agent is None or agent in found:
            what = "agent is empty" if agent is None else f"agent {agent!r} has a row already"
            raise ValueRangeError(what, where=where, hint="every row names an agent of its own")
        found[agent] = _one(agent, {field: values[place] for field, values in numbers.items()}, tasks, where)
    if not found:
        raise FormatError("there are no rows in it", where=log.path)
    return tuple(found.values())


def _one(agent: str, given: Mapping[str, int | None], tasks: int | None, where: str) -> VerdictCounts:
    first, second = given["first"], given["second"]
    if first is None or second is None:
        raise ValueRangeError(
            f"agent {agent!r} has no count of passes", where=where, hint="complete the row, or leave it out"
        )
    checked, tried = given.get("checked"), given.get("tasks")
    row = VerdictCounts(
        agent=agent,
        tasks=tasks if tried is None else tried,
        first=first,
        checked=first if checked is None else checked,
        second=second,
    )
    if not 0 <= row.second <= row.checked <= row.first <= (row.first if row.tasks is None else row.tasks):
        size = "" if row.tasks is None else f" of {row.tasks} tasks"
        raise ValueRangeError(
            f"{row.first} first passes{size}, {row.checked} of them checked, {row.second} of those confirmed",
            where=where,
            hint="passes of the second verdict are among those checked, these among the first, and all among the tasks",
        )
    return row


def _columns(rows: pl.DataFrame, mapping: Mapping[str, str], log: ImportLog) -> dict[str, str]:
    names = [name for name in rows.columns if name != WHERE]
    for field, column in mapping.items():
        if field not in COUNT_FIELDS:
            known = ", ".join(COUNT_FIELDS)
            raise MappingError(
                f"counts have no field {field!r}{meant(field, COUNT_FIELDS)}",
                where=log.path,
                hint=f"fields: {known}",
            )
        if column not in names:
            raise MappingError(
                f"there is no column {column!r}{meant(column, names)}",
                where=log.path,
                hint=f"columns: {', '.join(names)}",
            )
    plain = {name.strip().lower(): name for name in names}
    found = dict(mapping)
    for field, others in COUNT_FIELDS.items():
        named = next((plain[name] for name in (field, *others) if name in plain), None)
        if field not in found and named is not None:
            found[field] = named
    for field in _NEEDED:
        if field not in found:
            raise MappingError(
                f"no column can be mapped to {field!r}",
                where=log.path,
                hint=f"say which: --map {field}=COLUMN, with one of: {', '.join(names)}",
            )
    log.mapped |= found
    return found


def _whole(rows: pl.DataFrame, column: str) -> list[int | None]:
    """Whole numbers of a column; empty is unknown."""
    numbers = rows[column].cast(pl.Float64, strict=False)
    bad = rows.filter(rows[column].is_not_null() & (numbers.is_null() | (numbers != numbers.round())))
    if bad.height:
        raise ValueRangeError(
            f"column {column!r} holds {bad[column][0]!r}, which is not a whole number",
            where=bad[WHERE][0],
            hint="give counts of passes, not shares",
        )
    return numbers.cast(pl.Int64).to_list()
