"""Dated prices: the day counts, cached tokens are not charged twice, and what is not known has no price."""

from __future__ import annotations

import datetime as dt
import json
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.errors import FormatError, MissingExtraError, UsageError, ValueRangeError
from measurand.model.table import Trials, trials_frame
from measurand.model.trial import Trial
from measurand.score.prices import GENAI, Price, TokenClasses, frozen_prices, price_table, read_prices
from measurand.score.reprice import reprice

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.score.prices import FrozenPrices, Kind

OLD = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
NEW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
SOME = TokenClasses(1_000_000, 0, 0, 100_000)


def rate(kind: Kind, usd: str, day: str = "2025-01-01", model: str = "kite") -> Price:
    return Price(model=model, kind=kind, usd_per_mtok=Decimal(usd), valid_from=dt.date.fromisoformat(day))


def table(*more: Price) -> FrozenPrices:
    return frozen_prices("prices-1", [rate("input", "2"), rate("output", "8"), rate("cached", "0.5"), *more])


def trials(**fields: Any) -> Trials:
    plain: dict[str, Any] = {"suite": "s", "task": "t", "agent": "a", "trial": "1", "outcome": "completed"}
    known = {"model_served": "kite", "started_at": NEW, "input_tokens": 1_000_000, "output_tokens": 100_000}
    return Trials(trials_frame([Trial(**plain | known | fields)]))


def usd(found: Trials) -> float | None:
    value: float | None = found.frame["repriced_usd"].item()
    return value


@pytest.mark.parametrize(("at", "dollars"), [(OLD, "14.0"), (NEW, "2.8")])
def test_the_day_decides_what_o3_cost(at: dt.datetime, dollars: str) -> None:
    """1M input and 0.1M output tokens before and after the price fell."""
    pytest.importorskip("genai_prices")
    assert price_table(GENAI).price("o3", SOME, at).usd == Decimal(dollars)


def test_cached_tokens_are_charged_once_and_as_cached() -> None:
    """Our input leaves them out, the package's holds them: $2 + $0.25 + $0.8."""
    pytest.importorskip("genai_prices")
    found = price_table(GENAI).price("o3", SOME._replace(cached=500_000), NEW)
    assert found.usd == Decimal("3.05")
    assert table().price("kite", SOME._replace(cached=500_000), NEW).usd == Decimal("3.05")


@pytest.mark.parametrize(
    ("model", "tokens", "words"),
    [
        ("no-such-model", SOME, "not in the table"),
        ("o3", SOME._replace(cache_write=1), "no price of cache_write"),
        ("gemini-2.5-pro", SOME, "long prompts"),
        ("cohere/embed-v4.0", SOME, "no price of output"),
    ],
)
def test_what_the_package_would_guess_is_unknown(model: str, tokens: TokenClasses, words: str) -> None:
    """It charges a class without a price as plain input, or nothing; and takes a sum of prompts for one."""
    pytest.importorskip("genai_prices")
    found = price_table(GENAI).price(model, tokens, NEW)
    assert found.usd is None
    assert words in (found.reason or "")


def test_short_prompts_of_a_tiered_model_have_a_price() -> None:
    """A sum below the first threshold cannot hold a prompt above it."""
    pytest.importorskip("genai_prices")
    assert price_table(GENAI).price("gemini-2.5-pro", TokenClasses(100_000, 0, 0, 0), NEW).usd == Decimal(
        "0.125"
    )


def test_a_name_with_its_provider_is_looked_up_there() -> None:
    """As many harnesses write models."""
    pytest.importorskip("genai_prices")
    opened = price_table(GENAI)
    assert opened.price("openai/o3", SOME, NEW).usd == opened.price("o3", SOME, NEW).usd
    assert not opened.knows("nobody/o3")


def test_every_model_of_the_package_is_priced_or_unknown() -> None:
    """No model makes it fail, and no price is negative."""
    pytest.importorskip("genai_prices")
    from genai_prices.data_snapshot import get_snapshot

    opened = price_table(GENAI)
    for provider in get_snapshot().providers:
        for model in provider.models[::5]:
            found = opened.price(f"{provider.id}/{model.id}", TokenClasses(10, 5, 2, 3, 1), NEW)
            assert (found.usd is None) == (found.reason is not None)
            assert found.usd is None or found.usd >= 0


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with pytest.raises(MissingExtraError, match="genai-prices") as found:
        price_table(GENAI)
    assert "measurand[prices]" in str(found.value)


def test_the_newest_price_not_after_the_day_counts() -> None:
    """From its first day on, in UTC; before the first price there is none."""
    prices = table(rate("input", "1", "2026-06-01"))
    assert prices.price("kite", TokenClasses(1_000_000, 0, 0, 0), NEW).usd == 1
    assert prices.price("kite", TokenClasses(1_000_000, 0, 0, 0), NEW - dt.timedelta(seconds=1)).usd == 2
    early = prices.price("kite", SOME, OLD - dt.timedelta(days=1))
    assert (early.usd, early.reason) == (None, "no price of input tokens on 2024-12-31")


