"""Trials made by hand or read from the example cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from measurand.load import read
from measurand.model.digests import agent_digest
from measurand.model.table import Trials, trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from measurand.model.imports import ConflictPolicy, Declaration


class Make(Protocol):
    """Makes trials of rows; each row gives what differs from a passed trial."""

    def __call__(self, rows: Iterable[dict[str, Any]], *declarations: Declaration) -> Trials: ...


class Case(Protocol):
    """Reads an example case by its number, and says what is expected of it."""

    def __call__(
        self, number: str, *, anchors: bool = False, on_conflict: ConflictPolicy | None = None
    ) -> tuple[Trials, Any]: ...


@pytest.fixture(scope="session")
def make() -> Make:
    plain: dict[str, Any] = {"suite": "s", "task": "t", "agent": "kite", "trial": "1", "outcome": "completed"}

    def trials(rows: Iterable[dict[str, Any]], *declarations: Declaration) -> Trials:
        complete = [{"verdict": "pass", **plain, **row} for row in rows]
        records = [Trial(**{"agent_digest": agent_digest(row["agent"]), **row}) for row in complete]
        return Trials(trials_frame(records), declarations=declarations)

    return trials


@pytest.fixture(scope="session")
def case(shared: Path) -> Case:
    def trials(
        number: str, *, anchors: bool = False, on_conflict: ConflictPolicy | None = None
    ) -> tuple[Trials, Any]:
        folder = next((shared / "cases").glob(f"{number}-*"))
        files = [path for path in sorted(folder.glob("input*.csv")) if "anchors" not in path.name]
        options = ReadOptions(anchors=folder / "input.anchors.csv") if anchors else ReadOptions()
        expected = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
        return read(files, options=options, on_conflict=on_conflict), expected

    return trials
