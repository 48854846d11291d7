"""A store survives the end of its writers: rows of an import are there all or not at all."""

from __future__ import annotations

import random
import signal
import time
from typing import TYPE_CHECKING

import polars as pl
import pytest

import measurand
from measurand.store.files import TEMPORARY

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.e2e.conftest import Terminal

ROWS = 50_000
KILLS = 28

KILLER = """
import os, signal
flush, calls = os.fsync, 0
def fsync(handle):
    global calls
    calls += 1
    if calls == int(os.environ["KILL_AT_FLUSH"]):
        os.kill(os.getpid(), signal.SIGKILL)
    flush(handle)
os.fsync = fsync
"""
"""Ends the process at its n-th flush to disk: before a file is renamed (odd n) and after it (even n)."""


def _table(terminal: Terminal, rows: int) -> str:
    lines = (f"agent-{n % 10},t{n // 10},1,{'pass' if n % 3 else 'fail'},0.{n}" for n in range(rows))
    return terminal.write("runs.csv", "\n".join(["agent,task,trial,verdict,cost_usd", *lines, ""]))


def _import(table: str, job: str) -> tuple[str, ...]:
    """Return the import of the table under a job of its own, so that each attempt has other rows."""
    return ("import", table, "--store", "store", "--set", f"job={job}", "-q")


def _rows_by_job(store: Path) -> dict[str, int]:
    opened = measurand.open(store)
    assert opened.info(verify=True).damaged == ()
    counts = opened.read().to_polars().group_by("job").agg(pl.len())
    return dict(counts.iter_rows())


def _await_write(process: subprocess.Popen[str], trials: Path) -> None:
    """Wait until the process has begun to write its segment, or has ended."""
    while process.poll() is None and not any(trials.glob(f"{TEMPORARY}*")):
        time.sleep(0.0005)


def _kill(process: subprocess.Popen[str], delay: float) -> bool:
    """Kill a process after ``delay`` seconds, unless it ends by itself before; return whether it was killed."""
    time.sleep(delay)
    process.kill()
    process.communicate(timeout=60)
    return process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_an_import_killed_at_any_moment_leaves_all_its_rows_or_none(terminal: Terminal) -> None:
    """Kills fall on all times of an import's run, and every fourth shortly after its write begins.

    How long a run takes depends on what else the machine does; a kill that comes too late shortens the next ones and
    is done again, so that every one of them counts.
    """
    table, store, rng = _table(terminal, ROWS), terminal.folder / "store", random.Random(1)  # noqa: S311
    begun = time.monotonic()
    assert terminal.run(*_import(table, "whole")).code == 0
    duration, killed = time.monotonic() - begun, 0
    for number in range(4 * KILLS):
        at_write = number % 4 == 0
        process = terminal.start(*_import(table, f"attempt-{number}"))
        if at_write:
            _await_write(process, store / "trials")
        landed = _kill(process, rng.uniform(0, 0.02) if at_write else rng.uniform(0.02, duration))
        killed += landed
        duration *= 1 if landed else 0.9
        if killed == KILLS:
            break
    found = _rows_by_job(store)
    assert killed == KILLS, f"only {killed} kills came before the end"
    assert "whole" in found
    assert set(found.values()) == {ROWS}


@pytest.mark.parametrize("flush", [1, 2, 3, 4])
def test_an_import_killed_at_each_flush_of_a_new_store_can_be_done_again(
    terminal: Terminal, flush: int
) -> None:
    """Flushes: the store's head, its folder, the segment, the segment's folder."""
    table, store = _table(terminal, 100), terminal.folder / "store"
    terminal.write("sitecustomize.py", KILLER)
    terminal.env |= {"PYTHONPATH": str(terminal.folder), "KILL_AT_FLUSH": str(flush)}
    assert terminal.run(*_import(table, "killed")).code == -signal.SIGKILL
    if flush > 1:
        assert _rows_by_job(store) == ({"killed": 100} if flush == 4 else {})
    del terminal.env["PYTHONPATH"]
    assert terminal.run(*_import(table, "after")).code == 0
    assert _rows_by_job(store) == {"after": 100} | ({"killed": 100} if flush == 4 else {})


def test_a_reader_ignores_what_a_killed_writer_left_and_says_so(terminal: Terminal) -> None:
    table, store = _table(terminal, 100), terminal.folder / "store"
    assert terminal.run(*_import(table, "whole")).code == 0
    leftover = store / "trials" / f"{TEMPORARY}1-abcd-half.parquet"
    leftover.write_bytes(next((store / "trials").glob("*.parquet")).read_bytes()[:100])
    assert _rows_by_job(store) == {"whole": 100}
    info = terminal.run("store", "info", "store", "--verify")
    assert info.code == 0
    assert "unfinished" in info.out.lower()


def test_writers_at_the_same_time_lose_nothing(terminal: Terminal) -> None:
    table = _table(terminal, 5_000)
    jobs = [f"writer-{number}" for number in range(4)]
    ended = terminal.run_all(*(_import(table, job) for job in jobs))
    assert [done.code for done in ended] == [0] * len(jobs), ended
    assert _rows_by_job(terminal.folder / "store") == dict.fromkeys(jobs, 5_000)


def test_the_same_import_twice_counts_each_trial_once(terminal: Terminal) -> None:
    table = _table(terminal, 1_000)
    for _ in range(2):
        assert terminal.run(*_import(table, "same")).code == 0
    assert _rows_by_job(terminal.folder / "store") == {"same": 1_000}
