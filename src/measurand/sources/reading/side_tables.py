"""Small tables beside the trials, read whole: what agents or tasks have that no trial says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from measurand.errors import FormatError, MappingError
from measurand.sources.base import ImportLog
from measurand.sources.table.files import FORMATS, WHERE, read_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["SideTable", "read_side_table"]


class SideTable:
    """A table read whole.

    Attributes:
        frame: its rows, and where each stands.
        path: where it was read.
        log: what the cells were taken for.
    """

    def __init__(self, frame: pl.DataFrame, path: Path, log: ImportLog) -> None:
        self.frame = frame
        self.path = path
        self.log = log

    @property
    def names(self) -> list[str]:
        """Columns of the file."""
        return [name for name in self.frame.columns if name != WHERE]

    def find(self, names: Sequence[str]) -> str | None:
        """Return the first of ``names`` that is a column, whatever its case, spaces and hyphens."""
        plain = {re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"): name for name in self.names}
        return next((plain[name] for name in names if name in plain), None)

    def need(self, names: Sequence[str]) -> str:
        """Return the column that `find` finds.

        Raises:
            MappingError: there is none.
        """
        column = self.find(names)
        if column is None:
            raise MappingError(
                f"there is no column {names[0]!r}",
                where=str(self.path),
                hint=f"it may also be called {', '.join(names[1:])}; columns: {', '.join(self.names)}"
                if len(names) > 1
                else f"columns: {', '.join(self.names)}",
            )
        return column


def read_side_table(path: Path, what: str) -> SideTable:
    """Read a small table whole.

    Args:
        path: a file of one of the formats of tables.
        what: what it holds, for the message, such as "bars".

    Raises:
        FormatError: no readable table, or one without rows.
    """
    if path.suffix.lower() not in FORMATS or not path.is_file():
        raise FormatError(
            f"no table of {what}: a file that ends in one of {', '.join(FORMATS)}", where=str(path)
        )
    log = ImportLog("table", str(path))
    batches = list(read_table(path, log))
    if not any(batch.height for batch in batches):
        raise FormatError(f"the table of {what} has no rows", where=str(path))
    return SideTable(pl.concat(batches, how="diagonal"), path, log)
