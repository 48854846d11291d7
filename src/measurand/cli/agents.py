"""The option with which a user says what is known of agents: release dates and cohorts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from measurand.sources.reading.agents_table import AgentsTable

__all__ = ["agents_table", "read_agents_table"]

agents_table = click.option(
    "--agents-table",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Table of agents: agent, released (a date), cohort (early or late). --map agent=COLUMN holds here too.",
)


def read_agents_table(values: dict[str, Any]) -> AgentsTable | None:
    """Take the option out of ``values`` and read the table; ``None`` when it was not given."""
    from measurand.sources.reading.agents_table import read_agents

    path = values.pop("agents_table")
    return None if path is None else read_agents(path, dict(values["mapping"]))
