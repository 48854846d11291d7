"""Source ``swebench``: SWE-bench's tree of submissions, and the reports and logs of its harness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.errors import FormatError
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.swebench.join import join_runs
from measurand.sources.swebench.names import Metadata, read_metadata, report_names, split_of_folder
from measurand.sources.swebench.records import Unit, read_details, read_instance, read_lists, read_log
from measurand.sources.swebench.rows import declare, instances, read_task_ids, rows
from measurand.sources.swebench.stated import stated_below
from measurand.sources.swebench.trajectories import find_trajectories, neighbours, read_runs
from measurand.sources.swebench.tree import DETAILS, RESULTS, Found, find, is_below, metadata_file, recognise

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from measurand.model.stated import Stated

__all__ = ["SwebenchSource", "read_with_trajectories"]


class SwebenchSource:
    """Reads what SWE-bench's experiments repository, its harness and sb-cli write, and trajectories that lie with it."""

    name = "swebench"
    title = (
        "SWE-bench: tree of submissions (results.json, per_instance_details.json), harness reports and logs"
    )

    def sniff(self, path: Path) -> Match | None:
        """Claim a tree, a submission, a report, or a folder of reports or logs."""
        try:
            what = recognise(path)
        except OSError:
            return None
        return Match(95, f"SWE-bench: {what}") if what else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each submission and instance. Heeds suite (where the data do not say) and tasks.

        Raises:
            FormatError: nothing of SWE-bench at ``path``, or a file that cannot be read.
            ValueRangeError: a value of the wrong type, or more instances than the suite has tasks.
        """
        yield from read_with_trajectories(path, options, log, self.name)

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the shares of resolved instances that results, reports and leaderboards state.

        Raises:
            FormatError: a file that cannot be read.
        """
        yield from stated_below(path.resolve())


def read_with_trajectories(
    path: Path, options: ReadOptions, log: ImportLog, source: str
) -> Iterator[pl.DataFrame]:
    """Yield the trials of results, of trajectories, and of both where they belong together.

    Args:
        path: file or folder.
        options: suite and tasks are heeded, others refused.
        log: of the import.
        source: name of the source that reads.

    Raises:
        FormatError: neither results nor trajectories, or results that cannot be read.
        ValueRangeError: a value of the wrong type, or more instances than the suite has tasks.
    """
    refuse_options(options, source, "mapping", "constants", "outcomes", "anchors")
    only = read_task_ids(options.tasks) if options.tasks else None
    units = _Reader(path.resolve(), options, log).units()
    ids = instances(units, only, log)
    declare(units, only, log)
    yield from rows(units, ids, only, source, log)


class _Reader:
    """Reads all files of one import, and gathers those of one submission."""

    def __init__(self, root: Path, options: ReadOptions, log: ImportLog) -> None:
        self.root = root
        self.base = root if root.is_dir() else root.parent
        self.options = options
        self.log = log
        self.found: dict[tuple[str, str, str | None], Unit] = {}

    def units(self) -> list[Unit]:
        read = {
            "submission": self._submission,
            "report": self._report,
            "instance": self._instance,
            "unreported": self._instance,
        }
        files = find_trajectories(self.root, self.log)
        others = {*files, *neighbours(files)}
        for place in [] if self.root in others else find(self.root, self.log, others):
            read[place.kind](place)
        units = list(self.found.values())
        self.log.rows_read += sum(len(file.records) for unit in units for file in unit.files)
        runs = read_runs(files, self.root, self.log)
        units = join_runs(units, runs, self.base, self.options.suite, self.log)
        if not units:
            raise FormatError(
                "no results of SWE-bench, and no trajectories that can be read",
                where=str(self.root),
                hint=f"expected SUBMISSION/{RESULTS}, SUBMISSION/{DETAILS}, or reports of the harness (*.json)",
            )
        return units

    def _submission(self, place: Found) -> None:
        folder = place.path
        base = self.base if is_below(folder, self.base) else folder
        where = self._where(folder, base)
        file = metadata_file(folder, base)
        metadata = read_metadata(file, self._where(file, base) if file else where, self.log)
        suite = self._suite(split_of_folder(folder.parent) or metadata.suite, where)
        unit = self._unit(Unit(suite, folder.name, None, padded=True, folder=folder), metadata)
        if unit.files:
            self.log.add("note", "submission in two folders: read as one", where)
        if (results := folder / RESULTS).is_file() and is_below(results, base):
            unit.files.append(read_lists(results, self._where(results, base), self.log, resolved="resolved"))
        if (details := folder / DETAILS).is_file() and is_below(details, base):
            unit.files.append(read_details(details, self._where(details, base)))

    def _report(self, place: Found) -> None:
        where = self._where(place.path, self.base)
        named = report_names(place.path.stem)
        suite = self._suite(named.suite or self._folder_suite(place.path.parent), where)
        unit = self._unit(Unit(suite, named.agent, named.job, padded=False))
        unit.files.append(read_lists(place.path, where, self.log, resolved="resolved_ids"))

    def _instance(self, place: Found) -> None:
        where = self._where(place.path, self.base)
        model = place.path.parent.parent
        run = model.parent
        suite = self._suite(self._folder_suite(run.parent), where)
        unit = self._unit(Unit(suite, model.name, run.name or None, padded=False))
        unit.files.append((read_log if place.kind == "unreported" else read_instance)(place.path, where))

    def _unit(self, unit: Unit, metadata: Metadata | None = None) -> Unit:
        known = self.found.setdefault((unit.suite, unit.agent, unit.job), unit)
        if metadata and metadata.models and not known.models:
            known.models = metadata.models
        return known

    def _folder_suite(self, folder: Path) -> str | None:
        """Suite after the folder of a report; a folder called ``test`` says nothing there."""
        return None if folder.name == "test" else split_of_folder(folder)

    def _suite(self, said: str | None, where: str) -> str:
        wanted = self.options.suite
        if said is None:
            if wanted is None:
                self.log.add("note", "the data do not say which split: give it with --suite", where)
            return wanted or "swebench"
        if wanted not in {None, said}:
            self.log.add("note", f"the data say {said}: --suite {wanted} is not used", where)
        return said

    def _where(self, path: Path, base: Path) -> str:
        return path.name if path == base else str(path.relative_to(base))
