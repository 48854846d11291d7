"""``measurand reprice``: two bills, a store with both, and refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    Run = Callable[..., Any]

_ROWS = """agent,task,passed,cost_usd,model_served,started_at,input_tokens,output_tokens
ada,a,1,14,kite,2025-01-01T00:00:00Z,1000000,100000
ada,b,1,,kite,2026-06-01T00:00:00Z,1000000,100000
bob,a,0,1,nobody,2026-06-01T00:00:00Z,100,10
"""


@pytest.fixture
def metered(tmp_path: Path) -> Path:
    path = tmp_path / "metered.csv"
    path.write_text(_ROWS, encoding="utf-8")
    return path


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    rows = [
        {"model": "kite", "kind": kind, "usd_per_mtok": usd, "valid_from": day}
        for kind, usd, day in (
            ("input", 10, "2025-01-01"),
            ("output", 40, "2025-01-01"),
            ("input", 2, "2026-01-01"),
            ("output", 8, "2026-01-01"),
        )
    ]
    path.write_text(json.dumps({"id": "mine", "currency": "USD", "prices": rows}), encoding="utf-8")
    return path


def test_both_bills_and_what_has_no_price(measurand: Run, metered: Path, prices: Path) -> None:
    """At each trial's start: 14 + 2.8; the difference is over the trial with both bills."""
    found = measurand("reprice", metered, "--prices", prices, "--json")
    envelope = json.loads(found.out)
    assert (found.code, envelope["kind"]) == (0, "reprice")
    ada, bob = envelope["data"]["agents"]
    assert ada == {
        "agent": "ada",
        "trials": 2,
        "reported_usd": 14.0,
        "reported": 1,
        "repriced_usd": pytest.approx(16.8),
        "repriced": 2,
        "difference_usd": 0.0,
        "both": 1,
    }
    assert (bob["repriced_usd"], bob["repriced"], bob["difference_usd"]) == (None, 0, None)
    assert envelope["data"]["unpriced"] == [
        {"model": "nobody", "reason": "the model is not in the table", "trials": 1}
    ]


def test_one_day_for_all_trials(measurand: Run, metered: Path, prices: Path) -> None:
    """The frozen bill: 2.8 each."""
    data = json.loads(measurand("reprice", metered, "--prices", prices, "--at", "2026-06-01", "--json").out)[
        "data"
    ]
    assert data["table"] == "mine, at 2026-06-01"
    assert data["agents"][0]["repriced_usd"] == pytest.approx(5.6)
    assert data["agents"][0]["difference_usd"] == pytest.approx(-11.2)


def test_text_says_unknown_and_lower_bounds(
    measurand: Run, metered: Path, prices: Path, tmp_path: Path
) -> None:
    """Text, Markdown and a page are forms as elsewhere."""
    text = measurand("reprice", metered, "--prices", prices).out
    assert "≥ $14.00 (1/2)" in text
    assert "$16.80" in text
    assert "No trial is priced of bob: unknown, not free." in text
    page = tmp_path / "page.html"
    assert measurand("reprice", metered, "--prices", prices, "--markdown", "--html", page).out.startswith(
        "# Two"
    )
    assert "nobody" in page.read_text(encoding="utf-8")


def test_a_store_holds_both_bills(measurand: Run, metered: Path, prices: Path, tmp_path: Path) -> None:
    """Then the second bill is a meter like others."""
    store = tmp_path / "store"
    assert measurand("reprice", metered, "--prices", prices, "--store", store).code == 0
    found = measurand("pareto", store, "--meter", "repriced_usd", "--json")
    assert found.code == 0
    standings = json.loads(measurand("report", store, "--json").out)["data"]["standings"]
    meters = {meter["name"]: meter["total"] for meter in standings[0]["meters"]}
    assert (meters["cost_usd"], meters["repriced_usd"]) == (14.0, pytest.approx(16.8))
    again = measurand("reprice", metered, "--prices", prices, "--store", store)
    assert again.code == 2
    assert "is one already" in again.err


def test_wrong_calls_are_refused(measurand: Run, results: Path, metered: Path, prices: Path) -> None:
    """No date anywhere, no such table or suite: nothing on standard output."""
    for call, words in (
        ((results, "--prices", prices), "--at DATE"),
        ((metered, "--prices", "absent.json"), "there is no price table"),
        ((metered, "--prices", prices, "--at", "soon"), "soon"),
        ((metered,), "--prices"),
    ):
        found = measurand("reprice", *call)
        assert (found.code, found.out) == (2, "")
        assert words in found.err
    assert measurand("reprice", metered, "--prices", metered).code == 3
