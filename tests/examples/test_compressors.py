"""The example measures, imports and reports, twice into one folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import measurand

MEASURE = Path(__file__).resolve().parents[2] / "examples" / "compressors" / "measure.py"


def _measure(folder: Path, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own example
        [sys.executable, MEASURE, *arguments],
        cwd=folder,
        env=os.environ | {"HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder in which the example has measured six corpora once."""
    folder = tmp_path_factory.mktemp("demo")
    printed = _measure(folder, "--tasks", "6", "--trials", "1", "--out", "here")
    assert "Standings" in printed
    run = next((folder / "here").iterdir())
    assert str(run / "report.html") in printed
    return run


def test_every_agent_has_a_trial_on_every_task_and_the_records_are_complete(out: Path) -> None:
    rows = [json.loads(line) for line in (out / "trials.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({(row["agent"], row["task"]) for row in rows}) == len(rows) == 8 * 6
    needed = {"task_digest", "agent_digest", "environment_digest", "harness", "started_at", "wall_s", "job"}
    assert all(needed <= row.keys() for row in rows)
    assert measurand.read(out / "store").to_polars().height == len(rows)


def test_the_cheat_hands_in_the_fewest_bytes_and_gets_nothing_for_them(out: Path) -> None:
    trials = measurand.read(out / "store")
    smallest = trials.to_polars().sort("quantity").group_by("task", maintain_order=True).first()
    assert set(smallest["agent"]) == {"cheat"}
    standings = {row.agent: row for row in measurand.board(trials).standings}
    assert standings["cheat"].score("objective").mean.value == 0
    assert standings["cheat"].gate.passes == 0
    assert all(row.gate.evaluated == 1 for name, row in standings.items() if name != "cheat")


def test_the_baseline_scores_0_and_better_compressors_more(out: Path) -> None:
    means = {
        row.agent: row.score("objective").mean.value or 0.0
        for row in measurand.board(measurand.read(out / "store")).standings
    }
    assert means["zlib-1"] == 0
    assert 0 < means["zlib-6"] <= means["zlib-9"] < means["lzma-6"]


def test_another_run_makes_a_folder_of_its_own(out: Path) -> None:
    before = (out / "trials.jsonl").read_bytes()
    _measure(out.parents[1], "--tasks", "2", "--trials", "1", "--out", "here")
    assert len(list(out.parent.iterdir())) == 2
    assert (out / "trials.jsonl").read_bytes() == before
