"""The trial table: one schema, derived from the record, and the container around it."""

from __future__ import annotations

import datetime as dt
import sys

import msgspec
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import MissingExtraError
from measurand.model.table import SCHEMA, Trials, conform, trials_frame
from measurand.model.trial import COLUMNS, IDENTITY, PROVENANCE, SCHEMA_VERSION, Trial

FULL = Trial(
    suite="s",
    task="007",
    agent="kite",
    trial="1",
    outcome="completed",
    verdict="pass",
    verdicts={"strict": False, "official": True},
    seed=3,
    cost_usd=0.25,
    started_at=dt.datetime(2026, 5, 1, 10, tzinfo=dt.UTC),
)


def test_fields_of_the_record_are_the_columns() -> None:
    """The record, the list of columns and the schema name the same fields in the same order."""
    fields = [field.name for field in msgspec.structs.fields(Trial)]
    assert fields == [column.name for column in COLUMNS] == SCHEMA.names()


def test_every_column_is_documented() -> None:
    """Each column has a sentence of its own."""
    docs = [column.doc for column in COLUMNS]
    assert all(doc.endswith(".") and len(doc) > 10 for doc in docs)
    assert len(set(docs)) == len(docs)


def test_only_what_names_a_trial_must_be_known() -> None:
    """Every other column may be unknown."""
    assert {c.name for c in COLUMNS if not c.nullable} == {"suite", "task", "agent", "trial", "outcome"}


def test_identity_and_provenance_are_columns() -> None:
    """Identity and provenance name columns, and none is both."""
    names = set(SCHEMA)
    assert set(IDENTITY) <= names
    assert set(PROVENANCE) <= names
    assert not set(IDENTITY) & set(PROVENANCE)


def test_records_keep_their_values() -> None:
    """Records become rows: ids stay text, unknown stays null, verdicts are pairs in the order of their names."""
    row = trials_frame([FULL]).row(0, named=True)
    assert (row["task"], row["cost_usd"], row["steps"]) == ("007", 0.25, None)
    assert row["verdicts"] == [{"name": "official", "passed": True}, {"name": "strict", "passed": False}]
    assert row["started_at"] == FULL.started_at


def test_no_records_make_an_empty_table() -> None:
    """Without records the table is empty and has its schema."""
    frame = trials_frame([])
    assert frame.height == 0
    assert frame.schema == SCHEMA


def test_conform_adds_orders_and_casts() -> None:
    """A frame gets the columns of the table in their order; what it lacks is null, what is foreign goes."""
    frame = conform(pl.DataFrame({"steps": [2], "extra": [1], "task": ["t"], "cost_usd": [1]}))
    assert frame.schema == SCHEMA
    assert frame.select("task", "steps", "cost_usd", "agent").row(0) == ("t", 2, 1.0, None)


@settings(deadline=None)
@given(st.permutations(SCHEMA.names()))
def test_conform_is_independent_of_the_order_of_columns(names: list[str]) -> None:
    """Columns in any order give the same table, and a table is left as it is."""
    frame = trials_frame([FULL])
    assert conform(frame.select(names)).equals(frame)


def test_arrow_fields_carry_their_documentation() -> None:
    """An Arrow table says what each column means, whether it may be null, and which version of the table it is."""
    table = Trials(trials_frame([FULL])).to_arrow()
    assert table.schema.metadata == {b"measurand.schema_version": str(SCHEMA_VERSION).encode()}
    for column in COLUMNS:
        field = table.schema.field(column.name)
        assert field.metadata == {b"doc": column.doc.encode()}
        assert field.nullable is column.nullable
    assert table.to_pylist()[0]["verdicts"] == [
        {"name": "official", "passed": True},
        {"name": "strict", "passed": False},
    ]


def test_others_take_trials_as_they_are() -> None:
    """pyarrow, Polars and pandas read the container by the Arrow PyCapsule protocol."""
    trials = Trials(trials_frame([FULL]))
    assert pa.table(trials).column("task").to_pylist() == ["007"]
    assert pl.DataFrame(trials).equals(trials.frame)
    assert pd.DataFrame.from_arrow(trials)["agent"].to_list() == ["kite"]


def test_to_arrow_without_pyarrow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow the error names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'measurand\[arrow\]'"):
        Trials(trials_frame([FULL])).to_arrow()


def test_container_counts_what_it_holds() -> None:
    """The container has the length of its table and says in short what is in it."""
    trials = Trials(trials_frame([FULL]))
    assert len(trials) == 1
    assert repr(trials).startswith("Trials(1 trial")
    assert trials.to_polars() is trials.frame
    assert len(trials.with_frame(trials.frame.clear())) == 0
