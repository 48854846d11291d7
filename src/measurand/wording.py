"""Words around numbers, for messages of every layer."""

from __future__ import annotations

__all__ = ["plural"]


def plural(number: int, one: str, many: str | None = None) -> str:
    """Number and noun that agree.

    >>> plural(1, "task"), plural(1540, "task"), plural(2, "family", "families")
    ('1 task', '1,540 tasks', '2 families')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
