"""Tokens, cost, times and attempts of samples, and of samples that were run again."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.sources.conftest import Read
    from tests.sources.inspect_logs.conftest import ReadLog, WriteLog

MIX = {
    "lab/kite": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "total_cost": 0.25},
    "lab/lark": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "total_cost": 0.5},
}


def without(usage: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in usage.items() if name != field}


@pytest.fixture
def used(sample: Any, read_log: ReadLog) -> Any:
    return lambda changes: read_log(sample(**changes))


@pytest.mark.parametrize(
    ("changes", "tokens", "cost", "notes"),
    [
        ({"model_usage": MIX}, (11, 7, None, None), 0.75, {}),
        (
            {"model_usage": MIX | {"lab/lark": without(MIX["lab/lark"], "total_cost")}},
            (11, 7, None, None),
            None,
            {"cost of some models only": 1},
        ),
        ({"model_usage": {}}, (None, None, None, None), None, {}),
        (
            {
                "model_usage": {
                    "m": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4, "total_cost": 0}
                }
            },
            (3, 1, None, None),
            None,
            {"a cost of 0 for tokens used: read as unknown": 1},
        ),
        (
            {"model_usage": {"m": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 9}}},
            (None, None, None, 9),
            None,
            {},
        ),
        (
            {"model_usage": MIX, "role_usage": {"grader": MIX["lab/lark"]}},
            (10, 5, None, None),
            0.25,
            {"usage of the grader is left out of the trial's": 1},
        ),
        (
            {"model_usage": {"m": MIX["lab/lark"]}, "role_usage": {"grader": MIX["lab/kite"]}},
            (None, None, None, None),
            None,
            {"usage of the grader that exceeds that of all models": 1},
        ),
        (
            {"model_usage": {"m": {"input_tokens": 2**60, "output_tokens": 1}}},
            (None, 1, None, None),
            None,
            {},
        ),
    ],
)
def test_tokens_and_cost(
    changes: dict[str, Any],
    tokens: tuple[int | None, ...],
    cost: float | None,
    notes: dict[str, int],
    used: Any,
) -> None:
    """Models add up, the grader's use is not the agent's, a cost that is not known is none."""
    table = used(changes)
    columns = ("input_tokens", "output_tokens", "cached_tokens", "total_tokens")
    assert table.rows(*columns) == [tokens]
    assert table.rows("cost_usd") == [(cost,)]
    assert table.notes() == notes


def test_steps_and_tool_calls(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Turns are counted by the log, in older ones by calls of the model, nested ones too; an outside agent's are unknown."""
    events = [{"event": "model"}, {"event": "tool", "events": [{"event": "model"}, {"event": "tool"}]}]
    table = read_inspect(
        write_log(
            "log.eval",
            sample(id="new", events=events),
            sample(id="old", events=events, turn_count=...),
            sample(id="outside", events=[{"event": "sandbox"}], turn_count=0, model_usage={}),
            sample(id="none", events=[{"event": "model"}]),
        )
    )
    assert table.rows("task", "steps", "tool_calls") == [
        ("new", 3, 2),
        ("old", 2, 2),
        ("outside", None, None),
        ("none", 3, 0),
    ]


def test_times_that_cannot_be(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """A time that is none is unknown, one without a zone is UTC; working longer than running is no negative waiting."""
    table = read_inspect(
        write_log(
            "log.eval",
            sample(id="a", started_at="2026-01-05T10:00:00", completed_at="0001-01-01T00:00:00+10:00"),
            sample(id="b", started_at="soon", completed_at="", total_time=1.0, working_time=1.001),
            sample(id="c", total_time=float("nan"), working_time=-1.0),
        )
    )
    assert table.rows("started_at", "finished_at", "waiting_s")[:2] == [
        (dt.datetime(2026, 1, 5, 10, tzinfo=dt.UTC), None, 59.5),
        (None, None, 0.0),
    ]
    assert table.rows("wall_s", "waiting_s", "working_s")[2] == (None, None, None)
    assert table.notes("unknown")["a time that is none"] == 2


def test_attempts_within_a_log(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Errors that were retried are attempts, whose use the log does not tell; older logs tell no attempts."""
    failed = {"message": "OSError()", "traceback": ""}
    table = read_inspect(
        write_log(
            "log.eval",
            sample(id="a", error_retries=[failed, failed]),
            sample(id="b", error_retries=...),
        )
    )
    assert table.rows("task", "attempts", "verdict") == [("a", 3, "pass"), ("b", None, "pass")]
    assert table.notes() == {"tokens, cost and time of attempts that failed are not in the log": 1}


def test_retry_in_a_later_log(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """What a later log of the task runs again is one trial with all attempts' use; copies count once; the rest stays."""
    crash = {"message": "RuntimeError('lost')", "traceback": ""}
    write_log(
        "logs/z-first.eval",
        sample(id="copied", uuid="u1"),
        sample(id="failed", uuid="u2", error=crash, scores={}),
        sample(id="only", uuid="u3"),
        spec={"eval_id": "eval-1", "created": "2026-01-05T09:00:00+00:00"},
        status="error",
    )
    write_log(
        "logs/a-retry.json",
        sample(id="copied", uuid="u1"),
        sample(id="failed", uuid="u4", started_at="2026-01-06T09:00:00+00:00"),
        spec={"eval_id": "eval-2", "created": "2026-01-06T09:00:00+00:00"},
    )
    table = read_inspect(write_log("logs/other.eval", sample(id="x"), spec={"task_id": "task-2"}).parent)
    assert sorted(table.rows("task", "outcome", "attempts", "cost_usd", "output_tokens")) == [
        ("copied", "completed", 1, 0.5, 5),
        ("failed", "completed", 2, 1.0, 10),
        ("only", "completed", 1, 0.5, 5),
        ("x", "completed", 1, 0.5, 5),
    ]
    retried = next(row for row in table.frame.iter_rows(named=True) if row["task"] == "failed")
    assert retried["started_at"].day == 5
    assert retried["wall_s"] == 600.0
    assert table.log.rows_read == table.frame.height + 2
    assert table.notes("dropped") == {
        "copy of a sample that a later log of the evaluation holds": 1,
        "run again in a later log: an attempt of the same trial": 1,
    }


def test_logs_without_ids_stand_alone(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Logs that do not say which task they are of, or that are of one evaluation, are read side by side."""
    for task_id, eval_id in (("", "one"), ("task-1", "same")):
        for name in ("a", "b"):
            spec = {"task_id": task_id, "eval_id": eval_id}
            path = write_log(f"{eval_id}/{name}.eval", sample(), spec=spec)
        table = read_inspect(path.parent)
        assert table.frame.height == 2
        assert table.notes() == {}
