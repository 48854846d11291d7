"""How fast `max_t` is, against `mne.stats.permutation_t_test`, R's `multtest::mt.maxT` and a bare matrix product, in one run.

Run: ``python benchmarks/max_t.py``. Exit code 1 when the sign-flip test is less than ten times faster than mne or thirty times
faster than multtest at the same number of resamples, or when `labels` takes longer than its limit. What is not installed is
left out with a message.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from measurand.infer.differences.permutation import max_t

if TYPE_CHECKING:
    from collections.abc import Callable

    Floats = np.ndarray[Any, np.dtype[np.float64]]

RESAMPLES = 10_000
OURS, MNE, R = (
    "max_t, signs, step-down",
    "mne.stats.permutation_t_test, single-step",
    "R multtest mt.maxT, pairt, step-down",
)
PRODUCT, LABELS, BOOTSTRAP = (
    "bare matrix product signs @ differences",
    "max_t, labels, step-down",
    "max_t, bootstrap, step-down",
)
LEAST_RATIO = {MNE: 10.0, R: 30.0}
LABELS_LIMIT = 3.0
"""Seconds of the labels null on the first shape."""

R_LIMIT = 300.0
"""Seconds that R gets before it is given up."""

R_SCRIPT = """
suppressMessages(library(multtest))
arguments <- commandArgs(TRUE)
table <- as.matrix(read.csv(arguments[1], header = FALSE))
resamples <- as.integer(arguments[2])
pairs <- combn(ncol(table), 2)
wide <- matrix(0, ncol(pairs), 2 * nrow(table))
wide[, c(TRUE, FALSE)] <- t(table[, pairs[1, ]])
wide[, c(FALSE, TRUE)] <- t(table[, pairs[2, ]])
label <- rep(c(0, 1), nrow(table))
taken <- system.time(capture.output(mt.maxT(wide, label, test = "pairt", B = resamples)))
cat("seconds", taken["elapsed"], "\\n")
"""


class Case(NamedTuple):
    """A table: its size, whether its cells are passes and fails, and whether the limits hold for it."""

    agents: int
    tasks: int
    shares: bool
    limited: bool

    def table(self) -> Floats:
        """Agents that are better the later they come."""
        rng = np.random.default_rng(1)
        better = np.linspace(0.5, 0.7, self.agents)
        if self.shares:
            return (rng.random((self.tasks, self.agents)) < better).astype(np.float64)
        return better + rng.standard_normal((self.tasks, self.agents))


CASES = (
    Case(30, 500, shares=True, limited=True),
    Case(145, 40, shares=True, limited=True),
    Case(145, 40, shares=False, limited=False),
)


def seconds(calls: dict[str, Callable[[], object]], *, repeats: int) -> dict[str, float]:
    """Return the median time of each call after one uncounted round; the calls take turns, as does other load."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(1 + repeats):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - started)
    return {name: median(taken[1:]) for name, taken in times.items()}


def mne_call(differences: Floats) -> Callable[[], object] | None:
    """Return mne's single-step test on the matrix of differences, or nothing when mne is not installed."""
    try:
        from mne.stats import permutation_t_test
    except ImportError:
        return None
    return lambda: permutation_t_test(differences, RESAMPLES, tail=0, n_jobs=1, verbose="ERROR")


def r_seconds(table: Floats) -> float | str:
    """Time multtest's step-down test on the same pairs, once and without reading the table; or say why not."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return "R is not installed"
    with tempfile.TemporaryDirectory() as folder:
        path, script = Path(folder, "table.csv"), Path(folder, "time.R")
        np.savetxt(path, table, delimiter=",")
        script.write_text(R_SCRIPT, encoding="utf-8")
        command = [rscript, "--vanilla", str(script), str(path), str(RESAMPLES)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=R_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return f"over {R_LIMIT:.0f} s"
    line = next((line for line in done.stdout.splitlines() if line.startswith("seconds")), None)
    if line is None:
        return f"multtest did not run: {(done.stderr.strip().splitlines() or ['no output'])[-1][:70]}"
    return float(line.split()[1])


def measure(case: Case) -> dict[str, float | str]:
    """Time everything on one table."""
    table = case.table()
    first, second = np.triu_indices(case.agents, k=1)
    differences = table[:, first] - table[:, second]
    signs = np.random.default_rng(2).integers(0, 2, size=(RESAMPLES, case.tasks)) * 2.0 - 1.0

    def ours(null: str) -> Callable[[], object]:
        return lambda: max_t(table, null=null, resamples=RESAMPLES, max_resamples=RESAMPLES, rng=1)

    calls = {OURS: ours("signs"), PRODUCT: lambda: signs @ differences}
    mne = mne_call(differences)
    if mne is not None:
        calls[MNE] = mne
    absent = "mne is not installed (pip install 'measurand[bench]')"
    times: dict[str, float | str] = {MNE: absent, **seconds(calls, repeats=7)}
    times[R] = r_seconds(table)
    times |= seconds({BOOTSTRAP: ours("bootstrap"), LABELS: ours("labels")}, repeats=1)
    return times


def missed(times: dict[str, float | str], *, labels: bool) -> list[str]:
    """Name the limits that were not kept."""
    own, found = times[OURS], []
    if isinstance(own, str):
        return [OURS]
    for name, least in LEAST_RATIO.items():
        other = times[name]
        if not isinstance(other, str) and other < least * own:
            found.append(f"{least:.0f} times faster than {name}")
    taken = times[LABELS]
    if labels and not isinstance(taken, str) and taken > LABELS_LIMIT:
        found.append(f"{LABELS} in {LABELS_LIMIT:.0f} s")
    return found


def main() -> int:
    """Measure, print the tables, and return the exit code."""
    slow: list[str] = []
    for case in CASES:
        times = measure(case)
        own = times[OURS]
        cells = "passes and fails" if case.shares else "any numbers; no limit"
        print(
            f"{case.agents} agents, {case.tasks} tasks, {cells}; {RESAMPLES:,} resamples, medians after a warm-up"
        )
        for name, value in times.items():
            ratio = f"{value / own:8.1f} x" if not isinstance(value, str) and not isinstance(own, str) else ""
            print(f"  {name:<44} {value if isinstance(value, str) else f'{value:8.4f} s'} {ratio}")
        if case.limited:
            slow += missed(times, labels=case is CASES[0])
    print(f"limits: {'; '.join(f'missed: {name}' for name in slow) or 'kept'}")
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
