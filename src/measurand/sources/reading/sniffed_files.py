"""Files that sniffing looks for some folders deep, without listing a large tree."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["some_named"]

_A_FOLDER: Final = 40
"""Entries of a folder that are looked at."""
_FOLDERS: Final = 400


def some_named(path: Path, name: str, depth: int) -> Iterator[Path]:
    """Yield ``path`` if it is a file, or some files called ``name`` in the folder or up to ``depth`` folders below.

    The uppermost come first. Linked folders are not entered. Never raises.
    """
    if path.is_file():
        yield path
        return
    layer, left = [path], _FOLDERS
    for _ in range(depth + 1):
        below: list[Path] = []
        for folder in islice(layer, left):
            entries = _entries(folder)
            if (folder / name).is_file():
                yield folder / name
            below += [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
        left -= len(layer)
        layer = below
        if left <= 0:
            return


def _entries(folder: Path) -> list[Path]:
    try:
        return list(islice(folder.iterdir(), _A_FOLDER))
    except OSError:
        return []
