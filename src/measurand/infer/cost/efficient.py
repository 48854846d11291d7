"""Who may be efficient: the confidence set of the Pareto set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from measurand.infer.cost.exchange import ExchangeRates

__all__ = ["PossiblyEfficient", "possibly_efficient"]


@dataclass(frozen=True, slots=True, eq=False)
class PossiblyEfficient:
    """Result of `possibly_efficient`.

    Attributes:
        stays: (m,) whether nobody is shown to dominate the agent.
        excluded_by: for each agent those shown to dominate it, first the ones that stay themselves.
        level: the chance that an agent of the true Pareto set is missing is at most this.
        method: what was done, for the report.
        n_units: tasks, or families of tasks.
        resamples: resamples behind it.
        seed: the seed, or ``None`` when a generator was passed in.
        reason: why nobody could be excluded whatever the data, or ``None``.
    """

    stays: NDArray[np.bool_]
    excluded_by: tuple[tuple[int, ...], ...]
    level: float
    method: str
    n_units: int
    resamples: int
    seed: int | None
    reason: str | None


def possibly_efficient(rates: ExchangeRates) -> PossiblyEfficient:
    """Return the agents that the data do not show to be dominated.

    An agent leaves only when one other is shown to be better *and* cheaper, each beyond the critical value of ``rates``; or
    one of the two, while the other is equal on every task. Being equal or ahead in the sample is not enough: if the rival is
    truly dearer by a little, the agent is efficient, and half of all samples would show the rival cheaper.

    Why the level is kept: for an agent i of the true Pareto set every rival j is truly worse, or dearer, or equal in both.
    So one of the two statements that exclude i is a false one, "j beats i at λ = 0" or "j beats i where cost alone counts",
    and ``rates`` makes any false statement with probability at most its level.

    Args:
        rates: what :func:`measurand.infer.cost.exchange.exchange_rates` found.

    Returns:
        Who stays, and by whom the others are dominated. Everybody stays where `reason` says that nothing can be shown.

    Source: SPEC 20, who may be efficient; Berger (1982) for tests of an intersection.

    Example:
        >>> from measurand.infer.cost.exchange import exchange_rates
        >>> noise = np.tile([0.0, 0.1], 10)
        >>> quality = np.column_stack([0.8 + noise, 0.5 - noise, 0.4 + 0 * noise])
        >>> cost = np.column_stack([2 - noise, 3 + noise, 1 + 0 * noise])
        >>> found = possibly_efficient(exchange_rates(quality, cost, rng=0))
        >>> found.stays.tolist(), found.excluded_by
        ([True, False, True], ((), (0,), ()))
    """
    stays: NDArray[np.bool_] = ~np.any(rates.dominates, axis=0)
    excluded_by = tuple(
        tuple(sorted(np.flatnonzero(rates.dominates[:, agent]).tolist(), key=lambda by: (not stays[by], by)))
        for agent in range(len(stays))
    )
    return PossiblyEfficient(
        stays=stays,
        excluded_by=excluded_by,
        level=rates.level,
        method="shown to be dominated: beaten in quality and in cost, " + rates.method,
        n_units=rates.n_units,
        resamples=rates.resamples,
        seed=rates.seed,
        reason=rates.reason,
    )
