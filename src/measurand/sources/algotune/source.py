"""Source ``algotune``: AlgoTune's summary of the speed-up of each model on each task."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from measurand.errors import FormatError, InputError, ValueRangeError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.algotune.timings import TIMINGS, Timings, read_timings
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.json_files import head, read_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["AlgotuneSource"]

_SUITE: Final = "algotune"
_FILE: Final = "agent_summary.json"
_KEY: Final = "final_speedup"
_NONE: Final = "N/A"
_UNSTEADY: Final = 0.1
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


class AlgotuneSource:
    """Reads ``agent_summary.json``: task -> model -> ``{"final_speedup": "1.53790" | "N/A"}``.

    ``generation.json`` beside it says how large the problems are and how steadily the reference solver ran on them.
    """

    name = "algotune"
    title = (
        "AlgoTune: agent_summary.json, the speed-up of each model on each task, and generation.json beside it"
    )

    def sniff(self, path: Path) -> Match | None:
        """Claim the summary, or a folder that holds it (at its top or in ``reports``)."""
        file = _summary(path)
        if file is None or f'"{_KEY}"'.encode() not in head(file):
            return None
        return Match(95, f"{file.name} with {_KEY}")

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each task and model. Heeds no option: the file says all there is.

        Raises:
            FormatError: no summary, not UTF-8, not JSON, a repeated key, or objects missing where they belong.
            ValueRangeError: a speed-up that is neither a positive number nor ``N/A``.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        file = _summary(path)
        if file is None:
            raise FormatError(
                f"no {_FILE}", where=str(path), hint="give the file, or the folder that holds it"
            )
        tasks = _objects(read_json(file, file.name), file.name)
        timings = _timings(file, log)
        trials = [
            _trial(task, model, entry, file.name, timings)
            for task, models in tasks.items()
            for model, entry in _objects(models, f"{file.name}: {task}").items()
        ]
        if not trials:
            raise FormatError("the summary is empty", where=file.name)
        log.rows_read += len(trials)
        log.declarations.append(Declaration(suite=_SUITE, trials=1))
        _note_absent(trials, log, file.name)
        _note_timings(list(tasks), timings, log)
        yield trials_frame(trials)


def _summary(path: Path) -> Path | None:
    if path.is_file():
        return path if path.suffix.lower() == ".json" else None
    return next((file for file in (path / _FILE, path / "reports" / _FILE) if file.is_file()), None)


def _objects(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError("not a JSON object", where=where, hint="expected task -> model -> {final_speedup}")
    if any(not key.strip() for key in value):
        raise FormatError("an empty name", where=where, hint="every task and model has a name")
    return value


def _timings(file: Path, log: ImportLog) -> Timings | None:
    beside = file.parent / TIMINGS
    if not beside.is_file() or not beside.resolve().is_relative_to(file.parent.resolve()):
        return None
    try:
        return read_timings(beside)
    except InputError as error:
        log.add("unknown", f"timings of the reference solver that cannot be read: {error.what}", error.where)
        return None


def _trial(task: str, model: str, entry: Any, file: str, timings: Timings | None) -> Trial:
    where = f"{file}: {task}/{model}"
    speedup = _speedup(task, model, entry, where)
    timing = timings.tasks.get(task) if timings else None
    return Trial(
        suite=_SUITE,
        task=task,
        task_digest=timing.digest if timing else None,
        agent=model,
        agent_digest=agent_digest(model),
        model_requested=model,
        trial="1",
        outcome=Outcome.INVALID_OUTPUT if speedup is None else Outcome.COMPLETED,
        reason=_NONE if speedup is None else None,
        verdict=Verdict.FAIL if speedup is None else Verdict.PASS,
        quantity=speedup,
        unit="x",
        better="higher",
        kind="ratio",
        reference=1.0,
        anchors_id=timings.version if timings and timing and timing.seconds else None,
        official_score=_official(speedup),
        harness=_SUITE,
        source=AlgotuneSource.name,
        source_ref=where,
    )


def _official(speedup: float | None) -> float:
    """Give the trial's part in AlgoTune's own score, the harmonic mean of speed-ups with N/A and values below 1 as 1.

    The harmonic mean is -1/m of the mean m of these parts, so that both order models alike.
    """
    return -1.0 if speedup is None else -1.0 / max(speedup, 1.0)


def _speedup(task: str, model: str, entry: Any, where: str) -> float | None:
    """Speed-up over the reference solver, or ``None`` where the model has no valid solver."""
    if not isinstance(entry, dict) or _KEY not in entry:
        raise ValueRangeError(
            f"task {task!r}, model {model!r}: there is no {_KEY}",
            where=where,
            hint=f"write {_NONE!r} for no valid solver",
        )
    value = entry[_KEY]
    if value == _NONE:
        return None
    number = float(value) if _is_number(value) else math.nan
    if not (math.isfinite(number) and number > 0):
        raise ValueRangeError(
            f"task {task!r}, model {model!r}: {_KEY} {value!r} is neither a positive number nor {_NONE!r}",
            where=where,
            hint=f"correct the value; {_NONE!r} means no valid solver",
        )
    return number


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return _NUMBER.fullmatch(value) is not None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _note_absent(trials: list[Trial], log: ImportLog, file: str) -> None:
    tasks = dict.fromkeys(trial.task for trial in trials)
    models = dict.fromkeys(trial.agent for trial in trials)
    have = {(trial.task, trial.agent) for trial in trials}
    for task in tasks:
        for model in models:
            if (task, model) not in have:
                log.add("note", "the model has no entry for the task", f"{file}: {task}/{model}")


def _note_timings(tasks: list[str], timings: Timings | None, log: ImportLog) -> None:
    """Say of which tasks the reference is not known, or so unsteady that small speed-ups mean nothing."""
    for task in tasks if timings else ():
        timing = timings.tasks.get(task) if timings else None
        where = f"{TIMINGS}: {task}"
        if timing is None or not timing.seconds:
            log.add("note", "no timing of the reference solver", where)
            continue
        if timing.failed:
            log.add(
                "note", "runs of the reference solver that failed or have no time", where, count=timing.failed
            )
        if timing.spread > _UNSTEADY:
            times = " to ".join(f"{1000 * bound:.3g}" for bound in (min(timing.seconds), max(timing.seconds)))
            log.add(
                "note",
                f"runs of the reference solver differ by more than {_UNSTEADY:.0%}: lesser speed-ups may be chance",
                f"{where}: {times} ms",
            )
