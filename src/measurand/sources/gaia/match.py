"""GAIA's quasi-exact match of an answer with the reference: numbers by value, lists element by element, texts loosely."""

from __future__ import annotations

import math
import re
import string
from typing import Final

__all__ = ["quasi_exact"]

_LIST: Final = re.compile(r"[,;]")
_SPACE: Final = re.compile(r"\s")
_UNITS: Final = str.maketrans("", "", "$%,")
_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


def quasi_exact(answer: str, reference: str) -> bool:
    """Whether an answer is right.

    A reference that is a number is met by the same number, also with ``$``, ``%`` or commas in it. One with commas or
    semicolons is a list: as many elements, each met by its counterpart. Any other text is met by the same letters and
    digits, whatever their case.

    >>> quasi_exact("$1,000", "1000"), quasi_exact("red; 2", "Red, 2.0"), quasi_exact("Saint-Denis", "saint denis")
    (True, True, True)
    >>> quasi_exact("2, red", "red, 2")
    False
    """
    if (number := _number(reference)) is not None:
        return _is(answer, number)
    if _LIST.search(reference):
        given, wanted = _LIST.split(answer), _LIST.split(reference)
        return len(given) == len(wanted) and all(map(_element, given, wanted))
    return _plain(answer).translate(_PUNCTUATION) == _plain(reference).translate(_PUNCTUATION)


def _element(answer: str, reference: str) -> bool:
    number = _number(reference)
    return _plain(answer) == _plain(reference) if number is None else _is(answer, number)


def _is(answer: str, number: float) -> bool:
    given = _number(answer.translate(_UNITS))
    return (math.inf if given is None else given) == number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _plain(text: str) -> str:
    return _SPACE.sub("", text).lower()
