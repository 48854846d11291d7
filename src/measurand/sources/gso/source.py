"""Source ``gso``: reports of GSO (Global Software Optimization), one JSON file a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError, InputError
from measurand.model.digests import agent_digest
from measurand.model.imports import Declaration
from measurand.model.outcomes import Verdict
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.model.trial import Trial
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.gso.reports import (
    MANIFEST,
    REPORT,
    Report,
    kind_of,
    read_manifest,
    read_report,
    speedup,
)
from measurand.sources.reading.folder_files import files_below, name_below, some_files
from measurand.sources.reading.loose_values import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    import polars as pl

__all__ = ["GsoSource"]

_SUITE: Final = "gso"
_OWN: Final = "gm_speedup_patch_base"
_EXPERT: Final = "gm_speedup_commit_base"
_HEADLINES: Final = {
    "score": ("opt@{k}", "percent"),
    "score_hack_control": ("opt@{k} without hacks", "percent"),
    "passed_instances": ("tests passed", ""),
    "passed": ("tests passed", ""),
    "opt_base": ("faster than the unpatched code", ""),
    "opt_commit": ("as fast as the expert's commit", ""),
}
"""Key of a summary -> what it states, and its unit."""


class GsoSource:
    """Reads ``reports/MODEL.json``, the harness's ``MODEL.RUN.report.json`` and, for headline numbers, ``manifest.json``."""

    name = "gso"
    title = "GSO: reports (instance_sets, opt_stats), one a model, and their manifest"

    def sniff(self, path: Path) -> Match | None:
        """Claim a report, or a folder that holds reports or the manifest (at its top or one folder below)."""
        kinds = {kind_of(file) for file in some_files(path, ".json")}
        wanted = {REPORT} if path.is_file() else {REPORT, MANIFEST}
        return Match(95, "GSO's reports with instance_sets and opt_commit") if kinds & wanted else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each report and each instance that any report of the import names. Heeds suite.

        Raises:
            FormatError: no report at ``path``, or one that cannot be read.
            ValueRangeError: a set that holds something else than ids.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        suite = options.suite or _SUITE
        reports = list(_reports(path, log))
        if not reports:
            raise FormatError(
                "no report of GSO",
                where=str(path),
                hint="expected JSON files with instance_sets and opt_stats",
            )
        instances = sorted({instance for report in reports for instance in report.instances})
        total = max(report.total or 0 for report in reports)
        log.declarations.append(
            Declaration(suite=suite, tasks=max(total, len(instances)), trials=1, absent_is_fail=True)
        )
        for report in reports:
            for what in report.disagreements():
                log.add("note", f"the summary and the sets disagree: {what}", report.name)
            log.rows_read += len(instances)
            yield trials_frame(_trial(report, instance, suite, log) for instance in instances)

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield what the summaries of the reports, and of the manifest for these reports, state."""
        log = ImportLog(self.name, str(path))
        known = {}
        for report in _reports(path, log):
            known[report.model] = report
            yield from _headlines(report.agent, report.k, report.summary, f"{report.name}: summary")
        for file in files_below(path, log, ".json"):
            if kind_of(file) == MANIFEST:
                manifest = read_manifest(file, name_below(file, path))
                for model, summary in manifest.summaries.items():
                    if of := known.get(model):
                        where = f"{manifest.name}: models.{model}.summary"
                        yield from _headlines(of.agent, of.k, summary, where)


def _headlines(agent: str, k: int, summary: Mapping[str, Any], where: str) -> Iterator[Stated]:
    for key, (name, unit) in _HEADLINES.items():
        value = number(summary.get(key))
        if value is not None:
            yield Stated(agent=agent, name=name.format(k=k), value=value, unit=unit, where=f"{where}.{key}")


def _reports(path: Path, log: ImportLog) -> Iterator[Report]:
    """Reports in the order of their names; a damaged one among others is dropped."""
    for file in files_below(path, log, ".json"):
        name, kind = name_below(file, path), kind_of(file)
        if kind is None and file != path:
            log.add("note", "JSON file that is no report: not read", name)
        elif kind != MANIFEST or file == path:
            try:
                yield read_report(file, name)
            except InputError as error:
                if file == path:
                    raise
                log.rows_read += 1
                log.add("dropped", f"report that cannot be read: {error.what}", error.where or name)


def _trial(report: Report, instance: str, suite: str, log: ImportLog) -> Trial:
    where = f"{report.name}: {instance}"
    ending, stats = report.ending(instance), report.stats.get(instance)
    own = speedup(stats, _OWN)
    if own is None and ending.verdict is Verdict.PASS:
        log.add("note", "the tests pass and no speed-up is published (it is less than the expert's)", where)
    return Trial(
        suite=suite,
        task=instance,
        agent=report.agent,
        agent_digest=agent_digest(report.agent, {"k": report.k} if report.k > 1 else None),
        model_requested=report.model,
        trial="1",
        job=report.run,
        outcome=ending.outcome,
        reason=ending.reason,
        verdict=ending.verdict,
        verdicts=report.verdicts(instance),
        quantity=own,
        unit="x",
        better="higher",
        kind="ratio",
        reference=speedup(stats, _EXPERT),
        harness=_SUITE,
        source=GsoSource.name,
        source_ref=where,
    )
