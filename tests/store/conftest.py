"""Stores with a few trials in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from measurand.model.imports import ConflictPolicy, Declaration, ImportReport, NoteGroup
from measurand.model.table import Trials, trials_frame
from measurand.model.trial import Trial
from measurand.store import Store

if TYPE_CHECKING:
    from pathlib import Path


class Add(Protocol):
    """Appends trials to a store and returns the new segment."""

    def __call__(
        self, store: Store, *rows: dict[str, Any], policy: ConflictPolicy = "refuse", path: str = "a.csv"
    ) -> Path | None: ...


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store", create=True)


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "other", create=True)


@pytest.fixture
def add() -> Add:
    def append(
        store: Store, *rows: dict[str, Any], policy: ConflictPolicy = "refuse", path: str = "a.csv"
    ) -> Path | None:
        plain = {"suite": "s", "task": "t", "agent": "kite", "agent_digest": "k", "trial": "1"}
        plain |= {"outcome": "completed", "verdict": "pass", "source_ref": path}
        frame = trials_frame(Trial(**(plain | row)) for row in rows)
        report = ImportReport(
            source="table",
            paths=(path,),
            rows_read=len(rows),
            rows_kept=len(rows),
            conflict_policy=policy,
            notes=(
                NoteGroup(kind="unknown", what="cost_usd negative or not finite", count=1, examples=(path,)),
            ),
            mapped={"agent": "submission"},
            ignored=("note",),
            declarations=(Declaration(suite="s", tasks=3, trials=2),),
        )
        return store.append(Trials(frame), report, on_conflict=policy)

    return append
