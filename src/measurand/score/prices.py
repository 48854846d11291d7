"""Dated price tables: what a model's tokens cost on a day. A price that is not known is unknown, never 0."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

import msgspec

from measurand.errors import FormatError, UsageError, ValueRangeError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "GENAI",
    "FrozenPrices",
    "Price",
    "PriceTable",
    "Priced",
    "TokenClasses",
    "frozen_prices",
    "price_table",
    "read_prices",
]

GENAI: Final = "genai"
"""Name of the table that the package genai-prices brings."""

Kind = Literal["input", "cached", "cache_write", "output", "reasoning"]

_MILLION: Final = Decimal(1_000_000)


class TokenClasses(NamedTuple):
    """Tokens of a trial by what they are charged as. No token is in two of the first four."""

    input: int
    """Input, neither read from a cache nor written to one."""
    cached: int
    cache_write: int
    output: int
    """Output, reasoning included."""
    reasoning: int | None = None
    """The part of the output that is reasoning."""

    @property
    def prompt(self) -> int:
        """All input: plain, read from the cache and written to it."""
        return self.input + self.cached + self.cache_write


class Priced(NamedTuple):
    """What tokens cost, or why that is not known."""

    usd: Decimal | None
    reason: str | None = None

    @classmethod
    def unknown(cls, reason: str) -> Priced:
        """No price, for this reason."""
        return cls(None, reason)


class PriceTable(Protocol):
    """Prices by model, kind of token and date."""

    @property
    def id(self) -> str:
        """Name and version, as it stands beside each bill."""

    def knows(self, model: str) -> bool:
        """Whether the table has the model at all."""

    def price(self, model: str, tokens: TokenClasses, at: dt.datetime) -> Priced:
        """Price tokens of ``model`` at the prices of the time ``at``."""


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a frozen table: what a million tokens of a kind cost from a day on."""

    model: str
    kind: Kind
    usd_per_mtok: Decimal
    valid_from: dt.date
    """First day (UTC) of the price; it holds until a later row of the same model and kind."""
    source: str | None = None
    """Where the price was read."""


class _File(msgspec.Struct, frozen=True):
    """A frozen table as it is written."""

    id: str
    currency: str
    prices: list[Price]


@dataclass(frozen=True, slots=True)
class FrozenPrices:
    """A table of the user's: the newest ``valid_from`` that is not after the day counts."""

    id: str
    rates: dict[tuple[str, str], tuple[tuple[dt.date, Decimal], ...]]
    """(model, kind) -> (first day, dollars a million tokens), the oldest first."""
    models: frozenset[str]

    def knows(self, model: str) -> bool:
        """Whether a row names the model, exactly as it is written."""
        return model in self.models

    def price(self, model: str, tokens: TokenClasses, at: dt.datetime) -> Priced:
        """Price tokens: the sum over kinds of tokens times price (SPEC 11); unknown where a kind in use has none."""
        if not self.knows(model):
            return Priced.unknown("the model is not in the table")
        day = at.astimezone(dt.UTC).date()
        used: dict[str, int] = {
            "input": tokens.input,
            "cached": tokens.cached,
            "cache_write": tokens.cache_write,
            "output": tokens.output,
        }
        if self._rate(model, "reasoning", day) is not None and tokens.output:
            if tokens.reasoning is None:
                return Priced.unknown("reasoning has a price of its own, and its tokens are not known")
            used |= {"output": tokens.output - tokens.reasoning, "reasoning": tokens.reasoning}
        total = Decimal(0)
        for kind, count in used.items():
            rate = self._rate(model, kind, day)
            if count and rate is None:
                return Priced.unknown(f"no price of {kind} tokens on {day}")
            total += count * (rate or Decimal(0))
        return Priced(total / _MILLION)

    def _rate(self, model: str, kind: str, day: dt.date) -> Decimal | None:
        rows = self.rates.get((model, kind), ())
        place = bisect_right(rows, day, key=lambda row: row[0])
        return rows[place - 1][1] if place else None


def frozen_prices(name: str, prices: Iterable[Price]) -> FrozenPrices:
    """Build a table from its rows.

    Raises:
        ValueRangeError: a price is negative or not finite, or two rows give one price from one day on.
    """
    rates: dict[tuple[str, str], dict[dt.date, Decimal]] = {}
    for row in prices:
        where = f"{row.model}, {row.kind}, {row.valid_from}"
        if not row.usd_per_mtok.is_finite() or row.usd_per_mtok < 0:
            raise ValueRangeError(f"a price of {row.usd_per_mtok}", where=where, hint="0 or more dollars")
        days = rates.setdefault((row.model, row.kind), {})
        if row.valid_from in days:
            raise ValueRangeError("two prices from one day on", where=where, hint="leave one of them out")
        days[row.valid_from] = row.usd_per_mtok
    dated = {key: tuple(sorted(days.items())) for key, days in rates.items()}
    return FrozenPrices(name, dated, frozenset(model for model, _ in dated))


def read_prices(path: str | Path) -> FrozenPrices:
    """Read a frozen table: ``{"id", "currency": "USD", "prices": [{"model", "kind", "usd_per_mtok", "valid_from"}]}``.

    Raises:
        FormatError: the file is no such table.
        ValueRangeError: another currency, or prices that cannot be.
    """
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        hint = "docs/formulas/prices.md shows the form of a price table"
        raise FormatError(f"no price table: {error}", where=str(path), hint=hint) from error
    if found.currency != "USD":
        raise ValueRangeError(
            f"the currency is {found.currency!r}", where=str(path), hint="prices are US dollars: USD"
        )
    if not found.prices or not found.id.strip():
        raise FormatError("a price table needs an id and at least one price", where=str(path))
    return frozen_prices(found.id, found.prices)


def price_table(name: str | Path) -> PriceTable:
    """Open a price table: ``genai`` for the package genai-prices, or the path of a frozen one.

    Raises:
        MissingExtraError: the package is not installed (extra ``prices``).
        UsageError: there is no such file.
        InputError: the file is no price table.
    """
    if name == GENAI:
        from measurand.score.genai import GenaiPrices

        return GenaiPrices.load()
    if not Path(name).is_file():
        raise UsageError("there is no price table", where=str(name), hint=f"name a JSON file, or {GENAI}")
    return read_prices(name)
