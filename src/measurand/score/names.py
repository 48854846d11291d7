"""The scores of a trial, by name (SPEC 10.2)."""

from __future__ import annotations

from typing import Final

__all__ = ["GATE", "GRADED", "SCORES", "SHARES"]

GATE: Final = "gate"
"""The score that is the verdict of the gate itself; standings have its rate apart from the other scores."""

GRADED: Final = ("objective", "capped", "capped_linear", "key")
"""Scores that need a quantity with anchors, the most telling first."""

SHARES: Final = frozenset({"gate", "key"})
"""Scores of a trial that are 0 or 1, so that their means are shares."""

SCORES: Final = {
    "gate": "passed the gate",
    "key": "official verdict, or reaches the reference",
    "capped": "objective clipped at the reference",
    "capped_linear": "linear share of the reference, clipped at it",
    "objective": "log-ratio objective, clipped at 3",
    "official": "score that the benchmark itself gives",
}
"""Score -> what it says in a few words."""
