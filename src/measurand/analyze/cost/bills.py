"""Two bills of each agent: what its trials report of themselves, and what one dated price table makes of their tokens."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec
import polars as pl

from measurand.analyze.records import MethodNote
from measurand.errors import InputError
from measurand.score.reprice import bill_label, bills

if TYPE_CHECKING:
    import datetime as dt

    from measurand.model.table import Trials
    from measurand.score.prices import PriceTable

__all__ = ["AgentBills", "Bills", "Unpriced", "two_bills"]

_METHODS: Final = (
    MethodNote(
        topic="Second bill",
        text="Tokens of each class times the price of the model served, else of the one requested, on the day; computed in "
        "decimals, rounded once. Reasoning is part of the output. Cache classes that the source does not report count as none: cached tokens among its input are then charged in full.",
    ),
    MethodNote(
        topic="Unknown",
        text="A trial whose model, tokens, day or price is unknown has no second bill. Sums over some of the trials are lower "
        "bounds (>=). The difference is over trials that have both bills.",
    ),
)


class AgentBills(msgspec.Struct, frozen=True, kw_only=True):
    """The bills of one agent. Sums are over the trials that have one; ``None`` without any."""

    agent: str
    trials: int
    reported_usd: float | None
    reported: int
    """Trials with a self-reported cost."""
    repriced_usd: float | None
    repriced: int
    """Trials with a second bill."""
    difference_usd: float | None
    """Second bill less the first, over trials that have both."""
    both: int


class Unpriced(msgspec.Struct, frozen=True, kw_only=True):
    """Trials without a second bill, by model and reason."""

    model: str | None
    reason: str
    trials: int


class Bills(msgspec.Struct, frozen=True, kw_only=True):
    """Self-reported and second bill of all agents."""

    table: str
    """The price table, and the day whose prices count."""
    trials: int
    agents: tuple[AgentBills, ...]
    """In the order of their names."""
    unpriced: tuple[Unpriced, ...]
    """The most frequent first."""
    methods: tuple[MethodNote, ...] = _METHODS
    command: str | None = None


def two_bills(
    trials: Trials, table: PriceTable, *, at: dt.datetime | None = None, command: str | None = None
) -> Bills:
    """Set the self-reported cost of each agent beside its cost by one price table.

    Args:
        trials: the trials.
        table: the prices.
        at: whose day's prices count for all trials; by default each trial's start.
        command: the command that is running.

    Raises:
        InputError: there are no trials.
        UsageError: no trial has a start, and ``at`` is not given.
    """
    frame = trials.frame
    if frame.is_empty():
        raise InputError("there are no trials")
    found = bills(frame, table, at=at)
    rows = frame.select("agent", "cost_usd").with_columns(
        pl.Series("again", [bill.usd for bill in found], dtype=pl.Float64)
    )
    groups = rows.partition_by("agent", as_dict=True)
    missing = Counter((bill.model, bill.reason) for bill in found if bill.reason is not None)
    return Bills(
        table=bill_label(table, at),
        trials=frame.height,
        agents=tuple(_agent(str(agent), group) for (agent,), group in sorted(groups.items())),
        unpriced=tuple(
            Unpriced(model=model, reason=reason or "", trials=number)
            for (model, reason), number in sorted(
                missing.items(), key=lambda item: (-item[1], str(item[0][0]), str(item[0][1]))
            )
        ),
        command=command,
    )


def _agent(name: str, rows: pl.DataFrame) -> AgentBills:
    reported, again = rows["cost_usd"].drop_nulls(), rows["again"].drop_nulls()
    both = rows.drop_nulls()
    return AgentBills(
        agent=name,
        trials=rows.height,
        reported_usd=_sum(reported),
        reported=len(reported),
        repriced_usd=_sum(again),
        repriced=len(again),
        difference_usd=_sum(pl.concat([both["again"], -both["cost_usd"]])),
        both=both.height,
    )


def _sum(values: pl.Series) -> float | None:
    return math.fsum(values) if len(values) else None
