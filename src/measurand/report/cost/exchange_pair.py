"""Two agents on the cost axis in sentences, for a comparison of the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.cost.words import meter_words, point_words, unit_words, worth
from measurand.report.names import name_shown, shorten, visible
from measurand.report.numbers import quantity
from measurand.report.parts import percent_level
from measurand.report.scores import score_words

if TYPE_CHECKING:
    from measurand.analyze.cost.records import PairExchange, PairRates

__all__ = ["exchange_sentences"]


def exchange_sentences(pair: PairExchange) -> tuple[str, ...]:
    """Say at which exchange rates either agent is ahead, by the means and as shown by the test."""
    if pair.a_over_b is None or pair.b_over_a is None:
        return (f"Quality cannot be weighed against {meter_words(pair)}: {visible(pair.reason or '')}.",)
    costs = " and ".join(
        f"{_short(name)} {quantity(cost, pair.unit)}"
        for name, cost in ((pair.a, pair.cost_a), (pair.b, pair.cost_b))
    )
    return (f"Mean {meter_words(pair)} of a trial: {costs}.", _means(pair), *_shown(pair))


def _short(name: str) -> str:
    return shorten(name_shown(name), 32)


def _what(pair: PairExchange) -> str:
    if pair.log_cost:
        return f"a doubling of {meter_words(pair)} must bring, in {score_words(pair.score)}"
    return f"{point_words(pair)} is worth, in {unit_words(pair)} a trial"


def _means(pair: PairExchange) -> str:
    ahead = [
        found for found in (pair.a_over_b, pair.b_over_a) if found is not None and found.rates is not None
    ]
    everywhere = [
        found for found in ahead if found.rates and (found.rates.low, found.rates.high) == (0, None)
    ]
    if len(everywhere) == 2:
        return "By the means, the two are level whatever the score is worth."
    if everywhere:
        return f"By the means, {_short(everywhere[0].agent)} is ahead whatever the score is worth."
    named = "; ".join(f"{_short(found.agent)} at {worth(found.rates, pair)}" for found in ahead)
    return f"Who is ahead depends on what {_what(pair)}. By the means: {named}."


def _shown(pair: PairExchange) -> list[str]:
    test = pair.test
    if test is None:
        return []
    if test.reason is not None:
        return [f"Nothing of this is shown: {visible(test.reason)}."]
    sure = f"at most a {percent_level(test.level)} chance of any false statement over all exchange rates"
    shown: list[PairRates] = [
        found for found in (pair.a_over_b, pair.b_over_a) if found is not None and found.supported is not None
    ]
    named = "; ".join(f"{_short(found.agent)} at {worth(found.supported, pair)}" for found in shown)
    caution = [f"Caution: {visible(test.caution)}."] if test.caution else []
    if not shown:
        return [f"Neither is shown to be ahead at any exchange rate, with {sure}.", *caution]
    return [f"Shown, with {sure}: {named}.", *caution]
