"""How much memory `max_t` takes on a thousand agents and two thousand tasks, half a million pairs.

Run: ``python benchmarks/memory.py``. Each null runs in a process of its own, whose highest resident memory is printed. Exit code
1 when one exceeds the limit. Signs have the full 10,000 resamples; the others fewer, for the time: their memory does not grow
with the number.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

AGENTS, TASKS = 1_000, 2_000
LIMIT_BYTES = 2e9
CASES = {
    "signs": ("signs", 10_000, False),
    "signs, 1 % of the cells missing": ("signs", 64, True),
    "labels": ("labels", 64, False),
    "bootstrap": ("bootstrap", 64, False),
}
"""Null, resamples, and whether cells are missing."""

KIBIBYTE = 1 if sys.platform == "darwin" else 1024
"""In what `ru_maxrss` counts."""


def run_one(name: str) -> None:
    """Run one case with its intervals, and print seconds and the highest memory of this process."""
    from measurand.infer.differences.permutation import max_t
    from measurand.infer.differences.simultaneous import simultaneous

    null, resamples, gaps = CASES[name]
    rng = np.random.default_rng(1)
    table = (rng.random((TASKS, AGENTS)) < np.linspace(0.3, 0.7, AGENTS)).astype(np.float64)
    if gaps:
        table[rng.random(table.shape) < 0.01] = np.nan
    started = time.perf_counter()
    test = max_t(table, null=null, resamples=resamples, max_resamples=resamples, rng=1)
    simultaneous(table, test, resamples=min(resamples, 1_000), rng=1)
    print(time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIBIBYTE)


def main() -> int:
    """Measure, print the table, and return the exit code."""
    if len(sys.argv) > 1:
        run_one(sys.argv[1])
        return 0
    print(f"{AGENTS:,} agents, {TASKS:,} tasks, {AGENTS * (AGENTS - 1) // 2:,} pairs")
    highest = 0.0
    for name, (_, resamples, _) in CASES.items():
        done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
        taken, memory = (float(value) for value in done.stdout.split())
        highest = max(highest, memory)
        print(f"  {name:<34} {resamples:>7,} resamples {taken:8.1f} s {memory / 1e6:8.0f} MB")
    print(f"limit: {LIMIT_BYTES / 1e6:.0f} MB: {'kept' if highest <= LIMIT_BYTES else 'missed'}")
    return int(highest > LIMIT_BYTES)


if __name__ == "__main__":
    sys.exit(main())
