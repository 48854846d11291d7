"""Measure the compressors of the standard library, for real, and report which of them differ.

Run: ``python examples/compressors/measure.py``. It takes some twenty seconds and needs neither keys nor a network.

The agents are compressors, the tasks are corpora, the quantity is the number of bytes (fewer are better), and the
gate asks whether decompressing gives back exactly what went in. One agent cheats: it drops most of the input, so its
output is tiny and its gate fails. To measure something else, replace the agents, the tasks, `gate` and the quantity.
"""

from __future__ import annotations

import argparse
import bz2
import datetime as dt
import hashlib
import lzma
import math
import os
import platform
import random
import shlex
import shutil
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from corpora import CORPORA, corpus  # type: ignore[import-not-found,unused-ignore]  # the file beside this one

import measurand
from measurand.model.digests import agent_digest, canonical_json, task_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Codec = Callable[[bytes], bytes]

SUITE: Final = "compressors"
VERSION: Final = "1"
"""Version of the suite and of this program, which is its harness. Raise it when a task, the gate or an anchor changes."""

LEAST_GAIN: Final = 1.25
"""A task is admitted only if its reference beats its baseline by this factor: else noise would decide its score."""


@dataclass(frozen=True)
class Agent:
    """A compressor with its settings."""

    name: str
    codec: str
    settings: dict[str, int]
    compress: Codec

    @property
    def digest(self) -> str:
        """Digest of all that makes this agent what it is: other settings are another agent."""
        return agent_digest(self.name, {"codec": self.codec, **self.settings})


@dataclass(frozen=True)
class Task:
    """A corpus to compress, with the anchors of its quantity."""

    name: str
    data: bytes
    baseline: int
    """Bytes at which the objective is 0."""
    reference: int
    """Bytes at which the objective is 1; an agent that needs fewer scores above 1."""
    anchored_on: str
    """Date on which the anchors were measured."""


def zlib_agent(level: int) -> Agent:
    """Build the agent that compresses with zlib at ``level``."""
    return Agent(f"zlib-{level}", "zlib", {"level": level}, lambda data: zlib.compress(data, level))


def bz2_agent(level: int) -> Agent:
    """Build the agent that compresses with bz2 at ``level``."""
    return Agent(f"bz2-{level}", "bz2", {"level": level}, lambda data: bz2.compress(data, level))


def lzma_agent(preset: int) -> Agent:
    """Build the agent that compresses with lzma at ``preset``."""
    return Agent(
        f"lzma-{preset}", "lzma", {"preset": preset}, lambda data: lzma.compress(data, preset=preset)
    )


