"""Tables on disk as batches of rows: CSV, TSV, Parquet and JSON Lines.

Text formats keep every cell as text, so that the id ``007`` stays what it is; each row knows its line.
"""

from __future__ import annotations

import codecs
import csv
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TextIO

import msgspec
import polars as pl

from measurand.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["FORMATS", "WHERE", "read_table"]

FORMATS: Final = {
    ".csv": "CSV",
    ".tsv": "TSV",
    ".tab": "TSV",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".jsonl": "JSON Lines",
    ".ndjson": "JSON Lines",
}
"""File name ending -> format."""

WHERE: Final = "__where__"
"""Column with the place of each row: file name and line (row for Parquet)."""

_BATCH: Final = 50_000
_LONGEST_CELL: Final = 16 * 2**20


def read_table(path: Path, log: ImportLog) -> Iterator[pl.DataFrame]:
    """Yield batches of rows with the columns of the file and :data:`WHERE`.

    A cut last line and blank lines are left out and logged.

    Raises:
        FormatError: not UTF-8, a broken line that is not the last, truncated or foreign Parquet, no header.
    """
    kind = FORMATS[path.suffix.lower()]
    if kind == "Parquet":
        yield _read_parquet(path, log)
        return
    rows = (
        _json_rows(path, log)
        if kind == "JSON Lines"
        else _csv_rows(path, log, "\t" if kind == "TSV" else ",")
    )
    for batch in _batches(rows):
        log.rows_read += len(batch)
        names = dict.fromkeys(name for row in batch for name in row)
        yield pl.DataFrame(batch, schema=dict.fromkeys(names, pl.String), orient="row")


def _batches(rows: Iterator[dict[str, str | None]]) -> Iterator[list[dict[str, str | None]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _open_text(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", newline="")


def _undecodable(path: Path) -> FormatError:
    """Find the first byte that is not UTF-8 (a decoder reads ahead, so its own position does not say)."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    with path.open("rb") as file:
        for line, raw in enumerate(file, start=1):
            try:
                decoder.decode(raw)
            except UnicodeDecodeError as error:
                return FormatError(
                    f"not UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start + 1} of the line",
                    where=f"{path.name}:{line}",
                    hint="save the file as UTF-8",
                )
    return FormatError("not UTF-8: the file ends within a character", where=f"{path.name}:{line}")


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - 1, 0))
        return file.read(1) in {b"\n", b"\r"}


def _csv_rows(path: Path, log: ImportLog, delimiter: str) -> Iterator[dict[str, str | None]]:
    csv.field_size_limit(_LONGEST_CELL)
    try:
        with _open_text(path) as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            header = _header(path, next(reader, None))
            yield from _csv_body(path, log, reader, header)
    except UnicodeDecodeError:
        raise _undecodable(path) from None


def _header(path: Path, header: list[str] | None) -> list[str]:
    names = [name.strip() for name in header or []]
    if not any(names):
        raise FormatError(
            "the file is empty", where=path.name, hint="a table begins with a line of column names"
        )
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise FormatError(f"repeated column names: {', '.join(sorted(repeated))}", where=f"{path.name}:1")
    return names


def _csv_body(path: Path, log: ImportLog, reader: Any, header: list[str]) -> Iterator[dict[str, str | None]]:
    """Rows after the header. A short or unfinished line is forgiven only as the last one: a writer was cut off."""
    cut: tuple[int, int] | None = None
    line = reader.line_num
    while True:
        start = line + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            _refuse_unless_cut(path, error, start, reader.line_num)
            log.add("dropped", "cut last line", f"{path.name}:{start}")
            return
        line = reader.line_num
        if not cells:
            log.add("dropped", "blank line", f"{path.name}:{line}")
            continue
        if cut is not None:
            raise _ragged(path, cut, len(header))
        if len(cells) != len(header):
            cut = (line, len(cells))
            continue
        row = {name: cell if cell.strip() else None for name, cell in zip(header, cells, strict=True)}
        yield row | {WHERE: f"{path.name}:{line}"}
    if cut is not None:
        if cut[1] > len(header):
            raise _ragged(path, cut, len(header))
        log.add("dropped", "cut last line", f"{path.name}:{cut[0]}")


def _refuse_unless_cut(path: Path, error: csv.Error, start: int, end: int) -> None:
    """Forgive a quote left open in the last line only: opened earlier, it swallowed all lines after it."""
    if "unexpected end of data" not in str(error):
        raise FormatError(f"not a readable table: {error}", where=f"{path.name}:{end}") from error
    if end > start:
        raise FormatError(
            "a quote opened in this line is never closed",
            where=f"{path.name}:{start}",
            hint="close it; were it skipped, all lines after it would be lost",
        ) from error


def _ragged(path: Path, cut: tuple[int, int], columns: int) -> FormatError:
    return FormatError(
        f"the line has {cut[1]} cells, the header {columns}",
        where=f"{path.name}:{cut[0]}",
        hint="correct the line; cells that hold a delimiter need quotes",
    )


def _json_rows(path: Path, log: ImportLog) -> Iterator[dict[str, str | None]]:
    decode = msgspec.json.Decoder().decode
    whole = _ends_with_newline(path)
    pending: tuple[int, str] | None = None
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if pending is not None:
                raise FormatError(f"not a JSON object: {pending[1]}", where=f"{path.name}:{pending[0]}")
            if not raw.strip():
                log.add("dropped", "blank line", f"{path.name}:{number}")
                continue
            try:
                record = decode(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw)
            except UnicodeDecodeError:
                raise _undecodable(path) from None
            except msgspec.DecodeError as error:
                if "utf-8" in str(error).lower():
                    raise _undecodable(path) from None
                pending = (number, str(error))
                continue
            if not isinstance(record, dict):
                raise FormatError("a line of JSON Lines must be an object", where=f"{path.name}:{number}")
            yield {name: _text(value) for name, value in record.items()} | {WHERE: f"{path.name}:{number}"}
    if pending is not None:
        if whole:
            raise FormatError(f"not a JSON object: {pending[1]}", where=f"{path.name}:{pending[0]}")
        log.add("dropped", "cut last line", f"{path.name}:{pending[0]}")


def _text(value: Any) -> str | None:
    """Give a JSON value as a cell; nested values stay JSON."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    return msgspec.json.encode(value).decode()


def _read_parquet(path: Path, log: ImportLog) -> pl.DataFrame:
    try:
        rows = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError, pl.exceptions.PanicException) as error:
        raise FormatError(
            f"not a readable Parquet file: {str(error).splitlines()[0]}",
            where=path.name,
            hint="the file may be cut or of another format; copy it again from its source",
        ) from error
    log.rows_read += rows.height
    where = pl.concat_str(pl.lit(f"{path.name}:row "), pl.int_range(1, pl.len() + 1))
    return rows.with_columns(where.alias(WHERE))
