"""The least p-value that a pair of agents can reach, and how many differing tasks a finding takes."""

from __future__ import annotations

from dataclasses import dataclass

from measurand.errors import UsageError
from measurand.infer.arrays import as_level

__all__ = ["Attainable", "attainable"]


@dataclass(frozen=True, slots=True)
class Attainable:
    """Result of `attainable`.

    Attributes:
        discordant: units (tasks, or families of tasks) on which the two agents differ.
        p: least two-sided p that any result on them can give.
        needed: least number of them with which a p of the level can be reached.
        missing: how many are lacking; 0 where a finding is possible.
        level: the level.
    """

    discordant: int
    p: float
    needed: int
    missing: int
    level: float


def attainable(discordant: int, *, level: float = 0.05) -> Attainable:
    """Return the least p that d discordant units can give a pair, min(1, 2^(1-d)), and how many units are needed.

    A sign flip changes nothing where the two agents are equal, and of the 2^d ways to flip the others two are as extreme
    as when all point the same way. Where several pairs are tested at once the adjusted p can only be larger. `needed` is
    the least d with 2^(1-d) at most the level: 6 at 5 %, 8 at 1 %.

    Args:
        discordant: units on which the two differ, 0 or more.
        level: level of the test, between 0 and 1.

    Raises:
        UsageError: a negative number of units, or a level outside 0..1.

    Source: SPEC 20, least attainable p.

    Example:
        >>> found = attainable(4)
        >>> found.p, found.needed, found.missing
        (0.125, 6, 2)
    """
    if discordant < 0:
        raise UsageError(f"discordant is {discordant}", hint="pass a number of units of 0 or more")
    level = as_level(level)
    needed = 1
    while 2.0 ** (1 - needed) > level:
        needed += 1
    p = min(1.0, 2.0 ** (1 - discordant))
    return Attainable(int(discordant), p, needed, max(0, needed - int(discordant)), level)