def cheat() -> Agent:
    """Build the agent that compresses the first tenth of its input and drops the rest."""
    return Agent(
        "cheat", "zlib", {"level": 9, "keep": 10}, lambda data: zlib.compress(data[: len(data) // 10], 9)
    )


AGENTS: Final = (
    *(zlib_agent(level) for level in (1, 6, 9)),
    *(bz2_agent(level) for level in (1, 9)),
    *(lzma_agent(preset) for preset in (0, 6)),
    cheat(),
)

DECOMPRESS: Final[dict[str, Codec]] = {
    "zlib": zlib.decompress,
    "bz2": bz2.decompress,
    "lzma": lzma.decompress,
}
"""The gate's own decompressors. An agent does not bring its own: it could carry the answer in it."""


def make_task(kind: str, seed: int) -> Task:
    """Generate a corpus and measure its anchors on this machine: zlib's fastest level and lzma's strongest preset.

    Raises:
        ValueError: the reference hardly beats the baseline, so that the task could not tell agents apart.
    """
    data = corpus(kind, seed)
    baseline = len(zlib.compress(data, 1))
    reference = len(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))
    if math.log(baseline / reference) < math.log(LEAST_GAIN):
        raise ValueError(
            f"task {kind}: {reference} bytes are no real gain over {baseline}; take another corpus"
        )
    return Task(kind, data, baseline, reference, dt.datetime.now(dt.UTC).date().isoformat())


def gate(agent: Agent, task: Task, output: bytes) -> bool:
    """Say whether decompressing ``output`` gives back the task's data, byte for byte."""
    try:
        return DECOMPRESS[agent.codec](output) == task.data
    except (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError):
        return False


def run_trial(agent: Agent, task: Task, number: int, shared: dict[str, Any]) -> measurand.Trial:
    """Let one agent do one task once. Only the agent's work is timed; the gate runs after it, outside its reach."""
    outcome, reason, verdict, quantity = "completed", None, None, None
    started_at, started = dt.datetime.now(dt.UTC), time.perf_counter()
    try:
        output = agent.compress(task.data)
    except Exception as error:  # noqa: BLE001 - an agent may fail in any way; that is a result, too
        outcome, reason = "agent_error", repr(error)
    wall_s = time.perf_counter() - started
    finished_at = dt.datetime.now(dt.UTC)
    if reason is None:
        verdict, quantity = ("pass" if gate(agent, task, output) else "fail"), len(output)
    return measurand.Trial(
        **shared,
        agent=agent.name,
        agent_digest=agent.digest,
        task=task.name,
        task_digest=task_digest(task.data),
        trial=str(number),
        outcome=outcome,
        reason=reason,
        verdict=verdict,
        quantity=quantity,
        unit="bytes",
        better="lower",
        baseline=task.baseline,
        reference=task.reference,
        anchors_id=task.anchored_on,
        wall_s=wall_s,
        started_at=started_at,
        finished_at=finished_at,
        attempts=1,
    )


def run_trials(tasks: Sequence[Task], rounds: int, seed: int, job: str) -> Iterator[measurand.Trial]:
    """Run every agent on every task, once a round, in an order that is shuffled anew for each round.

    Shuffling keeps a slow minute of the machine from falling on one agent or one task alone.
    """
    shared = {
        "suite": SUITE,
        "suite_version": VERSION,
        "job": job,
        "harness": "compressors example",
        "harness_version": VERSION,
        "environment_digest": environment_digest(),
    }
    order = random.Random(seed)  # noqa: S311 - an order of work, not a secret
    for number in range(1, rounds + 1):
        pairs = [(agent, task) for agent in AGENTS for task in tasks]
        order.shuffle(pairs)
        for agent, task in pairs:
            yield run_trial(agent, task, number, shared)


def environment_digest() -> str:
    """Digest of what the trials ran in: numbers from another environment are not ranked beside these."""
    environment = {
        "python": platform.python_version(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "system": platform.platform(),
        "machine": platform.machine(),
    }
    return f"sha256:{hashlib.sha256(canonical_json(environment)).hexdigest()}"


def write_trials(path: Path, trials: Iterable[measurand.Trial]) -> int:
    """Write one JSON object a line, a line a trial, and return how many."""
    count = 0
    with path.open("wb") as file:
        for trial in trials:
            file.write(msgspec.json.encode(trial) + b"\n")
            count += 1
    return count


def run_measurand(*arguments: str | Path) -> None:
    """Run the command ``measurand`` of this Python environment, and show what is run."""
    print(f"\n$ {shlex.join(['measurand', *map(str, arguments)])}", flush=True)
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    command = shutil.which("measurand", path=places)
    if command is None:
        raise SystemExit("the command measurand is not installed: pip install measurand")
    subprocess.run([command, *arguments], check=True)  # noqa: S603 - our own command


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure the compressors of the standard library.")
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder for the results")
    parser.add_argument("--tasks", type=int, default=len(CORPORA), help="number of corpora (default: all)")
    parser.add_argument(
        "--trials", type=int, default=3, help="trials of each agent on each task (default: 3)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the corpora and of the order of trials")
    return parser.parse_args()


def main() -> None:
    """Measure, write the trials, import them into a store, and report."""
    arguments = parse_arguments()
    job = f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H%M%SZ}"
    folder = arguments.out / job
    folder.mkdir(parents=True)
    kinds = list(CORPORA)[: arguments.tasks]
    print(f"generating {len(kinds)} corpora and measuring their anchors", flush=True)
    tasks = [make_task(kind, arguments.seed) for kind in kinds]
    print(f"running {len(AGENTS)} agents x {len(tasks)} tasks x {arguments.trials} trials", flush=True)
    trials, store, page = folder / "trials.jsonl", folder / "store", folder / "report.html"
    count = write_trials(trials, run_trials(tasks, arguments.trials, arguments.seed, job))
    print(f"{count} trials: {trials}")
    run_measurand("import", trials, "--store", store, "--quiet")
    run_measurand("report", store, "--html", page, "--quiet")
    print(f"\nReport: {page.resolve()}")


if __name__ == "__main__":
    main()
