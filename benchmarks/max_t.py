"""How fast `max_t` is, against `mne.stats.permutation_t_test` and a bare matrix product, in one run.

Run: ``python benchmarks/max_t.py``. Exit code 1 when the step-down test takes longer than its limit or is less than
ten times faster than mne at the same number of resamples.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from measurand.infer.permutation import max_t

if TYPE_CHECKING:
    from collections.abc import Callable

AGENTS, TASKS, RESAMPLES = 30, 500, 10_000
LIMIT_SECONDS = 0.2
LEAST_RATIO = 10.0
OURS, MNE = "max_t, signs, step-down", "mne.stats.permutation_t_test, single-step"


def seconds(calls: dict[str, Callable[[], object]], *, repeats: int) -> dict[str, float]:
    """Return the median time of each call after one uncounted round; the calls take turns, as does other load."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(1 + repeats):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - started)
    return {name: median(taken[1:]) for name, taken in times.items()}


def mne_call(differences: np.ndarray[Any, np.dtype[np.float64]]) -> Callable[[], object] | None:
    """Return mne's single-step test on the matrix of differences, or nothing when mne is not installed."""
    try:
        from mne.stats import permutation_t_test
    except ImportError:
        return None
    return lambda: permutation_t_test(differences, RESAMPLES, tail=0, n_jobs=1, verbose="ERROR")


def main() -> int:
    """Measure, print the table, and return the exit code."""
    rng = np.random.default_rng(1)
    table = (rng.random((TASKS, AGENTS)) < np.linspace(0.5, 0.7, AGENTS)).astype(np.float64)
    first, second = np.triu_indices(AGENTS, k=1)
    differences = table[:, first] - table[:, second]
    signs = rng.integers(0, 2, size=(RESAMPLES, TASKS)) * 2.0 - 1.0

    def ours(null: str) -> Callable[[], object]:
        return lambda: max_t(table, null=null, resamples=RESAMPLES, max_resamples=RESAMPLES, rng=1)

    calls = {OURS: ours("signs"), "matrix product signs @ differences alone": lambda: signs @ differences}
    other = mne_call(differences)
    if other is not None:
        calls[MNE] = other
    times = seconds(calls, repeats=7) | seconds({"max_t, labels, step-down": ours("labels")}, repeats=3)
    own = times[OURS]
    ratio = times[MNE] / own if MNE in times else None
    print(f"{AGENTS} agents, {TASKS} tasks, {RESAMPLES} resamples; medians after a warm-up")
    for name, value in times.items():
        print(f"{name:<44} {value:8.4f} s {value / own:8.1f} x")
    if ratio is None:
        print("mne is not installed: no comparison with it (pip install 'measurand[bench]')")
    slow = own > LIMIT_SECONDS or (ratio is not None and ratio < LEAST_RATIO)
    print(
        f"limits: {LIMIT_SECONDS} s, {LEAST_RATIO:.0f} times faster than mne: {'missed' if slow else 'kept'}"
    )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
