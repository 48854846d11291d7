"""The interleaving guard of a comparison."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.compare import compare
from measurand.analyze.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.analyze.conftest import Make

    from measurand.analyze.comparison import Comparison

QUICK = Settings(resamples=500)
DAY = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def compared(make: Make, start: Callable[[str, int], dt.datetime | None], **same: Any) -> Comparison:
    rows = [
        {"agent": agent, "task": f"t{n}", "started_at": start(agent, n), **same}
        for agent in "ab"
        for n in range(10)
    ]
    return compare(make(rows), "a", "b", settings=QUICK)


def warnings(found: Comparison) -> list[str]:
    return [finding.text for finding in found.findings if finding.subject == "time"]


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (dt.timedelta(days=9), "9 days"),
        (dt.timedelta(days=1, minutes=20), "1 day"),
        (dt.timedelta(hours=5), "5 hours"),
        (dt.timedelta(minutes=30), "21 minutes"),
        (dt.timedelta(minutes=9, seconds=20), "20 seconds"),
    ],
)
def test_arms_that_do_not_overlap_are_flagged(make: Make, gap: dt.timedelta, words: str) -> None:
    """A warning says how long lies between, and that drift cannot be told from the agent."""
    found = compared(
        make, lambda agent, n: DAY + dt.timedelta(minutes=n) + (gap if agent == "b" else dt.timedelta())
    )
    assert found.timing is not None
    assert (found.timing.apart, found.timing.hardly, found.timing.a_within) == (True, True, 0.0)
    (text,) = warnings(found)
    assert "a and b do not overlap in time" in text
    assert words in text
    assert "drift" in text
    assert found.findings[0].severity == "warning"


def test_interleaved_arms_are_not_flagged(make: Make) -> None:
    """Trials in turns: the shares are reported, and nothing is warned of."""
    found = compared(make, lambda agent, n: DAY + dt.timedelta(minutes=2 * n + (agent == "b")))
    assert found.timing is not None
    assert (found.timing.apart, found.timing.hardly) == (False, False)
    assert (found.timing.a_within, found.timing.b_within) == (0.9, 0.9)
    assert warnings(found) == []


def test_one_trial_run_later_hides_nothing(make: Make) -> None:
    """A single trial of the later arm among the earlier ones leaves a hardly overlapping comparison."""
    rows = [
        {
            "agent": agent,
            "task": f"t{n}",
            "started_at": DAY + dt.timedelta(minutes=n, days=9 * (agent == "b" and n > 0)),
        }
        for agent in "ab"
        for n in range(40)
    ]
    found = compare(make(rows), "a", "b", settings=QUICK)
    assert found.timing is not None
    assert (found.timing.apart, found.timing.hardly, found.timing.b_within) == (False, True, 0.025)
    assert "hardly overlap" in warnings(found)[0]


def test_ends_of_trials_count(make: Make) -> None:
    """A trial that runs on until the other arm has begun overlaps with it."""
    rows = [
        {
            "agent": agent,
            "task": "t",
            "started_at": DAY + dt.timedelta(hours=2 * (agent == "b")),
            "finished_at": DAY + dt.timedelta(hours=3),
        }
        for agent in "ab"
    ]
    found = compare(make(rows), "a", "b", settings=QUICK).timing
    assert found is not None
    assert (found.apart, found.a_within, found.b_within) == (False, 0.0, 1.0)


def test_without_times_nothing_is_said(make: Make) -> None:
    """No trial carries a time: the reason is in the record, and no warning is raised."""
    found = compared(make, lambda _agent, _n: None)
    assert found.timing is not None
    assert (found.timing.apart, found.timing.untimed, found.timing.trials) == (None, 20, 20)
    assert found.timing.reason
    assert warnings(found) == []
    assert all(note.topic != "Times" for note in found.methods)
