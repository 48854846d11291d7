"""Words around numbers and names, for messages of every layer."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["listed", "meant", "plural", "upper_first"]


def plural(number: int, one: str, many: str | None = None) -> str:
    """Number and noun that agree.

    >>> plural(1, "task"), plural(1540, "task"), plural(2, "family", "families")
    ('1 task', '1,540 tasks', '2 families')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: Iterable[str], most: int = 10) -> str:
    """First names in a sentence, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    names = list(names)
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def meant(word: str, known: Iterable[str]) -> str:
    """Words that suggest the known name nearest to a mistyped one; empty when none is near.

    >>> meant("reprot", ["report", "import"])
    " (did you mean 'report'?)"
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def upper_first(text: str) -> str:
    """Begin a sentence with ``text``.

    >>> upper_first("step-down max-T")
    'Step-down max-T'
    """
    return text[:1].upper() + text[1:]
