"""Whole files of other tools, read into memory up to a limit, and never from outside the folder that was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.errors import FormatError
from measurand.sources import loose_json

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_inside", "read_capped", "read_object"]


def read_capped(path: Path, where: str, most: int) -> bytes:
    """Read a file of at most ``most`` bytes.

    Raises:
        FormatError: it cannot be read, is no ordinary file, or is larger. ``where`` is how the error names it.
    """
    try:
        if not path.is_file():
            raise FormatError("no ordinary file", where=where)
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
