"""The random generator of a resampling statistic: always passed in, never global."""

from __future__ import annotations

import numpy as np

from measurand.errors import UsageError

__all__ = ["generator_and_seed"]


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