def test_a_kind_without_a_price_is_unknown_only_where_it_is_used() -> None:
    """No tokens of a kind need no price; a price of 0 is one."""
    assert table().price("kite", SOME._replace(cache_write=1), NEW).usd is None
    assert table(rate("cache_write", "0")).price("kite", SOME._replace(cache_write=1), NEW).usd == Decimal(
        "2.8"
    )


def test_reasoning_is_part_of_the_output() -> None:
    """Charged as output; apart only where the table says so, and then its number must be known."""
    known = SOME._replace(reasoning=50_000)
    assert table().price("kite", known, NEW).usd == Decimal("2.8")
    apart = table(rate("reasoning", "16"))
    assert apart.price("kite", known, NEW).usd == Decimal("3.2")
    assert apart.price("kite", SOME, NEW).usd is None


@given(st.lists(st.integers(0, 10**12), min_size=4, max_size=4), st.integers(1, 1000))
def test_dollars_are_proportional_to_tokens(counts: list[int], times: int) -> None:
    """So many times the tokens cost so many times as much, exactly."""
    prices = table(rate("cache_write", "2.5"))
    one = prices.price("kite", TokenClasses(*counts), NEW).usd
    many = prices.price("kite", TokenClasses(*(times * count for count in counts)), NEW).usd
    assert one is not None
    assert many == times * one


def test_the_second_bill_leaves_the_first_as_it_is() -> None:
    """By the model served, at the trial's start; the table and the day are named."""
    found = reprice(trials(cost_usd=9.0, model_requested="other"), table())
    assert (usd(found), found.frame["cost_usd"].item()) == (2.8, 9.0)
    assert found.frame["repriced_by"].item() == "prices-1, at each start"
    frozen = reprice(trials(started_at=None), table(), at=NEW.replace(tzinfo=None))
    assert (usd(frozen), frozen.frame["repriced_by"].item()) == (2.8, "prices-1, at 2026-06-01")


def test_the_model_requested_counts_where_the_served_one_is_not_known() -> None:
    """To the source, or to the table."""
    for served in (None, "kite-2026-01-01"):
        assert usd(reprice(trials(model_served=served, model_requested="kite"), table())) == 2.8


@pytest.mark.parametrize(
    "fields",
    [
        {"model_served": None},
        {"model_served": "other"},
        {"input_tokens": None, "total_tokens": 1_100_000},
        {"output_tokens": None},
        {"cache_write_tokens": 1},
        {"reasoning_tokens": 100_001},
    ],
)
def test_unknown_is_never_free(fields: dict[str, Any]) -> None:
    """Without a model, tokens by class or a price there is no bill, and no table behind it."""
    found = reprice(trials(**fields), table())
    assert (usd(found), found.frame["repriced_by"].item()) == (None, None)


def test_no_tokens_cost_nothing() -> None:
    """Whatever the model."""
    assert usd(reprice(trials(input_tokens=0, output_tokens=0, model_served=None), table())) == 0


def test_a_price_needs_a_date() -> None:
    """Refused where no trial has one; unknown for a trial without one among others."""
    with pytest.raises(UsageError, match="price without a date") as found:
        reprice(trials(started_at=None), table())
    assert "--at DATE" in str(found.value)
    both = Trials(trials().frame.vstack(trials(trial="2", started_at=None).frame))
    assert reprice(both, table()).frame["repriced_usd"].to_list() == [2.8, None]


def written(path: Path, **changes: Any) -> Path:
    row = {"model": "kite", "kind": "input", "usd_per_mtok": 0.1, "valid_from": "2025-01-01", "source": "x"}
    path.write_text(json.dumps({"id": "p", "currency": "USD", "prices": [row]} | changes), encoding="utf-8")
    return path


def test_a_frozen_table_is_read_in_decimals(tmp_path: Path) -> None:
    """0.1 is a tenth."""
    opened = read_prices(written(tmp_path / "p.json"))
    assert opened.price("kite", TokenClasses(3, 0, 0, 0), NEW).usd == Decimal("0.0000003")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"currency": "EUR"}, ValueRangeError),
        ({"id": " "}, FormatError),
        ({"prices": []}, FormatError),
        ({"prices": [{"model": "kite"}]}, FormatError),
        (
            {"prices": [{"model": "m", "kind": "x", "usd_per_mtok": 1, "valid_from": "2025-01-01"}]},
            FormatError,
        ),
        (
            {"prices": [{"model": "m", "kind": "input", "usd_per_mtok": -1, "valid_from": "2025-01-01"}]},
            ValueRangeError,
        ),
        (
            {"prices": 2 * [{"model": "m", "kind": "input", "usd_per_mtok": 1, "valid_from": "2025-01-01"}]},
            ValueRangeError,
        ),
    ],
)
def test_tables_that_cannot_be_are_refused(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception]
) -> None:
    """Another currency, no prices, unknown kinds, negative prices, two prices from one day on."""
    with pytest.raises(error):
        price_table(written(tmp_path / "p.json", **changes))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, content: bytes) -> None:
    """Whatever is in it; and a file that is not there is a wrong call."""
    path = tmp_path / "p.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="no price table"):
        price_table(path)
    with pytest.raises(UsageError):
        price_table(tmp_path / "absent.json")
