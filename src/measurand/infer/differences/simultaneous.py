"""Intervals for all differences at once, from the resamples that gave the p-values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError
from measurand.infer.arrays import as_table
from measurand.infer.differences.permutation import max_t
from measurand.infer.randomness import generator_and_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from measurand.infer.differences.permutation import MaxT

__all__ = ["Simultaneous", "simultaneous"]


@dataclass(frozen=True, slots=True, eq=False)
class Simultaneous:
    """Result of `simultaneous`. Arrays marked (P,) have one entry a pair, in the order of the test.

    Attributes:
        low: (P,) lower end for the mean difference i minus j; NaN where there is no interval.
        high: (P,) upper end; NaN where there is none.
        leaves_out_zero: (P,) whether the interval leaves out 0; an end that is 0 then does not belong to it.
        level: confidence level that all intervals hold together, 1 - the level of the test.
        critical_value: half their width in standard errors; ``None`` without a finite one.
        method: what was done, for the report.
        n_units: tasks, or families of tasks.
        resamples: resamples behind the critical value, beside those of the test.
        seed: the seed, or ``None`` when a generator was passed in.
        reasons: (P,) why a pair has no interval, or ``None``.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    leaves_out_zero: NDArray[np.bool_]
    level: float
    critical_value: float | None
    method: str
    n_units: int
    resamples: int
    seed: int | None
    reasons: tuple[str | None, ...]


NO_TASK = "the two agents have no task in common"
ONE_UNIT = "needs at least 2 {} that both have; there is 1"
EQUAL = "the two agents are equal on every task"
CONSTANT = "every task differs by the same amount"
NOT_FINITE = "with so few tasks that differ no interval of this level is finite"


def simultaneous(
    table: ArrayLike,
    test: MaxT,
    *,
    families: ArrayLike | None = None,
    resamples: int = 10_000,
    rng: int | np.random.Generator,
) -> Simultaneous:
    """Give each difference that ``test`` tested its interval, all of them holding together at 1 - its level.

    The interval is mean ± c·se, with se the standard error that t divides the mean by. c is a (1 - level) quantile of the
    resampled maximum of |t| over all pairs: the larger one of the test's own and that of sign flips of the differences
    centred at their means. The test's own alone would be too small where many agents are far apart: flips of large
    differences move together, as if they were one. With the bootstrap, which centres anyway, it is the test's own.

    The step-down test finds more pairs than lie further than c·se from 0. For those the end nearer 0 is 0 and does not
    belong to the interval, so that an interval leaves out 0 exactly when the adjusted p is at most the level.

    Two statements hold at the level, each for itself: no interval mean ± c·se misses its difference, and no pair is
    wrongly found to differ. Where some pairs differ and others do not, both together can fail more often, at most twice.

    Args:
        table: (n_tasks, m_agents) the table that was tested.
        test: its test, by any null.
        families: (n_tasks,) the families that it was tested with.
        resamples: sign flips of the centred differences.
        rng: seed or generator.

    Returns:
        The intervals. A pair without one has NaN ends and a reason: no common task, one unit, a difference that is the
        same on every task (so that there is no standard error), or no finite critical value.

    Raises:
        UsageError: a table of another size than the test's.

    Source: SPEC 20, "one test, one answer"; Westfall and Young (1993) and Romano and Wolf (2005) for the maximum; Holm
    (1999) for bounds at 0.

    Example:
        >>> import numpy as np
        >>> from measurand.infer.differences.permutation import max_t
        >>> gain = np.linspace(0.1, 0.5, 12)
        >>> table = np.column_stack([gain, gain * 0, gain[::-1]])
        >>> result = simultaneous(table, max_t(table, rng=1), rng=1)
        >>> result.low.round(2).tolist(), result.high.round(2).tolist(), result.leaves_out_zero.tolist()
        ([0.19, -0.22, -0.41], [0.41, 0.22, -0.19], [True, False, True])
    """
    values = as_table(table)
    if values.shape != (test.n_tasks, test.n_agents):
        raise UsageError(
            f"the table has the shape {values.shape}, the test {(test.n_tasks, test.n_agents)}",
            hint="pass the table that was tested",
        )
    value = _critical_value(values, test, families, resamples, rng)
    reasons = _reasons(test)
    given = np.array([reason is None for reason in reasons], dtype=np.bool_)
    half = np.where(given, (value or 0.0) * test.difference_error, np.nan)
    low, high = test.mean_difference - half, test.mean_difference + half
    found, positive = test.p_adjusted <= test.level, test.mean_difference > 0
    # What is not found reaches 0 by the choice of c; rounding must not lift its end over it.
    low = np.where(found & positive, np.maximum(low, 0.0), np.where(found, low, np.minimum(low, 0.0)))
    high = np.where(found & ~positive, np.minimum(high, 0.0), np.where(found, high, np.maximum(high, 0.0)))
    return Simultaneous(
        low=low,
        high=high,
        leaves_out_zero=found & given,
        level=1.0 - test.level,
        critical_value=value,
        method=_words(test),
        n_units=test.n_units,
        resamples=resamples if test.null != "bootstrap" else test.resamples,
        seed=generator_and_seed(rng)[1],
        reasons=reasons,
    )


def _critical_value(
    values: NDArray[np.float64],
    test: MaxT,
    families: ArrayLike | None,
    resamples: int,
    rng: int | np.random.Generator,
) -> float | None:
    if test.critical_value is None or test.null == "bootstrap":
        return test.critical_value
    present = ~np.isnan(values)
    means = np.where(present, values, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    centred = max_t(
        values - means,
        families=families,
        level=test.level,
        resamples=resamples,
        max_resamples=resamples,
        rng=rng,
    )
    return max(test.critical_value, centred.critical_value or 0.0)


def _words(test: MaxT) -> str:
    name = {"signs": "sign-flip", "labels": "label-permutation"}.get(test.null, test.null)
    all_at_once = "" if len(test.pairs) == 1 else ", all differences at once"
    return f"the difference plus and minus the {name} test's critical value times the standard error{all_at_once}"


def _reasons(test: MaxT) -> tuple[str | None, ...]:
    """Say of each pair why it has no interval."""
    one = ONE_UNIT.format("tasks" if test.n_units == test.n_tasks else "families of tasks")
    cases = [
        (test.n_common == 0, NO_TASK),
        (np.isnan(test.difference_error), one),
        (test.discordant == 0, EQUAL),
        (test.difference_error == 0, CONSTANT),
        (np.full(len(test.pairs), test.critical_value is None), NOT_FINITE),
    ]
    found = np.select([case for case, _ in cases], np.arange(len(cases)), default=len(cases))
    words = [*(reason for _, reason in cases), None]
    return tuple(words[number] for number in found.tolist())
