"""Tables of bars and of fields."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from measurand.errors import FormatError, MappingError, ValueRangeError
from measurand.sources.reading.bars_table import read_bars, read_field

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def table(text: str) -> Path:
        path = tmp_path / "side.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return table


def test_bars_keep_their_names_and_the_order_of_the_file(write: Write) -> None:
    """One value for each task and bar; a task without a value has no such bar."""
    found = read_bars(write("task,bar,value\n007,winner,9.5\n007,median,2\nt,winner,-1\nt,median,\n"))
    assert found == {"winner": {"007": 9.5, "t": -1.0}, "median": {"007": 2.0}}
    assert list(found) == ["winner", "median"]


def test_a_field_holds_every_member(write: Write) -> None:
    """Members without a valid result are kept; further columns are not read."""
    found = read_field(write("task_id,agent,value\na,x,1\nb,x,5\na,y,\n"))
    assert list(found) == ["a", "b"]
    assert found["b"] == (5.0,)
    assert found["a"][0] == 1.0
    assert math.isnan(found["a"][1])


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("task,value\nt,1\n", MappingError, "no column 'bar'"),
        ("bar,value\nw,1\n", MappingError, "no column 'task'"),
        ("task,bar\nt,w\n", MappingError, "no column 'value'"),
        ("task,bar,value\nt,w,much\n", ValueRangeError, "not a number"),
        ("task,bar,value\nt,w,inf\n", ValueRangeError, "not finite"),
        ("task,bar,value\n,w,1\n", ValueRangeError, "task is empty"),
        ("task,bar,value\nt,,1\n", ValueRangeError, "bar is empty"),
        ("task,bar,value\nt,w,1\nt,w,1\n", ValueRangeError, "two values of this bar"),
        ("task,bar,value\n", FormatError, "no rows"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(
    write: Write, text: str, error: type[Exception], words: str
) -> None:
    """Nothing is guessed, and nothing is taken twice."""
    with pytest.raises(error, match=words) as caught:
        read_bars(write(text))
    assert "side.csv" in str(caught.value)


def test_a_field_needs_tasks_and_finite_values(write: Write) -> None:
    """The checks of bars hold for fields as well."""
    with pytest.raises(ValueRangeError, match="not finite"):
        read_field(write("task,value\nt,-inf\n"))
    with pytest.raises(MappingError, match="no column 'task'"):
        read_field(write("agent,value\nx,1\n"))
