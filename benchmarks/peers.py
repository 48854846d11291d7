"""How fast tiers of all pairs are beside what other packages offer for the same question, on two public tables.

Run: ``python benchmarks/peers.py --peers PYTHON``, where PYTHON is an interpreter that has some of the packages below. Each
is timed in processes of its own, from rows in memory to its answer, imports left out; the quick ones take turns. Exit code 1
when ours is slower than the fastest of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

OURS = "measurand"
PEERS = {
    OURS: "tiers, letters and simultaneous intervals of all pairs; step-down max-T, 10,000 sign flips",
    "honestboard": "rank intervals and all-pairs confidence set of the best; 10,000 bootstrap resamples",
    "evalstats": "compare(factors='model') with its defaults: all pairs, intervals",
    "errorbars": "build_leaderboard with its defaults: all pairs by t-test, Holm, cliques",
}
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
RESAMPLES = 10_000
ROUNDS = 3
"""Turns of each package; one that takes longer than SLOW has one."""

SLOW = 5.0
"""Seconds; also how long the runs of one turn go on, five at most."""


class Rows(NamedTuple):
    """Trials in memory: agent, task and score of each."""

    agents: list[str]
    tasks: list[str]
    scores: list[float]

    def cells(self) -> tuple[list[str], list[str], np.ndarray[Any, np.dtype[np.float64]]]:
        """Agents, tasks, and the mean score of each cell, tasks × agents."""
        agents, column = np.unique(self.agents, return_inverse=True)
        tasks, row = np.unique(self.tasks, return_inverse=True)
        total, count = (np.zeros((len(tasks), len(agents))) for _ in range(2))
        np.add.at(total, (row, column), self.scores)
        np.add.at(count, (row, column), 1)
        return agents.tolist(), tasks.tolist(), total / count


def measurand_call(rows: Rows) -> Callable[[], object]:
    """Tiers and intervals of all agents."""
    from measurand.infer.differences.permutation import max_t
    from measurand.infer.differences.simultaneous import simultaneous
    from measurand.infer.differences.tiers import tiers

    def call() -> object:
        table = rows.cells()[2]
        test = max_t(table, resamples=RESAMPLES, max_resamples=RESAMPLES, rng=0)
        intervals = simultaneous(table, test, resamples=RESAMPLES, rng=0)
        return tiers(table.mean(axis=0), test.significant), intervals

    return call


def honestboard_call(rows: Rows) -> Callable[[], object]:
    """What it says of a whole board under uncertainty."""
    board_of = import_module("honestboard").Board

    def call() -> object:
        agents, tasks, table = rows.cells()
        board = board_of(agents, table.T, task_ids=tasks)
        return board.rank_summary(B=RESAMPLES), board.confidence_set_best(B=RESAMPLES, method="simultaneous")

    return call


def evalstats_call(rows: Rows) -> Callable[[], object]:
    """Its comparison of models; cells, since it wants the same number of trials in each."""
    evalstats, pandas = import_module("evalstats"), import_module("pandas")

    def call() -> object:
        agents, tasks, table = rows.cells()
        frame = pandas.DataFrame(
            {
                "model": np.repeat(agents, len(tasks)),
                "item": np.tile(tasks, len(agents)),
                "score": table.T.ravel(),
            }
        )
        return evalstats.compare(evalstats.load_from(frame), factors="model")

    return call


def errorbars_call(rows: Rows) -> Callable[[], object]:
    """Its leaderboard, from single trials."""
    build = import_module("errorbars.leaderboard").build_leaderboard
    data = import_module("errorbars.io").EvalData
    return lambda: build(data(rows.tasks, rows.agents, rows.scores))


CALLS = {
    OURS: measurand_call,
    "honestboard": honestboard_call,
    "evalstats": evalstats_call,
    "errorbars": errorbars_call,
}


def swebench() -> Rows:
    """The 29 submissions with outcomes of a published list of thirty, on 500 tasks."""
    import polars as pl

    listed = pl.read_csv(SHARED / "swe_abs" / "swe_abs_top30.csv")["submission"].to_list()
    frame = pl.read_parquet(SHARED / "swebench_verified" / "results.parquet").with_columns(
        pl.col("submission", "task").cast(pl.String)
    )
    rows = frame.filter(pl.col("submission").is_in(listed))
    return Rows(
        rows["submission"].to_list(), rows["task"].to_list(), rows["passed"].cast(pl.Float64).to_list()
    )


def weirdml() -> Rows:
    """87 models on 17 tasks, one to ten trials each."""
    import polars as pl

    rows = pl.read_parquet(SHARED / "weirdml" / "results.parquet").with_columns(
        pl.col("agent", "task").cast(pl.String)
    )
    return Rows(rows["agent"].to_list(), rows["task"].to_list(), rows["value"].to_list())


TABLES = {"29 x 500 SWE-bench Verified": swebench, "87 x 17 WeirdML, 7,484 trials": weirdml}


def run_one(name: str, path: Path) -> None:
    """Time one package on the rows in a file, and print the median seconds."""
    rows = Rows(**json.loads(path.read_text(encoding="utf-8")))
    call = CALLS[name](rows)
    times: list[float] = []
    while len(times) < 5 and sum(times) < SLOW:
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    print(f"seconds {median(times)}")


def timed(name: str, python: str, path: Path, limit: float) -> float | str:
    """Time one package in a process of its own: the seconds, or why there are none."""
    command = [python, "-W", "ignore", __file__, "--run", name, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"over {limit:.0f} s"
    line = next((line for line in done.stdout.splitlines() if line.startswith("seconds ")), None)
    if line is None:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return "not installed" if "No module named" in last else f"failed: {last[:60]}"
    return float(line.split()[1])


def compare(table: str, rows: Rows, peers: str | None, limit: float) -> bool:
    """Time all packages on one table, print it, and say whether ours is the fastest."""
    pythons = {name: sys.executable if name == OURS else peers for name in PEERS}
    times: dict[str, list[float]] = {name: [] for name in PEERS}
    why = {name: "no interpreter given" for name, python in pythons.items() if python is None}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.json")
        path.write_text(json.dumps(rows._asdict()), encoding="utf-8")
        for _ in range(ROUNDS):
            for name, python in pythons.items():
                if python is None or name in why or sum(times[name]) > SLOW:
                    continue
                found = timed(name, python, path, limit)
                if isinstance(found, str):
                    why[name] = found
                else:
                    times[name].append(found)
    seconds = {name: median(taken) for name, taken in times.items() if taken}
    print(f"\n{table}; medians of up to {ROUNDS} turns")
    for name, does in PEERS.items():
        text = f"{seconds[name]:.3f} s" if name in seconds else why[name]
        ratio = f"{seconds[name] / seconds[OURS]:8.1f} x" if name in seconds and OURS in seconds else " " * 10
        print(f"  {name:<12} {text:<20} {ratio}  {does}")
    return OURS in seconds and seconds[OURS] <= min(seconds.values())


def main() -> int:
    """Measure, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description="Speed of tiers beside other packages.")
    parser.add_argument("--peers", metavar="PYTHON", help="interpreter that has the other packages")
    parser.add_argument(
        "--limit", type=float, default=120.0, help="seconds that each package gets on a table"
    )
    parser.add_argument("--run", nargs=2, metavar=("NAME", "ROWS"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        run_one(asked.run[0], Path(asked.run[1]))
        return 0
    if not SHARED.is_dir():
        print(f"the tables are not there: {SHARED}")
        return 0
    fastest = [compare(name, rows(), asked.peers, asked.limit) for name, rows in TABLES.items()]
    print("\nlimit: ours no slower than the fastest: " + ("kept" if all(fastest) else "missed"))
    return int(not all(fastest))


if __name__ == "__main__":
    sys.exit(main())
