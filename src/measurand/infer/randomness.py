"""The random generator of a resampling statistic, always passed in and never global; and what a bootstrap draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from measurand.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["bootstrap_weights", "generator_and_seed"]

BATCH_BYTES = 1 << 22
"""Bootstrap weights are made so many resamples at a time that they take about this much memory."""


def generator_and_seed(rng: int | np.random.Generator) -> tuple[np.random.Generator, int | None]:
    """Turn the ``rng`` argument of a statistic into a generator and the seed to record.

    Args:
        rng: a non-negative seed, or a generator whose state the caller keeps.

    Returns:
        The generator, and the seed; the seed is ``None`` when a generator was given.

    Raises:
        UsageError: ``rng`` is neither, or a negative integer.

    Example:
        >>> generator_and_seed(7)[1]
        7
    """
    if isinstance(rng, np.random.Generator):
        return rng, None
    if not _is_seed(rng):
        raise UsageError(
            f"rng is {rng!r}", hint="pass a non-negative integer seed or a numpy.random.Generator"
        )
    return np.random.default_rng(int(rng)), int(rng)


def _is_seed(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 0)


def bootstrap_weights(units: int, resamples: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield how often each unit is drawn, (batch, units); the stream does not depend on the batches."""
    step = max(1, BATCH_BYTES // (8 * units))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, units, size=(size, units))
        drawn += np.arange(size)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)
