"""Files that appear whole or not at all: written beside their place, flushed to disk, then renamed."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TEMPORARY", "write_atomic"]

TEMPORARY: Final = ".unfinished-"
"""Beginning of the name of a file that is being written. A reader passes it over."""


def write_atomic(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that a reader, or a crash at any moment, sees the old file or the new one.

    Raises:
        OSError: the disk is full or not writable; nothing is left behind then.
    """
    beside = path.with_name(f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(4)}-{path.name}")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        _remove(beside)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        _remove(beside)
        raise
    _flush_folder(path.parent)


def _remove(path: Path) -> None:
    """Take away what may not be there; another error is on its way to the caller already."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Make the new name itself survive a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
