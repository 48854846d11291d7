"""Exchange rates of quality and cost in words: what a point of the score is worth, or what a doubling must bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.numbers import DASH, compact, plain, quantity
from measurand.report.parts import meter_label
from measurand.report.scores import is_share, score_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measurand.analyze.cost.records import PairExchange, ParetoPart, RateInterval

    Axis = ParetoPart | PairExchange

__all__ = [
    "axis_words",
    "known_words",
    "meter_words",
    "point_words",
    "rate_text",
    "rate_unit",
    "unit_words",
    "worth",
    "worth_of_several",
]

INFINITY = "\N{INFINITY}"


def meter_words(axis: Axis) -> str:
    """Name of the meter in a sentence: cost, tokens, wall time."""
    label = meter_label(axis.meter)
    return label[:1].lower() + label[1:]


def known_words(axis: Axis) -> str:
    """The meter and its verb: cost is known, tokens are known."""
    words = meter_words(axis)
    return f"{words} {'are' if words.endswith('s') else 'is'} known"


def point_words(axis: Axis) -> str:
    """The hundredth of the score that prices are for: a point of gate rate, or 0.01 of the objective."""
    return f"{'a point' if is_share(axis.score) else '0.01'} of {score_words(axis.score)}"


def axis_words(axis: Axis) -> str:
    """Heading of a column of :func:`worth`: a point is worth, or a doubling must bring."""
    if axis.log_cost:
        return "A doubling must bring"
    unit = "" if axis.unit in {"USD", "s"} else f" ({axis.unit})"
    return f"{'A point' if is_share(axis.score) else '0.01'} is worth{unit}"


def unit_words(axis: Axis) -> str:
    """Unit of the meter in a sentence: dollars, seconds, tokens."""
    return {"USD": "dollars", "s": "seconds"}.get(axis.unit, axis.unit)


def rate_unit(axis: Axis) -> str:
    """Unit of an exchange rate."""
    return "score per doubling" if axis.log_cost else f"score per {axis.unit.removesuffix('s') or axis.unit}"


def worth(interval: RateInterval | None, axis: Axis) -> str:
    """Say what a point is worth where an interval of exchange rates holds; on a logarithmic axis what a doubling must bring.

    A high exchange rate is a low price of quality, so that the ends change places: [0, 0.5] per dollar says that a point is
    worth $0.02 and more.
    """
    if interval is None:
        return DASH
    if interval.high == 0:
        return "only where cost counts nothing"
    if axis.log_cost:
        return _gains(interval, share=is_share(axis.score))
    least = None if interval.high is None else quantity(0.01 / interval.high, axis.unit)
    most = None if interval.low == 0 else quantity(0.01 / interval.low, axis.unit)
    if least is None and most is None:
        return "any amount"
    if least is None:
        return f"up to {most}"
    return f"{least} and more" if most is None else _between(least, most)


def worth_of_several(intervals: Sequence[RateInterval] | None, axis: Axis) -> str:
    """Join what :func:`worth` says of several intervals; a dash where there is none, or where nothing was tested."""
    return "; ".join(worth(interval, axis) for interval in intervals) if intervals else DASH


def _gains(interval: RateInterval, *, share: bool) -> str:
    def size(rate: float) -> str:
        return f"{_three(100 * rate)} points" if share else _three(rate)

    if interval.high is None:
        return "any amount" if interval.low == 0 else f"{size(interval.low)} and more"
    if interval.low == 0:
        return f"up to {size(interval.high)}"
    return _between(size(interval.low).removesuffix(" points"), size(interval.high))


def _between(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def rate_text(interval: RateInterval | None, *, shown: bool = False) -> str:
    """Write an interval of exchange rates: [0, 0.0077], [0.329, ∞); without its ends but 0 where it is ``shown`` by a test."""
    if interval is None:
        return DASH
    start = "(" if shown and interval.low > 0 else "["
    end = f"{INFINITY})" if interval.high is None else f"{_three(interval.high)}{')' if shown else ']'}"
    return f"{start}{_three(interval.low)}, {end}"


def _three(value: float) -> str:
    """Three significant digits."""
    return compact(value) if value >= 999.5 else plain(float(f"{value:.3g}"))
