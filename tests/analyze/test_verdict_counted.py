"""A second verdict of which only counts are at hand."""

from __future__ import annotations

import msgspec
import pytest

from measurand.analyze.settings import Settings
from measurand.analyze.verifiers.counted import counted_verdicts
from measurand.analyze.verifiers.records import SecondVerdicts
from measurand.errors import InputError, UsageError
from measurand.infer.means.intervals import wilson
from measurand.model.verdicts import VerdictCounts

QUICK = Settings(resamples=300)


def row(
    agent: str, first: int, second: int, *, checked: int | None = None, tasks: int | None = 20
) -> VerdictCounts:
    return VerdictCounts(
        agent=agent, tasks=tasks, first=first, checked=first if checked is None else checked, second=second
    )


def test_counts_give_shares_order_and_band() -> None:
    """What counts say is said; tiers are not available, with the reason."""
    found = counted_verdicts(
        [row("b", 10, 8), row("a", 12, 6), row("c", 5, 5)], QUICK, suite="s", second="strict"
    )
    assert [(r.agent, r.rank_first, r.rank_second) for r in found.agents] == [
        ("a", 1, 2),
        ("b", 2, 1),
        ("c", 3, 3),
    ]
    assert found.agents[0].rejected_share.value == 0.5
    assert found.agents[0].first.low == wilson(12, 20).low
    assert (found.order.neighbours, found.order.reversed) == (2, 1)
    assert found.order.band is not None
    assert found.order.band.share == pytest.approx(8 / 27)
    assert found.order.band.expected is not None
    assert "outcomes per task" in (found.tiers.reason or "")
    assert (found.counts_only, found.n_tasks, found.suite, found.second_name) == (True, 20, "s", "strict")
    assert found.errors.fails == 33
    assert msgspec.json.decode(msgspec.json.encode(found), type=SecondVerdicts) == found


def test_without_tasks_there_are_shares_and_no_rates() -> None:
    """Counts of equal tasks order agents although nobody says how many tasks there are."""
    found = counted_verdicts([row("a", 12, 6, tasks=None), row("b", 10, 8, tasks=None)], QUICK)
    assert (found.agents[0].first.value, found.n_tasks, found.errors.fails) == (None, None, None)
    assert (found.order.reversed, found.agents[0].rank_second) == (1, 2)


def test_agents_with_other_numbers_of_tasks_are_ordered_by_rates() -> None:
    """Ten of ten is better than twelve of twenty."""
    found = counted_verdicts([row("a", 12, 6), row("b", 10, 8, tasks=10)], QUICK)
    assert [r.agent for r in found.agents] == ["b", "a"]
    assert found.n_tasks is None
    assert found.order.band is not None
    assert found.order.band.expected is None


def test_agents_checked_in_part_are_left_out() -> None:
    """An agent with half of its passes re-checked has a share, and no rate by both."""
    found = counted_verdicts([row("a", 12, 5, checked=6), row("b", 10, 8), row("c", 8, 8)], QUICK)
    assert found.order.left_out == ("a",)
    last = found.agents[-1]
    assert (last.agent, last.second.value) == ("a", None)
    assert last.rejected_share.value == pytest.approx(1 / 6)
    assert any("6 of 30 passes" in finding.text for finding in found.findings)


def test_order_of_the_rows_does_not_matter() -> None:
    """Ties are listed by name."""
    rows = [row("b", 10, 8), row("a", 10, 6), row("c", 5, 5)]
    assert counted_verdicts(rows, QUICK) == counted_verdicts(rows[::-1], QUICK)


def test_counts_that_cannot_be_ordered_are_refused() -> None:
    """No agent, an agent twice, or tasks known of some only."""
    for rows in ([], [row("a", 1, 1), row("a", 2, 1)]):
        with pytest.raises(UsageError):
            counted_verdicts(rows, QUICK)
    with pytest.raises(InputError, match="1 of 2 agents"):
        counted_verdicts([row("a", 1, 1), row("b", 1, 1, tasks=None)], QUICK)
