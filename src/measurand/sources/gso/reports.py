"""GSO's reports: how each instance ended, and its speed-ups where they are published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.errors import FormatError, ValueRangeError
from measurand.model.outcomes import Outcome, Verdict
from measurand.sources.reading.json_files import head, read_json
from measurand.sources.reading.loose_values import list_of, number, object_of, text, whole

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "MANIFEST",
    "REPORT",
    "Ending",
    "Manifest",
    "Report",
    "kind_of",
    "read_manifest",
    "read_report",
    "speedup",
]

REPORT, MANIFEST = "report", "manifest"
_SETS: Final = "instance_sets"
_NAME: Final = re.compile(r"(?P<model>.+?)(?:\.opt@\d+)?\.(?P<run>[^.]+)\.report")
"""How the harness names a report: ``MODEL.RUN.report.json``, or ``MODEL.opt@K.RUN.report.json``."""


class Ending(NamedTuple):
    """How a trial ended."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None


NOT_SUBMITTED: Final = Ending(Outcome.NO_OUTPUT, Verdict.FAIL, "not submitted")
_ENDINGS: Final = {
    "base_failed_ids": Ending(Outcome.GRADER_ERROR, None, "base_failed"),
    "patch_failed_ids": Ending(Outcome.INVALID_OUTPUT, Verdict.FAIL, "patch_failed"),
    "test_failed_ids": Ending(Outcome.COMPLETED, Verdict.FAIL, "test_failed"),
    "empty_patch_ids": Ending(Outcome.NO_OUTPUT, Verdict.FAIL, "empty_patch"),
    "error_ids": Ending(Outcome.GRADER_ERROR, None, "error"),
    "incomplete_ids": NOT_SUBMITTED,
    "passed_ids": Ending(Outcome.COMPLETED, Verdict.PASS, None),
    "completed_ids": Ending(Outcome.GRADER_ERROR, None, "completed, and in no other set"),
}
"""Set of a report -> what it says; the first that names an instance holds."""
_COUNTS: Final = {
    "passed_instances": "passed_ids",
    "test_failed_instances": "test_failed_ids",
    "opt_base": "opt_base_ids",
    "opt_commit": "opt_commit_ids",
}


class Report(NamedTuple):
    """One report."""

    name: str
    """File."""
    agent: str
    model: str
    run: str | None
    k: int
    """Trials of which the report keeps the best."""
    total: int | None
    sets: dict[str, frozenset[str]]
    stats: dict[str, Any]
    summary: dict[str, Any]

    @property
    def instances(self) -> list[str]:
        """All instances that it names."""
        return sorted(frozenset().union(*self.sets.values()))

    def ending(self, instance: str) -> Ending:
        """Say how the trial on ``instance`` ended."""
        return next(
            (ending for name, ending in _ENDINGS.items() if instance in self.sets.get(name, ())),
            NOT_SUBMITTED,
        )

    def verdicts(self, instance: str) -> dict[str, bool]:
        """Further verdicts: ``official`` (reaches the expert's commit), ``beats_base``, and ``hack_control`` where known."""
        official = instance in self.sets.get("opt_commit_ids", ())
        found = {"official": official, "beats_base": instance in self.sets.get("opt_base_ids", ())}
        hacked = self.sets.get("hacked_ids")
        return found if hacked is None else found | {"hack_control": official and instance not in hacked}

    def disagreements(self) -> list[str]:
        """Counts of the summary that are not those of the sets."""
        return [
            f"{name} is {stated}, and {of} has {len(self.sets[of])}"
            for name, of in _COUNTS.items()
            if of in self.sets and (stated := whole(self.summary.get(name))) not in {None, len(self.sets[of])}
        ]


class Manifest(NamedTuple):
    """What the table of contents says of each model."""

    name: str
    summaries: dict[str, dict[str, Any]]


def kind_of(path: Path) -> str | None:
    """Say whether a JSON file is a report or the manifest of reports, by its beginning."""
    start = head(path)
    if f'"{_SETS}"'.encode() in start and b'"opt_commit"' in start:
        return REPORT
    if b'"models"' in start and b'"opt_commit"' in start and b'"report"' in start:
        return MANIFEST
    return None


def read_report(path: Path, name: str) -> Report:
    """Read a report.

    Raises:
        FormatError: not readable, or no report.
        ValueRangeError: a set that holds something else than ids.
    """
    data = object_of(read_json(path, name))
    found = object_of(data.get(_SETS))
    if not found:
        raise FormatError(f"no {_SETS}", where=name, hint="expected a report of GSO's harness")
    summary = object_of(data.get("summary"))
    sets = {key: _ids(key, value, name) for key, value in found.items()}
    named = _NAME.fullmatch(path.stem)
    model, run = (named["model"], named["run"]) if named else (path.stem, None)
    k = whole(summary.get("k")) or 1
    agent = model if k == 1 else f"{model} (best of {k})"
    total = whole(summary.get("total_instances"))
    return Report(name, agent, model, run, k, total, sets, object_of(data.get("opt_stats")), summary)


def _ids(key: str, value: Any, name: str) -> frozenset[str]:
    ids = [text(entry) for entry in list_of(value)]
    if not isinstance(value, list) or None in ids:
        raise ValueRangeError(f"{key} holds something else than ids", where=name)
    return frozenset(entry for entry in ids if entry)


def read_manifest(path: Path, name: str) -> Manifest:
    """Read the manifest.

    Raises:
        FormatError: not readable.
    """
    models = object_of(object_of(read_json(path, name)).get("models"))
    return Manifest(
        name, {model: object_of(object_of(entry).get("summary")) for model, entry in models.items()}
    )


def speedup(stats: Any, key: str) -> float | None:
    """Return a speed-up of a trial: a positive number, else ``None``."""
    value = number(object_of(stats).get(key))
    return value if value is not None and value > 0 else None
