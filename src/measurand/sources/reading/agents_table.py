"""What is known of agents beside their trials: release dates and cohorts, one row an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import polars as pl

from measurand.errors import MappingError, ValueRangeError
from measurand.sources.reading.side_tables import read_side_table
from measurand.sources.table.columns import ALIASES, column_parts
from measurand.sources.table.files import WHERE
from measurand.sources.table.values import typed

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

    from measurand.sources.reading.side_tables import SideTable

__all__ = ["COHORTS", "AgentsTable", "read_agents"]

COHORTS: Final = ("early", "late")
"""Words of the column ``cohort``."""

_AGENT: Final = ("agent", *ALIASES["agent"], *ALIASES["model_requested"])
_RELEASED: Final = ("released_at", *ALIASES["released_at"], "date")
"""Here ``date`` can only be the agent's; in a table of trials it may be the day of the trial."""


class AgentsTable(NamedTuple):
    """What a table of agents says."""

    dates: dict[str, dt.date]
    """Agent -> day of release, UTC; without those whose day is unknown."""
    cohorts: dict[str, str]
    """Agent -> ``early`` or ``late``; empty without such a column."""


def read_agents(path: Path, mapping: Mapping[str, str] | None = None) -> AgentsTable:
    """Read a table of agents.

    Columns are ``agent`` and ``released`` (or ``released_at``, ``release_date``, ``model_release_date``, ``date``), and
    where there is one ``cohort``.

    Args:
        path: the table.
        mapping: what the user says of the columns of the trials: field -> column. Heeded for ``agent`` and
            ``released_at`` where this table has the columns too.

    Raises:
        FormatError: no readable table.
        MappingError: no agent column, or nothing to learn of the agents.
        ValueRangeError: a cell that is no date or cohort, a row without an agent, or rows of one agent that disagree.
    """
    table = read_side_table(path, "agents")
    agent = _chosen(table, mapping or {}, "agent") or table.need(_AGENT)
    released = _chosen(table, mapping or {}, "released_at") or table.find(_RELEASED)
    cohort = table.find(("cohort",))
    if released is None and cohort is None:
        raise MappingError(
            "the table of agents has neither a column of release dates nor one of cohorts",
            where=str(path),
            hint=f"name a column {' or '.join(_RELEASED)}; columns: {', '.join(table.names)}",
        )
    columns = [typed(table.frame, "agent", agent, table.log)]
    if released is not None:
        columns.append(typed(table.frame, "released_at", released, table.log).dt.date())
    if cohort is not None:
        columns.append(pl.col(cohort).cast(pl.String).str.strip_chars().str.to_lowercase().alias("cohort"))
    frame = table.frame.select(*columns, pl.col(WHERE))
    _check(frame)
    return AgentsTable(_column(frame, "released_at"), _column(frame, "cohort"))


def _chosen(table: SideTable, mapping: Mapping[str, str], field: str) -> str | None:
    column = mapping.get(field)
    return column if column and set(column_parts(column, table.names)) <= set(table.names) else None


def _check(frame: pl.DataFrame) -> None:
    unnamed = frame.filter(pl.col("agent").is_null())
    if unnamed.height:
        raise ValueRangeError("agent is empty", where=unnamed[WHERE][0], hint="every row names its agent")
    if "cohort" not in frame.columns:
        return
    other = frame.filter(pl.col("cohort").is_in(COHORTS).not_())
    if other.height:
        raise ValueRangeError(
            f"the cohort is {other['cohort'][0]!r}",
            where=other[WHERE][0],
            hint=f"one of: {', '.join(COHORTS)}; leave it empty for an agent of neither",
        )


def _column(frame: pl.DataFrame, name: str) -> dict[str, Any]:
    """Known values by agent."""
    if name not in frame.columns:
        return {}
    known = frame.drop_nulls(name)
    uneven = known.filter(pl.col(name).n_unique().over("agent") > 1)
    if uneven.height:
        first = uneven.filter(pl.col("agent") == uneven["agent"][0])
        raise ValueRangeError(
            f"agent {first['agent'][0]!r} has two values of {name}: {' and '.join(map(str, first[name].unique().sort()))}",
            where=first[WHERE][1],
        )
    return dict(known.select("agent", name).iter_rows())
