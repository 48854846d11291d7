"""What stands beside the trajectories of a run: patches by instance, and how each instance ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from measurand.errors import FormatError
from measurand.sources.reading import loose_json
from measurand.sources.reading.capped_files import is_inside, read_capped
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.json_lines import read_lines
from measurand.sources.reading.loose_values import list_of, object_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["Prediction", "Status", "find_predictions", "read_predictions", "read_statuses"]

_PATCHES: Final = ("preds.json", "all_preds.jsonl")
_STATUSES: Final = ("exit_statuses_*.yaml", "run_batch_exit_statuses.yaml")
_MOST: Final = 2**28
_MOST_STATUSES: Final = 2**24
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Prediction(NamedTuple):
    """A patch, or that there is none."""

    agent: str | None
    handed_in: bool
    where: str


class Status(NamedTuple):
    """How an instance ended."""

    word: str
    starts: int
    """How many files name it: it was started again in each."""
    where: str


def find_predictions(folder: Path) -> list[Path]:
    """Files with patches or exit statuses directly in the folder of a run."""
    found = [folder / name for name in _PATCHES]
    try:
        found += sorted(path for pattern in _STATUSES for path in folder.glob(pattern))
    except OSError:
        return []
    return [path for path in found if path.is_file()]


def read_predictions(folder: Path, root: Path, log: ImportLog) -> dict[str, Prediction]:
    """Read the patches of a run by instance. A file that cannot be read is noted."""
    found: dict[str, Prediction] = {}
    for name in _PATCHES:
        path = folder / name
        if not path.is_file() or not _is_own(path, root, log):
            continue
        where = name_below(path, root)
        try:
            for instance, entry in _entries(path, where):
                patch = entry.get("model_patch")
                handed_in = isinstance(patch, str) and bool(patch.strip())
                found[instance] = Prediction(text(entry.get("model_name_or_path")), handed_in, where)
        except FormatError as error:
            log.add("note", f"patches that are not read: {error.what}", where)
    return found


def _is_own(path: Path, root: Path, log: ImportLog) -> bool:
    inside = is_inside(path, root)
    if not inside:
        log.add("note", "link that leaves the tree: not followed", name_below(path, root))
    return inside


def _entries(path: Path, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if path.suffix == ".jsonl":
        entries: list[Any] = [line.value for line in read_lines(path, where, most=_MOST)]
    else:
        content = loose_json.decode(read_capped(path, where, _MOST), where)
        named = object_of(content).items()
        entries = [{"instance_id": name, **object_of(entry)} for name, entry in named] or list_of(content)
    for entry in map(object_of, entries):
        if instance := text(entry.get("instance_id")):
            yield instance, entry


def read_statuses(folder: Path, root: Path, log: ImportLog) -> dict[str, Status]:
    """Read the exit status of each instance: the last start holds. A file that cannot be read is noted."""
    found: dict[str, Status] = {}
    for path in find_predictions(folder):
        if path.suffix != ".yaml" or not _is_own(path, root, log):
            continue
        where = name_below(path, root)
        for word, instances in _by_status(path, where, log).items():
            for instance in filter(None, map(text, list_of(instances))):
                starts = found[instance].starts if instance in found else 0
                found[instance] = Status(str(word), starts + 1, where)
    return found


def _by_status(path: Path, where: str, log: ImportLog) -> dict[Any, Any]:
    try:
        content = yaml.load(read_capped(path, where, _MOST_STATUSES), Loader=_Loader)  # noqa: S506 - a safe loader: plain values only
    except Exception as error:  # noqa: BLE001 - whatever a parser raises on foreign text
        log.add("note", f"exit statuses that are not read ({type(error).__name__})", where)
        return {}
    return object_of(object_of(content).get("instances_by_exit_status"))
