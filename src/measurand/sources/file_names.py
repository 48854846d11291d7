"""Names of files and folders as text: those whose bytes are not UTF-8 have escapes in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measurand.model.digests import without_surrogates
from measurand.sources.folder_files import name_below

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["folders_above", "place_below"]


def place_below(path: Path, root: Path) -> str:
    """Name a file by its path below ``root``; by its own name where it is ``root``."""
    place: str = without_surrogates(name_below(path, root))
    return place


def folders_above(path: Path, count: int) -> list[str]:
    """Names of the last ``count`` folders of a path, the innermost last; empty ones where there are fewer."""
    names: list[str] = without_surrogates(list(path.absolute().parts[1:][-count:]))
    return [""] * (count - len(names)) + names
