"""The board over tables of every kind: one answer, whatever the order and the names, and no number that is none."""

from __future__ import annotations

import math
import random
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.analyze.board import Board, board
from measurand.analyze.settings import Choice, Settings
from measurand.errors import InputError, UsageError
from measurand.model.imports import Declaration
from measurand.model.merge import merge_trials
from measurand.model.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.analyze.conftest import Make

QUICK = Settings(resamples=300)
EXACT = Settings(resamples=5_000)
"""With up to twelve tasks all sign vectors are enumerated, so that no p-value depends on the order of the tasks."""

AGENTS, TASKS = "abcd", [f"t{n:02}" for n in range(12)]
Rows = list[dict[str, Any]]

quantities = st.none() | st.floats(0.01, 100)


@st.composite
def tables(draw: st.DrawFn, *, graded: bool = False, full: bool = False) -> Rows:
    """Rows of trials: uneven, with every outcome, cells missing unless ``full``."""
    agents = AGENTS[: draw(st.integers(1, 4))]
    tasks = TASKS[: draw(st.integers(1, 12))]
    rows: Rows = []
    for agent, task in product(agents, tasks):
        for trial in range(draw(st.integers(int(full), 2))):
            row = {
                "agent": agent,
                "task": task,
                "trial": str(trial),
                "outcome": draw(st.sampled_from([Outcome.COMPLETED] * 12 + list(Outcome))),
                "verdict": draw(st.sampled_from(["pass", "pass", "fail", "fail", None])),
                "cost_usd": draw(st.none() | st.floats(0, 10)),
            }
            if graded:
                row |= {"quantity": draw(quantities), "baseline": 1.0, "reference": 4.0, "better": "higher"}
            rows.append(row)
    return rows or [{"agent": "a", "task": "t00"}]


def numbers(value: object) -> Iterator[float]:
    """All floats in a result."""
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from numbers(part)
    elif isinstance(value, float):
        yield value


def renamed(found: Board, names: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What the board says of each agent, under its original name."""
    return {
        names[row.agent]: {
            key: value for key, value in msgspec.to_builtins(row).items() if key not in {"agent", "letters"}
        }
        for row in found.standings
    }


def pairs(found: Board, names: dict[str, str]) -> list[tuple[Any, ...]]:
    """What the board says of each pair, in the order of the original names."""
    return sorted(
        (
            tuple(sorted((names[pair.better], names[pair.worse]))),
            pair.difference,
            pair.p_adjusted,
            pair.significant,
        )
        for pair in found.test.pairs
    )


def same(one: Any, other: Any) -> bool:
    """Equal up to the last digits of sums taken in another order."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


def ties(found: Board) -> bool:
    ranks = [row.rank for row in found.standings]
    return len(set(ranks)) < len(ranks)


@settings(max_examples=40, deadline=None)
@given(tables() | tables(graded=True), st.integers(0, 999))
def test_order_of_rows_changes_nothing(make: Make, rows: Rows, seed: int) -> None:
    """The rows in any order give the same board."""
    turned = list(rows)
    random.Random(seed).shuffle(turned)  # noqa: S311 - an order, not a secret
    one, other = (msgspec.to_builtins(board(make(order), settings=QUICK)) for order in (rows, turned))
    assert same(one, other)


@settings(max_examples=40, deadline=None)
@given(tables(full=True), st.permutations(AGENTS))
def test_names_of_agents_change_only_names(make: Make, rows: Rows, names: list[str]) -> None:
    """Agents under other names have the same ranks, rates, pairs and rank intervals; tied ones may trade tiers."""
    called = dict(zip(AGENTS, (f"agent {name}" for name in names), strict=True))
    other_rows = [{**row, "agent": called[row["agent"]]} for row in rows]
    one, other = (board(make(each), settings=EXACT) for each in (rows, other_rows))
    own = {agent: agent for agent in AGENTS}
    back = {new: old for old, new in called.items()}
    assert same(pairs(one, own), pairs(other, back))
    mine, theirs = renamed(one, own), renamed(other, back)
    for agent, row in mine.items():
        skipped = {"tier"} if ties(one) else set()
        for key in row.keys() - skipped:
            assert same(row[key], theirs[agent][key]), (agent, key)


@settings(max_examples=40, deadline=None)
@given(tables(full=True), st.integers(0, 999))
def test_names_of_tasks_change_no_conclusion(make: Make, rows: Rows, seed: int) -> None:
    """Tasks under other names, and so in another order, give the same ranks, tiers and p-values."""
    order = list(TASKS)
    random.Random(seed).shuffle(order)  # noqa: S311
    called = dict(zip(TASKS, order, strict=True))
    other_rows = [{**row, "task": called[row["task"]]} for row in rows]
    one, other = (board(make(each), settings=EXACT) for each in (rows, other_rows))
    own = {agent: agent for agent in AGENTS}
    assert same(pairs(one, own), pairs(other, own))
    assert [(row.agent, row.rank, row.tier, row.letters) for row in one.standings] == [
        (row.agent, row.rank, row.tier, row.letters) for row in other.standings
    ]
    assert [tier.agents for tier in one.test.tiers] == [tier.agents for tier in other.test.tiers]


@settings(max_examples=30, deadline=None)
@given(tables() | tables(graded=True), st.integers(0, 10**6))
def test_a_repeated_row_changes_no_number(make: Make, rows: Rows, place: int) -> None:
    """A trial that stands twice in the data is counted once."""
    trials, twice = make(rows), make([*rows, rows[place % len(rows)]])
    merged = twice.with_frame(merge_trials(twice.frame).frame)
    one, other = (msgspec.to_builtins(board(each, settings=QUICK)) for each in (trials, merged))
    assert same(one, other)


@settings(max_examples=40, deadline=None)
@given(tables() | tables(graded=True), st.integers(0, 3), st.booleans())
def test_every_number_is_a_number(make: Make, rows: Rows, declared: int, absent: bool) -> None:  # noqa: FBT001
    """Nothing in a board is NaN or infinite, and its JSON is that of the standard."""
    trials = make(rows, Declaration(suite="s", trials=declared, tasks=13, absent_is_fail=absent))
    found = board(trials, settings=QUICK)
    assert all(map(math.isfinite, numbers(msgspec.to_builtins(found))))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Board) == found


