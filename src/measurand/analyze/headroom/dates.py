"""When agents were released: from the trials themselves, or from what the user says of the agents."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import polars as pl

from measurand.analyze.records import Finding
from measurand.errors import UsageError
from measurand.wording import listed, plural

if TYPE_CHECKING:
    from measurand.analyze.prepare import Prepared

__all__ = ["NO_DATES", "Dates", "Releases", "as_day", "named_in", "releases"]

Dates = Mapping[str, "dt.date | str"]
"""Agent -> day of its release: a date, a moment (its day in UTC counts), or ISO text."""

Value = TypeVar("Value")

NO_DATES = "no agent has a release date: add a column released_at (or release_date), or give a table of agents with --agents-table FILE"


class Releases(NamedTuple):
    """When the agents of a grid were released."""

    days: dict[int, dt.date]
    """Column of the grid -> day, UTC."""
    order: tuple[int, ...]
    """Columns of the dated agents by day; agents of one day by name."""
    undated: tuple[str, ...]
    """Agents without a known day."""
    findings: tuple[Finding, ...]


def as_day(value: dt.date | str, what: str) -> dt.date:
    """Return a day: of a moment its day in UTC, of text its ISO 8601 date.

    Raises:
        UsageError: ``value`` is no date; ``what`` says what it is for.
    """
    try:
        moment = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        moment = None
    if isinstance(moment, dt.datetime):
        return (moment.astimezone(dt.UTC) if moment.tzinfo else moment).date()
    if isinstance(moment, dt.date):
        return moment
    raise UsageError(f"{what} is {value!r}, which is no date", hint="give a day such as 2026-05-31")


def releases(prepared: Prepared, dates: Dates | None = None) -> Releases:
    """Say when each agent was released.

    Args:
        prepared: the agents.
        dates: what the user says; it wins over the column ``released_at``, which fills in for agents left out.

    Raises:
        UsageError: a date that is none, or ``dates`` that name none of the agents.
    """
    agents, found = prepared.grid.agents, list[Finding]()
    known = _from_trials(prepared.scored, found)
    if dates is not None:
        said = named_in(prepared, dates, "release dates", found)
        known |= {agent: as_day(day, f"the release date of {agent!r}") for agent, day in said.items()}
    days = {column: known[agent] for column, agent in enumerate(agents) if agent in known}
    order = sorted(days, key=lambda column: (days[column], agents[column]))
    undated = tuple(agent for agent in agents if agent not in known)
    return Releases(days, tuple(order), undated, tuple(found))


def _from_trials(scored: pl.DataFrame, found: list[Finding]) -> dict[str, dt.date]:
    known = scored.filter(pl.col("released_at").is_not_null()).with_columns(
        day=pl.col("released_at").dt.date()
    )
    days = known.group_by("agent").agg(pl.col("day").min(), pl.col("day").n_unique().alias("n"))
    uneven = days.filter(pl.col("n") > 1)["agent"].sort().to_list()
    if uneven:
        text = f"{plural(len(uneven), 'agent has', 'agents have')} trials with different release dates; the earliest counts."
        found.append(Finding(severity="warning", subject="dates", text=text, examples=tuple(uneven)))
    return dict(days.select("agent", "day").iter_rows())


def named_in(
    prepared: Prepared, said: Mapping[str, Value], what: str, found: list[Finding]
) -> dict[str, Value]:
    """What the user says of the agents of the grid; names that fit none of them are told among the findings.

    An agent that is shown as ``name@digest``, because several configurations bear the name, is also found by it.

    Raises:
        UsageError: no name fits an agent.
    """
    fits = {agent: name for agent, name in _names(prepared).items() if name in said}
    fits |= {agent: agent for agent in prepared.grid.agents if agent in said}
    if not fits:
        raise UsageError(
            f"the {what} name none of the agents",
            hint=f"they name {listed(said, 3)}; the agents are {listed(prepared.grid.agents, 3)}",
        )
    strange = sorted(set(said).difference(fits.values()))
    if strange:
        text = f"The {what} name {plural(len(strange), 'agent')} that {'is' if len(strange) == 1 else 'are'} not looked at."
        found.append(Finding(severity="info", subject="dates", text=text, examples=tuple(strange[:10])))
    return {agent: said[name] for agent, name in fits.items()}


def _names(prepared: Prepared) -> dict[str, str]:
    """Agents that are shown with a piece of their digest -> their names in the data."""
    plain = {}
    rows = prepared.scored.select("agent", "agent_digest").unique()
    for agent, digest in rows.iter_rows():
        name, _, piece = agent.rpartition("@")
        if name and piece and digest and digest.rpartition(":")[2].startswith(piece):
            plain[agent] = name
    return plain
