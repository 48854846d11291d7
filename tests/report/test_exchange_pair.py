"""Two agents on the cost axis in sentences."""

from __future__ import annotations

from typing import Any

import msgspec

from measurand.analyze.cost.records import PairExchange, PairRates, RateInterval, RateTest
from measurand.report.cost.exchange_pair import exchange_sentences


def rates(low: float, high: float | None) -> RateInterval:
    return RateInterval(low=low, high=high)


TEST = RateTest(
    family=("ada", "bob"),
    level=0.05,
    critical_value=3.1,
    method="paired t",
    n_tasks=40,
    n_units=40,
    unit="task",
    resamples=10_000,
    exact=False,
    seed=0,
    reason=None,
    caution=None,
)


def pair(**more: Any) -> PairExchange:
    usual = PairExchange(
        a="ada",
        b="bob",
        score="gate",
        meter="cost_usd",
        unit="USD",
        log_cost=False,
        n_tasks=40,
        cost_a=3.0,
        cost_b=1.0,
        a_over_b=PairRates(agent="ada", rival="bob", rates=rates(0, 0.1), supported=rates(0, 0.05), p=0.01),
        b_over_a=PairRates(agent="bob", rival="ada", rates=rates(0.1, None), supported=None, p=0.3),
        test=TEST,
        reason=None,
    )
    return msgspec.structs.replace(usual, **more)


def test_two_agents_in_sentences() -> None:
    text = exchange_sentences(pair())
    assert text[0] == "Mean cost of a trial: ada $3.00 and bob $1.00."
    assert text[1].endswith("By the means: ada at $0.10 and more; bob at up to $0.10.")
    assert (
        "at most a 5% chance of any false statement over all exchange rates: ada at $0.20 and more."
        in text[2]
    )


def test_two_agents_that_need_no_price() -> None:
    """One is ahead at every exchange rate, or they are level, or the cost is unknown, or nothing is shown."""
    best = PairRates(agent="ada", rival="bob", rates=rates(0, None), supported=None, p=0.4)
    none = PairRates(agent="bob", rival="ada", rates=None, supported=None, p=1.0)
    text = exchange_sentences(pair(a_over_b=best, b_over_a=none))
    assert text[1] == "By the means, ada is ahead whatever the score is worth."
    assert text[2].startswith("Neither is shown to be ahead at any exchange rate")
    level = msgspec.structs.replace(none, rates=rates(0, None))
    assert "level" in exchange_sentences(pair(a_over_b=best, b_over_a=level))[1]
    unknown = exchange_sentences(
        pair(a_over_b=None, b_over_a=None, test=None, reason="bob: no trial has a known cost")
    )
    assert unknown == ("Quality cannot be weighed against cost: bob: no trial has a known cost.",)
    few = msgspec.structs.replace(TEST, reason="too few tasks")
    assert exchange_sentences(pair(test=few))[2] == "Nothing of this is shown: too few tasks."
    skewed = msgspec.structs.replace(TEST, caution="skewed")
    assert exchange_sentences(pair(test=skewed, log_cost=True))[3] == "Caution: skewed."
