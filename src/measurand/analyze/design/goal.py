"""What a plan is to reach, and what it may take."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from measurand.errors import UsageError
from measurand.infer.design.sequential import MOST_LOOKS, SPENDINGS, Spending

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TRIALS", "Goal"]

TRIALS: Final = (1, 2, 3, 5, 10, 20)
"""Trials of each agent on each task that are tried out unless others are asked for."""
_MOST_TRIALS: Final = 100_000
_MOST_ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class Goal:
    """What a plan is to reach, and what it may take. By default: to separate the first agent from the second.

    Raises:
        UsageError: a value outside its range, or two goals at once.
    """

    separate: tuple[str, str] | None = None
    """Two agents to be told apart: names, or patterns that fit one agent each. The first two when left out."""
    difference: float | None = None
    """True difference to be shown, in the unit of the score (0.03 is 3 points); the observed one when left out."""
    half_width: float | None = None
    """Plan for one agent's mean to plus or minus this, instead of a difference."""
    agent: str | None = None
    """The agent whose mean it is; the first when left out."""
    agents_planned: int | None = None
    """Agents that will be tested together, all pairs at once; the tested family of the table when left out."""
    trials: tuple[int, ...] = TRIALS
    """Trials of each agent on each task that are tried out."""
    max_tasks: int | None = None
    """Tasks that there can be; those of the suite when left out."""
    budget: float | None = None
    """US dollars that the new trials may cost."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """US dollars of a trial by agent name or pattern; the metered mean for the others."""
    price_task: float = 0.0
    """US dollars of a further task, whatever the number of its trials."""
    looks: int | None = None
    """Looks at the results, the last included, if one wants to stop as soon as the difference is shown."""
    spending: Spending = "obf"
    """How the error level is spent on the looks."""

    def __post_init__(self) -> None:
        for name in ("difference", "half_width", "budget"):
            value = getattr(self, name)
            if value is not None and not (value > 0 and math.isfinite(value)):
                raise UsageError(f"{name} is {value}", hint="it is a finite number above 0")
        for name, price in (("price_task", self.price_task), *self.prices.items()):
            if not (price >= 0 and math.isfinite(price)):
                raise UsageError(f"the price {name} is {price}", hint="it is 0 or more US dollars")
        for name, least in (("agents_planned", 2), ("max_tasks", 2)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise UsageError(f"{name} is {value}", hint=f"it is at least {least}")
        if self.looks is not None and not 1 <= self.looks <= MOST_LOOKS:
            raise UsageError(f"looks is {self.looks}", hint=f"from 1 to {MOST_LOOKS}")
        if self.spending not in SPENDINGS:
            raise UsageError(
                f"there is no spending {self.spending!r}", hint=f"one of: {', '.join(SPENDINGS)}"
            )
        self._check_trials()
        self._check_question()

    def _check_trials(self) -> None:
        if not 1 <= len(self.trials) <= _MOST_ROWS or not all(
            1 <= number <= _MOST_TRIALS for number in self.trials
        ):
            raise UsageError(
                f"trials is {self.trials}",
                hint=f"give 1 to {_MOST_ROWS} whole numbers from 1 to {_MOST_TRIALS:,}",
            )

    def _check_question(self) -> None:
        if self.half_width is None:
            if self.agent is not None:
                raise UsageError("agent needs a half-width", hint="name two agents with separate")
            return
        for name in ("separate", "difference", "agents_planned", "looks"):
            if getattr(self, name) is not None:
                raise UsageError(
                    f"half_width and {name} exclude each other",
                    hint="a half-width is planned for one agent, a difference for two",
                )
