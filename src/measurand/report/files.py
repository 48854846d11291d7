"""Reports on disk: whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_text_atomic"]


def write_text_atomic(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 to ``path`` so that a reader sees the old file or the new one, never a part.

    A half of a surrogate pair, which UTF-8 cannot hold, is written as an escape.

    Raises:
        OSError: the folder does not exist, or the disk is full or not writable; nothing is left behind then.
    """
    from measurand.store.files import write_atomic

    write_atomic(path, text.encode("utf-8", errors="backslashreplace"))
