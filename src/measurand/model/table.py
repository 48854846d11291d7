"""The trial table: trials as a Polars frame with a fixed schema, and the container handed to users."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from measurand.errors import MissingExtraError
from measurand.model.trial import COLUMNS, SCHEMA_VERSION, Trial
from measurand.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from measurand.model.imports import Conflict, Declaration, ImportReport

__all__ = ["SCHEMA", "Trials", "conform", "trials_frame"]

_VERDICTS: Final = pl.List(pl.Struct({"name": pl.String, "passed": pl.Boolean}))
_DTYPES: Final[dict[type, Any]] = {
    str: pl.String,
    int: pl.Int64,
    float: pl.Float64,
    dt.datetime: pl.Datetime("us", "UTC"),
    dict: _VERDICTS,
}

SCHEMA: Final = pl.Schema({column.name: _DTYPES[column.type] for column in COLUMNS})
"""Polars schema of the trial table."""


def conform(frame: pl.DataFrame) -> pl.DataFrame:
    """Give ``frame`` the columns of the trial table, in their order; columns it lacks are null."""
    have = frame.columns
    return frame.select(
        pl.col(name).cast(dtype) if name in have else pl.lit(None, dtype=dtype).alias(name)
        for name, dtype in SCHEMA.items()
    )


def trials_frame(records: Iterable[Trial]) -> pl.DataFrame:
    """Turn records into rows of the trial table."""
    rows = list(records)
    data = {column.name: [getattr(row, column.name) for row in rows] for column in COLUMNS}
    data["verdicts"] = [_pairs(verdicts) for verdicts in data["verdicts"]]
    return pl.DataFrame(data, schema=SCHEMA)


def _pairs(verdicts: dict[str, bool] | None) -> list[dict[str, object]] | None:
    return (
        None
        if verdicts is None
        else [{"name": name, "passed": passed} for name, passed in sorted(verdicts.items())]
    )


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Trials with what is known of how they were read.

    Takes part in the Arrow PyCapsule protocol, so that pyarrow, DuckDB, pandas and others take it as it is.

    >>> Trials(trials_frame([Trial(suite="s", task="007", agent="kite", trial="1", outcome="completed")]))
    Trials(1 trial, 1 agent, 1 task)
    """

    frame: pl.DataFrame
    """The trial table; see :data:`measurand.model.trial.COLUMNS`."""
    reports: tuple[ImportReport, ...] = ()
    """What each import kept and dropped."""
    declarations: tuple[Declaration, ...] = ()
    """What the sources declare about their suites."""
    duplicates: int = 0
    """Rows that were merged into an equal record."""
    conflicts: tuple[Conflict, ...] = ()
    """Trials whose records disagree, resolved by a named policy."""

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        agents, tasks = self.frame["agent"].n_unique(), self.frame["task"].n_unique()
        return f"Trials({plural(len(self), 'trial')}, {plural(agents, 'agent')}, {plural(tasks, 'task')})"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)

    def with_frame(self, frame: pl.DataFrame) -> Trials:
        """Return the same container over other rows."""
        return replace(self, frame=frame)

    def to_polars(self) -> pl.DataFrame:
        """Return the trial table as a Polars frame (no copy)."""
        return self.frame

    def to_arrow(self) -> pa.Table:
        """Return the trial table as a pyarrow Table whose fields carry their documentation.

        Raises:
            MissingExtraError: pyarrow is not installed (extra ``arrow``).
        """
        try:
            import pyarrow as pa
        except ModuleNotFoundError as error:
            raise MissingExtraError.for_package("pyarrow", "arrow") from error
        table = pa.table(self.frame)
        documented = [
            table.schema.field(column.name).with_metadata({"doc": column.doc}).with_nullable(column.nullable)
            for column in COLUMNS
        ]
        schema = pa.schema(documented, metadata={"measurand.schema_version": str(SCHEMA_VERSION)})
        return table.cast(schema)
