"""Files below a folder, in the order of their paths; links that lead out of it are left alone, and said."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from measurand.model.digests import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["files_below", "folders_above", "name_below", "some_files"]

_DEPTH: Final = 8
_LOOKED_AT: Final = 60
"""Entries of a folder that sniffing looks at."""


def files_below(root: Path, log: ImportLog, *endings: str) -> Iterator[Path]:
    """Yield the files of ``root`` (or ``root`` itself, whatever its name) that end in one of ``endings``.

    Hidden files and folders are passed over. A linked folder within ``root`` is read where it stands. A link that
    leaves ``root`` counts as a record that was dropped.
    """
    if root.is_file():
        yield root
    else:
        yield from _Walk(root, root.resolve(), endings, log).files(root, _DEPTH)


class _Walk(NamedTuple):
    """What stays the same in all folders."""

    root: Path
    inside: Path
    """The same, its links followed."""
    endings: tuple[str, ...]
    log: ImportLog

    def files(self, folder: Path, depth: int) -> Iterator[Path]:
        for entry in sorted(_entries(folder), key=lambda entry: entry.name):
            is_folder = entry.is_dir()
            wanted = is_folder or (entry.is_file() and entry.name.lower().endswith(self.endings))
            if not wanted or entry.name.startswith(".") or not self._is_own(entry, is_folder=is_folder):
                continue
            if not is_folder:
                yield entry
            elif depth:
                yield from self.files(entry, depth - 1)
            else:
                self.log.add("note", "folder too deep: not read", name_below(entry, self.root))

    def _is_own(self, entry: Path, *, is_folder: bool) -> bool:
        if not entry.is_symlink():
            return True
        if entry.resolve().is_relative_to(self.inside):
            return not is_folder
        self.log.rows_read += 1
        self.log.add("dropped", "link that leaves the folder: not followed", name_below(entry, self.root))
        return False


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:
        return


def some_files(path: Path, *endings: str) -> list[Path]:
    """Return a few files for sniffing: ``path`` itself, or files of the folder and of the folders in it."""
    if path.is_file():
        return [path] if path.name.lower().endswith(endings) else []
    found: list[Path] = []
    folders = [path]
    for folder in folders:
        for entry in islice(_entries(folder), _LOOKED_AT):
            if entry.is_dir():
                if folder is path and not entry.is_symlink():
                    folders.append(entry)
            elif entry.name.lower().endswith(endings) and entry.is_file():
                found.append(entry)
    return found[:_LOOKED_AT]


def name_below(path: Path, root: Path) -> str:
    """Name a file by its path below ``root``, by its own name where it is ``root`` or ``root`` is no folder; bytes that are not UTF-8 as escapes."""
    below = root.is_dir() and path != root
    place: str = without_surrogates(path.relative_to(root).as_posix() if below else path.name)
    return place


def folders_above(path: Path, count: int) -> list[str]:
    """Names of the last ``count`` folders of a path, the innermost last; empty ones where there are fewer."""
    names: list[str] = without_surrogates(list(path.absolute().parts[1:][-count:]))
    return [""] * (count - len(names)) + names
