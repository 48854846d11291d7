"""Members of a zip, read in place: stored, deflated, or packed with Zstandard (method 93), which Python reads from 3.14 on.

Nothing is unpacked to disk, and no name is used as a path. A member is read up to a limit. A zip whose directory is
lost, as of a program that was killed, is read as far as it goes.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, Self

from measurand.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

__all__ = ["MAGIC", "Member", "Refused", "ZipMembers"]

MAGIC: Final = b"PK\3\4"
"""How a zip begins that has a member."""
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_ENCRYPTED, _SIZES_FOLLOW, _UTF8 = 0x1, 0x8, 0x800
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_SURPLUS: Final = 2**16
"""Bytes that packing may add to what is short or cannot be packed."""
_FOUR_GIGABYTES: Final = 2**32 - 1
_DIRECTORY_ERRORS: Final = (
    zipfile.BadZipFile,
    LookupError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
    struct.error,
)
"""What a damaged directory makes Python's module raise."""


class Member(NamedTuple):
    """A member, as the directory describes it."""

    name: str
    method: int
    checksum: int
    packed: int
    """Bytes in the file."""
    size: int
    """Bytes once unpacked."""
    offset: int
    """Where its header stands."""


class Refused(NamedTuple):
    """A member that is not read."""

    name: str
    why: str


class ZipMembers:
    """An open zip, its members by name. A name that stands twice means the last.

    Args:
        path: the file.
        where: how errors name it.

    Raises:
        FormatError: it cannot be opened, or has no members.
    """

    def __init__(self, path: Path, where: str) -> None:
        self.where = where
        self.cut = False
        """Whether the directory is lost, so that members at the end may be too."""
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where=where) from error
        self._length = self._file.seek(0, io.SEEK_END)
        found = self._found()
        self.members: dict[str, Member] = {member.name: member for member, why in found if why is None}
        self.refused: tuple[Refused, ...] = tuple(Refused(member.name, why) for member, why in found if why)
        if not self.members:
            self._file.close()
            raise FormatError(
                "a zip without members that can be read", where=where, hint="copy it again from its source"
            )

    def _found(self) -> list[tuple[Member, str | None]]:
        try:
            return list(_directory(self._file))
        except _DIRECTORY_ERRORS:
            self.cut = True
            return list(_local_headers(self._file))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def read(self, name: str, most: int) -> bytes:
        """Unpack a member.

        Args:
            name: one of ``members``.
            most: bytes that it may have.

        Raises:
            FormatError: it is larger, damaged, cut, or packed by another method.
        """
        member, where = self.members[name], f"{self.where}: {name}"
        if member.size > most or member.packed > most + _SURPLUS:
            raise FormatError(f"larger than {most} bytes", where=where)
        packed = self._packed(member, where)
        try:
            data = _unpack(packed, member)
        except (zlib.error, OSError, ValueError, MemoryError) as error:
            raise FormatError(f"damaged: {error}", where=where) from error
        if len(data) != member.size or zlib.crc32(data) != member.checksum:
            raise FormatError("damaged: its length or checksum is not the one given", where=where)
        return data

    def _packed(self, member: Member, where: str) -> bytes:
        self._file.seek(max(0, member.offset))
        header = b"" if member.offset < 0 else self._file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(MAGIC):
            raise FormatError("damaged: there is no member where the directory says", where=where)
        *_, name, extra = _LOCAL.unpack(header)
        self._file.seek(name + extra, io.SEEK_CUR)
        if self._file.tell() + member.packed > self._length:
            raise FormatError("damaged: the file ends within it", where=where)
        return self._file.read(member.packed)


def _directory(file: BinaryIO) -> Iterator[tuple[Member, str | None]]:
    """Members by the directory at the end, each with why it is refused."""
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            if info.filename.endswith("/"):
                continue
            member = Member(
                info.filename,
                info.compress_type,
                info.CRC,
                info.compress_size,
                info.file_size,
                info.header_offset,
            )
            mode = info.external_attr >> 16
            yield member, "a link" if stat.S_ISLNK(mode) else _why_refused(member, info.flag_bits)


def _local_headers(file: BinaryIO) -> Iterator[tuple[Member, str | None]]:
    """Members by their own headers, from the beginning to where the file breaks off."""
    length = file.seek(0, io.SEEK_END)
    offset = 0
    while offset + _LOCAL.size <= length:
        file.seek(offset)
        magic, _, flags, method, _, _, checksum, packed, size, name, extra = _LOCAL.unpack(
            file.read(_LOCAL.size)
        )
        if magic != MAGIC or flags & _SIZES_FOLLOW or _FOUR_GIGABYTES in {packed, size}:
            return
        raw = file.read(name)
        text = raw.decode("utf-8" if flags & _UTF8 else "cp437", errors="replace")
        member = Member(text, method, checksum, packed, size, offset)
        offset += _LOCAL.size + name + extra + packed
        if offset > length:
            return
        yield member, _why_refused(member, flags)


def _why_refused(member: Member, flags: int) -> str | None:
    parts = member.name.replace("\\", "/").split("/")
    if parts[0] == "" or ".." in parts or ":" in parts[0]:
        return "a name that leads out of the archive"
    if flags & _ENCRYPTED:
        return "encrypted"
    return None


def _unpack(packed: bytes, member: Member) -> bytes:
    """Unpack, but no more than one byte beyond the length that the directory gives: enough to tell that it lies."""
    if member.method == _STORED:
        return packed
    if member.method == _DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.size + 1)
    if member.method != _ZSTANDARD:
        raise ValueError(f"compression method {member.method} is not known")
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
            return _read_up_to(reader, member.size + 1)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def _read_up_to(reader: io.RawIOBase | BinaryIO, most: int) -> bytes:
    data = reader.read(most) or b""
    while len(data) < most and (more := reader.read(most - len(data))):
        data += more
    return data
