"""Records of one trial become one trial."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from measurand.errors import ConflictError
from measurand.model.merge import merge_trials
from measurand.model.table import trials_frame
from measurand.model.trial import Trial

if TYPE_CHECKING:
    import polars as pl

    from measurand.model.imports import ConflictPolicy


def record(where: str, **fields: Any) -> Trial:
    plain = {
        "suite": "s",
        "task": "t",
        "agent": "a",
        "agent_digest": "d",
        "trial": "1",
        "outcome": "completed",
        "verdict": "pass",
        "source": "table",
        "source_ref": where,
    }
    return Trial(**(plain | fields))


def shuffled(records: list[Trial], seed: int) -> pl.DataFrame:
    order = list(records)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order, not a secret
    return trials_frame(order)


CLASH = [record("x:3"), record("y:5", verdict="fail", cost_usd=0.5), record("z:1", trial="2")]


def test_different_trials_stay_apart() -> None:
    """Records that differ in any part of a trial's identity are different trials."""
    frame = trials_frame(
        [record("x:1"), record("x:2", trial="2"), record("x:3", job="j"), record("x:4", suite_version="2")]
    )
    assert merge_trials(frame).frame.height == 4


def test_equal_records_count_once() -> None:
    """Records that differ only in where they stand are one trial."""
    merged = merge_trials(trials_frame([record("y:9"), record("x:2"), record("z:1")]))
    assert (merged.frame.height, merged.duplicates, merged.conflicts) == (1, 2, ())
    assert merged.frame["source_ref"].item() == "x:2"


@pytest.mark.parametrize("seed", range(4))
def test_unknown_agrees_with_any(seed: int) -> None:
    """A value unknown to one record is taken from another, in whatever order they come."""
    records = [record("x:1", cost_usd=0.5), record("y:1", steps=3), record("z:1")]
    merged = merge_trials(shuffled(records, seed))
    assert merged.frame.select("cost_usd", "steps", "source_ref").rows() == [(0.5, 3, "x:1")]
    assert merged.duplicates == 2


@pytest.mark.parametrize("seed", range(4))
def test_conflict_is_refused_by_default(seed: int) -> None:
    """Records that disagree are refused; the trial, the fields and both places are named."""
    with pytest.raises(ConflictError, match=r"task 't', trial '1': verdict differ between x:3 and y:5"):
        merge_trials(shuffled(CLASH, seed))


@pytest.mark.parametrize("seed", range(4))
def test_no_verdict_keeps_the_trial(seed: int) -> None:
    """Under no-verdict the trial stays, what agrees is kept, what differs is unknown, and it has no verdict."""
    merged = merge_trials(shuffled(CLASH, seed), "no-verdict")
    kept = merged.frame.filter(trial="1").row(0, named=True)
    assert (kept["outcome"], kept["verdict"], kept["cost_usd"]) == ("grader_error", None, 0.5)
    assert kept["reason"] == "records disagree: x:3 and y:5"
    assert merged.conflicts[0].fields == ("verdict",)


@pytest.mark.parametrize("seed", range(4))
def test_drop_leaves_the_trial_out(seed: int) -> None:
    """Under drop the trial is left out, and still reported."""
    merged = merge_trials(shuffled(CLASH, seed), "drop")
    assert merged.frame["trial"].to_list() == ["2"]
    assert [conflict.rows for conflict in merged.conflicts] == [("x:3", "y:5")]


@pytest.mark.parametrize("policy", ["no-verdict", "drop"])
def test_order_of_rows_changes_nothing(policy: ConflictPolicy) -> None:
    """The same rows in any order give the same trials."""
    records = [*CLASH, record("w:1"), record("v:2", trial="3", verdict=None), record("v:1", trial="3")]
    tables = [merge_trials(shuffled(records, seed), policy).frame.sort("trial") for seed in range(8)]
    assert all(table.equals(tables[0]) for table in tables)


def test_long_list_of_conflicts_is_cut() -> None:
    """The error shows some conflicts and counts the rest."""
    clashes = [record(f"x:{n}", trial=str(n // 2), verdict=("pass", "fail")[n % 2]) for n in range(20)]
    with pytest.raises(ConflictError, match=r"10 trials have records that disagree(.|\n)*and 5 more"):
        merge_trials(trials_frame(clashes))
