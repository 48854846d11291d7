"""Whole files of other tools, read into memory up to a limit, and never from outside the folder that was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.errors import FormatError
from measurand.sources.reading import loose_json

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_file", "is_folder", "is_inside", "is_link", "read_capped", "read_object"]


def is_file(path: Path) -> bool:
    """Whether there is an ordinary file. Never raises: what cannot be looked at, or has too long a name, is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Whether there is a folder. Never raises."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_link(path: Path) -> bool:
    """Whether there is a link; also where nobody may look, so that it is not followed. Never raises."""
    try:
        return path.is_symlink()
    except OSError:
        return True


def read_capped(path: Path, where: str, most: int) -> bytes:
    """Read a file of at most ``most`` bytes.

    Raises:
        FormatError: it cannot be read, is no ordinary file, or is larger. ``where`` is how the error names it.
    """
    if not is_file(path):
        raise FormatError("no ordinary file, or not to be looked at", where=where)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=where) from error
    if len(data) > most:
        raise FormatError(f"larger than {most} bytes", where=where)
    return data


def is_inside(path: Path, root: Path) -> bool:
    """Whether ``path``, its links followed, stays within ``root``."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return False


def read_object(path: Path, where: str, root: Path, most: int) -> dict[str, Any]:
    """Read a JSON object from a file within ``root``.

    Raises:
        FormatError: it lies outside of ``root``, cannot be read, is larger than ``most`` bytes, not JSON, or no object.
    """
    if not is_inside(path, root):
        raise FormatError("link that leaves the folder: not followed", where=where)
    found = loose_json.decode(read_capped(path, where, most), where)
    if not isinstance(found, dict):
        raise FormatError("not a JSON object", where=where)
    return found
