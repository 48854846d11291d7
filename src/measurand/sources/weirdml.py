"""Source ``weirdml``: WeirdML's results, the accuracy of each run of each model on each task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Outcome, Verdict
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.reading.folder_files import some_files
from measurand.sources.reading.json_files import head, read_json
from measurand.sources.reading.loose_values import list_of, number, object_of, text, time, whole

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["WeirdmlSource"]

_SUITE: Final = "weirdml"
_MARKS: Final = (b'"aggregate_scores"', b'"mean_accuracy"', b'"cost_per_run_usd"', b'"runs"')
_PRICES: Final = "self-reported by weirdml: mean of the model's runs"
_ANCHORS: Final = "ends of the scale of accuracy"


class WeirdmlSource:
    """Reads ``weirdml_results.json``: model -> task -> runs with a score from 0 to 1."""

    name = "weirdml"
    title = "WeirdML: weirdml_results.json, the accuracy of each run of each model on each task"

    def sniff(self, path: Path) -> Match | None:
        """Claim the file, or a folder that holds it (at its top or one folder below)."""
        file = _file(path)
        return None if file is None else Match(95, f"{file.name} with models, tasks and runs of WeirdML")

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each run, a batch for each model. Heeds suite.

        Raises:
            FormatError: no results of WeirdML, or not readable.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        file, data = _read(path)
        suite = options.suite or _SUITE
        tasks = {name for name in map(text, list_of(data.get("tasks"))) if name}
        log.declarations.append(Declaration(suite=suite, tasks=len(tasks) or None))
        for key, entry in object_of(data.get("models")).items():
            model = _model(key, object_of(entry), file.name, log)
            trials = [trial for task in model.tasks for trial in _trials(model, task, suite, log)]
            if not trials:
                log.add("note", "model without runs", model.where)
            yield trials_frame(trials)
            for task in sorted(tasks - model.tasks.keys()):
                log.add("note", "the model has no run of the task", f"{model.where}.tasks.{task}")

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the average accuracy of each model, and its cost a run."""
        file, data = _read(path)
        for key, entry in object_of(data.get("models")).items():
            found = object_of(entry)
            agent, where = _agent(key, found), f"{file.name}: models.{key}"
            for name, value, unit, place in (
                (
                    "average accuracy",
                    object_of(found.get("aggregate_scores")).get("avg_acc"),
                    "share",
                    "aggregate_scores.avg_acc",
                ),
                ("cost of a run", found.get("cost_per_run_usd"), "USD", "cost_per_run_usd"),
            ):
                if (stated := number(value)) is not None:
                    yield Stated(agent=agent, name=name, value=stated, unit=unit, where=f"{where}.{place}")


class _Model(NamedTuple):
    """A model, and what is the same in all its runs."""

    agent: str
    digest: str
    slug: str | None
    released: dt.datetime | None
    cost: float | None
    output_tokens: int | None
    tasks: dict[str, Any]
    where: str


def _file(path: Path) -> Path | None:
    def is_marked(file: Path) -> bool:
        start = head(file)
        return all(mark in start for mark in _MARKS)

    return next((file for file in some_files(path, ".json") if is_marked(file)), None)


def _read(path: Path) -> tuple[Path, dict[str, Any]]:
    file = path if path.is_file() else _file(path)
    data = {} if file is None else object_of(read_json(file, file.name))
    if file is None or not isinstance(data.get("models"), dict):
        raise FormatError(
            "no results of WeirdML",
            where=str(path),
            hint="expected a JSON file with models, their tasks and runs",
        )
    return file, data


def _agent(key: str, entry: dict[str, Any]) -> str:
    return text(entry.get("display_name")) or text(key) or "unnamed"


def _model(key: str, entry: dict[str, Any], file: str, log: ImportLog) -> _Model:
    where, agent = f"{file}: models.{key}", _agent(key, entry)
    setting = {name: text(entry.get(name)) for name in ("internal_name", "api_source")}
    cost, tokens = number(entry.get("cost_per_run_usd")), number(entry.get("mean_total_output_tokens"))
    if cost == 0:
        log.add("unknown", "cost_per_run_usd is 0: unknown", where)
        cost = None
    if cost is not None or tokens is not None:
        log.add(
            "note",
            "cost and output tokens are the mean of the model's runs: their spread is not known",
            where,
        )
    return _Model(
        agent=agent,
        digest=agent_digest(agent, setting),
        slug=text(entry.get("model_slug")),
        released=time(entry.get("release_date")),
        cost=cost,
        output_tokens=None if tokens is None else whole(round(tokens)),
        tasks=object_of(entry.get("tasks")),
        where=where,
    )


def _trials(model: _Model, task: str, suite: str, log: ImportLog) -> Iterator[Trial]:
    found, where = object_of(model.tasks[task]), f"{model.where}.tasks.{task}"
    runs = list_of(found.get("runs"))
    if (stated := whole(found.get("num_runs"))) not in {None, len(runs)}:
        log.add("note", f"num_runs is {stated}, and {len(runs)} are listed", where)
    for place, run in enumerate(runs):
        log.rows_read += 1
        if text(task) is None or not isinstance(run, dict):
            log.add("dropped", "no run of a task", f"{where}.runs[{place}]")
            continue
        yield _trial(model, task, run, suite, _Place(place, where, log))


class _Place(NamedTuple):
    number: int
    task: str
    log: ImportLog

    @property
    def where(self) -> str:
        return f"{self.task}.runs[{self.number}]"


def _trial(model: _Model, task: str, run: dict[str, Any], suite: str, place: _Place) -> Trial:
    score = number(run.get("score"))
    if score is None or not 0 <= score <= 1:
        place.log.add("unknown", "score is no number from 0 to 1: no verdict", place.where)
        score = None
    return Trial(
        suite=suite,
        task=task,
        agent=model.agent,
        agent_digest=model.digest,
        model_requested=model.slug,
        released_at=model.released,
        trial=text(run.get("run_id")) or f"{place.number + 1}",
        outcome=Outcome.GRADER_ERROR
        if score is None
        else Outcome.COMPLETED
        if score
        else Outcome.INVALID_OUTPUT,
        reason="no score" if score is None else None if score else "score 0: no valid result",
        verdict=None if score is None else Verdict.PASS if score else Verdict.FAIL,
        official_score=score,
        quantity=score,
        unit="accuracy",
        better="higher",
        kind="interval",
        baseline=0.0,
        reference=1.0,
        anchors_id=_ANCHORS,
        cost_usd=model.cost,
        price_table=None if model.cost is None else _PRICES,
        output_tokens=model.output_tokens,
        harness=_SUITE,
        source=WeirdmlSource.name,
        source_ref=place.where,
    )
