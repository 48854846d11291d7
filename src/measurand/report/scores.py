"""How scores are named and written: shares in percent, their differences in percentage points, others as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.report.names import visible
from measurand.report.numbers import difference, percent, points, score
from measurand.score.names import GATE, SHARES

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.records import AgentRow, Estimate

__all__ = ["difference_form", "is_share", "ranking_mean", "score_words", "size_form", "value_form"]


def score_words(name: str) -> str:
    """Name of a score in a sentence or heading."""
    words = {GATE: "gate rate", "official": "official score"}
    return words.get(name) or visible(name).replace("_", " ")


def is_share(name: str) -> bool:
    """Whether a score is a share of tasks, written in percent."""
    return name in SHARES


def value_form(name: str) -> Callable[[float | None], str]:
    """How a mean under a score is written: 79.4%, or 0.794."""
    return percent if is_share(name) else score


def difference_form(name: str) -> Callable[[float | None], str]:
    """How a signed difference of two means is written: +1.4 points, or +0.014."""
    return points if is_share(name) else difference


def size_form(name: str) -> Callable[[float | None], str]:
    """How the size of a difference is written: 1.4 points, or 0.014."""
    if not is_share(name):
        return score
    return lambda value: points(value).removeprefix("+")


def ranking_mean(row: AgentRow, name: str) -> Estimate | None:
    """Mean of an agent under a score, the gate rate included; ``None`` when it has none."""
    found = next((summary.mean for summary in row.scores if summary.score == name), None)
    return row.gate.planned if found is None and name == GATE else found
