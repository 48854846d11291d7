"""What a headline number is, and the tally of trials behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import polars as pl

from measurand.model.imports import Declaration

__all__ = ["COUNT", "MINUTES", "SHARE", "USD", "Define", "Headline", "Tally", "X"]

SHARE = "share"
COUNT = ""
MINUTES = "minutes"
USD = "USD"
X = "x"


class Tally(NamedTuple):
    """What a share or a mean is made of."""

    passes: float
    """Passes, or the sum of scores."""
    n: int
    """Denominator, absent tasks included where they count."""
    no_verdict: int = 0
    """Trials among the n that have no verdict, or no score."""
    absent: int = 0
    """Tasks among the n of which there is no trial."""
    whole: bool = True
    """Whether only whole trials pass: a share of n is then a whole number of passes."""


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark's own number for an agent, computed from its trials."""

    agent: str
    name: str
    value: float | None
    """``None`` where the trials do not suffice; ``note`` says why."""
    unit: str = SHARE
    """share (0 to 1), minutes, USD, x (a speed-up); empty for a plain number or a count."""
    n: int = 0
    """Trials, or tasks, that it is taken over."""
    note: str = ""
    """How the benchmark defines it, and what could not be heeded."""
    suite: str = ""
    part: str = ""
    """Job or level, where the number is of a part of the agent's trials."""
    tally: Tally | None = None
    """Counts behind a share, or behind a mean."""
    rounding: float = 0.0
    """Largest error that it, or the stated number, can have from a rounding in the files."""
    rounded_in: str = ""
    """What the place of a stated number has in it where that holds; empty where it always does."""
    beside: bool = False
    """A count that stands beside the headline: of interest only where files state it."""


Define = Callable[[pl.DataFrame, Sequence[Declaration]], list[Headline]]
"""Computes headlines from rows of the trial table and from what its sources declare."""
