"""Each trial is counted once, whatever the order and the completeness of its records."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import ConflictError, UsageError
from measurand.model.digests import agent_digest
from measurand.model.merge import merge_trials
from measurand.model.table import SCHEMA, trials_frame
from measurand.model.trial import IDENTITY, Trial

if TYPE_CHECKING:
    from measurand.model.imports import ConflictPolicy

POLICIES: tuple[ConflictPolicy, ...] = ("no-verdict", "drop")


def record(**fields: Any) -> Trial:
    plain = {"suite": "s", "task": "t", "agent": "a", "trial": "1", "outcome": "completed"}
    return Trial(**(plain | fields))


records = st.builds(
    record,
    task=st.sampled_from("tu"),
    agent=st.sampled_from("ab"),
    trial=st.sampled_from("12"),
    job=st.sampled_from([None, "j"]),
    verdict=st.sampled_from([None, "pass", "fail"]),
    verdicts=st.sampled_from([None, {"strict": True, "official": False}]),
    cost_usd=st.sampled_from([None, 0.5]),
    source_ref=st.sampled_from([f"file:{line}" for line in range(9)]),
)


def content(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Rows in an order of their own."""
    return sorted(frame.rows(), key=repr)


def distinct(rows: list[Trial]) -> int:
    return len({(row.task, row.agent, row.trial, row.job) for row in rows})


@settings(deadline=None)
@given(st.lists(records, min_size=1, max_size=14), st.sampled_from(POLICIES), st.integers(0, 99))
def test_any_order_of_rows_gives_the_same_trials(
    rows: list[Trial], policy: ConflictPolicy, seed: int
) -> None:
    """The same records in another order give the same trials, duplicates and conflicts."""
    turned = list(rows)
    random.Random(seed).shuffle(turned)  # noqa: S311 - an order, not a secret
    one, other = (merge_trials(trials_frame(order), policy) for order in (rows, turned))
    assert content(one.frame) == content(other.frame)
    assert (one.duplicates, one.conflicts) == (other.duplicates, other.conflicts)


@settings(deadline=None)
@given(st.lists(records, min_size=1, max_size=14), st.sampled_from(POLICIES))
def test_no_trial_is_counted_twice_or_lost(rows: list[Trial], policy: ConflictPolicy) -> None:
    """Each trial stands once; under drop those in conflict are missing, under no-verdict none is."""
    merged = merge_trials(trials_frame(rows), policy)
    assert merged.frame.select(IDENTITY).is_duplicated().any() is False
    lost = len(merged.conflicts) if policy == "drop" else 0
    assert merged.frame.height == distinct(rows) - lost
    in_conflict = sum(len(conflict.rows) - 1 for conflict in merged.conflicts)
    assert merged.duplicates == len(rows) - distinct(rows) - in_conflict


@settings(deadline=None)
@given(st.lists(records, min_size=1, max_size=10), st.sampled_from(POLICIES))
def test_merging_again_changes_nothing(rows: list[Trial], policy: ConflictPolicy) -> None:
    """Merged trials merged again, or with themselves, are the same trials."""
    once = merge_trials(trials_frame(rows), policy).frame
    assert content(merge_trials(once).frame) == content(once)
    assert content(merge_trials(pl.concat([once, once])).frame) == content(once)


def test_agents_without_a_digest_are_told_by_their_names() -> None:
    """Two agents whose configuration is unknown stay two agents, each with the digest of its name."""
    frame = trials_frame([record(agent="kite", verdict="pass"), record(agent="lark", verdict="fail")])
    merged = merge_trials(frame).frame.sort("agent")
    assert merged["agent_digest"].to_list() == [agent_digest("kite"), agent_digest("lark")]


def test_order_of_further_verdicts_is_no_conflict() -> None:
    """Maps of verdicts that were written in another order agree."""
    rows = [record(verdicts={"a": True, "b": False}), record(verdicts={"b": False, "a": True})]
    assert merge_trials(trials_frame(rows)).duplicates == 1


def test_differing_further_verdicts_are_a_conflict() -> None:
    """Records that disagree in a further verdict are refused."""
    rows = [record(verdicts={"a": True}), record(verdicts={"a": False})]
    with pytest.raises(ConflictError, match="verdicts differ"):
        merge_trials(trials_frame(rows))


def test_an_agent_keeps_a_name_under_no_verdict() -> None:
    """One configuration under two names is a conflict; the kept trial still names an agent."""
    rows = [record(agent=name, agent_digest="d") for name in ("lark", "kite")]
    merged = merge_trials(trials_frame(rows), "no-verdict")
    assert merged.frame["agent"].to_list() == ["kite"]
    assert merged.conflicts[0].fields == ("agent",)


def test_three_records_of_which_two_disagree_are_one_conflict() -> None:
    """All records of a trial in conflict are named, also those that agree with one side."""
    rows = [record(verdict=v, source_ref=f"x:{i}") for i, v in enumerate(("pass", None, "fail"))]
    with pytest.raises(ConflictError, match="between x:0 and x:1 and x:2"):
        merge_trials(trials_frame(rows))


def test_large_table_without_repeats_is_left_as_it_is() -> None:
    """Without repeated trials nothing is moved or changed."""
    frame = trials_frame(
        record(agent=f"a{n % 7}", agent_digest=f"a{n % 7}", task=str(n // 7)) for n in range(2_000)
    )
    assert merge_trials(frame).frame is frame


def test_an_unknown_policy_is_refused_even_without_a_conflict() -> None:
    """A typing error must neither drop trials in silence nor reach a store."""
    with pytest.raises(UsageError, match="no conflict policy is called 'no_verdict'"):
        merge_trials(pl.DataFrame(schema=SCHEMA), "no_verdict")  # type: ignore[arg-type]
