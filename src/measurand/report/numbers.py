"""How numbers are written for people: one place, so that a value reads the same in every format.

Undefined is a dash, never 0; a meter that nobody recorded is the word "unknown". A rounded number never claims more
than the number itself: 0.9996 is not "100.0%", and a p-value just above the level is not rounded onto it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "DASH",
    "MINUS",
    "UNKNOWN",
    "compact",
    "count",
    "decimal",
    "difference",
    "dollars",
    "finite",
    "interval",
    "p_statement",
    "p_value",
    "percent",
    "plain",
    "points",
    "quantity",
    "ranks",
    "score",
    "seconds",
]

DASH: Final = "\N{EN DASH}"
"""Stands for a number that is not defined."""

MINUS: Final = "\N{MINUS SIGN}"

UNKNOWN: Final = "unknown"
"""Stands for a cost that was not recorded."""

MINUTE: Final = 60.0
HOUR: Final = 3600.0
LEVELS: Final = (0.05, 0.01)
"""Levels onto which a p-value must not be rounded."""


def finite(value: float | None) -> float | None:
    """Return ``value``, or ``None`` when it is not a finite number: JSON and CSV know no infinity."""
    return None if value is None or not math.isfinite(value) else value


def _signed(text: str) -> str:
    return text.replace("-", MINUS)


def count(value: int | None) -> str:
    """Whole number with thousands separated: 87,000."""
    return DASH if value is None else _signed(f"{value:,}")


def plain(value: float) -> str:
    """Shortest text of a number in prose: 0.05, 154."""
    return _signed(f"{value:g}")


def decimal(value: float | None, digits: int = 2) -> str:
    """Number with a fixed number of decimals: 2.60."""
    value = finite(value)
    return DASH if value is None else _signed(f"{value:.{digits}f}")


def percent(value: float | None) -> str:
    """Share as a percentage with one decimal: 0.794 is 79.4%. Only a true 0 or 1 reads as 0.0% or 100.0%."""
    value = finite(value)
    if value is None:
        return DASH
    text = f"{100 * value:.1f}"
    if text == "100.0" and value < 1:
        return "> 99.9%"
    if text in {"0.0", "-0.0"} and value != 0:
        return "< 0.1%" if value > 0 else f"> {MINUS}0.1%"
    return f"{_signed(text)}%"


def points(value: float | None) -> str:
    """Difference of two shares in percentage points, signed: +1.4 points."""
    value = finite(value)
    return DASH if value is None else f"{_signed(f'{100 * value:+.1f}')} points"


def score(value: float | None) -> str:
    """Mean score with three decimals: 0.794."""
    value = finite(value)
    return DASH if value is None else _signed(f"{value:.3f}")


def difference(value: float | None) -> str:
    """Difference of two mean scores, signed, with three decimals: +0.041."""
    value = finite(value)
    if value is None:
        return DASH
    text = f"{value:+.3f}"
    return "0.000" if text in {"+0.000", "-0.000"} else _signed(text)


def interval(low: float | None, high: float | None, form: Callable[[float | None], str] = score) -> str:
    """Interval in brackets: [0.721, 0.853]; empty when an end is not defined. It follows a value that has the unit."""
    low, high = finite(low), finite(high)
    return (
        ""
        if low is None or high is None
        else f"[{form(low)}, {form(high)}]".replace("%", "").replace(" points", "")
    )


def ranks(low: int | None, high: int | None) -> str:
    """Range of ranks: from 2 to 5, or 3 when both ends are equal."""
    if low is None or high is None:
        return DASH
    return f"{low}" if low == high else f"{low}{DASH}{high}"


def p_value(p: float | None, *, resamples: int = 0, exact: bool = True) -> str:
    """p-value without its name: 0.023, < 0.001, or ≤ 0.0001 at the least value that so many resamples can give.

    Args:
        p: the p-value, or ``None``.
        resamples: number of random resamples behind it; 0 when it was not had by resampling.
        exact: whether all resamples were enumerated. A random sample cannot show less than 1/(resamples + 1).
    """
    p = finite(p)
    if p is None:
        return DASH
    floor = 1 / (resamples + 1)
    if not exact and resamples > 0 and p <= floor * (1 + 1e-9):
        return f"≤ {_round_up(floor)}"
    if p < 0.001:
        return "< 0.001"
    for digits in (3, 4, 5, 6):
        text = f"{p:.{digits}f}"
        if float(text) not in LEVELS or p in LEVELS:
            return text
    return text


def _round_up(value: float) -> str:
    """Smallest number with one significant digit that is not below ``value``, give or take 1 %."""
    digits = -math.floor(math.log10(value))
    scale = 10.0**digits
    return f"{math.ceil(value * scale - 0.01) / scale:.{max(digits, 0)}f}".rstrip("0")


def p_statement(p: float | None, *, resamples: int = 0, exact: bool = True) -> str:
    """p-value with its name, for a sentence: p = 0.023, p < 0.001, p ≤ 0.0001."""
    text = p_value(p, resamples=resamples, exact=exact)
    if text == DASH:
        return "p not available"
    return f"p {text}" if text[0] in "<≤" else f"p = {text}"


def dollars(value: float | None) -> str:
    """US dollars: $1.50, $12,345, and two significant digits below a cent."""
    value = finite(value)
    if value is None:
        return DASH
    size, sign = abs(value), MINUS if value < 0 else ""
    if size == 0 or 0.00995 <= size < 1000:
        return f"{sign}${size:.2f}"
    if size >= 1000:
        return f"{sign}${size:,.0f}"
    digits = 1 - math.floor(math.log10(size))
    return f"{sign}${size:.{digits}f}"


def seconds(value: float | None) -> str:
    """Time: 0.31 ms, 42 ms, 4.20 s, 42 s, 3 min 20 s, 2 h 05 min."""
    value = finite(value)
    if value is None:
        return DASH
    if 0 < value < 1:
        milliseconds = 1000 * value
        return f"{milliseconds:.2f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"
    if value < 10:
        return f"{value:.2f} s"
    whole = round(value)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(value / MINUTE)
    return f"{minutes // 60:,} h {minutes % 60:02d} min"


def compact(value: float | None) -> str:
    """Large count in three digits: 950, 12.3k, 4.56M."""
    value = finite(value)
    if value is None:
        return DASH
    size = abs(value)
    for unit, suffix in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if size >= unit * 0.9995:
            return _signed(f"{_three_digits(value / unit)}{suffix}")
    return _signed(f"{value:.0f}" if float(value).is_integer() else _three_digits(value))


def _three_digits(value: float) -> str:
    size = abs(value)
    digits = 2 if size < 9.995 else 1 if size < 99.95 else 0
    return f"{value:,.{digits}f}"


def quantity(value: float | None, unit: str) -> str:
    """Amount of a meter in its unit: dollars and seconds in their own way, tokens and steps as counts."""
    match unit.strip().lower():
        case "usd" | "$" | "dollar" | "dollars" | "us dollars":
            return dollars(value)
        case "s" | "second" | "seconds":
            return seconds(value)
        case _:
            return compact(value)
