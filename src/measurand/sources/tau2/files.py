"""The layouts in which tau2 saves results: one file, a bare list, or a header with a file for each simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from measurand.sources.reading.folder_files import files_below
from measurand.sources.reading.json_files import head
from measurand.sources.reading.json_lists import Entry, read_list, read_object
from measurand.sources.reading.loose_values import list_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["Kind", "Results", "kind_of", "open_results"]

Kind = Literal["results", "list", "submission"]

_FOLDER: Final = "simulations"
_HEADER: Final = (b'"info"', b'"agent_info"', b'"user_info"', b'"environment_info"')
_SIMULATION: Final = (b'"task_id"', b'"reward_info"', b'"messages"')
_SUBMISSION: Final = (b'"model_name"', b'"results"', b'"pass_1"')


class Results(NamedTuple):
    """Results, their simulations not read yet."""

    header: dict[str, Any]
    entries: Iterator[Entry]
    stem: str
    """Name of the file, or of the folder where the file is called ``results.json``."""
    where: str


def kind_of(file: Path) -> Kind | None:
    """Say what of tau2 a file is, by its beginning."""
    start = head(file)
    if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
        listed = all(mark in start for mark in _SIMULATION) and b'"traj"' not in start
        return "list" if listed else None
    if all(mark in start for mark in _HEADER):
        return "results"
    return "submission" if all(mark in start for mark in _SUBMISSION) else None


def open_results(
    file: Path, kind: Literal["results", "list"], where: str, log: ImportLog, links: ImportLog
) -> Results:
    """Read a header and find its simulations.

    Args:
        file: the file.
        kind: its layout.
        where: how notes and errors name it.
        log: told what only the index knows.
        links: told of links among the files of simulations; another log where the search of a folder tells of them.

    Raises:
        FormatError: not readable, or no JSON object.
    """
    stem = file.parent.resolve().name if file.name == "results.json" else file.stem
    if kind == "list":
        return Results({}, read_list(file, None, where).entries, stem, where)
    found = read_list(file, "simulations", where)
    folder = file.parent / _FOLDER
    if found.objects or "simulations" in found.rest or not (folder.is_dir() or _index(found.rest)):
        return Results(found.rest, found.entries, stem, where)
    return Results(found.rest, _single_files(folder, found.rest, where, log, links), stem, where)


def _index(header: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Summaries of the simulations, by id."""
    entries = [one for one in list_of(header.get("simulation_index")) if isinstance(one, dict)]
    return {name: one for one in entries if (name := text(one.get("id"))) is not None}


def _single_files(
    folder: Path, header: dict[str, Any], where: str, log: ImportLog, links: ImportLog
) -> Iterator[Entry]:
    """The simulations in ``folder``, then those that only the index knows."""
    index = _index(header)
    outside = not folder.resolve().is_relative_to(folder.parent.resolve())
    if outside:
        log.add("note", "link that leaves the folder: not followed", f"{where}: {_FOLDER}")
    for file in [] if outside or not folder.is_dir() else files_below(folder, links, ".json"):
        index.pop(file.stem, None)
        yield read_object(file, f"{where}: {_FOLDER}/{file.name}")
    for name, summary in index.items():
        log.add("note", "simulation without its file: read from the index", f"{where}: {name}")
        yield Entry(f"{where}: {name}", summary)
