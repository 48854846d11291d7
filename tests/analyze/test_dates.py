"""Release dates: from the trials, from the user, and for agents that share a name."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.headroom.dates import as_day, releases
from measurand.analyze.prepare import Prepared, prepare
from measurand.analyze.settings import Choice, Settings
from measurand.errors import UsageError

if TYPE_CHECKING:
    from tests.analyze.conftest import Make


def moment(day: int, hour: int = 0) -> dt.datetime:
    return dt.datetime(2026, 5, day, hour, tzinfo=dt.UTC)


def ready(make: Make, *rows: dict[str, Any]) -> Prepared:
    return prepare(make(rows), Choice(), Settings())


def test_agents_are_ordered_by_day_and_then_by_name(make: Make) -> None:
    """The hour decides nothing between agents of one day."""
    prepared = ready(
        make,
        {"agent": "d", "released_at": moment(9)},
        {"agent": "b", "released_at": moment(9, 7)},
        {"agent": "c", "released_at": moment(2)},
        {"agent": "a"},
    )
    found = releases(prepared)
    assert [prepared.grid.agents[column] for column in found.order] == ["c", "b", "d"]
    assert found.undated == ("a",)
    assert found.findings == ()


def test_what_the_user_says_wins_and_the_column_fills_in(make: Make) -> None:
    """A table of agents need not name those whose trials carry the date."""
    prepared = ready(make, {"agent": "a", "released_at": moment(9)}, {"agent": "b", "released_at": moment(2)})
    found = releases(prepared, {"a": "2026-05-01", "other": dt.date(2026, 1, 1)})
    assert found.days == {0: dt.date(2026, 5, 1), 1: dt.date(2026, 5, 2)}
    (strange,) = found.findings
    assert strange.examples == ("other",)


def test_trials_that_disagree_are_told(make: Make) -> None:
    """One agent has one release: the earliest counts, and the reader learns of it."""
    found = releases(
        ready(
            make,
            {"agent": "a", "task": "t", "released_at": moment(9)},
            {"agent": "a", "task": "u", "released_at": moment(4)},
        )
    )
    assert found.days == {0: dt.date(2026, 5, 4)}
    (uneven,) = found.findings
    assert (uneven.severity, uneven.examples) == ("warning", ("a",))


def test_configurations_told_apart_are_found_by_their_name(make: Make) -> None:
    """Agents shown as name@digest have the date of their name; a name that only looks like it has not."""
    digests = ["sha256:" + letter * 64 for letter in "ab"]
    rows = [{"agent": "kite", "task": "t", "agent_digest": digest} for digest in digests]
    prepared = ready(make, *rows, {"agent": "kite@home"})
    assert prepared.grid.agents == ("kite@aaaaaaaa", "kite@bbbbbbbb", "kite@home")
    found = releases(prepared, {"kite": "2026-05-01"})
    assert set(found.days) == {0, 1}
    assert found.undated == ("kite@home",)


def test_dates_that_fit_nobody_are_refused(make: Make) -> None:
    """A table for another benchmark is a wrong call, not an undated board."""
    with pytest.raises(UsageError, match="name none of the agents"):
        releases(ready(make, {"agent": "a"}), {"b": "2026-05-01"})


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-05-01", 1),
        ("2026-05-01T23:30:00-02:00", 2),
        (dt.date(2026, 5, 1), 1),
        (moment(1, 5), 1),
        (moment(1, 5).replace(tzinfo=None), 1),
    ],
)
def test_days_come_in_several_forms(value: Any, day: int) -> None:
    """A moment counts by its day in UTC."""
    assert as_day(value, "it") == dt.date(2026, 5, day)


@pytest.mark.parametrize("value", ["soon", "2026-13-01", 20260501, None])
def test_what_is_no_date_is_refused(value: Any) -> None:
    """The message says what the date was for."""
    with pytest.raises(UsageError, match=r"the cut is .*, which is no date"):
        as_day(value, "the cut")
