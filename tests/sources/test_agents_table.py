"""Tables of agents: release dates and cohorts, and what such a table may not say."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.errors import FormatError, MappingError, ValueRangeError
from measurand.load import read
from measurand.sources.reading.agents_table import read_agents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[[str], Path]

MAY = dt.date(2026, 5, 13)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def table(text: str, name: str = "agents.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return table


@pytest.mark.parametrize(
    "cell", ["2026-05-13", "20260513", "2026-05-13T23:59:00Z", "2026-05-14T01:00:00+02:00"]
)
def test_a_day_is_read_in_every_way_it_is_written(write: Write, cell: str) -> None:
    """Days with and without hyphens, and moments, whose day in UTC counts."""
    assert read_agents(write(f"agent,released\nkite,{cell}\n")).dates == {"kite": MAY}


@pytest.mark.parametrize("name", ["released", "released_at", "Release Date", "model_release_date", "date"])
def test_the_usual_names_of_the_column_are_known(write: Write, name: str) -> None:
    """Here even ``date`` can only be the agent's."""
    assert read_agents(write(f"submission,{name}\nkite,2026-05-13\n")).dates == {"kite": MAY}


def test_unknown_days_are_left_out_and_repeated_ones_agree(write: Write) -> None:
    """An empty cell is no date; several rows of one agent may say the same."""
    found = read_agents(write("agent,released\na,2026-05-13\na,2026-05-13\nb,\n"))
    assert found.dates == {"a": MAY}
    assert found.cohorts == {}


def test_cohorts_are_read_beside_dates_or_without(write: Write) -> None:
    """Words early and late in any case; an empty one is neither."""
    found = read_agents(write("agent,cohort\na,Early\nb, late\nc,\n"))
    assert (found.dates, found.cohorts) == ({}, {"a": "early", "b": "late"})


def test_the_users_word_on_the_trials_holds_here_where_it_fits(write: Write) -> None:
    """``--map agent=submission`` names the agent's column of both tables, and is not heeded where there is none."""
    path = write("agent,submission,released\nscaffold,kite,2026-05-13\n")
    assert read_agents(path, {"agent": "submission"}).dates == {"kite": MAY}
    assert read_agents(path, {"agent": "agent+submission"}).dates == {"scaffold + kite": MAY}
    assert read_agents(path, {"agent": "solver"}).dates == {"scaffold": MAY}
    assert read_agents(path, {"released_at": "released"}).dates == {"scaffold": MAY}


def test_parquet_is_read_with_types_of_its_own(tmp_path: Path) -> None:
    """Dates as dates, and as eight digits."""
    for number, released in enumerate(([MAY], [20260513])):
        path = tmp_path / f"agents{number}.parquet"
        pl.DataFrame({"agent": ["kite"], "released": released}).write_parquet(path)
        assert read_agents(path).dates == {"kite": MAY}


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("name,released\nkite,2026-05-13\n", MappingError, "no column 'agent'"),
        ("agent,colour\nkite,red\n", MappingError, "neither a column of release dates"),
        ("agent,released\nkite,soon\n", ValueRangeError, "not a date and time"),
        ("agent,released\n,2026-05-13\n", ValueRangeError, "agent is empty"),
        ("agent,released\na,2026-05-13\na,2026-05-14\n", ValueRangeError, "two values of released_at"),
        ("agent,cohort\na,middle\n", ValueRangeError, "the cohort is 'middle'"),
        ("agent,released\n", FormatError, "no rows"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(
    write: Write, text: str, error: type[Exception], words: str
) -> None:
    """Nothing is guessed."""
    with pytest.raises(error, match=words) as caught:
        read_agents(write(text))
    assert "agents.csv" in str(caught.value)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    """A folder, a missing file, an unknown ending."""
    for name in (".", "absent.csv", "agents.txt"):
        with pytest.raises(FormatError, match="no table of agents"):
            read_agents(tmp_path / name)


def test_trials_may_carry_the_release_themselves() -> None:
    """A column of the usual name is the field; a bare ``date`` is not, for it may be the day of the trial."""
    frame = pl.DataFrame({"agent": ["a"], "task": ["t"], "passed": [1], "date": ["2026-01-01"]})
    assert read(frame).frame["released_at"].to_list() == [None]
    dated = frame.with_columns(model_release_date=pl.lit("2026-05-13"))
    assert read(dated).frame["released_at"].dt.date().to_list() == [MAY]
