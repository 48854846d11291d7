"""What a user chooses: which rows, and how they are judged. Every default is printed by the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from measurand.errors import UsageError
from measurand.infer.differences.permutation import NULLS
from measurand.score.names import SCORES
from measurand.score.trials import Scoring

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Choice", "Settings"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rows are looked at.

    Raises:
        UsageError: text where several names are expected.
    """

    suite: str | None = None
    """Needed only when there are several."""
    agents: tuple[str, ...] = ()
    """Names or shell patterns; all when empty."""
    tasks: tuple[str, ...] = ()
    """Names or shell patterns; all when empty."""
    common_tasks: bool = False
    """Only tasks that every agent has, equal in id and digest."""
    allow_mixed: bool = False
    """Rank rows of differing fingerprints; the result says that it is not comparable."""

    def __post_init__(self) -> None:
        for name in ("agents", "tasks"):
            if isinstance(value := getattr(self, name), str):
                raise UsageError(
                    f"{name} is the text {value!r}", hint=f"give several names: {name}=({value!r},)"
                )


_MOST_RESAMPLES: Final = 1_000_000


def _check_name(what: str, value: str | None, known: Iterable[str]) -> None:
    if value is not None and value not in known:
        raise UsageError(f"there is no {what} {value!r}", hint=f"one of: {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class Settings:
    """How the rows are judged.

    Raises:
        UsageError: a value outside its range.
    """

    score: str | None = None
    """Score that orders the standings; the objective where every task has anchors, else the gate rate."""
    top: int | None = 10
    """Size of the tested family, taken from the head of the standings; ``None`` tests all agents."""
    null: str = "signs"
    """Null distribution of the tiers: signs, labels or bootstrap (SPEC 12.1)."""
    level: float = 0.05
    """Family-wise error level of the tiers; intervals are at 1 minus it."""
    resamples: int = 10_000
    seed: int = 0
    families: bool = True
    """Resample task families instead of tasks where the data name families."""
    missing_limit: float = 0.10
    """Largest share of missing cells at which tiers are given."""
    power: float = 0.80
    """Power at which a difference counts as detectable."""
    places: int = 5
    """The saturation index compares the first agent with the one at this place."""
    alpha: float = 0.5
    """Exponent of the effective number of tasks in the saturation index."""
    scoring: Scoring = field(default_factory=Scoring)

    def __post_init__(self) -> None:
        _check_name("score", self.score, SCORES)
        _check_name("null", self.null, NULLS)
        if self.top is not None and self.top < 2:
            raise UsageError(f"top is {self.top}: a family has at least 2 agents")
        for name in ("level", "power"):
            if not 1e-6 < getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}: it lies between 0 and 1")
        if not 100 <= self.resamples <= _MOST_RESAMPLES:
            raise UsageError(
                f"resamples is {self.resamples}",
                hint=f"from 100 to {_MOST_RESAMPLES}; it rises by itself where needed",
            )
        if self.seed < 0:
            raise UsageError(f"seed is {self.seed}: it is 0 or more")
        if self.places < 2:
            raise UsageError(f"places is {self.places}: the first agent is compared with a later one")
        for name in ("alpha", "missing_limit"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is {getattr(self, name)}: it lies between 0 and 1")
