r"""Names that others chose, made safe to show: they may hold control characters, reversed text or a whole novel.

A name is data. In JSON it stands as it is; wherever a person reads it, what could move the cursor, reverse the line or
break the page is written as an escape such as ``\x1b``, so that it is seen instead of obeyed.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EMPTY", "cell_width", "name_shown", "pad", "shorten", "unique_labels", "visible"]

EMPTY: Final = "(no name)"

DIRECTION_CONTROLS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""They reorder what stands around them, so that a line can read other than it is."""

BREAKS: Final = frozenset("\u2028\u2029\ufeff\ufffe\uffff")


def visible(text: str) -> str:
    r"""Return ``text`` with control, direction and unpaired surrogate characters written as escapes.

    >>> visible("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(_escape(char) if _is_hostile(char) else char for char in text)


def _is_hostile(char: str) -> bool:
    return char in DIRECTION_CONTROLS or char in BREAKS or unicodedata.category(char) in {"Cc", "Cs"}


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def name_shown(text: str) -> str:
    """Return a name for display: visible, and never empty."""
    return visible(text).strip() or EMPTY


def cell_width(text: str) -> int:
    """Columns that ``text`` takes in a terminal: two for an East Asian wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shorten(text: str, width: int) -> str:
    """Return ``text`` in at most ``width`` columns, its middle replaced by an ellipsis.

    The end is kept as well as the beginning, because versions stand at the end of agents' names.

    >>> shorten("a-very-long-agent-name-v2", 12)
    'a-very…me-v2'
    """
    if cell_width(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    tail = (width - 1) // 2
    return f"{_head(text, width - 1 - tail)}…{_head(text[::-1], tail)[::-1]}"


def _head(text: str, width: int) -> str:
    taken = 0
    for index, char in enumerate(text):
        taken += cell_width(char)
        if taken > width:
            return text[:index]
    return text


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Fill ``text`` with spaces to ``width`` columns, at its left end when ``right``."""
    space = " " * max(width - cell_width(text), 0)
    return space + text if right else text + space


def unique_labels(names: Iterable[str], width: int) -> list[str]:
    """Short labels for a figure, all different, in the order of ``names``; a repeated one gets a number."""
    seen: dict[str, int] = {}
    labels: list[str] = []
    for name in names:
        label = shorten(name_shown(name), width)
        while label in seen:
            seen[label] += 1
            suffix = f" ({seen[label]})"
            label = shorten(label, width - len(suffix)) + suffix
        seen[label] = 1
        labels.append(label)
    return labels
