"""The claim that one agent is the best: it must beat every other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["RecordClaim", "record_claim"]


@dataclass(frozen=True, slots=True)
class RecordClaim:
    """Result of `record_claim`.

    Attributes:
        supported: whether the agent beats every rival; ``None`` without one.
        p: the p of the claim, the largest of the rivals'; ``None`` without one.
        order: rivals, the hardest to beat first.
        beaten: number of rivals that are beaten.
        level: the level.
        reason: why there is no answer, or ``None``.
    """

    supported: bool | None
    p: float | None
    order: tuple[int, ...]
    beaten: int
    level: float
    reason: str | None

    @property
    def hardest(self) -> int | None:
        """The rival that is hardest to beat; ``None`` without one."""
        return self.order[0] if self.order else None


def record_claim(p: ArrayLike, difference: ArrayLike, *, level: float = 0.05) -> RecordClaim:
    """Judge the claim that an agent is better than each of its rivals.

    The claim fails when a single rival is as good, so that its p is the largest p of the pairs:

        p = max_j p_j,    p_j = p of the pair where the agent is the better one, else 1.

    Which p is right depends on how the agent was chosen. Named beforehand: the p of each pair alone, nothing adjusted; all
    pairs must reject, so that the claim is false with at most the level (intersection-union test, Berger 1982). Picked for
    being first: the p adjusted for all pairs of the family, since any agent might have been first.

    Args:
        p: (r,) two-sided p of each pair; half of the level is spent in the direction of the claim.
        difference: (r,) mean difference of each pair, the agent minus the rival.
        level: level of the claim, between 0 and 1.

    Returns:
        The claim; undefined, with the reason, without a rival.

    Raises:
        UsageError: lengths that differ, or a p outside 0..1.

    Source: SPEC 20, record claim; Berger (1982).

    Example:
        >>> found = record_claim([0.01, 0.04, 0.001], [0.2, 0.1, 0.3])
        >>> found.supported, found.p, found.hardest
        (True, 0.04, 1)
    """
    values, differences = np.asarray(p, dtype=np.float64), np.asarray(difference, dtype=np.float64)
    level = as_level(level)
    if values.ndim != 1 or values.shape != differences.shape:
        raise UsageError(
            f"p has the shape {values.shape}, difference {differences.shape}", hint="pass one of each a rival"
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError("p is no list of values between 0 and 1", hint="pass p-values, none of them missing")
    if not len(values):
        return RecordClaim(None, None, (), 0, level, "there is no other agent to beat")
    towards = np.where(differences > 0, values, 1.0)
    order = np.lexsort((differences, -towards))
    beaten = int(np.count_nonzero(towards <= level))
    return RecordClaim(
        supported=beaten == len(values),
        p=float(towards.max()),
        order=tuple(order.tolist()),
        beaten=beaten,
        level=level,
        reason=None,
    )
