"""Source ``every_eval_ever``: the shared format of evaluations, aggregate JSON and samples as JSON Lines."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from measurand.errors import FormatError, InputError
from measurand.model.outcomes import Outcome
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.every_eval_ever.logs import (
    Evaluation,
    Result,
    is_aggregate,
    is_samples,
    labels,
    read_aggregate,
    unknown_evaluation,
)
from measurand.sources.every_eval_ever.samples import Index, Sample, ended, tokens_of
from measurand.sources.every_eval_ever.trace import events, model_calls
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.json_lines import Line, read_lines
from measurand.sources.reading.loose_values import number, object_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["EveryEvalEverSource"]

_BATCH: Final = 2_000
_AGGREGATE: Final = "aggregate"
"""Id of the trial that is a mean of trials which the data do not list."""


class EveryEvalEverSource:
    """Reads ``<uuid>.json`` (schema ``eval.schema.json`` 0.2) and ``<uuid>_samples.jsonl`` beside it."""

    name = "every_eval_ever"
    title = "Every Eval Ever: aggregate JSON (model_info, evaluation_results) and samples as JSON Lines"

    def sniff(self, path: Path) -> Match | None:
        """Claim an aggregate, a file of samples, or a folder that holds some (at its top or one folder below)."""
        files = some_files(path, ".json", ".jsonl")
        if any(is_samples(file) if file.suffix.lower() == ".jsonl" else is_aggregate(file) for file in files):
            return Match(95, "model_info and evaluation_results, or samples of Every Eval Ever")
        return None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each sample; for an evaluation without samples one row for each of its results.

        Heeds suite, where the data name no data set.

        Raises:
            FormatError: nothing of Every Eval Ever at ``path``, or not readable.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        files = _find(path, log)
        if not files.aggregates and not files.samples:
            raise FormatError(
                "nothing of Every Eval Ever",
                where=str(path),
                hint="expected <uuid>.json with evaluation_results, or <uuid>_samples.jsonl",
            )
        with_samples = set()
        for file in files.samples:
            evaluation = files.evaluation_of(file)
            with_samples.add(evaluation.file)
            yield from _Samples(file, name_below(file, files.root), evaluation, options.suite, log).read()
        for evaluation in files.aggregates.values():
            if evaluation.file not in with_samples:
                yield from _aggregate_rows(evaluation, options.suite, log)

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the scores of the aggregates."""
        for evaluation in _find(path, ImportLog(self.name, str(path))).aggregates.values():
            named = zip(evaluation.results, labels(evaluation.results), strict=True)
            for place, (result, label) in enumerate(named):
                if result.score is not None:
                    yield Stated(
                        agent=evaluation.agent,
                        name=label,
                        value=result.score,
                        unit=result.unit or "",
                        where=f"{evaluation.file}: evaluation_results[{place}].score_details.score",
                    )


class _Files(NamedTuple):
    root: Path
    aggregates: dict[Path, Evaluation]
    samples: list[Path]

    def evaluation_of(self, file: Path) -> Evaluation:
        """Aggregate of a file of samples: the one that names it, or bears its name, in the same folder; else by the id."""
        beside = {of: evaluation for of, evaluation in self.aggregates.items() if of.parent == file.parent}
        stem = file.stem.removesuffix("_samples")
        for of, evaluation in beside.items():
            if evaluation.samples_file == file.name or of.stem == stem:
                return evaluation
        name = name_below(file, self.root)
        first = next((line.value for line in read_lines(file, name) if line.value), {})
        id_ = text(first.get("evaluation_id"))
        known = (one for one in self.aggregates.values() if id_ and one.id == id_)
        return next(known, None) or unknown_evaluation(id_, text(first.get("model_id")) or "unknown", name)


def _find(path: Path, log: ImportLog) -> _Files:
    """Find aggregates and samples; a file named alone brings its other half from its folder."""
    files = _Files(path, {}, [])
    for file in files_below(path, log, ".json", ".jsonl"):
        _take(file, files, log)
    if path.is_file():
        for file in _other_half(path, files):
            if file.is_file() and not file.is_symlink():
                _take(file, _Files(file, files.aggregates, files.samples), log)
    return files


def _take(file: Path, files: _Files, log: ImportLog) -> None:
    name = name_below(file, files.root)
    if file.suffix.lower() == ".jsonl" and is_samples(file):
        files.samples.append(file)
    elif file.suffix.lower() != ".jsonl" and is_aggregate(file):
        try:
            files.aggregates[file] = read_aggregate(file, name)
        except InputError as error:
            if file == files.root:
                raise
            log.rows_read += 1
            log.add("dropped", f"aggregate that cannot be read: {error.what}", error.where or name)
    elif file != files.root:
        log.add("note", "file that is nothing of Every Eval Ever: not read", name)


def _other_half(path: Path, files: _Files) -> list[Path]:
    if path in files.aggregates:
        names = {files.aggregates[path].samples_file, f"{path.stem}_samples.jsonl"}
        return [path.parent / name for name in sorted(filter(None, names))][:1]
    return [path.parent / f"{path.stem.removesuffix('_samples')}.json"]


