"""Traces of a store: one compressed file each, named by the last hash of its chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from measurand.errors import FormatError
from measurand.model.trace import Event, chain, decode_trace, encode_trace, flaw
from measurand.store.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from measurand.model.trace import Draft

__all__ = ["TRACES", "keep_trace", "read_trace"]

TRACES: Final = "traces"
"""Folder of the traces in a store."""
_MOST_BYTES: Final = 2**33
"""A trace that unpacks to more than this was made to fill the memory of its reader."""


def keep_trace(folder: Path, drafts: Iterable[Draft]) -> str | None:
    """Chain the events of a trace and keep them, whole or not at all.

    Args:
        folder: the store.
        drafts: the events in their order.

    Returns:
        The last hash, which names the trace; ``None`` when there is no event. The same events give the same name.
    """
    import zstandard

    events = list(chain(drafts))
    if not events:
        return None
    path = _path(folder, events[-1].hash)
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, zstandard.ZstdCompressor().compress(encode_trace(events)))
    return events[-1].hash


def read_trace(folder: Path, digest: str) -> tuple[Event, ...]:
    """Read the trace that ``digest`` names.

    Raises:
        FormatError: there is none, it is damaged, or its chain does not end in ``digest``.
    """
    import zstandard

    path = _path(folder, digest)
    try:
        with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as reader:
            data = reader.read(_MOST_BYTES)
    except (OSError, zstandard.ZstdError) as error:
        raise FormatError(f"the trace cannot be read: {error}", where=str(path)) from error
    events = decode_trace(data, str(path))
    broken = flaw(events)
    if broken is None and (not events or events[-1].hash != digest):
        broken = "it does not end in the hash that names it"
    if broken is not None:
        raise FormatError(
            f"the trace was changed: {broken}", where=str(path), hint="copy it again from its origin"
        )
    return events


def _path(folder: Path, digest: str) -> Path:
    name = digest.removeprefix("sha256:")
    if not (name.isalnum() and name.isascii()):
        raise FormatError(f"not the digest of a trace: {digest!r}")
    return folder / TRACES / f"{name}.jsonl.zst"
