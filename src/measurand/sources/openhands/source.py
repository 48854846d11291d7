"""Source ``openhands``: ``output.jsonl`` of OpenHands's evaluations with their results, and lists of its events."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.stated import Stated
from measurand.model.table import trials_frame
from measurand.sources.base import ImportLog, Match, ReadOptions, refuse_options
from measurand.sources.openhands.output import is_output
from measurand.sources.openhands.reader import Reader, is_events
from measurand.sources.reading.capped_files import is_inside
from measurand.sources.reading.folder_files import name_below, some_files
from measurand.sources.reading.json_files import head, read_json
from measurand.sources.reading.loose_values import number, object_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["OpenHandsSource"]

_BATCH: Final = 500


class OpenHandsSource:
    """Reads what OpenHands's evaluations write, with the reports that lie beside it; and single lists of events."""

    name = "openhands"
    title = "OpenHands: output.jsonl of evaluations, with reports beside it; lists of events (trajectories)"

    def sniff(self, path: Path) -> Match | None:
        """Claim an output, a list of events, or a folder that holds one of them."""
        output = next((file for file in some_files(path, ".jsonl") if is_output(head(file))), None)
        if output is not None:
            return Match(97, f"lines with instance_id, test_result and history: {output.name}")
        found = next((file for file in some_files(path, ".json") if is_events(file)), None)
        return Match(93, f"list of OpenHands's events: {found.name}") if found else None

    def read(self, path: Path, options: ReadOptions, log: ImportLog) -> Iterator[pl.DataFrame]:
        """Yield one trial for each instance of an output, and for each list of events. Heeds ``suite``.

        Raises:
            FormatError: neither of them at ``path``.
        """
        refuse_options(options, self.name, "mapping", "constants", "outcomes", "anchors", "tasks")
        trials = Reader(path, options, log).trials()
        empty = True
        while batch := list(islice(trials, _BATCH)):
            empty = False
            yield trials_frame(batch)
        if empty:
            raise FormatError(
                "no output and no events of OpenHands that can be read",
                where=str(path),
                hint="expected output.jsonl with instance_id and test_result, or a JSON list of events",
            )

    def stated(self, path: Path) -> Iterator[Stated]:
        """Yield the shares of resolved instances that reports beside outputs state.

        Raises:
            FormatError: a report that is not JSON.
        """
        log = ImportLog(self.name, str(path))
        reader = Reader(path, ReadOptions(), log)
        for output in reader.outputs():
            agents = {attempt.setup.agent for attempt in reader.attempts(output.file, log)}
            beside = (output.file.parent / "report.json", output.file.with_suffix(".report.json"))
            reports = [file for file in beside if path.is_dir() and file.is_file() and is_inside(file, path)]
            for file in reports if len(agents) == 1 else []:
                where = name_below(file, path)
                content = object_of(read_json(file, where))
                resolved, total = (number(content.get(f"{name}_instances")) for name in ("resolved", "total"))
                if resolved is not None and total:
                    yield Stated(
                        agent=next(iter(agents)),
                        name="resolved",
                        value=100 * resolved / total,
                        unit="percent",
                        where=f"{where}: resolved_instances of total_instances",
                    )
