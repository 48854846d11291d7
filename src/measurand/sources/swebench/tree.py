"""Finds SWE-bench's submissions and reports on disk, and recognises them without reading them whole."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from measurand.sources.reading.json_files import head
from measurand.sources.swebench.names import SPLITS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["DETAILS", "LOG", "RESULTS", "Found", "find", "is_below", "metadata_file", "recognise"]

RESULTS: Final = "results/results.json"
DETAILS: Final = "per_instance_details.json"
LOG: Final = "run_instance.log"
_METADATA: Final = ("metadata.yaml", "metadata.yml")
_MARKS: Final = (*_METADATA, "all_preds.jsonl", "results")
"""What a submission's folder holds, even one without results."""
_TRAJECTORIES: Final = (".traj.json", ".traj")
"""Endings of files that are read elsewhere."""
_DEPTH: Final = 6
_LOOKED_AT: Final = 40
"""Entries of a folder that sniffing looks at."""

Kind = Literal["submission", "report", "instance", "unreported"]


class Found(NamedTuple):
    """A place with results."""

    kind: Kind
    path: Path
    """Folder of a submission, report of the harness, its report of one instance, or its log where it wrote none."""


def recognise(path: Path) -> str | None:
    """Say what of SWE-bench ``path`` is, looking at few files and at their beginnings only."""
    if path.is_file():
        kind = _kind_of_file(path)
        return {"submission": "results of a submission", "report": "report of the harness"}.get(
            kind or "", "the harness's report of an instance" if kind else ""
        ) or None
    layers = [path, *_folders(path)]
    layers += [deeper for folder in layers[1:] for deeper in _folders(folder)]
    if any(_is_submission(folder) for folder in layers[: _LOOKED_AT * 4]):
        return "tree of submissions"
    if any(_kind_of_file(file) == "report" for folder in layers[:_LOOKED_AT] for file in _json_files(folder)):
        return "reports of the harness"
    if any(_has_instance_report(folder) for folder in _run_folders(path, layers)):
        return "the harness's logs"
    return None


def _kind_of_file(path: Path) -> Kind | None:
    if path.suffix.lower() != ".json":
        return None
    start = head(path)
    if b'"resolved_ids"' in start and b'"total_instances"' in start:
        return "report"
    if b'"patch_successfully_applied"' in start and path.name == "report.json":
        return "instance"
    if path.name == DETAILS and b'"resolved"' in start:
        return "submission"
    listed = b'"no_generation"' in start or b'"no_logs"' in start
    return "submission" if path.name == "results.json" and listed and b'"resolved"' in start else None


def _is_submission(folder: Path) -> bool:
    return any(
        _kind_of_file(file) == "submission" for file in (folder / RESULTS, folder / DETAILS) if file.is_file()
    )


def _folders(folder: Path) -> list[Path]:
    return [
        entry for entry in islice(_entries(folder), _LOOKED_AT) if entry.is_dir() and not entry.is_symlink()
    ]


def _json_files(folder: Path) -> list[Path]:
    return [
        entry for entry in islice(_entries(folder), _LOOKED_AT) if entry.suffix == ".json" and entry.is_file()
    ]


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:
        return


def _run_folders(path: Path, layers: list[Path]) -> list[Path]:
    """Folders that may hold reports of instances: those already looked at, and those below ``run_evaluation``."""
    runs = path / "logs" / "run_evaluation"
    below = [model for run in _folders(runs) for model in _folders(run)]
    return layers[:_LOOKED_AT] + [
        deeper for folder in layers[:_LOOKED_AT] + below for deeper in _folders(folder)
    ]


def _has_instance_report(folder: Path) -> bool:
    file = folder / "report.json"
    return file.is_file() and _kind_of_file(file) == "instance"


def find(root: Path, log: ImportLog, others: Collection[Path] = ()) -> list[Found]:
    """List what is to be read below ``root``, in the order of the paths.

    Files among ``others`` (trajectories and what stands beside them) are read elsewhere.
    Links that leave ``root`` are not followed, and noted; linked folders within it are read where they stand.
    """
    if root.is_file():
        kind = _kind_of_file(root)
        if kind == "submission" or root.name in {DETAILS, "results.json"}:
            return [Found("submission", root.parent.parent if root.parent.name == "results" else root.parent)]
        return [Found(kind or "report", root)]
    read_elsewhere = frozenset(others)
    busy = {folder for file in read_elsewhere for folder in file.parents}
    return list(_walk(root, _Walk(root, log, read_elsewhere, frozenset(busy)), _DEPTH))


class _Walk(NamedTuple):
    """What stays the same in all folders."""

    root: Path
    log: ImportLog
    others: frozenset[Path]
    busy: frozenset[Path]
    """Folders that hold some of ``others``."""


def _walk(folder: Path, walk: _Walk, depth: int) -> Iterator[Found]:
    root, log = walk.root, walk.log
    where = str(folder.relative_to(root))
    if any(_usable(folder / name, root, log) for name in (RESULTS, DETAILS)):
        yield Found("submission", folder)
        return
    if folder not in walk.busy and any((folder / name).exists() for name in _MARKS):
        log.rows_read += 1
        log.add("dropped", "submission without results", where)
        return
    entries = sorted(_entries(folder), key=lambda entry: entry.name)
    instance = folder / "report.json"
    if instance in entries and _usable(instance, root, log) and _kind_of_file(instance) != "report":
        yield Found("instance", instance)
        return
    if folder / LOG in entries and _usable(folder / LOG, root, log):
        yield Found("unreported", folder / LOG)
        return
    mine = [file for file in entries if file not in walk.others and not file.name.endswith(_TRAJECTORIES)]
    yield from (Found("report", file) for file in mine if _is_report(file, root, log))
    below = [entry for entry in entries if entry.is_dir() and _is_own(entry, root, log)]
    if folder.name in SPLITS and not below and folder != root:
        log.add("note", "folder of a split without submissions", where)
    if depth:
        for entry in below:
            yield from _walk(entry, walk, depth - 1)


def _is_report(file: Path, root: Path, log: ImportLog) -> bool:
    if file.suffix.lower() != ".json" or not _usable(file, root, log):
        return False
    known = _kind_of_file(file) == "report"
    if not known:
        log.add("note", "JSON file that is no report: not read", str(file.relative_to(root)))
    return known


def _is_own(folder: Path, root: Path, log: ImportLog) -> bool:
    if not folder.is_symlink():
        return not folder.name.startswith(".")
    inside = is_below(folder, root)
    log.rows_read += not inside
    what = "linked folder: read where it stands" if inside else "link that leaves the tree: not followed"
    log.add("note" if inside else "dropped", what, str(folder.relative_to(root)))
    return False


def _usable(file: Path, root: Path, log: ImportLog) -> bool:
    if not file.is_file():
        return False
    if is_below(file, root):
        return True
    log.rows_read += 1
    log.add("dropped", "link that leaves the tree: not followed", str(file.relative_to(root)))
    return False


def is_below(path: Path, root: Path) -> bool:
    """Whether ``path``, its links followed, stays below ``root``."""
    return path.resolve().is_relative_to(root.resolve())


def metadata_file(folder: Path, root: Path) -> Path | None:
    """Metadata of a submission, unless a link leads out of the tree."""
    files = (folder / name for name in _METADATA)
    return next((file for file in files if file.is_file() and is_below(file, root)), None)
