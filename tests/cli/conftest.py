"""Runs the command line in the process of the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pytest

from measurand.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def measurand(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run ``measurand`` with arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        code = left.value.code
        return Result(code if isinstance(code, int) else 0, captured.out, captured.err)

    return call


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A table of three agents on twelve tasks: ada passes all, bob six, cyd none."""
    path = tmp_path / "results.csv"
    rows = [
        f"{agent},t{task:02},{int(task < passed)},0.10"
        for agent, passed in (("ada", 12), ("bob", 6), ("cyd", 0))
        for task in range(12)
    ]
    path.write_text("\n".join(["agent,task,passed,cost_usd", *rows]) + "\n", encoding="utf-8")
    return path
