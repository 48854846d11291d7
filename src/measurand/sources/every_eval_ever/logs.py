"""Every Eval Ever's aggregate JSON: who was evaluated on what, by which metric, and with what score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError
from measurand.model.digests import agent_digest
from measurand.sources.reading.capped_files import read_capped
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lines import first_object
from measurand.sources.reading.loose_json import decode
from measurand.sources.reading.loose_values import number, object_of, text, truth

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Evaluation",
    "Result",
    "is_aggregate",
    "is_samples",
    "labels",
    "read_aggregate",
    "unknown_evaluation",
]

_MOST: Final = 2**28
_MARKS: Final = (b'"evaluation_results"', b'"model_info"', b'"evaluation_id"')
_SAMPLE_KEYS: Final = {"evaluation_id", "model_id", "sample_id", "evaluation"}
_SCAFFOLDS: Final = ("agent_name", "agent_scaffold", "scaffold", "agent")
_UNKNOWN: Final = {"unknown", "Unknown"}


class Result(NamedTuple):
    """One result of an evaluation: a metric on a data set."""

    id: str | None
    name: str
    metric: str | None
    dataset: str | None
    version: str | None
    score: float | None
    unit: str | None
    lower: bool
    """Whether less is better."""
    least: float | None
    most: float | None
    """Bounds of the score, where they are finite."""
    unknown_is: float | None
    """Score that means unknown."""

    @property
    def better(self) -> str:
        """Direction, as the trial table has it."""
        return "lower" if self.lower else "higher"

    @property
    def anchors(self) -> tuple[float | None, float | None]:
        """Worst and best possible score, where both are known and differ."""
        if self.least is None or self.most is None or self.least >= self.most:
            return None, None
        return (self.most, self.least) if self.lower else (self.least, self.most)

    def official(self, score: float | None) -> float | None:
        """Return a score so that more is better."""
        return score if score is None or not self.lower else -score


class Evaluation(NamedTuple):
    """An aggregate file, or what is known without one."""

    file: str
    id: str | None
    agent: str
    model: str | None
    digest: str
    harness: str | None
    harness_version: str | None
    results: tuple[Result, ...]
    samples_file: str | None
    """Name of the file of samples, its folders left out."""
    samples: int | None
    checksum: str | None

    def result(self, id_: str | None, name: str | None) -> Result | None:
        """Find a result by its id, else by the name of the evaluation."""
        by_id = (result for result in self.results if id_ and result.id == id_)
        by_name = (result for result in self.results if result.name == name)
        return next(by_id, None) or next(by_name, None)


def is_aggregate(path: Path) -> bool:
    """Whether a JSON file begins as an aggregate does."""
    start = head(path)
    return all(mark in start for mark in _MARKS)


def is_samples(path: Path) -> bool:
    """Whether the first line of a file is a sample; where it is too long, or damaged, the beginning of the file decides."""
    first = first_object(path)
    if first:
        return first.keys() >= _SAMPLE_KEYS
    start = head(path)
    return b'"evaluation_id"' in start and b'"sample_id"' in start and b'"interaction_type"' in start


def read_aggregate(path: Path, name: str) -> Evaluation:
    """Read an aggregate.

    Raises:
        FormatError: not readable, or without model and results.
    """
    data = object_of(decode(read_capped(path, name, _MOST), name))
    info, library = object_of(data.get("model_info")), object_of(data.get("eval_library"))
    model = text(info.get("id")) or text(info.get("name"))
    if model is None or not isinstance(data.get("evaluation_results"), list):
        raise FormatError(
            "no model_info and evaluation_results",
            where=name,
            hint="expected an aggregate of Every Eval Ever",
        )
    results = [object_of(entry) for entry in data["evaluation_results"]]
    details = object_of(info.get("additional_details"))
    scaffold = next((found for key in _SCAFFOLDS if (found := text(details.get(key)))), None)
    agent = f"{scaffold} / {model}" if scaffold else model
    samples = object_of(data.get("detailed_evaluation_results"))
    configuration = {
        "model_info": info,
        "eval_library": library,
        "generation_config": next(
            (entry["generation_config"] for entry in results if "generation_config" in entry), None
        ),
    }
    return Evaluation(
        file=name,
        id=text(data.get("evaluation_id")),
        agent=agent,
        model=model,
        digest=agent_digest(agent, configuration),
        harness=_known(library.get("name")),
        harness_version=_known(library.get("version")),
        results=tuple(_result(entry) for entry in results),
        samples_file=(text(samples.get("file_path")) or "").replace("\\", "/").rpartition("/")[2] or None,
        samples=samples["total_rows"] if isinstance(samples.get("total_rows"), int) else None,
        checksum=text(samples.get("checksum")) if samples.get("hash_algorithm") == "sha256" else None,
    )


def unknown_evaluation(id_: str | None, model: str, name: str) -> Evaluation:
    """Return what is known of samples without an aggregate."""
    return Evaluation(name, id_, model, model, agent_digest(model), None, None, (), None, None, None)


def _known(value: Any) -> str | None:
    found = text(value)
    return None if found in _UNKNOWN else found


def _result(entry: dict[str, Any]) -> Result:
    metric, source = object_of(entry.get("metric_config")), object_of(entry.get("source_data"))
    name = text(entry.get("evaluation_name"))
    dataset = _known(source.get("dataset_name"))
    return Result(
        id=text(entry.get("evaluation_result_id")),
        name=name or dataset or "unnamed",
        metric=text(metric.get("metric_name"))
        or text(metric.get("metric_id"))
        or text(metric.get("evaluation_description")),
        dataset=dataset,
        version=text(source.get("hf_revision")) or text(source.get("source_version")),
        score=number(object_of(entry.get("score_details")).get("score")),
        unit=text(metric.get("metric_unit")),
        lower=truth(metric.get("lower_is_better")) or False,
        least=number(metric.get("min_score")),
        most=number(metric.get("max_score")),
        unknown_is=-1.0 if truth(metric.get("has_unknown_level")) else None,
    )


def labels(results: tuple[Result, ...]) -> list[str]:
    """Name each result apart: by the evaluation, where several share it by the metric too, else by its place."""
    names = [result.name for result in results]
    named = [
        f"{result.name} [{result.metric}]" if result.metric and names.count(result.name) > 1 else result.name
        for result in results
    ]
    return [
        label if named.count(label) == 1 else f"{label} #{named[:place].count(label) + 1}"
        for place, label in enumerate(named)
    ]
