"""A second bill beside the self-reported one: all trials by one dated price table, for comparisons."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import polars as pl

from measurand.errors import UsageError
from measurand.score.prices import Priced, PriceTable, TokenClasses, price_table

if TYPE_CHECKING:
    from measurand.model.table import Trials

__all__ = ["Bill", "bill_label", "bills", "reprice"]

_NEEDED: Final = (
    "model_served",
    "model_requested",
    "started_at",
    "input_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
)


class Bill(NamedTuple):
    """The second bill of a trial."""

    usd: float | None
    model: str | None
    """Model whose prices were looked up: the one served, else the one requested."""
    reason: str | None
    """Why there is no price."""


def reprice(trials: Trials, table: PriceTable | str | Path, *, at: dt.datetime | None = None) -> Trials:
    """Add a second bill: ``repriced_usd`` by one price table, and ``repriced_by``; ``cost_usd`` stays as reported.

    Args:
        trials: the trials.
        table: a price table, the path of a frozen one, or ``genai`` for the package genai-prices.
        at: whose day's prices count for all trials; by default each trial's start.

    Returns:
        The trials with both columns. A trial whose model, tokens, day or price is unknown has ``None`` in both.

    Raises:
        UsageError: no trial has a start, and ``at`` is not given.
        MissingExtraError: genai-prices is wanted and not installed.
        InputError: the file is no price table.
    """
    opened = price_table(table) if isinstance(table, (str, Path)) else table
    found = bills(trials.frame, opened, at=at)
    label = bill_label(opened, at)
    usd = pl.Series("repriced_usd", [bill.usd for bill in found], dtype=pl.Float64)
    by = pl.Series("repriced_by", [None if bill.usd is None else label for bill in found], dtype=pl.String)
    return trials.with_frame(trials.frame.with_columns(usd, by))


def bill_label(table: PriceTable, at: dt.datetime | None) -> str:
    """Name the table, and the day whose prices count."""
    return f"{table.id}, {'at each start' if at is None else f'at {_aware(at).date()}'}"


def bills(frame: pl.DataFrame, table: PriceTable, *, at: dt.datetime | None = None) -> list[Bill]:
    """Price each row of a trial table by ``table``, at ``at`` or at its start.

    Raises:
        UsageError: no trial has a start, and ``at`` is not given.
    """
    if at is None and frame.height and frame["started_at"].null_count() == frame.height:
        raise UsageError(
            "no trial says when it started, and a price without a date is none",
            hint="give the day whose prices count: --at DATE",
        )
    day = None if at is None else _aware(at)
    return [_bill(row, table, day) for row in frame.select(_NEEDED).iter_rows(named=True)]


def _bill(row: dict[str, Any], table: PriceTable, at: dt.datetime | None) -> Bill:
    names = [name for name in (row["model_served"], row["model_requested"]) if name]
    model = next((name for name in names if table.knows(name)), names[0] if names else None)
    found = _priced(row, model, table, at or row["started_at"])
    return Bill(None if found.usd is None else float(found.usd), model, found.reason)


def _priced(row: dict[str, Any], model: str | None, table: PriceTable, at: dt.datetime | None) -> Priced:
    if row["input_tokens"] is None or row["output_tokens"] is None:
        return Priced.unknown("its tokens are not known by class")
    tokens = TokenClasses(
        row["input_tokens"],
        row["cached_tokens"] or 0,
        row["cache_write_tokens"] or 0,
        row["output_tokens"],
        row["reasoning_tokens"],
    )
    if not tokens.prompt and not tokens.output:
        return Priced(Decimal(0))
    if model is None:
        return Priced.unknown("its model is not known")
    if at is None:
        return Priced.unknown("it has no start, and a price needs a date")
    if (tokens.reasoning or 0) > tokens.output:
        return Priced.unknown("more reasoning than output")
    return table.price(model, tokens, at)


def _aware(at: dt.datetime) -> dt.datetime:
    return at.replace(tzinfo=dt.UTC) if at.tzinfo is None else at.astimezone(dt.UTC)
