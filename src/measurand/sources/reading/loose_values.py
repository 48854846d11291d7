"""Values of other tools' records, which may be text, numbers or anything: what they mean, or ``None``."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any, Final

from measurand.model.digests import without_surrogates

__all__ = ["list_of", "number", "object_of", "text", "time", "truth", "whole"]

_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_LARGEST: Final = 2**53
"""No count is larger: it would not be exact as a number."""
_MILLISECONDS, _MICROSECONDS, _NANOSECONDS = 1e11, 1e14, 1e17
"""A number of seconds since 1970 is smaller than the first, of milliseconds than the second, and so on."""
_TRUTHS: Final = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_TOO_LONG: Final = 400
"""Characters of a number."""


def number(value: Any) -> float | None:
    """Return a finite number, also one written as text.

    >>> number("1.50"), number(2), number("fast"), number(True), number(float("nan"))
    (1.5, 2.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        value = value.strip()
        if len(value) > _TOO_LONG or not _NUMBER.fullmatch(value):
            return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """Return a count, also one written as text or with a decimal point; a negative or fractional one is none.

    >>> whole("12"), whole(12.0), whole(-1), whole(1.5)
    (12, 12, None, None)
    """
    found = number(value)
    return int(found) if found is not None and found.is_integer() and 0 <= found <= _LARGEST else None


def text(value: Any) -> str | None:
    """Return a text, or a whole number as text; stripped, and ``None`` when nothing is left.

    >>> text(" a "), text(7), text(""), text(None), text(["a"])
    ('a', '7', None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return str(value) if abs(value) <= _LARGEST else None
    found: str = without_surrogates(value)
    return found.strip() or None


def truth(value: Any) -> bool | None:
    """Return a truth value, also one written as text or as 0 and 1.

    >>> truth(True), truth("false"), truth(1), truth("yes")
    (True, False, True, None)
    """
    return _TRUTHS.get(str(value).strip().lower()) if isinstance(value, bool | int | float | str) else None


def object_of(value: Any) -> dict[str, Any]:
    """Return ``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return ``value`` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def time(value: Any) -> dt.datetime | None:
    """Return a point in time, UTC: from ISO 8601, or from seconds, milli-, micro- or nanoseconds since 1970.

    A time without a zone is taken for UTC.

    >>> time("2026-01-30T06:11:39+01:00").isoformat(), time("1769753499").isoformat()
    ('2026-01-30T05:11:39+00:00', '2026-01-30T06:11:39+00:00')
    """
    since = number(value)
    try:
        if since is not None:
            return _since_1970(since)
        found = dt.datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
        if found is None:
            return None
        return found.astimezone(dt.UTC) if found.tzinfo else found.replace(tzinfo=dt.UTC)
    except (ValueError, OverflowError):
        return None


def _since_1970(since: float) -> dt.datetime | None:
    for limit, scale in ((_MILLISECONDS, 1), (_MICROSECONDS, 1e3), (_NANOSECONDS, 1e6), (math.inf, 1e9)):
        if 0 < since < limit:
            return dt.datetime.fromtimestamp(since / scale, dt.UTC)
    return None
