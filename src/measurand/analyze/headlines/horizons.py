"""METR's time horizon: how long a person needs for the tasks that an agent does with a given chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from measurand.analyze.headlines.records import MINUTES, SHARE, Headline
from measurand.analyze.headlines.rows import PASSED, groups, judged
from measurand.errors import UsageError
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from measurand.model.imports import Declaration

    Floats = NDArray[np.float64]

__all__ = ["Curve", "family_weights", "fit_curve", "metr"]

_RIDGE: Final = 1e-5
_CHANCES: Final = (0.5, 0.8)
_HALF: Final = 0.5e-3
"""Half a unit of the last decimal that files state coefficients with."""
_LARGEST: Final = 60.0
"""Binary logarithm of minutes: a horizon that is longer is none."""


class Curve(NamedTuple):
    """logit P(success) = intercept + slope * log2(minutes)."""

    intercept: float
    slope: float

    def horizon(self, chance: float = 0.5) -> float | None:
        """Minutes at which the chance of success is ``chance``; ``None`` where success does not fall with time.

        >>> Curve(4.0, -1.0).horizon()
        16.0
        """
        if self.slope >= 0:
            return None
        power = (math.log(chance / (1 - chance)) - self.intercept) / self.slope
        return 2.0**power if power <= _LARGEST else None


def fit_curve(minutes: ArrayLike, successes: ArrayLike, weights: ArrayLike) -> Curve | None:
    """Fit the logistic curve of success on log2(minutes) by weighted maximum likelihood.

        maximise  sum w (y log p + (1 - y) log(1 - p)) - 1e-5/2 slope**2,  p = 1/(1 + exp(-(intercept + slope x)))

    A success y between 0 and 1 is a success of weight w y and a failure of weight w (1 - y). The small penalty is METR's;
    it gives success that ends sharply at some time a curve too.

    Args:
        minutes: (n,) time a skilled person needs, more than 0.
        successes: (n,) 0 to 1.
        weights: (n,) not negative; they are normalised to the sum 1.

    Returns:
        The curve; ``None`` where all runs failed, or all succeeded: it has no maximum then.

    Raises:
        UsageError: minutes not positive, successes outside 0..1, or weights negative or all 0.

    Source: SPEC 16 (METR, eval-analysis-public).
    """
    import numpy as np
    from scipy.optimize import minimize

    x, y, w = (np.asarray(one, dtype=np.float64) for one in (minutes, successes, weights))
    if not (np.all(x > 0) and np.all((y >= 0) & (y <= 1)) and np.all(w >= 0) and w.sum() > 0):
        raise UsageError(
            "minutes must be positive, successes from 0 to 1, weights not negative",
            hint="leave such runs out",
        )
    y, w, x = y[w > 0], w[w > 0] / w.sum(), np.log2(x[w > 0])
    if np.all(y == 0) or np.all(y == 1):
        return None

    def loss(parameters: Floats) -> tuple[float, Floats]:
        z = parameters[0] + parameters[1] * x
        error = w * (1 / (1 + np.exp(-np.clip(z, -500, 500))) - y)
        value = float(np.sum(w * (np.logaddexp(0, z) - y * z)) + _RIDGE / 2 * parameters[1] ** 2)
        return value, np.array([error.sum(), error @ x + _RIDGE * parameters[1]])

    def curvature(parameters: Floats) -> Floats:
        p = 1 / (1 + np.exp(-np.clip(parameters[0] + parameters[1] * x, -500, 500)))
        v = w * p * (1 - p)
        return np.array([[v.sum(), v @ x], [v @ x, v @ x**2 + _RIDGE]])

    found = minimize(
        loss,
        np.zeros(2),
        jac=True,
        hess=curvature,
        method="trust-exact",
        options={"gtol": 1e-12, "maxiter": 500},
    )
    return Curve(float(found.x[0]), float(found.x[1]))


def family_weights(rows: pl.DataFrame) -> pl.Series:
    """Weight of each trial: 1/(trials of its task) * 1/sqrt(tasks of its family), normalised to the sum 1.

    A task without a family is one by itself.
    """
    family = pl.coalesce("family", "task")
    weight = 1 / pl.len().over("task") / pl.col("task").n_unique().over(family).sqrt()
    return rows.select((weight / weight.sum()).alias("weight"))["weight"]


def metr(frame: pl.DataFrame, _declarations: Sequence[Declaration]) -> list[Headline]:
    """Time horizons at 50 % and 80 %, and the weighted mean of success: the average score."""
    found = []
    for group in groups(judged(frame)):
        usable = pl.col(PASSED).is_not_null() & (pl.col("human_minutes") > 0)
        rows = group.rows.filter(usable)
        note = "logistic of success on log2(minutes), weights 1/(trials in task) x 1/sqrt(tasks in family)"
        if left := group.rows.height - rows.height:
            note += f"; {plural(left, 'trial')} without a score or human time left out"
        values, why, rounding = _numbers(rows)
        for name, value in values.items():
            unit = SHARE if name == "average score" else MINUTES
            found.append(
                Headline(
                    agent=group.agent,
                    name=name,
                    value=value,
                    unit=unit,
                    n=rows.height,
                    note=f"{note}{why if value is None or why.startswith('; all') else ''}",
                    suite=group.suite,
                    rounding=rounding.get(name, 0.0),
                    rounded_in="coefficient",
                )
            )
    return found


class _Numbers(NamedTuple):
    values: dict[str, float | None]
    why: str
    """Why some are not defined."""
    rounding: dict[str, float]
    """Error of a horizon that is computed from coefficients of three decimals."""


def _numbers(rows: pl.DataFrame) -> _Numbers:
    """Horizons and average score."""
    names = [f"{round(100 * chance)}% time horizon" for chance in _CHANCES]
    if rows.is_empty():
        return _Numbers(dict.fromkeys([*names, "average score"]), "; no trial is left", {})
    weights, y = family_weights(rows), rows[PASSED].cast(pl.Float64)
    average: dict[str, float | None] = {"average score": float((weights * y).sum())}
    if y.max() == 0:
        return _Numbers({**dict.fromkeys(names, 0.0), **average}, "; all trials failed: the horizon is 0", {})
    curve = fit_curve(rows["human_minutes"].to_numpy(), y.to_numpy(), weights.to_numpy())
    if curve is None:
        why = "; every trial succeeded: the horizon is beyond the longest task"
        return _Numbers({**dict.fromkeys(names), **average}, why, {})
    horizons = {name: curve.horizon(chance) for name, chance in zip(names, _CHANCES, strict=True)}
    why = "; success does not fall with human time"
    return _Numbers({**horizons, **average}, why, _rounding(curve, horizons))


def _rounding(curve: Curve, horizons: dict[str, float | None]) -> dict[str, float]:
    """Change of each horizon, to first order, when both coefficients change by half a thousandth."""
    return {
        name: value * math.log(2) * _HALF * (1 + abs(math.log2(value))) / abs(curve.slope)
        for name, value in horizons.items()
        if value
    }