class _Samples:
    """A file of samples, read twice: to find which lines are one sample, and to make trials."""

    def __init__(
        self, path: Path, name: str, evaluation: Evaluation, suite: str | None, log: ImportLog
    ) -> None:
        self.path = path
        self.name = name
        self.evaluation = evaluation
        self.suite = suite
        self.log = log
        self.index = Index(evaluation)
        self.seen: dict[tuple[str, str], int] = {}

    def read(self) -> Iterator[pl.DataFrame]:
        self._look()
        trials: list[Trial] = []
        for line in read_lines(self.path, self.name):
            trial = self._trial(line)
            if trial is not None:
                trials.append(trial)
            if len(trials) >= _BATCH:
                yield trials_frame(trials)
                trials = []
        yield trials_frame(trials)

    def _look(self) -> None:
        digest, rows = hashlib.sha256(), 0
        for line in read_lines(self.path, self.name, digest=digest):
            rows += 1
            sample = Sample.of(line.value) if line.value else None
            if sample:
                self.index.add(sample)
        if self.evaluation.samples not in {None, rows}:
            self.log.add(
                "note",
                f"the aggregate counts {self.evaluation.samples} rows, and there are {rows}",
                self.name,
            )
        if self.evaluation.checksum not in {None, digest.hexdigest()}:
            self.log.add("note", "the file is not the one whose checksum the aggregate gives", self.name)

    def _trial(self, line: Line) -> Trial | None:
        sample = Sample.of(line.value) if line.value else None
        if line.value is None or sample is None:
            self.log.rows_read += 1
            self.log.add("dropped", line.why or "no sample_id", line.where)
            return None
        if sample.metric != self.index.main(sample):
            self.log.add("note", "further metric of a sample: a further verdict of its trial", line.where)
            return None
        self.log.rows_read += 1
        model = text(line.value.get("model_id"))
        if model != self.evaluation.model:
            self.log.add("note", f"model_id {model} is not that of the aggregate", line.where)
        result = self.evaluation.result(sample.result, sample.name)
        if result and result.unknown_is is not None and sample.score == result.unknown_is:
            sample = sample._replace(score=None)
        occurrence = self.seen.get(sample.key, 0)
        self.seen[sample.key] = occurrence + 1
        trial = self._row(line, sample, result, occurrence)
        return replace(trial, trace_digest=self.log.trace(lambda: events(object_of(line.value), trial)))

    def _row(self, line: Line, sample: Sample, result: Result | None, occurrence: int) -> Trial:
        record = object_of(line.value)
        graded = sample.metric in self.index.graded
        how, used = ended(record, sample, graded=graded), tokens_of(record)
        about, baseline, reference = self.evaluation, *(result.anchors if result else (None, None))
        verdicts = self.index.others(sample, occurrence)
        if graded and sample.correct is not None:
            verdicts |= {"official": sample.correct}
        latency = number(object_of(record.get("performance")).get("latency_ms"))
        return Trial(
            suite=(result and result.dataset) or self.suite or sample.name,
            suite_version=result.version if result else None,
            task=self.index.task(sample),
            task_digest=f"sample_hash:{sample.hash}" if sample.hash else None,
            family=sample.name if result and result.dataset not in {None, sample.name} else None,
            agent=about.agent,
            agent_digest=about.digest,
            model_requested=about.model,
            trial=text(object_of(record.get("metadata")).get("epoch")) or f"{occurrence + 1}",
            job=about.id,
            outcome=how.outcome,
            reason=how.reason,
            verdict=how.verdict,
            verdicts=verdicts or None,
            official_score=(result.official(sample.score) if result else sample.score) if graded else None,
            quantity=sample.score if graded else None,
            unit=result.unit if result and graded else None,
            better=(result.better if result else "higher") if graded else None,
            kind="interval" if graded else None,
            baseline=baseline if graded else None,
            reference=reference if graded else None,
            total_tokens=used.total,
            input_tokens=used.input,
            cached_tokens=used.cached,
            cache_write_tokens=used.written,
            output_tokens=used.output,
            reasoning_tokens=used.reasoning,
            steps=model_calls(record),
            tool_calls=whole(object_of(record.get("evaluation")).get("tool_calls_count")),
            wall_s=None if latency is None else latency / 1000,
            harness=about.harness,
            harness_version=about.harness_version,
            source=EveryEvalEverSource.name,
            source_ref=line.where,
        )


def _aggregate_rows(evaluation: Evaluation, suite: str | None, log: ImportLog) -> Iterator[pl.DataFrame]:
    """One row for each result: a mean over samples that are not there. It has a score, and no verdict of a gate."""
    trials = []
    for place, (result, label) in enumerate(zip(evaluation.results, labels(evaluation.results), strict=True)):
        where = f"{evaluation.file}: evaluation_results[{place}]"
        log.rows_read += 1
        if result.score is None or result.score == result.unknown_is:
            log.add("dropped", "result without a score", where)
            continue
        log.add("note", "aggregate without samples: one row that is a mean, its spread unknown", where)
        baseline, reference = result.anchors
        trials.append(
            Trial(
                suite=result.dataset or suite or label,
                suite_version=result.version,
                task=label,
                agent=evaluation.agent,
                agent_digest=evaluation.digest,
                model_requested=evaluation.model,
                trial=_AGGREGATE,
                job=evaluation.id,
                outcome=Outcome.COMPLETED,
                official_score=result.official(result.score),
                quantity=result.score,
                unit=result.unit,
                better=result.better,
                kind="interval",
                baseline=baseline,
                reference=reference,
                harness=evaluation.harness,
                harness_version=evaluation.harness_version,
                source=EveryEvalEverSource.name,
                source_ref=where,
            )
        )
    yield trials_frame(trials)
