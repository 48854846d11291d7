"""Checks that every imported row passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from measurand.errors import ValueRangeError

if TYPE_CHECKING:
    from tests.sources.conftest import ReadText

HEAD = "agent,task,passed,value,baseline,reference,direction,kind\n"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,t,1,0,,2,higher,", r"t\.csv:2: quantity 0\.0 of task 't' is not positive"),
        ("a,t,1,-1,,2,higher,ratio", "is not positive"),
        ("a,t,1,inf,,2,higher,", r"quantity inf of task 't' is not finite"),
        ("a,t,1,inf,,2,higher,interval", "is not finite"),
        ("a,t,1,1,,0,higher,", "reference 0.0 of task 't' is not a positive number"),
        ("a,t,1,1,-3,2,higher,", "baseline -3.0 of task 't' is not a positive number"),
        ("a,t,1,1,inf,2,higher,interval", "baseline inf of task 't' is not a positive number"),
        ("a,t,1,1,3,2,higher,", "the reference 2.0 of task 't' is not better than its baseline 3.0"),
        ("a,t,1,1,2,3,lower,", "the reference 3.0 of task 't' is not better than its baseline 2.0"),
        ("a,t,1,1,,2,,", "task 't' has a reference but no direction"),
        ("a,t,1,1,,2,higher,ordinal", "unknown kind: 'ordinal'"),
    ],
)
def test_what_cannot_be_scored_is_refused(read_table: ReadText, row: str, message: str) -> None:
    """A quantity or anchor that its kind does not allow is refused, with its row."""
    with pytest.raises(ValueRangeError, match=message):
        read_table(f"{HEAD}{row}\n")


@pytest.mark.parametrize("row", ["a,t,1,-1,0,2,higher,interval", "a,t,1,1,2,2,higher,", "a,t,1,-1,,,,"])
def test_what_can_be_kept_is_kept(read_table: ReadText, row: str) -> None:
    """Negative values of interval kind, equal anchors, and quantities without anchors are kept."""
    assert read_table(f"{HEAD}{row}\n").frame["quantity"].item() == float(row.split(",")[3])


def test_quantity_of_a_failed_trial_is_only_unknown(read_table: ReadText) -> None:
    """A non-finite quantity that is not scored becomes unknown, and is noted."""
    table = read_table(f"{HEAD}a,t,0,inf,,2,higher,\n")
    assert table.frame["quantity"].item() is None
    assert table.notes("unknown") == {"quantity not finite": 1}


def test_anchors_say_the_direction(read_table: ReadText) -> None:
    """Two different anchors say which way is better."""
    table = read_table(f"{HEAD}a,t,1,1,3,2,,\na,u,1,1,2,3,,\n")
    assert table.rows("task", "better") == [("t", "lower"), ("u", "higher")]


@pytest.mark.parametrize(
    ("column", "first", "second"), [("direction", "higher", "lower"), ("kind", "ratio", "interval")]
)
def test_one_task_has_one_quantity(read_table: ReadText, column: str, first: str, second: str) -> None:
    """Rows of one task that disagree about direction or kind are refused; both rows are named."""
    with pytest.raises(ValueRangeError, match=rf"{first} at t\.csv:2; {second} at t\.csv:3"):
        read_table(f"agent,task,passed,value,{column}\na,t,1,1,{first}\nb,t,1,1,{second}\n")


@pytest.mark.parametrize("confidence", ["1.5", "-0.1"])
def test_confidence_is_a_probability(read_table: ReadText, confidence: str) -> None:
    """A confidence outside 0 to 1 is refused."""
    with pytest.raises(ValueRangeError, match="is not a probability"):
        read_table(f"agent,task,passed,confidence\na,t,1,{confidence}\n")


def test_official_score_that_is_no_number_is_unknown(read_table: ReadText) -> None:
    """An infinite official score becomes unknown, and is noted; a negative one is kept."""
    table = read_table("agent,task,passed,official_score\na,t,1,-inf\na,u,1,-0.5\n")
    assert table.frame["official_score"].to_list() == [None, -0.5]
    assert table.notes("unknown") == {"official_score not finite": 1}
