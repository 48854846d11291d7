"""CSV files of other tools, one record a line: every cell as text, every record with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from measurand.errors import FormatError
from measurand.sources.base import ImportLog
from measurand.sources.reading.json_files import head
from measurand.sources.table.files import WHERE, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["CsvRecord", "has_columns", "read_csv"]


class CsvRecord(NamedTuple):
    """A record of a CSV file."""

    where: str
    """File and line."""
    cells: Mapping[str, str | None]
    """By the names in the header; ``None`` where the cell is empty."""


def has_columns(path: Path, *names: str) -> bool:
    """Whether the first line of a file names these columns. Never raises."""
    first = head(path)[: 2**16].split(b"\n", 1)[0].removeprefix(b"\xef\xbb\xbf")
    columns = {cell.strip().strip('"') for cell in first.decode("utf-8", errors="replace").split(",")}
    return columns.issuperset(names)


def read_csv(path: Path, name: str, log: ImportLog) -> Iterator[CsvRecord]:
    """Yield the records of a CSV file and count them in ``log``; a cut last line counts, and is dropped.

    Args:
        path: the file; its name ends in ``.csv``.
        name: how places and errors name it.
        log: of the import.

    Raises:
        FormatError: not readable, not UTF-8, no header, or a line of another length that is not the last.
    """
    own = ImportLog(log.source, name)
    try:
        for batch in read_table(path, own):
            for row in batch.iter_rows(named=True):
                log.rows_read += 1
                yield CsvRecord(row.pop(WHERE).replace(path.name, name, 1), row)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=name) from error
    except FormatError as error:
        raise FormatError(
            error.what, where=error.where.replace(path.name, name, 1), hint=error.hint
        ) from error
    for note in own.report(rows_kept=0, policy="refuse").notes:
        log.rows_read += note.count
        for where in note.examples:
            log.add("dropped", note.what, where.replace(path.name, name, 1))
        log.add("dropped", note.what, "", count=note.count - len(note.examples))
