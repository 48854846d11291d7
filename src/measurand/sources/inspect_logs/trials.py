"""Samples of Inspect AI become trials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError, MappingError, UsageError
from measurand.model.digests import task_digest
from measurand.model.trial import Trial
from measurand.sources.inspect_logs.agents import content_digest, evaluation
from measurand.sources.inspect_logs.decode import decode_heads
from measurand.sources.inspect_logs.events import Told, events
from measurand.sources.inspect_logs.outcomes import ending
from measurand.sources.inspect_logs.scores import Judge, number
from measurand.sources.inspect_logs.usage import flat, meters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from measurand.model.imports import NoteKind
    from measurand.sources.base import ImportLog, ReadOptions
    from measurand.sources.inspect_logs.files import Loaded, OpenLog, Record
    from measurand.sources.inspect_logs.records import Sample, Score
    from measurand.sources.inspect_logs.scores import Judgement

    Tell = Callable[[NoteKind, str], None]

__all__ = ["NAME", "Read", "trials_of"]

NAME: Final = "inspect"
_HARNESS: Final = "inspect_ai"
_NUMBERS: Final = ("quantity", "baseline", "reference", "confidence", "official_score")
_CONSTANTS: Final = ("unit", "better", "kind", "baseline", "reference")


class Read(NamedTuple):
    """A sample as a trial."""

    trial: Trial
    uuid: str | None
    """The sample run; copies of it have the same."""
    failed: bool
    """Whether it ended with an error, so that a retry runs it again."""


def trials_of(opened: OpenLog, options: ReadOptions, log: ImportLog) -> Iterator[Read]:
    """Yield the trials of a log, in the order of its samples. What is damaged is dropped and said.

    Raises:
        MappingError: a score or metadata that the user names is in no sample.
    """
    reader = _Reader(opened, options, log)
    for record in opened.records():
        log.rows_read += 1
        try:
            found = reader.read(record)
        except FormatError as error:
            log.add("dropped", "sample that cannot be read", f"{error.where or record.where}: {error.what}")
        except RecursionError:
            log.add("dropped", "sample that cannot be read", f"{record.where}: nested too deeply")
        else:
            yield found
    reader.refuse_unmatched()


class _Reader:
    """Reads the samples of one log."""

    def __init__(self, opened: OpenLog, options: ReadOptions, log: ImportLog) -> None:
        self.where = opened.where
        self.of_all = evaluation(opened.header)
        self.judge = Judge(opened.header, options.mapping)
        self.judge.learn(opened.scores())
        self.options = options
        self.constants = _constants(options)
        self.log = log
        self.unmatched: set[str] | None = None
        """Fields of the mapping that no sample has had, once there was one."""

    def read(self, record: Record) -> Read:
        loaded = record.load()
        sample = loaded.decoded.record

        def tell(kind: NoteKind, what: str) -> None:
            self.log.add(kind, what, record.where)

        self._tell_how_decoded(loaded, tell)
        scores = _scores(sample)
        judged = self.judge.judge(scores)
        for kind, what in judged.notes:
            tell(kind, what)
        if not judged.scored and sample.error is None:
            tell("note", "sample without a score: no verdict")
        heads = [head for part in loaded.events() for head in flat(decode_heads(part, record.where))]
        end = ending(sample, heads, judged, self.options.outcomes)
        told = Told(self.of_all, end, record.where)
        fields = self._identity(sample, record) | self._graded(sample, judged, tell)
        trial = Trial(
            **fields,
            **meters(sample, heads, tell),
            outcome=end.outcome.value,
            reason=end.reason,
            verdict=end.verdict.value if end.verdict else None,
            verdicts=judged.verdicts or None,
            model_served=sample.output.model if sample.output and sample.output.choices else None,
            environment_digest=_environment(sample.sandbox or self.of_all.sandbox),
            trace_digest=self.log.trace(lambda: events(loaded, told)),
        )
        return Read(trial, sample.uuid, failed=sample.error is not None)

    def refuse_unmatched(self) -> None:
        if self.unmatched:
            name = min(self.unmatched)
            raise MappingError(
                f"no sample has {self.options.mapping[name]!r}, which --map {name} names",
                where=self.where,
                hint="name a score, SCORER.KEY, SCORER.metadata.KEY, or metadata.KEY of the sample",
            )

    def _tell_how_decoded(self, loaded: Loaded, tell: Tell) -> None:
        for name in loaded.decoded.unusable:
            tell("unknown", f"{name} of the wrong type")
        if loaded.decoded.replaced:
            tell("note", "bytes that are not UTF-8 were replaced")

    def _identity(self, sample: Sample, record: Record) -> dict[str, Any]:
        of_all = self.of_all
        family = sample.metadata.get("family")
        return {
            "suite": of_all.suite,
            "suite_version": of_all.suite_version,
            "task": str(sample.id),
            "task_digest": content_digest(sample),
            "family": family if isinstance(family, str) else None,
            "agent": of_all.agent,
            "agent_digest": of_all.agent_digest,
            "model_requested": of_all.model,
            "trial": str(sample.epoch),
            "job": of_all.job,
            "seed": of_all.seed,
            "harness": _HARNESS,
            "harness_version": of_all.harness_version,
            "source": NAME,
            "source_ref": record.where,
        }

    def _graded(self, sample: Sample, judged: Judgement, tell: Tell) -> dict[str, Any]:
        """Numbers, and what the user takes from scores and metadata."""
        columns = self.judge.columns(_scores(sample), sample.metadata)
        missing = set(self.options.mapping) - columns.keys()
        self.unmatched = missing if self.unmatched is None else self.unmatched & missing
        fields: dict[str, Any] = {"official_score": judged.number} | self.constants
        for name in columns.keys() & _NUMBERS:
            fields[name] = number(columns[name])
            if fields[name] is None and columns[name] is not None:
                tell("unknown", f"{name} that is no number")
        if isinstance(family := columns.get("family"), (str, int)):
            fields["family"] = str(family)
        return fields


def _scores(sample: Sample) -> dict[str, Score]:
    if sample.scores is None and sample.score is not None:
        return {"score": sample.score}
    return sample.scores or {}


def _constants(options: ReadOptions) -> dict[str, Any]:
    """Fields that have one value in all trials.

    Raises:
        UsageError: a field that cannot be given so, or a number that is none.
    """
    fields: dict[str, Any] = {}
    for name, value in options.constants.items():
        if name not in _CONSTANTS:
            raise UsageError(
                f"--set {name}=... has no place in a log of Inspect AI",
                hint=f"one of: {', '.join(_CONSTANTS)}",
            )
        fields[name] = number(value) if name in _NUMBERS else value
        if fields[name] is None:
            raise UsageError(f"--set {name}={value}: not a number")
    return fields


def _environment(sandbox: Any) -> str | None:
    """Digest of the sandbox's type and configuration: all that a log says of the environment."""
    return task_digest({"sandbox": sandbox}) if sandbox else None
