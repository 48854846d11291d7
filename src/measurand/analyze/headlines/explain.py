"""Why a stated number and ours differ: rounding, or trials and tasks that the one counts and the other does not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from measurand.analyze.headlines.records import SHARE, Headline, Tally
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measurand.model.stated import Stated

__all__ = ["Agreement", "Explained", "explain", "in_unit"]

Agreement = Literal["equal", "rounding", "counts", "possible", "unexplained", "not computed", "not stated"]
"""How far the two agree.

``counts``: counting other trials gives the stated number exactly. ``possible``: trials without a verdict are enough to make up
the difference; which of them passed is not known.
"""


class Explained(NamedTuple):
    """What explains a difference."""

    agreement: Agreement
    text: str


def in_unit(value: float | None, unit: str, wanted: str) -> float | None:
    """Give ``value`` in the unit that a number is stated in: shares and percentages change into each other."""
    if value is None:
        return None
    if (unit, wanted) == (SHARE, "percent"):
        return 100 * value
    return value


def explain(stated: Stated, ours: Headline) -> Explained:
    """Explain the difference of a stated number from ours.

    Exact reasons come first: equality, rounding, then each way of counting that gives the stated number to its digits.
    """
    value = in_unit(ours.value, ours.unit, stated.unit)
    if value is None:
        return Explained("not computed", ours.note)
    if math.isclose(value, stated.value, rel_tol=1e-9, abs_tol=1e-12):
        return Explained("equal", f"equal{_also(ours)}")
    if _within(value, stated.value):
        return Explained(
            "rounding", f"rounding: it is stated to {plural(_decimals(stated.value), 'decimal')}"
        )
    scale = 100.0 if stated.unit == "percent" else 1.0
    if ours.rounded_in in stated.where and abs(value - stated.value) <= ours.rounding * scale:
        return Explained(
            "rounding", "rounding: the files round what it is computed from more than this number"
        )
    if ours.tally is None or ours.unit != SHARE:
        return Explained("unexplained", f"not explained; ours: {ours.note or 'a count'}")
    return _by_counting(stated, ours.tally, scale)


def _by_counting(stated: Stated, tally: Tally, scale: float) -> Explained:
    for text, share in _countings(tally):
        if _within(scale * share, stated.value):
            return Explained("counts", f"explained exactly by the counts: {text}")
    return _by_passes(stated, tally, scale)


def _also(ours: Headline) -> str:
    tally = ours.tally
    if tally is None or not (tally.no_verdict or tally.absent):
        return ""
    return f" (with {_of(tally)} counted as not passed)"


def _of(tally: Tally) -> str:
    parts = [plural(tally.no_verdict, "trial") + " without a verdict or score"] if tally.no_verdict else []
    parts += [plural(tally.absent, "absent task")] if tally.absent else []
    return " and ".join(parts)


def _countings(tally: Tally) -> Iterator[tuple[str, float]]:
    """Other ways of counting the same trials, and the share that each gives."""
    left = [
        (tally.no_verdict, f"{plural(tally.no_verdict, 'trial')} without a verdict or score"),
        (tally.absent, plural(tally.absent, "absent task")),
    ]
    both = (tally.no_verdict + tally.absent, " and ".join(text for _, text in left))
    for number, text in [*left, *([both] if tally.no_verdict and tally.absent else [])]:
        if 0 < number < tally.n:
            yield (
                f"it leaves out the {text} ({tally.passes:g} of {tally.n - number}, ours {tally.passes:g} of {tally.n})",
                tally.passes / (tally.n - number),
            )
    if tally.no_verdict and tally.whole:
        passes = tally.passes + tally.no_verdict
        yield f"it counts all {left[0][1]} as passed ({passes:g} of {tally.n})", passes / tally.n


def _by_passes(stated: Stated, tally: Tally, scale: float) -> Explained:
    """Say which number of passes the stated share would be, if it is one of the same n."""
    passes = round(stated.value / scale * tally.n)
    ours = f"ours {tally.passes:g} of {tally.n}"
    if not tally.whole:
        return Explained(
            "unexplained", f"not explained: no way of counting the trials at hand gives it ({ours})"
        )
    if not _within(scale * passes / tally.n, stated.value):
        text = f"not explained: no number of passes among {tally.n} gives it; it counts other trials ({ours})"
        return Explained("unexplained", text)
    more = passes - int(tally.passes)
    which = f"it is {passes} of {tally.n}, {ours}: {abs(more)} {'more' if more > 0 else 'fewer'}"
    if 0 < more <= tally.no_verdict:
        text = f"{which}; the {plural(tally.no_verdict, 'trial')} without a verdict can make it up"
        return Explained("possible", text)
    return Explained("unexplained", f"not explained: {which}, and the trials at hand do not say why")


def _decimals(value: float) -> int:
    """Decimals that a number is stated to, at least 1 where its text is lost."""
    text = f"{value!r}"
    if "e" in text:
        return 12
    return len(text.partition(".")[2])


def _within(value: float, stated: float) -> bool:
    """Whether rounding ``value`` to the decimals of ``stated`` gives ``stated``."""
    return abs(value - stated) <= 0.5 * 10.0 ** -_decimals(stated) * (1 + 1e-6) + 1e-12