@settings(max_examples=40, deadline=None)
@given(tables(full=True) | tables(graded=True, full=True))
def test_ranks_tiers_letters_and_p_values_agree(make: Make, rows: Rows) -> None:
    """Whatever the data, one part of the standings never says what another denies."""
    found = board(make(rows), settings=Settings(resamples=300, level=0.2))
    for test in found.tests:
        assert all(pair.significant is (pair.p_adjusted <= test.level) for pair in test.pairs)
        assert sum(pair.significant for pair in test.pairs) == test.n_significant
        assert [agent for tier in test.tiers for agent in tier.agents] == (
            list(test.family) if test.tiers else []
        )
    check_standings(found)


def check_standings(found: Board) -> None:
    """Ranks follow the means, tiers follow the ranks, letters and rank intervals follow the pairs."""
    standings = {row.agent: row for row in found.standings}
    better = {(pair.better, pair.worse) for pair in found.test.pairs if pair.significant}
    ranks = [row.rank for row in found.standings]
    assert ranks == sorted(ranks)
    assert ranks[0] == 1
    if not found.test.tiers:
        assert all(row.tier is None and row.letters is None for row in found.standings)
        return
    assert [row.tier for row in found.standings] == sorted(row.tier or 0 for row in found.standings)
    for one, other in combinations(found.standings, 2):
        differ = (one.agent, other.agent) in better
        assert (other.agent, one.agent) not in better
        assert one.letters is not None
        assert other.letters is not None
        assert differ is not bool(set(one.letters) & set(other.letters))
        assert not (differ and one.rank == other.rank)
    for agent, row in standings.items():
        above = sum(worse == agent for _, worse in better)
        below = sum(winner == agent for winner, _ in better)
        assert (row.rank_low, row.rank_high) == (1 + above, len(standings) - below)
        assert row.rank_low is not None
        assert row.rank_high is not None
        assert row.rank_low <= row.rank <= row.rank_high
        assert row.possible_best is (above == 0)
    for tier in found.test.tiers:
        assert all((tier.agents[0], agent) not in better for agent in tier.agents)
        if tier.tier > 1:
            leader = found.test.tiers[tier.tier - 2].agents[0]
            assert (leader, tier.agents[0]) in better


