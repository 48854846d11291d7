"""How long the command takes and how much memory it needs, as a user sees it: whole processes, start included.

Run: ``python benchmarks/report.py``. Exit code 1 when a limit is broken. Uses the table of SWE-bench Verified (174
agents, 500 tasks) where ``../shared`` or ``--table`` has it, else a generated one of the same shape.

The system counts the memory that a process had before it became another program. So this one stays small: it never
loads numpy or polars, and leaves the inputs to a process of their own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

AGENTS, PART, TASKS = 174, 29, 500
IMPORTED_ROWS = 1_000_000
GENERATED = "results.parquet"
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data" / "swebench_verified" / "results.parquet"
COMMAND = Path(sys.executable).with_name("measurand")


class Case(NamedTuple):
    """A command to measure, and what it may need."""

    name: str
    arguments: tuple[str, ...]
    repeats: int
    seconds: float | None = None
    megabytes: float | None = None


class Usage(NamedTuple):
    """What one process needed."""

    seconds: float
    processor_seconds: float
    megabytes: float


class Result(NamedTuple):
    """Medians of a case, and whether they are within its limits."""

    case: Case
    usage: Usage

    @property
    def kept(self) -> bool:
        """Whether no limit is broken."""
        return (self.case.seconds is None or self.usage.seconds <= self.case.seconds) and (
            self.case.megabytes is None or self.usage.megabytes <= self.case.megabytes
        )

    def line(self) -> str:
        """Return the line of the table."""
        limits = [
            f"{limit:g} {unit}"
            for limit, unit in ((self.case.seconds, "s"), (self.case.megabytes, "MB"))
            if limit is not None
        ]
        verdict = f"{', '.join(limits)}: {'kept' if self.kept else 'BROKEN'}" if limits else "no limit"
        return (
            f"{self.case.name:<44} {self.usage.seconds:8.2f} s {self.usage.processor_seconds:8.2f} s"
            f" {self.usage.megabytes:7.0f} MB"
            f" {self.case.repeats:5} {verdict:>24}"
        )


def run_once(arguments: tuple[str, ...], folder: Path) -> Usage:
    """Run the command in a new folder below ``folder``; return wall time and peak resident memory of its process.

    Raises:
        RuntimeError: the command failed.
    """
    with tempfile.TemporaryDirectory(dir=folder) as place, (folder / "output.txt").open("w+b") as output:
        started = time.perf_counter()
        process = subprocess.Popen([COMMAND, *arguments], cwd=place, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            raise RuntimeError(f"measurand {' '.join(arguments)}\n{output.read().decode()}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6)


def measure(case: Case, folder: Path) -> Result:
    """Return the medians of a case after one uncounted run."""
    runs = [run_once(case.arguments, folder) for _ in range(1 + case.repeats)][1:]
    return Result(case, Usage(*(median(values) for values in zip(*runs, strict=True))))


def generated_table(rng: np.random.Generator) -> pl.DataFrame:
    """Return a table with the shape of SWE-bench Verified: one trial of each agent on each task, passed or not."""
    import numpy as np
    import polars as pl

    ability = np.sort(rng.uniform(0.1, 0.8, AGENTS))[:, None]
    passed = rng.random((AGENTS, TASKS)) < ability + rng.normal(0, 0.1, TASKS)
    return pl.DataFrame(
        {
            "submission": np.repeat([f"agent-{number:03}" for number in range(AGENTS)], TASKS),
            "task": np.tile([f"task-{number:03}" for number in range(TASKS)], AGENTS),
            "passed": passed.ravel(),
        }
    )


def write_large_csv(path: Path, rng: np.random.Generator) -> None:
    """Write a CSV of a million trials: 100 agents, 500 tasks, 20 trials, with verdict, cost, tokens and time."""
    import numpy as np
    import polars as pl

    agents, tasks, trials = 100, 500, IMPORTED_ROWS // (100 * 500)
    frame = pl.DataFrame(
        {
            "suite": pl.repeat("generated", IMPORTED_ROWS, eager=True),
            "agent": np.repeat([f"agent-{number:03}" for number in range(agents)], tasks * trials),
            "task": np.tile(np.repeat([f"task-{number:03}" for number in range(tasks)], trials), agents),
            "trial": np.tile(np.arange(1, trials + 1), agents * tasks),
            "verdict": np.where(rng.random(IMPORTED_ROWS) < 0.5, "pass", "fail"),
            "cost_usd": rng.gamma(2, 0.2, IMPORTED_ROWS).round(4),
            "output_tokens": rng.integers(100, 50_000, IMPORTED_ROWS),
            "wall_s": rng.gamma(2, 60, IMPORTED_ROWS).round(1),
        }
    )
    frame.write_csv(path)


def prepare(folder: Path, table: Path | None) -> None:
    """Write the inputs into ``folder``: the table if there is none, a list of part of its agents, a large CSV."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(1)
    if table is None:
        table = folder / GENERATED
        generated_table(rng).write_parquet(table)
    agents = pl.read_parquet(table)["submission"].cast(pl.String).unique().sort()
    (folder / "part.txt").write_text("\n".join(agents.sample(PART, seed=1)), encoding="utf-8")
    write_large_csv(folder / "large.csv", rng)


def cases(folder: Path, table: Path, *, repeats: int) -> list[Case]:
    """Return what is to be measured on the inputs in ``folder``."""
    part = ("report", str(table), "--agents", f"@{folder / 'part.txt'}", "--json")
    large = ("import", str(folder / "large.csv"), "--store", "store")
    whole = ("report", str(table), "--html", "report.html")
    return [
        Case("measurand --version", ("--version",), max(repeats, 10), seconds=0.25),
        Case(f"report --json, {PART} agents of {AGENTS}", part, repeats, seconds=2),
        Case("report, text and HTML, 87,000 trials", whole, repeats, seconds=6, megabytes=700),
        Case(f"import of a CSV of {IMPORTED_ROWS:,} trials", large, repeats),
    ]


def main() -> int:
    """Measure, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", type=Path, help="table with the columns submission, task and passed")
    parser.add_argument("--repeats", type=int, default=5, help="counted runs of each command (default: 5)")
    arguments = parser.parse_args()
    given: Path | None = arguments.table or (BESIDE if BESIDE.is_file() else None)
    print(f"table: {given.name if given else 'generated'}; whole processes, medians after a warm-up")
    print(f"{'':<44} {'time':>10} {'processor':>10} {'peak':>10} {'runs':>5} {'limits':>24}")
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        apart = multiprocessing.get_context("spawn").Process(target=prepare, args=(folder, given))
        apart.start()
        apart.join()
        if apart.exitcode != 0:
            return 2
        for case in cases(
            folder, given.resolve() if given else folder / GENERATED, repeats=arguments.repeats
        ):
            results.append(measure(case, folder))
            print(results[-1].line(), flush=True)
    return int(not all(result.kept for result in results))


if __name__ == "__main__":
    sys.exit(main())
