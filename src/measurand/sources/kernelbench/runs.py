"""Runs of KernelBench, from its leaderboard, its table of megakernels, or the detail file of a run."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.sources.reading.csv_records import has_columns, read_csv
from measurand.sources.reading.json_files import head, read_json
from measurand.sources.reading.loose_values import list_of, number, object_of, text, truth, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = [
    "DETAIL",
    "LEADERBOARD",
    "MEGA",
    "Kind",
    "Run",
    "joined",
    "kind_of",
    "read_leaderboard",
    "read_runs",
    "standings",
]

Kind = str
LEADERBOARD, DETAIL, MEGA = "leaderboard", "detail of a run", "table of megakernels"
_MEGA_COLUMNS: Final = ("gpu", "harness", "model", "problem", "correct", "score", "megakernel")
_STARTED: Final = re.compile(r"(\d{8}_\d{6})_.*")


class Run(NamedTuple):
    """One run as a file describes it; unknown is ``None``."""

    where: str
    run_id: str | None
    deck: str
    gpu: str | None
    problem: str | None
    harness: str | None
    model: str | None
    effort: str | None = None
    correct: bool | None = None
    score: float | None = None
    """Share of the roofline, or speed-up of a megakernel."""
    failure: str | None = None
    audit: str | None = None
    megakernel: bool | None = None
    has_solution: bool | None = None
    agent_s: float | None = None
    waiting_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    environment: str | None = None

    @property
    def agent(self) -> str:
        """Harness, model and effort, as the leaderboard writes them."""
        name = "/".join(part for part in (self.harness, self.model) if part)
        return f"{name} [{self.effort}]" if self.effort else name

    @property
    def started_at(self) -> dt.datetime | None:
        """When the run began, as its id says; the zone is not stated, and taken for UTC."""
        found = _STARTED.fullmatch(self.run_id or "")
        try:
            return dt.datetime.strptime(f"{found[1]}+0000", "%Y%m%d_%H%M%S%z") if found else None
        except ValueError:
            return None


def kind_of(path: Path) -> Kind | None:
    """Say what of KernelBench a file is, by its beginning."""
    if path.suffix.lower() == ".csv":
        return MEGA if has_columns(path, *_MEGA_COLUMNS) else None
    start = head(path)
    if b'"peak_fraction"' not in start or b'"annotation_verdict"' not in start:
        return None
    return DETAIL if b'"failure_reason"' in start and b'"bench"' in start else LEADERBOARD


def read_runs(path: Path, name: str, kind: Kind, log: ImportLog) -> Iterator[Run]:
    """Yield the runs of a file, and count them in ``log``.

    Raises:
        FormatError: not readable, or not what it seemed.
    """
    if kind == MEGA:
        yield from (_mega(record.where, record.cells) for record in read_csv(path, name, log))
    elif kind == DETAIL:
        log.rows_read += 1
        yield _detail(object_of(read_json(path, name)), name)
    else:
        for run in _cells(read_leaderboard(path, name), name, _deck_of(path)):
            log.rows_read += 1
            yield run


def read_leaderboard(path: Path, name: str) -> dict[str, Any]:
    """Read a leaderboard.

    Raises:
        FormatError: not readable, or without models.
    """
    data = object_of(read_json(path, name))
    if not isinstance(data.get("models"), list):
        raise FormatError("no list of models", where=name, hint="expected a leaderboard of KernelBench")
    return data


def standings(data: dict[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield each model's label, its place in the file, and what the leaderboard says of it."""
    for place, entry in enumerate(list_of(data.get("models"))):
        model = object_of(entry)
        label = text(model.get("label")) or _Cell(model, "", {}, "").run("", {}).agent
        yield label, place, model


class _Cell(NamedTuple):
    """What is the same in all cells of a model."""

    model: dict[str, Any]
    where: str
    data: dict[str, Any]
    deck: str

    def run(self, problem: str, cell: dict[str, Any]) -> Run:
        return Run(
            where=f"{self.where}.results.{problem}",
            run_id=text(cell.get("run_id")),
            deck=self.deck,
            gpu=_gpu(object_of(self.data.get("hardware")).get("name")),
            problem=text(problem),
            harness=text(self.model.get("harness")),
            model=text(self.model.get("model")),
            effort=text(self.model.get("effort")),
            correct=truth(cell.get("correct")),
            score=number(cell.get("peak_fraction")),
            failure=text(cell.get("failure_reason")),
            audit=text(cell.get("annotation_verdict")),
            has_solution=truth(cell.get("has_solution")),
            agent_s=number(cell.get("elapsed_seconds")),
            output_tokens=whole(cell.get("output_tokens")),
            environment=text(self.data.get("environment")),
        )


def _cells(data: dict[str, Any], name: str, deck: str) -> Iterator[Run]:
    for _, place, model in standings(data):
        of = _Cell(model, f"{name}: models[{place}]", data, deck)
        for problem, cell in object_of(model.get("results")).items():
            yield of.run(problem, object_of(cell))


def _deck_of(path: Path) -> str:
    """Deck of a leaderboard, which does not say it: by its name or a folder's, else hard."""
    return "cuda" if any("cuda" in part for part in path.parts[-4:]) else "hard"


def _detail(data: dict[str, Any], name: str) -> Run:
    stats = object_of(data.get("stats"))
    return Run(
        where=name,
        run_id=text(data.get("run_id")),
        deck=text(data.get("bench")) or "hard",
        gpu=_gpu(data.get("gpu")),
        problem=text(data.get("problem")),
        harness=text(data.get("harness")),
        model=text(data.get("model")),
        correct=truth(data.get("correct")),
        score=number(data.get("peak_fraction")),
        failure=text(data.get("failure_reason")),
        audit=text(data.get("annotation_verdict")),
        has_solution=truth(data.get("has_solution_text")),
        agent_s=number(stats.get("agent_s")),
        waiting_s=number(object_of(data.get("gpu_lock")).get("wait_s")),
        input_tokens=whole(stats.get("input_tokens")),
        output_tokens=whole(stats.get("output_tokens")),
        cost_usd=number(stats.get("cost_usd")),
    )


def _mega(where: str, cells: Any) -> Run:
    megakernel = text(cells.get("megakernel"))
    return Run(
        where=where,
        run_id=text(cells.get("run_id")),
        deck="mega",
        gpu=_gpu(cells.get("gpu")),
        problem=text(cells.get("problem")),
        harness=text(cells.get("harness")),
        model=text(cells.get("model")),
        correct=truth(cells.get("correct")),
        score=number(cells.get("score")),
        megakernel=None if megakernel is None else megakernel == "pass",
        agent_s=number(cells.get("elapsed_s")),
        output_tokens=whole(cells.get("output_tokens")),
    )


def _gpu(value: Any) -> str | None:
    """Name a GPU alike in all files: ``RTX PRO 6000 Blackwell Workstation`` is ``rtxpro6000``."""
    plain = re.sub(r"[^a-z0-9]", "", (text(value) or "").lower()).removeprefix("nvidia")
    return plain.partition("blackwell")[0] or None


def joined(first: Run, second: Run) -> Run:
    """Fill what ``first`` does not know of a run from ``second``."""
    values: dict[str, Any] = {
        name: theirs if mine is None else mine
        for name, mine, theirs in zip(Run._fields, first, second, strict=True)
    }
    return Run(**values)