@settings(max_examples=30, deadline=None)
@given(tables())
def test_denominators_add_up(make: Make, rows: Rows) -> None:
    """Each recorded trial is counted in one outcome of one agent, and no denominator loses any."""
    found = board(make(rows), settings=QUICK)
    assert found.n_trials == len(rows)
    for row in found.standings:
        own = [each for each in rows if each["agent"] == row.agent]
        assert row.trials == sum(row.outcomes.values()) == row.gate.trials_planned == len(own)
        assert row.gate.passes <= row.gate.trials_evaluated <= row.gate.trials_planned
        assert row.tasks == len({each["task"] for each in own})


ODD: dict[str, Rows] = {
    "one agent on one task": [{}],
    "one agent without a verdict": [{"verdict": None}],
    "all trials missing": [
        {"agent": agent, "task": task, "outcome": "missing", "verdict": None}
        for agent, task in product("ab", TASKS)
    ],
    "one agent all missing": [
        {
            "agent": agent,
            "task": task,
            "outcome": "completed" if agent == "a" else "missing",
            "verdict": verdict,
        }
        for (agent, verdict), task in product((("a", "pass"), ("b", None)), TASKS)
    ],
    "no task in common": [{"agent": "a", "task": "t"}, {"agent": "b", "task": "u"}],
    "names of every kind": [
        {"agent": name, "task": task}
        for name, task in product(
            ("é" * 300, "🦉", "a\nb", " ", '"', "\u202eab", "a,b"), ("任务", "x" * 5_000, "'")
        )
    ],
    "quantities on some tasks only": [
        {
            "agent": agent,
            "task": task,
            "quantity": 2.0 if task == "t" else None,
            "better": "higher",
            "reference": 1.0,
        }
        for agent, task in product("ab", "tu")
    ],
    "references on some tasks only": [
        {
            "agent": agent,
            "task": task,
            "quantity": 2.0,
            **({"reference": 1.0, "better": "higher"} if task == "t" else {}),
        }
        for agent, task in product("ab", "tu")
    ],
    "anchors of their own in each row": [
        {"agent": agent, "task": task, "quantity": 4.0, "baseline": 1.0, "reference": ref, "better": "higher"}
        for (agent, ref), task in product((("a", 2.0), ("b", 4.0)), TASKS)
    ],
    "no quantity at all": [
        {"agent": agent, "task": task, "reference": 1.0, "better": "lower"}
        for agent, task in product("ab", TASKS)
    ],
    "uneven trials": [
        {"agent": agent, "task": task, "trial": str(n), "verdict": "pass" if n % 3 else "fail"}
        for agent, task in product("ab", TASKS)
        for n in range(1 + (ord(agent) + len(task)) * int(task[1:]) % 5)
    ],
    "families partly unknown": [
        {
            "agent": agent,
            "task": task,
            "family": "f" if task < "t04" else None,
            "verdict": "pass" if agent < "b" else "fail",
        }
        for agent, task in product("ab", TASKS)
    ],
    "one family": [{"agent": agent, "task": task, "family": "f"} for agent, task in product("ab", TASKS)],
    "extreme quantities": [
        {
            "agent": agent,
            "task": task,
            "quantity": q,
            "baseline": 1e-300,
            "reference": 1e300,
            "better": "higher",
        }
        for (agent, q), task in product((("a", 1e308), ("b", 1e-308)), TASKS)
    ],
    "negative interval quantities": [
        {
            "agent": agent,
            "task": task,
            "quantity": -float(task[1:]),
            "baseline": -5.0,
            "reference": -1.0,
            "kind": "interval",
            "better": "higher",
        }
        for agent, task in product("ab", TASKS)
    ],
    "interval quantities without a baseline": [
        {
            "agent": agent,
            "task": task,
            "quantity": 1.0,
            "reference": 2.0,
            "kind": "interval",
            "better": "higher",
        }
        for agent, task in product("ab", TASKS)
    ],
    "every outcome": [
        {"agent": agent, "task": outcome.value, "outcome": outcome}
        for agent, outcome in product("ab", Outcome)
    ],
    "verdicts of the benchmark": [
        {"agent": agent, "task": task, "verdict": None, "verdicts": {"official": agent == "a"}}
        for agent, task in product("ab", TASKS)
    ],
    "huge costs and none": [
        {"agent": "a", "trial": "1", "cost_usd": 1e300},
        {"agent": "a", "trial": "2", "cost_usd": 1e300},
        {"agent": "b", "trial": "1", "cost_usd": 0.0, "input_tokens": 0, "output_tokens": 0},
    ],
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("declared", [None, 3])
def test_odd_tables_have_a_board(make: Make, kind: str, declared: int | None) -> None:
    """Tables that are odd and legal give a board in which each number is one and no part denies another."""
    found = board(make(ODD[kind], Declaration(suite="s", trials=declared)), settings=QUICK)
    assert all(map(math.isfinite, numbers(msgspec.to_builtins(found))))
    check_standings(found)
    assert {row.agent for row in found.standings} == {row.get("agent", "kite") for row in ODD[kind]}
    for row in found.standings:
        assert row.gate.planned.value is not None
        assert row.gate.high is not None
        assert 0 <= row.gate.planned.value <= row.gate.high <= 1


def test_score_is_graded_only_where_every_task_has_a_reference(make: Make) -> None:
    """With a reference, or a quantity, on some tasks only the gate ranks, and asking for the objective is refused."""
    trials = make(ODD["references on some tasks only"])
    assert board(trials, settings=QUICK).score == "gate"
    with pytest.raises(UsageError, match=r"task.*no reference"):
        board(trials, settings=Settings(score="objective"))
    full = make(ODD["quantities on some tasks only"])
    assert board(full, settings=QUICK).score == "gate"
    with pytest.raises(UsageError, match="not available"):
        board(full, settings=Settings(score="objective"))
    assert board(full, settings=Settings(score="gate", resamples=300)).test.score == "gate"


def test_many_agents_have_a_board(make: Make) -> None:
    """A family of sixty agents is tested as a whole, and its letters say what its pairs say."""
    generator = random.Random(3)  # noqa: S311
    rows = [
        {"agent": f"a{n:02}", "task": f"t{t}", "verdict": "pass" if generator.random() < n / 70 else "fail"}
        for n, t in product(range(60), range(40))
    ]
    found = board(make(rows), settings=Settings(resamples=300, top=None))
    assert found.test.n_pairs == 60 * 59 // 2
    assert any("labels null was not run" in note for note in found.test.notes)
    assert len(found.test.tiers) > 1


def test_progress_and_command_are_passed_on(make: Make) -> None:
    """The caller learns how far the work is, and the board keeps the command that makes it again."""
    told: list[float | None] = []
    found = board(
        make([{}]), settings=QUICK, command="measurand report x", progress=lambda _, done: told.append(done)
    )
    assert found.command == "measurand report x"
    assert told[0] == 0.0
    assert all(done is not None and 0 <= done <= 1 for done in told)


def test_times_span_all_trials(make: Make) -> None:
    """The board says when the first trial began and the last one ended."""
    frame = make([{"trial": "1"}, {"trial": "2"}]).frame.with_columns(
        started_at=pl.Series(["2026-05-01T10:00:00Z", None]).str.to_datetime(time_unit="us", time_zone="UTC"),
        finished_at=pl.Series([None, "2026-05-02T10:00:00Z"]).str.to_datetime(
            time_unit="us", time_zone="UTC"
        ),
    )
    found = board(make([{}]).with_frame(frame), settings=QUICK)
    assert (found.started, found.finished) == ("2026-05-01T10:00:00+00:00", "2026-05-02T10:00:00+00:00")


@pytest.mark.parametrize(
    "wrong",
    [{"score": "rating"}, {"top": 1}, {"level": 0.0}, {"level": 1.0}, {"power": 1.5}, {"resamples": 10}],
)
def test_settings_outside_their_range_are_refused(wrong: dict[str, Any]) -> None:
    """A setting outside its range is refused before any work is done."""
    with pytest.raises(UsageError):
        Settings(**wrong)


def test_board_of_nothing_is_refused(make: Make) -> None:
    """A board needs trials."""
    with pytest.raises(InputError):
        board(make([]), Choice())
