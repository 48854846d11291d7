"""Shares of resolved instances, and costs, that SWE-bench's files state themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from measurand.model.stated import Stated
from measurand.sources.base import ImportLog
from measurand.sources.reading.folder_files import files_below, name_below
from measurand.sources.reading.json_files import head, read_json
from measurand.sources.reading.loose_values import list_of, number, object_of, text
from measurand.sources.swebench.names import SIZES, read_metadata, report_names, split_of_folder
from measurand.sources.swebench.tree import is_below, metadata_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["stated_below"]

_OF_BOARDS: Final = {"resolved": ("resolved", "percent"), "instance_cost": ("cost per instance", "USD")}
"""Key of an entry of a leaderboard -> name and unit."""


def stated_below(root: Path) -> Iterator[Stated]:
    """Yield what leaderboards, reports and results below ``root`` state.

    Raises:
        FormatError: one of them cannot be read.
    """
    log = ImportLog("swebench", str(root))
    for file in files_below(root, log, ".json"):
        where, start = name_below(file, root), head(file)
        if b'"leaderboards"' in start and b'"folder"' in start:
            yield from _of_boards(object_of(read_json(file, where)), where)
        elif b'"resolved_instances"' in start and b'"total_instances"' in start:
            yield from _of_report(file, object_of(read_json(file, where)), where)
        elif file.name == "results.json" and file.parent.name == "results" and b'"resolved"' in start:
            yield from _of_results(file, root, where, log)


def _of_boards(content: dict[str, Any], where: str) -> Iterator[Stated]:
    for board in map(object_of, list_of(content.get("leaderboards"))):
        for entry in map(object_of, list_of(board.get("results"))):
            agent = text(entry.get("folder")) or text(entry.get("name"))
            for key, (name, unit) in _OF_BOARDS.items():
                value = number(entry.get(key))
                if agent and value is not None:
                    place = f"{where}: {text(board.get('name')) or 'leaderboard'}: {agent}: {key}"
                    yield Stated(agent=agent, name=name, value=value, unit=unit, where=place)


def _of_report(file: Path, content: dict[str, Any], where: str) -> Iterator[Stated]:
    """A report's share of all instances of its data set."""
    resolved, total = number(content.get("resolved_instances")), number(content.get("total_instances"))
    if resolved is not None and total:
        yield Stated(
            agent=report_names(file.stem).agent,
            name="resolved",
            value=100 * resolved / total,
            unit="percent",
            where=f"{where}: resolved_instances of total_instances",
        )


def _of_results(file: Path, root: Path, where: str, log: ImportLog) -> Iterator[Stated]:
    """Length of the list of resolved instances, as a share of the split, where its size is known."""
    folder = file.parent.parent
    base = root if root.is_dir() and is_below(folder, root) else folder
    suite = split_of_folder(folder.parent) or read_metadata(metadata_file(folder, base), where, log).suite
    resolved = object_of(read_json(file, where)).get("resolved")
    if isinstance(resolved, list) and suite in SIZES:
        listed = len({one for one in resolved if isinstance(one, str)})
        yield Stated(
            agent=folder.name,
            name="resolved",
            value=100 * listed / SIZES[suite],
            unit="percent",
            where=f"{where}: resolved",
        )
