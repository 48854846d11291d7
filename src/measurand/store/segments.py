"""A segment: rows of one import in one Parquet file, with what the import found out in the file's own metadata.

Rows and report share a file so that both appear at once. The name is the digest of the bytes: importing the same
rows again gives the same segment, and a damaged one can be told.
"""

from __future__ import annotations

import hashlib
import io
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import polars as pl

from measurand.errors import FormatError, StoreError
from measurand.model.imports import ImportReport
from measurand.model.trial import SCHEMA_VERSION
from measurand.store.files import write_atomic

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Encoded", "Segment", "encode_segment", "holds", "is_intact", "read_segment", "write_segment"]

_REPORT: Final = "measurand.import_report"
_VERSION: Final = "measurand.schema_version"
_DIGITS: Final = 32


class Segment(NamedTuple):
    """What a segment says of itself, without its rows."""

    path: Path
    report: ImportReport


class Encoded(NamedTuple):
    """A segment before it is written."""

    name: str
    """File name, made of the digest of the bytes: the same rows and report give the same name."""
    data: bytes


def encode_segment(frame: pl.DataFrame, report: ImportReport) -> Encoded:
    """Encode rows and report as the bytes of one segment."""
    buffer = io.BytesIO()
    metadata = {_REPORT: msgspec.json.encode(report).decode(), _VERSION: str(SCHEMA_VERSION)}
    frame.write_parquet(buffer, compression="zstd", metadata=metadata)
    data = buffer.getvalue()
    return Encoded(f"{_digest(data)}.parquet", data)


def holds(path: Path, segment: Encoded) -> bool:
    """Whether ``path`` has the segment already, undamaged."""
    return path.exists() and path.read_bytes() == segment.data


def write_segment(folder: Path, segment: Encoded) -> Path:
    """Write a segment and return its path; the same content again changes nothing."""
    path = folder / segment.name
    if not holds(path, segment):
        folder.mkdir(exist_ok=True)
        write_atomic(path, segment.data)
    return path


def read_segment(path: Path) -> Segment:
    """Read what a segment says of itself.

    Raises:
        FormatError: the file is cut, damaged or no segment.
        StoreError: a newer version wrote it.
    """
    hint = "copy the segment again from where it was made, or move it out of the store"
    try:
        metadata = pl.read_parquet_metadata(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FormatError("not a readable segment", where=str(path), hint=hint) from error
    version = metadata.get(_VERSION, "")
    if not version.isdecimal() or _REPORT not in metadata:
        raise FormatError("a Parquet file that Measurand did not write", where=str(path), hint=hint)
    if int(version) > SCHEMA_VERSION:
        raise StoreError(
            f"written with version {version} of the trial table; this Measurand knows {SCHEMA_VERSION}",
            where=str(path),
            hint="upgrade Measurand",
        )
    try:
        report = msgspec.json.decode(metadata[_REPORT], type=ImportReport)
    except msgspec.MsgspecError as error:
        raise FormatError(f"the import report cannot be read: {error}", where=str(path), hint=hint) from error
    return Segment(path, report)


def is_intact(path: Path) -> bool:
    """Whether a segment's bytes are those its name was made of."""
    return path.stem == _digest(path.read_bytes())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
